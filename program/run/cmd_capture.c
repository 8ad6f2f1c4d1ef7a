/* SPDX-License-Identifier: Apache-2.0
 *
 * tma capture: runs a program with libtma-cuda.so in it, which writes its kernels' launches as
 * files that tma emulate executes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "capture_limits.h"
#include "child.h"
#include "cli_error.h"
#include "options.h"
#include "preload.h"
#include "printable.h"
#include "ptxas_in_place.h"
#include "tma/grammar.h"
#include "tma/text.h"
#include "verbs.h"

#define DEFAULT_MEMORY_B (UINT64_C(64) << 20)

typedef struct capture_run {
    const char *folder; /* where launches go */
    const char *kernel, *cache;
    uint32_t launches;
    uint64_t memory_B;
    char **program;
} capture_run;

enum { KEY_MEMORY = 0x400, KEY_OUT = 'o', KEY_LAUNCHES = 'n' };

static const args_option options[] = {
    {"out", KEY_OUT, "FOLDER", 0,
     "writes the launches to FOLDER/0001.launch and so on; it is made where there is none", 0},
    {"kernel", ARGS_AT(capture_run, kernel), "NAME", ARGS_KEEPS,
     "kernels of this name alone, copies or not: as the PTX spells it, or as in C++", 0},
    {"launches", KEY_LAUNCHES, "N", 0, "the first N launches of each kernel (default: 1)", 0},
    {"memory", KEY_MEMORY, "LIMIT", ARGS_VALUE_OPTIONAL,
     "what is in the memory that a launch can reach, too, before it runs: whole allocations, LIMIT "
     "bytes of a launch at most (default: 64M; K and M are taken). Larger ones are listed without. "
     "Waits for the launch's stream",
     0},
    {"cache", ARGS_AT(capture_run, cache), "FOLDER", ARGS_KEEPS,
     "keeps the compiled kernels in FOLDER for the next run (default: they are compiled anew each "
     "time)",
     0},
    {0},
};

/* 4096, 64K, 64M. */
static int read_bytes(uint64_t *out, const char *text, tma_error *error) {
    const size_t length = strlen(text);
    const char last = length ? text[length - 1] : 0;
    const unsigned shift = last == 'K' ? 10 : last == 'M' ? 20 : 0;
    if (tma_read_u64(out, text, length - (shift != 0), "--memory", error)) {
        return -1;
    }
    if (!*out || *out > CAPTURE_MOST_MEMORY_B >> shift) {
        return tma_fail(error, "--memory: %s, must be 1 to %" PRIu64 "M bytes",
                        printable_text(text).text, CAPTURE_MOST_MEMORY_B >> 20);
    }
    *out <<= shift;
    return 0;
}

static int read_launches(uint32_t *out, const char *text, tma_error *error) {
    if (tma_read_u32(out, text, strlen(text), CAPTURE_MOST_LAUNCHES, "--launches", error)) {
        return -1;
    }
    return *out ? 0 : tma_fail(error, "--launches: 0, must be 1 at least");
}

static int parse(int key, char *text, args_state *state) {
    capture_run *run = state->input;
    tma_error error;
    switch (key) {
    case KEY_OUT:
        run->folder = text;
        return 0;
    case KEY_LAUNCHES:
        option_check(read_launches(&run->launches, text, &error), state, &error);
        return 0;
    case KEY_MEMORY:
        run->memory_B = DEFAULT_MEMORY_B;
        option_check(text && read_bytes(&run->memory_B, text, &error), state, &error);
        return 0;
    case ARGS_KEY_ARG:
        run->program = option_program(state);
        return 0;
    case ARGS_KEY_NO_ARGS:
        args_error(state, "no program to run");
        return 0;
    case ARGS_KEY_END:
        if (!run->folder) {
            args_error(state, "no folder for the launches: give -o FOLDER");
        }
        return 0;
    default:
        return ARGS_UNKNOWN;
    }
}

static const args_parser parser = {
    options,
    parse,
    "-o FOLDER PROGRAM [ARGUMENT...]",
    "Runs PROGRAM on its GPU and writes each kernel that has tensor or bulk copies as a launch: "
    "PTX, name, grid, block, cluster, shared memory, parameters, maps, and the allocations that "
    "these lead to. tma emulate FOLDER/0001.launch executes it on any machine.\vIt finds kernels "
    "whose PTX it can have: PTX that the program gives to the driver or embeds, what NVRTC or "
    "nvJitLink made of PTX in the program, kernels of Triton, of nvcc and what calls it while the "
    "program runs. PROGRAM's results are the same. With --memory a file holds PROGRAM's data; only "
    "its user may read it. Launches of graphs that are built node by node are not seen; those of a "
    "captured stream are, without contents.\n"
    "\n"
    "Exit status: PROGRAM's; 3 if that is 0 and no launch was written; 2 misuse; 127 if PROGRAM "
    "cannot be run.\n"
    "\n"
    "Example: tma capture -o launches --memory python3 matmul.py",
    0,
    0,
};

