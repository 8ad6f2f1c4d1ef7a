/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes of a library that lives in somebody else's program.
 */
#include "write_out.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "own_work.h"

#define PIECE_B     4096 /* PIPE_BUF: a pipe that is ready takes it at once */
#define PATIENCE_MS 100
#define MOST_FDS    256 /* where a copy of standard error is looked for */

/* What descriptor 2 was when this library was loaded. */
static struct {
    atomic_int asked;
    bool known;
    dev_t device;
    ino_t file;
} first;

__attribute__((constructor)) static void remember_stderr(void) {
    const int error = errno;
    struct stat about;
    if (!atomic_exchange(&first.asked, 1) && !fstat(STDERR_FILENO, &about)) {
        first.device = about.st_dev;
        first.file = about.st_ino;
        first.known = true;
    }
    errno = error;
}

/* Descriptor 2 may have been closed, and be a file or a socket of the program's since. It is
 * standard error if it is what it was, or if the program put a copy of another descriptor there:
 * that other one is still open. */
static int is_stderr(void) {
    struct stat about;
    struct stat other;
    remember_stderr(); /* other libraries' constructors may come before ours */
    const int flags = fcntl(STDERR_FILENO, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(STDERR_FILENO, &about)) {
        return 0;
    }
    int same = first.known && about.st_dev == first.device && about.st_ino == first.file;
    for (int fd = 0; !same && fd < MOST_FDS; fd++) {
        same = fd != STDERR_FILENO && !fstat(fd, &other) && about.st_dev == other.st_dev &&
               about.st_ino == other.st_ino;
    }
    return same;
}

/* The signals that a write can bring, kept from the program: they come to the writing thread. */
typedef struct quiet {
    struct own_work work;
    sigset_t brought;
    sigset_t before;
    sigset_t pending;
} quiet;

static void quiet_begin(quiet *q) {
    q->work = own_work_begin();
    sigemptyset(&q->brought);
    sigaddset(&q->brought, SIGPIPE);
    sigaddset(&q->brought, SIGXFSZ);
    sigaddset(&q->brought, SIGTTOU);
    sigpending(&q->pending);
    pthread_sigmask(SIG_BLOCK, &q->brought, &q->before);
}

static void quiet_end(const quiet *q) {
    static const int brought[] = {SIGPIPE, SIGXFSZ};
    const struct timespec now = {0, 0};
    for (unsigned i = 0; i < sizeof(brought) / sizeof(brought[0]); i++) {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, brought[i]);
        if (!sigismember(&q->pending, brought[i])) { /* one that was there is the program's */
            while (sigtimedwait(&one, NULL, &now) < 0 && errno == EINTR) {
            }
        }
    }
    pthread_sigmask(SIG_SETMASK, &q->before, NULL);
    own_work_end(&q->work);
}

/* Pieces that a ready descriptor takes without a wait. A reader that takes nothing for 100 ms is
 * not waited for again until it has taken something. */
static int write_ready(int fd, const char *text, size_t length) {
    static atomic_int impatient;
    while (length) {
        struct pollfd ready = {fd, POLLOUT, 0};
        const int found = poll(&ready, 1, atomic_load(&impatient) ? 0 : PATIENCE_MS);
        if (found < 0 && errno == EINTR) {
            atomic_store(&impatient, 1); /* no wait is begun anew */
            continue;
        }
        if (found <= 0) {
            atomic_store(&impatient, 1);
            errno = EAGAIN;
            return -1;
        }
        const ssize_t done = write(fd, text, length < PIECE_B ? length : PIECE_B);
        if (done < 0 && errno != EINTR) {
            return -1;
        }
        atomic_store(&impatient, 0);
        text += done > 0 ? done : 0;
        length -= done > 0 ? (size_t)done : 0;
    }
    return 0;
}

int write_stderr(const char *text, size_t length) {
    quiet q;
    quiet_begin(&q);
    const int failed = !is_stderr() || write_ready(STDERR_FILENO, text, length);
    quiet_end(&q);
    return failed ? -1 : 0;
}

static int write_all(int fd, const char *text, size_t length) {
    while (length) {
        const ssize_t done = write(fd, text, length);
        if (done < 0 && errno != EINTR) {
            return -1;
        }
        text += done > 0 ? done : 0;
        length -= done > 0 ? (size_t)done : 0;
    }
    return 0;
}

int open_beyond(const char *path, int flags) {
    const int fd = open(path, flags, 0666);
    if (fd < 0 || fd > STDERR_FILENO) {
        return fd;
    }
    const int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int error = errno;
    close(fd);
    errno = error;
    return moved;
}

int create_private(const char *path) {
    quiet q;
    quiet_begin(&q);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
    const int error = fd < 0 ? errno : 0;
    if (fd >= 0) { /* no descriptor stays, whichever it was */
        close(fd);
    }
    quiet_end(&q);
    return error;
}

static int append(const char *path, int flags, const char *text, size_t length) {
    quiet q;
    quiet_begin(&q);
    const int fd =
        open_beyond(path, flags | O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const int error = fd < 0 || write_all(fd, text, length) ? errno : 0;
    if (fd >= 0) {
        close(fd);
    }
    quiet_end(&q);
    return error;
}

int append_file(const char *path, const char *text, size_t length) {
    return append(path, O_CREAT, text, length);
}

int append_private(const char *path, const char *text, size_t length) {
    return append(path, O_NOFOLLOW, text, length);
}
