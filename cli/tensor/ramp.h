/* SPDX-License-Identifier: Apache-2.0
 *
 * Ramps: element i holds i, modulo the largest power of two below which the type holds every number
 * exactly (TF32 as loads round it).
 */
#ifndef CLI_RAMP_H
#define CLI_RAMP_H

#include "tensor.h"

/* `count` elements from element number `first` on. */
void ramp_fill(uint8_t *to, uint32_t dtype, uint64_t first, uint64_t count);

/* "modulo 256", or "" for the types that hold them all. */
const char *ramp_modulus(uint32_t dtype, char buffer[32]);

/* The elements that one copy touches, numbered in the order of the tensor's array. */
void ramp_part(tensor *part, const tma_spec *spec, const tma_plan *plan, const tma_position *at);

/* Row number `row` of the array. */
void ramp_row(uint8_t *to, const tma_spec *spec, uint64_t row);

/* All of a whole tensor. */
void ramp_whole(const tensor *whole, tma_spec *spec);

#endif
