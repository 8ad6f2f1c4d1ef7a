/* SPDX-License-Identifier: Apache-2.0
 *
 * Contexts, for the driver's calls. CUDA_DEVICE_UNINITIALIZED is CUDA_ERROR_INVALID_CONTEXT there.
 */
#ifndef PROGRAM_CONTEXTS_H
#define PROGRAM_CONTEXTS_H

#include "emulated_program.h"

struct CUctx_st;
typedef struct CUctx_st *cuda_context;

void program_context_init(void); /* cuInit */
/* Whether it was, whether a context is current, and what a kernel that died left. */
cuda_error program_context_state(int needs_context);

cuda_context program_context_current(void); /* this thread's; or null */
cuda_error program_context_push(cuda_context context);
cuda_error program_context_pop(cuda_context *context);
cuda_error program_context_set(cuda_context context);

/* The primary one. */
cuda_context program_context_retain(void);
cuda_error program_context_release(int all);
int program_context_is_active(uint32_t *flags);
void program_context_flags(uint32_t flags);

/* Those that a program makes: current at first. */
cuda_error program_context_new(cuda_context *context, uint32_t flags);
cuda_error program_context_free(cuda_context context);
cuda_error program_context_is(cuda_context context, uint64_t *id, uint32_t *flags);

#endif
