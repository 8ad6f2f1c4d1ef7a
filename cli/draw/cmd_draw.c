/* SPDX-License-Identifier: Apache-2.0
 *
 * tma draw: pictures of maps and copies.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli_out.h"
#include "draw_output.h"
#include "draw_timeline.h"
#include "options.h"
#include "printable.h"
#include "verbs.h"

enum {
    KEY_DRAW = 0x400, /* + tma_draw_option */
};

typedef struct draw_args {
    copy_args copy;
    const char *out_path;
    int term;
    const char *page; /* of --link, or null */
    color_mode color;
} draw_args;

static const args_option options[] = {
    {0, 0, "dtype dim box swizzle arch coord map out term", ARGS_FIRST, "Most used:", 0},
    {0, 0, 0, 0, "The picture:", 50},
    {"out", ARGS_AT(draw_args, out_path), "FILE", ARGS_KEEPS, DRAW_OUT_DOC, 0},
    {"term", ARGS_AT(draw_args, term), 0, ARGS_SETS, DRAW_TERM_DOC, 0},
    {"link", ARGS_AT(draw_args, page), "PAGE", ARGS_VALUE_OPTIONAL | ARGS_KEEPS,
     "print the link that shows it in the page (make page), after PAGE's address (default: what "
     "follows any)",
     0},
#define TMA_DRAW_OPTION(id, name, value, member, names, usual, least, most, pictures, help)        \
    {name, KEY_DRAW + TMA_DRAW_##id, value, 0, help, 0},
#include "tma/draw_options.def"
    {0},
};

static const args_child children[] = {
    {&copy_parser, 0, 10, ARGS_AT(draw_args, copy)},
    {&mma_parser, "What the MMA reads (tma draw mma):", 60, ARGS_AT(draw_args, copy.asked.mma)},
    {&color_parser, 0, 0, ARGS_AT(draw_args, color)},
    {0}};

/* An option that the picture does not look at, and that says something else than is usual. */
static const char *unused_option(const tma_drawing *d) {
#define CELLS (1u << TMA_PICTURE_COPY | 1u << TMA_PICTURE_BOX | 1u << TMA_PICTURE_GATHER)
#define BANKS (1u << TMA_PICTURE_BANKS)
#define EVERY UINT32_MAX
#define TMA_DRAW_OPTION(id, name, value, member, names, usual, least, most, pictures, help)        \
    if (d->member != (usual) && !((pictures) >> d->picture & 1)) {                                 \
        return name;                                                                               \
    }
#include "tma/draw_options.def"
    return NULL;
}

static void finish(const draw_args *args, const args_state *state) {
    tma_error error;
    if (!args->copy.asked.has_picture) {
        args_error(state, "no picture: name one first, e.g. tma draw copy; --help lists them");
    } else if (args->term && args->out_path) {
        args_error(state, "--term and --out exclude each other");
    } else if (args->page && (args->term || args->out_path)) {
        args_error(state, "--link and --%s exclude each other", args->term ? "term" : "out");
    } else if (args->copy.asked.mma.given && args->copy.asked.drawing.picture != TMA_PICTURE_MMA) {
        args_error(state,
                   "--desc, --operand and the other options of an MMA are of the picture mma");
    } else if (args->copy.asked.mma.given >> TMA_MMA_OPTION_ZERO_MASK & 1) {
        args_error(state, "--zero-mask is of tma mma: there is no picture of it");
    } else if (unused_option(&args->copy.asked.drawing)) {
        args_error(state, "--%s says nothing about the picture %s",
                   unused_option(&args->copy.asked.drawing),
                   tma_picture_name(args->copy.asked.drawing.picture));
    } else if (args->out_path) {
        option_check(draw_output_check(args->out_path, &error), state, &error);
    }
}

static int parse(int key, char *text, args_state *state) {
    draw_args *args = state->input;
    tma_error error;
    switch (key) {
    case ARGS_KEY_ARG:
        if (args->copy.asked.has_picture) {
            args_error(state, "one picture at a time: '%s' is one too many",
                       printable_text(text).text);
        }
        option_check(ask_set_picture(&args->copy.asked, text, &error), state, &error);
        return 0;
    case ARGS_KEY_END:
        finish(args, state);
        return 0;
    default:
        if (key < KEY_DRAW || key >= KEY_DRAW + TMA_DRAW_OPTIONS) {
            return ARGS_UNKNOWN;
        }
        option_check(tma_draw_words_set(&args->copy.asked.drawing,
                                        (tma_draw_option)(key - KEY_DRAW), text, &error),
                     state, &error);
        return 0;
    }
}

/* The help text's list of pictures, from the table. */
static void put_pictures(args_text *text) {
    args_textf(text, "Pictures:\n");
    for (uint32_t i = 0; i < TMA_PICTURES; i++) {
        args_textf(text, "  %-8s  %s\n", tma_picture_name(i), tma_picture_summary(i));
    }
    args_textf(
        text,
        "\n"
        "swizzle needs no map: tma draw swizzle --swizzle 128B. A cell is 16 bytes. Rest the mouse "
        "on a cell of an SVG to see its coordinates, both "
        "addresses and its banks. An SVG keeps the command and the map's 128 bytes in <metadata>.\n"
        "\n"
        "Exit status: 0 drawn, 1 the copy traps or the driver refuses the map, 2 misuse.\n"
        "\n"
        "Example: tma draw copy --dtype float16 --dim 64,32 --box 64,8 --swizzle 128B --coord 0,4 "
        "--out copy.svg");
}

static const args_parser parser = {
    options,
    parse,
    "PICTURE --map MAP\nPICTURE SPEC OPTIONS\ntimeline FILE.trace",
    "Draws a picture of a map and of one copy with it; timeline draws a kernel's run. It shows "
    "what tma load, tma plan and tma "
    "decode print.",
    children,
    put_pictures,
};

static void put_command(tma_out *out, const draw_args *args) {
    const ask_request *asked = &args->copy.asked;
    const tma_target_words target = ask_whole_target(&asked->map.target.target);
    tma_putf(out, "tma draw %s", tma_picture_name(asked->drawing.picture));
    ask_put_map(out, &asked->map.spec, asked->has_bytes ? asked->encoded.bytes : NULL, &target);
    tma_put_copy_words(out, &asked->copy.in, asked->map.spec.rank, &asked->copy.at);
    tma_put_override_words(out, &asked->copy.in, asked->map.spec.rank, &asked->copy.override);
    tma_put_draw_words(out, &asked->drawing);
    tma_put_mma_options(out, &asked->mma);
}

/* The command that draws this again, for <metadata>; free() it. */
static char *command_of(const draw_args *args) {
    tma_out length = tma_out_into(NULL, 0);
    put_command(&length, args);
    char *text = cli_got(malloc(length.length + 1));
    tma_out out = tma_out_into(text, length.length + 1);
    put_command(&out, args);
    return text;
}

static int draw(const draw_args *args, tma_error *error) {
    tma_drawing d = ask_drawing(&args->copy.asked);
    const char *unfit = tma_draw_unfit(&d);
    if (unfit) {
        return tma_fail(error, "%s", unfit);
    }
    char *command = command_of(args);
    d.source = command;
    int failed = 0;
    if (args->page) {
        out_page_link(stdout, args->page, command);
    } else {
        failed = draw_put(args->out_path, args->term, &d, args->color, error);
    }
    free(command);
    return failed;
}

int cmd_draw(int argc, char **argv) {
    static draw_args args;
    tma_status status = TMA_OK;
    tma_finding why;
    tma_error error;
    if (draw_timeline_is_asked(argc, argv)) {
        return draw_timeline(argc, argv);
    }
    options_parse(&parser, argc, argv, &args);
    int result = copy_args_plan(&args.copy, args.color, &status, &why);
    const int needs_copy = tma_picture_needs_copy(args.copy.asked.drawing.picture);
    if (status != TMA_OK && needs_copy) {
        const color_set colors = colors_for(stderr, args.color);
        copy_title(stderr, &args.copy, &colors);
        copy_fault(stderr, &args.copy, status, &why, &colors);
    }
    if (result == CLI_CLEAN || (status != TMA_OK && !needs_copy)) {
        result = draw(&args, &error) ? CLI_MISUSE : CLI_CLEAN;
        if (result == CLI_MISUSE) {
            cli_say("%s", error.text);
        }
    }
    return result;
}
