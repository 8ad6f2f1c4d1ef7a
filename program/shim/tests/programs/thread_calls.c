/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that are refused, thus reported, in a thread of its own.
 *   thread_calls cancelled [FILE]   the thread has a cancellation pending, which acts where it
 *                                   comes to a cancellation point: the pretend driver has none.
 *                                   FILE: a module that is loaded, too
 *   thread_calls stack BYTES        the thread's stack has so many bytes; what each call used of it
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "driver_abi.h"

#define ADDRESS   0x7f0000000000
#define PAINT     0x5A
#define GUARD_B   65536
#define MOST_SEEN 16

static _Alignas(128) uint8_t map[TMA_MAP_BYTES];
static const char *file;
static size_t stack_B;
static uint8_t *stack;

/* What is printed when the thread has ended: printf() is a cancellation point. */
static struct {
    const char *name;
    shim_result rc;
    size_t used_B;
} seen[MOST_SEEN];
static unsigned count;
static int finished;

static struct CUtensorMap_st *at_map(void) {
    return (struct CUtensorMap_st *)(void *)map;
}

/* As many rules broken at once as there can be. */
static const uint64_t dim[5] = {0, UINT64_C(1) << 40, 0, UINT64_C(1) << 40, 0};
static const uint64_t stride[4] = {UINT64_MAX, 7, UINT64_MAX, 9};
static const uint32_t box[5] = {0, 4096, 0, 4096, UINT32_MAX};
static const uint32_t step[5] = {0, 99, 0, 99, UINT32_MAX};
static const int lower[3] = {-70000, 70000, -70000};
static const int upper[3] = {70000, -70000, 70000};

static shim_result tiled(void) {
    return cuTensorMapEncodeTiled(at_map(), 9, 5, (void *)(ADDRESS + 3), dim, stride, box, step, 1,
                                  3, 9, 9);
}

static shim_result im2col(void) {
    return cuTensorMapEncodeIm2col(at_map(), 9, 5, (void *)(ADDRESS + 3), dim, stride, lower, upper,
                                   4096, 4096, step, 1, 3, 9, 9);
}

static shim_result wide(void) {
    return cuTensorMapEncodeIm2colWide(at_map(), 9, 5, (void *)(ADDRESS + 3), dim, stride, -70000,
                                       70000, 4096, 4096, step, 1, 9, 3, 9, 9);
}

static shim_result strange(void) {
    return cuTensorMapEncodeTiled(at_map(), 99, 99, NULL, NULL, NULL, NULL, NULL, 99, 99, 99, 99);
}

static shim_result replace(void) {
    return cuTensorMapReplaceAddress(at_map(), (void *)(ADDRESS + 3));
}

static shim_result allocation_class(void) {
    uint32_t in_effect = 0;
    return cuTensorMapSetAllocationClass(at_map(), 99, &in_effect);
}

static shim_result right(void) {
    static const uint64_t size[2] = {4096, 8192};
    static const uint64_t pitch[1] = {8192};
    static const uint32_t part[2] = {64, 128};
    static const uint32_t ones[2] = {1, 1};
    return cuTensorMapEncodeTiled(at_map(), 9, 2, (void *)ADDRESS, size, pitch, part, ones, 0, 3, 0,
                                  0);
}

static shim_result load(void) {
    struct CUmod_st *module = NULL;
    return cuModuleLoad(&module, file);
}

/* The stack grows down: what is left of the paint lies at its lower end. */
static size_t unused_B(void) {
    size_t n = 0;
    while (n < stack_B && stack[n] == PAINT) {
        n++;
    }
    return n;
}

static void __attribute__((noinline)) call(const char *name, shim_result (*what)(void)) {
    size_t top = 0;
    if (stack) {
        top = (size_t)((uint8_t *)__builtin_frame_address(0) - stack);
        volatile uint8_t *to = stack;
        for (size_t i = unused_B(); i < top - 256; i++) {
            to[i] = PAINT;
        }
    }
    seen[count].name = name;
    seen[count].rc = what();
    seen[count].used_B = stack ? top - unused_B() : 0;
    count++;
}

static void *calls(void *result) {
    if (!stack) {
        pthread_cancel(pthread_self());
    }
    call("tiled", tiled);
    call("im2col", im2col);
    call("wide", wide);
    call("strange", strange);
    call("right", right);
    call("replace", replace);
    call("class", allocation_class);
    if (file) {
        call("load", load);
    }
    finished = 1;
    pthread_testcancel();
    return result;
}

static int give_stack(pthread_attr_t *attributes, size_t size_B) {
    uint8_t *at =
        mmap(NULL, size_B + GUARD_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || mprotect(at, GUARD_B, PROT_NONE)) {
        return -1;
    }
    stack = at + GUARD_B;
    stack_B = size_B;
    memset(stack, PAINT, size_B);
    return pthread_attr_setstack(attributes, stack, size_B);
}

int main(int argc, char **argv) {
    pthread_attr_t attributes;
    pthread_t thread;
    void *ended = NULL;
    if (argc < 2 || pthread_attr_init(&attributes)) {
        return 2;
    }
    if (!strcmp(argv[1], "stack") &&
        (argc != 3 || give_stack(&attributes, strtoul(argv[2], NULL, 10)))) {
        return 2;
    }
    file = stack || argc != 3 ? NULL : argv[2];
    if (pthread_create(&thread, &attributes, calls, NULL) || pthread_join(thread, &ended)) {
        return 2;
    }
    for (unsigned i = 0; i < count; i++) {
        printf("%s %u %zu\n", seen[i].name, seen[i].rc, seen[i].used_B);
    }
    printf("%s%s\n", finished ? "finished" : "not finished",
           ended == PTHREAD_CANCELED ? ", cancelled" : "");
    return 0;
}
