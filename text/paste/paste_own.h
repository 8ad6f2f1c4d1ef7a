/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of functions that a program has of its own to make a map.
 */
#ifndef TMA_PASTE_OWN_H
#define TMA_PASTE_OWN_H

#include "paste_call.h"

typedef void (*paste_own_visit)(void *context, const tma_paste *found);

/* Whether a name of the text may be one of them: all that most texts are asked. */
int paste_own_is_named(const char *text, size_t size);

/* Visits those of the text, of source code alone (source_is_all()), the first few, but for lines of
 * which something is said already; of->at counts for nothing. `is_beside`: calls that rows name
 * were read, so those are not looked at again, nor are calls of what the text defines. */
void paste_own_calls(const paste_call_place *of, const tma_paste *said, size_t saids, int is_beside,
                     paste_own_visit visit, void *context);

/* Whether a word before the name says that it is declared here. */
int paste_is_declared(const char *text, size_t at);

/* What the call behind the name lacks that has one argument too few: what none of the others is by
 * its words. */
const char *paste_own_lacks(const source_text *s, size_t name, const call_row *row);

/* Quotes the call of any function whose name of that length begins at the place; returns where it
 * ends, or 0 if it is no call. */
size_t paste_own_call(const paste_call_place *place, size_t length, tma_paste *out);

#endif
