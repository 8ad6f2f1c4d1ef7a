/* SPDX-License-Identifier: Apache-2.0
 *
 * tma run-hang: starts a program so that the driver can write its GPU core dump, has the dump
 * written when the program hangs, and explains it.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "child.h"
#include "hang_dump.h"
#include "host.h"
#include "options.h"
#include "tma/text.h"
#include "verbs.h"

#define MOST_DUMPS   64 /* processes of one program */
#define LEAST_FREE_B (UINT64_C(256) << 20)
#define LEAST_WHOLE  (UINT64_C(8) << 30)
#define MOST_AFTER_S 1000000
#define MOST_PID     4194304 /* Linux's */
#define LONGEST_S    600.0   /* until a dump that was asked for begins */
#define PAUSE_NS     100000000

static struct {
    uint32_t after_s; /* 0: none */
    double started;
    const char *name; /* of the program */
    uint64_t least_free_B;
    char folder[HANG_PATH_B];
    int asked, refused, json;
    hang_dump dumps[MOST_DUMPS];
    size_t dump_count;
    int found; /* the worst cli_exit that a dump gave; -1: none yet */
} watch;

typedef struct hang_run {
    const char *folder;
    int whole, json;
    uint32_t process;
    char **program;
} hang_run;

enum { KEY_AFTER = 0x400, KEY_PID };

static const args_option options[] = {
    {"after", KEY_AFTER, "SECONDS", 0,
     "has the dump written if PROGRAM still runs SECONDS after its start. The time is the "
     "program's, not a kernel's: give more than a good run takes",
     0},
    {"folder", ARGS_AT(hang_run, folder), "FOLDER", ARGS_KEEPS,
     "where dumps go, each run in a folder of its own that nobody else can read (default: $TMPDIR "
     "or /tmp)",
     0},
    {"whole", ARGS_AT(hang_run, whole), 0, ARGS_SETS,
     "dumps global memory and constant banks too: what the GPU holds, up to tens of GB. Maps in "
     "constant memory are in such a dump alone; maps in a kernel's parameters are in every dump",
     0},
    {"pid", KEY_PID, "PID", 0,
     "a process that runs already, if tma run-hang started it, or if it was started with the "
     "variables that tma hang --help names",
     0},
    {0},
};

/* From 1 to `most`. */
static void number_of(uint32_t *number, const char *text, const char *what, uint32_t most,
                      const args_state *state) {
    tma_error error;
    option_check(tma_read_u32(number, text, strlen(text), most, what, &error), state, &error);
    if (*number == 0) {
        args_error(state, "%s is 0, must be 1 to %u", what, most);
    }
}

static int parse(int key, char *text, args_state *state) {
    hang_run *run = state->input;
    switch (key) {
    case KEY_AFTER:
        number_of(&watch.after_s, text, "--after", MOST_AFTER_S, state);
        return 0;
    case KEY_PID:
        number_of(&run->process, text, "--pid", MOST_PID, state);
        return 0;
    case ARGS_KEY_ARG:
        run->program = option_program(state);
        return 0;
    case ARGS_KEY_END:
        if (!run->process == !run->program) {
            args_error(state, run->process ? "--pid takes no program" : "no program to run");
        }
        return 0;
    default:
        return ARGS_UNKNOWN;
    }
}

static const args_child children[] = {{&json_parser, 0, 0, ARGS_AT(hang_run, json)}, {0}};

static const args_parser parser = {
    options,
    parse,
    "PROGRAM [ARGUMENT...]\n--pid PID",
    "Runs PROGRAM; when it hangs, has the driver write a GPU core dump and says, as tma hang does, "
    "at which mbarrier its kernel waits. Press Ctrl-C once for the dump, or give --after. The dump "
    "ends the program's kernel, with error 719: what it has not saved is lost. A second Ctrl-C "
    "ends the program.\vDumps hold the program's memory. They have mode 0600 and stay until you "
    "remove them. Without 256 MiB of free space, with --whole 8 GiB, no dump is asked for.\n"
    "\n"
    "Exit status: as tma hang if there was a dump (1: a warp waits at an mbarrier), else "
    "PROGRAM's; 127 if PROGRAM cannot be run.",
    children,
    0,
};

static void path_in(char path[HANG_PATH_B], const char *name) {
    snprintf(path, HANG_PATH_B, "%.3800s/%.250s", watch.folder, name);
}

