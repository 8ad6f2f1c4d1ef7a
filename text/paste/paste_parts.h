/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the reader of pastes: lines, labels, values, blocks, calls, errors.
 */
#ifndef TMA_PASTE_PARTS_H
#define TMA_PASTE_PARTS_H

#include "tma/detail/assert.h"
#include "tma/detail/chars.h"
#include "tma/paste.h"

/* What a source's numbers are: paste_sources.def. */
#define PASTE_FRONT       0x01u /* strides begin with the element size */
#define PASTE_ERROR_FIRST 0x02u /* the error stands before the arguments */
#define PASTE_LOGICAL     0x04u /* sizes are outermost first */
#define PASTE_STRIDE_EL   0x08u /* strides in elements */
#define PASTE_SWIZZLE_B   0x10u /* the swizzle in bytes */
#define PASTE_UNSIGNED    0x20u /* the unsigned type of the size that it prints */

typedef enum paste_field {
    PASTE_TITLE, /* begins a block, has no value */
    PASTE_MAP_ADDRESS,
    PASTE_DTYPE,
    PASTE_RANK,
    PASTE_ADDRESS,
    PASTE_DIM,
    PASTE_STRIDE,
    PASTE_STRIDE_RAW,  /* with the element size in front, certainly */
    PASTE_STRIDE_CUDA, /* without it, certainly */
    PASTE_BOX,
    PASTE_ES,
    PASTE_INTERLEAVE,
    PASTE_SWIZZLE,
    PASTE_L2,
    PASTE_FILL,
    PASTE_PIXELS,
    PASTE_CHANNELS,
    PASTE_LOWER,
    PASTE_UPPER,
    PASTE_ELEMENT_B,
    PASTE_SWIZZLE_BASE, /* bytes; DeepGEMM's atomicity */
    PASTE_LAYOUT,       /* dimensions, the innermost first */
    PASTE_WIDE_MODE,
    PASTE_FIELDS
} paste_field;

/* Text that is read from its front. */
typedef struct paste_cursor {
    const char *at;
    size_t left;
} paste_cursor;

static inline char paste_peek(const paste_cursor *c) {
    return c->left ? *c->at : 0;
}

static inline void paste_skip(paste_cursor *c, size_t n) {
    n = n < c->left ? n : c->left;
    c->at += n;
    c->left -= n;
}

static inline int paste_is_blank(char c) {
    return c == ' ' || c == '\t';
}

static inline int paste_is_letter(char c) {
    return text_is_letter(c) || c == '_';
}

static inline void paste_skip_blanks(paste_cursor *c) {
    while (paste_is_blank(paste_peek(c))) {
        paste_skip(c, 1);
    }
}

/* Length of the identifier at the front: letters, digits, _, not a digit first. */
size_t paste_word(const paste_cursor *c);

/* Whether the text begins with the words; a blank in them stands for any run of blanks. Returns
 * how much of the text they take, or 0. */
size_t paste_begins(const paste_cursor *c, const char *words);

/* Where the words stand in the text, or its length. */
size_t paste_search(const char *text, size_t length, const char *words);

/* ---- lines ---- */

#define PASTE_LINE 2048

/* One line as it was printed first: without colours, split at escaped newlines and carriage
 * returns, control characters blank. */
typedef struct paste_line {
    char text[PASTE_LINE];
    size_t length;
    size_t number; /* of the line in the input, from 1 */
    size_t from;   /* where it begins in the input */
    int is_rest;   /* of the same line of the input as the one before */
} paste_line;

typedef struct paste_lines {
    const char *text;
    size_t size;
    size_t at;
    size_t number;
    int in_line;
} paste_lines;

int paste_next_line(paste_lines *lines, paste_line *line);

/* Where in the input the word stands that begins at byte `at` of the line just read; its size if
 * nowhere. */
size_t paste_place_of(const paste_lines *lines, const paste_line *line, size_t at);

/* Whether the line is a program's text that prints a message, and not the message. */
int paste_is_source_text(const paste_line *line);

/* Whether the line of source text decorates a function: "@pytest.mark.skipif(". */
int paste_is_decorator(const paste_line *line);

/* Whether something may begin there: where a word does, or a bracket. */
int paste_may_begin(const paste_line *line, size_t at);

/* Whether what begins there stands in quotes in a statement's line: CHECK(rows > 0, "no rows", */
int paste_is_quoted_code(const paste_line *line, size_t at);

/* Bytes of an escaped newline: one or more backslashes and an n. */
size_t paste_escaped_newline(const char *at, size_t left);

