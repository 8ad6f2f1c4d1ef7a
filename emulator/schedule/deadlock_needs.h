/* SPDX-License-Identifier: Apache-2.0
 *
 * Of groups that wait at a deadlock: whose threads may end whose wait.
 */
#ifndef EMULATOR_DEADLOCK_NEEDS_H
#define EMULATOR_DEADLOCK_NEEDS_H

#include "deadlock_ahead.h"

#define EMU_GROUPS_MOST 96u /* of a cluster: of more each is reported by itself */

/* of[i][k]: threads of group k may end the wait of group i, at once or through other groups. */
typedef struct emu_needs {
    uint8_t of[EMU_GROUPS_MOST][EMU_GROUPS_MOST];
} emu_needs;

/* Of the groups of one cluster, at most EMU_GROUPS_MOST. */
void emu_needs_of(emu_ahead *a, emu_waiting *group, uint32_t groups, emu_needs *needs);

/* Both wait for each other; the first waits for the second, which does not wait for it. */
int emu_is_cycle(const emu_needs *needs, uint32_t i, uint32_t k);
int emu_is_upstream(const emu_needs *needs, uint32_t i, uint32_t k);

#endif
