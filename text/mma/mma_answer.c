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

/* What of a side no whole instruction reads. */
static void put_left_over(tma_out *out, const char *letter, uint32_t side_el, uint32_t step_el) {
    const uint32_t from = step_el && side_el > step_el ? side_el - side_el % step_el : side_el;
    if (from < side_el) {
        tma_putf(out, "no instruction reads %s %u to %u: %u are fewer than its %u\n", letter,
                 (unsigned)from, (unsigned)(side_el - 1), (unsigned)(side_el - from),
                 (unsigned)step_el);
    }
}

static int put_steps(tma_out *out, const tma_mma_question *q, const tma_spec *spec) {
    const tma_mma_extent size = tma_mma_extent_of(spec, &q->tile, &q->operand);
    steps_view view = {out, q, 0};
    tma_mma_why why;
    if (tma_mma_unfit(&why, spec, &q->tile, &q->operand)) {
        tma_put(out, "no descriptor: ");
        tma_put_mma_why(out, &why);
        tma_put(out, "\n");
        return 1;
    }
    tma_putf(out, "%s-major tile of %s, %s %u x k %u at 0x%x\n", q->operand.major ? "MN" : "K",
             tma_mma_type_at(q->operand.type)->name, q->operand.matrix == TMA_MMA_B ? "n" : "m",
             (unsigned)size.mn_el, (unsigned)size.k_el, (unsigned)q->tile.shared_address);
    if (tma_mma_each_step(q, spec, put_step, &view)) {
        return 1;
    }
    put_left_over(out, q->operand.matrix == TMA_MMA_B ? "n" : "m", size.mn_el, q->operand.mn_el);
    put_left_over(out, "k", size.k_el, q->operand.k_el);
    return 0;
}

typedef struct tma_mma_said {
    const tma_mma_question *question;
    uint32_t rules;
} tma_mma_said;

/* What is odd or wrong about the descriptors of all steps. */
static int judge_step(void *context, const tma_mma_step *step) {
    tma_mma_said *said = (tma_mma_said *)context;
    if (step->exists) {
        said->rules |= tma_mma_judge(said->question->family, step->bits, &said->question->operand);
    }
    return 0;
}

/* An absolute leading address on another chip than sm_103a. */
static uint32_t judge_target(const tma_mma_question *q) {
    tma_mma_descriptor d;
    return q->sm && q->sm != 103 && tma_mma_decode(&d, q->family, q->desc) == TMA_OK &&
                   d.leading_absolute
               ? 1u << TMA_MMA_RULE_ABSOLUTE
               : 0;
}

uint32_t tma_mma_words_judge(const tma_mma_question *q, const tma_spec *spec) {
    if (q->given >> TMA_MMA_OPTION_ZERO_MASK & 1) {
        return tma_mma_zero_mask_judge(q->desc, q->m_el);
    }
    if (q->given >> TMA_MMA_OPTION_DESC & 1) {
        const int is_alone = !spec && q->given == 1u << TMA_MMA_OPTION_DESC;
        return tma_mma_judge(q->family, q->desc, is_alone ? NULL : &q->operand) | judge_target(q);
    }
    tma_mma_said said = {q, 0};
    if (spec) {
        (void)!tma_mma_each_step(q, spec, judge_step, &said);
    }
    return said.rules;
}

bool tma_mma_is_wrong(uint32_t said) {
    for (uint32_t i = 0; i < TMA_MMA_RULES; i++) {
        if (said >> i & 1 && tma_mma_rule_at(i)->wrong) {
            return true;
        }
    }
    return false;
}

/* Bits that wgmma does not have, but tcgen05 asks for. */
static void put_other_family(tma_out *out, const tma_mma_question *q) {
    if (q->family == TMA_MMA_WGMMA &&
        tma_mma_judge(q->family, q->desc, NULL) >> TMA_MMA_RULE_UNOWNED & 1 &&
        !tma_mma_is_wrong(tma_mma_judge(TMA_MMA_TCGEN05, q->desc, NULL))) {
        tma_put(out,
                "These bits are a descriptor of tcgen05, too: --arch sm_100a reads them so.\n");
    }
}

