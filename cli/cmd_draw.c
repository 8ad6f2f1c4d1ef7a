/* SPDX-License-Identifier: Apache-2.0
 *
 * tma draw: pictures of maps and copies.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_out.h"
#include "draw_output.h"
#include "options.h"
#include "verbs.h"

enum {
    KEY_OUT = 0x400,
    KEY_TERM,
    KEY_LABEL,
    KEY_COLOR_BY,
    KEY_READER,
    KEY_PHASE,
    KEY_ROW,
    KEY_LINES,
    KEY_THEME
};

typedef struct draw_args {
    copy_args copy;
    tma_drawing drawing;
    const char *picture;
    const char *out_path;
    int term;
    color_mode color;
} draw_args;

static const struct argp_option options[] = {
    {0, 0, 0, 0, "The picture:", 50},
    {"out", KEY_OUT, "FILE", 0,
     "write there; the extension says how: .svg, .png, .pdf; - is SVG on standard output (default: "
     "--term on a terminal, else SVG on standard output)",
     0},
    {"term", KEY_TERM, 0, 0, "draw in the terminal", 0},
    {"label", KEY_LABEL, "WHAT", 0, "in the cells: number (default), chunk, coord, bank", 0},
    {"color-by", KEY_COLOR_BY, "WHAT", 0, "of the cells: chunk (default), row, column, bank", 0},
    {"reader", KEY_READER, "WHO", 0,
     "banks: row-4B, row-8B, row-16B, column-4B, column-8B, column-16B, ldmatrix (default)", 0},
    {"phase", KEY_PHASE, "N", 0, "banks: which phase of the reader (default 0)", 0},
    {"row", KEY_ROW, "N", 0, "the first row of the box to draw (default 0)", 0},
    {"lines", KEY_LINES, "N", 0, "lines of cells at most (default 32, at most 512)", 0},
    {"theme", KEY_THEME, "THEME", 0,
     "auto (default: as the reader of the SVG prefers; .png and .pdf light), light, dark", 0},
    {0},
};

static const struct argp_child children[] = {{&copy_argp, 0, 0, 10}, {&color_argp, 0, 0, 0}, {0}};

static const char *picture_name(size_t i) {
    return i < TMA_PICTURES ? tma_picture_name((uint32_t)i) : NULL;
}

static const char *label_name(size_t i) {
    return i < TMA_LABELS ? tma_label_name((uint32_t)i) : NULL;
}

static const char *color_name(size_t i) {
    return i < TMA_COLORS ? tma_color_name((uint32_t)i) : NULL;
}

static const char *theme_name(size_t i) {
    static const char *const names[] = {"auto", "light", "dark"};
    return i < sizeof(names) / sizeof(names[0]) ? names[i] : NULL;
}

/* "row 4 B" as one word for the command line: "row-4B". */
static const char *reader_name(size_t i) {
    static char name[32];
    const char *at = i < TMA_READERS ? tma_reader_name((uint32_t)i) : NULL;
    size_t used = 0;
    for (; at && *at && used + 1 < sizeof(name); at++) {
        if (*at != ' ' || at[1] != 'B') {
            name[used++] = (char)(*at == ' ' ? '-' : *at);
        }
    }
    name[used] = 0;
    return at ? name : NULL;
}

static int set_name(const char *text, const char *option, tma_name_at name, uint32_t *out,
                    tma_error *error) {
    size_t found = 0;
    if (tma_read_name(&found, text, option, name, error)) {
        return -1;
    }
    *out = (uint32_t)found;
    return 0;
}

