/* SPDX-License-Identifier: Apache-2.0
 *
 * The product of one tcgen05.mma: A and B gathered, blocks of 64 rows and 8 columns, D put back.
 * One sum without an order for all of K and C, cut at 25 places: what MMA-Sim reports of a B200.
 */
#include <string.h>

#include "heap.h"
#include "matrix_scaled.h"
#include "tensor_mma.h"
#include "tma/detail/assert.h"

#define PLACES   25
#define FRACTION 23

/* ---- elements ---- */

/* What the matrix units call a narrow type. */
static uint32_t narrow_of(uint32_t type) {
    return type == TMA_MMA_TYPE_E3M2 ? EMU_E3M2 : type == TMA_MMA_TYPE_E2M3 ? EMU_E2M3 : EMU_E2M1;
}

/* Rows of shared memory, of which 8 or 12 of 16 bytes hold 16 elements; MN-major they were spread
 * when they were read. */
static void unpack_rows(uint32_t type, int is_spread, uint8_t (*rows)[MATRIX_ROW_B], uint32_t count,
                        uint32_t row_B) {
    const uint32_t bits = tma_mma_type_at(type)->bits;
    uint8_t list[MATRIX_CODES], unit[MATRIX_UNIT_B];
    if (!tma_mma_type_at(type)->padded) {
        return;
    }
    matrix_list_e4m3(narrow_of(type), list);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t at = 0; at < row_B; at += MATRIX_UNIT_B) {
            memcpy(unit, rows[i] + at, sizeof(unit));
            if (!is_spread) {
                matrix_spread(bits, rows[i] + at, unit);
            }
            for (uint32_t n = 0; n < MATRIX_UNIT_B; n++) {
                rows[i][at + n] = list[unit[n]];
            }
        }
    }
}

/* Rows of tensor memory, where each element lies in the middle of a byte of its own. */
static void unpack_bytes(uint32_t type, uint8_t (*rows)[MATRIX_ROW_B], uint32_t count) {
    const uint32_t bits = tma_mma_type_at(type)->bits, shift = bits == 4 ? 2 : 1;
    uint8_t list[MATRIX_CODES];
    if (!tma_mma_type_at(type)->padded) {
        return;
    }
    matrix_list_e4m3(narrow_of(type), list);
    for (uint32_t i = 0; i < count * TENSOR_A_B; i++) {
        uint8_t *byte = &rows[i / TENSOR_A_B][i % TENSOR_A_B];
        *byte = list[*byte >> shift & ((1u << bits) - 1)];
    }
}

uint8_t tensor_element(uint32_t type) {
    switch (type) {
    case TMA_MMA_TYPE_F16:
        return EMU_F16;
    case TMA_MMA_TYPE_BF16:
        return EMU_BF16;
    case TMA_MMA_TYPE_TF32:
        return EMU_TF32;
    case TMA_MMA_TYPE_E5M2:
        return EMU_E5M2;
    case TMA_MMA_TYPE_S8:
        return EMU_S8;
    case TMA_MMA_TYPE_U8:
        return EMU_U8;
    case TMA_MMA_TYPE_E2M1_PACKED:
        return EMU_E2M1;
    default:
        return EMU_E4M3;
    }
}

/* ---- operands ---- */

/* Of tensor memory each part of D has A in its own lanes, as CUTLASS' TmemAllocMode::Duplicated has
 * it. */
static void gather_a(const tensor_mma *t, uint32_t i, uint32_t part,
                     uint8_t (*rows)[MATRIX_ROW_B]) {
    const tensor_form *f = &t->form;
    const tensor_memory *memory = t->cta[i]->tensor;
    if (!t->has_a) {
        matrix_read(&t->from_a[i], t->cta[i]->shared, rows);
        unpack_rows(f->a, f->turns_a, rows, f->rows, TENSOR_A_B);
        return;
    }
    for (uint32_t row = 0; row < f->rows; row++) {
        const uint32_t lane = (t->a >> 16) + tensor_lane(f->layout, row, part);
        memcpy(rows[row], &memory->cell[lane][t->a & 0xffff], TENSOR_A_B);
    }
    unpack_bytes(f->a, rows, f->rows);
}

/* Columns of B: the first CTA's, then the other's; with .ws' mask the columns that it names. */
static void gather_b(const tensor_mma *t, uint8_t (*columns)[MATRIX_ROW_B]) {
    const tensor_form *f = &t->form;
    uint8_t own[TENSOR_N][MATRIX_ROW_B];
    for (uint32_t i = 0; i < f->ctas; i++) {
        matrix_read(&t->from_b[i], t->cta[i]->shared, columns + (size_t)i * (f->n / f->ctas));
    }
    unpack_rows(f->b, f->turns_b, columns, f->n, f->is_sparse ? 2 * TENSOR_A_B : TENSOR_A_B);
    if (t->is_masked) {
        memcpy(own, columns, sizeof(own));
        for (uint32_t n = 0; n < f->n; n++) {
            if (t->column[n] < TENSOR_N) {
                memcpy(columns[n], own[t->column[n]], MATRIX_ROW_B);
            } else {
                memset(columns[n], 0, MATRIX_ROW_B);
            }
        }
    }
}

