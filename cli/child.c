/* SPDX-License-Identifier: Apache-2.0
 *
 * Another program, run to its end.
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
    return error;
}

/* Its status; `over` is the signal of its end, which is blocked. */
static int wait_for(pid_t child, const child_way *way, const sigset_t *over) {
    const struct timespec pause = {0, MEANWHILE_NS};
    int status = 0;
    pid_t ended = 0;
    do {
        ended = waitpid(child, &status, way->meanwhile ? WNOHANG : 0);
        if (!ended && way->meanwhile) {
            (void)sigtimedwait(over, NULL, &pause); /* ends early where the child does */
            way->meanwhile();
        }
    } while (!ended || (ended < 0 && errno == EINTR));
    if (ended < 0) {
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
    }
    sigemptyset(&over);
    sigaddset(&over, SIGCHLD);
    sigprocmask(SIG_BLOCK, &over, &before);
    const int error = spawn(&child, argv, way, &before);
    if (error) {
        cli_say("cannot run %s: %s", argv[0], strerror(error));
    }
    const int status = error ? CHILD_NOT_RUN : wait_for(child, way, &over);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}
