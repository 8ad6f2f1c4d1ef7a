/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls in source text and in Python's output: which function it is, and which of its arguments is
 * which. What an argument is, source_values.c reads.
 */
#include <string.h>

#include "paste_parts.h"
#include "source_values.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"
#include "tma/synonyms.h"

#define CALL_B       8192 /* no call is longer */
#define MOST_PLACED  20
#define MOST_FLAT    (4 + 4 * TMA_MAX_RANK + 4)
#define MOST_CALLERS 16
#define MOST_OPEN_B  2048 /* from an enumerator back to the bracket of its call */
#define NOTE_B       1024 /* from a call back to the comment that `tma encode` puts before it */

/* What an argument can be beside a field of a block. */
enum { PASTE_MAP = PASTE_FIELDS, PASTE_BASE, PASTE_API, PASTE_SKIP };

#define FLAT        0x01u
#define FRONT       0x02u
#define ANY_PREFIX  0x04u
#define IN_BRACKETS 0x08u
#define MEMBERS     0x10u
#define NOTE        0x20u
#define SURE        0x40u

typedef struct argument_row {
    const char *word;
    uint32_t field;
} argument_row;

static const struct call_row {
    const char *name;
    uint32_t source;
    uint32_t flags;
    uint32_t api;
    argument_row arguments[MOST_PLACED];
} calls[] = {
#define ARGUMENT(field, word) {word, PASTE_##field}
#define CALL(name, source, flags, api, ...)                                                        \
    {name, TMA_PASTE_FROM_##source, flags, TMA_API_##api, {__VA_ARGS__}},
#include "paste_calls.def"
};

#define CALLS (sizeof(calls) / sizeof(calls[0]))

/* A call that is read: its arguments, the names around it, what comes of it. */
typedef struct reading {
    const struct call_row *row;
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
} reading;

/* ---- names ---- */

/* The next character of a name, without case and underscores; 0 behind it. */
static char folded(const char *text, size_t length, size_t *at) {
    while (*at < length && text[*at] == '_') {
        (*at)++;
    }
    return *at < length ? text_lower(text[(*at)++]) : 0;
}

/* Whether the word begins with the name; `is_whole`: and is no longer. */
static int same_name(const char *word, size_t length, const char *name, int is_whole) {
    const size_t size = text_length(name);
    size_t i = 0;
    size_t j = 0;
    for (;;) {
        size_t before = i;
        const char c = folded(name, size, &j);
        const char other = folded(word, length, &i);
        if (!c) {
            return !is_whole || !other || before >= length;
        }
        if (c != other) {
            return 0;
        }
    }
}

static int has_name(const struct call_row *row, const char *word, size_t length) {
    if (!(row->flags & ANY_PREFIX)) {
        return text_is(word, length, row->name);
    }
    for (size_t at = 0; at + 8 < length; at++) {
        if (same_name(word + at, length - at, row->name, 0)) {
            return 1;
        }
    }
    return 0;
}

static const struct call_row *row_of(const char *word, size_t length) {
    const struct call_row *row = NULL;
    for (size_t i = 0; length >= 8 && i < CALLS; i++) {
        const int is_whole = !(calls[i].flags & ANY_PREFIX);
        if ((!row || is_whole) && has_name(&calls[i], word, length)) {
            row = &calls[i];
        }
    }
    return row;
}

static int is_type_name(const char *word, size_t length) {
    static const char name[] = "CU_TENSOR_MAP_DATA_TYPE_";
    return length > sizeof(name) - 1 && text_equal(word, name, sizeof(name) - 1);
}

int paste_is_call(const paste_cursor *c) {
    const size_t word = paste_word(c);
    return word >= 8 && (row_of(c->at, word) || is_type_name(c->at, word));
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

/* ---- values ---- */

static int is_list(uint32_t field) {
    return (field >= PASTE_DIM && field <= PASTE_ES) || field == PASTE_LOWER ||
           field == PASTE_UPPER;
}

static int enum_of(uint32_t field, tma_enum_kind *kind) {
    static const struct {
        uint32_t field;
        tma_enum_kind kind;
    } rows[] = {{PASTE_DTYPE, TMA_ENUM_DTYPE},   {PASTE_INTERLEAVE, TMA_ENUM_INTERLEAVE},
                {PASTE_SWIZZLE, TMA_ENUM_SWIZZLE}, {PASTE_L2, TMA_ENUM_L2},
                {PASTE_FILL, TMA_ENUM_FILL},     {PASTE_WIDE_MODE, TMA_ENUM_WIDE_MODE},
                {PASTE_API, TMA_ENUM_API}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].field == field) {
            *kind = rows[i].kind;
            return 1;
        }
    }
    return 0;
}