/* Where the scale factors of a row of A or a column of B lie: in the quarter of lanes in which D's
 * row lies. */
typedef struct place {
    uint32_t lane, column;
} place;

static place scales_place(uint32_t address, uint32_t quarter, uint32_t index) {
    return (place){quarter * TENSOR_QUARTER + index % TENSOR_QUARTER,
                   (address & 0xffff) + index / TENSOR_QUARTER};
}

static uint32_t scales_at(const tensor_memory *memory, uint32_t address, uint32_t quarter,
                          uint32_t index, uint32_t byte) {
    const place at = scales_place(address, quarter, index);
    return memory->cell[at.lane][at.column] >> 8 * byte;
}

static int are_scales_written(const tensor_memory *memory, uint32_t address, uint32_t quarter,
                              uint32_t index) {
    const place at = scales_place(address, quarter, index);
    return tensor_is_written(memory, at.lane, at.column);
}

/* ---- D ---- */

/* D 2^-by, cut as a sum is. */
static uint32_t scaled_down(const matrix_form *form, uint32_t bits, uint32_t by) {
    const int is_f16 = form->d == EMU_F16, mantissa_bit = is_f16 ? 10 : 23;
    const uint32_t exponents = is_f16 ? 31 : 255, sign = is_f16 ? 0x8000 : UINT32_C(1) << 31;
    const uint32_t exponent = bits >> mantissa_bit & exponents;
    if (exponent == exponents || !by) {
        return bits;
    }
    const int64_t all = (int64_t)((bits & ((1u << mantissa_bit) - 1)) |
                                  (exponent ? UINT32_C(1) << mantissa_bit : 0));
    const int e = (int)(exponent ? exponent : 1) - (is_f16 ? 15 : 127) - mantissa_bit - (int)by;
    return matrix_result(form, bits & sign ? -all : all, e);
}

typedef struct block {
    uint32_t first_row, rows, column; /* of D: column from which on 8 are */
    uint32_t part, at;                /* its part, and the column in tensor memory */
} block;

static uint32_t lane_of(const tensor_mma *t, const block *b, uint32_t row) {
    return (t->d >> 16) + tensor_lane(t->form.layout, b->first_row + row, b->part);
}

static void take_d(const tensor_mma *t, uint32_t i, const matrix_form *form, const block *b,
                   uint32_t (*c)[MATRIX_COLUMNS]) {
    const tensor_memory *memory = t->cta[i]->tensor;
    for (uint32_t row = 0; row < b->rows; row++) {
        const uint32_t lane = lane_of(t, b, row);
        for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
            const uint32_t word = t->adds ? memory->cell[lane][b->at + n] : 0;
            c[row][n] = scaled_down(form, form->d == EMU_F16 ? word & 0xffff : word, t->scale_d);
        }
    }
}

/* Whether all of tensor memory that a row of A is read from was written. */
static int is_row_written(const tensor_mma *t, const tensor_memory *memory, const block *b,
                          uint32_t row) {
    const uint32_t number = b->first_row + row, quarter = lane_of(t, b, row) / TENSOR_QUARTER;
    const uint32_t lane = (t->a >> 16) + tensor_lane(t->form.layout, number, b->part);
    for (uint32_t column = 0; t->has_a && column < TENSOR_A_COLUMNS; column++) {
        if (!tensor_is_written(memory, lane, (t->a & 0xffff) + column)) {
            return 0;
        }
    }
    return !t->form.scales || are_scales_written(memory, t->sfa, quarter, number);
}

/* A cell counts as written then, unless something that it is made of was not. */
static void put_d(const tensor_mma *t, uint32_t i, const block *b, uint32_t (*c)[MATRIX_COLUMNS]) {
    tensor_memory *memory = t->cta[i]->tensor;
    const uint32_t first = b->column % (t->form.n / t->form.layout->parts); /* of the part */
    for (uint32_t row = 0; row < b->rows; row++) {
        const uint32_t lane = lane_of(t, b, row), quarter = lane / TENSOR_QUARTER;
        if (t->disabled[i][lane / 32] >> lane % 32 & 1) {
            continue;
        }
        memcpy(&memory->cell[lane][b->at], c[row], sizeof(c[row]));
        const int is_row = is_row_written(t, memory, b, row);
        for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
            const int is_column =
                !t->form.scales || are_scales_written(memory, t->sfb, quarter, first + n);
            const int is_c = !t->adds || tensor_is_written(memory, lane, b->at + n);
            tensor_now_written(memory, lane, b->at + n, is_row && is_column && is_c);
        }
    }
}

/* A of one CTA for one part of D; columns of B of all: bytes as they lie in shared or tensor
 * memory. index: which k of B elements of A meet. */
