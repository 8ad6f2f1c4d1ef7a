/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix descriptors in words: what 64 bits say, why there are none, what differs.
 */
#ifndef TMA_MMA_TEXT_H
#define TMA_MMA_TEXT_H

#include "mma.h"
#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "m64n128k16" into an operand, whose matrix says which of m and n it has. k is 0 in the operand
 * where it is what a dense instruction takes anyway. */
TMA_EXPORT TMA_MUST_USE int tma_read_mma_shape(tma_mma_operand *operand, const char *text,
                                               tma_error *error);
/* "f16", "e2m1-packed" to a tma_mma_type_id. */
TMA_EXPORT TMA_MUST_USE int tma_read_mma_type(uint32_t *type, const char *text, tma_error *error);

/* A line for each field: its bits, name, number, meaning. */
TMA_EXPORT void tma_put_mma_fields(tma_out *out, uint32_t family, uint64_t bits);
/* A line for each rule of tma_mma_judge(): "odd  mma-base-offset: ...". */
TMA_EXPORT void tma_put_mma_said(tma_out *out, uint32_t said);
/* Why there is no descriptor, a sentence, and what would do, another. */
TMA_EXPORT void tma_put_mma_why(tma_out *out, const tma_mma_why *why);
/* One sentence: that all agree, or which is the first element that does not, and what is read
 * instead. (mn0, k0) is the operand's first element of the tile. */
TMA_EXPORT void tma_put_mma_difference(tma_out *out, const tma_mma_difference *difference,
                                       const tma_mma_operand *operand, uint32_t mn0, uint32_t k0);

#ifdef __cplusplus
}
#endif
#endif
