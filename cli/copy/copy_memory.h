/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory of one copy, from and to files: the tensor and the shared window. A parser inside
 * those of load and store.
 */
#ifndef CLI_COPY_MEMORY_H
#define CLI_COPY_MEMORY_H

#include "args.h"

#include "copy_args.h"
#include "tensor.h"
#include "tma/pattern.h"

typedef struct copy_memory {
    const char *tensor_path;
    const char *shared_path;
    const char *out_path;
    const char *raw_path;
    int ramp;
    uint64_t window_given_B; /* 0: not given */
    size_t lines;            /* of pictures and lists */
    color_mode color;
    int json;
    tensor tensor; /* from here on by memory_make(); let go of by memory_free() */
    tma_window window;
} copy_memory;

/* Its input is a copy_memory. */
extern const args_parser memory_parser;

/* Makes tensor and window for the plan. An error is misuse. */
int memory_make(copy_memory *memory, copy_args *args, tma_error *error);
void memory_free(copy_memory *memory);

/* Runs the copy; the reason in *why where it does not run. */
tma_status memory_copy(const copy_memory *memory, const copy_args *args, tma_finding *why);

/* What the barrier of a load that ran reports: a tma_inspect_answer. */
uint32_t memory_inspect(const copy_memory *memory, const copy_args *args);

/* Whether the result itself goes to standard output, so that no words may. */
int memory_is_piped(const copy_memory *memory);

/* One line each about what tensor and window hold before. */
void memory_print(FILE *out, const copy_memory *memory, const copy_args *args);

/* Writes the tensor's array, and says so. */
int memory_write_tensor(const copy_memory *memory, const copy_args *args, tma_error *error);

/* Writes an array with its header, and says so. */
int memory_write_npy(const copy_memory *memory, const npy_header *header, file_bytes data,
                     const char *what, tma_error *error);
int memory_write_raw(const copy_memory *memory, file_bytes data, const char *what,
                     tma_error *error);

#endif
