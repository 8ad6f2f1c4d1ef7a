/* SPDX-License-Identifier: Apache-2.0
 *
 * GPUs and drivers by the names that people have for them.
 */
#ifndef TMA_MACHINES_H
#define TMA_MACHINES_H

#include "tma/spec.h"

/* "H100", "RTX 5090", "sm90a", "9.0", "compute_100a": *sm and *suffix, of whatever chip. 0 if the
 * text names none, 1 if it is the number, 2 if it is a GPU's name. */
int machine_named(const char *text, uint16_t *sm, char *suffix);

/* "580.95.05": what cuDriverGetVersion answers with that driver, or 0. */
uint32_t driver_of_branch(const char *text);

#endif
