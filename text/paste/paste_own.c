/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of functions that a program has of its own to make a map: which argument is which, their
 * names alone do not say, so all are quoted, and none is judged.
 */
#include <string.h>

#include "paste_call.h"
#include "paste_own.h"
#include "source_only.h"
#include "tma/detail/chars.h"
#include "tma/synonyms.h"

#define MOST_CALLS 8
#define MOST_PATH  96 /* of a name with what stands before its dots, in bytes */

static const char *const subjects[] = {
#define OWN_SUBJECT(word) word,
#include "paste_own.def"
};

static const char *const short_subjects[] = {
#define OWN_SHORT(word) word,
#include "paste_own.def"
};

static const char *const makers[] = {
#define OWN_MAKES(word) word,
#include "paste_own.def"
};

static const char *const bringers[] = {
#define OWN_BRINGS(word) word,
#include "paste_own.def"
};

static const char *const users[] = {
#define OWN_USES(word) word,
#include "paste_own.def"
};

static const struct {
    const char *word;
    uint32_t argument;
    int kind; /* tma_enum_kind, or -1 */
} parameters[] = {
#define OWN_PARAMETER(word, argument, kind) {word, TMA_ARG_##argument, kind},
#include "paste_own.def"
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* ---- names ---- */

/* A name in small letters, without its underscores; "" if it is too long. */
static size_t fold(const char *text, size_t length, char out[MOST_PATH]) {
    size_t n = 0;
    for (size_t i = 0; i < length && n + 1 < MOST_PATH; i++) {
        if (text_is_word(text[i]) && text[i] != '_') {
            out[n++] = text_lower(text[i]);
        }
    }
    out[n] = 0;
    return n;
}

static int has_one(const char *folded, size_t length, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (paste_search(folded, length, words[i]) < length) {
            return 1;
        }
    }
    return 0;
}

/* A short subject counts where a part of the name is it: "make_tma", "makeTma", no "datmap". */
static int has_part(const char *text, size_t length) {
    for (size_t at = 0; at < length; at++) {
        const int begins = !at || !text_is_word(text[at - 1]) || text[at - 1] == '_' ||
                           (text[at] >= 'A' && text[at] <= 'Z');
        for (size_t i = 0; begins && i < COUNT(short_subjects); i++) {
            const size_t n = text_length(short_subjects[i]);
            size_t same = 0;
            while (at + same < length && same < n &&
                   text_lower(text[at + same]) == short_subjects[i][same]) {
                same++;
            }
            const char next = same == n && at + n < length ? text[at + n] : '_';
            if (same == n && !(next >= 'a' && next <= 'z')) {
                return 1;
            }
        }
    }
    return 0;
}

/* Whether the name is one of a function that makes a map, or of a type that is one. */
static int makes_map(const char *text, size_t length) {
    char folded[MOST_PATH];
    const size_t n = length < MOST_PATH ? fold(text, length, folded) : 0;
    size_t last = length;
    while (last && text_is_word(text[last - 1])) {
        last--;
    }
    const int is_type = text[last] >= 'A' && text[last] <= 'Z';
    const int has_subject = n && has_one(folded, n, subjects, COUNT(subjects));
    return (has_subject || (n && has_part(text, length))) &&
           (has_one(folded, n, makers, COUNT(makers)) ||
            (has_subject && (is_type || has_one(folded, n, bringers, COUNT(bringers))))) &&
           !has_one(folded, n, users, COUNT(users));
}

/* Length of the name at the front with its dots and colons. */
static size_t path_length(const char *text, size_t left) {
    size_t n = 0;
    while (n < left && (text_is_word(text[n]) || text[n] == '.' ||
                        (text[n] == ':' && n + 1 < left &&
                         (text[n + 1] == ':' || (n && text[n - 1] == ':'))))) {
        n++;
    }
    while (n && !text_is_word(text[n - 1])) {
        n--;
    }
    return n;
}

/* ---- arguments ---- */

static int find_parameter(const source_text *s, size_t from, size_t to, size_t *row) {
    char folded[MOST_PATH];
    const size_t n = to - from < MOST_PATH ? fold(s->text + from, to - from, folded) : 0;
    for (size_t i = 0; n && i < COUNT(parameters); i++) {
        if (paste_search(folded, n, parameters[i].word) < n) {
            *row = i;
            return 1;
        }
    }
    return 0;
}

/* "name = value", "name: value": where the value begins; else 0. */
static size_t named_value(const source_text *s, const source_item *item, source_token *name) {
    *name = source_next(s, item->from);
    if (source_is(name, '.')) {
        *name = source_next(s, name->behind);
    }
    const source_token sign = source_next(s, name->behind);
    const int is_named = name->kind == SOURCE_WORD && sign.behind < item->to &&
                         (source_is(&sign, '=') || source_is(&sign, ':'));
    return is_named ? sign.behind : 0;
}

