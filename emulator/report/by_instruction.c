/* SPDX-License-Identifier: Apache-2.0
 *
 * Chains of numbers.
 */
#include "by_instruction.h"

static uint32_t place(const emu_by_instruction *by, uint32_t instruction) {
    return instruction < by->instructions ? instruction : by->instructions;
}

int emu_number(emu_by_instruction *by, ptx_memory *memory, uint32_t instructions,
               uint32_t instruction, uint32_t number) {
    if (!by->first) {
        by->first = ptx_memory_take(memory, (size_t)instructions + 1, sizeof *by->first);
        by->instructions = by->first ? instructions : 0;
    }
    emu_numbered *grown = by->first ? ptx_grow(memory, by->row, by->rows, sizeof *grown) : 0;
    if (!grown) {
        return -1;
    }
    uint32_t *first = &by->first[place(by, instruction)];
    by->row = grown;
    by->row[by->rows++] = (emu_numbered){number, *first};
    *first = by->rows;
    return 0;
}

uint32_t emu_numbered_first(const emu_by_instruction *by, uint32_t instruction) {
    return by->first ? by->first[place(by, instruction)] : 0;
}
