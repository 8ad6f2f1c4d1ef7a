/* SPDX-License-Identifier: Apache-2.0
 *
 * mma of sm_120a, whose opcode has a .kind: elements of 4, 6 and 8 bits, blocks with and without
 * scale factors. Sums as MMA-Sim reports them of an RTX 50; no Blackwell was measured.
 */
#include <string.h>

#include "matrix_mma.h"
#include "matrix_scaled.h"
#include "run_report.h"
#include "threads.h"

#define ROWS     16
#define FIRST    4 /* operand: scale-a-data, {byte, thread}, scale-b-data, {byte, thread} */
#define SCALED   8 /* operands */
#define PLACES   25
#define FRACTION 23

/* One kind: which scale factors it has. */
typedef struct kind {
    uint8_t flag, k;
    uint8_t is_narrow;      /* elements of 4 bits alone, two in a byte; else each has a byte */
    uint8_t scales;         /* where no word says how many; 0: it has to; */
    uint8_t one, two, four; /* the types that so many may have: 1 ue8m0, 2 ue4m3 */
} kind;

static const kind KINDS[] = {
    {EMU_FLAG_KIND_F8F6F4, 32, 0, 0, 0, 0, 0},
    {EMU_FLAG_KIND_MXF8F6F4, 32, 0, 1, 1, 0, 0},
    {EMU_FLAG_KIND_MXF4, 64, 1, 2, 0, 1, 0},
    {EMU_FLAG_KIND_MXF4NVF4, 64, 1, 0, 0, 1, 3},
};

static const kind *kind_of(const emu_instruction *in) {
    for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++) {
        if (emu_flag(in, KINDS[i].flag)) {
            return &KINDS[i];
        }
    }
    return NULL;
}

static uint8_t scales_of(const emu_instruction *in, const kind *k) {
    return emu_flag(in, EMU_FLAG_SCALE_VEC_1X)   ? 1
           : emu_flag(in, EMU_FLAG_SCALE_VEC_2X) ? 2
           : emu_flag(in, EMU_FLAG_SCALE_VEC_4X) ? 4
                                                 : k->scales;
}

/* ---- elements ---- */

/* e2m1 lies in the middle four bits of its byte, e2m3 and e3m2 in the lower six. */
static void widen(uint32_t type, uint8_t (*rows)[MATRIX_ROW_B], uint32_t count, uint32_t k) {
    uint8_t list[MATRIX_CODES];
    const uint32_t shift = type == EMU_E2M1 ? 2 : 0, codes = type == EMU_E2M1 ? 16 : MATRIX_CODES;
    if (emu_type_of(type)->bits == 8) {
        return;
    }
    matrix_list_e4m3(type, list);
    for (uint32_t row = 0; row < count; row++) {
        for (uint32_t i = 0; i < k; i++) {
            rows[row][i] = list[rows[row][i] >> shift & (codes - 1)];
        }
    }
}

static uint8_t wide_type(uint32_t type) {
    return type == EMU_E5M2 ? EMU_E5M2 : EMU_E4M3;
}

/* ---- scale factors ---- */

/* Two threads of each quad have those of the rows r and r + 8, one those of its column. */
typedef struct selector {
    uint32_t byte, thread;
} selector;

static selector selector_of(const emu_warp *w, const emu_operand *pair) {
    const emu_operand *one = &w->machine->program->operand[pair->first];
    return (selector){(uint32_t)emu_lane_value(w, &one[0], 0),
                      (uint32_t)emu_lane_value(w, &one[1], 0)};
}

static uint32_t lane_of_row(uint32_t row, const selector *s) {
    return row % 8 * 4 + s->thread * 2 + row / 8;
}

static uint32_t lane_of_column(uint32_t column, const selector *s) {
    return column * 4 + s->thread;
}

static int is_selector(const selector *s, uint32_t scales, uint32_t threads) {
    return s->byte % scales == 0 && s->byte + scales <= 4 && s->thread < threads;
}

/* Lanes of a register's that nobody wrote, of those that a selector takes. */
static uint32_t undefined_scales(const emu_warp *w, const emu_operand *o, const selector *s,
                                 int is_b) {
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < (is_b ? MATRIX_COLUMNS : ROWS); i++) {
        lanes |= UINT32_C(1) << (is_b ? lane_of_column(i, s) : lane_of_row(i, s));
    }
    return emu_undefined(w, o) & lanes;
}

/* ---- the product ---- */