/* A name as an enumerator, if it is one of this kind. */
static int name_to_number(reading *r, tma_enum_kind kind, source_value *v) {
    const tma_enum_row *row =
        v->word_length ? tma_enum_synonym(kind, r->text.text + v->word, v->word_length) : NULL;
    if (!row || row->driver < 0) {
        return 0;
    }
    r->named++;
    r->has_type_name |= kind == TMA_ENUM_DTYPE;
    *v = (source_value){.item = {(uint64_t)row->driver}, .count = 1, .known = 1};
    return 1;
}

/* Keeps what was read of an argument, and what was not. */
static void keep(reading *r, uint32_t field, const source_value *v, int is_whole) {
    paste_value *to = &r->block.value[field];
    memset(to, 0, sizeof(*to));
    memcpy(to->item, v->item, sizeof(to->item));
    to->count = v->count;
    to->known = v->known;
    to->bracket = v->is_list ? '[' : 0;
    r->block.has |= UINT32_C(1) << field;
    r->unread |= is_whole ? 0 : UINT32_C(1) << field;
}

static void read_argument(reading *r, uint32_t field, size_t from, size_t to) {
    source_value v;
    tma_enum_kind kind = TMA_ENUM_DTYPE;
    r->placed++;
    if (field == PASTE_MAP || field == PASTE_BASE || field == PASTE_SKIP) {
        return;
    }
    int ok = source_read(&r->reader, from, to, &v);
    if (field == PASTE_API) {
        ok = ok && (v.known & 1 || name_to_number(r, TMA_ENUM_API, &v));
        r->block.api = ok ? (uint32_t)v.item[0] : r->block.api;
        return;
    }
    r->span[field].from = from;
    r->span[field].to = to;
    if (enum_of(field, &kind)) {
        ok = ok && !v.is_list && (v.known || name_to_number(r, kind, &v));
    } else if (is_list(field)) {
        const int is_corner = field == PASTE_LOWER || field == PASTE_UPPER;
        const int is_null = ok && !v.is_list && v.known && !v.item[0] && !is_corner;
        ok = ok && (v.is_list || is_null || is_corner) && !v.word_length;
        v.count = is_null ? 0 : v.count;
    } else {
        ok = ok && !v.is_list && v.known;
    }
    if (field == PASTE_ADDRESS && !ok) {
        return; /* a pointer: no text has its value */
    }
    memset(&v, 0, ok ? 0 : sizeof(v));
    keep(r, field, &v, ok && v.known == (1u << v.count) - 1);
}

/* ---- arguments ---- */

/* "name = value", "name: value", ".name = value": the field that the word names, and where its value
 * begins. PASTE_SKIP for a word that names none; PASTE_FIELDS and no value if none is named. */
static uint32_t keyword(const reading *r, const source_item *item, size_t *value) {
    const source_text *s = &r->text;
    source_token t = source_next(s, item->from);
    const int has_dot = source_is(&t, '.');
    t = has_dot ? source_next(s, t.behind) : t;
    const source_token sign = source_next(s, t.behind);
    *value = 0;
    if (t.kind != SOURCE_WORD || !(source_is(&sign, '=') || (!has_dot && source_is(&sign, ':')))) {
        return PASTE_SKIP;
    }
    for (size_t i = 0; i < MOST_PLACED && r->row->arguments[i].word; i++) {
        if (same_name(s->text + t.at, t.length, r->row->arguments[i].word, 1)) {
            *value = sign.behind;
            return r->row->arguments[i].field;
        }
    }
    *value = source_is(&sign, '=') ? sign.behind : 0;
    return PASTE_SKIP;
}

