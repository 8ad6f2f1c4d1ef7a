/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls in source text and in Python's output: C, C++, cuda-python, TVM's IR, Triton's object.
 */
#include <string.h>

#include "paste_parts.h"
#include "tma/detail/chars.h"

#define CALL_B        4096  /* no call is longer */
#define BEHIND_B      16384 /* how far before a call its arrays may be declared */
#define MOST_PREFIX_B 256   /* what a log puts before a line */
#define ARGUMENTS     64

typedef struct spans {
    paste_cursor at[ARGUMENTS];
    size_t count;
} spans;

/* What is looked names up in: the text before the call. */
typedef struct declared {
    const char *text;
    size_t size;
    int depth;
} declared;

static size_t find_name(const void *context, const char *name, size_t length, uint64_t *numbers,
                        size_t room);

static paste_cursor trimmed(const char *at, size_t left) {
    paste_cursor c = {at, left};
    paste_skip_blanks(&c);
    while (c.left && paste_is_blank(c.at[c.left - 1])) {
        c.left--;
    }
    return c;
}

/* The quote that text is in behind `c`; before it, in `quote`. */
static char quote_behind(char quote, char c) {
    if (quote) {
        return c == quote ? 0 : quote;
    }
    return c == '"' || c == '\'' ? c : 0;
}

/* The arguments up to the bracket that closes them; 0 if none does. */
static int split(paste_cursor c, spans *out) {
    const char *start = c.at;
    int depth = 0;
    char quote = 0;
    out->count = 0;
    for (; c.left; paste_skip(&c, 1)) {
        const char at = *c.at;
        const char before = quote;
        quote = quote_behind(before, at);
        if (before) {
            continue;
        }
        const int closes = at == ')' || at == ']' || at == '}';
        depth += at == '(' || at == '[' || at == '{';
        if ((at == ',' && depth == 0) || (closes && depth == 0)) {
            const paste_cursor span = trimmed(start, (size_t)(c.at - start));
            if (out->count == ARGUMENTS) {
                return 0;
            }
            if (span.left || at == ',') {
                out->at[out->count++] = span;
            }
            start = c.at + 1;
            if (closes) {
                return out->count > 0;
            }
        }
        depth -= closes;
    }
    return 0;
}

/* `name` of the declarations: a number, or the entries of an array. */
static size_t read_declared(const declared *d, paste_cursor behind, uint64_t *numbers,
                            size_t room) {
    const paste_names names = {find_name, d};
    paste_value list;
    paste_skip_blanks(&behind);
    while (paste_peek(&behind) == '[') {
        paste_skip(&behind, text_until(behind.at, behind.left, ']') + 1);
        paste_skip_blanks(&behind);
    }
    if (paste_peek(&behind) == '=' && behind.left > 1 && behind.at[1] != '=') {
        paste_skip(&behind, 1);
    } else if (paste_peek(&behind) != '{') {
        return 0;
    }
    paste_skip_blanks(&behind);
    memset(&list, 0, sizeof(list));
    const char open = paste_peek(&behind);
    if (open == '{' || open == '[') {
        paste_skip(&behind, 1);
        paste_skip_blanks(&behind);
        const int is_double = paste_peek(&behind) == '{';
        paste_skip(&behind, (size_t)is_double);
        if (paste_list(&behind, &names, open == '{' ? '}' : ']', &list) != 1 || !list.count ||
            list.known != (1u << list.count) - 1) {
            return 0;
        }
        const size_t n = list.count < room ? list.count : room;
        memcpy(numbers, list.item, n * sizeof(*numbers));
        return n;
    }
    return room && paste_expression(&behind, &names, numbers) ? 1 : 0;
}

static size_t find_name(const void *context, const char *name, size_t length, uint64_t *numbers,
                        size_t room) {
    declared d = *(const declared *)context;
    if (++d.depth > 4 || length == 0) {
        return 0;
    }
    for (size_t i = d.size; i-- > 0;) { /* the last one that was declared */
        const paste_cursor here = {d.text + i, d.size - i};
        const int is_start = i == 0 || !text_is_word(d.text[i - 1]);
        if (*here.at == *name && is_start && paste_word(&here) == length &&
            text_equal(here.at, name, length)) {
            const size_t n = read_declared(&d, (paste_cursor){here.at + length, here.left - length},
                                           numbers, room);
            if (n) {
                return n;
            }
        }
    }
    return 0;
}

/* An array argument: a list, or the name of one. */
static void read_array(paste_cursor span, const declared *d, paste_block *b, paste_field field) {
    const paste_names names = {find_name, d};
    paste_value *v = &b->value[field];
    memset(v, 0, sizeof(*v));
    const char open = paste_peek(&span);
    if (open == '[' || open == '(' || open == '{') {
        paste_skip(&span, 1);
        if (paste_list(&span, &names, open == '[' ? ']' : open == '(' ? ')' : '}', v) != 1) {
            v->count = 0;
        }
        v->bracket = open;
    } else {
        paste_skip(&span, open == '&');
        const size_t n = paste_word(&span);
        v->count = (uint8_t)find_name(d, span.at, n, v->item, 8);
        v->known = (uint8_t)((1u << v->count) - 1);
    }
    if (v->count) {
        b->has |= UINT32_C(1) << field;
    }
}