/* One character of a line: how many bytes it takes; *shown is 0 for none. */
size_t paste_character(const char *at, size_t left, char *shown);

/* How much of a line is as the beginning of another, up to the digits in it: whole words. */
size_t paste_same_form(const char *line, size_t size, const char *first, size_t most);

/* How much of the line at the front is its number, as listings of files have it: one more than the
 * line before it has, or one less than the line behind. */
size_t paste_line_number(const char *text, size_t size, size_t from);

/* The number of the line that byte `at` is in, from 1. */
size_t paste_line_of(const char *text, size_t at);

/* What a line's prefix says of who printed it: a number made of "rank3", "pid=811", "TP2", without
 * times. 0 if it says nothing. */
uint64_t paste_speaker(const char *prefix, size_t length);

/* ---- values ---- */

typedef struct paste_value {
    uint64_t item[8];
    uint8_t count;
    uint8_t known;   /* bit i: item[i] is a number */
    char bracket;    /* '(', '[', '{', or 0 */
    uint8_t is_hex;  /* written 0x... */
    uint8_t is_item; /* one of an array: item[count - 1] alone is there */
} paste_value;

/* Finds what a name stands for: numbers[0..count) of an array or constant. Returns the count, 0 if
 * unknown. */
typedef size_t (*paste_lookup)(const void *context, const char *name, size_t length,
                               uint64_t *numbers, size_t room);

typedef struct paste_names {
    paste_lookup find;
    const void *context;
} paste_names;

/* A number, decimal or 0x, with a sign and C's suffixes; not one that runs on as a word. */
int paste_number(paste_cursor *c, uint64_t *number, int *is_hex);

/* An expression of numbers, + - * / << and parentheses, casts, sizeof, names. Moves behind it. */
int paste_expression(paste_cursor *c, const paste_names *names, uint64_t *number);

/* The value of a field: a number, an enumerator by name or as Python prints it, a list in brackets
 * or bare. 1 if there was one, 0 if not, -1 if it breaks off. */
int paste_value_of(paste_cursor *c, paste_field field, paste_value *value);

/* "[2] = 64" behind a list's name: the value is that item. Else 0, and nothing is taken. */
int paste_item_of(paste_cursor *c, paste_field field, paste_value *value);

/* Puts an item beside those that are there. 0 if it is there already, or they are no items. */
int paste_join(paste_value *value, const paste_value *item);

/* Items of a list up to `close`, or one, into `value`. */
int paste_list(paste_cursor *c, const paste_names *names, char close, paste_value *value);

/* An enumerator's number, from a name, a cast or a number. */
int paste_enumerator(paste_cursor *c, tma_enum_kind kind, uint64_t *number);

/* ---- labels ---- */

#define PASTE_OWN   1u
#define PASTE_FIRST 2u
#define PASTE_END   4u

typedef struct paste_label {
    const char *words;
    uint32_t length;
    uint32_t field;
    uint32_t sources; /* bit by tma_paste_source */
    uint32_t flags;
} paste_label;

/* The label at the front of the text, of which `before` bytes stand before it; how long it is, and
 * where the identifier begins that it ends. Null if there is none. */
const paste_label *paste_label_at(const paste_cursor *c, size_t before, size_t *length,
                                  size_t *stem);

/* What may begin with three characters (paste_front), so that most words are passed over at once.
 */
#define PASTE_BEGINS_LABEL   1u
#define PASTE_BEGINS_FAILURE 2u
#define PASTE_BEGINS_REMARK  4u
#define PASTE_FRONT_B        3
#define PASTE_FRONTS         1024
void paste_note_labels(uint8_t begins[PASTE_FRONTS]);
void paste_note_failures(uint8_t begins[PASTE_FRONTS]);

static inline size_t paste_front(const char *at) {
    const unsigned char third = (unsigned char)(paste_is_blank(at[2]) ? ' ' : at[2]);
    return (((unsigned char)at[0] * 31u + (unsigned char)at[1]) * 31u + third) % PASTE_FRONTS;
}

/* Notes words of at least so many characters, of which the first two are no blanks. */
static inline void paste_note(uint8_t begins[PASTE_FRONTS], const char *words, uint8_t what) {
    TMA_ASSERT(text_length(words) >= PASTE_FRONT_B && words[0] != ' ' && words[1] != ' ');
    begins[paste_front(words)] |= what;
}

/* Whether the identifier at the front is assigned to: "a_b = ", "a_b[3]= ". */
int paste_is_assigned(const paste_cursor *c);

