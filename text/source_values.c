/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions of constants, in the forms of C, C++, Python, Rust, Mojo, Julia and C#.
 */
#include "source_values.h"

#include <string.h>

#include "paste_parts.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"
#include "tma/synonyms.h"

#define DEEPEST   16
#define MOST_PATH 12 /* names in a.b.c */

/* A position in an expression, and the one name that a comprehension binds. */
typedef struct place {
    source_reader *r;
    size_t at;
    size_t loop; /* the name; length 0: none */
    size_t loop_length;
    uint64_t looped;
    int depth;
} place;

/* Expressions call themselves for what stands in brackets and for what names stand for; place.depth
 * and source_reader.depth count how deep. */
/* NOLINTBEGIN(misc-no-recursion) */
static int read_sum(place *p, source_value *out);

static source_token peek(const place *p) {
    return source_next(p->r->text, p->at);
}

static int is_sign2(const source_token *t, char a, char b) {
    return t->kind == SOURCE_SIGN && t->sign == SIGN2(a, b);
}

static void set_number(source_value *v, uint64_t number) {
    memset(v, 0, sizeof(*v));
    v->item[0] = number;
    v->count = 1;
    v->known = 1;
}

static int is_number(const source_value *v) {
    return !v->is_list && v->count == 1 && v->known;
}

static void append(source_value *list, const source_value *item, int is_known) {
    if (list->count < SOURCE_ITEMS) {
        list->item[list->count] = is_known ? item->item[0] : 0;
        list->known = (uint8_t)(list->known | (unsigned)(is_known != 0) << list->count);
        list->count++;
    }
}

/* ---- types ---- */

static const char *const modules[] = {"np",     "numpy", "ctypes", "torch", "std",   "cute",
                                      "driver", "cuda",  "libc",   "cupy",  "jnp",   "cutlass"};

/* What turns a number into a number, or a list into a list. */
static const char *const wrappers[] = {
    "int",       "uint",     "long",      "ulong",    "short",    "ushort",   "byte",
    "sbyte",     "char",     "unsigned",  "size_t",   "ssize_t",  "usize",    "isize",
    "nint",      "nuint",    "intptr_t",  "uintptr_t", "cint",    "cuint",    "clonglong",
    "culonglong", "csize_t", "index",     "indexlist", "list",    "tuple",    "array",
    "asarray",   "vector",   "inlinearray", "statictuple", "coord", "dim", "vec", "span",
    "initializer_list", "as_tuple", "scalar", "ref", "bigint", "c_size_t", "c_int", "c_uint",
    "c_long", "c_ulong", "c_longlong", "c_ulonglong", "c_void_p", "cuintptr", "intptr", "uintptr",
    "cudeviceptr", "c_ptr", "from", "some", "box", "const", "static_cast", "reinterpret_cast",
    "const_cast", "narrow_cast", "bit_cast", "narrow", "byref", "pointer", "addressof", "arrayref",
    "into", "shape", "make_shape", "make_stride", "make_tuple", "uintn", "new", "nonzero",
    "cutensormapdatatype", "cutensormapinterleave", "cutensormapswizzle",
    "cutensormapl2promotion", "cutensormapfloatoobfill", "cutensormapim2colwidemode",
};

/* (c_|cu)(u)int(8|16|32|64)(_t), u64, i32, UInt64, Int: types of whole numbers. */
static int is_integer(const char *word, size_t length) {
    static const char *const before[] = {"c_", "cu", "u", "std_"};
    size_t at = 0;
    if (length > 2 && text_is(word + length - 2, 2, "_t")) {
        length -= 2;
    }
    for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
        const size_t n = text_length(before[i]);
        const int is_alone = length == n || text_is_digit(word[n]);
        at += at + n < length && text_equal(word + at, before[i], n) && !(n == 1 && is_alone) ? n : 0;
    }
    const int is_int = at + 3 <= length && text_equal(word + at, "int", 3);
    const int is_short = !is_int && at < length && (word[at] == 'u' || word[at] == 'i');
    const size_t digits = at + (is_int ? 3 : is_short ? 1 : 0);
    const size_t width = length - digits;
    return (is_int && width == 0) ||
           ((is_int || is_short) && (text_is(word + digits, width, "8") ||
                                     text_is(word + digits, width, "16") ||
                                     text_is(word + digits, width, "32") ||
                                     text_is(word + digits, width, "64")));
}

static int is_wrapper(const source_text *s, size_t at, size_t length) {
    char word[32];
    if (length >= sizeof(word)) {
        return 0;
    }
    for (size_t i = 0; i < length; i++) {
        word[i] = text_lower(s->text[at + i]);
    }
    for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++) {
        if (text_is(word, length, wrappers[i])) {
            return 1;
        }
    }
    return is_integer(word, length);
}

