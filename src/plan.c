/* SPDX-License-Identifier: Apache-2.0
 *
 * Map and instruction to plan: all that does not depend on the coordinates.
 */
#include "path_best.h"
#include "plan_internal.h"
#include "shared.h"
#include "tma/element.h"
#include "tma/map.h"

#define GROUP_EL    16
#define CHUNK_B     16
#define ROW_LIMIT_B 2048
#define W128_PIXELS 128
#define UNREADABLE  (TMA_ODD_KIND | TMA_ODD_RANK | TMA_ODD_ELEMENT | TMA_ODD_INTERLEAVE)

tma_status tma_plan_fault(tma_finding *why, tma_status status, tma_rule_id rule, int index,
                          uint64_t given, tma_relation relation, tma_unit unit, uint64_t value,
                          uint64_t limit) {
    if (why) {
        const tma_rule *row = tma_rule_of(rule);
        *why = (tma_finding){(uint16_t)rule,
                             (uint8_t)row->severity,
                             (uint8_t)row->standing,
                             (uint8_t)row->argument,
                             (int8_t)index,
                             (uint8_t)unit,
                             (uint8_t)relation,
                             0,
                             given,
                             value,
                             limit,
                             0};
    }
    return status;
}

/* 4- and 6-bit types move in groups of 16: bytes in global memory, in shared memory, and of shared
 * memory that carry data. Stores of 6-bit elements read a byte an element (PTX 5.5.1.1). */
static void plan_groups(tma_plan *plan) {
    plan->group_el = 1;
    plan->group_global_B = plan->group_shared_B = plan->group_payload_B =
        (uint8_t)(plan->unit_B ? plan->unit_B : plan->bits / 8);
    if (plan->unit_B || plan->bits % 8 == 0) {
        return;
    }
    if (plan->dtype == TMA_DTYPE_16U4_ALIGN8B) { /* copied as they are, two in a byte */
        plan->group_el = 2;
        plan->group_global_B = plan->group_shared_B = plan->group_payload_B = 1;
        return;
    }
    plan->group_el = GROUP_EL;
    plan->group_global_B = (uint8_t)(GROUP_EL * plan->bits / 8);
    plan->group_shared_B = 16;
    plan->group_payload_B = plan->group_global_B;
    if (plan->bits == 6 && plan->op == TMA_OP_STORE) {
        plan->group_payload_B = 16;
    }
}

static void plan_rows(tma_plan *plan, const tma_spec *s) {
    const tma_layout layout = tma_layout_of(s);
    plan->row_B = layout.row_B;
    plan->row_shared_B = layout.row_shared_B;
    plan->pitch_B = layout.pitch_B;
    plan->row_el = plan->unit_B              ? 1
                   : s->api == TMA_API_TILED ? s->box_el[0]
                                             : s->channels_per_pixel;
    uint64_t rows = layout.rows;
    if (tma_is_rows4(plan->mode)) {
        rows = 4;
    } else if (plan->mode == TMA_MODE_IM2COL_W128) {
        rows = W128_PIXELS;
    }
    plan->rows = rows > UINT32_MAX ? UINT32_MAX : (uint32_t)rows; /* refused by any window */
    plan->tx_B = rows * plan->row_B;
    plan->pixels = s->api == TMA_API_TILED ? 0 : plan->rows;
}

static void plan_dimensions(tma_plan *plan, const tma_spec *s) {
    for (uint32_t i = 0; i < s->rank; i++) {
        plan->dim_el[i] = s->dim_el[i];
        plan->stride_el[i] = s->element_stride[i];
        plan->count[i] = s->api == TMA_API_TILED ? tma_tile_count(s, i) : 1;
        plan->step_B[i] = i ? s->stride_B[i - 1] : plan->unit_B ? plan->unit_B : plan->bits / 8;
    }
    for (uint32_t i = 0; i < plan->spatial; i++) {
        plan->lower_px[i] = s->lower_px[i];
        plan->upper_px[i] = s->upper_px[i];
    }
}

/* The widest loops of this machine, for what they are made for: whole 16-byte chunks, rows that do
 * not overlap. A driver makes no other maps; the reference runs them, and 6-bit stores. */
static uint8_t path_for(const tma_plan *plan) {
    const int padded = plan->group_el == GROUP_EL;
    const int usual = plan->row_B % CHUNK_B == 0 && plan->row_shared_B % CHUNK_B == 0 &&
                      plan->row_shared_B <= plan->pitch_B && plan->row_B <= ROW_LIMIT_B &&
                      !(padded && plan->dim_el[0] % GROUP_EL) &&
                      !(plan->bits == 6 && plan->op == TMA_OP_STORE);
    return (uint8_t)(usual ? tma_path_best() : TMA_PATH_REFERENCE);
}

