/* SPDX-License-Identifier: Apache-2.0
 *
 * Random edits of maps, by seed and number.
 */
#include "random_edits.h"

#include <string.h>

#include "random_specs.h"
#include "support/gen/gen_spec.h"

#define PICK(r, pool) (pool)[random_below(r, sizeof(pool) / sizeof((pool)[0]))]

static uint64_t any_value(struct random_source *r) {
    static const uint64_t pool[] = {0,
                                    1,
                                    7,
                                    8,
                                    9,
                                    15,
                                    16,
                                    255,
                                    256,
                                    257,
                                    0x7FFFFFFF,
                                    0x80000000,
                                    0xFFFFFFFF,
                                    0x100000000,
                                    (UINT64_C(1) << 36) - 16,
                                    UINT64_C(1) << 36,
                                    (UINT64_C(1) << 40) - 16,
                                    UINT64_C(1) << 40,
                                    (UINT64_C(1) << 57) - 16,
                                    UINT64_C(1) << 57,
                                    UINT64_MAX};
    return random_one_in(r, 2) ? PICK(r, pool) : random_length(r, 64);
}

static uint32_t largest_immediate(uint32_t field, const tma_target *target) {
    const uint64_t features = tma_arch_of(target)->features;
    switch (field) {
    case TMA_REPLACE_ELEMTYPE:
        return target->sm >= 100 ? 15 : 12;
    case TMA_REPLACE_SWIZZLE_MODE:
        return features & TMA_FEATURE_SWIZZLE_96B ? 4 : 3;
    default:
        return (uint32_t)tma_replace_row_of(field)->immediate_max;
    }
}

void replace_case_make(struct replace_case *c, uint64_t seed, uint64_t number,
                       const tma_target *target) {
    struct random_source r = case_source(seed ^ UINT64_C(0x7265706C), number);
    const int atoms = (tma_arch_of(target)->features & TMA_FEATURE_ATOMICITY) != 0;
    memset(c, 0, sizeof(*c));
    c->edit.field = (uint32_t)random_below(&r, atoms ? 11 : 10);
    const tma_replace_row *row = tma_replace_row_of(c->edit.field);
    c->edit.ordinal = row->ordinals ? (uint32_t)random_below(&r, (uint64_t)row->ordinals) : 0;
    c->edit.value = row->immediate_max < 0
                        ? any_value(&r)
                        : random_in(&r, 0, largest_immediate(c->edit.field, target));
    c->encoded = !random_one_in(&r, 3);
    if (c->encoded) {
        do {
            c->spec = gen_good_spec(&r, target);
        } while (tma_encode(c->before.bytes, &c->spec, target) != TMA_OK);
        return;
    }
    for (size_t i = 0; i < sizeof(c->before.bytes); i++) {
        c->before.bytes[i] = (uint8_t)random_u64(&r);
    }
}
