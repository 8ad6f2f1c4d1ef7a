/* SPDX-License-Identifier: Apache-2.0
 *
 * Contexts: the primary one and those that a program makes, all of one device; a stack of them for
 * each thread.
 */
#include <stdlib.h>

#include "program_contexts.h"

#define MOST_DEEP 32

struct CUctx_st {
    uint64_t id;
    uint32_t flags;
    uint32_t references; /* of the primary one */
    struct CUctx_st *next;
};

static struct CUctx_st primary = {.id = 1};
static struct CUctx_st *contexts; /* under the lock: those that the program made */
static int is_initialised;        /* under the lock */
static _Thread_local struct CUctx_st *stack[MOST_DEEP];
static _Thread_local unsigned depth;

void program_context_init(void) {
    tma_program_lock();
    is_initialised = 1;
    tma_program_unlock();
}

static int is_context(const struct CUctx_st *context) {
    const struct CUctx_st *c = contexts;
    while (c && c != context) {
        c = c->next;
    }
    return c != NULL || (context == &primary && primary.references);
}

static struct CUctx_st *current(void) {
    return depth ? stack[depth - 1] : NULL;
}

cuda_error program_context_state(int needs_context) {
    tma_program_lock();
    const cuda_error error = !is_initialised                           ? CUDA_INITIALIZATION
                             : needs_context && !current()             ? CUDA_DEVICE_UNINITIALIZED
                             : needs_context && !is_context(current()) ? CUDA_CONTEXT_IS_DESTROYED
                                                                       : CUDA_SUCCESS;
    tma_program_unlock();
    return error != CUDA_SUCCESS ? error : tma_program_died();
}

cuda_context program_context_current(void) {
    return current();
}

cuda_error program_context_push(cuda_context context) {
    tma_program_lock();
    const int is = is_context(context);
    tma_program_unlock();
    if (!is || depth == MOST_DEEP) {
        return is ? CUDA_INVALID_VALUE : CUDA_DEVICE_UNINITIALIZED;
    }
    stack[depth++] = context;
    return CUDA_SUCCESS;
}

cuda_error program_context_pop(cuda_context *context) {
    if (!depth) {
        return CUDA_DEVICE_UNINITIALIZED;
    }
    depth--;
    if (context) {
        *context = stack[depth];
    }
    return CUDA_SUCCESS;
}

cuda_error program_context_set(cuda_context context) {
    tma_program_lock();
    const int is = !context || is_context(context);
    tma_program_unlock();
    if (!is) {
        return CUDA_DEVICE_UNINITIALIZED;
    }
    depth -= depth != 0;
    if (context) {
        stack[depth++] = context;
    }
    return CUDA_SUCCESS;
}

cuda_context program_context_retain(void) {
    tma_program_lock();
    primary.references++;
    tma_program_unlock();
    return &primary;
}

cuda_error program_context_release(int all) {
    tma_program_lock();
    const int was = primary.references != 0;
    primary.references = all ? 0 : primary.references - (uint32_t)was;
    tma_program_unlock();
    return was || all ? CUDA_SUCCESS : CUDA_DEVICE_UNINITIALIZED;
}

int program_context_is_active(uint32_t *flags) {
    tma_program_lock();
    const int is = primary.references != 0;
    *flags = primary.flags;
    tma_program_unlock();
    return is;
}

void program_context_flags(uint32_t flags) {
    tma_program_lock();
    primary.flags = flags;
    tma_program_unlock();
}

cuda_error program_context_new(cuda_context *context, uint32_t flags) {
    static uint64_t ids = 1; /* under the lock */
    struct CUctx_st *c = depth < MOST_DEEP ? malloc(sizeof(*c)) : NULL;
    if (!c) {
        return CUDA_MEMORY_ALLOCATION;
    }
    tma_program_lock();
    *c = (struct CUctx_st){.id = ++ids, .flags = flags, .next = contexts};
    contexts = c;
    tma_program_unlock();
    *context = stack[depth++] = c;
    return CUDA_SUCCESS;
}

cuda_error program_context_free(cuda_context context) {
    tma_program_lock();
    struct CUctx_st **where = &contexts;
    while (*where && *where != context) {
        where = &(*where)->next;
    }
    const int is = *where != NULL;
    if (is) {
        *where = context->next;
    }
    tma_program_unlock();
    if (!is) {
        return CUDA_DEVICE_UNINITIALIZED;
    }
    depth -= depth && stack[depth - 1] == context;
    free(context);
    return CUDA_SUCCESS;
}

cuda_error program_context_is(cuda_context context, uint64_t *id, uint32_t *flags) {
    tma_program_lock();
    const int is = is_context(context);
    if (is) {
        *id = context->id;
        *flags = context->flags;
    }
    tma_program_unlock();
    return is ? CUDA_SUCCESS : CUDA_DEVICE_UNINITIALIZED;
}

/* The runtime keeps it until the process ends. */
void tma_program_use_primary(void) {
    static _Thread_local int is_used;
    if (is_used && depth) {
        return;
    }
    program_context_init();
    if (!is_used) {
        program_context_retain();
        is_used = 1;
    }
    if (!depth) {
        stack[depth++] = &primary;
    }
}
