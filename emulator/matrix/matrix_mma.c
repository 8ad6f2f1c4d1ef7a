/* SPDX-License-Identifier: Apache-2.0
 *
 * mma.sync and mma.sp of one warp: registers to rows and columns, the product, and back.
 */
#include <string.h>

#include "matrix_chain.h"
#include "matrix_fp8.h"
#include "matrix_mma.h"
#include "threads.h"
#include "tma/detail/assert.h"

#define ROWS     16
#define SP_META  4 /* operands of mma.sp */
#define SP_WHICH 5

static int is_sparse(const emu_instruction *in) {
    return emu_flag(in, EMU_FLAG_SP) || emu_flag(in, EMU_FLAG_SP_ORDERED);
}

static int is_fp8(uint32_t type) {
    return type == EMU_E4M3 || type == EMU_E5M2;
}

static matrix_form form_of(const emu_instruction *in) {
    return (matrix_form){.a = in->type[1],
                         .b = in->type[2],
                         .d = in->type[0],
                         .places = 25,
                         .keeps_bit = 23,
                         .saturates = (uint8_t)emu_flag(in, EMU_FLAG_SATFINITE),
                         .is_xor = in->boolean == EMU_BOOLEAN_XOR,
                         .k = in->shape[2],
                         .k_a = is_sparse(in) ? in->shape[2] / 2u : in->shape[2]};
}

/* Lanes of an operand in any of whose registers nobody wrote. */
static uint32_t undefined_of(const emu_warp *w, const matrix_registers *r) {
    uint32_t lanes = 0;
    for (uint32_t i = 0; w->machine->tracks && i < matrix_register_count(r->operand); i++) {
        const int32_t slot = matrix_slot(r, i);
        lanes |= slot >= 0 ? r->frame->undefined[slot] : 0;
    }
    return lanes;
}

/* Lane l of D lacks a value where one of its quad's lanes of A does, one of the lanes that hold its
 * columns of B, or itself in C. */
void matrix_mma_undefined(emu_warp *w, const emu_instruction *in, uint32_t mask, uint32_t of_rows,
                          uint32_t of_columns) {
    const matrix_registers d = matrix_registers_of(w, &in->operand[0]),
                           a = matrix_registers_of(w, &in->operand[1]),
                           b = matrix_registers_of(w, &in->operand[2]),
                           c = matrix_registers_of(w, &in->operand[3]);
    const uint32_t rows = undefined_of(w, &a) | of_rows, columns = undefined_of(w, &b) | of_columns;
    uint32_t undefined = undefined_of(w, &c);
    for (uint32_t l = 0; l < EMU_LANES && (rows | columns); l++) {
        const uint32_t quad = rows >> l / 4 * 4 & 0xf, two = columns >> l % 4 * 8 & 0xff;
        undefined |= (uint32_t)(quad || two) << l;
    }
    for (uint32_t i = 0; w->machine->tracks && i < matrix_register_count(d.operand); i++) {
        uint32_t *u = &d.frame->undefined[matrix_slot(&d, i)];
        *u = (*u & ~mask) | (undefined & mask);
    }
}

static void multiply(emu_warp *w, const emu_instruction *in, uint32_t rows,
                     uint32_t (*c)[MATRIX_COLUMNS]) {
    const matrix_form form = form_of(in);
    const matrix_registers a = matrix_registers_of(w, &in->operand[1]),
                           b = matrix_registers_of(w, &in->operand[2]);
    uint8_t x[ROWS][MATRIX_ROW_B], y[MATRIX_COLUMNS][MATRIX_ROW_B], meets[ROWS][MATRIX_K];
    const uint8_t(*index)[MATRIX_K] = NULL;
    matrix_a prepared;
    matrix_gather_a(&a, rows, x);
    matrix_gather_b(&b, y[0], MATRIX_ROW_B);
    if (is_sparse(in)) {
        matrix_indices(emu_u32(w, &in->operand[SP_META]), *emu_u32(w, &in->operand[SP_WHICH]),
                       form.a, form.k, meets);
        index = (const uint8_t(*)[MATRIX_K])meets;
    }
    if (is_fp8(form.a)) {
        matrix_multiply_fp8(&form, x[0], rows, index, y[0], MATRIX_ROW_B, c);
        return;
    }
    matrix_prepare(&prepared, &form, x[0], rows, index);
    matrix_multiply(&prepared, &form, y[0], MATRIX_ROW_B, c);
}

