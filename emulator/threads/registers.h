/* SPDX-License-Identifier: Apache-2.0
 *
 * What setmaxnreg takes and gives (registers.c).
 */
#ifndef EMULATOR_REGISTERS_H
#define EMULATOR_REGISTERS_H

#include "machine.h"

/* Of a thread at the launch (registers_entry.c); 0: ptxas leaves setmaxnreg out. */
uint32_t emu_registers_at_entry(emu_machine *m);
/* Whether the pool has no more than its warps': an uneven warpgroup's may be rounded up. */
int emu_registers_are_known(const emu_cta *cta);

/* Of the warps whose setmaxnreg says how many they have, or waits for them. */
typedef struct emu_register_sum {
    uint32_t threads;
    uint32_t first;  /* of a thread at the launch */
    uint64_t wanted; /* of all of them */
} emu_register_sum;
void emu_registers_lack(const emu_cta *cta, emu_register_sum *sum);

#endif