/* Two words beside each other, or a type behind a colon: a parameter's declaration. */
static int is_declaration(const source_text *s, const source_item *item) {
    source_token before = {0};
    for (size_t at = item->from; at < item->to;) {
        const source_token t = source_next(s, at);
        const int is_pointer = source_is(&t, '*') || source_is(&t, '&');
        const int was_word = before.kind == SOURCE_WORD && !source_is_word(s, &before, "new") &&
                             !source_is_word(s, &before, "out") &&
                             !source_is_word(s, &before, "ref") &&
                             !source_is_word(s, &before, "mut") &&
                             !source_is_word(s, &t, "as") && !source_is_word(s, &before, "as") &&
                             !source_is_word(s, &t, "for") && !source_is_word(s, &t, "if") &&
                             !source_is_word(s, &t, "else");
        if (was_word && t.kind == SOURCE_WORD) {
            return 1;
        }
        if (source_is(&t, '(') || source_is(&t, '[') || source_is(&t, '{') ||
            source_is(&t, '=')) {
            return 0;
        }
        before = is_pointer && before.kind == SOURCE_WORD ? before : t;
        at = t.behind;
    }
    return 0;
}

/* How many arguments stand up to the bracket that closes, and how many look like declarations. */
static size_t count_items(const source_text *s, size_t at, size_t *declared, size_t *named,
                          const reading *r) {
    source_item item;
    size_t count = 0;
    *declared = 0;
    *named = 0;
    while (source_next_item(s, at, &item)) {
        size_t value = 0;
        count += !item.is_empty;
        *declared += !item.is_empty && is_declaration(s, &item);
        *named += !item.is_empty && keyword(r, &item, &value) != PASTE_SKIP;
        if (item.is_last) {
            return count;
        }
        at = item.behind;
    }
    return 0;
}

static size_t parameters_of(const struct call_row *row) {
    size_t count = 0;
    while (count < MOST_PLACED && row->arguments[count].word) {
        count++;
    }
    return count;
}

/* Arguments up to the bracket that closes: by their places, from the row's `next` on, and by their
 * names. Returns the place behind the last one. */
static size_t read_items(reading *r, size_t at, size_t next, size_t *end) {
    source_item item;
    while (source_next_item(&r->text, at, &item)) {
        size_t value = 0;
        const uint32_t field = item.is_empty ? PASTE_SKIP : keyword(r, &item, &value);
        if (value && field != PASTE_SKIP) {
            read_argument(r, field, value, item.to);
        } else if (!item.is_empty && !value && next < MOST_PLACED && r->row->arguments[next].word &&
                   !(r->row->flags & MEMBERS)) {
            read_argument(r, r->row->arguments[next++].field, item.from, item.to);
        }
        *end = item.behind;
        if (item.is_last) {
            break;
        }
        at = item.behind;
    }
    return next;
}

/* Whether the argument is what the call writes its map to: the first one, unless it is a type. */
static int has_map(reading *r, size_t at) {
    source_item item;
    source_value v;
    if (!source_next_item(&r->text, at, &item)) {
        return 0;
    }
    return !(source_read(&r->reader, item.from, item.to, &v) &&
             (name_to_number(r, TMA_ENUM_DTYPE, &v) || (v.known && !v.is_list)));
}

/* cuda.h's order, with the map in front or, as in Python, without. */
static int read_arguments(reading *r, size_t at, size_t *end) {
    size_t declared = 0;
    size_t named = 0;
    const size_t count = count_items(&r->text, at, &declared, &named, r);
    const size_t most = parameters_of(r->row);
    const int begins_with_map = r->row->arguments[0].field == PASTE_MAP;
    const int is_whole = count == most || (begins_with_map && count + 1 == most);
    if (!count || declared * 2 > count) {
        return 0;
    }
    if (begins_with_map && !is_whole) {
        return 0;
    }
    size_t first = begins_with_map && count + 1 == most ? 1 : 0;
    if (first == 1 && !named && has_map(r, at)) {
        return 0; /* an argument is missing, and not the map */
    }
    r->named = 0;
    r->has_type_name = 0;
    read_items(r, at, first, end);
    return 1;
}

