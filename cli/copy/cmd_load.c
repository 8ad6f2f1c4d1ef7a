/* SPDX-License-Identifier: Apache-2.0
 *
 * tma load: what one load leaves in shared memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "bulk_run.h"
#include "copy_run.h"
#include "picture.h"
#include "tile.h"
#include "verbs.h"

typedef struct load_args {
    copy_args copy;
    copy_memory memory;
    int unswizzle;
} load_args;

static const args_option options[] = {
    {"unswizzle", ARGS_AT(load_args, unswizzle), 0, ARGS_SETS,
     "--out and --raw get the tile as the kernel means it, without swizzle, gaps and padding", 50},
    {0},
};

static const args_child children[] = {{&load_copy_parser, 0, 10, ARGS_AT(load_args, copy)},
                                      {&memory_parser, 0, 46, ARGS_AT(load_args, memory)},
                                      {0}};

static int parse(int key, char *text, args_state *state) {
    const load_args *args = state->input;
    (void)text;
    if (key == ARGS_KEY_END && args->unswizzle && !args->memory.out_path &&
        !args->memory.raw_path) {
        args_error(state, "--unswizzle changes what --out and --raw write; give one of them");
    }
    return ARGS_UNKNOWN;
}

static const args_parser parser = {
    options,
    parse,
    COPY_ARGS_DOC "\n--bulk BYTES",
    "Runs one cp.async.bulk.tensor load and shows what it leaves in shared memory, byte for byte: "
    "as a picture, and as a file. If the hardware would kill the kernel, it prints the rule that "
    "the copy breaks.\v--out writes the shared window as an array of the map's type, in the order "
    "of its addresses. In that file bfloat16 is '<u2', and packed types are bytes.\n"
    "\n"
    "A bulk copy, which has no map, has options of its own: tma load --bulk 64 --help.\n"
    "\n"
    "Exit status: 0 loaded, 1 it traps or the driver refuses the map, 2 misuse.\n"
    "\n"
    "Example: tma load --dtype float16 --dim 64,32 --box 64,8 --swizzle 128B --coord 0,4",
    children,
    0,
};

/* The window as an array of the map's type. */
static int window_array(const load_args *args, npy_header *array, tma_error *error) {
    const uint32_t size_B = args->memory.window.size_B;
    const uint32_t item_B = tensor_item_B(args->copy.asked.map.spec.dtype);
    if (size_B % item_B) {
        return tma_fail(error,
                        "--out: a window of %" PRIu32 " B is no array of %" PRIu32
                        " B elements; --raw writes bytes",
                        size_B, item_B);
    }
    memset(array, 0, sizeof(*array));
    snprintf(array->type, sizeof(array->type), "%s", tensor_type(args->copy.asked.map.spec.dtype));
    array->rank = 1;
    array->shape[0] = size_B / item_B;
    return 0;
}

static int write_files(const void *context, tma_error *error) {
    const load_args *args = context;
    const copy_memory *memory = &args->memory;
    const tma_window *w = &memory->window;
    const char *what = args->unswizzle ? "the tile" : "the shared window";
    npy_header array = tile_array(&args->copy);
    file_bytes data = {w->host, w->size_B};
    if (!memory->out_path && !memory->raw_path) {
        return 0;
    }
    if (args->unswizzle) {
        data = tile_packed(&args->copy, w);
    }
    int failed = memory->out_path && !args->unswizzle && window_array(args, &array, error);
    failed = failed || (memory->out_path && memory_write_npy(memory, &array, data, what, error)) ||
             (memory->raw_path && memory_write_raw(memory, data, what, error));
    if (args->unswizzle) {
        free(data.at);
    }
    return failed ? -1 : 0;
}

/* What the barrier reports, and why that is all that can be said. */
static void print_inspection(const load_args *args) {
    static const char *const words[] = {
        [TMA_REPORTS_NOT] = "nothing of the data matches",
        [TMA_REPORTS] = "a byte matches, or all elements of 16 bytes",
        [TMA_REPORTS_MAYBE] =
            ("some elements of 16 bytes match: one is sampled, and PTX 9.4 does not "
             "say which; nor whether half a byte of a 4-bit type is enough"),
    };
    const tma_inspection *asked = tma_inspection_of(args->copy.asked.copy.in.inspection);
    if (!asked) {
        return;
    }
    const uint32_t answer = memory_inspect(&args->memory, &args->copy);
    printf("mbarrier report: %s (%s%s: %s)\n\n", tma_inspect_name(answer), asked->name,
           asked->bits ? "" : ", so nothing is inspected",
           asked->bits ? words[answer] : "none is written means the same");
}

static void print_text(const void *context, const color_set *colors) {
    const load_args *args = context;
    const copy_args *copy = &args->copy;
    const tma_report_result *report = &copy->report;
    printf("%" PRIu64 " B counted on the barrier: %" PRIu64 " B inside the tensor, %" PRIu64
           " B filled\n\n",
           report->tx_B, report->inside_B, report->fill_B);
    print_inspection(args);
    picture_print(stdout, copy, args->memory.lines, colors);
}

int cmd_load(int argc, char **argv) {
    static load_args args = {.copy.verb = COPY_LOADS};
    if (bulk_is_asked(argc, argv)) {
        return bulk_run("load", argc, argv);
    }
    options_parse(&parser, argc, argv, &args);
    const copy_runner runner = {"load", &args.copy, &args.memory, &args,
                                NULL,   print_text, write_files};
    return copy_run(&runner);
}