/* Whether the value is an enumerator of the argument, by its name. */
static int is_enumerator(call_reading *r, size_t from, size_t to, uint32_t argument) {
    source_value v;
    size_t row = 0;
    while (row < COUNT(parameters) &&
           (parameters[row].argument != argument || parameters[row].kind < 0)) {
        row++;
    }
    const tma_enum_kind kind = row < COUNT(parameters) ? (tma_enum_kind)parameters[row].kind : 0;
    return row < COUNT(parameters) &&
           ((source_read(&r->reader, from, to, &v) && call_enumerator(r, kind, &v)) ||
            call_getter(r, kind, from, to, &v));
}

/* What an enumerator is of: its words name the parameter. */
static uint32_t argument_of(call_reading *r, const source_item *item, const source_token *name,
                            size_t value) {
    size_t row = 0;
    if (value && find_parameter(&r->text, name->at, name->at + name->length, &row)) {
        return parameters[row].argument;
    }
    if (value) {
        return TMA_ARG_NONE;
    }
    if (find_parameter(&r->text, item->from, item->to, &row) &&
        is_enumerator(r, item->from, item->to, parameters[row].argument)) {
        return parameters[row].argument;
    }
    return is_enumerator(r, item->from, item->to, TMA_ARG_DTYPE) ? TMA_ARG_DTYPE : TMA_ARG_NONE;
}

static void add(call_reading *r, const source_item *item, uint32_t method, tma_paste *out) {
    source_token name = {0};
    r->placed++;
    if (out->quotes == TMA_PASTE_QUOTES) {
        return;
    }
    tma_paste_quote *quote = &out->quote[out->quotes++];
    const size_t value = named_value(&r->text, item, &name);
    quote->argument = method ? method : argument_of(r, item, &name, value);
    const size_t from = value ? value : item->from;
    const int is_read =
        call_quote(r, item, from, quote) || is_enumerator(r, from, item->to, quote->argument);
    out->unread |= is_read ? 0 : TMA_PASTE_BIT(quote->argument);
}

/* Julia's keywords stand behind a semicolon: two arguments. */
static void add_both(call_reading *r, const source_item *item, uint32_t method, tma_paste *out) {
    size_t depth = 0;
    for (size_t at = item->from; at < item->to;) {
        const source_token t = source_next(&r->text, at);
        depth += source_is(&t, '(') || source_is(&t, '[') || source_is(&t, '{');
        depth -= depth && (source_is(&t, ')') || source_is(&t, ']') || source_is(&t, '}'));
        if (!depth && source_is(&t, ';') && t.at > item->from && t.behind < item->to) {
            const source_item first = {item->from, t.at, t.behind, 0, 0};
            const source_item second = {t.behind, item->to, item->behind, 0, 0};
            add(r, &first, method, out);
            add(r, &second, method, out);
            return;
        }
        at = t.behind;
    }
    add(r, item, method, out);
}

/* Those up to the bracket that closes; returns what is behind it, or 0. */
static size_t add_items(call_reading *r, size_t at, uint32_t method, tma_paste *out,
                        size_t *declared) {
    source_item item;
    while (source_next_item(&r->text, at, &item)) {
        if (!item.is_empty) {
            *declared += (size_t)call_is_declaration(&r->text, &item);
            add_both(r, &item, method, out);
        }
        at = item.behind;
        if (item.is_last) {
            return at;
        }
    }
    return 0;
}

/* ".with_swizzle(B128)" behind the call: what a builder is told. */
static void add_methods(call_reading *r, size_t at, tma_paste *out) {
    size_t declared = 0;
    while (at) {
        const source_token dot = source_next(&r->text, at);
        const source_token name = source_next(&r->text, dot.behind);
        const source_token open = source_next(&r->text, name.behind);
        size_t row = 0;
        if (!source_is(&dot, '.') || name.kind != SOURCE_WORD || !source_is(&open, '(')) {
            return;
        }
        const int is_known = find_parameter(&r->text, name.at, name.at + name.length, &row);
        at = is_known ? add_items(r, open.behind, parameters[row].argument, out, &declared)
                      : source_close(&r->text, open.behind);
    }
}