/* Bits of an element of the type that a path's last word names. */
static uint32_t type_bits(const source_text *s, size_t at, size_t length) {
    const tma_enum_row *row = tma_enum_synonym(TMA_ENUM_DTYPE, s->text + at, length);
    return row ? tma_dtype_bits((uint32_t)row->driver) : 0;
}

/* ---- what stands behind a value ---- */

/* Entries from..to of a list, which stays one. */
static void cut(source_value *v, uint64_t from, uint64_t to) {
    source_value all = *v;
    from = from < all.count ? from : all.count;
    to = to < all.count ? to : all.count;
    memset(v, 0, sizeof(*v));
    v->is_list = 1;
    for (uint64_t i = from; i < to; i++) {
        source_value one = {.item = {all.item[i]}};
        append(v, &one, all.known >> i & 1);
    }
}

static void reverse(source_value *v) {
    source_value all = *v;
    memset(v, 0, sizeof(*v));
    v->is_list = 1;
    for (size_t i = all.count; i-- > 0;) {
        source_value one = {.item = {all.item[i]}};
        append(v, &one, all.known >> i & 1);
    }
}

/* A number of a slice, negative ones from the end; `missing` where none stands. */
static int read_bound(place *p, const source_value *list, uint64_t missing, uint64_t *bound) {
    const source_token t = peek(p);
    source_value v;
    *bound = missing;
    if (source_is(&t, ':') || source_is(&t, ']')) {
        return 1;
    }
    if (!read_sum(p, &v) || !is_number(&v)) {
        return 0;
    }
    *bound = (int64_t)v.item[0] < 0 ? v.item[0] + list->count : v.item[0];
    return 1;
}

/* "[0]", "[1:]", "[::-1]" of a list. */
static int read_index(place *p, source_value *v, int is_pointer) {
    uint64_t from = 0;
    uint64_t to = v->count;
    p->at = peek(p).behind;
    if (!v->is_list || !read_bound(p, v, 0, &from)) {
        return 0;
    }
    source_token t = peek(p);
    if (source_is(&t, ']')) {
        p->at = t.behind;
        cut(v, from, is_pointer ? v->count : from + 1);
        v->is_list = (uint8_t)is_pointer;
        return v->count > 0 && (is_pointer || v->known);
    }
    if (is_sign2(&t, ':', ':')) { /* [::-1] */
        source_value step;
        p->at = t.behind;
        if (!read_sum(p, &step) || !is_number(&step) || (int64_t)step.item[0] != -1) {
            return 0;
        }
        reverse(v);
    } else {
        if (!source_is(&t, ':')) {
            return 0;
        }
        p->at = t.behind;
        if (!read_bound(p, v, v->count, &to)) {
            return 0;
        }
        cut(v, from, to);
    }
    t = peek(p);
    p->at = t.behind;
    return source_is(&t, ']');
}

/* Methods that give the same value: data(), as_ptr(). */
static int is_same_value(const source_text *s, const source_token *name) {
    static const char *const words[] = {"data",   "as_ptr", "as_mut_ptr", "into",   "to_vec",
                                        "tolist", "ptr",    "value",      "unwrap", "as_slice",
                                        "begin",  "ctypes", "getPtr",     "clone",  "cast",
                                        "item",   "unsafe_ptr", "to_owned", "get",  "data_as"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (source_is_word(s, name, words[i])) {
            return 1;
        }
    }
    return 0;
}

static int read_method(place *p) {
    const source_text *s = p->r->text;
    const source_token name = source_next(s, peek(p).behind);
    source_token open = source_next(s, name.behind);
    if (!is_same_value(s, &name)) {
        return 0;
    }
    p->at = name.behind;
    if (is_sign2(&open, ':', ':')) { /* .cast::<u8>() */
        const source_token angle = source_next(s, open.behind);
        p->at = source_template(s, &angle);
        open = peek(p);
        if (!p->at) {
            return 0;
        }
    }
    if (source_is(&open, '(')) {
        p->at = source_close(s, open.behind);
    }
    return p->at != 0;
}

/* Rust's "as u64", "as *const u64". */
static void skip_as(place *p) {
    source_token t = peek(p);
    while (source_is_word(p->r->text, &t, "as")) {
        p->at = t.behind;
        for (t = peek(p); source_is(&t, '*') || source_is_word(p->r->text, &t, "const") ||
                          source_is_word(p->r->text, &t, "mut");
             t = peek(p)) {
            p->at = t.behind;
        }
        for (; t.kind == SOURCE_WORD || is_sign2(&t, ':', ':'); t = peek(p)) {
            if (source_is_word(p->r->text, &t, "as")) {
                break;
            }
            p->at = t.behind;
        }
    }
}

