/* SPDX-License-Identifier: Apache-2.0
 *
 * The few instructions that stand before a copy in checked kernels, run for one thread.
 */
#ifndef TESTS_PTX_THREAD_H
#define TESTS_PTX_THREAD_H

#include <stddef.h>
#include <stdint.h>

#define PTX_THREAD_VALUES  48
#define PTX_THREAD_GENERIC (UINT64_C(1) << 40) /* what cvta adds here */
#define PTX_THREAD_WORDS   16

struct ptx_thread_value {
    char name[24];
    uint64_t is;
};

struct ptx_thread {
    struct ptx_thread_value value[PTX_THREAD_VALUES]; /* registers, predicates and variables */
    size_t count;
    uint32_t position[PTX_THREAD_WORDS]; /* libtma_at */
};

void ptx_thread_set(struct ptx_thread *t, const char *name, uint64_t is);

/* A number is its own value. */
uint64_t ptx_thread_get(const struct ptx_thread *t, const char *name);

/* Runs the text, which it cuts up: 1 if it comes to a call, or to a branch that is taken and not
 * by %libtma_go; 0 if %libtma_go lets the thread pass, or at the end. */
int ptx_thread_run(struct ptx_thread *t, char *text);

#endif
