/* SPDX-License-Identifier: Apache-2.0
 *
 * scarce_calls FILE: a program whose system gives little: a write takes seven bytes, every other
 * one is interrupted, a close is an error, and there is no memory to be mapped. Loads FILE and
 * makes a call that is refused; then another one, with no descriptor left but that of standard
 * input.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "row_call.h"

#define MOST_TAKEN_B 7
#define MOST_FILES   32

ssize_t write(int fd, const void *bytes, size_t size_B) {
    static unsigned calls;
    if (calls++ % 2) {
        errno = EINTR;
        return -1;
    }
    return syscall(SYS_write, fd, bytes, size_B < MOST_TAKEN_B ? size_B : MOST_TAKEN_B);
}

int close(int fd) {
    (void)syscall(SYS_close, fd);
    errno = EIO;
    return -1;
}

void *mmap(void *address, size_t size_B, int protection, int flags, int fd, off_t offset) {
    (void)address;
    (void)size_B;
    (void)protection;
    (void)flags;
    (void)fd;
    (void)offset;
    errno = ENOMEM;
    return MAP_FAILED;
}

static void leave_one_descriptor(void) {
    const struct rlimit most = {MOST_FILES, MOST_FILES};
    if (!setrlimit(RLIMIT_NOFILE, &most)) {
        while (dup(STDOUT_FILENO) >= 0) {
        }
    }
    (void)close(STDIN_FILENO);
}

int main(int argc, char **argv) {
    struct CUmod_st *module = NULL;
    if (argc != 2) {
        return 2;
    }
    printf("load %u\n", cuModuleLoad(&module, argv[1]));
    printf("encode %u\n", encode(512));
    leave_one_descriptor();
    printf("encode %u\n", encode(513));
    return 0;
}
