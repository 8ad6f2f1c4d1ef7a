/* SPDX-License-Identifier: Apache-2.0
 *
 * tma emulate: a kernel executed without a GPU, and what came of it.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli_error.h"
#include "emulate_program.h"
#include "emulate_run.h"
#include "options.h"
#include "printable.h"
#include "verbs.h"

enum {
    KEY_GRID = 0x400,
    KEY_BLOCK,
    KEY_CLUSTER,
    KEY_SHARED,
    KEY_SCHEDULES,
    KEY_SEED,
    KEY_RESIDENT,
    KEY_MOST_INSTRUCTIONS,
    KEY_MOST_MEMORY,
    KEY_PARAM,
    KEY_MAP,
    KEY_SAVE,
    KEY_EXPECT,
    KEY_READING,
    KEY_WERROR,
};

static const args_option options[] = {
    {"kernel", ARGS_AT(emulate_args, kernel), "NAME", ARGS_KEEPS,
     "the kernel, mangled or not; may be left out where the file has one. '*': each, one after the "
     "other, without values of parameters that it has not",
     0},
    {0, 0, 0, 0, "The launch:", 1},
    {"grid", KEY_GRID, "X[,Y[,Z]]", 0, "CTAs; one cluster, where it is left out", 0},
    {"block", KEY_BLOCK, "X[,Y[,Z]]", 0, "threads of a CTA; else .reqntid or .maxntid", 0},
    {"cluster", KEY_CLUSTER, "X[,Y[,Z]]", 0, "CTAs of a cluster; else .reqnctapercluster or 1", 0},
    {"shared", KEY_SHARED, "BYTES", 0, "dynamic shared memory", 0},
    {"cooperative", ARGS_AT(emulate_args, how.launch.cooperative), 0, ARGS_SETS,
     "the whole grid at once, with a barrier of its own: grid.sync()", 0},
    {"param", KEY_PARAM, "N|NAME[+OFFSET]=VALUE", 0,
     "a parameter, by its number from 0 or its name: 42, -1, 0x2a, 1.5, null, hex:BYTES; a pointer "
     "to memory of its own: zeros:BYTES, uninit:BYTES (nobody wrote it), random:BYTES[:SEED], "
     "FILE.npy, FILE; or to that of another parameter: @NAME[+OFFSET]",
     0},
    {"map", KEY_MAP, "N|NAME[+OFFSET]=MAP", 0,
     "a tensor map: 128 bytes as tma decode reads them, a file, or the options of tma encode in "
     "one word: 'a=--dtype bfloat16 --dim 64,64 --box 64,64'. Its tensor gets memory of its own "
     "of zeros (with --address @NAME that of a parameter; with --address random:BYTES[:SEED] or "
     "--address FILE.npy these contents)",
     0},
    {"launch", ARGS_AT(emulate_args, launch_path), "FILE", ARGS_KEEPS,
     "a launch file, or a trace; options beside it come before what it has. FILE.launch and "
     "FILE.trace in place of the PTX file are the same",
     0},
    {"save-launch", ARGS_AT(emulate_args, save_path), "FILE", ARGS_KEEPS,
     "write this launch as a file, with the bytes of files that it names", 0},
    {0, 0, 0, 0, "How it is run:", 2},
    {"schedules", KEY_SCHEDULES, "N", 0,
     "N seeded schedules besides the two: everything asynchronous as late and as early as may be",
     0},
    {"seed", KEY_SEED, "S", 0, "of seeded schedules", 0},
    {"resident", KEY_RESIDENT, "N", 0, "CTAs that run at once; else what the target's GPU holds",
     0},
    {"max-instructions", KEY_MOST_INSTRUCTIONS, "N", 0, "thread instructions of a pass; else 2^40",
     0},
    {"max-memory", KEY_MOST_MEMORY, "BYTES", 0, "of the emulator's own; else 8 GiB", 0},
    {"no-invent", ARGS_AT(emulate_args, how.no_invent), 0, ARGS_SETS,
     "refuse a launch that lacks values, which are invented else", 0},
    {"no-order", ARGS_AT(emulate_args, how.launch.no_order), 0, ARGS_SETS, "values alone: no races",
     0},
    {"no-values", ARGS_AT(emulate_args, how.launch.no_values), 0, ARGS_SETS,
     "no products of matrices", 0},
    {"no-static", ARGS_AT(emulate_args, no_static), 0, ARGS_SETS,
     "nothing of what tma ptx says of lines that were not executed", 0},
    {"reading", KEY_READING, "NAME=VALUE", 0,
     "what documents leave open: scope=strict (a scope that is written and too narrow: certain), "
     "wgmma-order=none (that warps meet at a wgmma orders nothing that they did before), "
     "commit-order=none (a thread's commits arrive in any order)",
     0},
    {0, 0, 0, 0, "What comes of it:", 3},
    {"save", KEY_SAVE, "N|NAME=FILE", 0,
     "a parameter's memory after the last pass, as bytes, or as FILE.npy in the form that it was "
     "read in",
     0},
    {"expect", KEY_EXPECT, "N|NAME=FILE", 0,
     "compare a parameter's memory with FILE.npy or a file of bytes: the first element that "
     "differs",
     0},
    {"trace", ARGS_AT(emulate_args, trace_path), "FILE", ARGS_KEEPS,
     "write one pass, the first that has a finding, as JSON lines: its launch, then each warp "
     "instruction, access, copy and phase. tma emulate FILE.trace runs the same pass, tma draw "
     "timeline draws it",
     0},
    {"accept", ARGS_AT(emulate_args, accept_path), "FILE", ARGS_KEEPS,
     "findings that are known: one line for each, with its rule, its kernel and (may be left out) "
     "its line; they are listed apart and do not count",
     0},
    {"no-demangle", ARGS_AT(emulate_args, how.raw_names), 0, ARGS_SETS,
     "names of kernels as they are mangled", 0},
    {"werror", KEY_WERROR, "certain|unjudged", 0,
     "certain: exit status 1 only for findings that are certain; unjudged: 1, too, for a run that "
     "does not come to its end, or with an invented map, whose boxes fit what barriers expect",
     0},
    {0},
};

static void add_word(word_list *list, const char *word) {
    list->at = cli_got(realloc(list->at, (list->count + 1) * sizeof(*list->at)));
    list->at[list->count++] = word;
}

static int read_werror(emulate_args *args, const char *text, tma_error *error) {
    args->certain_only |= !strcmp(text, "certain");
    args->unjudged |= !strcmp(text, "unjudged");
    return args->certain_only || args->unjudged
               ? 0
               : tma_fail(error, "--werror: %s, must be certain or unjudged",
                          printable_text(text).text);
}

static const char *name_of(int key) {
    const args_option *row = options;
    while (row->key != key) {
        row++;
    }
    return row->name;
}

static int take(emulate_args *args, int key, char *text, tma_error *error) {
    switch (key) {
    case KEY_PARAM:
        add_word(&args->params, text);
        return 0;
    case KEY_MAP:
        add_word(&args->maps, text);
        return 0;
    case KEY_SAVE:
        add_word(&args->saves, text);
        return 0;
    case KEY_EXPECT:
        add_word(&args->expects, text);
        return 0;
    case KEY_WERROR:
        return read_werror(args, text, error);
    default:
        args->launch_option = name_of(key);
        return session_option(&args->how, args->launch_option, text, error);
    }
}

static int is_dash(const char *path) {
    return path && !strcmp(path, "-");
}

static int parse(int key, char *text, args_state *state) {
    emulate_args *args = state->input;
    tma_error error;
    switch (key) {
    case ARGS_KEY_NO_ARGS:
        if (!args->launch_path) {
            args_error(state, "no file: give a PTX file, or - for standard input");
        }
        return 0;
    case ARGS_KEY_END:
        if (args->format != LINT_FORMAT_TEXT && args->json) {
            args_error(state, "--format is of findings: not with --json");
        } else if (is_dash(args->save_path) + is_dash(args->trace_path) + args->json +
                       (args->format != LINT_FORMAT_TEXT) >
                   1) {
            args_error(state, "--json, --format, --save-launch - and --trace - exclude each other: "
                              "each is standard output");
        }
        return 0;
    case ARGS_KEY_ARG:
        if (!args->path && emulate_is_program(text)) {
            args->program = option_program(state);
            return 0;
        }
        if (args->path || (args->launch_path && emulate_is_launch(text))) {
            args_error(state, "one PTX file, and one launch, at a time");
        }
        *(emulate_is_launch(text) ? &args->launch_path : &args->path) = text;
        return 0;
    default:
        if (key < KEY_GRID || key > KEY_WERROR) {
            return ARGS_UNKNOWN;
        }
        option_check(take(args, key, text, &error), state, &error);
        return 0;
    }
}

static const args_child children[] = {
    {&target_parser, "Instead of the file's .target:", 10, ARGS_AT(emulate_args, target)},
    {&toolchain_parser, 0, 10, ARGS_AT(emulate_args, target)},
    {&json_parser, 0, 0, ARGS_AT(emulate_args, json)},
    {&format_parser, 0, 0, ARGS_AT(emulate_args, format)},
    {0}};

static const args_parser parser = {
    options,
    parse,
    "FILE.ptx\nFILE.launch\nPROGRAM [ARGUMENT...]",
    "Executes a kernel of a PTX file without a GPU: threads, barriers, tensor copies, MMAs, and "
    "everything asynchronous once as late and once as early as the documents allow. Reports "
    "data races, deadlocks, traps and early reads, a race with both accesses, and what of the "
    "kernel was not executed. A CUDA program that nvcc built with -cudart shared, or one that "
    "calls the driver, is run without a GPU, and its launches are executed.\v"
    "What is not given is invented, and each finding says so. No copy is blamed on an invented "
    "map. What the emulator cannot tell: docs/emulator.md.\n"
    "\n"
    "Exit status: 2 misuse or a file that cannot be read; else 1 findings (as --werror says); else "
    "3 the run did not come to its end (a limit, an instruction that is not executed, values that "
    "are needed); else 0, or the PROGRAM's own.\n"
    "\n"
    "Examples: tma emulate kernel.ptx --block 128 --param 0=zeros:65536 --param n=1024\n"
    "          tma emulate gemm.ptx --map '0=--dtype float16 --dim 1024,1024 --box 64,64'\n"
    "          tma emulate --werror=certain ./program 256 256 256",
    children,
    0,
};

/* An option that was given beside a program, of those that it does not take. */
static const char *option_beside(const emulate_args *args) {
    const struct {
        int is_given;
        const char *name;
    } rows[] = {
        {args->launch_option != NULL, args->launch_option},
        {args->trace_path != NULL, "trace"},
        {args->format != LINT_FORMAT_TEXT, "format"},
        {args->json, "json"},
        {args->save_path != NULL, "save-launch"},
        {args->launch_path != NULL, "launch"},
        {args->accept_path != NULL, "accept"},
        {args->kernel != NULL, "kernel"},
        {args->params.count != 0, "param"},
        {args->maps.count != 0, "map"},
        {args->saves.count != 0, "save"},
        {args->expects.count != 0, "expect"},
        {args->how.launch.cooperative, "cooperative"},
        {args->how.launch.no_order, "no-order"},
        {args->how.launch.no_values, "no-values"},
        {args->how.no_invent, "no-invent"},
        {args->no_static, "no-static"},
        {args->how.raw_names, "no-demangle"},
        {args->unjudged, "werror=unjudged"},
    };
    size_t i = 0;
    while (i < sizeof(rows) / sizeof(rows[0]) && !rows[i].is_given) {
        i++;
    }
    assert(i < sizeof(rows) / sizeof(rows[0]));
    return rows[i].name;
}

