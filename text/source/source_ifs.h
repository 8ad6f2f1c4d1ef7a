/* SPDX-License-Identifier: Apache-2.0
 *
 * What #if leaves open: which of its parts a name has its value of.
 */
#ifndef TMA_SOURCE_IFS_H
#define TMA_SOURCE_IFS_H

#include "source_names.h"

#define SOURCE_IFS 8 /* inside of another */

typedef struct source_ifs {
    size_t part[SOURCE_IFS]; /* of each that is open: bindings before its part */
    size_t open;
} source_ifs;

/* The directives between two tokens. A name that has a value of a part and another one before it
 * becomes unsure. */
void source_read_ifs(source_scope *scope, source_ifs *ifs, size_t from, size_t to);

#endif
