/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix_chain.h"

#include <string.h>

#include "compute_float.h"

static compute_rules rules_of(uint32_t op, uint32_t type, uint32_t operands) {
    return (compute_rules){.format = compute_format_of(type),
                           .operands = compute_format_of(operands),
                           .op = (uint8_t)op,
                           .rounding = EMU_RN};
}

/* ---- f64 ---- */

static uint64_t element_f64(const matrix_registers *r, uint32_t index, uint32_t lane) {
    return ((const uint64_t *)(const void *)matrix_lanes(r, index))[lane];
}

static void chain_f64(const emu_instruction *in, const matrix_registers *d,
                      const matrix_registers *a, const matrix_registers *b,
                      const matrix_registers *c) {
    const compute_rules fma = rules_of(EMU_OP_FMA, EMU_F64, EMU_F64);
    const uint32_t halves = in->shape[0] / 8u;
    uint64_t sum[4][EMU_LANES];
    for (uint32_t i = 0; i < 2 * halves; i++) {
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            const uint32_t row = l / 4, column = l % 4 * 2 + i % 2;
            sum[i][l] = element_f64(c, i, l);
            for (uint32_t k = 0; k < in->shape[2]; k++) {
                const uint64_t x = element_f64(a, i / 2 + k / 4 * halves, row * 4 + k % 4);
                const uint64_t y = element_f64(b, k / 4, column * 4 + k % 4);
                sum[i][l] = compute_arithmetic(&fma, x, y, sum[i][l]);
            }
        }
    }
    for (uint32_t i = 0; i < 2 * halves; i++) {
        memcpy(matrix_lanes(d, i), sum[i], sizeof(sum[i]));
    }
}

/* ---- m8n8k4 of f16 ---- */

#define PAIRS 4 /* of quads: lanes 4 p to 4 p + 3 and those 16 behind them */

typedef struct small {
    uint16_t a[8][4], b[4][8];
    uint32_t c[8][8];
} small;

static uint16_t half_of(const matrix_registers *r, uint32_t index, uint32_t lane) {
    return (uint16_t)(matrix_lanes(r, index / 2)[lane] >> index % 2 * 16);
}

/* Where a lane's element i of an f32 C lies. */
static uint32_t *place_f32(small *s, uint32_t lane, uint32_t i) {
    const uint32_t row = (lane & 1) + (i & 2) + (lane < 16 ? 0 : 4);
    return &s->c[row][(i & 4) + (lane & 2) + (i & 1)];
}

static void gather(small *s, const emu_instruction *in, const matrix_registers *a,
                   const matrix_registers *b, const matrix_registers *c, uint32_t pair) {
    const int a_is_row = in->layout[0] == EMU_FLAG_ROW, b_is_row = in->layout[1] == EMU_FLAG_ROW;
    for (uint32_t n = 0; n < 8; n++) {
        const uint32_t lane = 4 * pair + n % 4 + n / 4 * 16, base = n / 4 * 4;
        for (uint32_t i = 0; i < 4; i++) {
            *(a_is_row ? &s->a[n][i] : &s->a[base + i][n % 4]) = half_of(a, i, lane);
            *(b_is_row ? &s->b[n % 4][base + i] : &s->b[i][n]) = half_of(b, i, lane);
        }
        for (uint32_t i = 0; i < 8; i++) {
            if (in->type[3] == EMU_F16) {
                s->c[n][i] = half_of(c, i, lane);
            } else {
                *place_f32(s, lane, i) = matrix_lanes(c, i)[lane];
            }
        }
    }
}

static uint32_t widened(uint32_t half) {
    const compute_number x = compute_read(compute_format_of(EMU_F16), half);
    return (uint32_t)compute_round(compute_format_of(EMU_F32), &x, EMU_RN, 0, 0);
}

static uint32_t dot_f32(const small *s, uint32_t row, uint32_t n) {
    const compute_rules fma = rules_of(EMU_OP_FMA, EMU_F32, EMU_F16),
                        add = rules_of(EMU_OP_ADD, EMU_F32, EMU_F32);
    uint64_t sum = 0;
    for (uint32_t k = 0; k < 4; k++) {
        sum = compute_arithmetic(&fma, s->a[row][k], s->b[k][n], sum);
    }
    return (uint32_t)compute_arithmetic(&add, sum, s->c[row][n], 0);
}

