/* SPDX-License-Identifier: Apache-2.0
 *
 * Enumerators in any words that people use: fp16, half, torch.float16, SWIZZLE_128B, 128,
 * CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B. The names of this library, of cuda.h and of PTX
 * are in tma_enum_rows(); text/words/synonyms.def has the others.
 */
#ifndef TMA_SYNONYMS_H
#define TMA_SYNONYMS_H

#include "spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The row that the `length` bytes at `text` name, in any case; null if they name none. A plain
 * number is a name only where it cannot be an enumerator's: 128 is the swizzle of 128 bytes, 3 is
 * nothing here. A signed byte is the row of the unsigned one: the same bytes are moved. */
TMA_EXPORT const tma_enum_row *tma_enum_synonym(tma_enum_kind kind, const char *text,
                                                size_t length);

#ifdef __cplusplus
}
#endif
#endif
