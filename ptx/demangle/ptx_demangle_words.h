/* SPDX-License-Identifier: Apache-2.0
 *
 * Letters of mangled names in words: ptx_demangle_words.def. Null where there is none.
 */
#ifndef PTX_PTX_DEMANGLE_WORDS_H
#define PTX_PTX_DEMANGLE_WORDS_H

#include <stddef.h>

const char *demangle_builtin(char letter);
const char *demangle_suffix(char letter); /* of a literal: "ul" */
const char *demangle_abbreviation(char letter);
const char *demangle_mark(char letter);
const char *demangle_operator(char first, char second);
/* What a text begins with, and in *length of how many letters it is. */
const char *demangle_d_type(const char *text, size_t size, size_t *length);

#endif