static void keep_one(paste_block *b, paste_field field, uint64_t number) {
    paste_value *v = &b->value[field];
    memset(v, 0, sizeof(*v));
    v->item[0] = number;
    v->count = 1;
    v->known = 1;
    b->has |= UINT32_C(1) << field;
}

static int read_enum(paste_cursor span, const declared *d, tma_enum_kind kind, paste_block *b,
                     paste_field field) {
    const paste_names names = {find_name, d};
    uint64_t number = 0;
    paste_cursor again = span;
    if (paste_enumerator(&span, kind, &number) || paste_expression(&again, &names, &number)) {
        keep_one(b, field, number);
        return 1;
    }
    return 0;
}

static void read_number(paste_cursor span, const declared *d, paste_block *b, paste_field field) {
    const paste_names names = {find_name, d};
    uint64_t number = 0;
    if (paste_expression(&span, &names, &number)) {
        paste_skip_blanks(&span);
        if (!span.left) {
            keep_one(b, field, number);
        }
    }
}

/* interleave, swizzle, L2, fill: the last four of every form. */
static void read_last_four(const paste_cursor *at, const declared *d, paste_block *b) {
    read_enum(at[0], d, TMA_ENUM_INTERLEAVE, b, PASTE_INTERLEAVE);
    read_enum(at[1], d, TMA_ENUM_SWIZZLE, b, PASTE_SWIZZLE);
    read_enum(at[2], d, TMA_ENUM_L2, b, PASTE_L2);
    read_enum(at[3], d, TMA_ENUM_FILL, b, PASTE_FILL);
}

static int is_type(paste_cursor span) {
    uint64_t number = 0;
    return !text_is_digit(paste_peek(&span)) && paste_enumerator(&span, TMA_ENUM_DTYPE, &number);
}

/* cuda.h's order, with the map in front or, as in Python, without. */
static int read_arguments(const spans *all, const declared *d, paste_block *b, int is_im2col) {
    const size_t skipped = all->count && is_type(all->at[0]) ? 0 : 1;
    const paste_cursor *at = all->at + skipped;
    const size_t wanted = is_im2col ? 14 : 11;
    if (all->count != wanted + skipped) {
        return 0;
    }
    read_enum(at[0], d, TMA_ENUM_DTYPE, b, PASTE_DTYPE);
    read_number(at[1], d, b, PASTE_RANK);
    read_number(at[2], d, b, PASTE_ADDRESS);
    read_array(at[3], d, b, PASTE_DIM);
    read_array(at[4], d, b, PASTE_STRIDE_CUDA);
    if (is_im2col) {
        read_array(at[5], d, b, PASTE_LOWER);
        read_array(at[6], d, b, PASTE_UPPER);
        read_number(at[7], d, b, PASTE_CHANNELS);
        read_number(at[8], d, b, PASTE_PIXELS);
        read_array(at[9], d, b, PASTE_ES);
        read_last_four(at + 10, d, b);
    } else {
        read_array(at[5], d, b, PASTE_BOX);
        read_array(at[6], d, b, PASTE_ES);
        read_last_four(at + 7, d, b);
    }
    return b->has >> PASTE_DIM & 1;
}

/* `count` of the flat numbers as one array. */
static const paste_cursor *read_flat(const paste_cursor *at, size_t count, paste_block *b,
                                     paste_field field) {
    paste_value *v = &b->value[field];
    memset(v, 0, sizeof(*v));
    for (size_t i = 0; i < count; i++) {
        paste_cursor span = at[i];
        uint64_t number = 0;
        const int is_known = paste_expression(&span, NULL, &number) && !span.left;
        v->item[i] = number;
        v->known = (uint8_t)(v->known | (unsigned)is_known << i);
        v->count++;
    }
    b->has |= UINT32_C(1) << field;
    return at + count;
}

/* TVM's: map, type, rank, pointer, then all numbers one after the other. */
static int read_flat_call(const spans *all, const declared *d, paste_block *b, int has_front) {
    uint64_t rank = 0;
    if (all->count < 4) {
        return 0;
    }
    paste_cursor span = all->at[2];
    if (!paste_expression(&span, NULL, &rank) || rank < 1 || rank > TMA_MAX_RANK ||
        all->count != 4 + 4 * rank - !has_front + 4) {
        return 0;
    }
    read_enum(all->at[1], d, TMA_ENUM_DTYPE, b, PASTE_DTYPE);
    keep_one(b, PASTE_RANK, rank);
    read_number(all->at[3], d, b, PASTE_ADDRESS);
    const paste_cursor *at = read_flat(all->at + 4, (size_t)rank, b, PASTE_DIM);
    at = has_front ? read_flat(at, (size_t)rank, b, PASTE_STRIDE_RAW)
                   : read_flat(at, (size_t)rank - 1, b, PASTE_STRIDE_CUDA);
    at = read_flat(at, (size_t)rank, b, PASTE_BOX);
    at = read_flat(at, (size_t)rank, b, PASTE_ES);
    read_last_four(at, d, b);
    return 1;
}