/* The bracket of the arguments behind a name, and behind template arguments, which are quoted. */
static size_t open_arguments(call_reading *r, size_t name, tma_paste *out, size_t *declared) {
    source_token t = source_next(&r->text, name);
    const int is_rust = source_is_pair(&t, ':', ':');
    t = is_rust ? source_next(&r->text, t.behind) : t;
    if (source_is(&t, '<')) {
        const size_t behind = source_template(&r->text, &t);
        if (!behind) {
            return 0;
        }
        const source_item inside = {t.behind, behind - 1, behind, 1, 0};
        add(r, &inside, TMA_ARG_NONE, out);
        t = source_next(&r->text, behind);
    } else if (source_is(&t, '[')) {
        const size_t behind = add_items(r, t.behind, TMA_ARG_NONE, out, declared);
        t = source_next(&r->text, behind ? behind : t.behind);
    }
    return source_is(&t, '(') ? t.behind : 0;
}

/* Whether a word before the name says that it is declared here. */
int paste_is_declared(const char *text, size_t at) {
    static const char *const words[] = {"def",    "fn",     "func",  "function", "class",
                                        "struct", "import", "using", "void"};
    while (at && paste_is_blank(text[at - 1])) {
        at--;
    }
    size_t from = at;
    while (from && text_is_word(text[from - 1])) {
        from--;
    }
    if (at && text[at - 1] == '@') { /* MLIR's functions */
        return 1;
    }
    for (size_t i = 0; i < COUNT(words); i++) {
        if (text_is(text + from, at - from, words[i])) {
            return 1;
        }
    }
    return 0;
}

/* Whether arguments that look like a parameter stand at its place, where that of `gap` is left out.
 */
static int fits_without(const call_row *row, const uint32_t *looks, size_t count, size_t gap) {
    for (size_t i = 0; i < count && i + 1 < MOST_PLACED; i++) {
        const uint32_t at = call_argument_of(row->arguments[i + (i >= gap)].field);
        if (looks[i] != TMA_ARG_NONE && looks[i] != at) {
            return 0;
        }
    }
    return 1;
}

const char *paste_own_lacks(const source_text *s, size_t name, const call_row *row) {
    static const char *const says[] = {
#define LACKS(argument, word) [TMA_ARG_##argument] = "an argument is missing: " word
        LACKS(DTYPE, "tensorDataType"),
        LACKS(RANK, "tensorRank"),
        LACKS(ADDRESS, "globalAddress"),
        LACKS(DIM, "globalDim"),
        LACKS(STRIDE, "globalStrides"),
        LACKS(BOX, "boxDim"),
        LACKS(ELEMENT_STRIDE, "elementStrides"),
        LACKS(INTERLEAVE, "interleave"),
        LACKS(SWIZZLE, "swizzle"),
        LACKS(L2, "l2Promotion"),
        LACKS(FILL, "oobFill"),
#undef LACKS
    };
    uint32_t looks[MOST_PLACED] = {0}; /* tma_argument */
    uint32_t there = TMA_PASTE_BIT(TMA_ARG_NONE);
    uint32_t lacks = COUNT(says);
    size_t absent = 0;
    size_t count = 0;
    source_item item = {.behind = source_next(s, name).behind};
    while (!item.is_last && count < MOST_PLACED && source_next_item(s, item.behind, &item)) {
        size_t parameter = 0;
        const int is_like = find_parameter(s, item.from, item.to, &parameter);
        looks[count] = is_like ? parameters[parameter].argument : TMA_ARG_NONE;
        there |= TMA_PASTE_BIT(looks[count++]);
    }
    for (int pass = 0; pass < 2 && absent != 1; pass++) { /* then those that all others fit */
        absent = 0;
        for (size_t i = 0; i < MOST_PLACED && row->arguments[i].word; i++) {
            const uint32_t argument = call_argument_of(row->arguments[i].field);
            if (!(there & TMA_PASTE_BIT(argument)) &&
                (!pass || fits_without(row, looks, count, i))) {
                lacks = argument;
                absent++;
            }
        }
    }
    return absent == 1 && lacks < COUNT(says) && says[lacks]
               ? says[lacks]
               : "one argument is missing, or the first one, the type, is not known";
}

