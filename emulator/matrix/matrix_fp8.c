/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix_fp8.h"

#include <string.h>

#include "tma/detail/assert.h"
#include "tma/element.h"

/* A byte as f16, which holds them all. */
static uint16_t to_f16(uint32_t type, uint8_t byte) {
    const uint32_t sign = (byte & 0x80u) << 8, rest = byte & 0x7f;
    if (type == EMU_E5M2) {
        return (uint16_t)(rest > 0x7c ? 0x7fffu : sign | rest << 8);
    }
    if (rest == 0x7f) {
        return 0x7fff;
    }
    if (rest >= 8) {
        return (uint16_t)(sign | (rest + (8u << 3)) << 7); /* the bias: 15 instead of 7 */
    }
    if (!rest) {
        return (uint16_t)sign;
    }
    const uint32_t top = 31 - (uint32_t)__builtin_clz(rest); /* rest x 2^-9, normal in f16 */
    return (uint16_t)(sign | (top + 6) << 10 | (rest << (10 - top) & 0x3ff));
}

static void to_f16s(uint32_t type, const uint8_t *bytes, uint32_t count, uint8_t *out) {
    for (uint32_t i = 0; i < count; i++) {
        const uint16_t v = to_f16(type, bytes[i]);
        memcpy(out + 2 * (size_t)i, &v, sizeof(v));
    }
}

#define ROWS 16

/* Half of each row's elements (of each four, 0 and 1, or 2 and 3), and which of B they meet. */
static void take_half(const matrix_form *form, const uint8_t *bytes, uint32_t rows,
                      const uint8_t (*index)[MATRIX_K], uint32_t half,
                      uint8_t out[ROWS][MATRIX_ROW_B], uint8_t out_index[ROWS][MATRIX_K]) {
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t i = 0; i < form->k_a / 2; i++) {
            const uint32_t from = i / 2 * 4 + i % 2 + 2 * half;
            to_f16s(form->a, bytes + (size_t)row * MATRIX_ROW_B + from, 1,
                    &out[row][(size_t)2 * i]);
            out_index[row][i] = index ? index[row][from] : (uint8_t)from;
        }
    }
}

void matrix_multiply_fp8(const matrix_form *form, const uint8_t *bytes, uint32_t rows,
                         const uint8_t (*index)[MATRIX_K], const uint8_t *b, uint32_t b_step_B,
                         uint32_t (*c)[MATRIX_COLUMNS]) {
    TMA_ASSERT(rows <= ROWS && form->k <= MATRIX_ROW_B);
    matrix_form half = *form;
    uint8_t x[ROWS][MATRIX_ROW_B], meets[ROWS][MATRIX_K], y[MATRIX_COLUMNS][2 * MATRIX_ROW_B];
    uint32_t sum[ROWS][MATRIX_COLUMNS] = {{0}};
    matrix_a a;
    half.a = half.b = EMU_F16;
    half.k_a = form->k_a / 2;
    for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
        to_f16s(form->b, b + (size_t)n * b_step_B, form->k, y[n]);
    }
    for (uint32_t h = 0; h < 2; h++) {
        take_half(form, bytes, rows, index, h, x, meets);
        matrix_prepare(&a, &half, x[0], rows, (const uint8_t(*)[MATRIX_K])meets);
        matrix_multiply(&a, &half, y[0], sizeof(y[0]), sum);
    }
    const uint32_t dtype = form->d == EMU_F16 ? TMA_DTYPE_FLOAT16 : TMA_DTYPE_FLOAT32;
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
            c[row][n] = (uint32_t)tma_reduce(TMA_OP_ADD, dtype, sum[row][n], c[row][n]);
        }
    }
}
