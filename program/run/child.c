/* SPDX-License-Identifier: Apache-2.0
 *
 * Another program, run to its end; or two at once.
 */
#include "child.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli_error.h"

#define MEANWHILE_NS 100000000

static struct {
    sigset_t held;   /* what child_signals_begin() keeps back; empty before */
    sigset_t before; /* the mask that the child gets */
    int begun;
    int came; /* the last one */
} signals;

static pid_t running[CHILD_MOST]; /* 0: none */

static void replace(pid_t old, pid_t now) {
    for (size_t i = 0; i < CHILD_MOST; i++) {
        if (running[i] == old) {
            running[i] = now;
            return;
        }
    }
}

/* A message that nobody reads any more is no end: what was made has to go away. Not ignored, which
 * a program that is started would inherit. */
static void on_pipe(int number) {
    (void)number;
}

void child_signals_begin(void) {
    static const int ends[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
    struct sigaction now;
    if (!sigaction(SIGPIPE, NULL, &now) && now.sa_handler == SIG_DFL) {
        signal(SIGPIPE, on_pipe);
    }
    signal(SIGCHLD, SIG_DFL); /* who started this program may ignore it: no end would be heard of */
    sigemptyset(&signals.held);
    sigaddset(&signals.held, SIGCHLD);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        if (!sigaction(ends[i], NULL, &now) && now.sa_handler != SIG_IGN) { /* nohup */
            sigaddset(&signals.held, ends[i]);
        }
    }
    signals.begun = !sigprocmask(SIG_BLOCK, &signals.held, &signals.before);
}

int child_signal_came(void) {
    return signals.came != 0;
}

void child_signals_end(void) {
    if (signals.begun) {
        signals.begun = 0;
        if (signals.came) {
            (void)raise(signals.came); /* held until the next line */
        }
        sigprocmask(SIG_SETMASK, &signals.before, NULL);
    }
}

static int spawn(pid_t *child, char **argv, const child_way *way, const sigset_t *mask) {
    sigset_t usual;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGQUIT);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, mask);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
                                              (way->answers_signals ? POSIX_SPAWN_SETSIGDEF : 0));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, way->stderr_fd, STDERR_FILENO);
    const int error = posix_spawnp(child, argv[0], &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (!error) {
        replace(0, *child);
    }
    return error;
}

/* A folder of PATH that may not be looked into is a refusal, too: another user's. */
static int not_run(char **argv, int error) {
    const int is_sought = (error == ENOENT || error == EACCES) && !strchr(argv[0], '/');
    if (!is_sought || access(argv[0], F_OK) != 0) {
        cli_say("cannot run %s: %s", argv[0], strerror(error));
    } else if (access(argv[0], X_OK) != 0) {
        cli_say("cannot run %s: PATH has no such program, and the file here is not executable",
                argv[0]);
    } else {
        cli_say("cannot run %s: PATH has no such program; the one in this folder is ./%s", argv[0],
                argv[0]);
    }
    return CHILD_NOT_RUN;
}

/* A signal that came: to the children, or what a SIGINT is answered with. */
static void pass_on(const child_way *way, int came) {
    int passed = came;
    if (came == SIGINT && way->interrupted) {
        passed = way->interrupted();
    } else {
        signals.came = came;
    }
    for (size_t i = 0; i < CHILD_MOST && passed; i++) {
        if (running[i]) {
            (void)kill(running[i], passed);
        }
    }
}

/* Its status; `over` is the signal of its end and those that are its to answer, all blocked. */
static int wait_for(pid_t child, const child_way *way, const sigset_t *over) {
    const struct timespec pause = {0, MEANWHILE_NS};
    int status = 0;
    pid_t ended = 0;
    do {
        ended = waitpid(child, &status, WNOHANG);
        if (!ended) {
            const int came =
                way->meanwhile ? sigtimedwait(over, NULL, &pause) : sigwaitinfo(over, NULL);
            if (came > 0 && came != SIGCHLD) {
                pass_on(way, came);
            }
            if (way->meanwhile) {
                way->meanwhile();
            }
        }
    } while (!ended || (ended < 0 && errno == EINTR));
    replace(child, 0);
    if (ended < 0) {
        cli_say("cannot wait for the program that runs: %s", strerror(errno));
        return CHILD_NOT_RUN;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int child_run(char **argv, const child_way *way) {
    pid_t child = 0;
    sigset_t over;
    sigset_t before;
    if (way->answers_signals) {
        signal(SIGINT, SIG_IGN);
        signal(SIGQUIT, SIG_IGN);
        sigdelset(&signals.held, SIGINT);
        sigdelset(&signals.held, SIGQUIT);
    }
    signal(SIGCHLD, SIG_DFL); /* who started this program may ignore it: no end would be heard of */
    over = signals.held;
    if (!signals.begun) {
        sigemptyset(&over);
    }
    sigaddset(&over, SIGCHLD);
    sigprocmask(SIG_BLOCK, &over, &before);
    const int ignored = way->interrupted && sigismember(&over, SIGINT) == 1;
    if (ignored) {
        signal(SIGINT, SIG_IGN); /* which the child inherits */
    }
    const int error = spawn(&child, argv, way, signals.begun ? &signals.before : &before);
    if (ignored) {
        signal(SIGINT, SIG_DFL);
    }
    const int status = error ? not_run(argv, error) : wait_for(child, way, &over);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

int child_begin(child_process *begun, char **argv, int stderr_fd) {
    const child_way way = {.stderr_fd = stderr_fd};
    pid_t number = 0;
    const int error = spawn(&number, argv, &way, &signals.before);
    begun->number = error ? 0 : number;
    return error ? not_run(argv, error) : 0;
}

int child_wait(child_process *begun) {
    const child_way way = {.stderr_fd = STDERR_FILENO};
    const int status = begun->number ? wait_for(begun->number, &way, &signals.held) : CHILD_NOT_RUN;
    begun->number = 0;
    return status;
}

void child_stop(child_process *begun) {
    if (begun->number) {
        (void)kill(begun->number, SIGKILL);
        (void)child_wait(begun);
    }
}

void child_wait_all(void) {
    for (size_t i = 0; i < CHILD_MOST; i++) {
        child_process one = {running[i]};
        (void)child_wait(&one);
    }
}

int child_exit(int status) {
    return status == CHILD_NOT_RUN ? CHILD_EXIT_NOT_RUN : status;
}
