/* SPDX-License-Identifier: Apache-2.0
 *
 * Random copies: a map, an instruction, where it starts, and memory. What does not fit is drawn
 * again; what should trap is kept and marked.
 */
#include "random_copies.h"

#include <string.h>
#include <tma/measure.h>

#include "draw_copy.h"
#include "random_specs.h"
#include <tma/pattern.h>

#define SLICE        UINT64_C(0x7f0000000000) /* any aligned address */
#define GUARD_B      256                      /* behind what a copy touches */
#define USUAL_GLOBAL (48u << 10)
#define USUAL_WINDOW (32u << 10)

static uint32_t round_up(uint64_t value, uint32_t unit) {
    return (uint32_t)((value + unit - 1) / unit * unit);
}

/* Bytes from the slice's begin to behind the tensor's last element; no more than most_B + 1. */
static uint64_t tensor_B(const tma_spec *s, uint64_t most_B) {
    const uint64_t unit_bit = s->interleave ? 128 * s->interleave : tma_dtype_bits(s->dtype);
    uint64_t end_B = s->dim_el[0] > 8 * most_B ? most_B + 1 : s->dim_el[0] * unit_bit / 8 + 1;
    end_B += s->address;
    for (uint32_t i = 1; i < s->rank; i++) {
        const uint64_t steps = s->dim_el[i] - 1;
        const uint64_t stride_B = s->stride_B[i - 1];
        end_B += steps && stride_B && steps > most_B / stride_B ? most_B + 1 : steps * stride_B;
    }
    return end_B > most_B ? most_B + 1 : end_B;
}

/* Global memory that the case needs, or 0 if it is too much: the tensor's or, of one that goes on
 * far behind its memory, what the copy touches. */
static uint32_t slice_B(const struct copy_case *c, const tma_plan *plan, uint32_t most_B) {
    tma_report_result report;
    uint64_t end_B = tensor_B(&c->spec, most_B);
    if (end_B > most_B && plan && tma_plan_report(&report, plan, &c->at, NULL) == TMA_OK) {
        const uint64_t touched_B = report.global_end ? report.global_end - SLICE : 0;
        end_B = touched_B > c->spec.address ? touched_B : c->spec.address;
    }
    return end_B + GUARD_B > most_B ? 0 : round_up(end_B + GUARD_B, 128);
}

/* Shared memory that the copy needs, from the window's base on. */
static uint64_t footprint_B(const struct copy_case *c, const tma_plan *plan,
                            const tma_target *target) {
    tma_report_result report;
    tma_measure_result measure;
    if (plan && tma_plan_report(&report, plan, &c->at, NULL) == TMA_OK) {
        return report.footprint_B;
    }
    return tma_measure(&measure, &c->spec, target) == TMA_OK ? measure.footprint_B : UINT64_MAX;
}

/* Whether what was drawn is a case; fills what follows from the rest of it. */
static int judge(struct copy_case *c, const struct copy_limits *limits, const tma_target *target) {
    tma_plan plan;
    tma_map map;
    if (!tma_accepts(&c->spec, target)) {
        return 0;
    }
    tma_status status = copy_case_plan(&plan, &map, c, SLICE, target, &c->why);
    const int planned = status == TMA_OK;
    if (planned) {
        status = tma_plan_at(&plan, &c->at, &c->why);
    }
    c->global_B = slice_B(c, planned ? &plan : NULL, limits->global_B);
    const uint64_t needs_B = footprint_B(c, planned ? &plan : NULL, target);
    if (!c->global_B || needs_B > limits->window_B || (status != TMA_OK && status != TMA_TRAP)) {
        return 0;
    }
    c->traps = status == TMA_TRAP;
    c->window_B = round_up(c->at.shared_address + needs_B + GUARD_B, 128);
    if (status == TMA_OK && c->in.op == TMA_OP_LOAD) {
        tma_report_result report;
        if (tma_plan_report(&report, &plan, &c->at, NULL) != TMA_OK) {
            return 0;
        }
        c->expect_B = (uint32_t)report.tx_B;
    }
    return 1;
}

tma_status copy_case_plan(tma_plan *plan, tma_map *map, const struct copy_case *c, uint64_t slice,
                          const tma_target *target, tma_finding *why) {
    tma_spec spec = c->spec;
    spec.address += slice;
    const tma_status status = tma_encode(map->bytes, &spec, target);
    return status == TMA_OK ? tma_plan_make(plan, map->bytes, &c->in, target, why) : status;
}

/* Patterns that mean something for the type: its own special values, or random bits. */
static void draw_memory(struct random_source *r, struct copy_case *c) {
    const uint32_t bits = tma_dtype_bits(c->spec.dtype);
    const uint32_t mix = bits == 16   ? TMA_PATTERN_MIX16
                         : bits == 64 ? TMA_PATTERN_MIX64
                                      : TMA_PATTERN_MIX32;
    const uint32_t shape = (uint32_t)random_below(r, 8);
    c->seed = random_in(r, 1, 1u << 30);
    c->fill = shape < 2 || bits < 16 ? TMA_PATTERN_RAND : shape < 4 ? TMA_PATTERN_SPECIAL : mix;
    if (c->fill == TMA_PATTERN_SPECIAL) { /* odd: 32-bit values */
        c->seed = (c->seed & ~UINT64_C(1)) | (bits != 16);
    }
}

void copy_case_make(struct copy_case *copy, uint64_t seed, uint64_t number,
                    const tma_target *target) {
    struct random_source r = case_source(seed ^ UINT64_C(0x636F7079), number);
    const struct copy_limits limits = {
        .global_B = random_one_in(&r, 32) ? MOST_GLOBAL_B : USUAL_GLOBAL,
        .window_B = random_one_in(&r, 24) ? MOST_WINDOW_B - 16384 : USUAL_WINDOW,
    };
    do {
        memset(copy, 0, sizeof(*copy));
        draw_copy(&r, copy, &limits, target);
        draw_memory(&r, copy);
    } while (!judge(copy, &limits, target));
}
