/* SPDX-License-Identifier: Apache-2.0
 *
 * What names stand for at a place in source text: assignments and declarations that were certainly
 * made before it, and parameters of the functions around it.
 */
#ifndef TMA_SOURCE_NAMES_H
#define TMA_SOURCE_NAMES_H

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

/* The names at byte `place`. Nothing is read until one is asked for. */
void source_scope_at(source_scope *scope, const char *text, size_t size, size_t place,
                     size_t *work_B, source_style *style);

/* The last thing that was done to a name, `before` that binding; null if there is none. Bindings
 * are numbered from 1. */
const source_binding *source_last(source_scope *scope, const char *name, size_t length,
                                  const char *owner, size_t owner_length, size_t before,
                                  size_t *number);

/* The next one behind that number. */
const source_binding *source_after(source_scope *scope, const source_binding *of, size_t *number);

#endif
