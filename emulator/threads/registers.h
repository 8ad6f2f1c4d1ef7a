/* SPDX-License-Identifier: Apache-2.0
 *
 * What setmaxnreg takes and gives (registers.c).
 */
#ifndef EMULATOR_REGISTERS_H
#define EMULATOR_REGISTERS_H

#include "machine.h"

/* The most registers that a thread of the CTA can have at the launch. */
uint32_t emu_registers_at_first(const emu_cta *cta);

/* Of the warps whose setmaxnreg says how many they have, or waits for them. */
typedef struct emu_register_sum {
    uint32_t threads;
    uint32_t first;  /* of a thread at the launch, at most */
    uint64_t wanted; /* of all of them */
} emu_register_sum;
void emu_registers_lack(const emu_cta *cta, emu_register_sum *sum);

#endif
