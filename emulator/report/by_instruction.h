/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of findings by the instructions that they are about: one is looked for among its own.
 */
#ifndef EMULATOR_BY_INSTRUCTION_H
#define EMULATOR_BY_INSTRUCTION_H

#include <stdint.h>

#include "ptx_memory.h"

typedef struct emu_numbered {
    uint32_t number;
    uint32_t next; /* a row of the same instruction, from 1; 0: it is the last */
} emu_numbered;

typedef struct emu_by_instruction {
    uint32_t *first; /* of each instruction, and behind them of none: a row, from 1 */
    emu_numbered *row;
    uint32_t rows, instructions;
} emu_by_instruction;

/* Adds a number to an instruction's; UINT32_MAX: of none. -1: there is no memory. */
int emu_number(emu_by_instruction *by, ptx_memory *memory, uint32_t instructions,
               uint32_t instruction, uint32_t number);

/* The row that was added last, from 1; 0: there is none. */
uint32_t emu_numbered_first(const emu_by_instruction *by, uint32_t instruction);

#endif
