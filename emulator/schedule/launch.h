/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch judged as the driver judges it, and the machine that it runs on.
 */
#ifndef EMULATOR_LAUNCH_H
#define EMULATOR_LAUNCH_H

#include "machine.h"

/* Fills in the machine's kernel, target, grid, block and cluster from its launch and its program.
 * -1 and *error: no driver takes it. */
int emu_launch_judge(emu_machine *m, tma_error *error);

/* Once it is laid out: whether a CTA's shared memory is no more than it may have. */
int emu_launch_shared(const emu_machine *m, tma_error *error);

/* The entry of a name; null: there is none, or several and none is named. */
const emu_function *emu_kernel_of(const emu_program *program, const char *name, size_t length,
                                  tma_error *error);

/* What an emulator decoded: for session*.c, which looks at what a kernel does with its parameters.
 */
const emu_program *emu_program_of(const tma_emulator *emulator);
/* The last run's machine. */
const emu_machine *emu_machine_of(const tma_emulator *emulator);
/* Whether the runs that follow name variables as they are mangled. */
void emu_name_raw(tma_emulator *emulator, int raw_names);
/* Whether threads of the first warp alone had a finding of tma_emulator_finding_at(), too. */
int emu_is_narrow(const tma_emulator *emulator, const tma_emulate_finding *finding);

#endif
