/* SPDX-License-Identifier: Apache-2.0
 *
 * A statement and what the library makes of it: positions and plans.
 */
#include <string.h>

#include "ptx_internal.h"

uint32_t tma_ptx_position(tma_position *at, const tma_ptx_statement *s) {
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < s->coords; i++) {
        if (s->coord[i].kind == TMA_PTX_NUMBER) {
            at->coord[i] = (int32_t)(uint32_t)s->coord[i].value;
        } else {
            unknown |= TMA_PTX_UNKNOWN_COORD << i;
        }
    }
    for (uint32_t i = 0; i < s->offsets; i++) {
        if (s->offset[i].kind == TMA_PTX_NUMBER) {
            at->offset[i] = (uint16_t)s->offset[i].value;
        } else {
            unknown |= TMA_PTX_UNKNOWN_OFFSET << i;
        }
    }
    if (s->shared.kind == TMA_PTX_NUMBER) {
        at->shared_address = (uint32_t)s->shared.value;
    } else if (s->shared.kind) {
        unknown |= TMA_PTX_UNKNOWN_SHARED;
    }
    tma_override_operands over = {.address = 0};
    unknown |= tma_ptx_override(&over, s) ? 0 : TMA_PTX_UNKNOWN_OVERRIDE;
    return s->mask.kind && s->mask.kind != TMA_PTX_NUMBER ? unknown | TMA_PTX_UNKNOWN_MASK
                                                          : unknown;
}

/* One operand that is a number, cut to its bits; 1 too where there is none. */
static int take_number(const tma_ptx_operand *o, uint64_t mask, uint64_t *out) {
    if (o->kind == TMA_PTX_NUMBER) {
        *out = (uint64_t)o->value & mask;
    }
    return o->kind == TMA_PTX_NUMBER || !o->kind;
}

static int take_32(const tma_ptx_operand *o, uint32_t mask, uint32_t *out) {
    uint64_t number = *out;
    const int known = take_number(o, mask, &number);
    *out = (uint32_t)number;
    return known;
}

bool tma_ptx_edit(tma_edit *out, const tma_ptx_statement *s, uint32_t toolchain) {
    const uint32_t large = s->qualifiers & TMA_PTX_ALLOC_LARGE;
    const bool has_class = s->field == TMA_REPLACE_ALLOC_CLASS;
    *out = (tma_edit){.field = s->field, .toolchain = toolchain};
    if (has_class) {
        out->value = large ? TMA_CLASS_LARGE : TMA_CLASS_SMALL;
        return true;
    }
    out->flags = large                                 ? TMA_REPLACE_ALLOC_LARGE
                 : s->qualifiers & TMA_PTX_ALLOC_SMALL ? TMA_REPLACE_ALLOC_SMALL
                 : s->qualifiers & TMA_PTX_ALLOC_SAME  ? TMA_REPLACE_ALLOC_SAME
                                                       : 0;
    out->ordinal = s->ordinal.kind == TMA_PTX_NUMBER ? (uint32_t)s->ordinal.value : 0;
    out->value = s->value.kind == TMA_PTX_NUMBER ? (uint64_t)s->value.value : 0;
    return s->value.kind == TMA_PTX_NUMBER &&
           (s->ordinal.kind == TMA_PTX_NUMBER || !s->ordinal.kind);
}

bool tma_ptx_override(tma_override_operands *out, const tma_ptx_statement *s) {
    int known = take_number(&s->over_address, UINT64_MAX, &out->address);
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        known &= take_32(&s->over_size[i], 0xFF, &out->size[i]);
    }
    for (uint32_t i = 0; i < TMA_MAX_STRIDES; i++) {
        known &= take_32(&s->over_lower[i], UINT32_MAX, &out->lower_stride[i]);
    }
    return known & take_32(&s->over_upper, 0xFFFF, &out->upper_stride);
}

tma_status tma_ptx_map(uint8_t out[TMA_MAP_BYTES], const uint8_t *map, const tma_ptx_statement *s,
                       const tma_target *target, tma_finding *why) {
    tma_override_operands over = {.address = 0};
    if (s->in.overrides && tma_ptx_override(&over, s)) {
        return tma_override(out, map, &s->in, &over, target, why);
    }
    for (size_t i = 0; i < TMA_MAP_BYTES; i++) { /* which may be the same */
        out[i] = map[i];
    }
    return TMA_OK;
}

static tma_status take(tma_ptx_statement *s, const char *text, size_t size, tma_error *error) {
    if (tma_ptx_parse(s, text, size, error)) {
        return TMA_INVALID;
    }
    if (!ptx_is_copy(s->kind)) {
        tma_fail_at(error, 0, "no copy: what has a plan is %s, %s and %s",
                    tma_ptx_kind_name(TMA_PTX_COPY), tma_ptx_kind_name(TMA_PTX_REDUCE),
                    tma_ptx_kind_name(TMA_PTX_PREFETCH));
        return TMA_INVALID;
    }
    return TMA_OK;
}

tma_status tma_ptx_plan(tma_plan *plan, tma_position *at, uint32_t *unknown, const char *text,
                        size_t size, const uint8_t *map, const tma_target *target, tma_error *error,
                        tma_finding *why) {
    tma_ptx_statement s;
    if (!at) {
        tma_fail(error, "no position");
        return TMA_INVALID;
    }
    if (take(&s, text, size, error)) {
        return TMA_INVALID;
    }
    if (error) {
        *error = (tma_error){TMA_NOWHERE, ""};
    }
    const uint32_t open = tma_ptx_position(at, &s);
    if (unknown) {
        *unknown = open;
    }
    uint8_t bytes[TMA_MAP_BYTES];
    const tma_status status = map ? tma_ptx_map(bytes, map, &s, target, why) : TMA_OK;
    return status == TMA_OK ? tma_plan_make(plan, map ? bytes : NULL, &s.in, target, why) : status;
}
