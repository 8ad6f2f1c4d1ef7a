/* SPDX-License-Identifier: Apache-2.0
 *
 * tma run-checked: runs a program with everything set so that its kernels are assembled by tma
 * ptxas, from caches of their own; and says at the end what was checked.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "child.h"
#include "cli_error.h"
#include "fault_file.h"
#include "file_bytes.h"
#include "hang_seconds.h"
#include "notes_sum.h"
#include "options.h"
#include "preload.h"
#include "ptxas_in_place.h"
#include "tma/detail/chars.h"
#include "tma/ptx_check.h"
#include "verbs.h"

#define MOST_NOTES_B (UINT64_C(1) << 28)

typedef struct checked_run {
    int own_status;     /* nothing checked is no reason to end otherwise than PROGRAM */
    const char *folder; /* of ptxas_in_place(), and of the notes */
    const char *notes;
    const char *cache;
    uint32_t on_fault; /* tma_ptx_check_fault */
    const char *hang;  /* seconds, or null */
    char **program;
} checked_run;

enum { KEY_ON_FAULT = 0x400, KEY_HANG };

static const args_option options[] = {
    {"notes", ARGS_AT(checked_run, notes), "FILE", ARGS_KEEPS,
     "writes to FILE which copies of each kernel were found, checked and left without a check", 0},
    {"on-fault", KEY_ON_FAULT, "WORD", 0,
     "auto (default): assert in what nvcc compiles, else record\n"
     "assert: an assertion of the driver ends the kernel, error 710; wgmma is slower\n"
     "record: tma run-checked prints the message; the kernel ends with error 700. Kernels that "
     "nvcc built so print nothing without tma run-checked\n"
     "skip: as record, but the kernel skips the copy and runs on\n"
     "trap: the kernel traps without a message, error 719",
     0},
    {"hang", KEY_HANG, "SECONDS", 0,
     "ends a kernel whose thread waits longer in a loop of mbarrier.try_wait or test_wait, and "
     "says which barrier lacks how many bytes and arrivals, error 719. Waits that live, but last "
     "longer, end so, too",
     0},
    {"cache", ARGS_AT(checked_run, cache), "FOLDER", ARGS_KEEPS,
     "keeps the compiled kernels in FOLDER for the next run (default: they are compiled anew each "
     "time)",
     0},
    {"_status", ARGS_AT(checked_run, own_status), 0, ARGS_SETS | ARGS_HIDDEN,
     "ends as PROGRAM does (tma doctor)", 0},
    {0},
};

static int parse(int key, char *text, args_state *state) {
    checked_run *run = state->input;
    switch (key) {
    case KEY_ON_FAULT:
        run->on_fault = tma_ptx_check_fault_find(text);
        if (run->on_fault >= TMA_PTX_CHECK_FAULTS) {
            args_error(state, "--on-fault=%s is none of " TMA_PTX_CHECK_FAULT_WORDS, text);
        }
        return 0;
    case KEY_HANG:
        run->hang = text;
        if (!hang_seconds(text)) {
            exit(CLI_MISUSE);
        }
        return 0;
    case ARGS_KEY_ARG:
        run->program = option_program(state);
        return 0;
    case ARGS_KEY_NO_ARGS:
        args_error(state, "no program to run");
        return 0;
    default:
        return ARGS_UNKNOWN;
    }
}

static const args_parser parser = {
    options,
    parse,
    "PROGRAM [ARGUMENT...]",
    "Runs PROGRAM and puts a check before each bulk copy of its kernels, by a tensor map or "
    "without. Before a copy that would kill the kernel, the check prints a message that names the "
    "rule, the operand, the map and the source line, and ends the kernel.\vIt checks kernels of "
    "Triton (TRITON_PTXAS_PATH, TRITON_PTXAS_BLACKWELL_PATH), of nvcc (NVCC_PREPEND_FLAGS) and of "
    "what calls nvcc: TileLang, torch extensions, FlashInfer, DeepGEMM. It checks PTX that a "
    "program gives to the driver, and what NVRTC or nvJitLink made of PTX in the program: CuPy, "
    "cuda-python (LIBTMA_CHECK_KERNELS of libtma-cuda.so). It does not check kernels that "
    "nvJitLink links of several inputs or LTO-IR, of the CuTe DSL and cuBLAS, and kernels that "
    "were compiled before.\n"
    "\n"
    "Exit status: PROGRAM's; 3 if that is 0 and no bulk copy was checked; 127 if PROGRAM cannot "
    "be run.",
    0,
    0,
};

/* Records need libtma-cuda.so in the program, and a file. PTX that goes to the driver gets its
 * checks on the way, in the program. */