static int read_behind(place *p, source_value *v, int is_pointer) {
    for (;;) {
        const source_token t = peek(p);
        if (source_is(&t, '[') && !t.begins_line) {
            if (!read_index(p, v, is_pointer)) {
                return 0;
            }
        } else if (source_is(&t, '.') || is_sign2(&t, '-', '>')) {
            if (!read_method(p)) {
                return 0;
            }
        } else {
            skip_as(p);
            return 1;
        }
    }
}

/* ---- lists ---- */

/* "for n in LIST", behind the expression that `from` begins; the list of its values. */
static int read_comprehension(place *p, size_t from, size_t loop, size_t close, source_value *out) {
    const source_text *s = p->r->text;
    const source_token name = source_next(s, loop);
    const source_token in = source_next(s, name.behind);
    place of = *p;
    source_value list;
    of.at = in.behind;
    if (name.kind != SOURCE_WORD || !source_is_word(s, &in, "in") || !read_sum(&of, &list) ||
        !list.is_list || source_next(s, of.at).behind != close) {
        return 0;
    }
    memset(out, 0, sizeof(*out));
    out->is_list = 1;
    for (size_t i = 0; i < list.count; i++) {
        place one = *p;
        source_value v;
        one.at = from;
        one.loop = name.at;
        one.loop_length = name.length;
        one.looped = list.item[i];
        append(out, &v, list.known >> i & 1 && read_sum(&one, &v) && is_number(&v));
    }
    p->at = close;
    return 1;
}

/* Whether an item is "VALUE for n in LIST": where the name begins; else 0. */
static size_t find_loop(const source_text *s, const source_item *item) {
    for (size_t at = item->from; at < item->to;) {
        const source_token t = source_next(s, at);
        if (source_is_word(s, &t, "for")) {
            return t.behind;
        }
        const int opens = source_is(&t, '(') || source_is(&t, '[') || source_is(&t, '{');
        const size_t behind = opens ? source_close(s, t.behind) : 0;
        at = behind ? behind : t.behind;
    }
    return 0;
}

/* An item as an entry, or, behind Python's *, all entries of a list. */
static void read_item(place *p, const source_item *item, source_value *list) {
    const source_token t = source_next(p->r->text, item->from);
    place one = *p;
    source_value v = {.count = 0};
    one.at = source_is(&t, '*') ? t.behind : item->from;
    const int is_read = read_sum(&one, &v) && source_next(p->r->text, one.at).at >= item->to;
    if (is_read && v.is_list && (source_is(&t, '*') || !list->count)) {
        for (size_t i = 0; i < v.count; i++) { /* {{1, 2}} is as {1, 2} */
            append(list, &(source_value){.item = {v.item[i]}}, v.known >> i & 1);
        }
    } else {
        append(list, &v, is_read && is_number(&v));
    }
}

/* Items up to the bracket that closes; *commas says whether any stood there. */
static int read_list(place *p, source_value *out, int *commas) {
    const source_text *s = p->r->text;
    source_item item;
    memset(out, 0, sizeof(*out));
    out->is_list = 1;
    *commas = 0;
    for (;;) {
        if (!source_next_item(s, p->at, &item)) {
            return 0;
        }
        const size_t loop = item.is_empty || out->count ? 0 : find_loop(s, &item);
        if (loop && item.is_last) {
            return read_comprehension(p, item.from, loop, item.behind, out);
        }
        if (!item.is_empty) {
            place one = *p;
            source_value v;
            one.at = item.from;
            const int is_read = !out->count && read_sum(&one, &v) && is_number(&v);
            const source_token t = source_next(s, one.at);
            if (is_read && source_is(&t, ';')) {
                source_value times; /* Rust's [1; 2] */
                one.at = t.behind;
                if (!read_sum(&one, &times) || !is_number(&times)) {
                    return 0;
                }
                for (uint64_t i = 0; i < times.item[0] && i < SOURCE_ITEMS; i++) {
                    append(out, &v, 1);
                }
            } else {
                read_item(p, &item, out);
            }
        }
        p->at = item.behind;
        *commas |= !item.is_last;
        if (item.is_last) {
            return 1;
        }
    }
}

/* ---- names ---- */

/* C fills an array with zeros behind the entries that it was given. */
static void fill_array(source_reader *r, const source_binding *b, source_value *out) {
    source_value size;
    source_reader inner = *r;
    inner.text = &r->scope->text;
    inner.depth = r->depth + 1;
    if (b->index && out->is_list && !inner.text->is_indented &&
        source_read(&inner, b->index, 0, &size) && is_number(&size)) {
        while (out->count < SOURCE_ITEMS && out->count < size.item[0]) {
            append(out, &(source_value){.count = 0}, 1);
        }
    }
}