/* `count` of the flat numbers as one array; returns what stands behind them. */
static const source_item *read_flat(reading *r, const source_item *at, size_t count,
                                    uint32_t field) {
    source_value list = {.is_list = 1, .count = (uint8_t)count};
    for (size_t i = 0; i < count; i++) {
        source_value v;
        const int is_known =
            source_read(&r->reader, at[i].from, at[i].to, &v) && !v.is_list && v.known;
        list.item[i] = is_known ? v.item[0] : 0;
        list.known = (uint8_t)(list.known | (unsigned)is_known << i);
    }
    keep(r, field, &list, list.known == (1u << count) - 1);
    if (count) {
        r->span[field].from = at[0].from;
        r->span[field].to = at[count - 1].to;
    }
    return at + count;
}

/* TVM's: map, type, rank, pointer, then all numbers one after the other. */
static int read_flat_call(reading *r, size_t at, int has_front, size_t *end) {
    static const uint32_t last[] = {PASTE_INTERLEAVE, PASTE_SWIZZLE, PASTE_L2, PASTE_FILL};
    source_item items[MOST_FLAT];
    source_value rank;
    size_t count = 0;
    while (count < MOST_FLAT && source_next_item(&r->text, at, &items[count])) {
        at = items[count].behind;
        if (items[count++].is_last) {
            break;
        }
    }
    if (count < 4 || !items[count - 1].is_last ||
        !source_read(&r->reader, items[2].from, items[2].to, &rank) || !rank.known ||
        rank.item[0] < 1 || rank.item[0] > TMA_MAX_RANK ||
        count != 4 + 4 * rank.item[0] - !has_front + 4) {
        return 0;
    }
    const size_t n = (size_t)rank.item[0];
    *end = at;
    read_argument(r, PASTE_DTYPE, items[1].from, items[1].to);
    read_argument(r, PASTE_RANK, items[2].from, items[2].to);
    read_argument(r, PASTE_ADDRESS, items[3].from, items[3].to);
    const source_item *next = read_flat(r, items + 4, n, PASTE_DIM);
    next = has_front ? read_flat(r, next, n, PASTE_STRIDE_RAW)
                     : read_flat(r, next, n - 1, PASTE_STRIDE_CUDA);
    next = read_flat(r, next, n, PASTE_BOX);
    next = read_flat(r, next, n, PASTE_ES);
    for (size_t i = 0; i < 4; i++) {
        read_argument(r, last[i], next[i].from, next[i].to);
    }
    return 1;
}

/* "dtype=torch.float16" anywhere in the call: of a tensor that Python prints. */
static void find_type(reading *r, size_t from, size_t to) {
    for (size_t at = from; at < to && !(r->block.has >> PASTE_DTYPE & 1);) {
        const source_token t = source_next(&r->text, at);
        const source_token sign = source_next(&r->text, t.behind);
        source_value v;
        if (source_is_word(&r->text, &t, "dtype") && source_is(&sign, '=') &&
            source_read(&r->reader, sign.behind, 0, &v) &&
            name_to_number(r, TMA_ENUM_DTYPE, &v)) {
            keep(r, PASTE_DTYPE, &v, 1);
        }
        if (t.kind == SOURCE_END) {
            return;
        }
        at = t.behind;
    }
}

/* The list behind the last such words before the call. */
static void read_note(reading *r, size_t call, const char *words, uint32_t field) {
    const char *text = r->text.text;
    const size_t from = call > NOTE_B ? call - NOTE_B : 0;
    for (size_t at = call; at-- > from;) {
        const paste_cursor here = {text + at, call - at};
        const size_t n = paste_begins(&here, words);
        source_item item;
        if (n) {
            source_text line = r->text;
            source_reader reader = r->reader;
            source_value v;
            line.is_indented = 0; /* behind its # */
            reader.text = &line;
            if (source_read(&reader, at + n - 1, 0, &v) && v.is_list) {
                keep(r, field, &v, 1);
            }
            (void)item;
            return;
        }
    }
}

