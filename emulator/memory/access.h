/* SPDX-License-Identifier: Apache-2.0
 *
 * What loads, stores, atomics and matrix accesses share: the addresses of a warp's lanes, where
 * they lie, what of them is written, and what order.h is told.
 */
#ifndef EMULATOR_ACCESS_H
#define EMULATOR_ACCESS_H

#include "places.h"
#include "words.h"

#define EMU_ALL_LANES UINT32_MAX

static inline uint32_t emu_bits_of(const emu_operand *o) {
    return o->kind == EMU_REGISTER || o->kind == EMU_VECTOR ? emu_type_of(o->type)->bits : 0;
}

/* In braces, as matrices' registers are even where there is one. */
static inline int emu_is_braced(const emu_operand *o) {
    return o->kind == EMU_VECTOR || o->braced;
}

/* Registers that can be read, `count` of them: a register alone, or a vector without sinks. */
static inline int emu_is_source(const emu_operand *o, uint32_t count) {
    return o->kind == EMU_VECTOR ? o->count == count && !o->number && emu_bits_of(o) > 1
                                 : o->kind == EMU_REGISTER && count == 1 && emu_bits_of(o) > 1;
}

/* Not of literals alone, but where ptxas 13.0 has them as a type: .s32 of integers, .f32, .f64,
 * .b32 of floating point. */
static inline int emu_has_literals_of(const emu_operand *o, uint32_t type) {
    const int is_float = type == EMU_F32 || type == EMU_F64 || type == EMU_B32;
    return o->of & EMU_OF_REGISTERS || o->of == (type == EMU_S32 ? EMU_OF_INTEGERS
                                                 : is_float      ? EMU_OF_FLOATS
                                                                 : 0);
}

/* Registers that can be written; sinks may be among them. */
static inline int emu_is_target(const emu_operand *o, uint32_t count) {
    return o->kind == EMU_VECTOR
               ? o->count == count && !o->constant &&
                     (emu_bits_of(o) > 1 || o->number == (int64_t)count)
               : count == 1 && (o->kind == EMU_SINK || (o->kind == EMU_REGISTER && !o->constant &&
                                                        o->slot >= 0 && emu_bits_of(o) > 1));
}

/* Where the lanes of a mask reach, `size_B` bytes each. */
typedef struct emu_reach {
    uint64_t address[EMU_LANES]; /* generic; of lanes that are not in the mask: anything */
    emu_place place[EMU_LANES];  /* of a row: see emu_reach_lazily() */
    uint32_t mask;
    uint32_t size_B;
    uint8_t is_row; /* all lanes, one right behind the other */
    uint8_t is_one; /* of one allocation, variable or CTA's dynamic shared memory: */
    emu_place span; /* all of it, so many bytes: */
    uint64_t span_B;
    uint32_t there, alike; /* a store's lanes: order_alike's two */
} emu_reach;

/* Generic addresses of all lanes. */
void emu_addresses(const emu_warp *w, const emu_operand *o, uint32_t space,
                   uint64_t address[EMU_LANES]);

/* Places of reach->address for the lanes of reach->mask, reach->size_B bytes each, aligned to
 * `align_B`. -1: one of them is wrong, which is reported, and the run is stopped. */
int emu_reach_places(emu_warp *w, const emu_instruction *in, emu_reach *reach, uint32_t align_B,
                     int writes);

/* The same, but of a row place[] is not filled in: `span` says all. And that it is now. */
int emu_reach_lazily(emu_warp *w, const emu_instruction *in, const emu_operand *o, uint32_t mask,
                     uint32_t size_B, int writes, emu_reach *reach);
void emu_reach_fill(emu_reach *reach);

/* Both, for an instruction's operand. */
int emu_reach_operand(emu_warp *w, const emu_instruction *in, const emu_operand *o, uint32_t mask,
                      uint32_t size_B, int writes, emu_reach *reach);

/* Behind a store, reach->alike has the lanes whose bytes are in memory: those that share bytes with
 * one whose bytes are not are taken out. */
void emu_reach_differ(emu_reach *reach);

/* Lanes some of whose bytes [at_B, at_B + size_B) nobody wrote. */
uint32_t emu_reach_unwritten(emu_machine *m, const emu_reach *reach, uint32_t at_B,
                             uint32_t size_B);
/* Those bytes of the lanes of a mask are written now; of `undefined` lanes they are not. Values of
 * undefined lanes that go to global memory are reported. */
void emu_reach_write(emu_warp *w, const emu_instruction *in, const emu_reach *reach, uint32_t at_B,
                     uint32_t size_B, uint32_t undefined);

/* Lanes of a register that nobody wrote; 0 of constants. And what is so from now on. */
uint32_t emu_undefined(const emu_warp *w, const emu_operand *o);
void emu_set_undefined(const emu_warp *w, const emu_operand *o, uint32_t mask, uint32_t undefined);

/* order_access() and, where the instruction has semantics, order_flag() of the whole. */
void emu_reach_order(emu_warp *w, const emu_instruction *in, emu_reach *reach, int reads,
                     int writes);

/* operations_memory.def. */
emu_run emu_choose_load(const emu_instruction *in);
emu_run emu_choose_store(const emu_instruction *in);
emu_run emu_choose_atomic(const emu_instruction *in);
emu_run emu_choose_hint(const emu_instruction *in);
emu_run emu_choose_discard(const emu_instruction *in);
emu_run emu_choose_policy(const emu_instruction *in);

/* Of what only advises, or orders by what follows. */
emu_step emu_run_nothing(emu_warp *w, const emu_instruction *in, uint32_t mask);

#endif