static int read_binding(source_reader *r, const source_binding *b, size_t number,
                        source_value *out) {
    source_reader inner = *r;
    inner.text = &r->scope->text;
    inner.before = number;
    inner.depth = r->depth + 1;
    memset(out, 0, sizeof(*out));
    if (b->made == SOURCE_DECLARED) {
        out->is_list = 1;
        return 1;
    }
    if (!b->part) {
        const int is_read = source_read(&inner, b->value, 0, out);
        fill_array(&inner, b, out);
        return is_read || (b->index && out->is_list && out->count);
    }
    size_t at = b->value;
    for (size_t i = 1;; i++) {
        source_item item;
        if (!source_next_item(inner.text, at, &item)) {
            item.is_last = 1; /* the statement ends, and so does the text */
            item.from = at;
            item.to = 0;
        }
        if (i == b->part) {
            const source_token t = source_next(inner.text, item.from);
            const int is_end = item.is_last || source_next(inner.text, t.behind).begins_line;
            return source_read(&inner, item.from, is_end ? 0 : item.to, out);
        }
        if (item.is_last) {
            return 0;
        }
        at = item.behind;
    }
}

/* What was done to a list's entries behind its declaration. */
static int read_changes(source_reader *r, const source_binding *b, size_t number,
                        source_value *out) {
    while ((b = source_after(r->scope, b, &number)) != NULL) {
        source_value index;
        source_value v = {.count = 0};
        if (r->before && number >= r->before) {
            return 1;
        }
        if (b->made == SOURCE_UNSURE) {
            return 0;
        }
        source_reader inner = *r;
        inner.text = &r->scope->text;
        inner.before = number;
        inner.depth = r->depth + 1;
        if (b->made == SOURCE_APPENDED) {
            const int is_known = source_read(&inner, b->value, 0, &v) && is_number(&v);
            append(out, &v, is_known);
            continue;
        }
        if (!source_read(&inner, b->index, 0, &index) || !is_number(&index) ||
            index.item[0] >= SOURCE_ITEMS) {
            return 0;
        }
        const int is_known = source_read(&inner, b->value, 0, &v) && is_number(&v);
        const uint8_t bit = (uint8_t)(1u << index.item[0]);
        out->item[index.item[0]] = is_known ? v.item[0] : 0;
        out->known = (uint8_t)((out->known & ~bit) | (is_known ? bit : 0));
        out->count = out->count > index.item[0] ? out->count : (uint8_t)(index.item[0] + 1);
        out->is_list = 1;
    }
    return 1;
}

enum found { FOUND_NOTHING, FOUND_UNSURE, FOUND_VALUE };

/* What was assigned to a name. */
static enum found read_assigned(source_reader *r, size_t at, size_t length, size_t owner,
                                size_t owner_length, source_value *out) {
    const char *text = r->text->text;
    size_t number = r->before;
    size_t last = 0;
    const source_binding *b = NULL;
    const source_binding *found = NULL;
    while ((b = source_last(r->scope, text + at, length, text + owner, owner_length, number,
                            &number)) != NULL) {
        found = b;
        last = number;
        if (b->made == SOURCE_WHOLE || b->made == SOURCE_DECLARED || b->made == SOURCE_UNSURE) {
            break;
        }
    }
    if (!found) {
        return FOUND_NOTHING;
    }
    memset(out, 0, sizeof(*out));
    if (found->made == SOURCE_UNSURE) {
        return FOUND_UNSURE;
    }
    const int is_whole = found->made == SOURCE_WHOLE || found->made == SOURCE_DECLARED;
    if ((is_whole && !read_binding(r, found, last, out)) || !is_whole) {
        return FOUND_UNSURE;
    }
    return read_changes(r, found, last, out) && (out->count || out->word_length) ? FOUND_VALUE
                                                                                 : FOUND_UNSURE;
}

/* The place of a parameter among the others, and its default; -1 if it is none. */
static int parameter_of(const source_text *s, size_t parameters, const char *name, size_t length,
                        source_item *fallback) {
    source_item item;
    size_t at = parameters;
    for (int i = 0;; i++) {
        size_t last = 0; /* the name is the last word before a colon, an = or the end */
        size_t last_length = 0;
        *fallback = (source_item){.is_empty = 1};
        if (!source_next_item(s, at, &item) || item.is_empty) {
            return -1;
        }
        for (size_t from = item.from; from < item.to;) {
            const source_token t = source_next(s, from);
            if (source_is(&t, '=')) {
                *fallback = (source_item){.from = t.behind, .to = item.to};
                break;
            }
            if (source_is(&t, ':') || source_is(&t, '[')) {
                for (from = t.behind; from < item.to; from = source_next(s, from).behind) {
                    const source_token other = source_next(s, from);
                    if (source_is(&other, '=')) {
                        *fallback = (source_item){.from = other.behind, .to = item.to};
                        break;
                    }
                }
                break;
            }
            if (t.kind == SOURCE_WORD) {
                last = t.at;
                last_length = t.length;
            }
            from = t.behind;
        }
        if (last_length == length && text_equal(s->text + last, name, length)) {
            return i;
        }
        if (item.is_last) {
            return -1;
        }
        at = item.behind;
    }
}