/* ---- the call ---- */

/* Where the arguments begin: behind "(", and behind what may stand between it and the name. */
static size_t arguments_at(const reading *r, size_t name, size_t *brackets, int *is_quoted) {
    const source_text *s = &r->text;
    const char quote = name < s->size ? s->text[name] : 0;
    *brackets = 0;
    *is_quoted = quote == '"' || quote == '\'';
    source_token t = source_next(s, name + (size_t)*is_quoted);
    if (*is_quoted) { /* in a call by name */
        return source_is(&t, ',') ? t.behind : 0;
    }
    if (source_is(&t, '<')) {
        const size_t behind = source_template(s, &t);
        t = source_next(s, behind ? behind : t.behind);
    } else if (source_is(&t, '[') && r->row->flags & IN_BRACKETS) {
        *brackets = t.behind;
        const size_t behind = source_close(s, t.behind);
        t = source_next(s, behind ? behind : t.behind);
    }
    if (source_is(&t, ')')) { /* WRAPPER(name)(arguments) */
        t = source_next(s, t.behind);
    }
    return source_is(&t, r->row->flags & MEMBERS ? '{' : '(') ? t.behind : 0;
}

/* "const tma_spec spec = {": behind the bracket. */
static size_t members_at(const source_text *s, size_t name) {
    const source_token word = source_next(s, name);
    const source_token sign = source_next(s, word.behind);
    const source_token open = source_next(s, sign.behind);
    return word.kind == SOURCE_WORD && source_is(&sign, '=') && source_is(&open, '{') ? open.behind
                                                                                     : 0;
}

static int read_call(reading *r, size_t name, size_t length, size_t *end) {
    size_t brackets = 0;
    int is_quoted = 0;
    const uint32_t flags = r->row->flags;
    const size_t at = flags & MEMBERS ? members_at(&r->text, name + length)
                                      : arguments_at(r, name + length, &brackets, &is_quoted);
    if (!at) {
        return 0;
    }
    r->block.sources = UINT32_C(1) << (is_quoted ? TMA_PASTE_FROM_TVM : r->row->source);
    r->block.api = r->row->api;
    if (is_quoted || flags & FLAT) {
        return read_flat_call(r, at, (flags & FRONT) != 0, end);
    }
    if (flags & IN_BRACKETS) {
        const size_t next = brackets ? read_items(r, brackets, 0, end) : 0;
        read_items(r, at, next, end);
        return r->placed > 0;
    }
    if (!read_arguments(r, at, end)) {
        return 0;
    }
    if (flags & NOTE) {
        read_note(r, name, "shape (", PASTE_DIM);
        read_note(r, name, "strides in elements (", PASTE_STRIDE);
    }
    if (r->row->source == TMA_PASTE_FROM_TRITON_OBJECT) {
        find_type(r, at, *end);
    }
    return !(flags & SURE) || r->has_type_name;
}

/* ---- what comes of it ---- */

static uint32_t argument_of(uint32_t field) {
    static const uint8_t arguments[PASTE_FIELDS] = {
        [PASTE_DTYPE] = TMA_ARG_DTYPE,           [PASTE_RANK] = TMA_ARG_RANK,
        [PASTE_ADDRESS] = TMA_ARG_ADDRESS,       [PASTE_DIM] = TMA_ARG_DIM,
        [PASTE_STRIDE] = TMA_ARG_STRIDE,         [PASTE_STRIDE_RAW] = TMA_ARG_STRIDE,
        [PASTE_STRIDE_CUDA] = TMA_ARG_STRIDE,    [PASTE_BOX] = TMA_ARG_BOX,
        [PASTE_ES] = TMA_ARG_ELEMENT_STRIDE,     [PASTE_INTERLEAVE] = TMA_ARG_INTERLEAVE,
        [PASTE_SWIZZLE] = TMA_ARG_SWIZZLE,       [PASTE_L2] = TMA_ARG_L2,
        [PASTE_FILL] = TMA_ARG_FILL,             [PASTE_PIXELS] = TMA_ARG_PIXELS,
        [PASTE_CHANNELS] = TMA_ARG_CHANNELS,     [PASTE_LOWER] = TMA_ARG_LOWER,
        [PASTE_UPPER] = TMA_ARG_UPPER,           [PASTE_WIDE_MODE] = TMA_ARG_WIDE_MODE};
    return arguments[field];
}

