/* SPDX-License-Identifier: Apache-2.0
 *
 * One tensor copy under way, and the bytes that it touches.
 */
#ifndef EMULATOR_COPY_TENSOR_H
#define EMULATOR_COPY_TENSOR_H

#include "async_copies.h"
#include "tma/plan.h"

typedef struct emu_tensor {
    emu_async is; /* from or to: the CTA */
    tma_plan plan;
    tma_position at;
    emu_place map;     /* the 128 bytes that it was made of */
    uint64_t staged_B; /* of stores: shared memory from the shared address on, */
    uint8_t staged[];  /* as it was read */
} emu_tensor;

/* Of a map that an instruction comes to first: a tensor larger than its memory, a stride of 0
 * or one that is too short. */
void emu_note_map(emu_machine *m, const emu_instruction *in, const tma_plan *plan);

/* Ranges of it: shared memory that it reads or writes, global memory likewise; merged where they
 * lie together. `edges`: of stores, what goes behind the end of the tensor's rows, too. */
typedef void (*emu_range)(emu_tensor *t, const emu_place *place, uint64_t size_B);
void emu_tensor_shared(emu_tensor *t, int edges, emu_range range);
void emu_tensor_global(emu_tensor *t, emu_range range);

#endif