/* The argument for the parameter, by its place or its name. */
static int find_argument(const source_text *s, size_t call, int place_of, const char *name,
                         size_t length, source_item *out) {
    size_t at = call;
    for (int i = 0; source_next_item(s, at, out) && !out->is_empty; i++) {
        const source_token t = source_next(s, out->from);
        const source_token sign = source_next(s, t.behind);
        const int is_named = t.kind == SOURCE_WORD && (source_is(&sign, '=') || source_is(&sign, ':'));
        if (is_named && t.length == length && text_equal(s->text + t.at, name, length)) {
            out->from = sign.behind;
            return 1;
        }
        if (!is_named && i == place_of) {
            return 1;
        }
        if (out->is_last) {
            return 0;
        }
        at = out->behind;
    }
    return 0;
}

/* A parameter of a function around the place: what a call of it gives. */
static enum found read_parameter(source_reader *r, size_t at, size_t length, size_t bound,
                                 source_value *out) {
    const source_text *s = &r->scope->text;
    const char *name = r->text->text + at;
    for (size_t i = 0; i < r->scope->functions; i++) {
        const source_function *f = &r->scope->function[i];
        source_item fallback;
        source_item argument;
        const int which = f->parameters && bound <= f->first
                              ? parameter_of(s, f->parameters, name, length, &fallback)
                              : -1;
        if (which < 0) {
            continue;
        }
        const source_given *given = r->given;
        if (!given || given->parameters != f->parameters) {
            return FOUND_UNSURE;
        }
        source_reader inner = {&given->at->text, given->at, NULL, 0, r->depth + 1};
        if (find_argument(inner.text, given->call, which, name, length, &argument)) {
            return source_read(&inner, argument.from, argument.to, out) ? FOUND_VALUE
                                                                         : FOUND_UNSURE;
        }
        return !fallback.is_empty && source_read(&inner, fallback.from, fallback.to, out)
                   ? FOUND_VALUE
                   : FOUND_UNSURE;
    }
    return FOUND_NOTHING;
}

static enum found read_known(source_reader *r, size_t at, size_t length, size_t owner,
                             size_t owner_length, source_value *out) {
    size_t number = r->before;
    if (!r->scope || r->depth > DEEPEST) {
        return FOUND_NOTHING;
    }
    const char *text = r->text->text;
    const int has = source_last(r->scope, text + at, length, text + owner, owner_length, number,
                                &number) != NULL;
    const enum found parameter =
        owner_length ? FOUND_NOTHING : read_parameter(r, at, length, has ? number : 0, out);
    return parameter != FOUND_NOTHING
               ? parameter
               : read_assigned(r, at, length, owner, owner_length, out);
}

/* a.b.c, a::b::c: where its last word and the one before begin; behind it, the template's too. */
typedef struct path {
    size_t from;
    size_t to;
    source_token last;
    source_token owner;
    size_t words;
} path;

static int is_joint(const source_token *t) {
    return source_is(t, '.') || is_sign2(t, ':', ':') || is_sign2(t, '-', '>');
}

static path read_path(const source_text *s, size_t at) {
    path out = {.from = at, .last = source_next(s, at), .words = 1};
    out.to = out.last.behind;
    while (out.words < MOST_PATH) {
        const source_token joint = source_next(s, out.to);
        const source_token word = source_next(s, joint.behind);
        if (!is_joint(&joint) || word.kind != SOURCE_WORD ||
            (source_is(&joint, '.') && joint.begins_line && s->is_indented)) {
            break;
        }
        const source_token open = source_next(s, word.behind);
        const int is_method = is_same_value(s, &word) &&
                              (source_is(&open, '(') || is_sign2(&open, ':', ':')) &&
                              !is_sign2(&joint, ':', ':');
        if (is_method) {
            break;
        }
        out.owner = out.last;
        out.last = word;
        out.to = word.behind;
        out.words++;
    }
    const source_token angle = source_next(s, out.to);
    const size_t behind = source_is(&angle, '<') ? source_template(s, &angle) : 0;
    out.to = behind ? behind : out.to;
    return out;
}