/* Text in one line, as far as there is room; returns the length. */
static size_t put_words(const source_text *s, size_t from, size_t to, char *out, size_t length,
                        size_t room) {
    int was_blank = 1;
    for (size_t at = from; at < to;) {
        char shown = ' ';
        at += s->text[at] == '\n' ? 1 : paste_character(s->text + at, s->size - at, &shown);
        const int is_blank = !shown || shown == ' ';
        if (length + 4 > room) {
            memcpy(out + length, "...", 3);
            return length + 3;
        }
        if (!is_blank || !was_blank) {
            out[length++] = is_blank ? ' ' : shown;
        }
        was_blank = is_blank;
    }
    while (length && out[length - 1] == ' ') {
        length--;
    }
    return length;
}

/* Where a value ends that an assignment gives. */
static size_t end_of_value(const source_text *s, size_t from) {
    const source_token t = source_next(s, from);
    const int opens = source_is(&t, '{') || source_is(&t, '[') || source_is(&t, '(');
    const size_t behind = opens ? source_close(s, t.behind) : 0;
    size_t to = from;
    while (!behind && to < s->size && s->text[to] != ';' && s->text[to] != '\n') {
        to++;
    }
    return behind ? behind : to;
}

/* The words of an argument; of a name's, what was assigned to it, too. */
static void quote(const reading *r, uint32_t field, tma_paste_quote *out) {
    const size_t from = r->span[field].from;
    const size_t to = r->span[field].to;
    const source_token t = source_next(&r->text, from);
    const int is_name = t.kind == SOURCE_WORD && t.behind >= to;
    size_t number = 0;
    const source_binding *b =
        is_name && r->reader.scope
            ? source_last(r->reader.scope, r->text.text + t.at, t.length, "", 0, 0, &number)
            : NULL;
    out->argument = argument_of(field);
    size_t length = put_words(&r->text, from, to, out->text, 0, sizeof(out->text));
    if (b && b->made == SOURCE_WHOLE && length + 8 < sizeof(out->text)) {
        memcpy(out->text + length, " = ", 3);
        length = put_words(&r->reader.scope->text, b->value,
                           end_of_value(&r->reader.scope->text, b->value), out->text, length + 3,
                           sizeof(out->text));
    }
    out->text[length] = 0;
}

/* How many dimensions the arrays have that were read. */
static uint32_t dimensions(const paste_block *b) {
    static const uint8_t lists[] = {PASTE_DIM, PASTE_BOX, PASTE_ES};
    for (size_t i = 0; i < sizeof(lists); i++) {
        if (b->has >> lists[i] & 1 && b->value[lists[i]].count) {
            return b->value[lists[i]].count;
        }
    }
    return b->has >> PASTE_STRIDE_CUDA & 1 && b->value[PASTE_STRIDE_CUDA].count
               ? b->value[PASTE_STRIDE_CUDA].count + 1u
               : 0;
}

/* Whether all that a map of the rank has of an argument was read. */
static int has_needed(const reading *r, uint32_t field, const tma_paste *p) {
    const uint32_t argument = argument_of(field);
    const uint32_t rank = p->spec.rank < TMA_MAX_RANK ? p->spec.rank : TMA_MAX_RANK;
    const int is_corner = field == PASTE_LOWER || field == PASTE_UPPER;
    const int is_wide = is_corner && p->spec.api == TMA_API_WIDE;
    const uint32_t fewer = argument == TMA_ARG_STRIDE ? 1 : is_corner ? 2 : 0;
    const uint32_t count = is_wide ? 1 : rank > fewer ? rank - fewer : 0;
    if (!is_list(field)) {
        return !(r->unread >> field & 1);
    }
    return (p->known[argument] & ((1u << count) - 1)) == (1u << count) - 1;
}

