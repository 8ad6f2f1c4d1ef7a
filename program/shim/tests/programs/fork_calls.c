/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that may not wait for a lock of anybody's, nor allocate:
 *   fork_calls allocations  how often memory was allocated in calls that are reported
 *   fork_calls forks        threads whose calls are reported, and meanwhile children, each of which
 *                           makes such a call, too; prints how many were answered
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call_cases.h"

#define THREADS  3
#define CHILDREN 100
#define CALLS    20

static atomic_uint allocations;
static atomic_uint end;

#if !defined(__SANITIZE_ADDRESS__) && !defined(SANITIZED)
void *libc_malloc(size_t size) __asm__("__libc_malloc");
void *libc_calloc(size_t count, size_t size) __asm__("__libc_calloc");
void *libc_realloc(void *old, size_t size) __asm__("__libc_realloc");

void *malloc(size_t size) {
    allocations++;
    return libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    allocations++;
    return libc_realloc(old, size);
}
#endif

static int refused(uintptr_t address) {
    CUtensorMap map;
    return encode_matrix(cuTensorMapEncodeTiled, &map, 128, address) == 1;
}

static int count_allocations(void) {
    void *volatile mine = malloc(1); /* not for the compiler to leave out */
    const unsigned counted = allocations;
    unsigned right = (unsigned)refused(0x7f0000000000); /* the first looks the driver up */
    const unsigned before = allocations;
    for (unsigned i = 1; i < CALLS; i++) {
        right += (unsigned)refused(0x7f0000000000 + 1024 * (uintptr_t)i);
    }
    const unsigned after = allocations;
    free(mine);
    printf("%u refused, %u allocations%s\n", right, after - before,
           counted ? "" : " (which nobody counted)");
    return right != CALLS || after != before;
}

static void *make_calls(void *first) {
    for (uintptr_t address = *(const uintptr_t *)first; !end; address += 1024) {
        (void)refused(address);
    }
    return NULL;
}

static int children(void) {
    pthread_t threads[THREADS];
    uintptr_t firsts[THREADS];
    unsigned right = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        firsts[i] = 0x100000000000 * (uintptr_t)(i + 1);
        pthread_create(&threads[i], NULL, make_calls, &firsts[i]);
    }
    for (unsigned i = 0; i < CHILDREN; i++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            _exit(!refused(0x7f0000000000 + 1024 * (uintptr_t)i));
        }
        right += child > 0 && waitpid(child, &status, 0) == child && status == 0;
    }
    end = 1;
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    printf("%u of %u children answered\n", right, CHILDREN);
    return right != CHILDREN;
}

int main(int argc, char **argv) {
    return argc > 1 && !strcmp(argv[1], "forks") ? children() : count_allocations();
}
