/* SPDX-License-Identifier: Apache-2.0
 *
 * tma hang: which mbarrier a hanging kernel waits at, out of its GPU core dump.
 */
#include <string.h>

#include "args.h"
#include "core_input.h"
#include "hang_view.h"
#include "options.h"
#include "verbs.h"

typedef struct hang_args {
    char *path;
    int json;
} hang_args;

static const args_child children[] = {{&json_parser, 0, 0}, {0}};

static int parse(int key, char *text, args_state *state) {
    hang_args *args = state->input;
    switch (key) {
    case ARGS_KEY_INIT:
        state->child_inputs[0] = &args->json;
        return 0;
    case ARGS_KEY_ARG:
        if (args->path) {
            args_error(state, "one core dump at a time");
        }
        args->path = text;
        return 0;
    case ARGS_KEY_NO_ARGS:
        args_error(state, "no core dump: give a GPU core dump, plain or packed by gzip");
        return 0;
    default:
        return ARGS_UNKNOWN;
    }
}

static const args_parser parser = {
    0,
    parse,
    "CORE",
    "Says why a kernel hangs: at which mbarrier it waits, how many bytes and arrivals the "
    "mbarrier lacks, which warps wait where, and how many bytes the maps in the kernel's "
    "parameters and constants bring.\vCORE is a GPU core dump. To get one from a kernel that "
    "hangs, start the program with\n"
    "  CUDA_ENABLE_USER_TRIGGERED_COREDUMP=1 CUDA_COREDUMP_PIPE=/tmp/pipe\n"
    "  CUDA_COREDUMP_FILE=/tmp/core CUDA_COREDUMP_GENERATION_FLAGS=skip_abort\n"
    "and, while it hangs: echo > /tmp/pipe. The kernel then ends with error 719. A dump holds the "
    "memory of the program: protect it as you protect that.\n"
    "\n"
    "tma hang knows which warps wait from sm_90's machine code. For other chips it lists the "
    "words in shared memory that are probably mbarriers.\n"
    "\n"
    "Exit status: 0 no warp waits at an mbarrier, 1 one does, 2 misuse, or no dump that can be "
    "read.",
    children,
    0,
};

int cmd_hang(int argc, char **argv) {
    static core_hang hang;
    static hang_view view;
    hang_args args;
    core_input input;
    tma_error error;
    memset(&args, 0, sizeof(args));
    options_parse(&parser, argc, argv, &args);
    if (core_input_open(&input, args.path, &error)) {
        cli_say("%s", error.text);
        return CLI_MISUSE;
    }
    const char *why = core_hang_read(&hang, core_input_read, &input, input.size);
    if (why) {
        cli_say("%s: %s", args.path, why);
        core_input_close(&input);
        return CLI_MISUSE;
    }
    hang_view_make(&view, &hang, core_input_read, &input);
    core_input_close(&input);
    if (args.json) {
        hang_print_json(&view, args.path);
    } else {
        hang_print(&view);
    }
    return view.waiting ? CLI_FINDINGS : hang_is_unreadable(&hang) ? CLI_MISUSE : CLI_CLEAN;
}
