/* SPDX-License-Identifier: Apache-2.0
 *
 * ldmatrix of elements of 8 bits, and of 4 or 6 that get a byte each: 16 of them are a row of 16
 * bytes, which a lane names. m8n16: a lane gets four of one row; m16n16, turned: four rows' of one
 * column. stmatrix of m16n8, turned: each row of memory is a column of 16; a lane has two columns'
 * of one row and of the eighth after it. Which lane has which: CUTLASS' copy traits of sm_100, and
 * figure 108. No Blackwell was measured.
 */
#include <string.h>

#include "matrix_fragment.h"
#include "matrix_move.h"
#include "threads.h"

#define ROW_B 16
#define ROW   16 /* elements */

/* Bits of an element in memory. */
static uint32_t bits_of(const emu_instruction *in) {
    return emu_flag(in, EMU_FLAG_B4X16_P64) ? 4 : emu_flag(in, EMU_FLAG_B6X16_P32) ? 6 : 8;
}

static int is_turned(const emu_instruction *in) {
    return emu_flag(in, EMU_FLAG_TRANS);
}

/* The row and column, from its register's first row on, of byte q of a lane. */
static void element_at(const emu_instruction *in, uint32_t index, uint32_t lane, uint32_t q,
                       uint32_t *row, uint32_t *column) {
    if (is_turned(in)) { /* two registers a matrix */
        *row = index / 2 * ROW + lane % 4 * 4 + q;
        *column = index % 2 * 8 + lane / 4;
    } else {
        *row = index * 8 + lane / 4;
        *column = lane % 4 * 4 + q;
    }
}

/* An element in the low bits of its byte. */
static uint32_t element_of(const uint8_t *row, uint32_t bits, uint32_t column) {
    const uint32_t at = column * bits, next = at / 8 + 1 < ROW_B ? row[at / 8 + 1] : 0;
    return ((row[at / 8] | next << 8) >> at % 8) & ((1u << bits) - 1);
}

/* Lanes that get an element of which nobody wrote a bit. */
static uint32_t unwritten_lanes(emu_warp *w, const emu_instruction *in, const emu_reach *reach,
                                uint32_t index) {
    const uint32_t bits = bits_of(in);
    uint32_t unwritten[ROW], lanes = 0;
    for (uint32_t c = 0; c < ROW; c++) {
        const uint32_t first_B = c * bits / 8, last_B = (c * bits + bits - 1) / 8;
        unwritten[c] = emu_reach_unwritten(w->machine, reach, first_B, last_B - first_B + 1);
    }
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        for (uint32_t q = 0; q < 4; q++) {
            uint32_t row, column;
            element_at(in, index, l, q, &row, &column);
            lanes |= (unwritten[column] >> row & 1) << l;
        }
    }
    return lanes;
}

static emu_step run_load(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const matrix_registers to = matrix_registers_of(w, &in->operand[0]);
    const uint32_t registers = matrix_register_count(to.operand), rows = 8 * registers;
    emu_reach reach;
    const emu_step step = emu_all_together(w, in, &mask);
    if (step != EMU_NEXT) {
        return step;
    }
    const uint32_t lanes = rows == EMU_LANES ? EMU_ALL_LANES : (1u << rows) - 1;
    if (emu_reach_operand(w, in, &in->operand[1], lanes, ROW_B, 0, &reach)) {
        return EMU_STOPPED;
    }
    emu_reach_order(w, in, &reach, 1, 0);
    for (uint32_t i = 0; i < registers; i++) {
        uint32_t *out = matrix_lanes(&to, i);
        EMU_FOR_LANES(l, mask) {
            out[l] = 0;
            for (uint32_t q = 0; q < 4; q++) {
                uint32_t row, column;
                element_at(in, i, l, q, &row, &column);
                out[l] |= element_of(reach.place[row].host, bits_of(in), column) << 8 * q;
            }
        }
        const emu_operand *o = matrix_register(w, to.operand, i);
        emu_set_undefined(w, o, mask, unwritten_lanes(w, in, &reach, i));
    }
    return EMU_NEXT;
}

/* .b8, or .b8x16 with one of the packed formats. */
static int has_format(const emu_instruction *in) {
    const int packed = emu_flag(in, EMU_FLAG_B4X16_P64) + emu_flag(in, EMU_FLAG_B6X16_P32);
    return emu_flag(in, EMU_FLAG_B8X16) ? packed == 1 && !in->type[0]
                                        : !packed && in->type[0] == EMU_B8 && is_turned(in);
}

emu_run matrix_choose_load_8(const emu_instruction *in) {
    const emu_operand *to = &in->operand[0];
    const uint32_t registers = in->times * (is_turned(in) ? 2u : 1u);
    const int is_shape = in->shape[1] == 16 && in->shape[0] == (is_turned(in) ? 16 : 8);
    const int is_number = in->times == 1 || in->times == 2 || (in->times == 4 && !is_turned(in));
    return is_shape && is_number && has_format(in) && in->operands == 2 && emu_is_braced(to) &&
                   emu_is_target(to, registers) && emu_bits_of(to) == 32 && !to->number &&
                   in->operand[1].kind == EMU_ADDRESS
               ? run_load
               : NULL;
}

static emu_step run_store(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const uint32_t registers = in->times, rows = 8 * registers;
    uint8_t row[EMU_LANES][ROW_B] = {{0}};
    uint32_t undefined = 0;
    emu_reach reach;
    const emu_step step = emu_all_together(w, in, &mask);
    if (step != EMU_NEXT) {
        return step;
    }
    const uint32_t lanes = rows == EMU_LANES ? EMU_ALL_LANES : (1u << rows) - 1;
    if (emu_reach_operand(w, in, &in->operand[0], lanes, ROW_B, 1, &reach)) {
        return EMU_STOPPED;
    }
    for (uint32_t i = 0; i < registers; i++) {
        const emu_operand *o = matrix_register(w, &in->operand[1], i);
        const uint32_t *value = emu_u32(w, o), unknown = emu_undefined(w, o);
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            const uint32_t first = i * 8 + l % 4 * 2;
            for (uint32_t q = 0; q < 4; q++) {
                row[first + q % 2][l / 4 + q / 2 * 8] = (uint8_t)(value[l] >> 8 * q);
            }
            undefined |= unknown >> l & 1 ? 3u << first : 0;
        }
    }
    matrix_store_rows(w, in, &reach, row, undefined);
    return EMU_NEXT;
}

emu_run matrix_choose_store_8(const emu_instruction *in) {
    const emu_operand *from = &in->operand[1];
    return in->shape[0] == 16 && in->shape[1] == 8 && in->type[0] == EMU_B8 && is_turned(in) &&
                   (in->times == 1 || in->times == 2 || in->times == 4) && in->operands == 2 &&
                   emu_is_braced(from) && emu_is_source(from, in->times) &&
                   emu_has_literals_of(from, EMU_B32) && emu_bits_of(from) == 32 &&
                   in->operand[0].kind == EMU_ADDRESS
               ? run_store
               : NULL;
}
