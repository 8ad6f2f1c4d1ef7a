/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a text is source code and nothing else.
 */
#ifndef TMA_SOURCE_ONLY_H
#define TMA_SOURCE_ONLY_H

#include <stddef.h>

/* Statements and remarks, no sentence and no line that a program prints. */
int source_is_all(const char *text, size_t size);

/* Whether a remark that stands behind code has byte `at`. */
int source_is_remark(const char *text, size_t at);

#endif
