/* SPDX-License-Identifier: Apache-2.0
 *
 * The approximate functions as an H200 gives them, bit for bit, on the bits of f32.
 */
#ifndef EMULATOR_COMPUTE_APPROXIMATE_H
#define EMULATOR_COMPUTE_APPROXIMATE_H

#include <stdint.h>

/* The unit's own: .approx.ftz */
uint32_t compute_ex2_ftz(uint32_t x);
uint32_t compute_rcp_ftz(uint32_t x);
uint32_t compute_rsqrt_ftz(uint32_t x);
uint32_t compute_sqrt_ftz(uint32_t x);
uint32_t compute_lg2_ftz(uint32_t x);

/* With what ptxas puts around it: .approx */
uint32_t compute_ex2(uint32_t x);
uint32_t compute_rcp(uint32_t x);
uint32_t compute_rsqrt(uint32_t x);
uint32_t compute_sqrt(uint32_t x);
uint32_t compute_lg2(uint32_t x);
uint32_t compute_sin(uint32_t x); /* .ftz or not */
uint32_t compute_cos(uint32_t x);
uint32_t compute_tanh(uint32_t x);
uint32_t compute_div_approx(uint32_t a, uint32_t b, int ftz);
uint32_t compute_div_full(uint32_t a, uint32_t b, int ftz);

/* rcp and rsqrt .approx.ftz.f64: the upper words; the lower ones are not read and come out 0. */
uint32_t compute_rcp_upper(uint32_t x);
uint32_t compute_rsqrt_upper(uint32_t x);

/* tanh and ex2 of f16 (or bf16): the result for f32, cut. */
uint32_t compute_tanh_half(int is_bf16, uint32_t x);
uint32_t compute_ex2_half(int is_bf16, uint32_t x);

#endif
