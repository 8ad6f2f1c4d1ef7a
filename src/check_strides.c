/* SPDX-License-Identifier: Apache-2.0
 *
 * Strides as a whole: what overlaps. The driver looks at each stride by itself.
 */
#include "check_internal.h"
#include "geometry.h"

/* Bytes of one row of the tensor: dimension 0, units if interleaved. */
static uint64_t row_bytes(const tma_checker *c) {
    const tma_spec *s = c->spec;
    return s->interleave ? s->dim_el[0] * tma_slice_B(s->interleave)
                         : tma_elements_B(c->bits, s->dim_el[0]);
}

/* Whether stride k is the shorter one of two that matter: equal ones count in their order. */
static int is_shorter(const tma_spec *s, uint32_t k, uint32_t than) {
    return k != than && s->dim_el[k + 1] > 1 && s->stride_B[k] > 0 &&
           (s->stride_B[k] < s->stride_B[than] ||
            (s->stride_B[k] == s->stride_B[than] && k < than));
}

/* What stride i must hold: the next shorter one times its dimension; without one, a row. */
static uint64_t plane_bytes(const tma_checker *c, uint32_t i) {
    const tma_spec *s = c->spec;
    uint32_t next = c->rank;
    for (uint32_t k = 0; k + 1 < c->rank; k++) {
        if (is_shorter(s, k, i) && (next == c->rank || !is_shorter(s, k, next))) {
            next = k;
        }
    }
    if (next == c->rank) {
        return row_bytes(c);
    }
    const uint64_t most = UINT64_MAX / s->stride_B[next];
    return s->dim_el[next + 1] > most ? UINT64_MAX : s->dim_el[next + 1] * s->stride_B[next];
}

/* No offer where the plane would run into one further out. */
static int is_longest(const tma_checker *c, uint32_t i) {
    for (uint32_t k = 0; k + 1 < c->rank; k++) {
        if (is_shorter(c->spec, i, k)) {
            return 0;
        }
    }
    return 1;
}

static void too_short(tma_checker *c, tma_rule_id rule, uint32_t i, uint64_t needed_B) {
    const int wants_32 =
        c->spec->interleave == TMA_INTERLEAVE_32B || (c->type->traits & TMA_TRAIT_PADDED);
    const uint64_t unit_B = wants_32 ? TMA_VALUE(ALIGN_32B) : TMA_VALUE(ALIGN);
    const tma_place place = AT(TMA_ARG_STRIDE, (int)i, c->spec->stride_B[i]);
    const tma_fault fault = BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_B, place.given, needed_B);
    if (rule == TMA_RULE_STRIDE_OVERLAP ||
        (is_longest(c, i) && needed_B < TMA_VALUE(STRIDE) - unit_B)) {
        tma_report_legal(&c->judge, rule, place, fault, (needed_B + unit_B - 1) / unit_B * unit_B);
    } else {
        tma_report(&c->judge, rule, place, fault);
    }
}

void tma_check_strides(tma_checker *c) {
    const tma_spec *s = c->spec;
    for (uint32_t i = 0; i + 1 < c->rank; i++) {
        const tma_place place = AT(TMA_ARG_STRIDE, (int)i, s->stride_B[i]);
        if (s->stride_B[i] == 0) {
            tma_report(&c->judge, TMA_RULE_STRIDE_ZERO, place,
                       BAD(TMA_MUST_NOT_BE, TMA_UNIT_B, 0, 0));
            continue;
        }
        if (i > 0 && s->stride_B[i] < s->stride_B[i - 1]) {
            tma_report(&c->judge, TMA_RULE_STRIDE_ORDER, place,
                       BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_B, s->stride_B[i], s->stride_B[i - 1]));
        }
        if (s->dim_el[i + 1] <= 1) {
            continue;
        }
        if (i == 0 && s->stride_B[0] < row_bytes(c)) {
            too_short(c, TMA_RULE_STRIDE_OVERLAP, 0, row_bytes(c));
        } else if (s->stride_B[i] < plane_bytes(c, i)) {
            too_short(c, TMA_RULE_STRIDE_PLANES, i, plane_bytes(c, i));
        }
    }
}
