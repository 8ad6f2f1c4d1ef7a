/* SPDX-License-Identifier: Apache-2.0
 *
 * What inline checks keep of a copy in registers of the function, for its end: ptx_inline.c.
 */
#ifndef PTX_INLINE_H
#define PTX_INLINE_H

#include "tma/ptx_check.h"

#define PTX_WINDOW_UNIT_B 128u /* what shared memory is given out in */

/* %libtma_v of check i from i * PTX_INLINE_KEPT on: the coordinates, and these. */
#define PTX_INLINE_SHARED  TMA_MAX_RANK
#define PTX_INLINE_MASK    (TMA_MAX_RANK + 1)
#define PTX_INLINE_BARRIER (TMA_MAX_RANK + 2)
#define PTX_INLINE_KEPT    (TMA_MAX_RANK + 3)

/* %libtma_box of pass i from i * PTX_INLINE_BOX on: what im2col's coordinates are at least, and
 * behind that what they are at most; the last coordinate has no limits. */
#define PTX_INLINE_BOX (2 * (TMA_MAX_RANK - 1))

/* %libtma_go: whether a copy runs. Its operands are in %libtma_c0 ... %libtma_s, %libtma_b,
 * %libtma_mask and %libtma_ctas, which ptx_put_check_registers() declares in a new block. */
void ptx_put_check_registers(tma_out *out);
void ptx_put_inline_comparison(tma_out *out, const tma_ptx_check *check);

/* Keeps them for the function's end: the copy may stand in a block. */
void ptx_put_kept(tma_out *out, const tma_ptx_check *check);

/* All strings of a part (program/kernel/make_checker.py); null: nothing. */
void ptx_put_part(tma_out *out, const char *const *part);

/* Of a map that may change, which %libtma_map points to: the quick judgement of what it holds now
 * into %libtma_PASS, for the threads that the copy's guard lets. %libtma_w0: the end of shared
 * memory. */
void ptx_put_quick_now(tma_out *out, const tma_ptx_check *check, const char *pass);

void ptx_put_inline_shared(tma_out *out, const tma_ptx_check_shared *shared);

/* Operands of a check, in parts that all kinds of copies share (ptx_check_operands.c): a
 * register of so many bits or a number into %libtma_TO; the end of the CTA's shared memory into
 * %libtma_w0; the load's barrier into %libtma_b, and the bits that it must not have, into
 * %libtma_t too. Where it lies is asked of bulk copies without a map alone: who initialises a
 * barrier behind the end of shared memory dies there. */
#define PTX_VERSION_OF_AGGR_SMEM 81 /* special registers that name it: PTX 8.1; ptxas 13.0 */
int ptx_is_bulk(const tma_ptx_check *check);
void ptx_put_u32(tma_out *out, const char *to, const tma_ptx_operand *o, uint32_t bits);
void ptx_put_shared(tma_out *out, const char *to, const tma_ptx_operand *o, uint32_t bits);
void ptx_put_window(tma_out *out);
void ptx_put_barrier(tma_out *out, const tma_ptx_check *check);
int ptx_knows_barrier(const tma_ptx_check *check);
void ptx_put_barrier_bits(tma_out *out, const tma_ptx_check *check);

/* The guard of a statement that is read from its parts. */
void ptx_guard_of(tma_ptx_statement *out, const tma_ptx_parts *parts);

/* Before what expects bytes of a barrier: falls through where it was never initialised, and
 * branches behind the check else. */
int ptx_is_expect(const tma_ptx_check *check);
void ptx_put_expect(tma_out *out, const tma_ptx_check *check);

/* Those of a bulk copy without a map. */
void ptx_put_bulk_operands(tma_out *out, const tma_ptx_check *check);
void ptx_put_bulk_comparison(tma_out *out, const tma_ptx_check *check);

#endif
