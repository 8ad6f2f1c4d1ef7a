/* SPDX-License-Identifier: Apache-2.0
 *
 * Random operations on one mbarrier, and what tma/barrier.h says of them.
 */
#ifndef HARDWARE_BARRIER_CASES_H
#define HARDWARE_BARRIER_CASES_H

#include "device_barrier.h"

#define BARRIER_MOST_STEPS 40

/* How many steps barrier `number` makes: 1 to BARRIER_MOST_STEPS. */
uint32_t barrier_step_count(uint64_t number);

/* Those steps; none of them kills. `without`: bits of operations that are left out; bit
 * DEVICE_BARRIER_OPERATIONS: none drops a barrier's last arrival. */
void barrier_steps(uint64_t seed, uint64_t number, uint32_t without,
                   struct device_barrier_step *steps);

/* Steps of which the last kills. Returns how many; *death is why. */
uint32_t barrier_deadly_steps(uint64_t seed, uint64_t number, struct device_barrier_step *steps,
                              tma_barrier_death *death);

/* What the step does to the barrier. */
tma_barrier_death barrier_do(tma_barrier *barrier, const struct device_barrier_step *step);

const char *barrier_step_name(uint32_t operation);

#endif