static int set_faults(checked_run *run, const char *notes) {
    const uint32_t asked = run->on_fault;
    const int of_copies = asked != TMA_PTX_CHECK_ASSERT && asked != TMA_PTX_CHECK_TRAP;
    const int records = of_copies || run->hang;
    const int preloaded = !preload_shim(run->folder);
    if (!preloaded) {
        cli_say("no libtma-cuda.so that belongs to this program: PTX that goes to the driver is "
                "not checked");
    }
    if (records && (!preloaded || fault_file_make())) {
        const int goes_on = asked == TMA_PTX_CHECK_AUTO && !run->hang;
        cli_say("kernels cannot leave records: %s",
                goes_on ? "--on-fault=assert" : "nothing was run");
        if (!goes_on) {
            return -1;
        }
        run->on_fault = TMA_PTX_CHECK_ASSERT;
    }
    if (run->hang) {
        setenv("TMA_PTXAS_HANG", run->hang, 1);
        setenv("LIBTMA_CHECK_HANG", run->hang, 1);
    }
    const char *word = tma_ptx_check_fault_name(run->on_fault);
    setenv("TMA_PTXAS_ON_FAULT", word, 1);
    if (preloaded) {
        setenv("LIBTMA_CHECK_KERNELS", word, 1);
        setenv("LIBTMA_CHECK_NOTES", notes, 1);
        setenv("CUPY_COMPILE_WITH_PTX", "1", 1); /* else it asks NVRTC for machine code */
    }
    return 0;
}

static int run_program(char **argv) {
    const child_way way = {
        .stderr_fd = STDERR_FILENO, .answers_signals = 1, .meanwhile = fault_file_look};
    return child_run(argv, &way);
}

/* What kernels left. */
static void say_faults(const fault_file_sum *left, int recording) {
    if (left->skipped) {
        cli_say("%" PRIu64 " cop%s not made; the message is the first one's", left->skipped,
                left->skipped == 1 ? "y was" : "ies were");
    }
    if (left->cut) {
        cli_say("a kernel found a broken rule, and ended before it had said which");
    }
    if (left->error) {
        cli_say("the driver takes no memory for kernels' records: error %u of cuMemHostRegister; "
                "with --on-fault=assert kernels say themselves what is wrong",
                left->error);
    } else if (recording && !left->modules) {
        cli_say("kernels were compiled that leave records, and none was loaded by this program: "
                "run alone they end without a word; tma run-checked has the message");
    }
}

/* The sums of the notes. Whether anything was checked. */
static int summarise(const char *path, int cached, const fault_file_sum *faults) {
    notes_sum sum = notes_sum_of(path);
    const int checked = sum.checked != 0;
    const int compiled = sum.runs || sum.images;
    char loaded[64] = "";
    if (sum.line) {
        fputs(sum.line, stderr);
    }
    if (sum.images) {
        snprintf(loaded, sizeof(loaded), ", the driver's compiler %u time%s", (unsigned)sum.images,
                 text_plural(sum.images));
    }
    cli_say("ptxas ran %u time%s%s: %u bulk cop%s found, %u checked, %u left", (unsigned)sum.runs,
            text_plural(sum.runs), loaded, (unsigned)sum.found, sum.found == 1 ? "y" : "ies",
            (unsigned)sum.checked, (unsigned)(sum.found - sum.checked));
    notes_sum_say_left(&sum);
    notes_sum_say_found(&sum);
    say_faults(faults, sum.recording);
    notes_sum_free(&sum);
    if (!checked && faults->modules) {
        cli_say("kernels were loaded that had their checks already");
        return 1;
    }
    if (!compiled && cached) {
        cli_say("nothing was compiled anew: --cache has what earlier runs checked, or nothing is "
                "reached");
        return 1;
    }
    if (!checked) {
        cli_say("nothing was checked: see --help for what is reached");
    }
    return checked;
}

int cmd_run_checked(int argc, char **argv) {
    checked_run run = {.on_fault = TMA_PTX_CHECK_AUTO};
    options_parse_program(&parser, argc, argv, &run);
    child_signals_begin();
    run.folder = ptxas_in_place("tma-run-checked");
    if (!run.folder) {
        child_signals_end();
        return CHILD_EXIT_NOT_RUN;
    }
    char *notes = cli_printed("%s/notes", run.folder);
    setenv("TMA_PTXAS_NOTES", notes, 1);
    int status = CHILD_NOT_RUN;
    if (!ptxas_caches(run.cache) && !set_faults(&run, notes)) {
        fflush(NULL);
        status = run_program(run.program);
    }
    const fault_file_sum faults = fault_file_end();
    if (status != CHILD_NOT_RUN) {
        const int checked = summarise(notes, run.cache != NULL, &faults);
        status = status || checked || run.own_status ? status : CLI_NOT_JUDGED;
    }
    if (run.notes && status != CHILD_NOT_RUN && access(notes, R_OK) == 0) {
        file_bytes bytes = {NULL, 0};
        const file_bytes none = {NULL, 0};
        tma_error error;
        if (file_read(notes, MOST_NOTES_B, &bytes, &error) ||
            file_write(run.notes, &bytes, &none, &error)) {
            cli_say("%s", error.text);
        }
        free(bytes.at);
    }
    ptxas_out_of_place();
    free(notes);
    child_signals_end();
    return child_exit(status);
}