static int make_folder(const hang_run *run) {
    const char *tmp = getenv("TMPDIR");
    const char *in = run->folder ? run->folder : tmp && *tmp ? tmp : "/tmp";
    char absolute[HANG_PATH_B];
    errno = ENAMETOOLONG;
    if (strlen(in) > 3000 || !realpath(in, absolute)) {
        cli_say("cannot write dumps into '%.200s': %s", in, strerror(errno));
        return -1;
    }
    if (strchr(absolute, '%')) { /* the driver reads %p and %h in its names as something else */
        cli_say("cannot write dumps into '%.200s': the driver takes a %% in the name for a "
                "placeholder; --folder names another place",
                absolute);
        return -1;
    }
    snprintf(watch.folder, sizeof(watch.folder), "%.3700s/tma-hang-XXXXXX", absolute);
    if (!mkdtemp(watch.folder)) { /* mode 0700: nobody else sees what is in it */
        cli_say("cannot make a folder %s: %s", watch.folder, strerror(errno));
        watch.folder[0] = '\0';
        return -1;
    }
    return 0;
}

/* Before the program starts: the driver reads them once. */
static int set_driver(const hang_run *run) {
    char pipe[HANG_PATH_B];
    char core[HANG_PATH_B];
    path_in(pipe, "pipe.%p");
    path_in(core, "core.%p");
    /* Where only global memory is skipped, driver 580.159 cuts off the dumps of some kernels. */
    const char *flags =
        run->whole ? "skip_abort" : "skip_abort,skip_global_memory,skip_constbank_memory";
    if (setenv("CUDA_ENABLE_USER_TRIGGERED_COREDUMP", "1", 1) ||
        setenv("CUDA_COREDUMP_PIPE", pipe, 1) || setenv("CUDA_COREDUMP_FILE", core, 1) ||
        setenv("CUDA_COREDUMP_GENERATION_FLAGS", flags, 1)) {
        cli_say("cannot set the driver's variables: %s", strerror(errno));
        return -1;
    }
    return 0;
}

/* Calls `visit` for each file of the folder whose name begins so; how many there were. */
static unsigned each_file(const char *begin, void (*visit)(const char *path)) {
    char path[HANG_PATH_B];
    unsigned found = 0;
    DIR *folder = opendir(watch.folder);
    for (struct dirent *file = NULL; folder && (file = readdir(folder));) {
        if (strncmp(file->d_name, begin, strlen(begin)) == 0) {
            path_in(path, file->d_name);
            visit(path);
            found++;
        }
    }
    if (folder) {
        closedir(folder);
    }
    return found;
}

static void nothing(const char *path) {
    (void)path;
}

static void ask_one(const char *pipe) {
    const int error = hang_dump_ask(pipe);
    if (error) {
        cli_say("the driver takes no request by %s: %s", pipe, strerror(error));
    }
    watch.asked |= !error;
}

/* Whether a dump may be asked for now: a driver is there, and the disk has room. */
static int may_ask(void) {
    char text[32];
    const uint64_t free_B = hang_dump_free_B(watch.folder);
    if (each_file("pipe.", nothing) == 0) {
        return 0;
    }
    if (free_B < watch.least_free_B) {
        if (!watch.refused) {
            cli_say("no dump: %s has only %s of free space; --folder names another place",
                    watch.folder, hang_dump_size(free_B, text));
        }
        watch.refused = 1;
        return 0;
    }
    cli_say("%s has run for %.1f s: the driver writes a core dump into %s (%s free), which ends "
            "its kernel with error 719",
            watch.name, host_seconds() - watch.started, watch.folder, hang_dump_size(free_B, text));
    return 1;
}

static void ask(void) {
    if (may_ask()) {
        (void)each_file("pipe.", ask_one);
    }
}

static hang_dump *dump_at(const char *path) {
    for (size_t i = 0; i < watch.dump_count; i++) {
        if (strcmp(watch.dumps[i].path, path) == 0) {
            return &watch.dumps[i];
        }
    }
    if (watch.dump_count == MOST_DUMPS) {
        return NULL;
    }
    hang_dump *dump = &watch.dumps[watch.dump_count++];
    snprintf(dump->path, sizeof(dump->path), "%s", path);
    dump->owner = geteuid();
    return dump;
}

