/* SPDX-License-Identifier: Apache-2.0
 *
 * A program in some state that makes a call which is refused, thus reported, and looks at what has
 * become of it: result, errno, signals, descriptors, environment, and how long it took.
 *   quiet_calls STATE FILE
 *     plain    as it was started
 *     gone     standard error is a pipe whose reader has left
 *     full     standard error is a pipe that nobody empties
 *     reused   standard error was closed, and is FILE now
 *     socket   likewise, and is a socket now
 *     copied   FILE was put there by dup2()
 *     stdin    likewise, and its other descriptor is 0, as a terminal's is
 *     limited  FILE was put there by dup2() and may not grow
 *     closed   standard error is closed
 *     pending  like gone, with a SIGPIPE of the program's own waiting
 *     waiting  likewise, with each signal but those that a write can bring
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "call_cases.h"

#define CALLS 3

extern char **environ;

static void pipe_of(int full) {
    int ends[2];
    if (pipe(ends)) {
        exit(2);
    }
    if (full) {
        static const char text[4096];
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        while (write(ends[1], text, sizeof(text)) > 0) {
        }
        fcntl(ends[1], F_SETFL, 0);
    } else {
        close(ends[0]);
    }
    dup2(ends[1], STDERR_FILENO); /* ends[1] stays open: this is standard error by intent */
}

static void put_file(const char *path, int copied, int to) {
    close(STDERR_FILENO);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd != STDERR_FILENO) {
        exit(2);
    }
    if (copied && (to ? dup(fd) : dup2(fd, to)) < 0) {
        exit(2);
    }
}

static void prepare(const char *state, const char *path) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    if (!strcmp(state, "gone") || !strcmp(state, "pending") || !strcmp(state, "waiting")) {
        pipe_of(0);
    } else if (!strcmp(state, "full")) {
        pipe_of(1);
    } else if (!strcmp(state, "socket")) {
        int pair[2];
        close(STDERR_FILENO);
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pair[0] != STDERR_FILENO) {
            exit(2);
        }
        fcntl(pair[1], F_SETFL, O_NONBLOCK);
    } else if (!strcmp(state, "closed")) {
        close(STDERR_FILENO);
    } else if (strcmp(state, "plain") != 0) {
        put_file(path, strcmp(state, "reused") != 0, strcmp(state, "stdin"));
    }
    if (!strcmp(state, "limited")) {
        const struct rlimit none = {1, 1};
        setrlimit(RLIMIT_FSIZE, &none);
    }
    if (!strcmp(state, "waiting")) {
        sigfillset(&set);
        sigprocmask(SIG_BLOCK, &set, NULL);
        for (int i = 1; i < 32; i++) {
            if (i != SIGKILL && i != SIGSTOP && i != SIGCONT && i != SIGPIPE && i != SIGXFSZ) {
                raise(i);
            }
        }
    }
    if (!strcmp(state, "pending")) {
        sigprocmask(SIG_BLOCK, &set, NULL);
        raise(SIGPIPE);
    }
}

/* Everything about this process that a library has no business with, as numbers. */
struct picture {
    sigset_t mask;
    sigset_t pending;
    void (*actions[32])(int);
    int flags[64];
    size_t environment;
};

static void look(struct picture *p) {
    memset(p, 0, sizeof(*p));
    sigprocmask(SIG_BLOCK, NULL, &p->mask);
    sigpending(&p->pending);
    for (int i = 1; i < 32; i++) {
        struct sigaction action;
        if (!sigaction(i, NULL, &action)) {
            p->actions[i] = action.sa_handler;
        }
    }
    for (int i = 0; i < 64; i++) {
        p->flags[i] = fcntl(i, F_GETFL);
    }
    for (char **at = environ; *at; at++) {
        p->environment = p->environment * 31 + strlen(*at) + (size_t)(uintptr_t)*at;
    }
}

/* What the next calls find where they put their variables. */
static void fill_stack(void) {
    volatile unsigned char bytes[1 << 15];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = 0xFF;
    }
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    static struct picture before;
    static struct picture after;
    CUtensorMap map;
    if (argc != 3) {
        return 2;
    }
    (void)encode_matrix(cuTensorMapEncodeTiled, &map, 64, 0x7f0000000000);
    prepare(argv[1], argv[2]);
    look(&before);
    const double start_s = now_s();
    for (int i = 0; i < CALLS; i++) {
        fill_stack();
        errno = i == 1 ? EINTR : 77; /* as if a call before had been interrupted */
        const CUresult rc =
            encode_matrix(cuTensorMapEncodeTiled, &map, 128, 0x7f0000000000 + 1024u * (unsigned)i);
        printf("%u, errno %d\n", (unsigned)rc, errno);
    }
    const double took_s = now_s() - start_s;
    look(&after);
    printf("mask %s\n", memcmp(&before.mask, &after.mask, sizeof(before.mask)) ? "other" : "same");
    printf("pending %s\n",
           memcmp(&before.pending, &after.pending, sizeof(before.pending)) ? "other" : "same");
    printf("actions %s\n",
           memcmp(before.actions, after.actions, sizeof(before.actions)) ? "other" : "same");
    printf("descriptors %s\n",
           memcmp(before.flags, after.flags, sizeof(before.flags)) ? "other" : "same");
    printf("environment %s\n", before.environment != after.environment ? "other" : "same");
    printf("%s\n", took_s < 2 ? "at once" : "late");
    if (!strcmp(argv[1], "socket")) {
        char text[16];
        printf("socket %s\n", read(3, text, sizeof(text)) < 0 ? "empty" : "spoilt");
    }
    return 0;
}
