/* SPDX-License-Identifier: Apache-2.0
 *
 * What a copy's map says of memory and may not have been meant: notes, since a tensor that ends
 * beyond its memory or has the same bytes at many indices is allowed.
 */
#include "copy_tensor.h"
#include "places.h"
#include "run_report.h"
#include "tma/text.h"

/* *B and what a dimension's other indices take; UINT64_MAX: beyond 64 bits. */
static void add_dimension(uint64_t *B, const tma_plan_facts *p, uint32_t i) {
    uint64_t more_B = 0;
    if (__builtin_mul_overflow(p->dim_el[i] - 1, p->step_B[i], &more_B) ||
        __builtin_add_overflow(*B, more_B, B)) {
        *B = UINT64_MAX;
    }
}

static uint64_t row_B_of(const tma_plan_facts *p) {
    return p->unit_B ? p->unit_B : (p->dim_el[0] * p->bits + 7) / 8;
}

/* From the tensor's first byte to behind its last; UINT64_MAX: beyond 64 bits. */
static uint64_t extent_B_of(const tma_plan_facts *p) {
    uint64_t end_B = row_B_of(p);
    for (uint32_t i = p->first; i < p->rank; i++) {
        add_dimension(&end_B, p, i);
    }
    return end_B;
}

static void note_extent(emu_machine *m, const emu_instruction *in, const tma_plan_facts *p) {
    const emu_allocation *a = emu_allocation_of(m, p->address);
    const uint64_t there_B = a ? a->size_B - (p->address - a->address) : UINT64_MAX;
    const uint64_t extent_B = extent_B_of(p);
    if (extent_B <= there_B) {
        return;
    }
    char text[TMA_EMULATE_TEXT];
    tma_out out = tma_out_into(text, sizeof(text));
    tma_putf(&out,
             "the map's tensor has %" TMA_U64 " bytes, and only %" TMA_U64
             " are there: its sizes or strides are too large, or its address is wrong, if that "
             "was not meant",
             extent_B, there_B);
    emu_note_copied(m, in, text);
}

/* The dimension of more than one index with the shortest stride of those that are left. */
static uint32_t shortest(const tma_plan_facts *p, uint32_t left) {
    uint32_t found = p->rank;
    for (uint32_t i = p->first; i < p->rank; i++) {
        if (left >> i & 1 && p->dim_el[i] > 1 &&
            (found == p->rank || p->step_B[i] < p->step_B[found])) {
            found = i;
        }
    }
    return found;
}

/* Whether index 1 of a dimension lies among the rows of those that are not left: a witness. */
static int meets(const tma_plan_facts *p, uint32_t i, uint32_t left) {
    uint64_t rest_B = p->step_B[i], last_B = UINT64_MAX;
    uint32_t longest = i;
    while (longest < p->rank) {
        longest = p->rank;
        for (uint32_t k = p->first; k < p->rank; k++) {
            if (!(left >> k & 1) && p->step_B[k] && p->step_B[k] < last_B &&
                (longest == p->rank || p->step_B[k] > p->step_B[longest])) {
                longest = k;
            }
        }
        if (longest < p->rank) {
            const uint64_t fits = rest_B / p->step_B[longest], most = p->dim_el[longest] - 1;
            last_B = p->step_B[longest];
            rest_B -= (fits < most ? fits : most) * last_B;
        }
    }
    return rest_B < row_B_of(p);
}

/* The core's rules stride-zero, stride-overlap and stride-planes, without the whole of its check:
 * the page's file has no room for that. A stride that is shorter than all that lies inside it may
 * have its indices in the gaps there. */
static void note_step(emu_machine *m, const emu_instruction *in, const tma_plan_facts *p) {
    uint64_t inside_B = row_B_of(p);
    uint32_t left = UINT32_MAX;
    for (uint32_t i = shortest(p, left); i < p->rank; i = shortest(p, left)) {
        const uint64_t step_B = p->step_B[i];
        if (step_B < inside_B) {
            char text[TMA_EMULATE_TEXT];
            tma_out out = tma_out_into(text, sizeof(text));
            tma_putf(&out, "the map's stride of dimension %u is %" TMA_U64, i, step_B);
            if (step_B) {
                tma_putf(&out, " B, less than the %" TMA_U64 " B inside it: its indices %soverlap",
                         inside_B, meets(p, i, left) ? "" : "may ");
            } else {
                tma_putf(&out, ": its %" TMA_U64 " indices are the same bytes", p->dim_el[i]);
            }
            emu_note_copied(m, in, text);
        }
        add_dimension(&inside_B, p, i);
        left &= ~(UINT32_C(1) << i);
    }
}

void emu_note_map(emu_machine *m, const emu_instruction *in, const tma_plan *plan) {
    const tma_plan_facts *p = tma_plan_info(plan);
    if (emu_is_noted(m, in)) { /* of one map, where it has many */
        return;
    }
    note_extent(m, in, p);
    note_step(m, in, p);
}
