/* SPDX-License-Identifier: Apache-2.0
 *
 * The checker inside a kernel: what `tma ptxas` calls before a copy. Compiled to PTX by
 * program/kernel/make_checker.py; ptx/check/ptx_checker.inc is the result.
 */
#include "checker.h"

/* Judges for the status alone, which takes few registers; tma_fault() judges once more, for the
 * whole finding. */
static __attribute__((noinline)) uint32_t check_in_full(const void *map, const checked_site *where,
                                                        const checked_position *position) {
    tma_judge_fault fault;
    const uint32_t status = tma_judge_copy(&fault, map, &where->site, &position->at);
    const int breaks = where->site.mode >= TMA_JUDGE_BULK && fault.rule;
    if (breaks || status == TMA_TRAP || status == TMA_MEMORY) {
        tma_fault(map, where, position);
        return SKIP_COPY;
    }
    return fault.pass;
}

/* Returns what later copies are compared with; or SKIP_COPY, or never. The operands come in memory
 * of the thread, so that few registers are taken from the kernel's. */
uint32_t tma_check_copy(const void *map, const checked_site *where,
                        const checked_position *position) {
    const tma_judge_at *at = &position->at;
    const int32_t *c = at->coord;
    tma_judge_fault fault;
    const int mask = (!where->site.multicast || !tma_mask_beyond(at->cta_mask, at->ctas)) &&
                     !tma_judge_barrier(&fault, &where->site, at);
    if (where->site.mode >= TMA_JUDGE_BULK) {
        return check_in_full(map, where, position);
    }
    if (where->site.mode == TMA_MODE_IM2COL) {
        return mask && tma_judge_quick_im2col(map, &where->site, at)
                   ? 0
                   : check_in_full(map, where, position);
    }
    const uint32_t quick = tma_judge_quick(map, &where->site, at->window_end);
    const int signs = where->site.op == TMA_OP_LOAD || (c[0] | c[1] | c[2] | c[3] | c[4]) >= 0;
    return TMA_PASSES(quick, c[0], at->shared_address) && signs && mask
               ? quick
               : check_in_full(map, where, position);
}
