/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions on numbers.
 */
#ifndef PTX_PTX_CALCULATE_H
#define PTX_PTX_CALCULATE_H

#include "ptx_code.h"

/* What an instruction of two operands gives, in its type's bits; 0: that is not calculated. */
int ptx_calculate(const ptx_code *c, uint64_t a, uint64_t b, uint64_t *out);

#endif