static void explain(hang_dump *dump) {
    char text[32];
    dump->explained = 1;
    cli_say("%s: %s, mode 0600; it holds the program's memory and stays until you remove it",
            dump->path, hang_dump_size(dump->size_B, text));
    const int found = hang_explain(dump->path, watch.json);
    fflush(stdout);
    watch.found = found > watch.found ? found : watch.found;
}

static int is_over;

static void look_at(const char *path) {
    hang_dump *dump = dump_at(path);
    if (dump && !dump->explained && hang_dump_is_whole(dump, is_over)) {
        explain(dump);
    }
}

static void meanwhile(void) {
    const double ran = host_seconds() - watch.started;
    if (!watch.asked && !watch.refused && watch.after_s && ran >= watch.after_s) {
        ask();
    }
    if (watch.asked) {
        (void)each_file("core.", look_at);
    }
}

static int interrupted(void) {
    if (watch.asked) {
        return SIGTERM;
    }
    ask();
    if (!watch.asked) {
        cli_say("%s has no kernel that can be dumped: Ctrl-C again ends it", watch.name);
        watch.asked = 1;
    }
    return 0;
}

static void remove_file(const char *path) {
    (void)unlink(path);
}

static int run_program(const hang_run *run) {
    const child_way way = {
        .stderr_fd = STDERR_FILENO, .meanwhile = meanwhile, .interrupted = interrupted};
    watch.started = host_seconds();
    watch.name = run->program[0];
    watch.least_free_B = run->whole ? LEAST_WHOLE : LEAST_FREE_B;
    watch.found = -1;
    fflush(NULL);
    const int status = child_run(run->program, &way);
    is_over = 1;
    (void)each_file("core.", look_at);
    return watch.found >= 0 ? watch.found : status;
}

/* A process that runs: the same, by the names that it was given. */
static int explain_process(long process) {
    static hang_dump dump;
    char pipe[HANG_PATH_B];
    char text[32];
    const struct timespec pause = {0, PAUSE_NS};
    if (hang_dump_of_process(process, pipe, &dump)) {
        return CLI_MISUSE;
    }
    char folder[HANG_PATH_B];
    snprintf(folder, sizeof(folder), "%s", dump.path);
    *strrchr(folder, '/') = '\0'; /* the path is absolute */
    const uint64_t free_B = hang_dump_free_B(*folder ? folder : "/");
    if (free_B < LEAST_FREE_B) {
        cli_say("no dump: %s has only %s of free space", folder, hang_dump_size(free_B, text));
        return CLI_MISUSE;
    }
    if (access(dump.path, F_OK) == 0) {
        cli_say("%s is there already: explaining it; remove it for another dump", dump.path);
        return hang_explain(dump.path, watch.json);
    }
    cli_say("the driver writes %s (%s free), which ends the kernel of process %ld with error "
            "719",
            dump.path, hang_dump_size(free_B, text), process);
    const int error = hang_dump_ask(pipe);
    if (error) {
        cli_say("nobody reads from %s: %s", pipe, strerror(error));
        return CLI_MISUSE;
    }
    const double asked = host_seconds();
    while (!hang_dump_is_whole(&dump, kill((pid_t)process, 0) && errno == ESRCH)) {
        if ((kill((pid_t)process, 0) && errno == ESRCH && access(dump.path, F_OK)) ||
            (dump.size_B == 0 && host_seconds() - asked > LONGEST_S)) {
            cli_say("no dump was written to %s", dump.path);
            return CLI_MISUSE;
        }
        nanosleep(&pause, NULL);
    }
    watch.found = -1;
    explain(&dump);
    return watch.found;
}

int cmd_run_hang(int argc, char **argv) {
    hang_run run = {.program = NULL};
    options_parse_program(&parser, argc, argv, &run);
    watch.json = run.json;
    if (run.process) {
        return explain_process((long)run.process);
    }
    child_signals_begin();
    int status = CHILD_NOT_RUN;
    if (!make_folder(&run) && !set_driver(&run)) {
        status = run_program(&run);
    }
    if (watch.folder[0]) {
        (void)each_file("pipe.", remove_file);
        (void)rmdir(watch.folder); /* stays where a dump is in it */
    }
    child_signals_end();
    return child_exit(status);
}