/* Whether anything of the map was read beside its enumerators. */
static int has_number(const reading *r) {
    static const uint8_t lists[] = {PASTE_DIM, PASTE_BOX, PASTE_ES, PASTE_STRIDE, PASTE_STRIDE_CUDA,
                                    PASTE_STRIDE_RAW, PASTE_RANK, PASTE_CHANNELS};
    for (size_t i = 0; i < sizeof(lists); i++) {
        if (r->block.has >> lists[i] & 1 && r->block.value[lists[i]].known) {
            return 1;
        }
    }
    return 0;
}

static int finish(reading *r, tma_paste *out) {
    paste_block *b = &r->block;
    const int is_rank_read = b->has >> PASTE_RANK & 1 && b->value[PASTE_RANK].known;
    const uint32_t rank = is_rank_read ? (uint32_t)b->value[PASTE_RANK].item[0] : dimensions(b);
    const uint32_t needed = UINT32_C(1) << (b->api == TMA_API_TILED ? PASTE_BOX : PASTE_CHANNELS);
    if (!has_number(r) && !r->named) {
        return 0;
    }
    if (!(b->has >> PASTE_DIM & 1) || !(b->has & needed)) {
        return 0;
    }
    if (!is_rank_read && rank) { /* the arrays say it */
        b->has &= ~(UINT32_C(1) << PASTE_RANK);
        r->unread &= ~(UINT32_C(1) << PASTE_RANK);
    }
    b->is_call = 1;
    b->rank = rank;
    if (!rank && !is_rank_read) {
        paste_empty(out, TMA_PASTE_TORN, r->row->source, 0, 0);
        out->says = "none of its sizes is a value in the text";
        return r->named > 1;
    }
    if (!paste_finish(b, out) || out->kind != TMA_PASTE_MAP) {
        return 0;
    }
    for (uint32_t field = 0; field < PASTE_FIELDS; field++) {
        const uint32_t argument = argument_of(field);
        if (b->has >> field & 1 && argument && out->quotes < TMA_PASTE_QUOTES &&
            tma_paste_has(out, argument) && !has_needed(r, field, out)) {
            out->unread |= TMA_PASTE_BIT(argument);
            out->shown &= ~TMA_PASTE_BIT(argument);
            quote(r, field, &out->quote[out->quotes++]);
        }
    }
    return 1;
}

/* ---- functions around the call ---- */

/* Whether the name at the place is a call of the function, and no declaration of it. */
static int is_caller(const source_text *s, const source_function *f, size_t at, size_t *inside) {
    const char *text = s->text;
    const paste_cursor here = {text + at, s->size - at};
    if ((at && text_is_word(text[at - 1])) || paste_word(&here) != f->length ||
        !text_equal(text + at, text + f->name, f->length) || at == f->name) {
        return 0;
    }
    source_token t = source_next(s, at + f->length);
    if (source_is(&t, '<')) {
        const size_t behind = source_template(s, &t);
        t = source_next(s, behind ? behind : t.behind);
    }
    source_item item;
    *inside = t.behind;
    return source_is(&t, '(') && source_next_item(s, t.behind, &item) &&
           !(is_declaration(s, &item) && !item.is_empty);
}

/* The n-th call of the function; 0 if there are not so many. */
static size_t find_caller(const source_text *s, const source_function *f, size_t n,
                          size_t *inside) {
    for (size_t at = 0; f->length && at + f->length < s->size; at++) {
        if (s->text[at] == s->text[f->name] && is_caller(s, f, at, inside) && n-- == 0) {
            return at;
        }
    }
    return 0;
}

static void begin_reading(reading *r, const struct call_row *row, const char *text, size_t size,
                          size_t at, source_scope *scope, const source_given *given) {
    memset(r, 0, sizeof(*r));
    r->row = row;
    r->text = source_around(text, size, at, SOURCE_CALL);
    r->text.size = size - at > CALL_B ? at + CALL_B : size;
    r->reader = (source_reader){&r->text, scope, given, 0, 0};
    r->block.code = TMA_PASTE_NO_CODE;
}

