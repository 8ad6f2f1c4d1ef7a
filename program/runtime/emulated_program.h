/* SPDX-License-Identifier: Apache-2.0
 *
 * A CUDA program without a GPU: its calls of the runtime answered, its kernels executed. One
 * device, whose memory is the host's; everything is done in the order of the calls, by the thread
 * that calls.
 */
#ifndef EMULATED_PROGRAM_H
#define EMULATED_PROGRAM_H

#include "cuda_types.h"
#include "tma/emulate.h"

/* One call at a time. */
void program_lock(void);
void program_unlock(void);

/* Keeps an error for cudaGetLastError, and returns it. After a kernel that died each call answers
 * with its error. */
cuda_error program_result(cuda_error error);
cuda_error program_failed(void); /* what the kernel that died left; CUDA_SUCCESS: none did */
void program_fail(cuda_error error);

/* One line to standard error, once for each text. */
void program_say_once(const char *text);

/* ---- program_memory.c ---- */
#define PROGRAM_MEMORY_B ((size_t)141 << 30) /* an H200's */
typedef struct program_block {
    uint8_t *at;
    size_t size_B; /* with room up to whole units of 16 bytes behind it */
    uint32_t type; /* of cuda_pointer_attributes */
    struct program_block *next;
} program_block;
const program_block *program_blocks(void);

/* ---- program_module.c ---- */
typedef struct program_kernel {
    const void *host; /* the function that the program launches by */
    const char *name;
    struct program_module *module;
    uint32_t findings; /* reported so far */
    int dynamic_shared_most_B;
    struct program_kernel *next;
} program_kernel;

/* A kernel by the program's function; null: it has none. */
program_kernel *program_kernel_of(const void *host);
/* Its PTX decoded; null and *error. */
tma_emulator *program_emulator(program_kernel *kernel, cuda_error *error);

/* ---- program_run.c ---- */
typedef struct program_launch {
    uint32_t grid[3], block[3], cluster[3];
    size_t dynamic_shared_B;
    void *const *args;
} program_launch;
cuda_error program_run(program_kernel *k, const program_launch *how);

/* ---- program_report.c: to the command that started the program ---- */
void program_report(const char *what, uint32_t findings, uint32_t certain, int is_open);

#endif
