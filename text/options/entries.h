/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists with commas: "1,2,3".
 */
#ifndef TEXT_ENTRIES_H
#define TEXT_ENTRIES_H

#include "tma/grammar.h"

/* Reads entry i of a list, `what`[i] in messages. 0, or -1 and the error. */
typedef int (*text_entry)(void *out, uint32_t i, const char *text, size_t length, const char *what,
                          tma_error *error);

/* All entries of a list, of 1 to `most`; *count is 0 before, else the list is given twice. */
int text_entries(void *out, uint32_t *count, uint32_t most, const char *text, const char *what,
                 text_entry read, tma_error *error);

#endif