/* The call once for the n-th call of the function that it stands in. */
static int read_through(reading *r, const paste_call_place *place, source_scope *scope,
                        const source_function *f, size_t n, size_t length, tma_paste *out,
                        size_t *caller) {
    source_scope outer;
    size_t inside = 0;
    size_t end = 0;
    *caller = find_caller(&scope->text, f, n, &inside);
    if (!*caller) {
        return 0;
    }
    source_scope_at(&outer, place->text, place->size, *caller);
    const source_given given = {&outer, inside, f->name, f->length, f->parameters};
    const struct call_row *row = r->row;
    begin_reading(r, row, place->text, place->size, place->at, scope, &given);
    return read_call(r, place->at, length, &end) && finish(r, out);
}

/* ---- an encode function by another name ---- */

/* Whether a semicolon is that of "&amp;". */
static int ends_entity(const char *text, size_t at) {
    size_t from = at;
    while (from && at - from < 6 && (text_is_word(text[from - 1]) || text[from - 1] == '#')) {
        from--;
    }
    return from && text[from - 1] == '&';
}

/* The name before the bracket around the place; 0 if there is none. */
static size_t open_before(const char *text, size_t at, size_t *name) {
    size_t depth = 0;
    for (size_t i = at; i-- > 0 && at - i < MOST_OPEN_B;) {
        depth += text[i] == ')' || text[i] == ']' || text[i] == '}';
        if (text[i] == '(' || text[i] == '[' || text[i] == '{') {
            if (!depth) {
                size_t from = i;
                while (from && paste_is_blank(text[from - 1])) {
                    from--;
                }
                *name = from;
                while (*name && text_is_word(text[*name - 1])) {
                    (*name)--;
                }
                return text[i] == '(' ? from : 0;
            }
            depth--;
        }
        if (text[i] == ';' && !ends_entity(text, i)) {
            return 0;
        }
    }
    return 0;
}

/* A function of any name whose arguments stand as those of an encode call do: its enumerators. */
static const struct call_row *row_by_arguments(reading *r, const char *text, size_t size,
                                               size_t name, size_t length, source_scope *scope) {
    for (size_t i = 0; i < CALLS; i++) {
        size_t end = 0;
        if (calls[i].flags & ANY_PREFIX) {
            begin_reading(r, &calls[i], text, size, name, scope, NULL);
            if (read_call(r, name, length, &end) && r->has_type_name && r->named >= 3) {
                return &calls[i];
            }
        }
    }
    return NULL;
}

int paste_call(const paste_call_place *place, size_t nth, tma_paste *out, size_t *end,
               size_t *caller) {
    const char *text = place->text;
    const paste_cursor here = {text + place->at, place->size - place->at};
    reading r;
    source_scope scope;
    paste_call_place own = *place;
    size_t length = paste_word(&here);
    const struct call_row *row = row_of(here.at, length);
    *caller = 0;
    if (!row) {
        size_t name = 0;
        const size_t behind = open_before(text, place->at, &name);
        if (!behind || row_of(text + name, behind - name)) {
            return 0;
        }
        source_scope_at(&scope, text, place->size, name);
        row = row_by_arguments(&r, text, place->size, name, behind - name, &scope);
        own.at = name;
        length = behind - name;
    }
    if (!row) {
        return 0;
    }
    source_scope_at(&scope, text, place->size, own.at);
    begin_reading(&r, row, text, place->size, own.at, &scope, NULL);
    if (!read_call(&r, own.at, length, end)) {
        return 0;
    }
    const source_function *f = r.unread && scope.functions ? &scope.function[0] : NULL;
    if (f && nth < MOST_CALLERS && read_through(&r, &own, &scope, f, nth, length, out, caller)) {
        return 1;
    }
    if (nth) {
        return 0;
    }
    begin_reading(&r, row, text, place->size, own.at, &scope, NULL);
    return read_call(&r, own.at, length, end) && finish(&r, out);
}
