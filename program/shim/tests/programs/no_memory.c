/* SPDX-License-Identifier: Apache-2.0
 *
 * no_memory FILE: loads FILE's text, then again with the first allocation refused, with the second,
 * and so on until none was. Prints each answer, and how many blocks of memory stay taken.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver_abi.h"

void *libc_malloc(size_t size) __asm__("__libc_malloc");
void *libc_calloc(size_t count, size_t size) __asm__("__libc_calloc");
void *libc_realloc(void *old, size_t size) __asm__("__libc_realloc");
void libc_free(void *block) __asm__("__libc_free");

static long left = -1; /* allocations before the one that is refused; -1: none is */
static long blocks;

static int is_refused(void) {
    if (left < 0 || left-- > 0) {
        return 0;
    }
    errno = ENOMEM;
    return 1;
}

static void *counted(void *block) {
    blocks += block != NULL;
    return block;
}

void *malloc(size_t size) {
    return is_refused() ? NULL : counted(libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
    return is_refused() ? NULL : counted(libc_calloc(count, size));
}

void *realloc(void *old, size_t size) {
    void *block = is_refused() ? NULL : libc_realloc(old, size);
    blocks += block && !old;
    return block;
}

void free(void *block) {
    blocks -= block != NULL;
    libc_free(block);
}

/* Whether an allocation was refused. */
static int load(const char *image, long allowed) {
    struct CUmod_st *module = NULL;
    const long before = blocks;
    left = allowed;
    const shim_result rc = cuModuleLoadData(&module, image);
    const int refused = left < 0;
    left = -1;
    free(module); /* the pretend driver's is a block */
    printf("%u, %ld blocks more\n", rc, blocks - before);
    fflush(stdout);
    return refused;
}

int main(int argc, char **argv) {
    static char image[1 << 16];
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file || fread(image, 1, sizeof(image) - 1, file) == 0) {
        return 2;
    }
    fclose(file);
    (void)load(image, -1); /* the first looks the driver up */
    for (long allowed = 0; load(image, allowed); allowed++) {
    }
    return 0;
}
