/* SPDX-License-Identifier: Apache-2.0
 *
 * What a copy that runs does otherwise than its arguments seem to say.
 */
#include "plan_internal.h"

/* The largest im2col offset along each dimension; more does not fit its bits. */
static uint32_t most_offset(const tma_plan *plan) {
    const uint32_t bits = plan->spatial == 3   ? TMA_VALUE(OFFSET_5D)
                          : plan->spatial == 2 ? TMA_VALUE(OFFSET_4D)
                                               : TMA_VALUE(OFFSET_3D);
    return (UINT32_C(1) << bits) - 1;
}

static void note_offsets(tma_judge *j, const tma_plan *plan, const tma_position *at) {
    for (int i = 0; i < plan->spatial; i++) {
        if (at->offset[i] > most_offset(plan)) {
            tma_report_legal(
                j, TMA_RULE_OFFSET_RANGE, AT(TMA_ARG_OFFSET, i, at->offset[i]),
                BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_PX, at->offset[i], most_offset(plan)),
                most_offset(plan));
        }
    }
}

/* im2col::w: H and D, which stay as they are. */
static void note_rows(tma_judge *j, const tma_plan *plan, const tma_position *at) {
    for (int dim = plan->first + 1; dim + 1 < plan->rank; dim++) {
        const int64_t given = at->coord[dim];
        const int64_t last = tma_last_pixel(plan->dim_el[dim], 0);
        if (given < 0) {
            tma_report(j, TMA_RULE_WIDE_ROW, AT(TMA_ARG_COORD, dim, given),
                       BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_PX, given, 0));
        } else if (given > last) {
            tma_report(j, TMA_RULE_WIDE_ROW, AT(TMA_ARG_COORD, dim, given),
                       BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_PX, given, last));
        }
    }
}

/* Each finding names its question's argument. */
static void note_readings(tma_judge *j, const tma_plan *plan, const tma_position *at) {
    const uint32_t set = tma_plan_readings(plan, at);
    const uint32_t images = plan->rank - 1u;
    const tma_place places[TMA_READINGS] = {
        [TMA_READING_W128_HALO] = AT(TMA_ARG_MODE, -1, plan->mode),
        [TMA_READING_HALO_PIXELS] = AT(TMA_ARG_MODE, -1, plan->mode),
        [TMA_READING_W_IMAGES] = AT(TMA_ARG_ELEMENT_STRIDE, (int)images, plan->stride_el[images]),
        [TMA_READING_ATOM_64B_LOADS] = AT(TMA_ARG_SWIZZLE, -1, plan->swizzle),
        [TMA_READING_B4_COLUMN] = AT(TMA_ARG_COORD, 0, (int64_t)at->coord[0]),
        [TMA_READING_B4_STORE_EDGE] = AT(TMA_ARG_DIM, 0, plan->dim_el[0]),
    };
    for (uint32_t i = 0; i < TMA_READINGS; i++) {
        if (set >> i & 1) {
            tma_report(j, (tma_rule_id)tma_reading_at(i)->rule, places[i], NOT(places[i].given));
        }
    }
}

size_t tma_plan_notes(tma_finding *out, size_t capacity, const tma_plan *plan,
                      const tma_position *at) {
    tma_judge j = {.out = out, .capacity = out ? capacity : 0};
    if (!plan || !at) {
        return 0;
    }
    const int wide = plan->mode == TMA_MODE_IM2COL_W || plan->mode == TMA_MODE_IM2COL_W128;
    j.sm = plan->sm;
    j.driver = TMA_VALUE(SEEN_DRIVER);
    if (plan->lone_atomicity) {
        tma_report(&j, TMA_RULE_LONE_ATOMICITY, AT(TMA_ARG_SWIZZLE, -1, plan->swizzle),
                   NOT(plan->swizzle));
    }
    if (wide && !tma_swizzle_has(plan->swizzle, TMA_TRAIT_WIDE_CALL)) {
        tma_report(&j, TMA_RULE_WIDE_SWIZZLE_LIST, AT(TMA_ARG_SWIZZLE, -1, plan->swizzle),
                   NOT(plan->swizzle));
    }
    if (wide) {
        note_rows(&j, plan, at);
    } else if (plan->mode == TMA_MODE_IM2COL && tma_is_load(plan->op)) {
        note_offsets(&j, plan, at);
    }
    note_readings(&j, plan, at);
    return j.count;
}
