/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages about words that nothing has, with the words that may be meant.
 */
#ifndef TMA_NEAREST_H
#define TMA_NEAREST_H

#include "tma/text.h"

/* tma_fail_name(), with words that are suggested and not listed (`others`, may be null), and with
 * what stands behind a list. */
int tma_fail_near(tma_error *error, const char *text, const char *what, tma_name_at names,
                  tma_name_at others, const char *behind);

#endif
