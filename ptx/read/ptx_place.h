/* SPDX-License-Identifier: Apache-2.0
 *
 * Where memory that is declared lies: one behind the other, each as aligned as it asks.
 */
#ifndef PTX_PTX_PLACE_H
#define PTX_PTX_PLACE_H

#include <stdint.h>

/* The next multiple of a step; the number itself where the step is 0 or 1. */
static inline uint64_t ptx_round_up(uint64_t number, uint64_t step) {
    return step > 1 ? (number + step - 1) / step * step : number;
}

#endif
