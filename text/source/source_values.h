/* SPDX-License-Identifier: Apache-2.0
 *
 * What an expression of source text is, as far as the text says: a number, a list, a name.
 */
#ifndef TMA_SOURCE_VALUES_H
#define TMA_SOURCE_VALUES_H

#include "source_names.h"

#define SOURCE_ITEMS 8

typedef struct source_value {
    uint64_t item[SOURCE_ITEMS];
    uint8_t count;
    uint8_t known; /* bit i: item[i] is a number */
    uint8_t is_list;
    size_t word; /* an enumerator's or a type's name, where it is no number */
    size_t word_length;
} source_value;

/* The argument that a call of a function gives one of its parameters. */
typedef struct source_given {
    source_scope *at; /* the names where the function is called; null: it is not looked for */
    size_t call;      /* inside of its brackets */
    size_t function;  /* its name; where the parameters are declared */
    size_t function_length;
    size_t parameters;
} source_given;

/* What a value depends on that the text leaves open, as the turn of a loop over constants or which
 * side of a condition: each is a key, `which` the case that is read, of the product of all. */
#define SOURCE_KEYS  3
#define SOURCE_CASES 8 /* more are not told apart */

typedef struct source_cases {
    size_t which;
    size_t keys;
    struct {
        const char *at; /* the condition, or the turn's constants */
        size_t length;
        size_t count;
        size_t is; /* which of them */
        int is_loop;
        size_t before;    /* the reader's, where it was met */
        const char *said; /* what stands in the text for this one */
        size_t said_length;
    } key[SOURCE_KEYS];
} source_cases;

typedef struct source_reader {
    const source_text *text; /* of what is read, with what stands before its lines */
    source_scope *scope;
    const source_given *given; /* may be null */
    size_t before;             /* bindings from this number on are not looked at; 0: all are */
    int depth;
    uint32_t *work; /* values that may still be read: what is nested would be read for ever */
    int (*read)(struct source_reader *r, size_t from, size_t to,
                source_value *out); /* source_read */
    source_cases *cases;            /* null: what depends on one is not read */
} source_reader;

/* Reads the expression from `from` on, which must end at `to`, or where a statement does if `to` is
 * 0. Returns whether anything of it is known: a number, an entry, a name that stands for itself. */
int source_read(source_reader *r, size_t from, size_t to, source_value *out);

/* How many cases the keys are that were met. */
size_t source_cases_of(const source_cases *cases);

/* What a text says of a tensor, as of a framework's or DLPack's: count 0 where it says nothing. */
typedef struct source_tensor {
    source_value type;  /* the driver's number */
    source_value shape; /* the outermost first */
    source_value stride_el;
} source_tensor;

/* Reads the tensor that the expression from `from` on is, up to `to` or where the statement ends.
 * Returns whether anything is known of it. */
int source_read_tensor(source_reader *r, size_t from, size_t to, source_tensor *out);

#endif
