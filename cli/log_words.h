/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of 64 bits in a log: an mbarrier's, a matrix descriptor.
 */
#ifndef LOG_WORDS_H
#define LOG_WORDS_H

#include <stddef.h>

#include "cli_out.h"
#include "color.h"

/* Prints what each can say, once; `before` answers stand above. Returns how many. */
size_t log_words(const char *label, const char *text, size_t size, int as_json,
                 const color_set *colors, size_t before);

#endif
