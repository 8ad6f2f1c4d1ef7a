/* SPDX-License-Identifier: Apache-2.0
 *
 * Bulk copies without a map (cp.async.bulk, cp.reduce.async.bulk, cp.async.bulk.prefetch), and the
 * barriers of all loads: what kills the kernel, or has it wait for ever. As judge.h in all else.
 *
 * The operands of such a copy are in a tma_judge_at: TMA_JUDGE_SIZE and its like say where.
 */
#ifndef TMA_JUDGE_BULK_H
#define TMA_JUDGE_BULK_H

#include "judge_map.h"

/* The `mode` of a tma_judge_site that is such a copy. Its `op` is TMA_OP_LOAD if it completes on a
 * barrier, TMA_OP_STORE if in a group, or TMA_OP_PREFETCH. */
#define TMA_JUDGE_BULK 0x100u

/* An address of .shared::cluster names a CTA above these bits, also a CTA's own where it is in a
 * cluster and its rank is not 0 (CUTLASS, Sm100MmaPeerBitMask: bit 24 is the CTA's; on an H200
 * every CTA of rank 1 went past a comparison without them), and all CTAs have as much memory. */
#define TMA_JUDGE_CTA_BITS 0x00FFFFFFu

#define TMA_BARRIER_B 8u

/* The `mode` of a tma_judge_site that is no copy but an instruction that expects bytes of a barrier
 * (mbarrier.expect_tx and its like; the `op` is TMA_OP_LOAD): whether that was ever initialised.
 * From this mode and TMA_JUDGE_BULK on there is no map. TMA_JUDGE_STATE is where tma_judge_at has
 * the upper half of the barrier's word, as the state of mbarrier.arrive with a count of 0 has it,
 * of a moment at which nobody doubts its lower half: no missing bytes stand there alone. */
#define TMA_JUDGE_BARRIER 0x101u
#define TMA_JUDGE_STATE   0

enum tma_judge_barrier_field {
#define TMA_BARRIER_FIELD(id, name, bit, width_bit, ...)                                           \
    TMA_JUDGE_BARRIER_##id##_AT = (bit), TMA_JUDGE_BARRIER_##id##_WIDTH = (width_bit),
#include "../barrier.def"
    TMA_JUDGE_BARRIER_FIELDS
};

/* The bits of that half which say that something is missing: a barrier whose phase lacks nothing
 * begins the next, in which arrivals are missing. */
#define TMA_JUDGE_MISSING_OF(id)                                                                   \
    (((UINT64_C(1) << TMA_JUDGE_BARRIER_##id##_WIDTH) - 1) << TMA_JUDGE_BARRIER_##id##_AT)
#define TMA_JUDGE_MISSING                                                                          \
    ((uint32_t)((TMA_JUDGE_MISSING_OF(ARRIVALS) | TMA_JUDGE_MISSING_OF(BYTES)) >> 32))

/* Where tma_judge_at has them: the address that is not in the CTA's shared memory (global memory,
 * or what a copy between CTAs writes), its low half first, and the size. */
#define TMA_JUDGE_FAR_LOW  0
#define TMA_JUDGE_FAR_HIGH 1
#define TMA_JUDGE_SIZE     2

TMA_CONDITION uint64_t tma_judge_bulk_far(const int32_t *coord) {
    return (uint64_t)(uint32_t)coord[TMA_JUDGE_FAR_HIGH] << 32 | (uint32_t)coord[TMA_JUDGE_FAR_LOW];
}

/* Whether so many bytes from a shared address on lie in a CTA's memory, which ends at window_end;
 * 0: nobody knows where. */
TMA_CONDITION int tma_judge_in_window(uint32_t address, uint64_t size_B, uint32_t window_end) {
    return !window_end || (address & TMA_JUDGE_CTA_BITS) + size_B <= window_end;
}

/* The barrier that a load completes on. */
TMA_CONDITION int tma_judge_barrier(tma_judge_fault *out, const tma_judge_site *site,
                                    const tma_judge_at *at) {
    const uint32_t barrier = at->barrier;
    if (site->op != TMA_OP_LOAD || barrier == TMA_JUDGE_NO_BARRIER) {
        return 0;
    }
    if (tma_off_multiple(barrier, TMA_VALUE(BARRIER_ALIGN))) {
        return TMA_JUDGE_STOP(TMA_RULE_BARRIER_ALIGN, -1, barrier, TMA_MUST_BE_MULTIPLE_OF,
                              TMA_UNIT_ADDRESS, barrier, TMA_VALUE(BARRIER_ALIGN));
    }
    if (!tma_judge_in_window(barrier, TMA_BARRIER_B, at->window_end)) {
        return TMA_JUDGE_STOP(TMA_RULE_BARRIER_MEMORY, -1, barrier, TMA_MUST_BE_BELOW,
                              TMA_UNIT_ADDRESS, barrier & TMA_JUDGE_CTA_BITS, at->window_end);
    }
    return 0;
}

/* What expects bytes of a barrier. */
TMA_CONDITION int tma_judge_initialised(tma_judge_fault *out, const tma_judge_at *at) {
    out->status = TMA_OK;
    out->rule = 0;
    out->pass = 0;
    return ((uint32_t)at->coord[TMA_JUDGE_STATE] & TMA_JUDGE_MISSING) ||
           !TMA_JUDGE_STOP(TMA_RULE_BARRIER_UNINITIALISED, -1, at->barrier, TMA_MUST_NOT_BE,
                           TMA_UNIT_ADDRESS, at->barrier, at->barrier);
}

/* Judges one bulk copy without a map: *out, and whether it keeps all rules (out->rule is 0). */
TMA_CONDITION int tma_judge_bulk(tma_judge_fault *out, const tma_judge_site *site,
                                 const tma_judge_at *at) {
    const uint64_t far = tma_judge_bulk_far(at->coord);
    const uint32_t size_B = (uint32_t)at->coord[TMA_JUDGE_SIZE];
    const uint32_t shared = at->shared_address;
    const int is_here = site->op != TMA_OP_PREFETCH;
    out->status = TMA_OK;
    out->rule = 0;
    out->pass = 0;
    if (tma_off_multiple(size_B, TMA_VALUE(BULK_UNIT))) {
        return !TMA_JUDGE_STOP(TMA_RULE_BULK_SIZE, -1, size_B, TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_B,
                               size_B, TMA_VALUE(BULK_UNIT));
    }
    if (is_here && tma_off_multiple(shared, TMA_VALUE(BULK_UNIT))) {
        return !TMA_JUDGE_STOP(TMA_RULE_BULK_SHARED_ALIGN, -1, shared, TMA_MUST_BE_MULTIPLE_OF,
                               TMA_UNIT_ADDRESS, shared, TMA_VALUE(BULK_UNIT));
    }
    if (tma_off_multiple(far, TMA_VALUE(BULK_UNIT))) {
        return !TMA_JUDGE_STOP(TMA_RULE_BULK_FAR_ALIGN, -1, far, TMA_MUST_BE_MULTIPLE_OF,
                               TMA_UNIT_ADDRESS, far, TMA_VALUE(BULK_UNIT));
    }
    if (is_here && !tma_judge_in_window(shared, size_B, at->window_end)) {
        const uint64_t last = (shared & TMA_JUDGE_CTA_BITS) + (uint64_t)size_B - 1;
        return !TMA_JUDGE_STOP(TMA_RULE_MEMORY_SHARED, -1, last, TMA_MUST_BE_BELOW,
                               TMA_UNIT_ADDRESS, last, at->window_end);
    }
    return !tma_judge_barrier(out, site, at);
}

#endif
