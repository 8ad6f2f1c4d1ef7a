/* SPDX-License-Identifier: Apache-2.0
 *
 * GPU core dumps that the driver writes when it is asked. The names of the variables and what %p
 * and %h mean in them: cuda-gdb's manual, "GPU core dump".
 */
#include "hang_dump.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cli_error.h"
#include "core_file.h"
#include "core_input.h"
#include "file_bytes.h"
#include "host.h"

#define QUIET_S        1.0
#define LOST_S         60.0 /* without growth: it will never be whole */
#define MOST_SETTING_B (UINT64_C(1) << 22)

int hang_dump_ask(const char *pipe) {
    struct stat what;
    if (stat(pipe, &what)) {
        return errno;
    }
    if (!S_ISFIFO(what.st_mode)) { /* not even opened: a device may act on that */
        return EINVAL;
    }
    const int fd = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    errno = EIO; /* where nothing is written without a reason */
    const int error = write(fd, "x", 1) == 1 ? 0 : errno;
    close(fd);
    return error;
}

uint64_t hang_dump_free_B(const char *folder) {
    struct statvfs disk;
    return statvfs(folder, &disk) ? 0 : (uint64_t)disk.f_bavail * disk.f_frsize;
}

const char *hang_dump_size(uint64_t size_B, char text[32]) {
    const int large = size_B >= UINT64_C(1000000000);
    snprintf(text, 32, "%.1f %s", (double)size_B / (large ? 1e9 : 1e6), large ? "GB" : "MB");
    return text;
}

/* The name may be another user's choice: a link is not followed, a pipe not waited for. */
static int open_dump(const char *path) {
    return open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* A file that is somebody else's stays. */
static void make_private(const hang_dump *dump) {
    struct stat file;
    const int fd = open_dump(dump->path);
    if (fd >= 0 && !fstat(fd, &file) && S_ISREG(file.st_mode) && file.st_uid == dump->owner) {
        (void)fchmod(fd, 0600);
    }
    if (fd >= 0) {
        close(fd);
    }
}

/* What does not begin as a dump, or cannot be looked at, will not become one: a dump packed by gzip
 * among them. */
static int has_all_sections(const char *path) {
    static core_elf elf;
    static const unsigned char none[4];
    unsigned char head[4] = {0, 0, 0, 0};
    struct stat file;
    core_input input = {.fd = open_dump(path)};
    if (input.fd < 0) {
        return 1;
    }
    input.size = fstat(input.fd, &file) ? 0 : (uint64_t)file.st_size;
    const int other = core_input_read(&input, 0, head, sizeof(head)) &&
                      memcmp(head, "\177ELF", sizeof(head)) != 0 &&
                      memcmp(head, none, sizeof(head)) != 0;
    const int whole = other || (!core_elf_open(&elf, core_input_read, &input, 0, input.size) &&
                                core_elf_is_whole(&elf));
    core_input_close(&input);
    return whole;
}

int hang_dump_is_whole(hang_dump *dump, int over) {
    struct stat file;
    const double now = host_seconds();
    if (stat(dump->path, &file) || !S_ISREG(file.st_mode)) {
        return 0;
    }
    if ((file.st_mode & 07777) != 0600) {
        make_private(dump);
    }
    if ((uint64_t)file.st_size != dump->size_B || dump->since <= 0) {
        dump->size_B = (uint64_t)file.st_size;
        dump->since = now;
    }
    if (!dump->size_B || over) {
        return dump->size_B != 0;
    }
    const double quiet_s = now - dump->since;
    return quiet_s >= QUIET_S && (quiet_s >= LOST_S || has_all_sections(dump->path));
}

/* A variable of an environment as /proc shows it. */
static const char *setting(const file_bytes *all, const char *name) {
    const size_t length = strlen(name);
    const char *text = (const char *)all->at;
    for (size_t at = 0; at < all->size; at += strnlen(text + at, all->size - at) + 1) {
        if (all->size - at > length && memcmp(text + at, name, length) == 0 &&
            text[at + length] == '=' && memchr(text + at, 0, all->size - at)) {
            return text + at + length + 1;
        }
    }
    return NULL;
}

/* The name that the driver made of it; -1 where that cannot be told. */
static int expanded(char to[HANG_PATH_B], const char *pattern, long process) {
    char host[256] = "";
    int n = *pattern == '/' ? 0 : snprintf(to, HANG_PATH_B, "/proc/%ld/cwd/", process);
    if (gethostname(host, sizeof(host) - 1)) {
        return -1;
    }
    for (; *pattern && n < HANG_PATH_B - 300; pattern++) {
        if (*pattern != '%') {
            to[n++] = *pattern;
            continue;
        }
        pattern++;
        if (*pattern == 'p') {
            n += snprintf(to + n, 32, "%ld", process);
        } else if (*pattern == 'h') {
            n += snprintf(to + n, sizeof(host), "%s", host);
        } else {
            return -1;
        }
    }
    to[n] = '\0';
    return *pattern ? -1 : 0;
}

int hang_dump_of_process(long process, char pipe[HANG_PATH_B], hang_dump *dump) {
    char path[64];
    struct stat owned;
    file_bytes all = {NULL, 0};
    tma_error error;
    snprintf(path, sizeof(path), "/proc/%ld/environ", process);
    if (file_read(path, MOST_SETTING_B, &all, &error)) {
        cli_say("%s", error.text);
        return -1;
    }
    const char *on = setting(&all, "CUDA_ENABLE_USER_TRIGGERED_COREDUMP");
    const char *to_pipe = setting(&all, "CUDA_COREDUMP_PIPE");
    const char *to_core = setting(&all, "CUDA_COREDUMP_FILE");
    int wrong = !on || strcmp(on, "1") != 0 || !to_pipe || !to_core;
    if (wrong) {
        cli_say("process %ld was started without %s: its driver writes no core dump when asked. "
                "Next time start it by tma run-hang, or with the variables that tma hang --help "
                "names",
                process,
                !on || strcmp(on, "1") != 0 ? "CUDA_ENABLE_USER_TRIGGERED_COREDUMP=1"
                : !to_pipe                  ? "CUDA_COREDUMP_PIPE"
                                            : "CUDA_COREDUMP_FILE");
    } else if (expanded(pipe, to_pipe, process) || expanded(dump->path, to_core, process)) {
        wrong = 1;
        cli_say("process %ld: what CUDA_COREDUMP_PIPE=%s and CUDA_COREDUMP_FILE=%s became is not "
                "known: only %%p and %%h are",
                process, to_pipe, to_core);
    }
    free(all.at);
    snprintf(path, sizeof(path), "/proc/%ld", process);
    dump->owner = stat(path, &owned) ? geteuid() : owned.st_uid;
    return wrong ? -1 : 0;
}
