/* SPDX-License-Identifier: Apache-2.0
 *
 * Where addresses lie.
 */
#ifndef EMULATOR_PLACES_H
#define EMULATOR_PLACES_H

#include "places_names.h"

/* The address of a lane's operand ([reg + n], [variable + n], [n]) in its space, as a generic
 * address (see machine.h). space: emu_space of the instruction; EMU_GENERIC takes it as it is. */
uint64_t emu_address(const emu_warp *w, const emu_operand *o, uint32_t space, uint32_t lane);

/* Where a generic address lies for a lane, whatever is wanted there: 1; or 0: in no memory. */
int emu_find_place(const emu_warp *w, uint32_t lane, uint64_t generic, emu_place *out);

/* The allocation that holds a global or constant address, freed ones too; null: none. */
emu_allocation *emu_allocation_of(emu_machine *m, uint64_t address);

/* Of a copy: it touches a global address where no memory is, and which memory is the nearest. */
void emu_put_outside(tma_out *out, const emu_machine *m, uint64_t address);

/* Whether a place that was found may be written. */
int emu_may_write(emu_machine *m, const emu_place *place);

/* Where a generic address lies, for an access of size_B bytes that is aligned to align_B (0: not
 * asked). 0; or -1: it is out of bounds, misaligned or freed, the finding is reported and the run
 * is stopped. */
int emu_place_of(emu_warp *w, const emu_instruction *in, uint32_t lane, uint64_t generic,
                 uint32_t size_B, uint32_t align_B, int writes, emu_place *out);

/* A shared address (cluster-wide) of a warp's cluster; -1 as above. */
int emu_shared_place(emu_warp *w, const emu_instruction *in, uint32_t lane, uint32_t shared,
                     uint32_t size_B, uint32_t align_B, emu_place *out);

/* Global memory as the core's copies take it: context is the machine. */
void *emu_resolve_global(void *machine, uint64_t address, uint64_t size_B, bool write,
                         uint64_t *follows_B);

/* Whether bytes of a place were written, and that they are now (shared and global memory; what
 * lies elsewhere counts as written). */
int emu_is_written(emu_machine *m, const emu_place *place, uint64_t size_B);
void emu_now_written(emu_machine *m, const emu_place *place, uint64_t size_B);
/* Bytes get a value that nobody wrote. */
void emu_now_unwritten(emu_machine *m, const emu_place *place, uint64_t size_B);

/* A launch's memory: parameters (a copy of launch->params), allocations, variables, and how much
 * shared memory a CTA has (EMU_SHARED_FIRST + static + dynamic). -1 and *error. */
int emu_memory_begin(emu_machine *m, tma_error *error);
int emu_memory_cta(emu_cta *cta); /* its shared memory; -1: there is none */
void emu_memory_cta_ends(emu_cta *cta);
void emu_memory_end(emu_machine *m);

/* malloc and free of kernels; 0: none left. */
uint64_t emu_malloc(emu_machine *m, uint64_t size_B);
void emu_free(emu_warp *w, const emu_instruction *in, uint32_t lane, uint64_t address);

/* One more allocation, at its place by address; null: no memory. */
emu_allocation *emu_add_allocation(emu_machine *m, const emu_allocation *a);

/* One in memory of the caller's, which has no place by address before emu_callers_end(). -1 and
 * *error. */
int emu_add_callers(emu_machine *m, emu_allocation a, tma_error *error);
/* All of the caller's are there. -1 and *error: two overlap. */
int emu_callers_end(emu_machine *m, tma_error *error);

/* Behind what others may have, at a multiple of this. */
#define EMU_OURS_ALIGN_B 256

/* places_variables.c: all variables of the module at their places. -1 and *error. */
int emu_place_variables(emu_machine *m, tma_error *error);

/* What they are initialised with, into the caller's memory: one for each that has a place. */
void emu_write_variables(const emu_program *p, const tma_emulate_memory *given);

#endif
