/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files around tma_plan share.
 */
#ifndef TMA_PLAN_INTERNAL_H
#define TMA_PLAN_INTERNAL_H

#include <string.h>

#include "finding.h"
#include "tma/judge.h"
#include "tma/map.h"
#include "tma/plan.h"
#include "traits.h"

/* plan_mode.c: whether target and map (128 bytes) take the instruction; plain: tma_is_plain_map()
 * has let it through. */
tma_status tma_plan_judge(const uint8_t *map, const tma_instruction *in, const tma_target *target,
                          const tma_arch_row *arch, int plain, tma_finding *why);

/* What a judgement found, in *why (may be null); its status. */
static inline tma_status tma_plan_stop(const tma_judge_fault *fault, uint16_t sm,
                                       tma_finding *why) {
    return tma_stop_as(
        (tma_status)fault->status, why, sm, (tma_rule_id)fault->rule, fault->index, fault->given,
        BAD((tma_relation)fault->relation, (tma_unit)fault->unit, fault->value, fault->limit));
}

/* plan_readings.c: what a chosen reading says that the documents do not. */
tma_status tma_plan_check_readings(const tma_instruction *in, uint32_t swizzle,
                                   const tma_target *target, tma_finding *why);

/* What a plan reads of a disputed question. */
static inline uint32_t tma_plan_reads(const tma_plan *plan, tma_reading_id reading) {
    return plan->readings >> (uint32_t)reading * TMA_READING_BITS & ((1u << TMA_READING_BITS) - 1);
}

/* A store that by its reading writes the tensor's own bytes and no more. */
static inline int tma_writes_exactly(const tma_plan *plan) {
    return plan->readings && plan->dtype == TMA_DTYPE_16U4_ALIGN8B && plan->op >= TMA_OP_STORE &&
           plan->op != TMA_OP_PREFETCH && tma_plan_reads(plan, TMA_READING_B4_STORE_EDGE);
}

/* All 32 CTAs of a multicast. */
static inline uint32_t tma_plan_mask(const tma_plan *plan) {
    return plan->cta_mask | (uint32_t)plan->cta_mask_high << 16;
}

/* Readings of 16U4_ALIGN8B whose bytes are no whole groups: the reference's. */
static inline int tma_reads_b4(const tma_plan *plan) {
    return plan->readings && plan->dtype == TMA_DTYPE_16U4_ALIGN8B &&
           (tma_plan_reads(plan, TMA_READING_B4_COLUMN) ||
            tma_plan_reads(plan, TMA_READING_B4_STORE_EDGE));
}

#define TMA_ROW_LIMIT_B 2048 /* of the rows that are not the reference's alone */

#define TMA_PLAIN_ROWS (1u << 21) /* so many of any pitch fit */

/* Whether a copy certainly has few rows, without dividing by element strides. */
static inline int tma_has_few_rows(const tma_spec *s) {
    return s->rank <= 3 || s->api != TMA_API_TILED ||
           (uint64_t)s->box_el[1] * s->box_el[2] * s->box_el[3] *
                   (s->rank > 4 ? s->box_el[4] : 1) <=
               TMA_PLAIN_ROWS;
}

/* Most maps, asked all at once: nothing odd, no interleave, no NaN fill, one of the plain swizzles.
 * What this lets through passes every check of the map in judge_map.h, and its types are in no
 * groups. */
static inline int tma_is_plain_map(const tma_decoded *d, uint32_t bits) {
    const tma_spec *s = &d->spec;
    const uint32_t inner_el = s->api == TMA_API_TILED ? s->box_el[0] : s->channels_per_pixel;
    const uint32_t row_B = inner_el * (bits / 8);
    const uint32_t most_B = s->swizzle ? tma_swizzle_of(s->swizzle)->span_B : UINT32_MAX;
    const uint64_t *dim_el = s->dim_el; /* 0 beyond the rank; ored, none is larger */
    const uint64_t dims_el = dim_el[0] | dim_el[1] | dim_el[2] | dim_el[3] | dim_el[4];
    if (d->odd | s->interleave | s->fill) {
        return 0;
    }
    return !(bits % 8 | row_B % TMA_VALUE(ALIGN) | s->address % TMA_VALUE(ALIGN) |
             (uint64_t)tma_dim_kills(dims_el)) &&
           s->swizzle <= TMA_SWIZZLE_128B && row_B <= most_B && tma_has_few_rows(s);
}

