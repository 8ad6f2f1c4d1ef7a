/* SPDX-License-Identifier: Apache-2.0
 *
 * tma run-checked: runs a program with everything set so that its kernels are assembled by tma
 * ptxas, from caches of their own; and says at the end what was checked.
 */
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
#include "ptxas_find.h"
#include "tma/ptx_check.h"
#include "verbs.h"

#define MOST_NOTES_B (UINT64_C(1) << 28)

/* Where those who compile at run time keep what they compiled. */
static const struct {
    const char *variable;
    const char *folder;
} caches[] = {
    {"TRITON_CACHE_DIR", "triton"},
    {"TORCH_EXTENSIONS_DIR", "torch"},
    {"TORCHINDUCTOR_CACHE_DIR", "inductor"},
    {"TILELANG_CACHE_DIR", "tilelang"},
    {"FLASHINFER_WORKSPACE_BASE", "flashinfer"},
    {"DG_JIT_CACHE_DIR", "deep_gemm"},
    {"CUPY_CACHE_DIR", "cupy"},
};

typedef struct checked_run {
    int own_status; /* nothing checked is no reason to end otherwise than PROGRAM */
    char *folder;   /* links and notes; and caches, where none is named */
    const char *notes;
    const char *cache;
    uint32_t on_fault; /* tma_ptx_check_fault */
    const char *hang;  /* seconds, or null */
    char **program;
} checked_run;

static char *joined(const char *folder, const char *name) {
    return cli_printed("%s/%s", folder, name);
}

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

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at) {
    (void)status;
    (void)type;
    (void)at;
    return remove(path);
}

static char *made_folder;

/* However the end comes. A second try: the first may have had no memory. */
static void remove_folder(void) {
    if (made_folder && nftw(made_folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) &&
        nftw(made_folder, remove_one, 16, FTW_DEPTH | FTW_PHYS)) {
        cli_say("cannot take %s away: %s", made_folder, strerror(errno));
    }
    made_folder = NULL;
}

/* nvcc hands its prefix to a shell between double quotes, where these mean something. */
static const char *temporary_folder(void) {
    const char *tmp = getenv("TMPDIR");
    return tmp && *tmp && !strpbrk(tmp, "\"$`\\\n") ? tmp : "/tmp";
}

static int make_folder(checked_run *run) {
    char *self = ptxas_self();
    run->folder = joined(temporary_folder(), "tma-run-checked-XXXXXX");
    if (!self || !mkdtemp(run->folder)) {
        cli_say("cannot make a folder %s: %s", run->folder, strerror(errno));
        free(self);
        return -1;
    }
    made_folder = run->folder;
    (void)atexit(remove_folder);
    static const char *const links[] = {"ptxas", "ptxas-blackwell", "tma-ptxas"};
    int wrong = 0;
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        char *link = joined(run->folder, links[i]);
        wrong |= symlink(self, link);
        free(link);
    }
    free(self);
    if (wrong) {
        cli_say("cannot make links in %s: %s", run->folder, strerror(errno));
    }
    return wrong;
}

static void set_path(const checked_run *run, const char *variable, const char *name) {
    char *path = joined(run->folder, name);
    setenv(variable, path, 1);
    free(path);
}

/* A ptxas that Triton was told to take stays the real one. */
static void set_real(void) {
    static const char *const variables[] = {"TMA_PTXAS", "TRITON_PTXAS_BLACKWELL_PATH",
                                            "TRITON_PTXAS_PATH"};
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *value = getenv(variables[i]);
        if (value && *value) {
            char *copy = strdup(value);
            setenv("TMA_PTXAS", copy ? copy : value, 1);
            free(copy);
            return;
        }
    }
}

static int set_caches(const checked_run *run) {
    const char *root = run->cache ? run->cache : run->folder;
    if (run->cache && mkdir(run->cache, 0777) && errno != EEXIST) {
        cli_say("cannot make %s: %s", run->cache, strerror(errno));
        return -1;
    }
    char *absolute = realpath(root, NULL);
    if (!absolute) {
        cli_say("no folder %s: %s", root, strerror(errno));
        return -1;
    }
    for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
        char *path = joined(absolute, caches[i].folder);
        setenv(caches[i].variable, path, 1);
        free(path);
    }
    free(absolute);
    return 0;
}

static void set_nvcc(const checked_run *run) {
    const char *before = getenv("NVCC_PREPEND_FLAGS");
    char *flags = cli_printed("%s%s--ptxas-prefix=\"%s/tma-ptxas\"", before ? before : "",
                              before ? " " : "", run->folder);
    setenv("NVCC_PREPEND_FLAGS", flags, 1);
    free(flags);
}

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
                 sum.images == 1 ? "" : "s");
    }
    cli_say("ptxas ran %u time%s%s: %u bulk cop%s found, %u checked, %u left", (unsigned)sum.runs,
            sum.runs == 1 ? "" : "s", loaded, (unsigned)sum.found, sum.found == 1 ? "y" : "ies",
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
    if (make_folder(&run)) {
        remove_folder();
        free(run.folder);
        child_signals_end();
        return CHILD_EXIT_NOT_RUN;
    }
    char *notes = joined(run.folder, "notes");
    set_real();
    set_path(&run, "TRITON_PTXAS_PATH", "ptxas");
    set_path(&run, "TRITON_PTXAS_BLACKWELL_PATH", "ptxas-blackwell");
    setenv("TMA_PTXAS_NOTES", notes, 1);
    set_nvcc(&run);
    int status = CHILD_NOT_RUN;
    if (!set_caches(&run) && !set_faults(&run, notes)) {
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
    remove_folder();
    free(notes);
    free(run.folder);
    child_signals_end();
    return child_exit(status);
}
