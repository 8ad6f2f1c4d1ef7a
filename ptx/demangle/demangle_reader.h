/* SPDX-License-Identifier: Apache-2.0
 *
 * What the sources of the demangler share: a name that is read from left to right, and the text
 * that comes of it. What may be referred to later (S0_, T_) is kept as a place in the name, and
 * read once more where it is referred to.
 */
#ifndef PTX_DEMANGLE_READER_H
#define PTX_DEMANGLE_READER_H

#include "tma/ptx_file.h"

#define DEMANGLE_MOST_KEPT 128 /* substitutions, arguments of a template */
#define DEMANGLE_NO_MEMBER UINT32_MAX

typedef enum demangle_kept_kind { KEPT_TYPE, KEPT_PREFIX, KEPT_ARGUMENT } demangle_kept_kind;

typedef struct demangle_kept {
    const char *at, *end; /* end: of a prefix */
    demangle_kept_kind kind;
} demangle_kept;

typedef struct demangle_reader {
    const char *at, *end;
    char *text;
    size_t length, room;
    demangle_kept substitution[DEMANGLE_MOST_KEPT];
    demangle_kept argument[DEMANGLE_MOST_KEPT]; /* of the template that was read last */
    uint32_t substitutions, arguments;
    uint32_t depth, steps;
    uint8_t failed;
    uint8_t is_local;         /* of the name that comes: another one is inside of it */
    uint8_t is_again;         /* a part is read once more: it is not kept again */
    uint8_t has_return;       /* the name ends in a template's arguments, */
    uint8_t is_special;       /* and is no constructor, destructor or conversion */
    uint32_t member, members; /* of the pack that is expanded; DEMANGLE_NO_MEMBER: none is */
    uint32_t own_depth;       /* of the name whose arguments T_ means */
    const char *last_at;      /* the last source name: what a constructor is called */
    size_t last_length;
} demangle_reader;

/* demangle_text.c: what is said, and letters of the name. A reader that failed is at its end. */
void demangle_fail(demangle_reader *r);
void demangle_put(demangle_reader *r, const char *text, size_t length);
void demangle_say(demangle_reader *r, const char *text);
char demangle_last_put(const demangle_reader *r);
char demangle_peek(const demangle_reader *r);
char demangle_peek_second(const demangle_reader *r);
int demangle_take(demangle_reader *r, char c);
int demangle_take_two(demangle_reader *r, char a, char b);
void demangle_must(demangle_reader *r, char c);
int demangle_is_digit(char c);
int demangle_is_qualifier(char c);
size_t demangle_read_number(demangle_reader *r);
/* Whether to go on: parts in parts, and all that is read, have bounds. */
int demangle_may_go_on(demangle_reader *r);

/* demangle_types.c: types, arguments of templates, and what is referred to. */
void demangle_keep(demangle_reader *r, demangle_kept_kind kind, const char *at);
void demangle_read_type(demangle_reader *r);
void demangle_read_types(demangle_reader *r);          /* up to an E or the end, in brackets */
void demangle_read_arguments(demangle_reader *r);      /* behind the I */
void demangle_read_substitution(demangle_reader *r);   /* behind the S */
void demangle_read_template_param(demangle_reader *r); /* behind the T */

/* ptx_demangle.c: names. A prefix is the parts of a nested one, up to its E or to `stop`. */
void demangle_read_name(demangle_reader *r);
void demangle_read_source_name(demangle_reader *r);
void demangle_read_prefix(demangle_reader *r, const char *stop);
void demangle_read_encoding(demangle_reader *r);

#endif