typedef struct gathered {
    uint8_t a[TENSOR_ROWS][MATRIX_ROW_B], b[TENSOR_N][MATRIX_ROW_B];
    uint8_t index[TENSOR_ROWS][MATRIX_K];
} gathered;

/* From a row on; null: A is dense. */
static const uint8_t (*index_from(const tensor_form *f, const gathered *g,
                                  uint32_t row))[MATRIX_K] {
    return f->is_sparse ? (const uint8_t(*)[MATRIX_K])g->index + row : NULL;
}

static void multiply_scaled(const tensor_mma *t, uint32_t i, const gathered *g, const block *b,
                            uint32_t (*c)[MATRIX_COLUMNS]) {
    const tensor_form *f = &t->form;
    const tensor_memory *memory = t->cta[i]->tensor;
    const uint32_t columns = f->n / f->layout->parts;
    const matrix_scaling how = {.a = tensor_element(f->a),
                                .b = tensor_element(f->b),
                                .negates = f->negates,
                                .scales = f->scales,
                                .is_ue8m0 = f->is_ue8m0,
                                .k = f->k_a};
    uint32_t of_a[MATRIX_ROWS], of_b[MATRIX_COLUMNS];
    for (uint32_t row = 0; row < b->rows; row++) {
        of_a[row] = scales_at(memory, t->sfa, lane_of(t, b, row) / TENSOR_QUARTER,
                              b->first_row + row, f->scale_a);
    }
    for (uint32_t first = 0; first < b->rows; first += TENSOR_QUARTER) { /* rows of one quarter */
        const uint32_t left = b->rows - first;
        for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
            of_b[n] = scales_at(memory, t->sfb, lane_of(t, b, first) / TENSOR_QUARTER,
                                b->column % columns + n, f->scale_b);
        }
        const uint32_t row = b->first_row + first;
        const matrix_scaled_operands o = {.a = g->a + row,
                                          .b = g->b + b->column,
                                          .index = index_from(f, g, row),
                                          .scale_a = of_a + first,
                                          .scale_b = of_b,
                                          .rows = left < TENSOR_QUARTER ? left : TENSOR_QUARTER};
        matrix_scaled(&how, &o, c + first);
    }
}

static void multiply_rows(const tensor_mma *t, uint32_t i, const gathered *g, block *b) {
    const tensor_form *f = &t->form;
    const matrix_form form = {.a = tensor_element(f->a),
                              .b = tensor_element(f->b),
                              .d = f->d,
                              .places = PLACES,
                              .keeps_bit = FRACTION,
                              .negates = f->negates,
                              .saturates = f->saturates,
                              .k = f->k,
                              .k_a = f->k_a};
    const uint32_t left = f->rows - b->first_row, columns = f->n / f->layout->parts;
    const int has_values = t->async.warp->machine->values;
    matrix_a a;
    b->rows = left < MATRIX_ROWS ? left : MATRIX_ROWS;
    if (has_values && !f->scales) {
        matrix_prepare(&a, &form, g->a[b->first_row], b->rows, index_from(f, g, b->first_row));
    }
    for (uint32_t n = 0; n < columns; n += MATRIX_COLUMNS) {
        uint32_t c[MATRIX_ROWS][MATRIX_COLUMNS];
        b->column = b->part * columns + n;
        b->at = (t->d & 0xffff) + n;
        take_d(t, i, &form, b, c);
        if (!has_values) {
            memset(c, 0, sizeof(c));
        } else if (f->scales) {
            multiply_scaled(t, i, g, b, c);
        } else {
            matrix_multiply(&a, &form, g->b[b->column], MATRIX_ROW_B, c);
        }
        put_d(t, i, b, c);
    }
}

/* One CTA's rows of one part of D. */
static int multiply_part(const tensor_mma *t, uint32_t i, uint32_t part, gathered *g) {
    if (t->async.warp->machine->values) {
        gather_a(t, i, part, g->a);
        if (t->form.is_sparse && tensor_indices(t, i, part, g->index)) {
            return -1;
        }
    }
    for (uint32_t row = 0; row < t->form.rows; row += MATRIX_ROWS) {
        block b = {.first_row = row, .part = part};
        multiply_rows(t, i, g, &b);
    }
    return 0;
}

int tensor_multiply(tensor_mma *t) {
    const uint32_t parts = t->form.layout->parts;
    emu_machine *m = t->async.warp->machine;
    gathered *g = emu_take(m, sizeof(*g));
    int is_wrong = g ? 0 : -1;
    TMA_ASSERT((t->form.n / parts) % MATRIX_COLUMNS == 0);
    if (g && m->values) {
        gather_b(t, g->b);
    }
    for (uint32_t at = 0; at < t->form.ctas * parts && !is_wrong; at++) {
        is_wrong = multiply_part(t, at / parts, at % parts, g);
    }
    emu_give(m, g);
    return is_wrong;
}