/* The folder, absolute: the program may go elsewhere. Free it. */
static char *make_folder(const char *folder) {
    struct stat about;
    if (mkdir(folder, 0700) && errno != EEXIST) {
        cli_say("cannot make %s: %s", printable_text(folder).text, strerror(errno));
        return NULL;
    }
    char *absolute = realpath(folder, NULL);
    if (absolute && (stat(absolute, &about) || !S_ISDIR(about.st_mode))) {
        free(absolute);
        absolute = NULL;
        errno = ENOTDIR;
    }
    if (!absolute) {
        cli_say("no folder %s: %s", printable_text(folder).text, strerror(errno));
    }
    return absolute;
}

/* Files of launches by their numbers. One that was taken away and written again is another. */
typedef struct launches {
    struct {
        ino_t file;
        struct timespec changed;
    } was[CAPTURE_MOST_LAUNCHES + 1];
} launches;

/* How many there are that `known` has not; it has them then. */
static uint32_t count_launches(const char *folder, launches *known) {
    DIR *all = opendir(folder);
    uint32_t count = 0;
    for (const struct dirent *one; all && (one = readdir(all));) {
        struct stat about;
        const char *end = strstr(one->d_name, ".launch");
        uint64_t number = 0;
        if (!end || strcmp(end, ".launch") != 0 ||
            tma_number_of(&number, one->d_name, (size_t)(end - one->d_name)) != TMA_NUMBER_OK ||
            number > CAPTURE_MOST_LAUNCHES ||
            fstatat(dirfd(all), one->d_name, &about, AT_SYMLINK_NOFOLLOW)) {
            continue;
        }
        count += known->was[number].file != about.st_ino ||
                 known->was[number].changed.tv_sec != about.st_ctim.tv_sec ||
                 known->was[number].changed.tv_nsec != about.st_ctim.tv_nsec;
        known->was[number].file = about.st_ino;
        known->was[number].changed = about.st_ctim;
    }
    if (all) {
        closedir(all);
    }
    return count;
}

static void set_number(const char *variable, uint64_t number) {
    char *text = cli_printed("%" PRIu64, number);
    setenv(variable, text, 1);
    free(text);
}

/* What a kept kernel was compiled of is kept with it. */
static int set_ptx(const char *cache, const char *own) {
    char *path = cache ? cli_printed("%s/ptx", cache) : NULL;
    const int failed = path && mkdir(path, 0700) && errno != EEXIST;
    char *absolute = failed ? NULL : realpath(path ? path : own, NULL);
    if (absolute) {
        setenv("TMA_PTXAS_CAPTURE", absolute, 1);
        setenv("LIBTMA_CAPTURE_PTX", absolute, 1);
    } else {
        cli_say("cannot make %s: %s", printable_text(path ? path : own).text, strerror(errno));
    }
    const int is_set = absolute != NULL;
    free(absolute);
    free(path);
    return is_set ? 0 : -1;
}

static int set_all(const capture_run *run, const char *folder, const char *own) {
    setenv("LIBTMA_CAPTURE", folder, 1);
    set_number("LIBTMA_CAPTURE_LAUNCHES", run->launches);
    set_number("LIBTMA_CAPTURE_MEMORY", run->memory_B);
    setenv("CUPY_COMPILE_WITH_PTX", "1", 1); /* else it asks NVRTC for machine code */
    unsetenv("LIBTMA_CAPTURE_KERNEL");
    unsetenv("LIBTMA_CHECK_KERNELS"); /* launches of a program as it is */
    if (run->kernel) {
        setenv("LIBTMA_CAPTURE_KERNEL", run->kernel, 1);
    }
    if (ptxas_caches(run->cache) || set_ptx(run->cache, own)) {
        return -1;
    }
    if (preload_shim(own)) {
        cli_say("no libtma-cuda.so that belongs to this program: nothing is captured");
    }
    return 0;
}

static int run_program(const capture_run *run, const char *folder) {
    const char *own = ptxas_in_place("tma-capture");
    launches *known = calloc(1, sizeof(*known));
    const child_way way = {.stderr_fd = STDERR_FILENO, .answers_signals = 1};
    int status = CHILD_NOT_RUN;
    if (known) {
        (void)count_launches(folder, known);
    } else {
        cli_say("out of memory");
    }
    if (known && own && !set_all(run, folder, own)) {
        fflush(NULL);
        status = child_run(run->program, &way);
    }
    ptxas_out_of_place();
    if (status != CHILD_NOT_RUN) {
        const uint32_t written = count_launches(folder, known);
        cli_say("%" PRIu32 " launch%s written to %s%s", written, written == 1 ? "" : "es",
                printable_text(run->folder).text,
                written ? "" : ": no kernel with tensor or bulk copies whose PTX is known");
        status = status || written ? status : CLI_NOT_JUDGED;
    }
    free(known);
    return child_exit(status);
}

int cmd_capture(int argc, char **argv) {
    capture_run run = {.launches = 1};
    options_parse_program(&parser, argc, argv, &run);
    char *folder = make_folder(run.folder);
    if (!folder) {
        return CLI_MISUSE;
    }
    child_signals_begin();
    const int status = run_program(&run, folder);
    child_signals_end();
    free(folder);
    return status;
}
