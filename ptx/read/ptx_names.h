/* SPDX-License-Identifier: Apache-2.0
 *
 * Names that are declared where the reader of a file is, the innermost first.
 */
#ifndef PTX_PTX_NAMES_H
#define PTX_PTX_NAMES_H

#include "ptx_row_types.h"

/* Open names: a table of the innermost declaration of each. */
typedef struct ptx_names {
    ptx_memory *memory;
    ptx_rows *rows;
    uint32_t *slot; /* symbols, or PTX_NONE */
    uint32_t *open; /* symbols in the order of their declaration */
    uint32_t slots, used, opens;
    uint32_t *place_slot; /* hash table of places */
    uint32_t place_slots;
} ptx_names;

int ptx_names_begin(ptx_names *n, ptx_rows *rows);

/* Declares; the symbol's `before` is set. */
void ptx_names_declare(ptx_names *n, ptx_symbol symbol);

/* Ends the names of a block, or of all (0). */
void ptx_names_close(ptx_names *n, uint32_t block);

/* What a name that is no %r<4>'s stands for here, or null. */
const ptx_symbol *ptx_names_symbol(const ptx_names *n, tma_ptx_span name);

/* What a name stands for here, and, of registers, which. */
ptx_ref ptx_names_find(ptx_names *n, tma_ptx_span name, uint32_t function);

/* The place of a register or of an offset in a .param, for so many bits there; PTX_NONE: there is
 * no memory. */
uint32_t ptx_names_place(ptx_names *n, uint32_t symbol, uint32_t number, uint32_t bits);
/* Whether a place in a .param of so many bits, aligned to them, overlaps one of others. */
int ptx_names_overlap(const ptx_names *n, uint32_t symbol, uint32_t offset, uint32_t bits);

uint32_t ptx_hash(tma_ptx_span name, uint32_t seed);

#endif
