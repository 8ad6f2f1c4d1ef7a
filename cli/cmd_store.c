/* SPDX-License-Identifier: Apache-2.0
 *
 * tma store: what one store or reduction leaves in the tensor.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "changes.h"
#include "copy_json.h"
#include "copy_memory.h"
#include "picture.h"
#include "verbs.h"

typedef struct store_args {
    copy_args copy;
    copy_memory memory;
} store_args;

static const args_child children[] = {{&copy_parser, 0, 10}, {&memory_parser, 0, 46}, {0}};

static int parse(int key, char *text, args_state *state) {
    store_args *args = state->input;
    (void)text;
    if (key == ARGS_KEY_INIT) {
        args->copy.verb = COPY_STORES;
        state->child_inputs[0] = &args->copy;
        state->child_inputs[1] = &args->memory;
        return 0;
    }
    return ARGS_UNKNOWN;
}

static const args_parser parser = {
    0,
    parse,
    COPY_ARGS_DOC,
    "What one cp.async.bulk.tensor store, or with --op one cp.reduce.async.bulk.tensor, leaves in "
    "the tensor, byte for byte: which rows change, and which bytes behind their ends. Where the "
    "hardware would kill the kernel, the rule that it broke.\v"
    "--out writes the tensor after the copy as an array, --raw its memory from globalAddress on, "
    "padding of the strides included.\n\n"
    "Exit status: 0 stored, 1 it traps or the driver refuses the map, 2 misuse.\n\n"
    "Example: tma store --op add --dtype float32 --dim 30,16 --stride 128 --box 32,4 --coord 0,8",
    children,
    0,
};

static int write_files(const store_args *args, tma_error *error) {
    const copy_memory *memory = &args->memory;
    if (memory->out_path && memory_write_tensor(memory, &args->copy, error)) {
        return -1;
    }
    return memory->raw_path
               ? memory_write_raw(memory, memory->tensor.bytes, "the tensor's memory", error)
               : 0;
}

static void print_text(const store_args *args, const changes *changed, const color_set *colors) {
    const copy_args *copy = &args->copy;
    const tma_report_result *report = &copy->report;
    copy_title(stdout, copy, colors);
    memory_print(stdout, &args->memory, copy);
    printf("%" PRIu64 " B read: %" PRIu64 " B for the inside of the tensor, %" PRIu64
           " B dropped\n\n",
           report->tx_B, report->inside_B, report->dropped_B);
    picture_print(stdout, copy, args->memory.lines, colors);
    putchar('\n');
    changes_print(stdout, changed, args->memory.lines, colors);
}

static int store(store_args *args, tma_error *error) {
    tma_finding why;
    copy_args *copy = &args->copy;
    if (memory_make(&args->memory, copy, error)) {
        return CLI_MISUSE;
    }
    changes *changed = changes_before(&args->memory.tensor, &copy->asked.map.spec, &copy->plan,
                                      &copy->asked.copy.at);
    const tma_status status = memory_copy(&args->memory, copy, &why);
    if (args->memory.json) {
        copy_done_json("store", copy, &args->memory, status, &why);
    }
    if (status != TMA_OK) {
        const color_set colors = colors_for(stderr, args->memory.color);
        copy_fault(stderr, &args->copy, status, &why, &colors);
    } else if (!memory_is_piped(&args->memory) && !args->memory.json) {
        const color_set colors = colors_for(stdout, args->memory.color);
        print_text(args, changed, &colors);
        copy_notes(stdout, copy, &colors);
    } else {
        const color_set colors = colors_for(stderr, args->memory.color);
        copy_notes(stderr, copy, &colors);
    }
    changes_free(changed);
    return status != TMA_OK ? CLI_FINDINGS : write_files(args, error) ? CLI_MISUSE : CLI_CLEAN;
}

int cmd_store(int argc, char **argv) {
    static store_args args;
    tma_status status = TMA_OK;
    tma_finding why;
    tma_error error;
    options_parse(&parser, argc, argv, &args);
    int result = copy_args_plan(&args.copy, args.memory.color, &status, &why);
    if (status != TMA_OK && args.memory.json && result == CLI_FINDINGS) {
        copy_done_json("store", &args.copy, &args.memory, status, &why);
    } else if (status != TMA_OK) {
        const color_set colors = colors_for(stderr, args.memory.color);
        copy_title(stderr, &args.copy, &colors);
        copy_fault(stderr, &args.copy, status, &why, &colors);
    }
    if (result == CLI_FINDINGS && status == TMA_OK && args.memory.json) {
        copy_refused_json("store", &args.copy);
    }
    if (result == CLI_CLEAN) {
        result = store(&args, &error);
        if (result == CLI_MISUSE) {
            cli_say("%s", error.text);
        }
    }
    memory_free(&args.memory);
    return result;
}
