/* SPDX-License-Identifier: Apache-2.0
 *
 * Values that nobody wrote: how they flow from register to register. Loads and stores have their
 * own part of it (access_reach.c).
 */
#ifndef EMULATOR_UNDEFINED_H
#define EMULATOR_UNDEFINED_H

#include "machine.h"

typedef enum emu_flow_kind {
    EMU_FLOW_NONE,    /* it writes no register, or its executor says itself what is written */
    EMU_FLOW_PURE,    /* from sources to destinations */
    EMU_FLOW_SELECTS, /* the same, but of two sources each lane takes one */
    EMU_FLOW_DECIDES, /* and, or of predicates: a source that is false, or true, decides alone */
    EMU_FLOW_WRITES,  /* its destinations are written, whatever they are made of */
    EMU_FLOW_STEERS,  /* its sources say where lanes go */
} emu_flow_kind;

/* One instruction: slots of its destinations, then of its sources, from machine->flow_slot[]. */
typedef struct emu_flow {
    uint32_t first;
    uint16_t destinations, sources;
    uint8_t kind;
} emu_flow;

/* Reads the program's instructions; -1: no memory. */
int emu_undefined_begin(emu_machine *m);

/* Before and, or of predicates: the lanes whose result a source that somebody wrote decides alone.
 */
uint32_t emu_undefined_decided(const emu_warp *w, const emu_instruction *in);

/* Behind an instruction that was executed by the lanes of `mask`; those of `unsure` had a guard
 * that nobody wrote, those of `decided` have a result whatever nobody wrote. */
void emu_undefined_flow(emu_warp *w, const emu_instruction *in, uint32_t mask, uint32_t unsure,
                        uint32_t decided);

/* What is said of them, and of where it goes. */
void emu_undefined_steers(emu_warp *w, const emu_instruction *in, uint32_t mask, uint32_t unsure);

/* Before an instruction that lanes execute: whether its guard, or where it goes, is of a value that
 * nobody wrote. The lanes of its guard that are unsure. */
static inline uint32_t emu_undefined_guard(emu_warp *w, const emu_instruction *in,
                                           const emu_flow *flow, uint32_t mask) {
    const uint32_t unsure = in->guard >= 0 ? w->now->frame->undefined[in->guard] & mask : 0;
    if (unsure || flow->kind == EMU_FLOW_STEERS) {
        emu_undefined_steers(w, in, mask, unsure);
    }
    return unsure;
}

#endif
