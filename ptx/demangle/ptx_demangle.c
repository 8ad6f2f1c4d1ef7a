/* SPDX-License-Identifier: Apache-2.0
 *
 * Names, and functions with their types.
 */
#include "ptx_demangle.h"

#include "demangle_reader.h"
#include "ptx_demangle_words.h"
#include "tma/detail/chars.h"

// NOLINTBEGIN(misc-no-recursion): may_go_on() bounds it
/* ---- names ---- */

void demangle_read_source_name(demangle_reader *r) {
    const size_t length = demangle_read_number(r);
    if (!length || length > (size_t)(r->end - r->at)) {
        demangle_fail(r);
        return;
    }
    const tma_ptx_span name = {r->at, length};
    r->at += length;
    if (length >= 10 && text_is(name.at, 10, "_GLOBAL__N")) {
        demangle_say(r, "(anonymous namespace)");
    } else {
        demangle_put(r, name.at, length);
    }
    r->last_at = name.at;
    r->last_length = length;
    while (demangle_take(r, 'B')) {
        const char *const last = r->last_at;
        const size_t last_length = r->last_length;
        demangle_say(r, "[abi:");
        demangle_read_source_name(r);
        demangle_say(r, "]");
        r->last_at = last;
        r->last_length = last_length;
    }
}

/* "{lambda(int)#1}", behind Ul; "{unnamed type#1}", behind Ut. */
static void read_unnamed(demangle_reader *r, int is_lambda) {
    demangle_say(r, is_lambda ? "{lambda(" : "{unnamed type");
    if (is_lambda) {
        for (int count = 0; !demangle_take(r, 'E') && !r->failed; count++) {
            demangle_say(r, count ? ", " : "");
            if (count == 0 && demangle_peek(r) == 'v' && demangle_peek_second(r) == 'E') {
                r->at++;
            } else {
                demangle_read_type(r);
            }
        }
        demangle_say(r, ")");
    }
    char digits[24];
    tma_out number = tma_out_into(digits, sizeof digits);
    tma_putf(&number, "#%u}",
             (unsigned)(demangle_peek(r) == '_' ? 1 : demangle_read_number(r) + 2));
    demangle_must(r, '_');
    demangle_say(r, digits);
}

static void read_operator(demangle_reader *r) {
    if (demangle_take_two(r, 'c', 'v')) { /* a conversion: its type */
        demangle_say(r, "operator ");
        r->is_special = 1;
        demangle_read_type(r);
        return;
    }
    const char *const word = demangle_operator(demangle_peek(r), demangle_peek_second(r));
    if (!word) {
        demangle_fail(r);
        return;
    }
    r->at += 2;
    demangle_say(r, "operator");
    demangle_say(r, word);
}

static void read_unqualified(demangle_reader *r) {
    const char c = demangle_peek(r);
    r->is_special = 0;
    r->has_return = 0;
    if (demangle_is_digit(c) || demangle_take(r, 'L')) { /* L: of internal linkage */
        demangle_read_source_name(r);
    } else if (r->last_length && (c == 'C' || c == 'D') &&
               demangle_is_digit(demangle_peek_second(r))) { /* of the class that stands before */
        r->at += 2;
        r->is_special = 1;
        demangle_say(r, c == 'D' ? "~" : "");
        demangle_put(r, r->last_at, r->last_length);
    } else if (demangle_take_two(r, 'U', 'l')) {
        read_unnamed(r, 1);
    } else if (demangle_take_two(r, 'U', 't')) {
        read_unnamed(r, 0);
    } else {
        read_operator(r);
    }
}

/* The parts of a nested name up to its E, or to `stop`. */
void demangle_read_prefix(demangle_reader *r, const char *stop) {
    const char *const first = r->at;
    while (!r->failed && (stop ? r->at < stop : demangle_peek(r) != 'E')) {
        const int is_first = r->at == first;
        if (!demangle_may_go_on(r)) {
            return;
        }
        if (!is_first && demangle_take(r, 'I')) {
            demangle_read_arguments(r);
        } else if (demangle_peek(r) == 'S' && demangle_peek_second(r) == 't') {
            r->at += 2;
            demangle_say(r, "std");
            continue; /* it is never referred to by itself */
        } else if (is_first && demangle_take(r, 'S')) {
            demangle_read_substitution(r);
            continue;
        } else if (is_first && demangle_take(r, 'T')) {
            demangle_read_template_param(r);
        } else {
            demangle_say(r, is_first ? "" : "::");
            read_unqualified(r);
        }
        if (!stop &&
            demangle_peek(r) != 'E') { /* the whole of it is kept by whoever reads a type */
            demangle_keep(r, KEPT_PREFIX, first);
        }
    }
}

/* Behind the N; then the qualifiers of a member function, which come last in words, as letters. */
static void read_nested(demangle_reader *r, tma_ptx_span *qualifiers) {
    qualifiers->at = r->at;
    while (demangle_is_qualifier(demangle_peek(r)) || demangle_peek(r) == 'R' ||
           demangle_peek(r) == 'O') {
        r->at++;
    }
    qualifiers->length = (size_t)(r->at - qualifiers->at);
    demangle_read_prefix(r, NULL);
    demangle_must(r, 'E');
}

