/* SPDX-License-Identifier: Apache-2.0
 *
 * Which lane's register holds which element of a matrix: the same rule for all shapes and types of
 * mma and wgmma, told in words of 32 bits.
 */
#ifndef EMULATOR_MATRIX_FRAGMENT_H
#define EMULATOR_MATRIX_FRAGMENT_H

#include "access.h"
#include "matrix_sum.h"

/* Registers of one lane group's operand, in a frame (not the one that runs: wgmma's). */
typedef struct matrix_registers {
    const emu_program *program;
    emu_frame *frame;
    const emu_operand *operand; /* VECTOR or REGISTER */
} matrix_registers;

/* Those of an operand in the frame that runs. */
static inline matrix_registers matrix_registers_of(const emu_warp *w, const emu_operand *o) {
    return (matrix_registers){w->machine->program, w->now->frame, o};
}

uint32_t matrix_register_count(const emu_operand *o);
int32_t matrix_slot(const matrix_registers *r, uint32_t index); /* below 0: a constant */
uint32_t *matrix_lanes(const matrix_registers *r, uint32_t index);

/* Rows of A (8 or 16) into `rows` of MATRIX_ROW_B bytes; columns of B likewise. */
void matrix_gather_a(const matrix_registers *r, uint32_t row_count, uint8_t (*rows)[MATRIX_ROW_B]);
void matrix_gather_b(const matrix_registers *r, uint8_t *columns, uint32_t step_B);

/* Eight columns of C or D, of 8 or 16 rows: block `block` of an operand. f16: two in a register. */
void matrix_gather_c(const matrix_registers *r, uint32_t type, uint32_t row_count, uint32_t block,
                     uint32_t (*c)[MATRIX_COLUMNS]);
void matrix_scatter_d(const matrix_registers *r, uint32_t type, uint32_t row_count, uint32_t block,
                      uint32_t (*d)[MATRIX_COLUMNS]);

/* Whether a document gives four bits of metadata a meaning; is_ordered: that of
 * mma.sp::ordered_metadata. */
int matrix_is_meaningful(uint32_t type, uint32_t nibble, int is_ordered);

/* Four bits of metadata: which k of B the elements of a row's chunk `group` meet. */
void matrix_choose(uint32_t type, uint32_t nibble, uint32_t group, uint8_t *index);

/* Which k of B the elements of A's 16 rows meet, out of the metadata of a warp's lanes. */
void matrix_indices(const uint32_t metadata[EMU_LANES], uint32_t selector, uint32_t type,
                    uint32_t k, uint8_t (*index)[MATRIX_K]);

/* operations_matrix.def. */
emu_run emu_choose_ldmatrix(const emu_instruction *in);
emu_run emu_choose_stmatrix(const emu_instruction *in);
emu_run emu_choose_movmatrix(const emu_instruction *in);
emu_run emu_choose_mma(const emu_instruction *in);
emu_run emu_choose_mma_kind(const emu_instruction *in);

#endif
