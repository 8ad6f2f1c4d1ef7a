/* SPDX-License-Identifier: Apache-2.0
 *
 * tma hang: which mbarrier a hanging kernel waits at, out of its GPU core dump.
 */

#include <inttypes.h>
#include <string.h>

#include "args.h"
#include "cli_out.h"
#include "core_input.h"
#include "hang_dump.h"
#include "hang_view.h"
#include "options.h"
#include "verbs.h"

typedef struct hang_args {
    char *path;
    int json;
} hang_args;

static const args_child children[] = {{&json_parser, 0, 0, ARGS_AT(hang_args, json)}, {0}};

static int parse(int key, char *text, args_state *state) {
    hang_args *args = state->input;
    switch (key) {
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
    "Says why a kernel hangs: at which mbarrier it waits, how many bytes and arrivals the mbarrier "
    "lacks, which warps wait where, and how many bytes the maps in the kernel's parameters and "
    "constants bring.\vCORE is a GPU core dump, plain or packed by gzip; - is standard input. tma "
    "run-hang PROGRAM gets one. By hand: start the program with\n"
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

static const char cut_off[] =
    ". If the program ended while the driver wrote: let it wait. If not: driver 580.159 cuts off "
    "the dumps of some kernels where CUDA_COREDUMP_GENERATION_FLAGS has skip_global_memory "
    "without skip_constbank_memory";

/* Of a null path standard input. */
int hang_explain(const char *given, int json) {
    static core_hang hang;
    static hang_view view;
    core_input input;
    tma_error error;
    const char *path = given ? given : "-";
    if (given ? core_input_open(&input, given, &error) : core_input_of_stdin(&input, &error)) {
        cli_say("%s", error.text);
        return CLI_MISUSE;
    }
    const char *why = core_hang_read(&hang, core_input_read, &input, input.size);
    if (why) {
        cli_say("%s: %s%s", path, input.error ? strerror(input.error) : why,
                input.error || strncmp(why, "cut off", 7) != 0 ? "" : cut_off);
        core_input_close(&input);
        return CLI_MISUSE;
    }
    hang_view_make(&view, &hang, core_input_read, &input);
    core_input_close(&input);
    if (input.error) {
        cli_say("%s: byte %" PRIu64 " cannot be read: %s; what is said of the dump lacks it", path,
                input.error_at, strerror(input.error));
    }
    if (json) {
        out_json line;
        tma_json *to = out_json_begin(&line, "hang");
        tma_json_text(to, "input", path);
        hang_json(to, &view);
        out_json_end(&line);
    } else {
        tma_out out = out_to(stdout);
        hang_put(&out, &view);
    }
    return view.waiting || view.likely ? CLI_FINDINGS
           : hang_is_unreadable(&hang) ? CLI_MISUSE
                                       : CLI_CLEAN;
}

int cmd_hang(int argc, char **argv) {
    hang_args args = {0};
    options_parse(&parser, argc, argv, &args);
    return hang_explain(strcmp(args.path, "-") ? args.path : NULL, args.json);
}
