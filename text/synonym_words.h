/* SPDX-License-Identifier: Apache-2.0
 *
 * The words that stand for an enumeration's values beside their names.
 */
#ifndef TMA_SYNONYM_WORDS_H
#define TMA_SYNONYM_WORDS_H

#include "tma/spec.h"

/* The index-th one of a kind; null behind the last. */
const char *tma_synonym_word(tma_enum_kind kind, size_t index);

#endif
