/* SPDX-License-Identifier: Apache-2.0
 *
 * Linux, macOS and their like.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

/* A page of a mapped file that is no longer there: the file became shorter. */
static sigjmp_buf page_gone;

static void on_sigbus(int number) {
    (void)number;
    siglongjmp(page_gone, 1);
}

static int visit_mapped(const uint8_t *bytes, size_t size, host_visit visit, void *context) {
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_sigbus;
    sigemptyset(&action.sa_mask);
    if (sigsetjmp(page_gone, 1)) {
        signal(SIGBUS, SIG_DFL);
        return -1;
    }
    sigaction(SIGBUS, &action, NULL);
    visit(context, bytes, size);
    signal(SIGBUS, SIG_DFL);
    return 0;
}

int host_map(const char *path, host_visit visit, void *context, tma_error *error) {
    struct stat info;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &info)) {
        tma_fail(error, "cannot open '%.200s': %s", path, strerror(errno));
        if (file >= 0) {
            close(file);
        }
        return -1;
    }
    const size_t size = (size_t)info.st_size;
    const int is_file = S_ISREG(info.st_mode);
    void *bytes = is_file && size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (bytes == MAP_FAILED) {
        return tma_fail(error, "'%.200s' is %s", path,
                        !is_file ? "no regular file"
                        : size   ? strerror(errno)
                                 : "empty");
    }
    madvise(bytes, size, MADV_SEQUENTIAL);
    const int gone = visit_mapped(bytes, size, visit, context);
    munmap(bytes, size);
    return gone ? tma_fail(error,
                           "'%.200s' became shorter, or cannot be read, before all of its %zu B "
                           "were searched",
                           path, size)
                : 0;
}

int host_open(const char *path) {
    return open(path, O_RDONLY | O_CLOEXEC);
}

ptrdiff_t host_read_at(int fd, void *to, size_t size, uint64_t at) {
    return pread(fd, to, size, (off_t)at);
}