static uint32_t dot_f16(const small *s, uint32_t row, uint32_t n) {
    const compute_rules mul = rules_of(EMU_OP_MUL, EMU_F32, EMU_F16),
                        fma = rules_of(EMU_OP_FMA, EMU_F32, EMU_F16),
                        add = rules_of(EMU_OP_ADD, EMU_F32, EMU_F32);
    uint64_t sum = widened(s->c[row][n]);
    for (uint32_t k = 0; k < 4; k += 2) {
        uint64_t pair = compute_arithmetic(&mul, s->a[row][k], s->b[k][n], 0);
        pair = compute_arithmetic(&fma, s->a[row][k + 1], s->b[k + 1][n], pair);
        sum = compute_arithmetic(&add, sum, pair, 0);
    }
    const compute_number x = compute_read(compute_format_of(EMU_F32), sum);
    return (uint32_t)compute_round(compute_format_of(EMU_F16), &x, EMU_RN, 0, 0);
}

static void chain_f16(const emu_instruction *in, const matrix_registers *d,
                      const matrix_registers *a, const matrix_registers *b,
                      const matrix_registers *c) {
    small all[PAIRS];
    for (uint32_t p = 0; p < PAIRS; p++) {
        gather(&all[p], in, a, b, c, p);
        for (uint32_t at = 0; at < 64; at++) { /* each element of C is read once, by itself */
            uint32_t *to = &all[p].c[at / 8][at % 8];
            *to = in->type[0] == EMU_F16 ? dot_f16(&all[p], at / 8, at % 8)
                                         : dot_f32(&all[p], at / 8, at % 8);
        }
    }
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        small *s = &all[l % 16 / 4];
        const uint32_t row = l % 4 + (l < 16 ? 0 : 4);
        for (uint32_t i = 0; i < 8; i++) {
            if (in->type[0] == EMU_F32) {
                matrix_lanes(d, i)[l] = *place_f32(s, l, i);
            } else if (i % 2) {
                matrix_lanes(d, i / 2)[l] = s->c[row][i - 1] | s->c[row][i] << 16;
            }
        }
    }
}

/* ---- forms ---- */

int matrix_is_chain(const emu_instruction *in) {
    const uint32_t m = in->shape[0], k = in->shape[2];
    const uint32_t a = matrix_register_count(&in->operand[1]),
                   b = matrix_register_count(&in->operand[2]),
                   c = matrix_register_count(&in->operand[3]),
                   d = matrix_register_count(&in->operand[0]);
    if (in->type[1] == EMU_F64) {
        return (in->rounding == EMU_NO_ROUNDING || in->rounding == EMU_RN) && d == m / 4 &&
               c == d && a == m * k / 32 && b == k / 4 &&
               (k == 4 || (m == 16 && (k == 8 || k == 16)));
    }
    const uint32_t words = in->type[0] == EMU_F32 ? 8 : 4;
    return m == 8 && k == 4 && in->type[1] == EMU_F16 && in->type[2] == EMU_F16 &&
           (in->type[0] == EMU_F32 || in->type[0] == EMU_F16) && in->type[3] == in->type[0] &&
           a == 2 && b == 2 && c == words && d == words;
}

void matrix_chain(const emu_warp *w, const emu_instruction *in) {
    const matrix_registers d = matrix_registers_of(w, &in->operand[0]),
                           a = matrix_registers_of(w, &in->operand[1]),
                           b = matrix_registers_of(w, &in->operand[2]),
                           c = matrix_registers_of(w, &in->operand[3]);
    const int is_f64 = in->type[0] == EMU_F64;
    for (uint32_t i = 0; !w->machine->values && i < matrix_register_count(d.operand); i++) {
        memset(matrix_lanes(&d, i), 0, is_f64 ? 2 * EMU_SLOT_B : EMU_SLOT_B);
    }
    if (w->machine->values) {
        (is_f64 ? chain_f64 : chain_f16)(in, &d, &a, &b, &c);
    }
}
