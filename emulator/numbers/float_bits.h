/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine's numbers as their bits, and back.
 */
#ifndef EMULATOR_FLOAT_BITS_H
#define EMULATOR_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t compute_bits_of(float f) {
    uint32_t bits = 0;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}
static inline float compute_float_of(uint32_t bits) {
    float f = 0;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static inline uint64_t compute_bits_of_f64(double f) {
    uint64_t bits = 0;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}
static inline double compute_f64_of(uint64_t bits) {
    double f = 0;
    memcpy(&f, &bits, sizeof f);
    return f;
}

#endif