static int is_module(const source_text *s, const source_token *t) {
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        if (source_is_word(s, t, modules[i])) {
            return 1;
        }
    }
    return 0;
}

static int read_size(place *p, source_value *out) {
    const source_text *s = p->r->text;
    const path type = read_path(s, peek(p).at);
    const uint32_t bits = type_bits(s, type.last.at, type.last.length);
    const source_token close = source_next(s, type.to);
    p->at = close.behind;
    set_number(out, bits / 8);
    return bits >= 8 && bits % 8 == 0 && source_is(&close, ')');
}

static int read_extreme(place *p, int is_least, source_value *out) {
    source_value list;
    int commas = 0;
    if (!read_list(p, &list, &commas) || !list.count || list.known != (1u << list.count) - 1) {
        return 0;
    }
    uint64_t best = list.item[0];
    for (size_t i = 1; i < list.count; i++) {
        best = (list.item[i] < best) == is_least ? list.item[i] : best;
    }
    set_number(out, best);
    return 1;
}

/* A function of which the text has the definition, and which only returns an expression. */
static int read_call(place *p, const path *name, source_value *out) {
    const source_text *s = p->r->text;
    int commas = 0;
    if (source_is_word(s, &name->last, "sizeof") || source_is_word(s, &name->last, "size_of")) {
        return read_size(p, out);
    }
    if (source_is_word(s, &name->last, "min") || source_is_word(s, &name->last, "max")) {
        return read_extreme(p, source_is_word(s, &name->last, "min"), out);
    }
    const int is_type = is_wrapper(s, name->last.at, name->last.length) ||
                        type_bits(s, name->last.at, name->last.length) != 0;
    if (!is_type || !read_list(p, out, &commas)) {
        return 0;
    }
    if (!commas && out->count == 1) { /* a number in brackets is a number */
        out->is_list = 0;
        return out->known != 0;
    }
    return out->count != 0;
}

/* Whether something was assigned to the name. */
static int is_known(const place *p, const path *name) {
    size_t number = 0;
    return p->r->scope && name->words == 1 &&
           source_last(p->r->scope, p->r->text->text + name->last.at, name->last.length, "", 0, 0,
                       &number) != NULL;
}

/* "UInt64[64, 32]", "vec![64, 32]", "std::vector<int>{64, 32}", "np.int64(3)", "List[Int](3, 4)". */
static int read_built(place *p, const path *name, source_value *out) {
    const source_text *s = p->r->text;
    source_token open = source_next(s, name->to);
    int commas = 0;
    const int is_type = is_wrapper(s, name->last.at, name->last.length) ||
                        type_bits(s, name->last.at, name->last.length) != 0;
    if (source_is(&open, '!') || source_is(&open, '.')) { /* vec![..], Julia's UInt64.([..]) */
        open = source_next(s, open.behind);
        if (!is_type || !(source_is(&open, '[') || source_is(&open, '('))) {
            return 0;
        }
    }
    if (source_is(&open, '[') && is_type && !is_known(p, name)) {
        const size_t behind = source_close(s, open.behind);
        const source_token next = source_next(s, behind ? behind : open.behind);
        if (behind && (source_is(&next, '(') || source_is(&next, '{'))) { /* its parameters, or none */
            open = next;
        } else {
            p->at = open.behind;
            return read_list(p, out, &commas);
        }
    }
    if (source_is(&open, '{')) {
        p->at = open.behind;
        if (!is_type || !read_list(p, out, &commas)) {
            return 0;
        }
        const int is_one = is_integer(s->text + name->last.at, name->last.length);
        out->is_list = (uint8_t)!(is_one && out->count == 1);
        return 1;
    }
    if (!source_is(&open, '(')) {
        return 0;
    }
    p->at = open.behind;
    return read_call(p, name, out);
}

static int read_name(place *p, source_value *out) {
    const source_text *s = p->r->text;
    const path name = read_path(s, peek(p).at);
    const source_token next = source_next(s, name.to);
    if (name.words == 1 && name.last.length == p->loop_length &&
        text_equal(s->text + name.last.at, s->text + p->loop, p->loop_length)) {
        p->at = name.to;
        set_number(out, p->looped);
        return 1;
    }
    if (read_built(p, &name, out)) {
        return 1;
    }
    p->at = name.to;
    if (source_is(&next, '(') || source_is(&next, '{')) {
        return 0; /* a function that is not followed */
    }
    if (name.words == 1 && (source_is_word(s, &name.last, "nullptr") ||
                            source_is_word(s, &name.last, "NULL") ||
                            source_is_word(s, &name.last, "None"))) {
        set_number(out, 0);
        return 1;
    }
    const int has_owner = name.words > 1 && !is_module(s, &name.owner);
    const enum found found =
        read_known(p->r, name.last.at, name.last.length, name.owner.at,
                   has_owner ? name.owner.length : 0, out);
    if (found != FOUND_NOTHING) {
        return found == FOUND_VALUE;
    }
    memset(out, 0, sizeof(*out));
    out->word = name.last.at;
    out->word_length = name.last.length;
    return 1;
}