/* The value of a keyword of Python's, anywhere in the call. */
static int keyword(paste_cursor call, const char *name, paste_cursor *value) {
    const size_t at = paste_search(call.at, call.left, name);
    if (at == call.left) {
        return 0;
    }
    *value = call;
    paste_skip(value, at + text_length(name));
    return 1;
}

static int read_object(paste_cursor call, paste_block *b) {
    static const struct {
        const char *name;
        paste_field field;
    } keys[] = {{" shape=", PASTE_DIM},
                {"strides=", PASTE_STRIDE},
                {"block_shape=", PASTE_BOX},
                {"dtype=", PASTE_DTYPE},
                {"padding=", PASTE_FILL}};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        paste_cursor value;
        if (keyword(call, keys[i].name, &value) &&
            paste_value_of(&value, keys[i].field, &b->value[keys[i].field]) == 1) {
            b->has |= UINT32_C(1) << keys[i].field;
        }
    }
    return (b->has >> PASTE_DIM & 1) && (b->has >> PASTE_BOX & 1);
}

static const struct call_name {
    const char *name;
    uint32_t source;
    enum { ARGUMENT_LIST, FLAT, FLAT_FRONT, OBJECT } form;
    int is_im2col;
} calls[] = {
    {"cuTensorMapEncodeTiled", TMA_PASTE_FROM_CALL, ARGUMENT_LIST, 0},
    {"cuTensorMapEncodeIm2col", TMA_PASTE_FROM_CALL, ARGUMENT_LIST, 1},
    {"tensormap_encode_tiled", TMA_PASTE_FROM_TVM, FLAT, 0},
    {"__tvm_tensormap_create_tiled", TMA_PASTE_FROM_TVM, FLAT_FRONT, 0},
    {"TensorDescriptor", TMA_PASTE_FROM_TRITON_OBJECT, OBJECT, 0},
};

/* The end of an object's or a call's brackets. */
static size_t balanced(paste_cursor c) {
    int depth = 1;
    for (size_t i = 0; i < c.left; i++) {
        depth += c.at[i] == '(' || c.at[i] == '[' || c.at[i] == '{';
        depth -= c.at[i] == ')' || c.at[i] == ']' || c.at[i] == '}';
        if (depth == 0) {
            return i;
        }
    }
    return 0;
}

static int read_call(const struct call_name *call, paste_cursor c, const declared *d,
                     paste_block *b) {
    spans all;
    const size_t length = paste_word(&c);
    paste_skip(&c, length);
    const int is_quoted = paste_peek(&c) == '"' || paste_peek(&c) == '\'';
    paste_skip(&c, (size_t)is_quoted);
    paste_skip_blanks(&c);
    if (paste_peek(&c) != (is_quoted ? ',' : '(')) {
        return 0;
    }
    paste_skip(&c, 1);
    b->sources = UINT32_C(1) << (is_quoted ? TMA_PASTE_FROM_TVM : call->source);
    if (call->form == OBJECT) {
        const size_t end = balanced(c);
        return end && read_object((paste_cursor){c.at, end}, b);
    }
    if (!split(c, &all)) {
        return 0;
    }
    if (is_quoted || call->form != ARGUMENT_LIST) {
        return read_flat_call(&all, d, b, call->form == FLAT_FRONT);
    }
    return read_arguments(&all, d, b, call->is_im2col);
}

int paste_is_call(const paste_cursor *c) {
    const size_t word = paste_word(c);
    for (size_t i = 0; word > 8 && i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (text_is(c->at, word, calls[i].name)) {
            return 1;
        }
    }
    return 0;
}

size_t paste_call_takes(const char *line, size_t length) {
    int depth = 0;
    for (size_t i = 1; i < length; i++) {
        const paste_cursor here = {line + i, length - i};
        depth += line[i] == '(' || line[i] == '[' || line[i] == '{';
        depth -= line[i] == ')' || line[i] == ']' || line[i] == '}';
        if (depth <= 0 && !text_is_word(line[i - 1]) && paste_is_call(&here)) {
            return i;
        }
    }
    return length;
}

int paste_call(const char *text, size_t size, size_t at, tma_paste *out) {
    const paste_cursor here = {text + at, size - at};
    const size_t word = paste_word(&here);
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (text_is(here.at, word, calls[i].name)) {
            char cleaned[CALL_B];
            paste_block block;
            const size_t from = at < BEHIND_B ? 0 : at - BEHIND_B;
            const declared before = {text + from, at - from, 0};
            memset(&block, 0, sizeof(block));
            block.code = TMA_PASTE_NO_CODE;
            const size_t left = size - at < sizeof(cleaned) ? size - at : sizeof(cleaned);
            size_t column = 0;
            while (column < at && column < MOST_PREFIX_B && text[at - column - 1] != '\n') {
                column++;
            }
            const paste_cursor c = {cleaned, paste_clean(text + at, left, column, cleaned, left)};
            return read_call(&calls[i], c, &before, &block) && paste_finish(&block, out) &&
                   out->kind == TMA_PASTE_MAP;
        }
    }
    return 0;
}
