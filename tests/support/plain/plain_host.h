/* SPDX-License-Identifier: Apache-2.0
 *
 * An emulator's memory from malloc, and nothing besides.
 */
#ifndef TESTS_PLAIN_HOST_H
#define TESTS_PLAIN_HOST_H

#include <stdlib.h>

#include <tma/emulate.h>

static inline void *plain_allocate(void *context, size_t size_B) {
    (void)context;
    return malloc(size_B);
}

static inline void plain_release(void *context, void *memory) {
    (void)context;
    free(memory);
}

static inline tma_emulate_host plain_host(void) {
    return (tma_emulate_host){.allocate = plain_allocate, .release = plain_release};
}

#endif
