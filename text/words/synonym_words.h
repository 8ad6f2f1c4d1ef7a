/* SPDX-License-Identifier: Apache-2.0
 *
 * The words that stand for an enumeration's values beside their names.
 */
#ifndef TMA_SYNONYM_WORDS_H
#define TMA_SYNONYM_WORDS_H

#include <stddef.h>

#include "tma/spec.h"

/* The index-th one of a kind; null behind the last. */
const char *tma_synonym_word(tma_enum_kind kind, size_t index);

/* Whether the row was found by a word of neither this library nor cuda.h nor PTX: fp4, e2m1. */
int tma_synonym_is_loose(const tma_enum_row *row, tma_enum_kind kind, const char *text,
                         size_t length);

#endif