/* ---- operators ---- */

/* A cast's length, "(type)" or "(unsigned long long)" or "(CUtensorMapSwizzle)". */
static size_t cast(const source_text *s, const source_token *open) {
    size_t at = open->behind;
    source_token t = source_next(s, at);
    size_t words = 0;
    while (t.kind == SOURCE_WORD || is_sign2(&t, ':', ':') || source_is(&t, '*')) {
        words += t.kind == SOURCE_WORD;
        at = t.behind;
        t = source_next(s, at);
    }
    if (!words || !source_is(&t, ')')) {
        return 0;
    }
    const source_token next = source_next(s, t.behind);
    return next.kind == SOURCE_WORD || next.kind == SOURCE_NUMBER || source_is(&next, '(') ||
                   source_is(&next, '&') || source_is(&next, '{') ||
                   (source_is(&next, '-') && words == 1 &&
                    is_wrapper(s, source_next(s, open->behind).at,
                               source_next(s, open->behind).length))
               ? t.behind
               : 0;
}

static int read_brackets(place *p, source_value *out) {
    const source_text *s = p->r->text;
    const source_token open = peek(p);
    int commas = 0;
    const size_t behind = source_is(&open, '(') ? cast(s, &open) : 0;
    if (behind) {
        p->at = behind;
        return 2; /* the value follows */
    }
    p->at = open.behind;
    place one = *p;
    if (source_is(&open, '(') && read_sum(&one, out)) { /* (a + b), (c_uint64 * 2)(1, 2) */
        const source_token close = source_next(s, one.at);
        if (source_is(&close, ')')) {
            p->at = close.behind;
            return 1;
        }
    }
    if (!read_list(p, out, &commas)) {
        return 0;
    }
    if (source_is(&open, '(') && !commas && out->count == 1) {
        source_token call = peek(p); /* ctypes: (type * n)(values) */
        if (source_is(&call, '(') && !out->known) {
            p->at = call.behind;
            return read_list(p, out, &commas);
        }
        out->is_list = 0;
        return out->known != 0;
    }
    return 1;
}

static int is_skipped(const source_text *s, const source_token *t) {
    static const char *const words[] = {"mut", "new", "out", "ref", "in", "stackalloc", "unsafe",
                                        "const", "move", "await"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (source_is_word(s, t, words[i])) {
            return 1;
        }
    }
    return 0;
}

/* C#'s "new[] {1, 2}": the brackets behind the word. */
static void skip_dimensions(place *p, const source_token *word) {
    const source_token open = peek(p);
    if (source_is(&open, '[') && (source_is_word(p->r->text, word, "new") ||
                                  source_is_word(p->r->text, word, "stackalloc"))) {
        const size_t behind = source_close(p->r->text, open.behind);
        p->at = behind ? behind : p->at;
    }
}

/* <CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B: 3>, as Python prints it. */
static int read_printed(place *p, source_value *out) {
    const source_text *s = p->r->text;
    const path name = read_path(s, peek(p).behind);
    const source_token colon = source_next(s, name.to);
    const source_token number = source_next(s, colon.behind);
    const source_token close = source_next(s, number.behind);
    set_number(out, number.number);
    p->at = close.behind;
    return source_is(&colon, ':') && number.kind == SOURCE_NUMBER && source_is(&close, '>');
}

static int read_factor(place *p, source_value *out) {
    const source_text *s = p->r->text;
    int is_pointer = 0;
    int is_negative = 0;
    int ok = 0;
    source_token t = peek(p);
    if (p->depth >= DEEPEST) {
        return 0;
    }
    p->depth++;
    for (;; t = peek(p)) {
        const int is_sign = source_is(&t, '-') || source_is(&t, '+');
        if (source_is(&t, '&') || source_is(&t, '*') || is_skipped(s, &t) || is_sign ||
            is_sign2(&t, '&', '&')) {
            is_pointer |= source_is(&t, '&');
            is_negative ^= source_is(&t, '-');
            p->at = t.behind;
            skip_dimensions(p, &t);
        } else {
            break;
        }
    }
    if (t.kind == SOURCE_NUMBER) {
        p->at = t.behind;
        set_number(out, t.number);
        ok = t.is_whole;
    } else if (t.kind == SOURCE_STRING) {
        memset(out, 0, sizeof(*out));
        out->word = t.inside;
        out->word_length = t.inside_length;
        p->at = t.behind;
        ok = t.inside_length != 0;
    } else if (t.kind == SOURCE_WORD) {
        ok = read_name(p, out);
    } else if (source_is(&t, '<')) {
        ok = read_printed(p, out);
    } else if (source_is(&t, '(') || source_is(&t, '[') || source_is(&t, '{')) {
        const int read = read_brackets(p, out);
        ok = read == 2 ? read_factor(p, out) : read;
    }
    ok = ok && read_behind(p, out, is_pointer);
    if (is_negative) {
        ok = ok && is_number(out);
        out->item[0] = 0 - out->item[0];
    }
    p->depth--;
    return ok;
}

