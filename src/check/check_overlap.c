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
    if (next == c->rank || !s->stride_B[next]) {
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

/* Strides that begin inside the plane before, a bit for each. */
static uint32_t overlapping(const tma_checker *c) {
    const tma_spec *s = c->spec;
    uint32_t set = 0;
    for (uint32_t i = 0; i + 1 < c->rank; i++) {
        set |=
            (uint32_t)(s->dim_el[i + 1] > 1 && s->stride_B[i] && s->stride_B[i] < plane_bytes(c, i))
            << i;
    }
    return set;
}

static uint64_t next_multiple(uint64_t value, uint64_t unit_B) {
    const uint64_t most_B = TMA_VALUE(STRIDE) - TMA_VALUE(ALIGN_32B);
    return value >= most_B ? most_B : (value + unit_B - 1) / unit_B * unit_B;
}

/* Raises stride i, from where it is, until it holds the plane of the next shorter one. */
static void raise(tma_checker *c, tma_spec *s, uint32_t i) {
    for (uint32_t n = 0; n < c->rank; n++) { /* each time beyond one stride more */
        const uint64_t needed_B = plane_bytes(c, i);
        if (s->stride_B[i] < needed_B) {
            s->stride_B[i] = next_multiple(needed_B, tma_address_align_B(c));
        }
    }
}

uint64_t tma_stride_legal(const tma_checker *c, uint32_t i, uint64_t least_B) {
    const uint64_t given_B = c->spec->stride_B[i];
    const uint64_t plain_B =
        next_multiple(given_B > least_B ? given_B : least_B, tma_address_align_B(c));
    if (!c->bits || c->spec->interleave > TMA_INTERLEAVE_32B || c->spec->dim_el[i + 1] <= 1) {
        return plain_B;
    }
    tma_spec offered = *c->spec;
    tma_checker with_offer = *c;
    with_offer.spec = &offered;
    offered.stride_B[i] = 0;
    for (uint32_t k = 0; k + 1 < c->rank; k++) { /* wrong ones are no measure for others */
        offered.stride_B[k] *= offered.stride_B[k] >= row_bytes(c);
    }
    const uint32_t others = overlapping(&with_offer); /* whatever stride i is */
    uint64_t best_B = UINT64_MAX;
    for (uint32_t k = 0; k + 1 < c->rank; k++) { /* where it is, or beyond one that is in the way */
        const uint64_t beyond_B = k == i ? 0 : offered.stride_B[k];
        const uint64_t from_B = beyond_B > plain_B ? beyond_B : plain_B;
        offered.stride_B[i] = next_multiple(from_B, tma_address_align_B(c));
        raise(&with_offer, &offered, i);
        if (offered.stride_B[i] < best_B && !(overlapping(&with_offer) & ~others)) {
            best_B = offered.stride_B[i];
        }
    }
    return best_B < TMA_VALUE(STRIDE) ? best_B : plain_B;
}

static void too_short(tma_checker *c, tma_rule_id rule, uint32_t i, uint64_t needed_B) {
    const uint64_t unit_B = tma_address_align_B(c);
    const tma_place place = AT(TMA_ARG_STRIDE, (int)i, c->spec->stride_B[i]);
    const tma_fault fault = BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_B, place.given, needed_B);
    const int fits = next_multiple(needed_B, unit_B) >= needed_B;
    if (fits && (rule == TMA_RULE_STRIDE_OVERLAP || is_longest(c, i))) {
        tma_report_legal(&c->judge, rule, place, fault, tma_stride_legal(c, i, needed_B));
    } else {
        tma_report(&c->judge, rule, place, fault);
    }
}

void tma_check_overlap(tma_checker *c) {
    const tma_spec *s = c->spec;
    for (uint32_t i = 0; i + 1 < c->rank; i++) {
        const tma_place place = AT(TMA_ARG_STRIDE, (int)i, s->stride_B[i]);
        if (s->stride_B[i] == 0 && s->dim_el[i + 1] <= 1) {
            continue; /* nothing is repeated */
        }
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
