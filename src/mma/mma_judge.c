/* SPDX-License-Identifier: Apache-2.0
 *
 * What there is to say of one descriptor by itself: mma_rules.def.
 */
#include "mma_internal.h"

static const tma_mma_rule rules[TMA_MMA_RULES] = {
#define TMA_MMA_RULE(number, id, name, wrong, statement, evidence)                                 \
    [number] = {name, statement, evidence, wrong},
#include "tma/mma_rules.def"
};

static const char *const reason_names[] = {
#define TMA_MMA_REASON(id, name, text) name,
#include "tma/mma_reasons.def"
};

static const char *const reason_texts[] = {
#define TMA_MMA_REASON(id, name, text) text,
#include "tma/mma_reasons.def"
};

const tma_mma_rule *tma_mma_rule_at(uint32_t number) {
    return number < TMA_MMA_RULES ? &rules[number] : NULL;
}

const char *tma_mma_reason_name(uint32_t reason) {
    return reason < TMA_MMA_REASONS ? reason_names[reason] : "";
}

const char *tma_mma_reason_text(uint32_t reason) {
    return reason < TMA_MMA_REASONS ? reason_texts[reason] : "";
}

static uint32_t when(int broken, uint32_t rule) {
    return broken ? 1u << rule : 0;
}

/* Bits of no field, and fields that have one number. */
static uint32_t judge_bits(uint32_t family, uint64_t bits, uint32_t readings) {
    const int has_two = (int)tma_mma_reads(readings, TMA_MMA_READING_VERSION); /* bits of version */
    uint32_t said = 0;
    uint64_t owned = 0;
    for (size_t i = 0; tma_mma_field_at(family, i).name; i++) {
        const tma_mma_field field = tma_mma_field_at(family, i);
        const uint32_t width = field.width_bit - (field.fixed && has_two ? 1u : 0);
        const uint64_t mask = ((uint64_t)1 << width) - 1;
        owned |= mask << field.bit;
        said |=
            when(field.fixed && (bits >> field.bit & mask) != field.fixed, TMA_MMA_RULE_VERSION);
    }
    return said | when((bits & ~owned) != 0, TMA_MMA_RULE_UNOWNED);
}

/* Whether an instruction has an operand with so many rows or columns, in one CTA. */
static int has_side(uint32_t family, const tma_mma_operand *o) {
    const int by_16 = o->type == TMA_MMA_TYPE_S8 || o->type == TMA_MMA_TYPE_U8 ||
                      o->type == TMA_MMA_TYPE_B1; /* beyond 32 columns */
    if (o->matrix == TMA_MMA_A) {
        return o->mn_el == 64 || (family == TMA_MMA_TCGEN05 && (o->mn_el == 32 || o->mn_el == 128));
    }
    return o->mn_el && o->mn_el <= 256 && o->mn_el % (by_16 && o->mn_el > 32 ? 16 : 8) == 0;
}

/* Dense, the twice as long B (or A before its zeros are left out) of sparse ones, and sm_103a's. */
static int has_k(uint32_t family, const tma_mma_operand *o) {
    const tma_mma_type *type = tma_mma_type_at(o->type);
    return !o->k_el || o->k_el == type->k_el || o->k_el == 2u * type->k_el ||
           (family == TMA_MMA_TCGEN05 && o->type == TMA_MMA_TYPE_E2M1_PACKED && o->k_el == 96);
}

/* The shared address that lies furthest among those read: a sum of what the major index adds and
 * what the rows add. The swizzle stays within 128 bytes, which the limit is a multiple of. */
static uint32_t furthest_B(const tma_mma_descriptor *d, const tma_mma_operand *o) {
    const uint32_t by_k = o->major == TMA_MMA_K_MAJOR;
    const uint32_t majors = by_k ? tma_mma_k_of(o) : o->mn_el;
    const uint32_t rows = by_k ? o->mn_el : tma_mma_k_of(o);
    const uint32_t unit_el = tma_mma_type_at(o->type)->unit_el;
    uint32_t in_row = 0, row = 0;
    for (uint32_t i = 0; i < (majors + unit_el - 1) / unit_el; i++) {
        const uint32_t at = d->start_B + tma_mma_read_unit(d, o, i);
        in_row = at > in_row ? at : in_row;
    }
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t at = tma_mma_read_row(d, o->major, i);
        row = at > row ? at : row;
    }
    return in_row + row;
}

static uint32_t judge_operand(const tma_mma_descriptor *d, const tma_mma_operand *o) {
    const tma_mma_type *type = tma_mma_type_at(o->type);
    const int on = d->family == TMA_MMA_WGMMA ? TMA_MMA_ON_WGMMA : TMA_MMA_ON_TCGEN05;
    const int turned = o->major == TMA_MMA_MN_MAJOR;
    const int atom = d->swizzle == TMA_SWIZZLE_128B_ATOM_32B;
    const int tf32 = o->type == TMA_MMA_TYPE_TF32;
    return when(!(type->on & on), TMA_MMA_RULE_TYPE) |
           when(!has_side(d->family, o) || !has_k(d->family, o), TMA_MMA_RULE_SHAPE) |
           when(turned && d->family == TMA_MMA_WGMMA && !(type->on & TMA_MMA_TURNS),
                TMA_MMA_RULE_MN_MAJOR_TYPE) |
           when(d->family == TMA_MMA_TCGEN05 && atom != (turned && tf32), TMA_MMA_RULE_ATOM_32B) |
           when(d->family == TMA_MMA_TCGEN05 && turned && type->bits < 8,
                TMA_MMA_RULE_PACKED_MAJOR) |
           when(d->leading_absolute && turned, TMA_MMA_RULE_ABSOLUTE) |
           when(!turned && d->swizzle && d->leading_B > TMA_MMA_UNIT_B && !d->leading_absolute &&
                    tma_mma_k_of(o) / type->unit_el * TMA_MMA_UNIT_B <= tma_mma_span_B(d->swizzle),
                TMA_MMA_RULE_LEADING_UNUSED) |
           when(furthest_B(d, o) >= TMA_VALUE(MMA_WINDOW), TMA_MMA_RULE_WINDOW) |
           when(!turned && !d->stride_B && o->mn_el > TMA_MMA_GROUP_ROWS, TMA_MMA_RULE_OVERLAP);
}

uint32_t tma_mma_judge(uint32_t family, uint64_t bits, const tma_mma_operand *operand) {
    tma_mma_descriptor d;
    if (tma_mma_decode(&d, family, bits) != TMA_OK) {
        return family < TMA_MMA_FAMILIES
                   ? judge_bits(family, bits, operand ? operand->readings : 0) |
                         when(1, TMA_MMA_RULE_SWIZZLE_CODE)
                   : 0;
    }
    uint32_t said = judge_bits(family, bits, operand ? operand->readings : 0) |
                    when(d.base_offset && !d.swizzle, TMA_MMA_RULE_BASE_WITHOUT_SWIZZLE) |
                    when(d.base_offset && d.swizzle, TMA_MMA_RULE_BASE_OFFSET) |
                    when(d.leading_absolute && (d.base_offset || d.swizzle != TMA_SWIZZLE_128B),
                         TMA_MMA_RULE_ABSOLUTE);
    if (operand && tma_mma_operand_known(operand)) {
        said |= judge_operand(&d, operand);
    }
    return said;
}