tma_status tma_plan_set_path(tma_plan *plan, uint32_t path) {
    if (!plan || !tma_path_available(path)) {
        return TMA_ARGUMENT;
    }
    if (plan->path != TMA_PATH_REFERENCE) {
        plan->path = (uint8_t)path;
    }
    return TMA_OK;
}

static void plan_fill(tma_plan *plan, const tma_spec *s, const tma_instruction *in,
                      const tma_arch_row *arch) {
    memset(plan, 0, sizeof(*plan));
    plan->op = (uint8_t)in->op;
    plan->mode = (uint8_t)in->mode;
    plan->rank = (uint8_t)s->rank;
    plan->api = (uint8_t)s->api;
    plan->dtype = (uint8_t)s->dtype;
    plan->swizzle = (uint8_t)s->swizzle;
    plan->fill = (uint8_t)s->fill;
    plan->tf32 = s->dtype == TMA_DTYPE_TFLOAT32 || s->dtype == TMA_DTYPE_TFLOAT32_FTZ;
    plan->unit_B = (uint8_t)(16 * s->interleave);
    plan->bits = (uint8_t)tma_dtype_bits(s->dtype);
    plan->first = s->interleave ? 0 : 1;
    plan->spatial = (uint8_t)(s->api == TMA_API_TILED ? 0 : s->rank - 2);
    plan->address = s->address;
    plan->swizzle_bits = tma_swizzle_bits_of(s->swizzle);
    plan->sm = arch->sm;
    plan->cta_mask = (uint16_t)in->cta_mask;
    plan->cta_group = (uint8_t)in->cta_group;
    plan->cluster = (uint8_t)in->cluster;
    const int newer = tma_is_rows4(in->mode) || in->mode >= TMA_MODE_IM2COL_W;
    plan->standing = (uint8_t)(newer            ? TMA_STANDING_DOCUMENTED
                               : arch->sm == 90 ? TMA_STANDING_HARDWARE
                                                : TMA_STANDING_ELSEWHERE);
    plan_groups(plan);
    plan_rows(plan, s);
    plan_dimensions(plan, s);
    plan->path = path_for(plan);
}

/* What kills the kernel whatever the coordinates. */
static tma_status check_store(const tma_plan *plan, tma_finding *why) {
    if (tma_is_reduction(plan->op) && !tma_reduction_exists(plan->op, plan->dtype)) {
        return tma_plan_fault(why, TMA_TRAP, TMA_RULE_TRAP_REDUCTION_TYPE, -1, plan->op,
                              TMA_MUST_NOT_BE, TMA_UNIT_NONE, plan->op, plan->op);
    }
    for (int i = 0; i < plan->spatial && !tma_is_load(plan->op); i++) {
        const int64_t lower = plan->lower_px[i];
        const int64_t upper = plan->upper_px[i];
        if (lower < 0) {
            return tma_plan_fault(why, TMA_TRAP, TMA_RULE_TRAP_CORNER_LOWER, i, (uint64_t)lower,
                                  TMA_MUST_BE_AT_LEAST, TMA_UNIT_PX, (uint64_t)lower, 0);
        }
        if (upper > 0) {
            return tma_plan_fault(why, TMA_TRAP, TMA_RULE_TRAP_CORNER_UPPER, i, (uint64_t)upper,
                                  TMA_MUST_BE_AT_MOST, TMA_UNIT_PX, (uint64_t)upper, 0);
        }
    }
    return TMA_OK;
}

tma_status tma_plan_make(tma_plan *plan, const void *map, const tma_instruction *instruction,
                         const tma_target *target, tma_finding *why) {
    const tma_arch_row *arch = tma_arch_of(target);
    tma_decoded decoded;
    if (!plan || !instruction || !arch || tma_decode(&decoded, map) != TMA_OK) {
        return tma_plan_fault(why, TMA_ARGUMENT, TMA_RULE_MAP_UNREADABLE, -1, 0, TMA_MUST_NOT_BE,
                              TMA_UNIT_NONE, 0, 0);
    }
    const tma_spec *s = &decoded.spec;
    const uint32_t inner_el = s->api == TMA_API_TILED ? s->box_el[0] : s->channels_per_pixel;
    if (decoded.odd & UNREADABLE ||
        (tma_dtype_bits(s->dtype) % 8 && (inner_el % GROUP_EL || s->interleave))) {
        return tma_plan_fault(why, TMA_ARGUMENT, TMA_RULE_MAP_UNREADABLE, -1, decoded.odd,
                              TMA_MUST_NOT_BE, TMA_UNIT_NONE, decoded.odd, 0);
    }
    tma_status status = tma_plan_check_mode(instruction, s, arch, why);
    if (status != TMA_OK) {
        return status;
    }
    tma_plan made;
    plan_fill(&made, s, instruction, arch);
    status = check_store(&made, why);
    if (status == TMA_OK) {
        *plan = made;
    }
    return status;
}
