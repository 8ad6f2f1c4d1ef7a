/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of barriers whose kernel stays: the driver writes its core dump, which ends the kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core_file.h"
#include "device_barrier.h"

#define WINDOW_B    UINT64_C(0x400) /* what lies below is the system's */
#define LOOKS       500
#define LOOK_NS     10000000
#define QUIET_LOOKS 4000 /* as long may the driver pause, or take to begin */

static bool read_file(void *context, uint64_t at, void *to, size_t size) {
    return pread(*(const int *)context, to, size, (off_t)at) == (ssize_t)size;
}

/* The pipe is the driver's, which opens it a while after the kernel's start. */
static const char *ask_for_dump(void) {
    const char *pipe = getenv("CUDA_COREDUMP_PIPE");
    const struct timespec pause = {0, LOOK_NS};
    for (int i = 0; pipe && i < LOOKS; i++) {
        const int fd = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0) {
            const int written = write(fd, "x", 1) == 1;
            close(fd);
            return written ? NULL : "the driver's pipe takes nothing";
        }
        nanosleep(&pause, NULL);
    }
    return "the driver reads from no pipe: it writes no core dump when asked";
}

/* One block's: its shared memory says which. */
static const char *take_block(const core_elf *elf, const core_section *s, uint64_t *words,
                              size_t barriers, size_t *taken) {
    uint8_t head[DEVICE_BARRIER_AT_B];
    static uint8_t bytes[DEVICE_BARRIERS_A_BLOCK * 8];
    if (!core_elf_bytes(elf, s, WINDOW_B, head, sizeof(head))) {
        return "shared memory that cannot be read in the core dump";
    }
    const uint64_t block = core_u64(head) - DEVICE_BARRIER_MAGIC;
    const uint64_t a_block = core_u64(head + 8);
    if (a_block == 0 || a_block > sizeof(bytes) / 8 || block >= barriers ||
        block * a_block >= barriers) {
        return "shared memory of another kernel in the core dump";
    }
    const size_t first = (size_t)(block * a_block);
    const size_t count = barriers - first < a_block ? barriers - first : (size_t)a_block;
    if (!core_elf_bytes(elf, s, WINDOW_B + DEVICE_BARRIER_AT_B, bytes, count * 8)) {
        return "shared memory that cannot be read in the core dump";
    }
    for (size_t i = 0; i < count; i++) {
        words[first + i] = core_u64(bytes + i * 8);
    }
    *taken += count;
    return NULL;
}

/* The driver may still write when the kernel has ended: opens the file, when all its sections are
 * there; -1 and why, where it does not come, or grows no more before. */
static int open_whole(const char *path, core_elf *elf, const char **why) {
    static int fd;
    const struct timespec pause = {0, LOOK_NS};
    off_t size = 0;
    *why = "no core dump was written";
    fd = -1;
    for (int quiet = 0; quiet < QUIET_LOOKS; quiet++) {
        if (fd >= 0) {
            close(fd);
        }
        fd = open(path, O_RDONLY | O_CLOEXEC);
        const off_t now = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
        if (now > 0) {
            *why = core_elf_open(elf, read_file, &fd, 0, (uint64_t)now);
            if (!*why && core_elf_is_whole(elf)) {
                return fd;
            }
            *why = *why ? *why : "a core dump that is cut off";
        }
        quiet = now == size ? quiet : 0;
        size = now;
        nanosleep(&pause, NULL);
    }
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

static const char *read_dump(const char *path, uint64_t *words, size_t barriers) {
    static core_elf elf;
    const char *error = "the driver was told no file for its core dump";
    size_t taken = 0;
    const int fd = path ? open_whole(path, &elf, &error) : -1;
    for (uint64_t i = 0; !error && i < elf.count; i++) {
        core_section s;
        if (core_elf_section(&elf, i, &s) && s.type == CORE_TYPES + CORE_SHARED) {
            error = take_block(&elf, &s, words, barriers, &taken);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return error ? error : taken == barriers ? NULL : "barriers that the core dump does not show";
}

const char *device_barrier_words(uint64_t *words, size_t barriers) {
    const char *error = ask_for_dump();
    if (!error) {
        (void)device_barriers_end(); /* the error of a kernel that a dump ended */
        error = read_dump(getenv("CUDA_COREDUMP_FILE"), words, barriers);
    }
    return error;
}
