/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions of constants, in the forms of C, C++, Python, Rust, Mojo, Julia and C#.
 */
#include <string.h>

#include "source_parts.h"
#include "tma/detail/chars.h"

#define MOST_PATH 12 /* names in a.b.c */

/* Expressions call themselves for what stands in brackets and for what names stand for;
 * source_place.depth and source_reader.depth count how deep. */
/* NOLINTBEGIN(misc-no-recursion) */
static int read_sum(source_place *p, source_value *out);
/* a.b.c, a::b::c: where its last word and the one before begin; behind it, the template's too. */
typedef struct path {
    size_t from;
    size_t to;
    source_token last;
    source_token owner;
    size_t words;
} path;

static int is_joint(const source_token *t) {
    return source_is(t, '.') || source_is_pair(t, ':', ':') || source_is_pair(t, '-', '>');
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
        const int is_method = source_is_same_value(s, &word) &&
                              (source_is(&open, '(') || source_is_pair(&open, ':', ':')) &&
                              !source_is_pair(&joint, ':', ':');
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

/* sizeof(type), Rust's size_of::<type>(): behind the bracket. */
static int read_size(source_place *p, source_value *out) {
    const source_text *s = p->r->text;
    const path type = read_path(s, source_peek(p).at);
    const uint32_t bits = source_type_bits(s, type.last.at, type.last.length);
    source_token close = source_next(s, type.to);
    if (source_is(&close, '>')) {
        const source_token open = source_next(s, close.behind);
        close = source_next(s, open.behind);
    }
    p->at = close.behind;
    source_set_number(out, bits / 8);
    return bits >= 8 && bits % 8 == 0 && source_is(&close, ')');
}

static int read_extreme(source_place *p, int is_least, source_value *out) {
    source_value list;
    int commas = 0;
    if (!source_read_list(p, &list, &commas) || !list.count ||
        list.known != (1u << list.count) - 1) {
        return 0;
    }
    uint64_t best = list.item[0];
    for (size_t i = 1; i < list.count; i++) {
        best = (list.item[i] < best) == is_least ? list.item[i] : best;
    }
    source_set_number(out, best);
    return 1;
}

/* "std::vector<int>(4, 1)", whose brackets say how many and what; "ones(UInt32, 4)", how many. */
static int repeat_value(source_value *v, int is_ones) {
    source_value given = *v;
    if (is_ones) {
        const size_t at = given.known & 1 ? 0 : 1;
        given = (source_value){
            .item = {given.item[at], 1}, .count = 2, .known = given.known >> at & 1 ? 3 : 0};
    }
    if (given.count > 2 || given.known != (1u << given.count) - 1 || given.item[0] > SOURCE_ITEMS) {
        return 0;
    }
    memset(v, 0, sizeof(*v));
    v->is_list = 1;
    for (uint64_t i = 0; i < given.item[0]; i++) {
        source_append(v, &(source_value){.item = {given.count > 1 ? given.item[1] : 0}}, 1);
    }
    return v->count != 0;
}

/* A call of a type, or of a function that gives a list or a number. */
static int read_call(source_place *p, const path *name, source_value *out) {
    const source_text *s = p->r->text;
    int commas = 0;
    if (source_is_word(s, &name->last, "sizeof") || source_is_word(s, &name->last, "size_of")) {
        return read_size(p, out);
    }
    if (source_is_word(s, &name->last, "min") || source_is_word(s, &name->last, "max")) {
        return read_extreme(p, source_is_word(s, &name->last, "min"), out);
    }
    const int is_ones = source_is_word(s, &name->last, "ones"); /* ones(UInt32, 2), np.ones(2) */
    const int is_type = is_ones || source_is_wrapper(s, name->last.at, name->last.length) ||
                        source_type_bits(s, name->last.at, name->last.length) != 0;
    const source_token shape = source_peek(p);
    source_place one = *p;
    source_value sizes;
    one.at = shape.behind;
    if (!is_type || !source_read_list(p, out, &commas)) {
        return 0;
    }
    if (is_ones) { /* of one dimension: of more it is no list of numbers */
        const int is_shape = source_is(&shape, '(') || source_is(&shape, '[');
        return !(out->known & (out->known - 1)) &&
               !(is_shape && source_read_list(&one, &sizes, &commas) && sizes.count != 1) &&
               repeat_value(out, 1);
    }
    if (source_is_word(s, &name->last, "vector")) { /* so many, each of this value */
        return repeat_value(out, 0);
    }
    if (!commas && out->count == 1) { /* a number in brackets is a number */
        out->is_list = 0;
        return out->known != 0;
    }
    return out->count != 0;
}

/* Whether something was assigned to the name. */
static int is_known(const source_place *p, const path *name) {
    size_t number = 0;
    return p->r->scope && name->words == 1 &&
           source_last(p->r->scope, p->r->text->text + name->last.at, name->last.length, "", 0, 0,
                       &number) != NULL;
}

/* "UInt64[64, 32]", "vec![64, 32]", "std::vector<int>{64, 32}", "np.int64(3)", "List[Int](3, 4)".
 */
static int read_built(source_place *p, const path *name, source_value *out) {
    const source_text *s = p->r->text;
    source_token open = source_next(s, name->to);
    int commas = 0;
    const int is_type = source_is_wrapper(s, name->last.at, name->last.length) ||
                        source_type_bits(s, name->last.at, name->last.length) != 0;
    if (source_is(&open, '!') || source_is(&open, '.')) { /* vec![..], Julia's UInt64.([..]) */
        open = source_next(s, open.behind);
        if (!is_type || !(source_is(&open, '[') || source_is(&open, '('))) {
            return 0;
        }
    }
    const int is_member = name->words > 1 && !source_is_module(s, &name->owner); /* q.shape[2] */
    if (source_is(&open, '[') && is_type && !is_member && !is_known(p, name)) {
        const size_t behind = source_close(s, open.behind);
        const source_token next = source_next(s, behind ? behind : open.behind);
        if (behind &&
            (source_is(&next, '(') || source_is(&next, '{'))) { /* its parameters, or none */
            open = next;
        } else {
            p->at = open.behind;
            return source_read_list(p, out, &commas);
        }
    }
    if (source_is(&open, '{')) {
        p->at = open.behind;
        if (!is_type || !source_read_list(p, out, &commas)) {
            return 0;
        }
        const int is_one = source_is_integer(s->text + name->last.at, name->last.length);
        const source_token angle = source_next(s, name->last.behind);
        const source_token number = source_next(s, angle.behind);
        if (!out->count && source_is(&angle, '<') && number.kind == SOURCE_NUMBER) {
            source_set_number(out, number.number); /* CuTe's Int<128>{} */
            return number.is_whole;
        }
        out->is_list = (uint8_t) !(is_one && out->count == 1);
        return 1;
    }
    if (!source_is(&open, '(')) {
        return 0;
    }
    p->at = open.behind;
    return read_call(p, name, out);
}

static int read_name(source_place *p, source_value *out) {
    const source_text *s = p->r->text;
    const path name = read_path(s, source_peek(p).at);
    const source_token next = source_next(s, name.to);
    const source_token angle = source_next(s, next.behind);
    if (source_is_word(s, &name.last, "size_of") && source_is_pair(&next, ':', ':') &&
        source_is(&angle, '<')) {
        p->at = angle.behind;
        return read_size(p, out);
    }
    if (name.words == 1 && name.last.length == p->loop_length &&
        text_equal(s->text + name.last.at, s->text + p->loop, p->loop_length)) {
        p->at = name.to;
        source_set_number(out, p->looped);
        return 1;
    }
    if (read_built(p, &name, out)) {
        return 1;
    }
    p->at = name.to;
    if (source_is(&next, '(') || source_is(&next, '{')) {
        return 0; /* a function that is not followed */
    }
    if (name.words == 1 &&
        (source_is_word(s, &name.last, "nullptr") || source_is_word(s, &name.last, "NULL") ||
         source_is_word(s, &name.last, "None"))) {
        source_set_number(out, 0);
        return 1;
    }
    const int has_owner = name.words > 1 && !source_is_module(s, &name.owner);
    const source_found found =
        source_read_known(p->r, name.last.at, name.last.length, name.owner.at,
                          has_owner ? name.owner.length : 0, out);
    if (found != SOURCE_UNKNOWN) {
        return found == SOURCE_FOUND;
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
    while (t.kind == SOURCE_WORD || source_is_pair(&t, ':', ':') || source_is(&t, '*') ||
           (words && source_is(&t, '['))) {
        const size_t behind = source_is(&t, '[') ? source_close(s, t.behind) : 0;
        words += t.kind == SOURCE_WORD;
        at = behind ? behind : t.behind;
        t = source_next(s, at);
    }
    if (!words || !source_is(&t, ')')) {
        return 0;
    }
    const source_token next = source_next(s, t.behind);
    return next.kind == SOURCE_WORD || next.kind == SOURCE_NUMBER || source_is(&next, '(') ||
                   source_is(&next, '&') || source_is(&next, '{') ||
                   (source_is(&next, '-') && words == 1 &&
                    source_is_wrapper(s, source_next(s, open->behind).at,
                                      source_next(s, open->behind).length))
               ? t.behind
               : 0;
}

static int read_brackets(source_place *p, source_value *out) {
    const source_text *s = p->r->text;
    const source_token open = source_peek(p);
    int commas = 0;
    const size_t behind = source_is(&open, '(') ? cast(s, &open) : 0;
    if (behind) {
        p->at = behind;
        return 2; /* the value follows */
    }
    const size_t close = source_is(&open, '[') ? source_close(s, open.behind) : 0;
    const source_token type = source_next(s, close ? close : open.behind);
    const source_token list = source_next(s, type.behind);
    if (close && type.kind == SOURCE_WORD && source_is(&list, '{')) { /* Zig, Go: [_]u64{1, 2} */
        p->at = list.at;
        return 2;
    }
    p->at = open.behind;
    source_place one = *p;
    if (source_is(&open, '(') && read_sum(&one, out)) { /* (a + b), (c_uint64 * 2)(1, 2) */
        const source_token close = source_next(s, one.at);
        if (source_is(&close, ')')) {
            p->at = close.behind;
            return 1;
        }
    }
    if (!source_read_list(p, out, &commas)) {
        return 0;
    }
    if (source_is(&open, '(') && !commas && out->count == 1) {
        source_token call = source_peek(p); /* ctypes: (type * n)(values) */
        if (source_is(&call, '(') && !out->known) {
            p->at = call.behind;
            return source_read_list(p, out, &commas);
        }
        out->is_list = 0;
        return out->known != 0;
    }
    return 1;
}

static int is_skipped(const source_text *s, const source_token *t) {
    static const char *const words[] = {"mut",        "new",    "out",   "ref",  "in",
                                        "stackalloc", "unsafe", "const", "move", "await"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (source_is_word(s, t, words[i])) {
            return 1;
        }
    }
    return 0;
}

/* C#'s "new[] {1, 2}": the brackets behind the word. */
static void skip_dimensions(source_place *p, const source_token *word) {
    const source_token open = source_peek(p);
    if (source_is(&open, '[') && (source_is_word(p->r->text, word, "new") ||
                                  source_is_word(p->r->text, word, "stackalloc"))) {
        const size_t behind = source_close(p->r->text, open.behind);
        p->at = behind ? behind : p->at;
    }
}

/* <CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B: 3>, as Python prints it. */
static int read_printed(source_place *p, source_value *out) {
    const source_text *s = p->r->text;
    const path name = read_path(s, source_peek(p).behind);
    const source_token colon = source_next(s, name.to);
    const source_token number = source_next(s, colon.behind);
    const source_token close = source_next(s, number.behind);
    source_set_number(out, number.number);
    p->at = close.behind;
    return source_is(&colon, ':') && number.kind == SOURCE_NUMBER && source_is(&close, '>');
}

static int read_factor(source_place *p, source_value *out) {
    const source_text *s = p->r->text;
    int is_pointer = 0;
    int is_negative = 0;
    int ok = 0;
    source_token t = source_peek(p);
    if (p->depth >= SOURCE_DEEPEST || !*p->r->work) {
        return 0;
    }
    --*p->r->work;
    p->depth++;
    for (;; t = source_peek(p)) {
        const int is_sign = source_is(&t, '-') || source_is(&t, '+');
        if (source_is(&t, '&') || source_is(&t, '*') || is_skipped(s, &t) || is_sign ||
            source_is_pair(&t, '&', '&')) {
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
        source_set_number(out, t.number);
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
    ok = ok && source_read_behind(p, out, is_pointer);
    if (ok && is_negative) {
        ok = source_is_number(out);
        out->item[0] = 0 - out->item[0];
    }
    p->depth--;
    return ok;
}

/* "[1] * 4": the list so often. */
static int repeat(source_value *list, const source_value *times) {
    const source_value one = *list;
    if (!source_is_number(times) || times->item[0] > SOURCE_ITEMS) {
        return 0;
    }
    memset(list, 0, sizeof(*list));
    list->is_list = 1;
    for (uint64_t i = 0; i < times->item[0]; i++) {
        for (size_t j = 0; j < one.count; j++) {
            source_append(list, &(source_value){.item = {one.item[j]}}, one.known >> j & 1);
        }
    }
    return 1;
}

/* C's "strides + 1": the array from that entry on. */
static int advance(source_value *array, uint64_t by) {
    const source_value all = *array;
    memset(array, 0, sizeof(*array));
    array->is_list = 1;
    for (uint64_t i = by; i < all.count; i++) {
        source_append(array, &(source_value){.item = {all.item[i]}}, all.known >> i & 1);
    }
    return array->count != 0;
}

/* a OP b for whole numbers; 0 where it is not known. */
static int apply(source_value *a, const source_value *b, uint32_t sign, int is_whole) {
    if (a->is_list && sign == '*') {
        return repeat(a, b);
    }
    if (a->is_list && sign == '+' && is_whole && source_is_number(b)) {
        return advance(a, b->item[0]);
    }
    if (!source_is_number(a) || !source_is_number(b)) {
        return 0;
    }
    const uint64_t x = a->item[0];
    const uint64_t y = b->item[0];
    uint64_t result;
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
    source_set_number(a, result);
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

static int read_tight(source_place *p, int least, source_value *out) {
    if (!read_factor(p, out)) {
        return 0;
    }
    for (;;) {
        source_value other;
        const source_token t = source_peek(p);
        const int tight = tightness(&t);
        if (!tight || tight < least) {
            return 1;
        }
        p->at = t.behind;
        if (++p->depth > SOURCE_DEEPEST || !read_tight(p, tight + 1, &other)) {
            return 0;
        }
        p->depth--;
        if (!apply(out, &other, t.sign, !p->r->text->is_indented)) {
            return 0;
        }
    }
}

/* Whether a statement's value is over where the token is. */
static int ends_value(const source_text *s, const source_token *t) {
    return t->kind == SOURCE_END || t->begins_line || source_is(t, ';') || source_is(t, ',') ||
           source_is(t, ')') || source_is(t, ']') || source_is(t, '}') || (source_is(t, '#') && s);
}

static int read_sum(source_place *p, source_value *out) {
    const source_place begin = *p;
    memset(out, 0, sizeof(*out));
    const int is_read = read_tight(p, 1, out);
    const source_token t = source_peek(p);
    if (!p->r->cases || p->is_asked || (is_read && ends_value(p->r->text, &t) && !t.begins_line)) {
        return is_read;
    }
    source_place choice = begin;
    source_value chosen = *out;
    choice.at = p->at;
    if (source_read_choice(&choice, begin.at, is_read, &chosen)) {
        *p = choice;
        *out = chosen;
        return 1;
    }
    return is_read;
}

int source_read(source_reader *r, size_t from, size_t to, source_value *out) {
    source_place p = {.r = r, .at = from, .read = read_sum};
    if (r->depth > SOURCE_DEEPEST) {
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
