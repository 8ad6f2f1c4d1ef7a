/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix_fragment.h"

#include <string.h>

#include "tma/detail/assert.h"

uint32_t matrix_register_count(const emu_operand *o) {
    return o->kind == EMU_VECTOR ? o->count : 1;
}

int32_t matrix_slot(const matrix_registers *r, uint32_t index) {
    TMA_ASSERT(index < matrix_register_count(r->operand));
    return r->operand->kind == EMU_VECTOR ? r->program->operand[r->operand->first + index].slot
                                          : r->operand->slot;
}

uint32_t *matrix_lanes(const matrix_registers *r, uint32_t index) {
    const int32_t slot = matrix_slot(r, index);
    return (uint32_t *)(slot >= 0 ? r->frame->slots + (size_t)slot * EMU_SLOT_B
                                  : r->program->pool[~slot]);
}

void matrix_gather_a(const matrix_registers *r, uint32_t row_count, uint8_t (*rows)[MATRIX_ROW_B]) {
    const uint32_t halves = row_count / 8;
    for (uint32_t i = 0; i < matrix_register_count(r->operand); i++) {
        const uint32_t *lanes = matrix_lanes(r, i);
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            memcpy(&rows[l / 4 + 8 * (i % halves)][16 * (i / halves) + 4 * (l % 4)], &lanes[l],
                   sizeof(*lanes));
        }
    }
}

void matrix_gather_b(const matrix_registers *r, uint8_t *columns, uint32_t step_B) {
    for (uint32_t i = 0; i < matrix_register_count(r->operand); i++) {
        const uint32_t *lanes = matrix_lanes(r, i);
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            uint8_t *column = columns + (size_t)(l / 4) * step_B;
            memcpy(&column[(size_t)16 * i + (size_t)4 * (l % 4)], &lanes[l], sizeof(*lanes));
        }
    }
}

/* The first of the two columns that a lane has of 8. */
static uint32_t pair_of(uint32_t lane) {
    return lane % 4 * 2;
}

void matrix_gather_c(const matrix_registers *r, uint32_t type, uint32_t row_count, uint32_t block,
                     uint32_t (*c)[MATRIX_COLUMNS]) {
    for (uint32_t half = 0; half < row_count / 8; half++) {
        const uint32_t pair = block * (row_count / 8) + half;
        if (type == EMU_F16) {
            const uint32_t *both = matrix_lanes(r, pair);
            for (uint32_t l = 0; l < EMU_LANES; l++) {
                uint32_t *at = &c[l / 4 + 8 * half][pair_of(l)];
                at[0] = both[l] & 0xffff;
                at[1] = both[l] >> 16;
            }
            continue;
        }
        const uint32_t *even = matrix_lanes(r, 2 * pair), *odd = matrix_lanes(r, 2 * pair + 1);
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            uint32_t *at = &c[l / 4 + 8 * half][pair_of(l)];
            at[0] = even[l];
            at[1] = odd[l];
        }
    }
}

void matrix_scatter_d(const matrix_registers *r, uint32_t type, uint32_t row_count, uint32_t block,
                      uint32_t (*d)[MATRIX_COLUMNS]) {
    for (uint32_t half = 0; half < row_count / 8; half++) {
        const uint32_t pair = block * (row_count / 8) + half;
        if (type == EMU_F16) {
            uint32_t *both = matrix_lanes(r, pair);
            for (uint32_t l = 0; l < EMU_LANES; l++) {
                const uint32_t *at = &d[l / 4 + 8 * half][pair_of(l)];
                both[l] = at[0] | at[1] << 16;
            }
            continue;
        }
        uint32_t *even = matrix_lanes(r, 2 * pair), *odd = matrix_lanes(r, 2 * pair + 1);
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            const uint32_t *at = &d[l / 4 + 8 * half][pair_of(l)];
            even[l] = at[0];
            odd[l] = at[1];
        }
    }
}

/* ---- sparse A ---- */

/* Two places of four, the second one not the first; tcgen05 has 0b0110, too, which turns two
 * round. Of tf32 the places are the halves of one element. */
int matrix_is_meaningful(uint32_t type, uint32_t nibble, int is_ordered) {
    const uint32_t low = nibble & 3, high = nibble >> 2;
    return emu_type_of(type)->bits == 32 ? nibble == 0xe || nibble == 4
                                         : high > low || (!is_ordered && nibble == 6);
}

/* Four bits choose two of four places: of elements of 16 and 8 bits; of pairs of 4 bits; of the
 * halves of two tf32. */
void matrix_choose(uint32_t type, uint32_t nibble, uint32_t group, uint8_t *index) {
    const uint32_t low = nibble & 3, high = nibble >> 2;
    switch (emu_type_of(type)->bits) {
    case 32:
        index[group] = (uint8_t)(2 * group + low / 2);
        break;
    case 4:
        index += (size_t)4 * group;
        for (uint32_t i = 0; i < 4; i++) {
            index[i] = (uint8_t)(8 * group + 2 * (i < 2 ? low : high) + i % 2);
        }
        break;
    default:
        index += (size_t)2 * group;
        index[0] = (uint8_t)(4 * group + low);
        index[1] = (uint8_t)(4 * group + high);
        break;
    }
}

/* Where a row's group of places stands: the lane of its quad, and the bit. Elements of 16 and 32
 * bits: four groups of row r in a lane's low half, of row r + 8 in its high half. Smaller ones:
 * eight groups in a lane, row r + 8's in the lane behind row r's. */
static uint32_t teller_of(uint32_t bits, uint32_t row, uint32_t group, uint32_t *bit) {
    if (bits >= 16) {
        *bit = row / 8 * 16 + group % 4 * 4;
        return group / 4;
    }
    *bit = group % 8 * 4;
    return row / 8 + group / 8 * 2;
}

void matrix_indices(const uint32_t metadata[EMU_LANES], uint32_t selector, uint32_t type,
                    uint32_t k, uint8_t (*index)[MATRIX_K]) {
    const uint32_t bits = emu_type_of(type)->bits;
    const uint32_t groups = bits == 32 ? k / 2 : bits == 4 ? k / 8 : k / 4;
    const uint32_t tellers = groups > 4 ? groups / 4 : 1;
    for (uint32_t row = 0; row < 16; row++) {
        for (uint32_t g = 0; g < groups; g++) {
            uint32_t bit;
            const uint32_t teller = selector * tellers + teller_of(bits, row, g, &bit);
            const uint32_t lane = row % 8 * 4 + teller % 4;
            matrix_choose(type, metadata[lane] >> bit & 15, g, index[row]);
        }
    }
}
