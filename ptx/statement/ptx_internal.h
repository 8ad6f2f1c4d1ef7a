/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files that read and write statements share.
 */
#ifndef TMA_PTX_INTERNAL_H
#define TMA_PTX_INTERNAL_H

#include "ptx_lex.h"

/* Kinds as a set. */
#define PTX_IN(kind) (1u << (kind))
#define PTX_COPIES   (PTX_IN(TMA_PTX_COPY) | PTX_IN(TMA_PTX_REDUCE) | PTX_IN(TMA_PTX_PREFETCH))

#define PTX_TENSORS (PTX_COPIES | PTX_IN(TMA_PTX_PRIORITY))

static inline int ptx_is_copy(uint32_t kind) {
    return kind <= TMA_PTX_PREFETCH && kind != TMA_PTX_OTHER;
}

/* Reads the operands, from behind the qualifiers to the end; 0 or -1. */
int ptx_read_operands(ptx_cursor *c, tma_ptx_statement *s);

/* A statement without its guard and its semicolon. */
void ptx_put(tma_out *out, const tma_ptx_statement *s);

#endif