static emu_step run_mma(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_step step = emu_all_together(w, in, &mask);
    if (step != EMU_NEXT) {
        return step;
    }
    const uint32_t rows = in->shape[0];
    const matrix_registers c = matrix_registers_of(w, &in->operand[3]),
                           d = matrix_registers_of(w, &in->operand[0]);
    uint32_t sum[ROWS][MATRIX_COLUMNS] = {{0}};
    if (w->machine->values) {
        matrix_gather_c(&c, in->type[0], rows, 0, sum);
        multiply(w, in, rows, sum);
    }
    matrix_scatter_d(&d, in->type[0], rows, 0, sum);
    matrix_mma_undefined(w, in, mask, 0, 0);
    return EMU_NEXT;
}

static emu_step run_chain(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_step step = emu_all_together(w, in, &mask);
    if (step != EMU_NEXT) {
        return step;
    }
    matrix_chain(w, in);
    matrix_mma_undefined(w, in, mask, 0, 0);
    return EMU_NEXT;
}

/* ---- forms ---- */

/* Registers that an operand has by its shape: so many elements of so many bits, in 32 lanes. */
static int has_registers(const emu_operand *o, uint32_t elements, uint32_t bits) {
    return matrix_register_count(o) * 32 * EMU_LANES == elements * bits && emu_bits_of(o) == 32;
}

/* All four are registers of one width, D no constants. */
static int are_registers(const emu_instruction *in) {
    const emu_operand *o = in->operand;
    const uint32_t width = in->type[0] == EMU_F64 ? 64 : 32;
    for (uint32_t i = 1; i < 4; i++) {
        if (!emu_is_braced(&o[i]) || !emu_has_literals_of(&o[i], in->type[i]) ||
            !emu_is_source(&o[i], matrix_register_count(&o[i])) || emu_bits_of(&o[i]) != width) {
            return 0;
        }
    }
    if (is_sparse(in) && (!emu_is_source(&o[SP_META], 1) || o[SP_META].of == EMU_OF_INTEGERS ||
                          emu_bits_of(&o[SP_META]) != 32 || !o[SP_WHICH].constant ||
                          o[SP_WHICH].braced || o[SP_WHICH].kind != EMU_REGISTER)) {
        return 0;
    }
    return emu_is_target(&o[0], matrix_register_count(&o[0])) && emu_bits_of(&o[0]) == width &&
           !o[0].number;
}

/* k for a type's bits: 32 bytes of A in all, half or (b1, 8 rows) a quarter of that. */
static int is_k(const emu_instruction *in, uint32_t bits) {
    const uint32_t k_bits = in->shape[2] * bits / (is_sparse(in) ? 2u : 1u);
    return in->shape[0] == 8 ? k_bits == 128 : k_bits == 256 || k_bits == 128;
}

static int is_integer(uint32_t type) {
    return type == EMU_S8 || type == EMU_U8 || type == EMU_S4 || type == EMU_U4;
}

static int are_types(const emu_instruction *in) {
    const uint32_t d = in->type[0], a = in->type[1], b = in->type[2];
    if (d != in->type[3]) {
        return 0;
    }
    if (a == EMU_B1) {
        return b == a && d == EMU_S32 && in->boolean && !is_sparse(in);
    }
    if (is_integer(a)) {
        return is_integer(b) && emu_type_of(a)->bits == emu_type_of(b)->bits && d == EMU_S32;
    }
    if (is_fp8(a)) {
        return is_fp8(b) && (d == EMU_F32 || d == EMU_F16);
    }
    return a == b && (a == EMU_F16 ? d == EMU_F32 || d == EMU_F16
                                   : (a == EMU_BF16 || a == EMU_TF32) && d == EMU_F32);
}

emu_run emu_choose_mma(const emu_instruction *in) {
    const uint32_t m = in->shape[0], k = in->shape[2], d = in->type[0], a = in->type[1];
    const uint32_t bits = emu_type_of(a)->bits, d_bits = emu_type_of(d)->bits;
    const emu_operand *o = in->operand;
    if (in->operands < (is_sparse(in) ? 6 : 4) || in->shape[1] != 8 || (m != 8 && m != 16) ||
        !are_registers(in)) {
        return NULL;
    }
    if (matrix_is_chain(in)) {
        return run_chain;
    }
    const int is_right = are_types(in) && is_k(in, bits) && in->layout[0] == EMU_FLAG_ROW &&
                         in->layout[1] == EMU_FLAG_COL && (m == 16 || bits <= 8) &&
                         has_registers(&o[0], m * 8, d_bits) &&
                         has_registers(&o[3], m * 8, d_bits) &&
                         has_registers(&o[1], m * k / (is_sparse(in) ? 2 : 1), bits) &&
                         has_registers(&o[2], 8 * k, bits);
    return is_right ? run_mma : NULL;
}
