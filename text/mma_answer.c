/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma mma says: the descriptors of all steps through a tile, what one says, whether it reads
 * what the copy left.
 */
#include "tma/mma_text.h"

static void find_step(tma_mma_step *step, const tma_mma_question *q, const tma_spec *spec) {
    step->exists = tma_mma_descriptor_of(&step->descriptor, &step->why, spec, &q->tile, q->family,
                                         &q->operand, step->mn, step->k) == TMA_OK &&
                   tma_mma_encode(&step->bits, &step->descriptor) == TMA_OK;
}

int tma_mma_each_step(const tma_mma_question *q, const tma_spec *spec, tma_mma_visitor visit,
                      void *context) {
    const tma_mma_extent size = tma_mma_extent_of(spec, &q->tile, &q->operand);
    const uint32_t mn_el = q->operand.mn_el ? q->operand.mn_el : UINT32_MAX / 2;
    const uint32_t k_el = q->operand.k_el ? q->operand.k_el : UINT32_MAX / 2;
    tma_mma_step step = {0};
    do {
        step.k = 0;
        do {
            find_step(&step, q, spec);
            const int ended = visit(context, &step);
            if (ended || !step.exists) {
                return ended ? ended : -1;
            }
            step.k += k_el;
        } while (step.k + k_el <= size.k_el);
        step.mn += mn_el;
    } while (step.mn + mn_el <= size.mn_el);
    return 0;
}

typedef struct steps_view {
    tma_out *out;
    const tma_mma_question *q;
    uint64_t first;
} steps_view;

static int put_step(void *context, const tma_mma_step *step) {
    steps_view *v = (steps_view *)context;
    const char letter = v->q->operand.matrix == TMA_MMA_B ? 'n' : 'm';
    const tma_mma_descriptor *d = &step->descriptor;
    tma_putf(v->out, "%c %-4u k %-4u ", letter, (unsigned)step->mn, (unsigned)step->k);
    v->first = v->first ? v->first : step->bits;
    if (step->exists) {
        tma_putf(v->out, "0x%016" TMA_X64 "  start 0x%x, leading %u, stride %u", step->bits,
                 (unsigned)d->start_B, (unsigned)d->leading_B, (unsigned)d->stride_B);
        if (step->bits != v->first) {
            tma_putf(v->out, ", the first and %" TMA_U64, step->bits - v->first);
        }
    } else {
        tma_put(v->out, "no descriptor: ");
        tma_put_mma_why(v->out, &step->why);
    }
    tma_put(v->out, "\n");
    return 0;
}

static int put_steps(tma_out *out, const tma_mma_question *q, const tma_spec *spec) {
    const tma_mma_extent size = tma_mma_extent_of(spec, &q->tile, &q->operand);
    steps_view view = {out, q, 0};
    tma_putf(out, "%s-major tile of %s, %s %u x k %u at 0x%x\n", q->operand.major ? "MN" : "K",
             tma_mma_type_at(q->operand.type)->name, q->operand.matrix == TMA_MMA_B ? "n" : "m",
             (unsigned)size.mn_el, (unsigned)size.k_el, (unsigned)q->tile.shared_address);
    return tma_mma_each_step(q, spec, put_step, &view) != 0;
}

static int put_bits(tma_out *out, const tma_mma_question *q) {
    const uint32_t about =
        1u << TMA_MMA_OPTION_OPERAND | 1u << TMA_MMA_OPTION_SHAPE | 1u << TMA_MMA_OPTION_TYPE;
    const uint32_t said = tma_mma_judge(q->family, q->desc, q->given & about ? &q->operand : NULL);
    tma_putf(out, "0x%016" TMA_X64 ", %s\n", q->desc,
             q->family == TMA_MMA_WGMMA ? "wgmma" : "tcgen05");
    tma_put_mma_fields(out, q->family, q->desc);
    tma_put_mma_said(out, said);
    return said != 0;
}

int tma_put_mma_answer(tma_out *out, const tma_mma_question *q, const tma_spec *spec) {
    tma_mma_descriptor d;
    tma_mma_difference difference;
    if (spec && !(q->given >> TMA_MMA_OPTION_DESC & 1)) {
        return put_steps(out, q, spec);
    }
    if (!spec || tma_mma_decode(&d, q->family, q->desc) != TMA_OK) {
        return put_bits(out, q);
    }
    if (tma_mma_compare(&difference, &d, &q->operand, spec, &q->tile, q->mn0, q->k0) != TMA_OK) {
        tma_putf(out, "%s\n", tma_mma_reason_text(TMA_MMA_REASON_NO_TILE));
        return 1;
    }
    tma_put_mma_difference(out, &difference, &q->operand, q->mn0, q->k0);
    tma_put(out, "\n");
    return difference.equal_el != difference.all_el;
}
