/* SPDX-License-Identifier: Apache-2.0
 *
 * ldmatrix, stmatrix, movmatrix: matrices of 8 by 8 elements of 16 bits, whose rows lie where eight
 * lanes say.
 */
#include <string.h>

#include "matrix_fragment.h"
#include "matrix_move.h"
#include "threads.h"
#include "tma/detail/assert.h"

#define ROW_B  16
#define NUMBER 4 /* matrices at most */

typedef struct matrices {
    uint32_t count;
    uint16_t element[NUMBER][8][8];
} matrices;

/* Which element of its matrix a lane's register holds in its low half, or its high one. */
static uint16_t *element_of(matrices *m, const emu_instruction *in, uint32_t matrix, uint32_t lane,
                            uint32_t high) {
    const uint32_t row = lane / 4, column = lane % 4 * 2 + high;
    return emu_flag(in, EMU_FLAG_TRANS) ? &m->element[matrix][column][row]
                                        : &m->element[matrix][row][column];
}

static uint32_t count_of(const emu_operand *o) {
    return matrix_register_count(o);
}

/* Rows: matrix i's are where lanes 8 i to 8 i + 7 say. */
static int reach_rows(emu_warp *w, const emu_instruction *in, const emu_operand *at, uint32_t count,
                      int writes, emu_reach *reach) {
    const uint32_t lanes = count == NUMBER ? EMU_ALL_LANES : (1u << 8 * count) - 1;
    return emu_reach_operand(w, in, at, lanes, ROW_B, writes, reach);
}

/* Lanes that get bytes which nobody wrote. */
static uint32_t unwritten_lanes(emu_warp *w, const emu_instruction *in, const emu_reach *reach,
                                uint32_t matrix) {
    uint32_t unwritten[8], lanes = 0;
    for (uint32_t c = 0; c < 8; c++) {
        unwritten[c] = emu_reach_unwritten(w->machine, reach, 2 * c, 2) >> 8 * matrix & 0xff;
    }
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        for (uint32_t high = 0; high < 2; high++) {
            const uint32_t row = l / 4, column = l % 4 * 2 + high;
            const int is_turned = emu_flag(in, EMU_FLAG_TRANS);
            const uint32_t r = is_turned ? column : row, c = is_turned ? row : column;
            lanes |= (unwritten[c] >> r & 1) << l;
        }
    }
    return lanes;
}

static emu_step run_load(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_operand *to = &in->operand[0];
    matrices m = {.count = count_of(to)};
    emu_reach reach;
    const emu_step step = emu_all_together(w, in, &mask);
    if (step != EMU_NEXT) {
        return step;
    }
    if (reach_rows(w, in, &in->operand[1], m.count, 0, &reach)) {
        return EMU_STOPPED;
    }
    emu_reach_order(w, in, &reach, 1, 0);
    for (uint32_t i = 0; i < 8 * m.count; i++) {
        memcpy(m.element[i / 8][i % 8], reach.place[i].host, ROW_B);
    }
    const int is_whole = !emu_reach_unwritten(w->machine, &reach, 0, ROW_B);
    for (uint32_t i = 0; i < m.count; i++) {
        const emu_operand *o = matrix_register(w, to, i);
        uint32_t *lanes = emu_u32(w, o);
        EMU_FOR_LANES(l, mask) {
            lanes[l] = *element_of(&m, in, i, l, 0) | (uint32_t)*element_of(&m, in, i, l, 1) << 16;
        }
        emu_set_undefined(w, o, mask, is_whole ? 0 : unwritten_lanes(w, in, &reach, i));
    }
    return EMU_NEXT;
}

static uint32_t same_rows(const emu_reach *reach, const uint8_t *rows) {
    uint32_t same = 0;
    EMU_FOR_LANES(l, reach->mask) {
        same |= (uint32_t)!memcmp(reach->place[l].host, rows + (size_t)l * ROW_B, ROW_B) << l;
    }
    return same;
}

void matrix_store_rows(emu_warp *w, const emu_instruction *in, emu_reach *reach, const void *rows,
                       uint32_t undefined) {
    reach->there = same_rows(reach, rows);
    EMU_FOR_LANES(l, reach->mask) {
        memcpy(reach->place[l].host, (const uint8_t *)rows + (size_t)l * ROW_B, ROW_B);
    }
    reach->alike = same_rows(reach, rows);
    emu_reach_differ(reach);
    emu_reach_order(w, in, reach, 0, 1);
    emu_reach_write(w, in, reach, 0, ROW_B, undefined);
}