/* Behind the Z: a name inside of a function. */
static void read_local(demangle_reader *r) {
    r->depth++;
    if (demangle_may_go_on(r)) {
        r->is_local = 1;
        demangle_read_encoding(r);
    }
    r->depth--;
    demangle_must(r, 'E');
    demangle_say(r, "::");
    if (demangle_take(r, 's')) {
        demangle_say(r, "string literal");
        return;
    }
    if (demangle_peek(r) == 'd') {
        demangle_fail(r);
        return;
    }
    r->has_return = 0;
    demangle_read_name(r);
    if (demangle_take(r, '_')) { /* which one of several */
        demangle_take(r, '_');
        (void)demangle_read_number(r);
        demangle_take(r, '_');
    }
}

/* A name and, where it is a member function's, its qualifiers. */
static tma_ptx_span read_any_name(demangle_reader *r) {
    const char *const first = r->at;
    tma_ptx_span qualifiers = {r->at, 0};
    r->has_return = 0;
    r->is_special = 0;
    if (demangle_take(r, 'N')) {
        read_nested(r, &qualifiers);
    } else if (demangle_take(r, 'Z')) {
        read_local(r);
    } else if (demangle_peek(r) == 'S' && demangle_peek_second(r) != 't') {
        r->at++;
        demangle_read_substitution(r);
        demangle_must(r, 'I');
        if (!r->failed) {
            demangle_read_arguments(r);
        }
    } else {
        demangle_say(r, demangle_take_two(r, 'S', 't') ? "std::" : "");
        read_unqualified(r);
        if (demangle_peek(r) == 'I') {
            demangle_keep(r, KEPT_PREFIX, first);
            r->at++;
            demangle_read_arguments(r);
        }
    }
    return qualifiers;
}

void demangle_read_name(demangle_reader *r) {
    (void)read_any_name(r);
}

static void reverse(char *text, size_t length) {
    for (size_t i = 0; i < length / 2; i++) {
        const char c = text[i];
        text[i] = text[length - 1 - i];
        text[length - 1 - i] = c;
    }
}

/* Brings what stands from `middle` on to the front. */
static void turn(char *text, size_t middle, size_t length) {
    reverse(text, middle);
    reverse(text + middle, length - middle);
    reverse(text, length);
}

/* const, volatile, then & or &&: their letters stand in another order. */
static void put_qualifiers(demangle_reader *r, tma_ptx_span letters) {
    for (int references = 0; references < 2; references++) {
        for (size_t i = letters.length; i-- > 0;) {
            if (demangle_is_qualifier(letters.at[i]) != references) {
                demangle_say(r, references ? " " : "");
                demangle_say(r, demangle_mark(letters.at[i]));
            }
        }
    }
}

/* A name with its function's types; variables have none. */
void demangle_read_encoding(demangle_reader *r) {
    const uint32_t outer = r->own_depth;
    const int is_local = r->is_local;
    const size_t begin = r->length;
    r->own_depth = r->depth;
    r->is_local = 0;
    const tma_ptx_span qualifiers = read_any_name(r);
    r->own_depth = outer;
    if (r->at == r->end || demangle_peek(r) == 'E' || demangle_peek(r) == '.') {
        return;
    }
    if (r->has_return && is_local) { /* which nobody writes of a function that a name is in */
        const size_t middle = r->length;
        demangle_read_type(r);
        r->length = middle;
    } else if (r->has_return) { /* which stands before the name in words */
        const size_t middle = r->length;
        demangle_read_type(r);
        demangle_say(r, " ");
        turn(r->text + begin, middle - begin, r->length - begin);
    }
    demangle_read_types(r);
    put_qualifiers(r, qualifiers);
}

int ptx_demangle(tma_out *out, tma_ptx_span name) {
    char text[PTX_MOST_DEMANGLED];
    demangle_reader r = {.at = name.at,
                         .end = name.at + name.length,
                         .text = text,
                         .room = sizeof text,
                         .member = DEMANGLE_NO_MEMBER};
    if (demangle_take_two(&r, '_', 'Z')) {
        demangle_read_encoding(&r);
        if (!r.failed && r.at == r.end) {
            tma_put_bytes(out, text, r.length);
            return 1;
        }
    }
    tma_put_bytes(out, name.at, name.length);
    return 0;
}

void ptx_put_name(tma_out *out, tma_ptx_span name, int raw) {
    char text[PTX_MOST_DEMANGLED + 1];
    tma_out plain = tma_out_into(text, sizeof text);
    if (raw || !ptx_demangle(&plain, name)) {
        tma_put_printable(out, name.at, name.length);
    } else {
        tma_put_printable(out, text, plain.length);
    }
}
// NOLINTEND(misc-no-recursion)