/* plan_map.c: the map without the bits that sm_90 does not look at: `map`, or an edited copy. */
const uint8_t *tma_as_hopper_reads(const uint8_t *map, tma_map *copy);

/* plan_report.c: of shared memory, from the shared address on; `rows` with their halo. */
uint64_t tma_plan_footprint_B(const tma_plan *plan, const tma_position *at, uint64_t rows);

static inline int tma_is_im2col_mode(uint32_t mode) {
    return mode == TMA_MODE_IM2COL || mode == TMA_MODE_IM2COL_W || mode == TMA_MODE_IM2COL_W128;
}

static inline int tma_is_rows4(uint32_t mode) {
    return mode == TMA_MODE_GATHER4 || mode == TMA_MODE_SCATTER4;
}

static inline int tma_is_load(uint32_t op) {
    return op == TMA_OP_LOAD || op == TMA_OP_PREFETCH;
}

/* .im2col_no_offs::w: stores along W end with the row where they begin, by all readings but one. */
static inline int tma_ends_with_row(const tma_plan *plan) {
    return plan->mode == TMA_MODE_IM2COL_W && !tma_is_load(plan->op) &&
           tma_plan_reads(plan, TMA_READING_NO_OFFS_W_END) != TMA_READS_NO_OFFS_W_END_2;
}

static inline int tma_is_reduction(uint32_t op) {
    return op >= TMA_OP_ADD && op <= TMA_OP_XOR;
}

/* address + index * step_B modulo 2^64, as the hardware has it; *fits becomes 0 where that is not
 * the sum itself, and addresses no longer lie in the order of their indices. */
static inline uint64_t tma_advance(uint64_t address, uint64_t index, uint64_t step_B, int *fits) {
    const uint64_t by = index * step_B;
    if (((index | step_B) >> 32 && step_B && by / step_B != index) || address + by < address) {
        *fits = 0;
    }
    return address + by;
}

/* Not 0 if a reserved member is set. */
static inline uint32_t tma_instruction_reserved(const tma_instruction *in) {
    return in->reserved[0] | in->reserved[1];
}

static inline uint32_t tma_position_reserved(const tma_position *at) {
    return at->reserved_0 | at->reserved[0] | at->reserved[1] | at->reserved[2] | at->reserved[3];
}

/* What every target has and every plain map of its kind takes; the rest is asked of plan_mode.c. */
static inline int tma_is_plain_mode(const tma_instruction *in, const tma_spec *spec) {
    const uint32_t plain = spec->api == TMA_API_TILED ? TMA_MODE_TILE : TMA_MODE_IM2COL;
    return in->mode == plain && in->op < TMA_OPS &&
           !(in->rank | in->cta_group | in->cta_mask | in->overrides | in->mask_bits |
             in->inspection | tma_instruction_reserved(in));
}

/* Most positions, asked all at once; the others are judged. */
static inline int tma_certainly_runs(const tma_plan *plan, const tma_position *at) {
    const int32_t *c = at->coord;
    const uint32_t off = at->shared_address % tma_swizzle_of(plan->swizzle)->align_B;
    const uint32_t zeros = plan->overrides & ~TMA_OVERRIDE_ADDRESS;
    if (off | zeros | plan->readings | plan->coord0_el | ((uint32_t)c[0] & plan->coord0_mask) ||
        plan->mode >= TMA_MODE_IM2COL_W ||
        (!tma_is_load(plan->op) && (c[0] | c[1] | c[2] | c[3] | c[4]) < 0)) {
        return 0;
    }
    for (uint32_t i = 0; i < plan->spatial; i++) {
        const int64_t given = c[plan->first + i];
        if (given < plan->lower_px[i] ||
            given > tma_last_pixel(plan->dim_el[plan->first + i], plan->upper_px[i])) {
            return 0;
        }
    }
    return 1;
}

/* tma_plan_at(), for what a caller has most likely asked before. */
static inline tma_status tma_plan_runs(const tma_plan *plan, const tma_position *at,
                                       tma_finding *why) {
    return plan && at && !tma_position_reserved(at) && tma_certainly_runs(plan, at)
               ? TMA_OK
               : tma_plan_at(plan, at, why);
}

#endif
