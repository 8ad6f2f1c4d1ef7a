/* SPDX-License-Identifier: Apache-2.0
 *
 * Just enough of a reader of XML to know whether a picture is well-formed: tags that close in
 * order, quoted attributes, the five entities, UTF-8. Slower and plainer than what writes it.
 */
#ifndef TESTS_SVG_READER_H
#define TESTS_SVG_READER_H

#include <stddef.h>

/* Null if it is well-formed, else what is not. */
const char *svg_complaint(const char *text, size_t length);

/* How often a string stands in the text. */
size_t svg_count(const char *text, const char *what);

#endif
