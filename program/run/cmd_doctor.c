/* SPDX-License-Identifier: Apache-2.0
 *
 * tma doctor: runs a program under the shim and with checks in its kernels (tma run-checked), reads
 * along what both print, and ends with what was found and the one command that says more.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"
#include "child.h"
#include "hang_seconds.h"
#include "options.h"
#include "output_file.h"
#include "printable.h"
#include "tma/crash.h"
#include "verbs.h"

#define MOST_LOG_B  (64 << 20) /* of what was printed; what comes later is passed on alone */
#define USUAL_HANG  "60"
#define MOST_QUOTED 400
#define MOST_WORDS  300 /* of a next command */

enum { KEY_HANG = 0x400 };

typedef struct doctor_args {
    const char *hang;
    char **program;
} doctor_args;

static const struct {
    const char *words, *found, *next, *from, *keeps, *until;
} signs[] = {
#define DOCTOR_SIGN(words, found, next, from, keeps, until)                                        \
    {words, found, next, from, keeps, until},
#include "doctor_signs.def"
};

#define SIGNS (sizeof(signs) / sizeof(signs[0]))

#define HOST_LINE "gdb -batch -ex run -ex bt --args PROGRAM names the host's line"

static const struct doctor_end {
    int signal;
    const char *meaning, *next;
} ends_by_signal[] = {
#define DOCTOR_END(signal, meaning, next) {signal, meaning, next},
#include "doctor_ends.def"
    {0, "", NULL},
};

static const args_option options[] = {
    {"hang", KEY_HANG, "SECONDS", 0,
     "ends a kernel whose thread waits longer at a barrier (default: " USUAL_HANG
     "); see tma run-checked",
     0},
    {0},
};

static int parse(int key, char *text, args_state *state) {
    doctor_args *args = state->input;
    switch (key) {
    case KEY_HANG:
        args->hang = text;
        if (!hang_seconds(text)) {
            exit(CLI_MISUSE);
        }
        return 0;
    case ARGS_KEY_ARG:
        args->program = option_program(state);
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
    "Runs PROGRAM, passes its output on, and looks for what libtma knows: tensor maps that the "
    "driver refuses, copies that kill a kernel, kernels that hang at a barrier, code that is wrong "
    "on each path, errors of CUDA. It ends with what was found and the one next command, and with "
    "the signal or status if that is not 0.\v"
    "PROGRAM runs as under tma run-checked: libtma-cuda.so watches its encode calls (without a "
    "driver it answers them), kernels that are compiled get checks. What tma run-checked does not "
    "reach, tma doctor does not reach. Launches are not executed: tma emulate does that.\n"
    "\n"
    "Exit status: 0 nothing was found and PROGRAM ended with 0; 1 something was found, or PROGRAM "
    "failed; 127 if PROGRAM cannot be run.\n"
    "\n"
    "Example: tma doctor -- python3 train.py",
    0,
    0,
};

/* ---- the run ---- */

/* A process that passes on what comes, and keeps a copy. Whoever writes has the other end. */
static pid_t pass_on(int *write_end, int to, int log) {
    int ends[2];
    char buffer[4096];
    ssize_t count = 0;
    if (pipe(ends)) {
        return -1;
    }
    const pid_t child = fork();
    if (child) {
        close(ends[0]);
        *write_end = ends[1];
        return child;
    }
    close(ends[1]);
    while ((count = read(ends[0], buffer, sizeof(buffer))) > 0 || (count < 0 && errno == EINTR)) {
        if (count > 0 && output_put(to, buffer, (size_t)count)) {
            _exit(0); /* nobody reads: the program is told so by its own write */
        }
        if (count > 0 && lseek(log, 0, SEEK_CUR) < MOST_LOG_B &&
            output_put(log, buffer, (size_t)count)) {
            log = -1;
        }
    }
    _exit(0);
}

/* Runs it with both outputs read along; what tma run-checked returned. */
static int run_along(char **argv, FILE *const logs[2]) {
    static const int fds[2] = {STDOUT_FILENO, STDERR_FILENO};
    const child_way way = {.stderr_fd = STDERR_FILENO, .answers_signals = 1};
    int kept[2], ends[2];
    pid_t copiers[2];
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        copiers[i] = pass_on(&ends[i], fds[i], fileno(logs[i]));
        if (copiers[i] < 0) {
            cli_say("cannot read along: %s", strerror(errno));
            return CHILD_NOT_RUN;
        }
    }
    for (int i = 0; i < 2; i++) {
        kept[i] = dup(fds[i]);
        dup2(ends[i], fds[i]);
        close(ends[i]);
    }
    child_signals_begin();
    const int status = child_run(argv, &way);
    for (int i = 0; i < 2; i++) {
        dup2(kept[i], fds[i]); /* the last writer's end is closed */
        close(kept[i]);
    }
    for (int i = 0; i < 2; i++) {
        waitpid(copiers[i], NULL, 0);
    }
    child_signals_end();
    return status;
}

