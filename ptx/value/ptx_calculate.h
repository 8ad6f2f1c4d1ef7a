/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions on numbers.
 */
#ifndef PTX_PTX_CALCULATE_H
#define PTX_PTX_CALCULATE_H

#include "ptx_code.h"

#define PTX_MOST_CALCULATED 4

/* What an instruction of `count` operands gives, all of them numbers; 0: that is not calculated.
 * The result counts in as many bits as the instruction's type has. */
int ptx_calculate(const ptx_code *c, tma_ptx_span opcode, const uint64_t *of, uint32_t count,
                  uint64_t *out);

/* The same of and, mul.hi, bfe, prmt ...: bits of a, b, c and d (ptx_calculate_bits.c). */
int ptx_calculate_bits(const ptx_code *c, tma_ptx_span opcode, const uint64_t *of, uint32_t count,
                       uint64_t *out);

#endif