static int set(draw_args *args, int key, const char *text, tma_error *error) {
    tma_drawing *d = &args->drawing;
    const size_t length = strlen(text);
    switch (key) {
    case KEY_LABEL:
        return set_name(text, "--label", label_name, &d->label, error);
    case KEY_COLOR_BY:
        return set_name(text, "--color-by", color_name, &d->color, error);
    case KEY_READER:
        return set_name(text, "--reader", reader_name, &d->reader, error);
    case KEY_THEME:
        return set_name(text, "--theme", theme_name, &d->theme, error);
    case KEY_PHASE:
        return tma_read_u32(&d->phase, text, length, UINT32_MAX, "--phase", error);
    case KEY_ROW:
        return tma_read_u32(&d->row, text, length, UINT32_MAX, "--row", error);
    default:
        if (tma_read_u32(&d->lines, text, length, TMA_DRAW_MOST_LINES, "--lines", error)) {
            return -1;
        }
        return d->lines ? 0 : tma_fail(error, "--lines: 0 is not in 1 to %d", TMA_DRAW_MOST_LINES);
    }
}

static void finish(draw_args *args, struct argp_state *state) {
    tma_error error;
    if (!args->picture) {
        argp_error(state, "no picture");
    } else if (args->term && args->out_path) {
        argp_error(state, "--term and --out exclude each other");
    } else if (set_name(args->picture, "picture", picture_name, &args->drawing.picture, &error) ||
               (args->out_path && draw_output_check(args->out_path, &error))) {
        argp_error(state, "%s", error.text);
    }
}

static error_t parse(int key, char *text, struct argp_state *state) {
    draw_args *args = state->input;
    tma_error error;
    switch (key) {
    case ARGP_KEY_INIT:
        memset(args, 0, sizeof(*args));
        args->copy.verb = COPY_PLANS;
        args->drawing.reader = TMA_READER_LDMATRIX;
        state->child_inputs[0] = &args->copy;
        state->child_inputs[1] = &args->color;
        return 0;
    case ARGP_KEY_ARG:
        if (args->picture) {
            argp_error(state, "one picture at a time: '%s' is one too many", text);
        }
        args->picture = text;
        return 0;
    case KEY_OUT:
        args->out_path = text;
        return 0;
    case KEY_TERM:
        args->term = 1;
        return 0;
    case ARGP_KEY_END:
        finish(args, state);
        return 0;
    default:
        if (key < KEY_OUT || key > KEY_THEME) {
            return ARGP_ERR_UNKNOWN;
        }
        option_check(set(args, key, text, &error), state, &error);
        return 0;
    }
}

/* The help text's list of pictures, from the table. */
static char *with_pictures(int key, const char *text, void *input) {
    char *out = NULL;
    size_t size = 0;
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC) {
        return (char *)text;
    }
    FILE *file = open_memstream(&out, &size);
    if (!file) {
        return (char *)text;
    }
    fputs("Pictures:\n", file);
    for (uint32_t i = 0; i < TMA_PICTURES; i++) {
        fprintf(file, "  %-8s  %s\n", tma_picture_name(i), tma_picture_summary(i));
    }
    fputs(
        "\nA cell is 16 bytes. Its title (where the mouse rests) has its coordinates, both "
        "addresses and banks. An SVG keeps the command and the map's 128 bytes in <metadata>.\n\n"
        "Exit status: 0 drawn, 1 the copy traps or the driver refuses the map, 2 misuse.\n\n"
        "Example: tma draw copy --dtype float16 --dim 64,32 --box 64,8 --swizzle 128B --coord 0,4 "
        "--out copy.svg",
        file);
    fclose(file);
    return out;
}

static const struct argp argp = {
    options,
    parse,
    "PICTURE --map MAP\nPICTURE SPEC OPTIONS",
    "A picture of a map and of one copy with it: what tma load, tma plan and tma decode say, to "
    "look "
    "at.\v.", /* replaced by with_pictures() */
    children,
    with_pictures,
    0,
};

