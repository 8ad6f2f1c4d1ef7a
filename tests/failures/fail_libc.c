/* SPDX-License-Identifier: Apache-2.0
 *
 * LD_PRELOAD: the calls of libc that a machine can refuse, counted, and one of them refused.
 *   FAIL_AT=N        the N-th call fails, from 1 on; 0: none
 *   FAIL_COUNT=FILE  gets the number of calls at the end, and of each function its first calls'
 * numbers FAIL_OBJECT=A,B  only calls that come out of the code of A or B, parts of file names The
 * programs that this one starts are left alone.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *at, size_t size);

static atomic_ulong calls;
static unsigned long fails_at;
static char count_file[4096];
static char objects[256];
static int begun;

__attribute__((constructor)) static void begin(void) {
    const char *at = getenv("FAIL_AT");
    const char *file = getenv("FAIL_COUNT");
    fails_at = at ? strtoul(at, NULL, 10) : 0;
    const char *only = getenv("FAIL_OBJECT");
    (void)snprintf(count_file, sizeof(count_file), "%s", file ? file : "");
    (void)snprintf(objects, sizeof(objects), "%s", only ? only : "");
    unsetenv("LD_PRELOAD");
    begun = 1;
}

/* Whether the code at the address is that of one of the objects. */
static int counts(const void *caller) {
    Dl_info about;
    if (!objects[0]) {
        return 1;
    }
    if (!dladdr(caller, &about) || !about.dli_fname) {
        return 0;
    }
    for (const char *name = objects; *name;) {
        char one[sizeof(objects)];
        const size_t length = strcspn(name, ",");
        memcpy(one, name, length);
        one[length] = '\0';
        if (strstr(about.dli_fname, one)) {
            return 1;
        }
        name += length + (name[length] == ',');
    }
    return 0;
}

#define FUNCTIONS 48
#define FIRST     4

/* A function's first calls; two threads at once may lose one of them. */
static struct {
    const char *name;
    unsigned count;
    unsigned long first[FIRST];
} known[FUNCTIONS];

static void remember(const char *name, unsigned long number) {
    size_t i = 0;
    while (i < FUNCTIONS - 1 && known[i].name && known[i].name != name) {
        i++;
    }
    known[i].name = name;
    if (known[i].count < FIRST) {
        known[i].first[known[i].count++] = number;
    }
}

static int fails_for(const char *name, const void *caller, int error) {
    if (!begun || !counts(caller)) {
        return 0;
    }
    const unsigned long number = atomic_fetch_add(&calls, 1) + 1;
    remember(name, number);
    if (number != fails_at) {
        return 0;
    }
    errno = error;
    return 1;
}
#define fails(error) fails_for(__func__, __builtin_return_address(0), error)

static void put_number(int fd, unsigned long number) {
    char text[32];
    const int length = snprintf(text, sizeof(text), "%lu\n", number);
    (void)syscall(SYS_write, fd, text, (size_t)length);
}

__attribute__((destructor)) static void end(void) {
    begun = 0;
    if (!count_file[0]) {
        return;
    }
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, count_file, O_WRONLY | O_CREAT, 0666);
    put_number(fd, atomic_load(&calls));
    for (size_t i = 0; i < FUNCTIONS; i++) {
        for (unsigned k = 0; k < known[i].count; k++) {
            put_number(fd, known[i].first[k]);
        }
    }
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

/* stdio's own writes are no calls of write(): the stream's error, as after one that failed. */
static int stream_fails(FILE *stream) {
    stream->_flags |= 0x20; /* glibc's _IO_ERR_SEEN */
    return 1;
}

size_t fread(void *to, size_t size, size_t count, FILE *stream) {
    union {
        void *address;
        size_t (*call)(void *, size_t, size_t, FILE *);
    } real = {next("fread")};
    return fails(EIO) && stream_fails(stream) ? 0 : real.call(to, size, count, stream);
}

char *fgets(char *to, int size, FILE *stream) {
    union {
        void *address;
        char *(*call)(char *, int, FILE *);
    } real = {next("fgets")};
    return fails(EIO) && stream_fails(stream) ? NULL : real.call(to, size, stream);
}

ssize_t __getdelim(char **line, size_t *room, int end, FILE *stream) {
    union {
        void *address;
        ssize_t (*call)(char **, size_t *, int, FILE *);
    } real = {next("__getdelim")};
    return fails(EIO) && stream_fails(stream) ? -1 : real.call(line, room, end, stream);
}

size_t fwrite(const void *from, size_t size, size_t count, FILE *stream) {
    union {
        void *address;
        size_t (*call)(const void *, size_t, size_t, FILE *);
    } real = {next("fwrite")};
    return fails(ENOSPC) && stream_fails(stream) ? 0 : real.call(from, size, count, stream);
}

int fflush(FILE *stream) {
    union {
        void *address;
        int (*call)(FILE *);
    } real = {next("fflush")};
    const int result = real.call(stream);
    return fails(ENOSPC) ? EOF : result;
}

int fclose(FILE *stream) {
    union {
        void *address;
        int (*call)(FILE *);
    } real = {next("fclose")};
    const int result = real.call(stream);
    return fails(ENOSPC) ? EOF : result;
}

FILE *open_memstream(char **text, size_t *size) {
    union {
        void *address;
        FILE *(*call)(char **, size_t *);
    } real = {next("open_memstream")};
    return fails(ENOMEM) ? NULL : real.call(text, size);
}

ssize_t read(int fd, void *to, size_t size) {
    return fails(EIO) ? -1 : syscall(SYS_read, fd, to, size);
}

ssize_t pread(int fd, void *to, size_t size, off_t at) {
    return fails(EIO) ? -1 : syscall(SYS_pread64, fd, to, size, at);
}

ssize_t pwrite(int fd, const void *from, size_t size, off_t at) {
    return fails(ENOSPC) ? -1 : syscall(SYS_pwrite64, fd, from, size, at);
}

int fstat(int fd, struct stat *about) {
    return fails(EIO) ? -1
                      : (int)syscall(SYS_newfstatat, fd, "", about, 0x1000); /* AT_EMPTY_PATH */
}

int statvfs(const char *path, struct statvfs *about) {
    union {
        void *address;
        int (*call)(const char *, struct statvfs *);
    } real = {next("statvfs")};
    return fails(EIO) ? -1 : real.call(path, about);
}

DIR *opendir(const char *path) {
    union {
        void *address;
        DIR *(*call)(const char *);
    } real = {next("opendir")};
    return fails(EMFILE) ? NULL : real.call(path);
}

FILE *fdopen(int fd, const char *mode) {
    union {
        void *address;
        FILE *(*call)(int, const char *);
    } real = {next("fdopen")};
    return fails(ENOMEM) ? NULL : real.call(fd, mode);
}

int mkdir(const char *path, mode_t mode) {
    return fails(ENOSPC) ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int symlink(const char *target, const char *path) {
    return fails(ENOSPC) ? -1 : (int)syscall(SYS_symlinkat, target, AT_FDCWD, path);
}

int dup(int fd) {
    return fails(EMFILE) ? -1 : (int)syscall(SYS_dup, fd);
}

int ftruncate(int fd, off_t size) {
    return fails(ENOSPC) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
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

FILE *tmpfile(void) {
    union {
        void *address;
        FILE *(*call)(void);
    } real = {next("tmpfile")};
    return fails(EMFILE) ? NULL : real.call();
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
