/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions and labels of a file by their names.
 */
#ifndef PTX_PTX_FUNCTIONS_H
#define PTX_PTX_FUNCTIONS_H

#include "ptx_rows.h"

typedef struct ptx_functions {
    ptx_memory *memory;
    const ptx_rows *rows;
    uint32_t *slot; /* hash tables: functions, */
    uint32_t slots;
    uint32_t *label_slot; /* rows of labels */
    uint32_t label_slots;
    uint32_t *
        labelled; /* of each block: itself or the nearest around it that has a label, or PTX_NONE */
    uint32_t *alias; /* rows of .alias, */
    uint32_t aliases;
    uint32_t *alias_slot; /* and a hash table of them */
    uint32_t alias_slots;
} ptx_functions;

int ptx_functions_read(ptx_functions *f, ptx_memory *memory, const ptx_rows *rows);

/* The function with a body that a name stands for in a module, through .alias; or PTX_NONE. */
uint32_t ptx_function_named(const ptx_functions *f, uint32_t module, tma_ptx_span name);

/* The same, or its declaration where it has no body; or PTX_NONE. */
uint32_t ptx_function_declared(const ptx_functions *f, uint32_t module, tma_ptx_span name);

/* The label's row that a name stands for in a row, or PTX_NONE. */
uint32_t ptx_label_named(const ptx_functions *f, uint32_t row, tma_ptx_span name);

#endif
