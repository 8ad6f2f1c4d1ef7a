/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the reader of expressions: types, lists, names, what stands behind a value.
 */
#ifndef TMA_SOURCE_PARTS_H
#define TMA_SOURCE_PARTS_H

#include "source_values.h"

#define SOURCE_DEEPEST 16

/* A position in an expression, and the one name that a comprehension binds. */
typedef struct source_place {
    source_reader *r;
    size_t at;
    size_t loop; /* the name; length 0: none */
    size_t loop_length;
    uint64_t looped;
    int is_asked; /* a condition's side, where no other condition stands */
    int depth;
    int (*read)(struct source_place *p, source_value *out); /* an expression: all operators */
} source_place;

/* The token there. */
source_token source_peek(const source_place *p);

void source_set_number(source_value *v, uint64_t number);
int source_is_number(const source_value *v);
void source_append(source_value *list, const source_value *item, int is_known);

/* ---- types ---- */

/* A type of whole numbers, in lower case: (c_|cu)(u)int(8|16|32|64)(_t), u64, i32, int. */
int source_is_integer(const char *word, size_t length);

/* What turns a number into a number, or a list into a list: a type, a function of source_types.def.
 */
int source_is_wrapper(const source_text *s, size_t at, size_t length);

/* Bits of an element of the type that the word names; 0 if it is none. */
uint32_t source_type_bits(const source_text *s, size_t at, size_t length);

/* A module's name, which says nothing of what stands behind its dot. */
int source_is_module(const source_text *s, const source_token *t);

/* ---- lists and what stands behind a value ---- */

/* Items up to the bracket that closes; *commas says whether any stood there. */
int source_read_list(source_place *p, source_value *out, int *commas);

/* Methods that give the same value: data(), as_ptr(). */
int source_is_same_value(const source_text *s, const source_token *name);

/* "[0]", "[1:]", ".data()", "as u64". */
int source_read_behind(source_place *p, source_value *v, int is_pointer);

/* ---- cases ---- */

/* The place of a key among those of the reader, which case it is in *is; -1: it is not read. A
 * condition is the same wherever its words are, a loop is one by its place. */
int source_key(const source_reader *r, const char *at, size_t length, size_t count, int is_loop,
               size_t *is);

/* The value at the place where it depends on a condition, "A if C else B", "C ? A : B", "if C { A }
 * else { B }": behind the first value, which is *out if it was read; `from`: where the expression
 * begins. 0 if it does not. */
int source_read_choice(source_place *p, size_t from, int is_read, source_value *out);

/* What a name of a loop's head is in the turn that is read. */
int source_read_turn(source_reader *r, const source_binding *b, source_value *out);

/* ---- names ---- */

typedef enum source_found { SOURCE_UNKNOWN, SOURCE_NOT_READ, SOURCE_FOUND } source_found;

/* What stands for the name: an argument of the function around it, or what was assigned to it. */
source_found source_read_known(source_reader *r, size_t at, size_t length, size_t owner,
                               size_t owner_length, source_value *out);

/* The expression that stands for the name as a whole, and what reads it; item->to is 0 where a
 * statement ends it. */
source_found source_expression_of(source_reader *r, size_t at, size_t length, source_reader *inner,
                                  source_item *item);

#endif
