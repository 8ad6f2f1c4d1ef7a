/* SPDX-License-Identifier: Apache-2.0
 *
 * What a copy's map says of memory and may not have been meant: notes, since a tensor that ends
 * beyond its memory or has the same bytes at many indices is allowed.
 */
#include "copy_tensor.h"
#include "places.h"
#include "run_report.h"
#include "tma/text.h"

/* From the tensor's first byte to behind its last; UINT64_MAX: beyond 64 bits. */
static uint64_t extent_B_of(const tma_plan_facts *p) {
    uint64_t end_B = p->unit_B ? p->unit_B : (p->dim_el[0] * p->bits + 7) / 8, more_B = 0;
    for (uint32_t i = p->first; i < p->rank; i++) {
        if (__builtin_mul_overflow(p->dim_el[i] - 1, p->step_B[i], &more_B) ||
            __builtin_add_overflow(end_B, more_B, &end_B)) {
            return UINT64_MAX;
        }
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

/* The bytes that dimension i's stride must hold: the next shorter one's plane, or a row. */
static uint64_t inside_B_of(const tma_plan_facts *p, uint32_t i) {
    uint64_t longest_B = 0,
             inside_B = p->unit_B ? p->dim_el[0] * p->unit_B : (p->dim_el[0] * p->bits + 7) / 8;
    for (uint32_t k = 1; k < p->rank; k++) {
        const int is_shorter =
            p->step_B[k] < p->step_B[i] || (p->step_B[k] == p->step_B[i] && k < i);
        if (p->dim_el[k] > 1 && is_shorter && p->step_B[k] > longest_B) {
            longest_B = p->step_B[k];
            inside_B = p->dim_el[k] * longest_B;
        }
    }
    return inside_B;
}

/* The core's rules stride-zero, stride-overlap and stride-planes, without the whole of its check:
 * the page's file has no room for that. */
static void note_step(emu_machine *m, const emu_instruction *in, const tma_plan_facts *p) {
    for (uint32_t i = 1; i < p->rank; i++) {
        const uint64_t inside_B = inside_B_of(p, i);
        if (p->dim_el[i] < 2 || p->step_B[i] >= inside_B) {
            continue;
        }
        char text[TMA_EMULATE_TEXT];
        tma_out out = tma_out_into(text, sizeof(text));
        tma_putf(&out,
                 "the map's stride of dimension %u is %" TMA_U64 " B, less than the %" TMA_U64
                 " B inside it: its indices overlap",
                 i, p->step_B[i], inside_B);
        emu_note_copied(m, in, text);
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
