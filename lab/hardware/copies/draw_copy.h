/* SPDX-License-Identifier: Apache-2.0
 *
 * Draws one copy, without looking whether it fits.
 */
#ifndef HARDWARE_DRAW_COPY_H
#define HARDWARE_DRAW_COPY_H

#include "copy_case.h"
#include "support/gen/random.h"

/* How much memory a case may have. */
struct copy_limits {
    uint32_t global_B;
    uint32_t window_B;
};

/* Map, instruction and position. One in about thirty breaks something that should trap. */
void draw_copy(struct random_source *r, struct copy_case *copy, const struct copy_limits *limits,
               const tma_target *target);

#endif
