/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix_operand.h"

#include <string.h>

#include "tma/detail/assert.h"

#define TURNED_EL 8 /* 16-bit elements of a unit */

static int is_turned(const matrix_operand *o) {
    return o->shape.major == TMA_MMA_MN_MAJOR;
}

/* K-major, the elements' size does not matter: they are told as bytes. */
matrix_operand matrix_operand_of(uint64_t bits, uint32_t rows, uint32_t row_B, int is_b,
                                 int turned) {
    matrix_operand o = {.shape = {.matrix = is_b ? TMA_MMA_B : TMA_MMA_A,
                                  .major = turned ? TMA_MMA_MN_MAJOR : TMA_MMA_K_MAJOR,
                                  .type = turned ? TMA_MMA_TYPE_F16 : TMA_MMA_TYPE_E4M3,
                                  .mn_el = rows,
                                  .k_el = turned ? row_B / 2 : row_B},
                        .lines = turned ? row_B / 2 : rows,
                        .units = turned ? rows / TURNED_EL : row_B / MATRIX_UNIT_B};
    const tma_status status = tma_mma_decode(&o.descriptor, TMA_MMA_WGMMA, bits);
    TMA_ASSERT(status == TMA_OK);
    (void)status;
    return o;
}

static uint32_t address_of(const matrix_operand *o, uint32_t line, uint32_t unit) {
    const uint32_t along = unit * (is_turned(o) ? TURNED_EL : MATRIX_UNIT_B);
    return is_turned(o) ? tma_mma_read(&o->descriptor, &o->shape, along, line).address_B
                        : tma_mma_read(&o->descriptor, &o->shape, line, along).address_B;
}

/* Without a swizzle eight lines of one unit lie together, with one the units of a line. */
static uint32_t address_at(const matrix_operand *o, uint32_t at) {
    return o->descriptor.swizzle == TMA_SWIZZLE_NONE ? address_of(o, at % o->lines, at / o->lines)
                                                     : address_of(o, at / o->units, at % o->units);
}

int matrix_next_range(const matrix_operand *o, uint32_t *at, matrix_range *range) {
    const uint32_t all = o->lines * o->units;
    if (*at >= all) {
        return 0;
    }
    *range = (matrix_range){address_at(o, *at), MATRIX_UNIT_B};
    while (++*at < all) {
        const uint32_t next = address_at(o, *at);
        if (next == range->first_B + range->size_B) {
            range->size_B += MATRIX_UNIT_B;
        } else if (next + MATRIX_UNIT_B == range->first_B) {
            range->first_B = next;
            range->size_B += MATRIX_UNIT_B;
        } else {
            break;
        }
    }
    return 1;
}

void matrix_read(const matrix_operand *o, const uint8_t *shared, uint8_t (*rows)[MATRIX_ROW_B]) {
    for (uint32_t line = 0; line < o->lines; line++) {
        for (uint32_t unit = 0; unit < o->units; unit++) {
            const uint8_t *from = shared + address_of(o, line, unit);
            if (!is_turned(o)) {
                memcpy(rows[line] + MATRIX_UNIT_B * unit, from, MATRIX_UNIT_B);
                continue;
            }
            for (uint32_t i = 0; i < TURNED_EL; i++) {
                memcpy(rows[TURNED_EL * unit + i] + 2 * line, from + 2 * i, 2);
            }
        }
    }
}
