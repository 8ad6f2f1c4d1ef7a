/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of the documents, as tma explain tells them.
 */
#ifndef CLI_WORD_VIEW_H
#define CLI_WORD_VIEW_H

#include <stddef.h>

/* Prints what a word means, compared by letters and digits alone; returns whether it is known. */
int word_explain(const char *word, int json);

/* The words one by one, null behind the last. */
const char *word_at(size_t index);

#endif
