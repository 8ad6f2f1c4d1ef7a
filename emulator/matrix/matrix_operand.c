/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix_operand.h"

#include <string.h>

#include "async_copies.h"
#include "order.h"
#include "tma/detail/assert.h"

/* K-major, the elements' size does not matter: they are told as bytes. */
int matrix_operand_of(matrix_operand *o, uint64_t bits, const matrix_tile *tile) {
    tma_mma_descriptor d;
    const uint32_t size_B = tile->is_turned ? tile->element_B : 1, unit_el = MATRIX_UNIT_B / size_B;
    const tma_mma_operand shape = {.matrix = tile->is_b ? TMA_MMA_B : TMA_MMA_A,
                                   .major = tile->is_turned ? TMA_MMA_MN_MAJOR : TMA_MMA_K_MAJOR,
                                   .type = size_B == 4   ? TMA_MMA_TYPE_TF32
                                           : size_B == 2 ? TMA_MMA_TYPE_F16
                                                         : TMA_MMA_TYPE_E4M3,
                                   .mn_el = tile->rows,
                                   .k_el = tile->row_B / size_B};
    if (tma_mma_decode(&d, tile->family, bits) != TMA_OK ||
        (tile->is_turned && tile->rows % unit_el)) {
        return -1;
    }
    o->is_turned = (uint8_t)(tile->is_turned != 0);
    o->element_B = (uint8_t)size_B;
    o->narrow_bit = tile->narrow_bit;
    o->lines = (uint16_t)(tile->is_turned ? tile->row_B / size_B : tile->rows);
    o->units = (uint16_t)(tile->is_turned ? tile->rows / unit_el : tile->row_B / MATRIX_UNIT_B);
    o->lowest_B = UINT32_MAX;
    o->highest_B = 0;
    TMA_ASSERT(o->lines * o->units <= MATRIX_UNITS);
    for (uint32_t i = 0; i < (uint32_t)o->lines * o->units; i++) {
        const uint32_t line = i / o->units, unit = i % o->units;
        const uint32_t mn = tile->is_turned ? unit * unit_el : line;
        const uint32_t k = tile->is_turned ? line : unit * MATRIX_UNIT_B;
        const uint32_t at = tma_mma_read(&d, &shape, mn, k).address_B;
        o->address_B[i] = at;
        o->lowest_B = at < o->lowest_B ? at : o->lowest_B;
        o->highest_B = at > o->highest_B ? at : o->highest_B;
    }
    return 0;
}

/* Without a swizzle lines of one unit lie together, with one the units of a line, in some order. */
int matrix_next_range(const matrix_operand *o, uint32_t *at, matrix_range *range) {
    const uint32_t all = (uint32_t)o->lines * o->units;
    if (*at >= all) {
        return 0;
    }
    const uint32_t by_line =
        o->lines < 2 || o->address_B[o->units] != o->address_B[0] + MATRIX_UNIT_B;
    *range = (matrix_range){UINT32_MAX, 0};
    for (; *at < all; ++*at) {
        const uint32_t i = by_line ? *at : *at % o->lines * o->units + *at / o->lines;
        const uint32_t next = o->address_B[i];
        if (!range->size_B || next + MATRIX_UNIT_B == range->first_B) {
            range->first_B = next;
        } else if (next != range->first_B + range->size_B) {
            break;
        }
        range->size_B += MATRIX_UNIT_B;
    }
    return 1;
}

int matrix_check(const matrix_operand *o, emu_warp *w, const emu_instruction *in, uint32_t lane) {
    const uint64_t shared = EMU_SHARED_WINDOW + emu_shared_address(w->cta, 0);
    emu_place place;
    if (emu_find_place(w, lane, shared + o->lowest_B, &place) &&
        place.follows_B >= o->highest_B - o->lowest_B + MATRIX_UNIT_B) {
        return 0;
    }
    for (uint32_t i = 0; i < (uint32_t)o->lines * o->units; i++) {
        if (emu_place_of(w, in, lane, shared + o->address_B[i], MATRIX_UNIT_B, 0, 0, &place)) {
            return -1;
        }
    }
    return 0;
}

void matrix_touch(const matrix_operand *o, emu_async *a, emu_cta *cta) {
    matrix_range range;
    for (uint32_t at = 0; matrix_next_range(o, &at, &range);) {
        const emu_place place = emu_place_in(cta, range.first_B);
        order_async_access(a, ORDER_READ, ORDER_ASYNC, &place, range.size_B);
    }
}

void matrix_spread(uint32_t bits, const uint8_t unit[MATRIX_UNIT_B], uint8_t out[MATRIX_UNIT_B]) {
    for (uint32_t i = 0; i < MATRIX_UNIT_B; i++) {
        const uint32_t at = i * bits, two = unit[at / 8] | (uint32_t)unit[(at / 8 + 1) % 16] << 8;
        out[i] = (uint8_t)(two >> at % 8 & ((1u << bits) - 1));
    }
}

void matrix_read(const matrix_operand *o, const uint8_t *shared, uint8_t (*rows)[MATRIX_ROW_B]) {
    const uint32_t *at = o->address_B, size_B = o->element_B;
    uint8_t spread[MATRIX_UNIT_B];
    for (uint32_t line = 0; line < o->lines; line++) {
        for (uint32_t unit = 0; unit < o->units; unit++) {
            const uint8_t *from = shared + *at++;
            if (!o->is_turned) {
                memcpy(&rows[line][(size_t)MATRIX_UNIT_B * unit], from, MATRIX_UNIT_B);
                continue;
            }
            if (o->narrow_bit) {
                matrix_spread(o->narrow_bit, from, spread);
                from = spread;
            }
            for (uint32_t i = 0; i < MATRIX_UNIT_B / size_B; i++) {
                uint8_t *row = rows[MATRIX_UNIT_B / size_B * unit + i];
                memcpy(&row[(size_t)size_B * line], &from[(size_t)size_B * i], size_B);
            }
        }
    }
}
