/* SPDX-License-Identifier: Apache-2.0
 *
 * mma and mma.sp of sm_120a, whose opcode has a .kind: elements of 4, 6 and 8 bits, blocks with and
 * without scale factors. Sums as MMA-Sim reports them of an RTX 50; no Blackwell was measured.
 */
#include <string.h>

#include "matrix_mma.h"
#include "matrix_scaled.h"
#include "run_report.h"
#include "threads.h"

#define ROWS     16
#define METADATA 4 /* operands of a sparse one: metadata, the selector of those who tell */
#define SELECTOR 5
#define SCALES   4 /* operands: scale-a-data, {byte, thread}, scale-b-data, {byte, thread} */
#define PLACES   25
#define FRACTION 23

/* One kind: which scale factors it has. */
typedef struct kind {
    uint8_t flag, k;        /* k: of A's elements */
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

static int is_sparse(const emu_instruction *in) {
    return emu_flag(in, EMU_FLAG_SP_ORDERED);
}

/* The operand that comes first behind C and metadata. */
static uint32_t first_of(const emu_instruction *in) {
    return is_sparse(in) ? SELECTOR + 1 : METADATA;
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

/* A's rows, B's columns, and which k of B elements of A meet, where A is sparse. */
typedef struct operands {
    uint8_t a[ROWS][MATRIX_ROW_B], b[MATRIX_COLUMNS][MATRIX_ROW_B], index[ROWS][MATRIX_K];
    uint8_t a_type, b_type;
    const uint8_t (*meets)[MATRIX_K];
} operands;

static void gather(emu_warp *w, const emu_instruction *in, const kind *k, operands *o) {
    const matrix_registers a = matrix_registers_of(w, &in->operand[1]),
                           b = matrix_registers_of(w, &in->operand[2]);
    *o = (operands){.a_type = k->is_narrow ? (uint8_t)EMU_E2M1 : wide_type(in->type[1]),
                    .b_type = k->is_narrow ? (uint8_t)EMU_E2M1 : wide_type(in->type[2])};
    matrix_gather_a(&a, ROWS, o->a);
    matrix_gather_b(&b, o->b[0], MATRIX_ROW_B);
    if (!k->is_narrow) {
        widen(in->type[1], o->a, ROWS, k->k);
        widen(in->type[2], o->b, MATRIX_COLUMNS, in->shape[2]);
    }
    if (is_sparse(in)) {
        matrix_indices(emu_u32(w, &in->operand[METADATA]), 0, o->a_type, in->shape[2], o->index);
        o->meets = (const uint8_t(*)[MATRIX_K])o->index;
    }
}

static void multiply_scaled(emu_warp *w, const emu_instruction *in, const operands *o,
                            const selector *a, const selector *b, uint32_t (*c)[MATRIX_COLUMNS]) {
    const kind *k = kind_of(in);
    const uint32_t first = first_of(in);
    uint32_t rows[ROWS], columns[MATRIX_COLUMNS];
    for (uint32_t row = 0; row < ROWS; row++) {
        rows[row] = emu_u32(w, &in->operand[first])[lane_of_row(row, a)] >> 8 * a->byte;
    }
    for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
        columns[n] = emu_u32(w, &in->operand[first + 2])[lane_of_column(n, b)] >> 8 * b->byte;
    }
    const matrix_scaling how = {.a = o->a_type,
                                .b = o->b_type,
                                .scales = scales_of(in, k),
                                .is_ue8m0 = in->type[4] == EMU_UE8M0,
                                .k = k->k};
    const matrix_scaled_operands all = {
        .a = o->a, .b = o->b, .index = o->meets, .scale_a = rows, .scale_b = columns, .rows = ROWS};
    matrix_scaled(&how, &all, c);
}

static void multiply_plain(const emu_instruction *in, const operands *o,
                           uint32_t (*c)[MATRIX_COLUMNS]) {
    const matrix_form form = {.a = o->a_type,
                              .b = o->b_type,
                              .d = in->type[0],
                              .places = PLACES,
                              .keeps_bit = FRACTION,
                              .k = in->shape[2],
                              .k_a = kind_of(in)->k};
    matrix_a prepared;
    matrix_prepare(&prepared, &form, o->a[0], ROWS, o->meets);
    matrix_multiply(&prepared, &form, o->b[0], MATRIX_ROW_B, c);
}

/* Why the instruction's selectors or metadata are undefined; null: they are not. */
static const char *undefined_why(emu_warp *w, const emu_instruction *in, const selector *a,
                                 const selector *b) {
    const kind *k = kind_of(in);
    const uint32_t scales = scales_of(in, k);
    if (emu_flag(in, EMU_FLAG_BLOCK_SCALE) &&
        (!is_selector(a, scales, 2) || !is_selector(b, scales, 4))) {
        return "a byte or thread that selects scale factors is none that their number has: "
               "undefined";
    }
    for (uint32_t i = 0; w->machine->values && i < 8 * EMU_LANES && is_sparse(in); i++) {
        const uint32_t word = emu_u32(w, &in->operand[METADATA])[i / 8];
        if (!emu_undefined(w, &in->operand[METADATA]) &&
            !matrix_is_meaningful(k->is_narrow ? EMU_E2M1 : EMU_E4M3, word >> i % 8 * 4 & 15, 1)) {
            return "metadata of a sparse A that names no elements in order: undefined";
        }
    }
    return NULL;
}

static emu_step run_kind(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_step step = emu_all_together(w, in, &mask);
    if (step != EMU_NEXT) {
        return step;
    }
    const matrix_registers c = matrix_registers_of(w, &in->operand[3]),
                           d = matrix_registers_of(w, &in->operand[0]);
    const uint32_t first = first_of(in);
    const int is_scaled = emu_flag(in, EMU_FLAG_BLOCK_SCALE);
    const selector none = {0, 0}, a = is_scaled ? selector_of(w, &in->operand[first + 1]) : none,
                   b = is_scaled ? selector_of(w, &in->operand[first + 3]) : none;
    const char *why = undefined_why(w, in, &a, &b);
    if (why) {
        return emu_stop(w->machine, TMA_EMULATE_TRAP, w, in, why);
    }
    uint32_t sum[ROWS][MATRIX_COLUMNS] = {{0}};
    uint32_t of_rows = is_scaled ? undefined_scales(w, &in->operand[first], &a, 0) : 0;
    if (is_sparse(in)) {
        of_rows |= emu_undefined(w, &in->operand[METADATA]);
    }
    if (w->machine->values) {
        operands o;
        matrix_gather_c(&c, in->type[0], ROWS, 0, sum);
        gather(w, in, kind_of(in), &o);
        if (is_scaled) {
            multiply_scaled(w, in, &o, &a, &b, sum);
        } else {
            multiply_plain(in, &o, sum);
        }
    }
    matrix_scatter_d(&d, in->type[0], ROWS, 0, sum);
    matrix_mma_undefined(w, in, mask, of_rows,
                         is_scaled ? undefined_scales(w, &in->operand[first + 2], &b, 1) : 0);
    return EMU_NEXT;
}

/* ---- forms ---- */

static int is_element(uint32_t type, const kind *k) {
    return type == EMU_E2M1 || (!k->is_narrow && (type == EMU_E4M3 || type == EMU_E5M2 ||
                                                  type == EMU_E2M3 || type == EMU_E3M2));
}

static int is_word(const emu_operand *o) {
    return !o->constant && emu_is_source(o, 1) && emu_bits_of(o) == 32;
}

static int is_pair(const emu_instruction *in, uint32_t at) {
    return emu_is_source(&in->operand[at], 2) && in->operand[at].kind == EMU_VECTOR;
}

static int has_scales(const emu_instruction *in, const kind *k) {
    const uint32_t scales = scales_of(in, k), type = in->type[4], first = first_of(in);
    const uint32_t types = scales == 1 ? k->one : scales == 2 ? k->two : scales == 4 ? k->four : 0;
    return in->operands == first + SCALES && in->type[0] == EMU_F32 &&
           ((type == EMU_UE8M0 && types & 1) || (type == EMU_UE4M3 && types & 2)) &&
           is_word(&in->operand[first]) && is_pair(in, first + 1) &&
           is_word(&in->operand[first + 2]) && is_pair(in, first + 3);
}

static int has_registers(const emu_instruction *in, uint32_t at, uint32_t count) {
    const emu_operand *o = &in->operand[at];
    return emu_is_source(o, count) && emu_has_literals_of(o, in->type[at]) && emu_bits_of(o) == 32;
}

/* All four threads of a quad tell what A has: the selector is 0. */
static int has_metadata(const emu_instruction *in) {
    const emu_operand *selector = &in->operand[SELECTOR];
    return in->operands > SELECTOR && is_word(&in->operand[METADATA]) && selector->constant &&
           selector->kind == EMU_REGISTER && !selector->number;
}

emu_run emu_choose_mma_kind(const emu_instruction *in) {
    const kind *k = kind_of(in);
    const emu_operand *o = in->operand;
    const uint32_t of_d = in->type[0] == EMU_F16 ? 2 : 4;
    if (!k || in->shape[0] != ROWS || in->shape[1] != MATRIX_COLUMNS ||
        in->shape[2] != k->k << is_sparse(in) || in->layout[0] != EMU_FLAG_ROW ||
        in->layout[1] != EMU_FLAG_COL) {
        return NULL;
    }
    const int are_types = (in->type[0] == EMU_F32 || in->type[0] == EMU_F16) &&
                          in->type[3] == in->type[0] && is_element(in->type[1], k) &&
                          is_element(in->type[2], k);
    const int are_registers = in->operands >= 4 && has_registers(in, 0, of_d) && !o[0].constant &&
                              emu_is_target(&o[0], of_d) && has_registers(in, 1, 4) &&
                              has_registers(in, 2, is_sparse(in) ? 4 : 2) &&
                              has_registers(in, 3, of_d);
    const int is_scaled = emu_flag(in, EMU_FLAG_BLOCK_SCALE);
    return are_types && are_registers && is_scaled == (k->flag != EMU_FLAG_KIND_F8F6F4) &&
                   (!is_sparse(in) || has_metadata(in)) &&
                   (is_scaled ? has_scales(in, k) : in->operands == first_of(in) && !in->type[4])
               ? run_kind
               : NULL;
}