/* A program says itself what it launches: --arch and --werror=certain mean something there. */
static int run_program(const emulate_args *args) {
    emulate_args allowed;
    memset(&allowed, 0, sizeof(allowed));
    allowed.program = args->program;
    allowed.certain_only = args->certain_only;
    allowed.target = args->target; /* has its defaults */
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c)
    const int has_more = memcmp(&allowed, args, sizeof(allowed)) != 0; /* both were zeroed whole */
    const char *arch = args->target.has_arch ? tma_arch_text(&args->target.target) : NULL;
    if (has_more) {
        cli_say(
            "--%s: not beside a program: %s makes its launches itself, and what is found goes to "
            "standard error; --arch and --werror=certain are its only options. A PTX file or a "
            "launch file (tma capture writes those of a program) takes all",
            option_beside(args), printable_text(args->program[0]).text);
        return CLI_MISUSE;
    }
    if (arch && !emulate_device(arch)) {
        cli_say("--arch %s: a program's device is sm_90a, sm_100a or sm_120a", arch);
        return CLI_MISUSE;
    }
    return emulate_program(args->program, arch, args->certain_only);
}

int cmd_emulate(int argc, char **argv) {
    emulate_args args;
    memset(&args, 0, sizeof(args));
    options_parse(&parser, argc, argv, &args);
    const int status = args.program ? run_program(&args) : emulate_run(&args);
    free(args.params.at);
    free(args.maps.at);
    free(args.saves.at);
    free(args.expects.at);
    return status;
}