/* "[1] * 4": the list so often. */
static int repeat(source_value *list, const source_value *times) {
    const source_value one = *list;
    if (!is_number(times) || times->item[0] > SOURCE_ITEMS) {
        return 0;
    }
    memset(list, 0, sizeof(*list));
    list->is_list = 1;
    for (uint64_t i = 0; i < times->item[0]; i++) {
        for (size_t j = 0; j < one.count; j++) {
            append(list, &(source_value){.item = {one.item[j]}}, one.known >> j & 1);
        }
    }
    return 1;
}

/* a OP b for whole numbers; 0 where it is not known. */
static int apply(source_value *a, const source_value *b, uint32_t sign, int is_whole) {
    if (a->is_list && sign == '*') {
        return repeat(a, b);
    }
    if (!is_number(a) || !is_number(b)) {
        return 0;
    }
    const uint64_t x = a->item[0];
    const uint64_t y = b->item[0];
    uint64_t result = x;
    switch (sign) {
    case '*':
        result = x * y;
        break;
    case '/':
    case SIGN2('/', '/'):
        if (!y || (sign == '/' && x % y && !is_whole)) {
            return 0; /* a fraction in Python */
        }
        result = x / y;
        break;
    case '%':
        if (!y) {
            return 0;
        }
        result = x % y;
        break;
    case SIGN2('*', '*'):
        result = 1;
        for (uint64_t i = 0; i < y; i++) {
            if (i > 64) {
                return 0;
            }
            result *= x;
        }
        break;
    case '+':
        result = x + y;
        break;
    case '-':
        result = x - y;
        break;
    default: /* shifts */
        if (y > 63) {
            return 0;
        }
        result = sign == SIGN2('<', '<') ? x << y : x >> y;
        break;
    }
    set_number(a, result);
    return 1;
}

/* How tight an operator binds; 0: it is none of those that are followed. */
static int tightness(const source_token *t) {
    switch (t->kind == SOURCE_SIGN ? t->sign : 0) {
    case SIGN2('*', '*'):
        return 4;
    case '*':
    case '/':
    case '%':
    case SIGN2('/', '/'):
        return 3;
    case '+':
    case '-':
        return 2;
    case SIGN2('<', '<'):
    case SIGN2('>', '>'):
        return 1;
    default:
        return 0;
    }
}

static int read_tight(place *p, int least, source_value *out) {
    if (!read_factor(p, out)) {
        return 0;
    }
    for (;;) {
        source_value other;
        const source_token t = peek(p);
        const int tight = tightness(&t);
        if (!tight || tight < least) {
            return 1;
        }
        p->at = t.behind;
        if (++p->depth > DEEPEST || !read_tight(p, tight + 1, &other)) {
            return 0;
        }
        p->depth--;
        if (!apply(out, &other, t.sign, !p->r->text->is_indented)) {
            return 0;
        }
    }
}

static int read_sum(place *p, source_value *out) {
    memset(out, 0, sizeof(*out));
    return read_tight(p, 1, out);
}

/* Whether a statement's value is over where the token is. */
static int ends_value(const source_text *s, const source_token *t) {
    return t->kind == SOURCE_END || t->begins_line || source_is(t, ';') || source_is(t, ',') ||
           source_is(t, ')') || source_is(t, ']') || source_is(t, '}') || (source_is(t, '#') && s);
}

int source_read(source_reader *r, size_t from, size_t to, source_value *out) {
    place p = {.r = r, .at = from};
    if (r->depth > DEEPEST) {
        return 0;
    }
    if (!read_sum(&p, out)) {
        return 0;
    }
    source_token t = source_next(r->text, p.at);
    if (source_is(&t, '=') && !to && out->word_length) { /* a = b = 5 */
        return source_read(r, t.behind, to, out);
    }
    const int is_whole = to ? t.at >= to || t.kind == SOURCE_END : ends_value(r->text, &t);
    return is_whole && (out->known || out->word_length || (out->is_list && out->count));
}

/* NOLINTEND(misc-no-recursion) */
