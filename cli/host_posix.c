/* SPDX-License-Identifier: Apache-2.0
 *
 * Linux, macOS and their like.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "host.h"

/* A write beyond a file's limit fails. Not ignored: a program that is started would inherit that.
 */
static void on_limit(int number) {
    (void)number;
}

/* A file that is opened later must not become what is printed to: a closed stream stays unusable,
 * under a number of its own. */
void host_begin(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
    if (signal(SIGXFSZ, on_limit) == SIG_IGN) {
        signal(SIGXFSZ, SIG_IGN);
    }
}

int host_columns(FILE *file) {
    struct winsize size;
    const int fd = fileno(file);
    return fd < 0 || !isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

double host_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int host_open(const char *path) {
    return path ? open(path, O_RDONLY | O_CLOEXEC) : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
}

ptrdiff_t host_read_at(int fd, void *to, size_t size, uint64_t at) {
    return pread(fd, to, size, (off_t)at);
}

ptrdiff_t host_read(void *to, size_t size) {
    ptrdiff_t count = 0;
    do {
        count = read(STDIN_FILENO, to, size);
    } while (count < 0 && errno == EINTR);
    return count;
}

void host_interrupts(int end_it) {
    static void (*before)(int) = SIG_DFL;
    if (end_it) {
        signal(SIGINT, before);
    } else {
        before = signal(SIGINT, SIG_IGN);
    }
}

void host_answer_on_error(void) {
    fflush(stdout);
    dup2(STDERR_FILENO, STDOUT_FILENO);
}
