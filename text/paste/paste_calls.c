/* SPDX-License-Identifier: Apache-2.0
 *
 * Which function a call calls, and which of its arguments is which. What an argument is,
 * source_expressions.c reads.
 */
#include <string.h>

#include "paste_call.h"
#include "source_parts.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"
#include "tma/synonyms.h"

#define CALL_B      8192 /* no call is longer */
#define MOST_VALUES 4096 /* that are read for one, those behind its names included */
#define MOST_FLAT   (4 + 4 * TMA_MAX_RANK + 5)
#define NOTE_B      1024 /* from a call back to the comment that `tma encode` puts before it */

static const call_row calls[] = {
#define ARGUMENT(field, word)                                                                      \
    { word, PASTE_##field }
#define CALL(name, source, flags, api, ...)                                                        \
    {name, TMA_PASTE_FROM_##source, flags, TMA_API_##api, {__VA_ARGS__}},
#include "paste_calls.def"
};

#define CALLS (sizeof(calls) / sizeof(calls[0]))

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

static int has_name(const call_row *row, const char *word, size_t length) {
    if (!(row->flags & CALL_ANY_PREFIX)) {
        return text_is(word, length, row->name);
    }
    const char first = text_lower(*row->name);
    for (size_t at = 0; at + 8 < length; at++) {
        if (text_lower(word[at]) == first && same_name(word + at, length - at, row->name, 0)) {
            return 1;
        }
    }
    return 0;
}

const call_row *call_row_of(const char *word, size_t length) {
    const call_row *row = NULL;
    for (size_t i = 0; length >= 8 && i < CALLS; i++) {
        const int is_whole = !(calls[i].flags & CALL_ANY_PREFIX);
        if (is_whole && calls[i].name[0] != *word) {
            continue;
        }
        if ((!row || is_whole) && has_name(&calls[i], word, length)) {
            row = &calls[i];
        }
    }
    return row;
}

const call_row *call_encoder(size_t index) {
    for (size_t i = 0; i < CALLS; i++) {
        if (calls[i].flags & CALL_ANY_PREFIX && index-- == 0) {
            return &calls[i];
        }
    }
    return NULL;
}

/* Enumerators of which each call has one. */
static int is_type_name(const char *word, size_t length) {
    return length > 24 && (text_equal(word, "CU_TENSOR_MAP_DATA_TYPE_", 24) ||
                           text_equal(word, "CU_TENSOR_MAP_INTERLEAVE", 24));
}

size_t call_name_length(const paste_cursor *c) {
    const size_t length = paste_word(c);
    paste_cursor rest = {c->at + length, c->left - length};
    const size_t sign = paste_peek(&rest) == '.' ? 1 : paste_begins(&rest, "::");
    if (sign) {
        paste_skip(&rest, sign);
        const size_t both = length + sign + paste_word(&rest);
        const call_row *row = call_row_of(c->at, both);
        return row && !(row->flags & CALL_ANY_PREFIX) ? both : length;
    }
    return length;
}

int paste_is_call(const paste_cursor *c) {
    const size_t word = paste_word(c);
    return word >= 8 &&
           (call_row_of(c->at, word) || is_type_name(c->at, word) || call_name_length(c) > word);
}

int paste_is_quiet(const paste_cursor *c) {
    const call_row *row = call_row_of(c->at, call_name_length(c));
    return row && row->flags & (CALL_OBJECTS | CALL_QUIET | CALL_NOTE | CALL_TENSOR);
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

int call_is_list(uint32_t field) {
    return (field >= PASTE_DIM && field <= PASTE_ES) || field == PASTE_LOWER ||
           field == PASTE_UPPER;
}

int call_enum_of(uint32_t field, tma_enum_kind *kind) {
    static const struct {
        uint32_t field;
        tma_enum_kind kind;
    } rows[] = {{PASTE_DTYPE, TMA_ENUM_DTYPE},     {PASTE_INTERLEAVE, TMA_ENUM_INTERLEAVE},
                {PASTE_SWIZZLE, TMA_ENUM_SWIZZLE}, {PASTE_L2, TMA_ENUM_L2},
                {PASTE_FILL, TMA_ENUM_FILL},       {PASTE_WIDE_MODE, TMA_ENUM_WIDE_MODE},
                {PASTE_API, TMA_ENUM_API}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].field == field) {
            *kind = rows[i].kind;
            return 1;
        }
    }
    return 0;
}

/* A list, no list at all, or Wide's corner, which is a number. */
static int is_list_value(uint32_t field, source_value *v) {
    const int is_corner = field == PASTE_LOWER || field == PASTE_UPPER;
    const int is_null = !v->is_list && v->known && !v->item[0] && !is_corner;
    v->count = is_null ? 0 : v->count;
    return (v->is_list || is_null || is_corner) && !v->word_length;
}

static void read_argument(call_reading *r, uint32_t field, size_t from, size_t to) {
    source_value v;
    tma_enum_kind kind = TMA_ENUM_DTYPE;
    r->placed++;
    if (field == PASTE_TENSOR || field == PASTE_TILE) {
        (field == PASTE_TENSOR ? call_read_tensor : call_read_tile)(r, from, to);
        return;
    }
    if (field == PASTE_MAP || field == PASTE_SKIP) {
        return;
    }
    int ok = source_read(&r->reader, from, to, &v);
    if (field == PASTE_API) {
        ok = ok && (v.known & 1 || call_enumerator(r, TMA_ENUM_API, &v));
        r->block.api = ok ? (uint32_t)v.item[0] : r->block.api;
        return;
    }
    r->span[field].from = from;
    r->span[field].to = to;
    if (field == PASTE_SWIZZLE && r->row->source == TMA_PASTE_FROM_TRITON_OBJECT) {
        ok = call_read_layout(r, from, &v);
    } else if (call_enum_of(field, &kind)) {
        ok = (ok && !v.is_list && (v.known || call_enumerator(r, kind, &v))) ||
             call_getter(r, kind, from, to, &v);
    } else if (call_is_list(field)) {
        ok = ok && is_list_value(field, &v);
    } else {
        ok = ok && !v.is_list && v.known;
    }
    if (field == PASTE_ADDRESS && !ok) {
        return; /* a pointer: no text has its value */
    }
    memset(&v, 0, ok ? 0 : sizeof(v));
    call_keep_part(r, field, &v, ok && v.known == (1u << v.count) - 1);
}

/* ---- arguments ---- */

/* "name = value", "name: value", ".name = value": the field that the word names, and where its
 * value begins. PASTE_SKIP for a word that names none; PASTE_FIELDS and no value if none is named.
 */
static uint32_t keyword(const call_reading *r, const source_item *item, size_t *value) {
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
int call_is_declaration(const source_text *s, const source_item *item) {
    source_token before = {0};
    for (size_t at = item->from; at < item->to;) {
        const source_token t = source_next(s, at);
        const int is_pointer = source_is(&t, '*') || source_is(&t, '&');
        const int was_word = before.kind == SOURCE_WORD && !source_is_word(s, &before, "new") &&
                             !source_is_word(s, &before, "out") &&
                             !source_is_word(s, &before, "ref") &&
                             !source_is_word(s, &before, "mut") && !source_is_word(s, &t, "as") &&
                             !source_is_word(s, &before, "as") && !source_is_word(s, &t, "for") &&
                             !source_is_word(s, &t, "if") && !source_is_word(s, &t, "else");
        if (was_word && t.kind == SOURCE_WORD) {
            return 1;
        }
        if (source_is(&t, '(') || source_is(&t, '[') || source_is(&t, '{') || source_is(&t, '=')) {
            return 0;
        }
        before = is_pointer && before.kind == SOURCE_WORD ? before : t;
        at = t.behind;
    }
    return 0;
}

/* How many arguments stand up to the bracket that closes, or up to the text's end, and how many
 * look like declarations. */
static size_t count_items(const source_text *s, size_t at, size_t *declared, size_t *named,
                          const call_reading *r, int *is_cut) {
    source_item item;
    size_t count = 0;
    *is_cut = 0;
    *declared = 0;
    *named = 0;
    while (source_next_item(s, at, &item)) {
        size_t value = 0;
        count += !item.is_empty;
        *declared += !item.is_empty && call_is_declaration(s, &item);
        *named += !item.is_empty && keyword(r, &item, &value) != PASTE_SKIP;
        if (item.is_last) {
            return count;
        }
        at = item.behind;
    }
    *is_cut = count > 0;
    return count;
}

static size_t parameters_of(const call_row *row) {
    size_t count = 0;
    while (count < MOST_PLACED && row->arguments[count].word) {
        count++;
    }
    return count;
}

/* Whether element strides' place has the interleave of an overload without them. */
static int is_left_out(call_reading *r, size_t next, const source_item *item) {
    source_value v;
    const int is_place = next + 1 < MOST_PLACED && r->row->arguments[next].word &&
                         r->row->flags & CALL_TENSOR && r->row->arguments[next].field == PASTE_ES &&
                         r->row->arguments[next + 1].field == PASTE_INTERLEAVE;
    return is_place && !item->is_empty && source_read(&r->reader, item->from, item->to, &v) &&
           !v.is_list && call_enumerator(r, TMA_ENUM_INTERLEAVE, &v);
}

/* Arguments up to the bracket that closes: by their places, from the row's `next` on, and by their
 * names. Returns the place behind the last one. */
static size_t read_items(call_reading *r, size_t at, size_t next, size_t *end) {
    source_item item;
    while (source_next_item(&r->text, at, &item)) {
        size_t value = 0;
        const uint32_t field = item.is_empty ? PASTE_SKIP : keyword(r, &item, &value);
        next += !value && is_left_out(r, next, &item);
        if (value && field != PASTE_SKIP) {
            read_argument(r, field, value, item.to);
        } else if (!item.is_empty && !value && next < MOST_PLACED && r->row->arguments[next].word &&
                   !(r->row->flags & CALL_MEMBERS)) {
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

/* Whether the argument is what the call writes its map to: the first one, unless it is a type, or a
 * name in Python, whose calls take no map. */
static int has_map(call_reading *r, size_t at) {
    source_item item;
    source_value v;
    if (!source_next_item(&r->text, at, &item)) {
        return 0;
    }
    const int is_name = source_next(&r->text, item.from).kind == SOURCE_WORD;
    for (size_t from = item.from; from < item.to;) { /* tm_dtype_int32(), data_type */
        const source_token t = source_next(&r->text, from);
        const char *word = r->text.text + t.at;
        if (t.kind == SOURCE_WORD && paste_search(word, t.length, "type") < t.length &&
            !source_is_module(&r->text, &t)) {
            return 0;
        }
        from = t.behind;
    }
    return !(source_read(&r->reader, item.from, item.to, &v) &&
             (call_enumerator(r, TMA_ENUM_DTYPE, &v) || (v.known && !v.is_list) ||
              (v.word_length && is_name && r->text.is_indented)));
}

/* cuda.h's order, with the map in front or, as in Python, without. */
static int read_arguments(call_reading *r, size_t at, size_t *end) {
    size_t declared = 0;
    size_t named = 0;
    const size_t count = count_items(&r->text, at, &declared, &named, r, &r->is_cut);
    const size_t most = parameters_of(r->row);
    const int begins_with_map = r->row->arguments[0].field == PASTE_MAP;
    const int is_whole = count == most || (begins_with_map && count + 1 == most);
    if (!count || declared * 2 > count) {
        return 0;
    }
    if (r->is_cut && !r->is_limited && count <= most) {
        read_items(r, at, begins_with_map && !has_map(r, at), end);
        return r->has_type_name;
    }
    if (r->is_cut || (begins_with_map && !is_whole)) {
        return 0;
    }
    const size_t first = begins_with_map && count + 1 == most ? 1 : 0;
    r->is_miscounted = first == 1 && !named && has_map(r, at);
    if (r->is_miscounted) {
        return 1;
    }
    r->named = 0;
    r->has_type_name = 0;
    read_items(r, at, first, end);
    return 1;
}

/* `count` of the flat numbers as one array; returns what stands behind them. */
static const source_item *read_flat(call_reading *r, const source_item *at, size_t count,
                                    uint32_t field) {
    source_value list = {.is_list = 1, .count = (uint8_t)count};
    for (size_t i = 0; i < count; i++) {
        source_value v;
        const int is_known =
            source_read(&r->reader, at[i].from, at[i].to, &v) && !v.is_list && v.known;
        list.item[i] = is_known ? v.item[0] : 0;
        list.known = (uint8_t)(list.known | (unsigned)is_known << i);
    }
    call_keep_part(r, field, &list, list.known == (1u << count) - 1);
    if (count) {
        r->span[field].from = at[0].from;
        r->span[field].to = at[count - 1].to;
    }
    return at + count;
}

/* The arguments up to the bracket that closes, a comma before it or not; 0 if there are too many.
 */
static size_t take_items(call_reading *r, size_t at, source_item items[MOST_FLAT], size_t *end) {
    size_t count = 0;
    while (count < MOST_FLAT && source_next_item(&r->text, at, &items[count])) {
        const source_item *item = &items[count];
        at = *end = item->behind;
        count += !item->is_empty;
        if (item->is_last) {
            return count;
        }
    }
    return 0;
}

/* TVM's: map, type, rank, pointer, then all numbers one after the other; TileLang's without the
 * map.
 */
static int read_flat_call(call_reading *r, size_t at, int has_front, int has_map_first,
                          size_t *end) {
    static const uint32_t last[] = {PASTE_INTERLEAVE, PASTE_SWIZZLE, PASTE_L2, PASTE_FILL};
    source_item all[MOST_FLAT];
    source_value rank;
    const size_t count = take_items(r, at, all, end);
    for (size_t i = 0; i < count; i++) {
        const source_token name = source_next(&r->text, all[i].from);
        const source_token sign = source_next(&r->text, name.behind);
        if (call_is_declaration(&r->text, &all[i]) ||
            (name.kind == SOURCE_WORD && source_is(&sign, ':'))) {
            return 0;
        }
    }
    const source_item *items = all + has_map_first; /* the type, the rank, the pointer */
    const size_t front = 3 + (size_t)has_map_first;
    if (count <= front) {
        return 0;
    }
    const int is_known = source_read(&r->reader, items[1].from, items[1].to, &rank) && rank.known;
    read_argument(r, PASTE_DTYPE, items[0].from, items[0].to);
    read_argument(r, PASTE_RANK, items[1].from, items[1].to);
    read_argument(r, PASTE_ADDRESS, items[2].from, items[2].to);
    if (!is_known) { /* "len(shape), A.data, *arguments" */
        r->is_unread = 1;
        r->span[PASTE_DIM].from = items[3].from;
        r->span[PASTE_DIM].to = all[count - 1].to;
        return 1;
    }
    const size_t n = (size_t)rank.item[0];
    if (n < 1 || n > TMA_MAX_RANK || count != front + 4 * n - !has_front + 4) {
        return 0;
    }
    const source_item *next = read_flat(r, items + 3, n, PASTE_DIM);
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
static void find_type(call_reading *r, size_t from, size_t to) {
    for (size_t at = from; at < to && !(r->block.has >> PASTE_DTYPE & 1);) {
        const source_token t = source_next(&r->text, at);
        const source_token sign = source_next(&r->text, t.behind);
        source_value v;
        if (source_is_word(&r->text, &t, "dtype") && source_is(&sign, '=') &&
            source_read(&r->reader, sign.behind, 0, &v) && call_enumerator(r, TMA_ENUM_DTYPE, &v)) {
            call_keep_part(r, PASTE_DTYPE, &v, 1);
        }
        if (t.kind == SOURCE_END) {
            return;
        }
        at = t.behind;
    }
}

/* The list behind the last such words before the call. */
static void read_note(call_reading *r, size_t call, const char *words, uint32_t field) {
    const char *text = r->text.text;
    const size_t from = call > NOTE_B ? call - NOTE_B : 0;
    for (size_t at = call; at-- > from;) {
        const paste_cursor here = {text + at, call - at};
        const size_t n = paste_begins(&here, words);
        if (n) {
            source_text line = r->text;
            source_reader reader = r->reader;
            source_value v;
            line.is_indented = 0; /* behind its # */
            reader.text = &line;
            if (source_read(&reader, at + n - 1, 0, &v) && v.is_list) {
                call_keep_part(r, field, &v, 1);
            }
            return;
        }
    }
}

/* ---- the call ---- */

void call_begin(call_reading *r, const call_row *row, const paste_call_place *place,
                source_scope *scope, const source_given *given) {
    const size_t left = place->size - place->at;
    memset(r, 0, sizeof(*r));
    r->row = row;
    r->text = source_around(place->text, place->size, place->at, SOURCE_CALL, place->style);
    r->is_limited = left > CALL_B;
    r->text.size = r->is_limited ? place->at + CALL_B : place->size;
    r->reader = (source_reader){&r->text, scope, given, 0, 0, &r->work, source_read, NULL};
    r->block.code = TMA_PASTE_NO_CODE;
    r->work = MOST_VALUES;
}

/* Where the arguments begin: behind "(", and behind what may stand between it and the name. */
static size_t arguments_at(const call_reading *r, size_t name, size_t *brackets, int *is_quoted) {
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
    } else if (source_is(&t, '[') && r->row->flags & CALL_IN_BRACKETS) {
        *brackets = t.behind;
        const size_t behind = source_close(s, t.behind);
        t = source_next(s, behind ? behind : t.behind);
    }
    const source_token close = source_next(s, t.behind);
    if (source_is(&t, '(') && source_is(&close, ')')) { /* get_name()(arguments) */
        t = close;
    }
    if (source_is(&t, ')')) { /* WRAPPER(name)(arguments) */
        t = source_next(s, t.behind);
    }
    return source_is(&t, r->row->flags & CALL_MEMBERS ? '{' : '(') ? t.behind : 0;
}

/* "const tma_spec spec = {": behind the bracket. */
static size_t members_at(const source_text *s, size_t name) {
    const source_token word = source_next(s, name);
    const source_token sign = source_next(s, word.behind);
    const source_token open = source_next(s, sign.behind);
    return word.kind == SOURCE_WORD && source_is(&sign, '=') && source_is(&open, '{') ? open.behind
                                                                                      : 0;
}

int call_read(call_reading *r, size_t name, size_t length, size_t *end) {
    size_t brackets = 0;
    int is_quoted = 0;
    const uint32_t flags = r->row->flags;
    r->block.sources = UINT32_C(1) << r->row->source;
    r->block.api = r->row->api;
    if (flags & CALL_MLIR) {
        return call_read_mlir(r, name, length, end);
    }
    const size_t at = flags & CALL_MEMBERS ? members_at(&r->text, name + length)
                                           : arguments_at(r, name + length, &brackets, &is_quoted);
    if (!at) {
        return 0;
    }
    r->block.sources = is_quoted ? UINT32_C(1) << TMA_PASTE_FROM_TVM : r->block.sources;
    if (is_quoted || flags & CALL_FLAT) {
        return read_flat_call(r, at, (flags & CALL_FRONT) != 0, 1, end);
    }
    if (flags & CALL_IN_BRACKETS && !brackets) { /* TileLang's function of that name */
        r->block.sources = UINT32_C(1) << TMA_PASTE_FROM_TVM;
        return read_flat_call(r, at, 1, 0, end);
    }
    if (flags & CALL_IN_BRACKETS) {
        size_t next = read_items(r, brackets, 0, end);
        while (next < MOST_PLACED && r->row->arguments[next].word &&
               r->row->arguments[next].field != PASTE_SKIP) {
            next++; /* those in brackets that were not given */
        }
        read_items(r, at, next, end);
        return r->placed > 0;
    }
    if (!read_arguments(r, at, end)) {
        return 0;
    }
    if (flags & CALL_NOTE) {
        read_note(r, name, "shape (", PASTE_DIM);
        read_note(r, name, "strides in elements (", PASTE_STRIDE);
        if (!(r->block.has >> PASTE_DIM & 1)) {
            call_read_receiver(r, name);
        }
    }
    if (r->row->source == TMA_PASTE_FROM_TRITON_OBJECT) {
        find_type(r, at, *end);
    }
    return !(flags & CALL_SURE) || r->has_type_name;
}
