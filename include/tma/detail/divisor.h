/* SPDX-License-Identifier: Apache-2.0
 *
 * The greatest common divisor, for the libraries. Nothing of the interface.
 */
#ifndef TMA_DIVISOR_H
#define TMA_DIVISOR_H

#include <stdint.h>

/* Of 0 and b: b. */
static inline __attribute__((unused)) uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
