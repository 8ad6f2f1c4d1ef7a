/* SPDX-License-Identifier: Apache-2.0
 *
 * tma draw timeline: a run from its trace.
 */
#include "draw_timeline.h"

#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli_error.h"
#include "draw_output.h"
#include "file_bytes.h"
#include "options.h"
#include "printable.h"
#include "ptx_heap.h"
#include "trace_timeline.h"

#define MOST_TRACE_B (UINT64_C(1) << 31)

typedef struct timeline_args {
    int is_named; /* the picture */
    const char *trace_path, *out_path;
    const char *first, *columns, *theme; /* words of a drawing's options, or null */
    int term;
    color_mode color;
    tma_drawing drawing;
} timeline_args;

static const args_option options[] = {
    {"out", ARGS_AT(timeline_args, out_path), "FILE", ARGS_KEEPS, DRAW_OUT_DOC, 0},
    {"term", ARGS_AT(timeline_args, term), 0, ARGS_SETS, DRAW_TERM_DOC, 0},
    {"row", ARGS_AT(timeline_args, first), "N", ARGS_KEEPS,
     "the first step to draw (default: shortly before the first access of the finding; without "
     "one, how the run ended)",
     0},
    {"lines", ARGS_AT(timeline_args, columns), "N", ARGS_KEEPS,
     "the most columns (default 48, at most 512); a column is several steps where the two accesses "
     "lie further apart",
     0},
    {"theme", ARGS_AT(timeline_args, theme), "THEME", ARGS_KEEPS,
     "auto (default), light or dark; auto: an SVG follows the reader's settings, .png and .pdf are "
     "light",
     0},
    {0},
};

static void set_word(timeline_args *args, tma_draw_option option, const char *text,
                     const args_state *state) {
    tma_error error;
    if (text) {
        option_check(tma_draw_words_set(&args->drawing, option, text, &error), state, &error);
    }
}

static void finish(timeline_args *args, const args_state *state) {
    tma_error error;
    if (!args->trace_path) {
        args_error(state, "timeline: no trace: give one, which tma emulate --trace writes");
    }
    if (args->term && args->out_path) {
        args_error(state, "--term and --out exclude each other");
    }
    if (args->out_path) {
        option_check(draw_output_check(args->out_path, &error), state, &error);
    }
    set_word(args, TMA_DRAW_ROW, args->first, state);
    set_word(args, TMA_DRAW_LINES_AT_MOST, args->columns, state);
    set_word(args, TMA_DRAW_THEME, args->theme, state);
}

static int parse(int key, char *text, args_state *state) {
    timeline_args *args = state->input;
    switch (key) {
    case ARGS_KEY_ARG:
        if (!args->is_named) {
            args->is_named = 1;
        } else if (args->trace_path) {
            args_error(state, "one trace at a time: '%s' is one too many",
                       printable_text(text).text);
        } else {
            args->trace_path = text;
        }
        return 0;
    case ARGS_KEY_END:
        finish(args, state);
        return 0;
    default:
        return ARGS_UNKNOWN;
    }
}

static const args_child children[] = {{&color_parser, 0, 0, ARGS_AT(timeline_args, color)}, {0}};

static const args_parser parser = {
    options,
    parse,
    "timeline FILE.trace",
    "Draws a kernel's run from a trace of tma emulate --trace: warps down, the order of execution "
    "across, below them the copies under way and the phases of mbarriers. The two accesses of the "
    "trace's finding are marked; of a deadlock, who waits where.\v"
    "Exit status: 0 drawn, 2 misuse or a file that is no trace.\n"
    "\n"
    "Example: tma emulate kernel.ptx --trace run.trace; tma draw timeline run.trace --out run.svg",
    children,
    0,
};

int draw_timeline_is_asked(int argc, char **argv) {
    return argc > 1 && !strcmp(argv[1], tma_picture_name(TMA_PICTURE_TIMELINE));
}

static int draw(timeline_args *args, ptx_memory *memory, tma_error *error) {
    char command[512];
    tma_out source = tma_out_into(command, sizeof(command));
    tma_timeline run;
    tma_error why;
    tma_putf(&source, "tma draw timeline %.400s", args->trace_path);
    tma_put_draw_words(&source, &args->drawing);
    file_bytes bytes;
    if (file_read(args->trace_path, MOST_TRACE_B, &bytes, error)) {
        return -1;
    }
    int failed = trace_timeline(&run, memory, (const char *)bytes.at, bytes.size, &why);
    if (failed) {
        tma_fail(error, "%.200s: %s", printable_text(args->trace_path).text, why.text);
    } else {
        args->drawing.timeline = &run;
        args->drawing.source = command;
        failed = draw_put(args->out_path, args->term, &args->drawing, args->color, error);
    }
    args->drawing.timeline = NULL; /* both end here */
    args->drawing.source = NULL;
    free(bytes.at);
    return failed;
}

int draw_timeline(int argc, char **argv) {
    timeline_args args = {.drawing.picture = TMA_PICTURE_TIMELINE};
    tma_error error;
    options_parse(&parser, argc, argv, &args);
    ptx_heap heap = {NULL};
    ptx_memory memory = ptx_memory_of(ptx_heap_more, &heap);
    const int failed = draw(&args, &memory, &error);
    if (failed) {
        cli_say("%s", error.text);
    }
    ptx_heap_free(&heap);
    return failed ? CLI_MISUSE : CLI_CLEAN;
}
