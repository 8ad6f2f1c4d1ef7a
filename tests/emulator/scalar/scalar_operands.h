/* SPDX-License-Identifier: Apache-2.0
 *
 * The operands that forms of scalar_*.def are tried on: what scalar_operands.py says.
 */
#ifndef TESTS_SCALAR_OPERANDS_H
#define TESTS_SCALAR_OPERANDS_H

#include <stdint.h>

#define SCALAR_COUNT 2048

/* Of a type ("f16x2", "pred", "amount") its bits; of a pair each half's. */
uint32_t scalar_bits_of(const char *kind, uint32_t length);
uint64_t scalar_value(const char *kind, uint32_t length, uint32_t index, uint32_t operand);

#endif
