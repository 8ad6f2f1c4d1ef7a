/* SPDX-License-Identifier: Apache-2.0
 *
 * tma store: what one store or reduction leaves in the tensor.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "bulk_run.h"
#include "changes.h"
#include "copy_run.h"
#include "picture.h"
#include "verbs.h"

typedef struct store_args {
    copy_args copy;
    copy_memory memory;
    changes *changed;
} store_args;

static const args_child children[] = {{&copy_parser, 0, 10, ARGS_AT(store_args, copy)},
                                      {&memory_parser, 0, 46, ARGS_AT(store_args, memory)},
                                      {0}};

static const args_parser parser = {
    0,
    0,
    COPY_ARGS_DOC "\n--bulk BYTES",
    "Runs one cp.async.bulk.tensor store, or with --op one cp.reduce.async.bulk.tensor, and shows "
    "what it leaves in the tensor, byte for byte: which rows change, and which bytes behind the "
    "ends of rows. If the hardware would kill the kernel, it prints the rule that the copy "
    "breaks.\v--out writes the tensor after the copy as an array. --raw writes its memory from "
    "globalAddress on, with the padding of the strides.\n"
    "\n"
    "A bulk copy, which has no map, has options of its own: tma store --bulk 64 --help.\n"
    "\n"
    "Exit status: 0 stored, 1 it traps or the driver refuses the map, 2 misuse.\n"
    "\n"
    "Example: tma store --op add --dtype float32 --dim 30,16 --stride 128 --box 32,4 --coord 0,8",
    children,
    0,
};

static int write_files(const void *context, tma_error *error) {
    const store_args *args = context;
    const copy_memory *memory = &args->memory;
    if (memory->out_path && memory_write_tensor(memory, &args->copy, error)) {
        return -1;
    }
    return memory->raw_path
               ? memory_write_raw(memory, memory->tensor.bytes, "the tensor's memory", error)
               : 0;
}

static void print_text(const void *context, const color_set *colors) {
    const store_args *args = context;
    const copy_args *copy = &args->copy;
    const tma_report_result *report = &copy->report;
    printf("%" PRIu64 " B read: %" PRIu64 " B for the inside of the tensor, %" PRIu64
           " B dropped\n\n",
           report->tx_B, report->inside_B, report->dropped_B);
    picture_print(stdout, copy, args->memory.lines, colors);
    putchar('\n');
    changes_print(stdout, args->changed, args->memory.lines, colors);
}

static void before(void *context) {
    store_args *args = context;
    const copy_args *copy = &args->copy;
    args->changed = changes_before(&args->memory.tensor, &copy->asked.map.spec, &copy->plan,
                                   &copy->asked.copy.at);
}

int cmd_store(int argc, char **argv) {
    static store_args args = {.copy.verb = COPY_STORES};
    if (bulk_is_asked(argc, argv)) {
        return bulk_run("store", argc, argv);
    }
    options_parse(&parser, argc, argv, &args);
    const copy_runner runner = {"store", &args.copy, &args.memory, &args,
                                before,  print_text, write_files};
    const int result = copy_run(&runner);
    changes_free(args.changed);
    return result;
}