static int run_checked(const doctor_args *args, FILE *const logs[2]) {
    static char verb[] = "run-checked", status_only[] = "--_status", ends[] = "--";
    char self[PATH_MAX] = "";
    size_t count = 0;
    while (args->program[count]) {
        count++;
    }
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) <= 0) {
        cli_say("cannot find this program: %s", strerror(errno));
        return CHILD_NOT_RUN;
    }
    char *hang = cli_printed("--hang=%s", args->hang ? args->hang : USUAL_HANG);
    char **argv = cli_got(calloc(count + 6, sizeof(*argv)));
    argv[0] = self;
    argv[1] = verb;
    argv[2] = hang;
    argv[3] = status_only;
    argv[4] = ends;
    memcpy(argv + 5, args->program, count * sizeof(*argv));
    setenv("LIBTMA_MODE", "auto", 0);
    const int status = run_along(argv, logs);
    free(argv);
    free(hang);
    return status;
}

/* ---- what was printed ---- */

/* The line that a place is in. */
static void quote(const char *text, const char *at) {
    const char *begin = at;
    while (begin > text && begin[-1] != '\n') {
        begin--;
    }
    const size_t length = strcspn(begin, "\n");
    cli_say("  %.*s%s", (int)(length < MOST_QUOTED ? length : MOST_QUOTED), begin,
            length < MOST_QUOTED ? "" : " ...");
}

static size_t count_of(const char *text, const char *words) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, words)) != NULL; at++) {
        count++;
    }
    return count;
}

/* The next command of a sign, with the word that it takes from the text behind the sign. */
static void say_next(size_t sign, const char *line) {
    const char *from = strstr(line, signs[sign].from);
    char word[MOST_WORDS] = "";
    if (from && *signs[sign].from) {
        from += strlen(signs[sign].from);
        snprintf(word, sizeof(word), "%s%.*s", signs[sign].keeps,
                 (int)strcspn(from, signs[sign].until), from);
    }
    char *command = cli_printed(signs[sign].next, word);
    cli_say("next: %s", command);
    free(command);
}

/* Whether there is one; the first of the surest says what comes next. */
static int say_signs(const char *text) {
    size_t first = SIGNS;
    for (size_t i = 0; i < SIGNS; i++) {
        const char *at = strstr(text, signs[i].words);
        if (at) {
            const size_t count = count_of(text, signs[i].words);
            cli_say("found: %s%s", signs[i].found, count > 1 ? ", more than once; first" : "");
            quote(text, at);
            first = i < first ? i : first;
        }
    }
    if (first < SIGNS) {
        say_next(first, strstr(text, signs[first].words));
    }
    return first < SIGNS;
}

static void take_first(void *context, const tma_crash *found) {
    tma_crash *first = context;
    if (!first->line) {
        *first = *found;
    }
}

/* An error of CUDA or a framework among what the program printed. */
static int say_crash(const char *text, size_t size, int is_said) {
    tma_crash first = {0};
    tma_crash_row row;
    tma_crash_read(text, size, take_first, &first);
    if (!first.line || tma_crash_at(&row, first.row)) {
        return 0;
    }
    cli_say("found: %s: %s", row.name, row.meaning);
    if (!is_said) {
        cli_say("next: tma explain %s", row.name);
    }
    return 1;
}

/* Lines that libtma wrote, which quote errors: they are no errors of their own. */
static void blank_own(char *text) {
    for (char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        if (!strncmp(line, "libtma:", 7) || !strncmp(line, "tma run-checked:", 16)) {
            memset(line, ' ', length);
        }
        line += length + (line[length] != 0);
    }
}

