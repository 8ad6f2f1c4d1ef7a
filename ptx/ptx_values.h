/* SPDX-License-Identifier: Apache-2.0
 *
 * What registers of a function hold, as far as its text says without being run: numbers, and
 * symbols or other registers with something added.
 */
#ifndef PTX_PTX_VALUES_H
#define PTX_PTX_VALUES_H

#include "ptx_rows.h"

typedef enum ptx_value_kind {
    PTX_UNKNOWN,
    PTX_NUMBER,   /* added */
    PTX_SYMBOL,   /* the address of a variable or parameter, + added */
    PTX_LOADED,   /* what a kernel's parameter holds (ld.param), + added */
    PTX_REGISTER, /* what a register held there, + added */
} ptx_value_kind;

typedef struct ptx_value {
    ptx_value_kind kind;
    tma_ptx_span name;
    uint32_t block;   /* of the register's declaration */
    uint32_t version; /* how many assignments of it stand before */
    int64_t offset;   /* of ld.param */
    int64_t added;
} ptx_value;

typedef struct ptx_values ptx_values;

/* Null: there is no memory. */
ptx_values *ptx_values_of(const ptx_rows *rows, uint32_t function);
void ptx_values_free(ptx_values *values);

/* The value of an operand of a row: of an address with what is added to it. */
ptx_value ptx_value_at(const ptx_values *values, uint32_t row, const tma_ptx_operand *operand);

typedef enum ptx_alike { PTX_DIFFERENT, PTX_MAYBE, PTX_EQUAL } ptx_alike;

/* Whether two values are the same: two variables differ, two registers may be anything. */
ptx_alike ptx_values_alike(const ptx_value *a, const ptx_value *b);

/* The variable that a symbol names, or null. */
const ptx_variable *ptx_variable_named(const ptx_rows *rows, uint32_t function, tma_ptx_span name);

#endif
