/* SPDX-License-Identifier: Apache-2.0
 *
 * What names stand for at a place in source text: assignments and declarations that were certainly
 * made before it, and parameters of the functions around it.
 */
#ifndef TMA_SOURCE_NAMES_H
#define TMA_SOURCE_NAMES_H

#include "source_bindings.h"

/* The names at byte `place`. Nothing is read until one is asked for. */
void source_scope_at(source_scope *scope, const char *text, size_t size, size_t place,
                     size_t *work_B, source_style *style);

/* The last thing that was done to a name, `before` that binding; null if there is none. Bindings
 * are numbered from 1. */
const source_binding *source_last(source_scope *scope, const char *name, size_t length,
                                  const char *owner, size_t owner_length, size_t before,
                                  size_t *number);

#endif