static void put_bits(tma_out *out, const tma_mma_question *q) {
    tma_putf(out, "0x%016" TMA_X64 ", %s\n", q->desc,
             q->family == TMA_MMA_WGMMA ? "wgmma" : "tcgen05");
    tma_put_mma_fields(out, q->family, q->desc);
}

/* The commonest cause of a difference. */
static void put_swizzles(tma_out *out, const tma_mma_question *q, const tma_mma_descriptor *d,
                         const tma_spec *spec) {
    const tma_enum_row *map = tma_enum_row_of(TMA_ENUM_SWIZZLE, spec->swizzle);
    const tma_enum_row *read = tma_enum_row_of(TMA_ENUM_SWIZZLE, d->swizzle);
    if (map && read && map != read && !q->tile.placed_count) {
        tma_putf(out,
                 "; the map's swizzle is %s, the descriptor's %s (without --desc: this map's "
                 "descriptors)",
                 map->name, read->name);
    }
}

/* 1 for a difference. */
static int put_compared(tma_out *out, const tma_mma_question *q, const tma_mma_descriptor *d,
                        const tma_spec *spec) {
    tma_mma_difference difference;
    tma_mma_why why;
    if (tma_mma_compare(&difference, d, &q->operand, spec, &q->tile, q->mn0, q->k0) != TMA_OK) {
        (void)tma_mma_unfit(&why, spec, &q->tile, &q->operand);
        tma_put(out, "not compared: ");
        tma_put_mma_why(out, &why);
        tma_put(out, "\n");
        return 1;
    }
    tma_put_mma_difference(out, &difference, &q->operand, q->mn0, q->k0);
    const int differs = difference.equal_el != difference.all_el;
    if (differs) {
        put_swizzles(out, q, d, spec);
    }
    tma_put(out, "\n");
    return differs;
}

/* What of the shape is none of the instruction's, in its own numbers. */
static void put_shape(tma_out *out, const tma_mma_question *q) {
    const tma_mma_type *type = tma_mma_type_at(q->operand.type);
    const uint32_t k_el = q->operand.k_el;
    if (k_el && k_el != type->k_el && k_el != 2u * type->k_el) {
        tma_putf(out, "      k is %u: of %s an instruction takes %u, a sparse one %u\n",
                 (unsigned)k_el, type->name, (unsigned)type->k_el, 2 * (unsigned)type->k_el);
    } else {
        tma_putf(out, "      %c is %u%s\n", q->operand.matrix == TMA_MMA_B ? 'n' : 'm',
                 (unsigned)q->operand.mn_el,
                 q->family == TMA_MMA_TCGEN05 && q->operand.matrix == TMA_MMA_A &&
                         q->operand.mn_el == 256
                     ? ": with cta_group::2 each of the two CTAs reads 128 of them"
                     : "");
    }
}

int tma_put_mma_answer(tma_out *out, const tma_mma_question *q, const tma_spec *spec) {
    tma_mma_descriptor d;
    const uint32_t said = tma_mma_words_judge(q, spec);
    int differs = 0;
    if (q->given >> TMA_MMA_OPTION_ZERO_MASK & 1) {
        return tma_put_mma_zero_mask(out, q->desc, q);
    }
    if (spec && !(q->given >> TMA_MMA_OPTION_DESC & 1)) {
        differs = put_steps(out, q, spec);
    } else if (!spec || tma_mma_decode(&d, q->family, q->desc) != TMA_OK) {
        put_bits(out, q);
        differs = said != 0;
    } else {
        differs = put_compared(out, q, &d, spec);
    }
    tma_put_mma_said(out, said);
    if (said >> TMA_MMA_RULE_SHAPE & 1) {
        put_shape(out, q);
    }
    if (q->given >> TMA_MMA_OPTION_DESC & 1) {
        put_other_family(out, q);
    }
    return differs || tma_mma_is_wrong(said);
}
