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
    return s->mask.kind && s->mask.kind != TMA_PTX_NUMBER ? unknown | TMA_PTX_UNKNOWN_MASK
                                                          : unknown;
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
    if (s->qualifiers & TMA_PTX_NOT_MODELLED) {
        tma_fail_at(error, 0, "%s is not modelled by libtma",
                    s->qualifiers & TMA_PTX_MULTICAST_32 ? ".multicast::cluster::32b"
                                                         : ".override");
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
    return tma_plan_make(plan, map, &s.in, target, why);
}
