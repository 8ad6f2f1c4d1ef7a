/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that are written whole or not at all.
 */
#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LINKS 40 /* Linux's own */

/* `name` in the folder of `path`. */
static char *beside(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    return cli_printed("%.*s%s", slash ? (int)(slash - path + 1) : 0, path, name);
}

/* The name at the end of all links, which need not be there; null with errno. */
static char *followed(const char *path) {
    char *at = beside("", path);
    for (int i = 0; i < MOST_LINKS; i++) {
        char to[PATH_MAX];
        const ssize_t length = readlink(at, to, sizeof(to) - 1);
        if (length < 0) {
            return at;
        }
        to[length] = 0;
        char *next = beside(to[0] == '/' ? "" : at, to);
        free(at);
        at = next;
    }
    free(at);
    errno = ELOOP;
    return NULL;
}

/* Where standard output goes; what is printed would be among the bytes. A device takes both. */
static int is_stdout(const struct stat *there) {
    struct stat out;
    return (S_ISREG(there->st_mode) || S_ISFIFO(there->st_mode) || S_ISSOCK(there->st_mode)) &&
           !fstat(STDOUT_FILENO, &out) && out.st_dev == there->st_dev &&
           out.st_ino == there->st_ino;
}

/* The rights of what it replaces, or of any new file. */
static void give_rights(int fd, const struct stat *there) {
    const mode_t mask = umask(0);
    umask(mask);
    if (there && fchown(fd, there->st_uid, there->st_gid)) {
        errno = 0; /* only root gives files away */
    }
    (void)fchmod(fd, there ? there->st_mode & 0777 : 0666 & ~mask);
}

/* An interrupt waits until no part is left. */
static struct {
    sigset_t before;
    unsigned parts;
} held;

static void hold_signals(void) {
    sigset_t ends;
    if (held.parts++) {
        return;
    }
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, &held.before);
}

static void let_signals(void) {
    if (--held.parts == 0) {
        sigprocmask(SIG_SETMASK, &held.before, NULL);
    }
}

static int begin_beside(output_file *output, const struct stat *there, tma_error *error) {
    if (there && access(output->target, W_OK)) {
        return tma_fail(error, "cannot open '%.200s': %s", output->name, strerror(errno));
    }
    hold_signals();
    output->part = beside(output->target, ".tma-XXXXXX");
    output->fd = mkostemp(output->part, O_CLOEXEC);
    if (output->fd < 0) {
        let_signals();
        return tma_fail(error, "cannot write beside '%.200s': %s", output->name, strerror(errno));
    }
    output_enlist(output);
    give_rights(output->fd, there);
    return 0;
}

static int begin_directly(output_file *output, tma_error *error) {
    output->fd = open(output->name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return output->fd < 0
               ? tma_fail(error, "cannot open '%.200s': %s", output->name, strerror(errno))
               : 0;
}

static void forget(output_file *output) {
    free(output->part);
    free(output->target);
    output->part = output->target = NULL;
}

int output_begin(output_file *output, const char *name, tma_error *error) {
    struct stat there;
    *output = (output_file){.name = name, .fd = -1};
    const int is_there = !stat(name, &there);
    int failed = 0;
    if (is_there && is_stdout(&there)) {
        return tma_fail(error,
                        "cannot write '%.200s': this program's standard output goes there, too; "
                        "give another file (or -, where the option takes it)",
                        name);
    }
    if (is_there && !S_ISREG(there.st_mode)) { /* cannot be replaced */
        failed = begin_directly(output, error);
    } else {
        output->target = followed(name);
        failed = output->target
                     ? begin_beside(output, is_there ? &there : NULL, error)
                     : tma_fail(error, "cannot open '%.200s': %s", name, strerror(errno));
    }
    if (failed) {
        forget(output);
    }
    return failed;
}

int output_put(int fd, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size) {
        const ssize_t done = write(fd, at, size);
        if (done < 0 && errno != EINTR) {
            return -1;
        }
        at += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return 0;
}

int output_end(output_file *output, const char *wrong, tma_error *error) {
    const int replaces = output->part != NULL;
    if (replaces && !wrong && fsync(output->fd)) {
        wrong = strerror(errno);
    }
    if (close(output->fd) && !wrong) {
        wrong = strerror(errno);
    }
    if (replaces && !wrong && rename(output->part, output->target)) {
        wrong = strerror(errno);
    }
    if (replaces) {
        if (wrong) {
            unlink(output->part);
        }
        output_strike_off(output);
        let_signals();
    }
    if (wrong) {
        tma_fail(error, "cannot write '%.200s': %s%s", output->name, wrong,
                 replaces ? "" : " (no file that can be replaced: part of it may be written)");
    }
    forget(output);
    return wrong ? -1 : 0;
}

/* The folder's name without links, and the file's. */
static char *whole_name(const char *name) {
    char *target = followed(name);
    char *folder_name = target ? beside(target, ".") : NULL;
    char *folder = folder_name ? realpath(folder_name, NULL) : NULL;
    char *made = NULL;
    if (folder) {
        const char *slash = strrchr(target, '/');
        made = cli_printed("%s/%s", folder, slash ? slash + 1 : target);
    }
    free(folder);
    free(folder_name);
    free(target);
    return made;
}

int output_same(const char *name, const char *other) {
    struct stat a;
    struct stat b;
    if (!stat(name, &a) && !stat(other, &b)) {
        return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    }
    char *const one = whole_name(name);
    char *const two = whole_name(other);
    const int same = one && two && !strcmp(one, two);
    free(one);
    free(two);
    return same;
}
