/* SPDX-License-Identifier: Apache-2.0
 *
 * LD_PRELOAD: the calls of libc that a machine can refuse, counted, and one of them refused.
 *   FAIL_AT=N        the N-th call fails, from 1 on; 0: none
 *   FAIL_COUNT=FILE  gets the number of calls at the end
 * The programs that this one starts are left alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *at, size_t size);

static atomic_ulong calls;
static unsigned long fails_at;
static char count_file[4096];
static int begun;

__attribute__((constructor)) static void begin(void) {
    const char *at = getenv("FAIL_AT");
    const char *file = getenv("FAIL_COUNT");
    fails_at = at ? strtoul(at, NULL, 10) : 0;
    (void)snprintf(count_file, sizeof(count_file), "%s", file ? file : "");
    unsetenv("LD_PRELOAD");
    begun = 1;
}

__attribute__((destructor)) static void end(void) {
    char text[32];
    begun = 0;
    if (count_file[0]) {
        const int fd = (int)syscall(SYS_openat, AT_FDCWD, count_file, O_WRONLY | O_CREAT, 0666);
        const int length = snprintf(text, sizeof(text), "%lu\n", atomic_load(&calls));
        (void)syscall(SYS_write, fd, text, (size_t)length);
    }
}

static int fails(int error) {
    if (!begun || atomic_fetch_add(&calls, 1) + 1 != fails_at) {
        return 0;
    }
    errno = error;
    return 1;
}

static void *next(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

void *malloc(size_t size) {
    return fails(ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails(ENOMEM) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *at, size_t size) {
    return fails(ENOMEM) ? NULL : __libc_realloc(at, size);
}

ssize_t write(int fd, const void *bytes, size_t size) {
    return fails(ENOSPC) ? -1 : syscall(SYS_write, fd, bytes, size);
}

int fsync(int fd) {
    return fails(EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to) {
    return fails(EIO) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
    return fails(ENOMEM) ? MAP_FAILED
                         : (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return fails(EMFILE) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode) {
    union {
        void *address;
        FILE *(*call)(const char *, const char *);
    } real = {next("fopen")};
    return fails(EMFILE) ? NULL : real.call(path, mode);
}

int mkostemp(char *name, int flags) {
    union {
        void *address;
        int (*call)(char *, int);
    } real = {next("mkostemp")};
    return fails(ENOSPC) ? -1 : real.call(name, flags);
}

char *mkdtemp(char *name) {
    union {
        void *address;
        char *(*call)(char *);
    } real = {next("mkdtemp")};
    return fails(ENOSPC) ? NULL : real.call(name);
}

int posix_spawnp(pid_t *child, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[],
                 char *const environment[]) {
    union {
        void *address;
        int (*call)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                    const posix_spawnattr_t *, char *const[], char *const[]);
    } real = {next("posix_spawnp")};
    return fails(EAGAIN) ? EAGAIN : real.call(child, file, actions, attributes, argv, environment);
}
