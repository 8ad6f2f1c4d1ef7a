/* SPDX-License-Identifier: Apache-2.0
 *
 * scarce_calls FILE: a program whose system gives little: a write takes seven bytes, every other
 * one is interrupted, and there is no memory to be mapped. Loads FILE and makes a call that is
 * refused.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "driver_abi.h"

#define MOST_TAKEN_B 7

ssize_t write(int fd, const void *bytes, size_t size_B) {
    static unsigned calls;
    if (calls++ % 2) {
        errno = EINTR;
        return -1;
    }
    return syscall(SYS_write, fd, bytes, size_B < MOST_TAKEN_B ? size_B : MOST_TAKEN_B);
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

int main(int argc, char **argv) {
    static _Alignas(128) uint8_t map[TMA_MAP_BYTES];
    const uint64_t dim[1] = {256};
    const uint64_t stride[1] = {0};
    const uint32_t box[1] = {512};
    const uint32_t step[1] = {1};
    struct CUmod_st *module = NULL;
    if (argc != 2) {
        return 2;
    }
    printf("load %u\n", cuModuleLoad(&module, argv[1]));
    printf("encode %u\n",
           cuTensorMapEncodeTiled((struct CUtensorMap_st *)(void *)map, 9, 1,
                                  (void *)0x7f0000000000, dim, stride, box, step, 0, 0, 0, 0));
    return 0;
}