/* Those that are not what they are by themselves. */
static void put_picture_options(tma_out *out, const tma_drawing *d) {
    const struct {
        const char *option;
        uint32_t number;
        const char *name;
    } numbers[] = {
        {"label", d->label, label_name(d->label)},
        {"color-by", d->color, color_name(d->color)},
        {"theme", d->theme, theme_name(d->theme)},
        {"reader", d->reader != TMA_READER_LDMATRIX, reader_name(d->reader)},
        {"phase", d->phase, NULL},
        {"row", d->row, NULL},
        {"lines", d->lines, NULL},
    };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (numbers[i].number && numbers[i].name) {
            tma_putf(out, " --%s %s", numbers[i].option, numbers[i].name);
        } else if (numbers[i].number) {
            tma_putf(out, " --%s %u", numbers[i].option, (unsigned)numbers[i].number);
        }
    }
}

static void put_command(tma_out *out, const draw_args *args) {
    const copy_args *copy = &args->copy;
    const tma_target_words target = {copy->map_args.target.target, 1, 1,
                                     copy->map_args.target.target.ptx != 0};
    const uint32_t coords = tma_mode_coords(copy->in.mode, copy->spec.rank);
    const uint32_t offsets = tma_mode_offsets(copy->in.op, copy->in.mode, copy->spec.rank);
    tma_putf(out, "tma draw %s", args->picture);
    if (copy->map_source) {
        tma_put(out, " --map ");
        tma_put_hex_bytes(out, copy->map.bytes, sizeof(copy->map.bytes));
    } else {
        tma_put_spec(out, &copy->spec);
    }
    tma_put_target_words(out, &target);
    tma_putf(out, " --op %s --mode %s", tma_op_name(copy->in.op), tma_mode_name(copy->in.mode));
    for (uint32_t i = 0; i < coords && i < TMA_MAX_RANK; i++) {
        tma_putf(out, "%s%d", i ? "," : " --coord=", copy->at.coord[i]);
    }
    for (uint32_t i = 0; i < offsets; i++) {
        tma_putf(out, "%s%u", i ? "," : " --offset=", copy->at.offset[i]);
    }
    tma_putf(out, " --shared 0x%x", copy->at.shared_address);
    put_picture_options(out, &args->drawing);
}

/* The command that draws this again, for <metadata>; free() it. */
static char *command_of(const draw_args *args) {
    tma_out length = tma_out_into(NULL, 0);
    put_command(&length, args);
    char *text = malloc(length.length + 1);
    if (!text) {
        cli_out_of_memory();
    }
    tma_out out = tma_out_into(text, length.length + 1);
    put_command(&out, args);
    return text;
}

static int draw(draw_args *args, tma_error *error) {
    tma_drawing *d = &args->drawing;
    d->map = args->copy.map.bytes;
    d->instruction = &args->copy.in;
    d->at = &args->copy.at;
    d->target = &args->copy.map_args.target.target;
    const char *unfit = tma_draw_unfit(d);
    if (unfit) {
        return tma_fail(error, "%s", unfit);
    }
    char *command = command_of(args);
    d->source = command;
    const int to_term = args->term || (!args->out_path && isatty(STDOUT_FILENO));
    const int failed = to_term ? draw_term(stdout, d, args->color, error)
                               : draw_output(args->out_path ? args->out_path : "-", d, error);
    free(command);
    return failed;
}

int cmd_draw(int argc, char **argv) {
    static draw_args args;
    tma_status status = TMA_OK;
    tma_finding why;
    tma_error error;
    options_parse(&argp, argc, argv, &args);
    int result = copy_args_plan(&args.copy, args.color, &status, &why);
    const int needs_copy = tma_picture_needs_copy(args.drawing.picture);
    if (status != TMA_OK && needs_copy) {
        const color_set colors = colors_for(stderr, args.color);
        copy_title(stderr, &args.copy, &colors);
        copy_fault(stderr, status, &why, &colors);
    }
    if (result == CLI_CLEAN || (status != TMA_OK && !needs_copy)) {
        result = draw(&args, &error) ? CLI_MISUSE : CLI_CLEAN;
        if (result == CLI_MISUSE) {
            cli_say("%s", error.text);
        }
    }
    return result;
}
