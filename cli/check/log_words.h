/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of 64 bits in a log: an mbarrier's, a matrix descriptor.
 */
#ifndef LOG_WORDS_H
#define LOG_WORDS_H

#include <stddef.h>

#include "check_view.h"

/* Prints what each can say, once; `before` answers stand above. Returns how many. */
size_t log_words(const check_view *view, const char *label, const char *text, size_t size,
                 size_t before);

#endif
