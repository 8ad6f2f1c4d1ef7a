/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a drawn copy starts: coordinates, offsets, shared address.
 */
#ifndef HARDWARE_PLACE_COPY_H
#define HARDWARE_PLACE_COPY_H

#include "copy_case.h"
#include "support/gen/random.h"

/* A start that should not trap: inside the tensor, across its edges, or far away. */
void place_copy(struct random_source *r, struct copy_case *copy);

/* Changes something that a kernel may be killed for. */
void break_copy(struct random_source *r, struct copy_case *copy);

#endif
