/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a text is source code and nothing else.
 */
#ifndef TMA_SOURCE_ONLY_H
#define TMA_SOURCE_ONLY_H

#include <stddef.h>
#include <stdint.h>

/* Statements and remarks, no sentence and no line that a program prints. */
int source_is_all(const char *text, size_t size);

/* The same, asked once: most texts are never asked. */
typedef uint8_t source_known;
enum { SOURCE_NOT_ASKED, SOURCE_ALL, SOURCE_NOT_ALL };
int source_is_known(source_known *known, const char *text, size_t size);

/* Whether a remark that stands behind code has byte `at`. */
int source_is_remark(const char *text, size_t at);

#endif
