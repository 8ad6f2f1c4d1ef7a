/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the reader of calls: rows, arguments, what comes of them.
 */
#ifndef TMA_PASTE_CALL_H
#define TMA_PASTE_CALL_H

#include "paste_parts.h"
#include "source_values.h"

#define MOST_PLACED 20

/* What an argument can be beside a field of a block. */
enum { PASTE_MAP = PASTE_FIELDS, PASTE_TENSOR, PASTE_API, PASTE_TILE, PASTE_SKIP };

#define CALL_FLAT        0x01u
#define CALL_FRONT       0x02u
#define CALL_ANY_PREFIX  0x04u
#define CALL_IN_BRACKETS 0x08u
#define CALL_MEMBERS     0x10u
#define CALL_NOTE        0x20u
#define CALL_SURE        0x40u
#define CALL_OBJECTS     0x80u
#define CALL_QUIET       0x100u
#define CALL_TENSOR      0x200u
#define CALL_MLIR        0x400u

typedef struct argument_row {
    const char *word;
    uint32_t field;
} argument_row;

typedef struct call_row {
    const char *name;
    uint32_t source;
    uint32_t flags;
    uint32_t api;
    argument_row arguments[MOST_PLACED];
} call_row;

/* A call that is read: its arguments, the names around it, what comes of it. */
typedef struct call_reading {
    const call_row *row;
    source_text text;
    source_reader reader;
    paste_block block;
    uint32_t unread; /* bit by paste_field: it stands there, and is not read, or not all of it */
    struct {
        size_t from;
        size_t to;
    } span[PASTE_FIELDS];
    size_t named;  /* enumerators that were read by their names */
    size_t placed; /* arguments */
    int has_type_name;
    int is_miscounted; /* an argument is missing */
    int is_unread;     /* by its places */
    int is_limited;    /* more of the text stands behind what is read of it */
    int is_cut;        /* the text ends before the bracket closes */
    uint32_t work;     /* source_reader.work */
} call_reading;

/* The row of a name, whatever stands before and behind it in a longer one; null if none. */
const call_row *call_row_of(const char *word, size_t length);

/* Length of the name at the front, with the class before it where a row has both. */
size_t call_name_length(const paste_cursor *c);

/* The index-th row of an encode call of the driver; null behind the last. */
const call_row *call_encoder(size_t index);

int call_is_list(uint32_t field);

/* Whether a field is of an enumeration: which. */
int call_enum_of(uint32_t field, tma_enum_kind *kind);

/* The tma_argument of a field. */
uint32_t call_argument_of(uint32_t field);

/* Begins to read the call whose name begins at byte `at`. */
void call_begin(call_reading *r, const call_row *row, const paste_call_place *place,
                source_scope *scope, const source_given *given);

/* Reads its arguments: 0 if it is no call, or not of the row's function. *end is behind it. */
int call_read(call_reading *r, size_t name, size_t length, size_t *end);

/* MLIR's, which is no call: an operation or a type behind the name. */
int call_read_mlir(call_reading *r, size_t name, size_t length, size_t *end);

/* A name as an enumerator, if it is one of this kind. */
int call_enumerator(call_reading *r, tma_enum_kind kind, source_value *v);

/* A function without arguments that returns one: tm_l2_256b(), whose last words say it; Julia's
 * symbol. */
int call_getter(call_reading *r, tma_enum_kind kind, size_t from, size_t to, source_value *v);

/* Keeps a value for the field; entries that are not known are not read. */
void call_keep(call_reading *r, uint32_t field, const source_value *v);
void call_keep_part(call_reading *r, uint32_t field, const source_value *v, int is_whole);

/* A tensor among the arguments, or before the dot of the name: its type, and where the row says so
 * its sizes and strides. */
void call_read_tensor(call_reading *r, size_t from, size_t to);
void call_read_receiver(call_reading *r, size_t name);

/* One more of Mojo's sizes of a tile, which a type and a rank may stand before: all are quoted. */
void call_read_tile(call_reading *r, size_t from, size_t to);

/* The swizzle of which a layout says the bytes; 0 if it says none. */
int call_read_layout(call_reading *r, size_t from, source_value *swizzle);

/* What was read as what is visited; 0 if it is not worth it. */
int call_finish(call_reading *r, tma_paste *out);

/* An argument in its own words, with the number or the numbers that its value is, as far as the
 * text says them. Returns whether all of it is known. */
int call_quote(call_reading *r, const source_item *item, size_t value, tma_paste_quote *out);

/* Two words beside each other, or a type behind a colon: a parameter's declaration. */
int call_is_declaration(const source_text *s, const source_item *item);

#endif
