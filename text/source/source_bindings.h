/* SPDX-License-Identifier: Apache-2.0
 *
 * What names are bound to by the text before a place, and which of an #if's parts that was in.
 */
#ifndef TMA_SOURCE_BINDINGS_H
#define TMA_SOURCE_BINDINGS_H

#include "source_tokens.h"

#define SOURCE_BINDINGS  512 /* the last ones count */
#define SOURCE_FUNCTIONS 4   /* around a place */

typedef enum source_made {
    SOURCE_DECLARED, /* without a value */
    SOURCE_WHOLE,
    SOURCE_ENTRY, /* of an array, by its index */
    SOURCE_APPENDED,
    SOURCE_TURN,  /* of a loop: the list is the value, its names begin at the index */
    SOURCE_UNSURE /* changed in a way, or in a branch, that is not followed */
} source_made;

typedef struct source_binding {
    size_t name;
    size_t value; /* where it begins */
    size_t index; /* SOURCE_ENTRY: where the index begins */
    size_t owner; /* whose member it is: a type's or an object's name; length 0 if nobody's */
    uint32_t length;
    uint32_t owner_length;
    uint8_t made;
    uint8_t part; /* of several on the right side, from 1; 0: the value is all of it */
    uint8_t is_typed;
    uint8_t is_gone; /* its block is over */
} source_binding;

/* A function around the place. */
typedef struct source_function {
    size_t name;
    size_t length;     /* 0: it has none */
    size_t parameters; /* inside of the brackets */
    size_t first;      /* bindings before its own */
} source_function;

typedef struct source_scope {
    source_text text;
    size_t place;
    size_t *work_B; /* what may still be read before places */
    int is_read;
    size_t count; /* of bindings, all; the last SOURCE_BINDINGS are kept */
    source_binding of[SOURCE_BINDINGS];
    source_function function[SOURCE_FUNCTIONS]; /* the inner ones first */
    size_t functions;
} source_scope;

#define SOURCE_IFS 8 /* inside of another */

typedef struct source_ifs {
    size_t part[SOURCE_IFS]; /* of each that is open: bindings before its part */
    size_t open;
} source_ifs;

source_binding *source_binding_at(source_scope *scope, size_t number); /* from 1 */

/* The number of the last one that is no longer kept. */
size_t source_bindings_begin(const source_scope *scope);

/* The last one of a name among those that were read, `before` that one; null if there is none. */
const source_binding *source_last_binding(source_scope *scope, const char *name, size_t length,
                                          const char *owner, size_t owner_length, size_t before,
                                          size_t *number);

/* The next one behind that number. */
const source_binding *source_next_binding(source_scope *scope, const source_binding *of,
                                          size_t *number);

/* The directives between two tokens. A name that has a value of a part and another one before it
 * becomes unsure. */
void source_read_ifs(source_scope *scope, source_ifs *ifs, size_t from, size_t to);

#endif