uint32_t paste_label_order(const paste_label *label);

/* A number for a descriptor's name, 0 for none. */
uint64_t paste_descriptor(const char *name, size_t length);

/* Separators between a label and its value; 0 if none are there that must be. */
int paste_skip_separators(paste_cursor *c, const paste_label *label);

/* Whether a sentence names the label that ends `length` behind byte `before` of its line, and goes
 * on
 * ("boxDim, globalDim and", "reads elementStrides."): then no value of it was torn off. */
int paste_is_named(const paste_cursor *c, size_t before, size_t length);

/* Whether what stands behind a value may stand there. */
int paste_may_follow(const paste_cursor *behind, const paste_value *value, const paste_label *label,
                     const char *line);

/* ---- blocks ---- */

typedef struct paste_block {
    paste_value value[PASTE_FIELDS];
    uint32_t has;      /* bit by paste_field */
    uint32_t sources;  /* who may have printed it, */
    uint32_t labelled; /* and who by its labels alone, whatever the form of its values */
    uint64_t speaker;
    uint64_t name; /* of the descriptor, where the labels have it */
    size_t line;
    size_t last_line;
    size_t labels;       /* lines or labels so far */
    size_t own;          /* of them those that nobody else writes */
    uint32_t last_order; /* of the last label */
    uint32_t state;
    int32_t code;
    int32_t prior; /* a block that waits for this one's fate, or -1 */
    int is_torn;
    int stride_B; /* a stride in bytes where the source has elements */
    int is_code;  /* a program's text has its values */
    int is_call;  /* of source text: api and rank are known, entries may be missing */
    uint32_t api;
    uint32_t rank;
} paste_block;

#define PASTE_CUTE_SOURCES                                                                         \
    (UINT32_C(1) << TMA_PASTE_FROM_CUTLASS | UINT32_C(1) << TMA_PASTE_FROM_TILELANG)

/* What a label and its value (or null) say of who printed the block. */
void paste_narrow_sources(paste_block *block, const paste_label *label, const paste_value *value);

/* The block as what is visited; 0 if it is not worth it. */
int paste_finish(const paste_block *block, tma_paste *out);

/* A block with labels of its own before one of words that anybody writes; then the later one. */
int paste_is_surer(const paste_block *a, const paste_block *b);

/* Whether all lines of the block were there. */
int paste_is_finished(const paste_block *block);

/* Whether the program that printed the block prints the error before it. */
int paste_prints_error_first(const paste_block *block);

/* A map as `out` of which nothing is known yet. */
void paste_empty(tma_paste *out, uint32_t kind, uint32_t source, size_t line, size_t last_line);

/* ---- calls ---- */

/* Whether the name of a function that makes a map stands at the front, or an enumerator that such a
 * function of any other name gets. */
int paste_is_call(const paste_cursor *c);

/* Whether what the function makes is of interest only where nothing else is in the text. */
int paste_is_quiet(const paste_cursor *c);

/* How much of a line a call takes that begins it: all, unless another one stands behind it. */
size_t paste_call_takes(const char *line, size_t length);

struct source_style;

/* Text, and the byte at which a name begins. */
typedef struct paste_call_place {
    const char *text;
    size_t size;
    size_t at;
    size_t *work_B; /* bytes that may still be read around calls; then fewer names are known */
    struct source_style *style;
} paste_call_place;

/* Whether a call that makes a map begins there, or Triton's object; fills *out but for its lines.
 * In a function that is called with the map's values it is one map a caller: the nth of them, whose
 * place is *caller; else that is 0, and there is only the first. *end is behind the call. */
int paste_call(const paste_call_place *place, size_t nth, tma_paste *out, size_t *end,
               size_t *caller);

/* ---- errors ---- */

/* An encode call's failure that begins at the front of the line. */
typedef struct paste_failure {
    uint32_t sources; /* who writes it so; 0: anybody */
    uint32_t source;  /* whose it is if it stands alone */
    int32_t code;
    int is_lone; /* worth saying without its arguments */
} paste_failure;

size_t paste_failure_at(const paste_cursor *c, paste_failure *out);

/* The number behind an error's phrase, or TMA_PASTE_UNKNOWN_CODE. */
int32_t paste_code(const char *text, size_t length);

/* A program's own check; fills *out and returns its length, or 0. */
size_t paste_remark_at(const paste_cursor *c, size_t line, tma_paste *out);

uint32_t paste_source_form(uint32_t source);

/* Sets what a source passes and does not print. */
void paste_always(uint32_t source, tma_paste *out);

#endif