static emu_step run_store(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_operand *from = &in->operand[1];
    matrices m = {.count = count_of(from)};
    emu_reach reach;
    const emu_step step = emu_all_together(w, in, &mask);
    if (step != EMU_NEXT) {
        return step;
    }
    if (reach_rows(w, in, &in->operand[0], m.count, 1, &reach)) {
        return EMU_STOPPED;
    }
    uint32_t undefined = 0; /* rows that hold an element of an undefined lane */
    for (uint32_t i = 0; i < m.count; i++) {
        const emu_operand *o = matrix_register(w, from, i);
        const uint32_t *lanes = emu_u32(w, o), unknown = emu_undefined(w, o);
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            *element_of(&m, in, i, l, 0) = (uint16_t)lanes[l];
            *element_of(&m, in, i, l, 1) = (uint16_t)(lanes[l] >> 16);
            const uint32_t rows = emu_flag(in, EMU_FLAG_TRANS) ? 3u << l % 4 * 2 : 1u << l / 4;
            undefined |= unknown >> l & 1 ? rows << 8 * i : 0;
        }
    }
    matrix_store_rows(w, in, &reach, m.element, undefined);
    return EMU_NEXT;
}

static emu_step run_move(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    matrices m;
    const emu_step step = emu_all_together(w, in, &mask);
    if (step != EMU_NEXT) {
        return step;
    }
    const uint32_t *from = emu_u32(w, &in->operand[1]);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        uint16_t *at = &m.element[0][l / 4][(size_t)2 * (l % 4)];
        at[0] = (uint16_t)from[l];
        at[1] = (uint16_t)(from[l] >> 16);
    }
    const uint32_t unknown = emu_undefined(w, &in->operand[1]);
    uint32_t *to = emu_u32(w, &in->operand[0]), undefined = 0;
    EMU_FOR_LANES(l, mask) {
        to[l] = *element_of(&m, in, 0, l, 0) | (uint32_t)*element_of(&m, in, 0, l, 1) << 16;
        for (uint32_t high = 0; high < 2; high++) { /* row l % 4 * 2 + high, column l / 4 */
            const uint32_t source = (l % 4 * 2 + high) * 4 + l / 8;
            undefined |= (unknown >> source & 1) << l;
        }
    }
    emu_set_undefined(w, &in->operand[0], mask, undefined);
    return EMU_NEXT;
}

/* ---- forms ---- */

static int is_8_by_8(const emu_instruction *in) {
    return in->type[0] == EMU_B16 && in->shape[0] == 8 && in->shape[1] == 8;
}

static int is_number(const emu_instruction *in, const emu_operand *o) {
    const uint32_t count = count_of(o);
    return (count == 1 || count == 2 || count == 4) && count == in->times && emu_is_braced(o) &&
           emu_has_literals_of(o, EMU_B32) && emu_bits_of(o) == 32;
}

emu_run emu_choose_ldmatrix(const emu_instruction *in) {
    const emu_operand *to = &in->operand[0];
    if (in->shape[1] == 16) {
        return matrix_choose_load_8(in);
    }
    return is_8_by_8(in) && in->operands == 2 && is_number(in, to) &&
                   emu_is_target(to, count_of(to)) && in->operand[1].kind == EMU_ADDRESS &&
                   !to->number
               ? run_load
               : NULL;
}

emu_run emu_choose_stmatrix(const emu_instruction *in) {
    const emu_operand *from = &in->operand[1];
    if (in->shape[0] == 16) {
        return matrix_choose_store_8(in);
    }
    return is_8_by_8(in) && in->operands == 2 && is_number(in, from) &&
                   emu_is_source(from, count_of(from)) && in->operand[0].kind == EMU_ADDRESS
               ? run_store
               : NULL;
}

emu_run emu_choose_movmatrix(const emu_instruction *in) {
    return is_8_by_8(in) && in->operands == 2 && emu_is_target(&in->operand[0], 1) &&
                   emu_is_source(&in->operand[1], 1) && emu_bits_of(&in->operand[0]) == 32 &&
                   emu_bits_of(&in->operand[1]) == 32
               ? run_move
               : NULL;
}