static void multiply(const emu_warp *w, const emu_instruction *in, const selector *a,
                     const selector *b, uint32_t (*c)[MATRIX_COLUMNS]) {
    const kind *k = kind_of(in);
    const matrix_registers of_a = matrix_registers_of(w, &in->operand[1]),
                           of_b = matrix_registers_of(w, &in->operand[2]);
    uint8_t x[ROWS][MATRIX_ROW_B] = {{0}}, y[MATRIX_COLUMNS][MATRIX_ROW_B] = {{0}};
    uint32_t rows[ROWS], columns[MATRIX_COLUMNS];
    matrix_gather_a(&of_a, ROWS, x);
    matrix_gather_b(&of_b, y[0], MATRIX_ROW_B);
    if (!k->is_narrow) {
        widen(in->type[1], x, ROWS, k->k);
        widen(in->type[2], y, MATRIX_COLUMNS, k->k);
    }
    if (!emu_flag(in, EMU_FLAG_BLOCK_SCALE)) {
        const matrix_form form = {.a = wide_type(in->type[1]),
                                  .b = wide_type(in->type[2]),
                                  .d = in->type[0],
                                  .places = PLACES,
                                  .keeps_bit = FRACTION,
                                  .k = k->k,
                                  .k_a = k->k};
        matrix_a prepared;
        matrix_prepare(&prepared, &form, x[0], ROWS, NULL);
        matrix_multiply(&prepared, &form, y[0], MATRIX_ROW_B, c);
        return;
    }
    for (uint32_t row = 0; row < ROWS; row++) {
        rows[row] = emu_u32(w, &in->operand[FIRST])[lane_of_row(row, a)] >> 8 * a->byte;
    }
    for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
        columns[n] = emu_u32(w, &in->operand[FIRST + 2])[lane_of_column(n, b)] >> 8 * b->byte;
    }
    const matrix_scaling how = {.a = k->is_narrow ? (uint8_t)EMU_E2M1 : wide_type(in->type[1]),
                                .b = k->is_narrow ? (uint8_t)EMU_E2M1 : wide_type(in->type[2]),
                                .scales = scales_of(in, k),
                                .is_ue8m0 = in->type[4] == EMU_UE8M0,
                                .k = k->k};
    matrix_scaled(&how, (const uint8_t(*)[MATRIX_ROW_B])x, ROWS, (const uint8_t(*)[MATRIX_ROW_B])y,
                  rows, columns, c);
}

static emu_step run_kind(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_step step = emu_all_together(w, in, &mask);
    if (step != EMU_NEXT) {
        return step;
    }
    const matrix_registers c = matrix_registers_of(w, &in->operand[3]),
                           d = matrix_registers_of(w, &in->operand[0]);
    uint32_t sum[ROWS][MATRIX_COLUMNS] = {{0}}, of_rows = 0, of_columns = 0;
    selector a = {0, 0}, b = {0, 0};
    if (emu_flag(in, EMU_FLAG_BLOCK_SCALE)) {
        const uint32_t scales = scales_of(in, kind_of(in));
        a = selector_of(w, &in->operand[FIRST + 1]);
        b = selector_of(w, &in->operand[FIRST + 3]);
        if (!is_selector(&a, scales, 2) || !is_selector(&b, scales, 4)) {
            return emu_stop(w->machine, TMA_EMULATE_TRAP, w, in,
                            "a byte or thread that selects scale factors is none that their number "
                            "has: undefined");
        }
        of_rows = undefined_scales(w, &in->operand[FIRST], &a, 0);
        of_columns = undefined_scales(w, &in->operand[FIRST + 2], &b, 1);
    }
    if (w->machine->values) {
        matrix_gather_c(&c, in->type[0], ROWS, 0, sum);
        multiply(w, in, &a, &b, sum);
    }
    matrix_scatter_d(&d, in->type[0], ROWS, 0, sum);
    matrix_mma_undefined(w, in, mask, of_rows, of_columns);
    return EMU_NEXT;
}

/* ---- forms ---- */

static int is_element(uint32_t type, const kind *k) {
    return type == EMU_E2M1 || (!k->is_narrow && (type == EMU_E4M3 || type == EMU_E5M2 ||
                                                  type == EMU_E2M3 || type == EMU_E3M2));
}

static int is_word(const emu_operand *o) {
    return emu_is_source(o, 1) && emu_bits_of(o) == 32;
}

static int is_pair(const emu_instruction *in, uint32_t at) {
    return emu_is_source(&in->operand[at], 2) && in->operand[at].kind == EMU_VECTOR;
}

static int has_scales(const emu_instruction *in, const kind *k) {
    const uint32_t scales = scales_of(in, k), type = in->type[4];
    const uint32_t types = scales == 1 ? k->one : scales == 2 ? k->two : scales == 4 ? k->four : 0;
    return in->operands == SCALED && in->type[0] == EMU_F32 &&
           ((type == EMU_UE8M0 && types & 1) || (type == EMU_UE4M3 && types & 2)) &&
           is_word(&in->operand[FIRST]) && is_pair(in, FIRST + 1) &&
           is_word(&in->operand[FIRST + 2]) && is_pair(in, FIRST + 3);
}

static int has_registers(const emu_operand *o, uint32_t count) {
    return emu_is_source(o, count) && emu_bits_of(o) == 32;
}

emu_run emu_choose_mma_kind(const emu_instruction *in) {
    const kind *k = kind_of(in);
    const emu_operand *o = in->operand;
    const uint32_t of_d = in->type[0] == EMU_F16 ? 2 : 4;
    if (!k || in->shape[0] != ROWS || in->shape[1] != MATRIX_COLUMNS || in->shape[2] != k->k ||
        in->layout[0] != EMU_FLAG_ROW || in->layout[1] != EMU_FLAG_COL) {
        return NULL;
    }
    const int are_types = (in->type[0] == EMU_F32 || in->type[0] == EMU_F16) &&
                          in->type[3] == in->type[0] && is_element(in->type[1], k) &&
                          is_element(in->type[2], k);
    const int are_registers = in->operands >= 4 && has_registers(&o[0], of_d) && !o[0].constant &&
                              emu_is_target(&o[0], of_d) && has_registers(&o[1], 4) &&
                              has_registers(&o[2], 2) && has_registers(&o[3], of_d);
    const int is_scaled = emu_flag(in, EMU_FLAG_BLOCK_SCALE);
    return are_types && are_registers && is_scaled == (k->flag != EMU_FLAG_KIND_F8F6F4) &&
                   (is_scaled ? has_scales(in, k) : in->operands == 4 && !in->type[4])
               ? run_kind
               : NULL;
}