static size_t length_of(FILE *log) {
    const long length = fseek(log, 0, SEEK_END) ? 0 : ftell(log);
    rewind(log);
    return length > 0 ? (size_t)length : 0;
}

/* What went to standard output, then what went to standard error: lines of one are not cut by the
 * other's. */
static char *read_logs(FILE *const logs[2], size_t *size) {
    const size_t first = length_of(logs[0]), second = length_of(logs[1]);
    char *text = cli_got(malloc(first + second + 2));
    *size = fread(text, 1, first, logs[0]);
    text[(*size)++] = '\n';
    *size += fread(text + *size, 1, second, logs[1]);
    for (size_t i = 0; i < *size; i++) {
        text[i] = (char)(text[i] ? text[i] : '\n'); /* so that the rest is searched, too */
    }
    text[*size] = 0;
    return text;
}

/* How the program ended, where that was not with 0; what is known of its signal. A shell that ran
 * it passes a signal on as this status. */
static const struct doctor_end *say_end(int status) {
    const struct doctor_end *row = ends_by_signal;
    const int number = status - 128;
    const int is_signal = number > 0 && number <= SIGRTMAX;
    while (row->signal && row->signal != number) {
        row++;
    }
    if (is_signal) {
        cli_say("ended: PROGRAM, by signal %d (%s; status %d)%s%s", number, strsignal(number),
                status, *row->meaning ? ": " : "", row->meaning);
    } else if (status) {
        cli_say("ended: PROGRAM, with status %d, its own", status);
    }
    return row;
}

/* What comes next where nothing was found. */
static const char *next_of(const struct doctor_end *end, int status, int is_unchecked) {
    return end->next ? end->next
           : is_unchecked
               ? "tma emulate PROGRAM (built with nvcc -cudart shared): its kernels, without a "
                 "GPU; or tma ptx --findings KERNEL.ptx"
           : status ? "tma ptx --findings KERNEL.ptx (nvcc -lineinfo -ptx, or Triton's cache)"
                    : "tma emulate KERNEL.ptx (nvcc -lineinfo -ptx, or Triton's cache): races do "
                      "not fail in each run";
}

static int say_found(FILE *const logs[2], int status) {
    size_t size = 0;
    const struct doctor_end *end = say_end(status);
    char *text = read_logs(logs, &size);
    const int is_unchecked = strstr(text, "tma run-checked: nothing was checked") != NULL;
    int found = say_signs(text);
    blank_own(text);
    found |= say_crash(text, size, found);
    if (!found) {
        cli_say("found: nothing%s",
                is_unchecked ? "; no kernel was compiled or loaded in reach" : "");
        cli_say("next: %s", next_of(end, status, is_unchecked));
    }
    free(text);
    return found || status ? CLI_FINDINGS : CLI_CLEAN;
}

/* A file that cannot be run is one to read. */
static void say_reader(const char *path) {
    struct stat found;
    const size_t length = strlen(path);
    if (stat(path, &found) || !S_ISREG(found.st_mode)) {
        return;
    }
    if (access(path, X_OK) == 0) {
        if (!strchr(path, '/')) { /* PATH was asked, and has it not */
            cli_say("next: tma doctor ./%s", path);
        }
        return;
    }
    const int is_ptx = length > 4 && !strcmp(path + length - 4, ".ptx");
    cli_say("%s is no program that can be run", path);
    cli_say(is_ptx ? "next: tma emulate %s executes its kernels, tma ptx --findings reads them"
                   : "next: tma check %s reads a log, a map or a source file",
            path);
}

int cmd_doctor(int argc, char **argv) {
    doctor_args args = {0};
    options_parse_program(&parser, argc, argv, &args);
    FILE *const logs[2] = {tmpfile(), tmpfile()};
    int end = CHILD_EXIT_NOT_RUN;
    if (logs[0] && logs[1]) {
        const int status = run_checked(&args, logs);
        if (status != CHILD_NOT_RUN && status != CHILD_EXIT_NOT_RUN) {
            end = say_found(logs, status);
        } else {
            say_reader(args.program[0]);
        }
    } else {
        cli_say("cannot keep what is printed: %s", strerror(errno));
    }
    for (int i = 0; i < 2; i++) {
        if (logs[i]) {
            fclose(logs[i]);
        }
    }
    return end;
}
