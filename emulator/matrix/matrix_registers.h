/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of a warp that belong to wgmmas: from the issue until a wait_group covers them.
 */
#ifndef EMULATOR_MATRIX_REGISTERS_H
#define EMULATOR_MATRIX_REGISTERS_H

#include "matrix_fragment.h"

#define MATRIX_WARPS 4 /* of a warpgroup */

/* A register: the wgmma that it belongs to, and the group (from 1 on) whose wait gives it back. */
typedef struct matrix_owner {
    const emu_instruction *wgmma;
    uint32_t until;
    uint8_t is_read; /* alone, and others may read it too */
} matrix_owner;

/* Of one warp; zero is the beginning. */
typedef struct matrix_owned {
    emu_frame *frame;    /* whose registers they are; others are not looked at */
    matrix_owner *owner; /* by slot */
    uint32_t slots;
    uint32_t committed;  /* groups */
    uint32_t over, last; /* groups that were waited for; the last that owns something */
    uint8_t was_fenced;  /* wgmma.fence was executed */
    /* The meeting of the warpgroup, in its first warp's. */
    const emu_instruction *meeting;
    emu_frame *met[MATRIX_WARPS];
    uint8_t here, released; /* bit n: warp n */
} matrix_owned;

matrix_owned *matrix_owned_of(emu_warp *w); /* null: no memory, and the run is stopped */
/* The registers of an operand belong to the group that is open. -1: no memory. */
int matrix_own(emu_warp *w, const emu_instruction *wgmma, const matrix_registers *r,
               int reads_only);
/* A wait for at most `pending` groups is over. */
void matrix_disown(emu_warp *w, uint32_t pending);
/* All wgmmas of the warp's warpgroup that are under way complete. -1: the run is over. */
int matrix_finish(emu_warp *w);

#endif