size_t paste_own_call(const paste_call_place *place, size_t length, tma_paste *out) {
    static const call_row row = {"", TMA_PASTE_FROM_OWN, 0, TMA_API_TILED, {{0}}};
    call_reading r;
    source_scope scope;
    size_t declared = 0;
    source_scope_at(&scope, place->text, place->size, place->at, place->work_B, place->style);
    call_begin(&r, &row, place, &scope, NULL);
    paste_empty(out, TMA_PASTE_TORN, TMA_PASTE_FROM_OWN, 0, 0);
    out->says = "a function of the program's own: which argument is which, the call does not say";
    const size_t open = open_arguments(&r, place->at + length, out, &declared);
    const size_t behind = open ? add_items(&r, open, TMA_ARG_NONE, out, &declared) : 0;
    if (behind) {
        add_methods(&r, behind, out);
    }
    if (r.placed > TMA_PASTE_QUOTES) {
        tma_paste_quote *last = &out->quote[TMA_PASTE_QUOTES - 1];
        tma_out more = tma_out_into(last->text, sizeof(last->text));
        last->argument = TMA_ARG_NONE;
        tma_putf(&more, "and %u more arguments", (unsigned)(r.placed - TMA_PASTE_QUOTES + 1));
    }
    const source_token arrow = source_next(&r.text, behind);
    const source_token head = source_next(&r.text, arrow.behind);
    if (source_is_pair(&arrow, '=', '>') ||
        (source_is(&arrow, '=') && source_is(&head, '>'))) { /* what a match takes apart */
        return 0;
    }
    const int is_left_out = out->quotes == 1 && text_same(out->quote[0].text, "...");
    return out->quotes && declared * 2 <= out->quotes && !is_left_out ? behind : 0;
}

static int is_said(const tma_paste *said, size_t count, size_t line) {
    for (size_t i = 0; i < count; i++) {
        if (said[i].line == line) {
            return 1;
        }
    }
    return 0;
}

/* Which letters are the first and the second of some word: most names are told apart by them. */
static void note_letters(uint8_t letters[256], const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 2; k++) {
            letters[(unsigned char)words[i][k]] |= (uint8_t)(1 << k);
            letters[(unsigned char)(words[i][k] - 'a' + 'A')] |= (uint8_t)(1 << k);
        }
    }
}

int paste_own_is_named(const char *text, size_t size) {
    uint8_t letters[256] = {0};
    size_t behind = 0; /* the last name */
    note_letters(letters, subjects, COUNT(subjects));
    note_letters(letters, short_subjects, COUNT(short_subjects));
    for (size_t at = 0; at + 1 < size; at++) {
        if (!(letters[(unsigned char)text[at]] & 1) ||
            !(letters[(unsigned char)text[at + 1]] & 2) || at < behind) {
            continue;
        }
        size_t from = at;
        while (from > behind &&
               (text_is_word(text[from - 1]) || text[from - 1] == '.' || text[from - 1] == ':')) {
            from--;
        }
        while (from < at && !paste_is_letter(text[from])) {
            from++;
        }
        const size_t length = path_length(text + from, size - from);
        if (makes_map(text + from, length)) {
            return 1;
        }
        behind = from + length;
    }
    return 0;
}

/* Whether the call from a name on is of a row, or of an encode function by another name. */
static int has_row(const paste_call_place *place, size_t end) {
    for (size_t at = place->at; at < end; at++) {
        const paste_cursor here = {place->text + at, place->size - at};
        if (!(at && text_is_word(place->text[at - 1])) && paste_is_call(&here)) {
            return 1;
        }
    }
    return 0;
}

/* Whether the text defines what it calls there: what that encodes is a call of its own. */
static int is_defined(const paste_call_place *place, size_t length) {
    paste_call_place other = *place;
    tma_paste found;
    size_t last = length;
    while (last && text_is_word(place->text[place->at + last - 1])) {
        last--;
    }
    const char *name = place->text + place->at + last;
    length -= last;
    for (size_t at = 0; at + length < place->size; at++) {
        const int is_same =
            place->text[at] == *name && text_equal(place->text + at, name, length) &&
            !text_is_word(place->text[at + length]) && !(at && text_is_word(place->text[at - 1]));
        other.at = at;
        if (is_same &&
            (paste_is_declared(place->text, at) || !paste_own_call(&other, length, &found))) {
            return 1;
        }
    }
    return 0;
}

void paste_own_calls(const paste_call_place *of, const tma_paste *said, size_t saids, int is_beside,
                     paste_own_visit visit, void *context) {
    paste_call_place place = *of;
    size_t count = 0;
    for (size_t at = 0; at < of->size && count < MOST_CALLS;) {
        const int begins = paste_is_letter(of->text[at]) && !(at && text_is_word(of->text[at - 1]));
        const size_t length = begins ? path_length(of->text + at, of->size - at) : 0;
        tma_paste found;
        place.at = at;
        const int is_call = length && makes_map(of->text + at, length) &&
                            !paste_is_declared(of->text, at) && !source_is_remark(of->text, at);
        const size_t end = is_call ? paste_own_call(&place, length, &found) : 0;
        if (end) {
            const int is_other =
                !is_beside || (!has_row(&place, end) && !is_defined(&place, length));
            found.line = found.last_line = paste_line_of(of->text, at);
            if (is_other && !is_said(said, saids, found.line)) {
                visit(context, &found);
            }
            count++;
        }
        at += length ? length : 1;
    }
}
