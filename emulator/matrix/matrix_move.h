/* SPDX-License-Identifier: Apache-2.0
 *
 * ldmatrix and stmatrix of elements of 8 bits: what runs a form, null if it is not executed; and
 * rows of 16 bytes as stmatrix stores them.
 */
#ifndef EMULATOR_MATRIX_MOVE_H
#define EMULATOR_MATRIX_MOVE_H

#include "access.h"
#include "program.h"

/* A register of an operand that has one, or several in braces. */
static inline const emu_operand *matrix_register(const emu_warp *w, const emu_operand *o,
                                                 uint32_t index) {
    return o->kind == EMU_VECTOR ? &w->machine->program->operand[o->first + index] : o;
}

emu_run matrix_choose_load_8(const emu_instruction *in);
emu_run matrix_choose_store_8(const emu_instruction *in);

/* Row l, 16 bytes of `rows`, goes to where lane l of the reach says; those of lanes `undefined`
 * hold what nobody wrote. */
void matrix_store_rows(emu_warp *w, const emu_instruction *in, emu_reach *reach, const void *rows,
                       uint32_t undefined);

#endif
