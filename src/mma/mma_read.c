/* SPDX-License-Identifier: Apache-2.0
 *
 * Where an MMA reads an element of an operand.
 */
#include "mma_internal.h"

int tma_mma_operand_known(const tma_mma_operand *o) {
    return o->matrix <= TMA_MMA_B && o->major <= TMA_MMA_MN_MAJOR && o->type < TMA_MMA_TYPES &&
           o->mn_el <= TMA_VALUE(MMA_SIDE) && o->k_el <= TMA_VALUE(MMA_SIDE);
}

uint32_t tma_mma_k_of(const tma_mma_operand *o) {
    return o->k_el ? o->k_el : tma_mma_type_at(o->type)->k_el;
}

tma_mma_place tma_mma_read(const tma_mma_descriptor *d, const tma_mma_operand *o, uint32_t mn,
                           uint32_t k) {
    if (!d || !o || o->type >= TMA_MMA_TYPES) {
        return (tma_mma_place){0, 0};
    }
    const tma_mma_type *type = tma_mma_type_at(o->type);
    const uint32_t major = o->major == TMA_MMA_K_MAJOR ? k : mn;
    const uint32_t row = o->major == TMA_MMA_K_MAJOR ? mn : k;
    const uint32_t bit = major % type->unit_el * type->bits;
    const uint32_t linear = d->start_B + tma_mma_read_unit(d, o, major / type->unit_el) +
                            tma_mma_read_row(d, o->major, row) + bit / 8;
    return (tma_mma_place){tma_mma_swizzled(d, linear), bit % 8};
}
