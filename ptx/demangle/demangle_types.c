/* SPDX-License-Identifier: Apache-2.0
 *
 * Types in mangled names, and what they refer to.
 */
#include "demangle_reader.h"
#include "ptx_demangle_words.h"
#include "tma/detail/chars.h"

// NOLINTBEGIN(misc-no-recursion): may_go_on() bounds it
#define MOST_MARKS 16 /* pointers, references and qualifiers of one type */

static void read_argument(demangle_reader *r);

/* ---- what is referred to ---- */

void demangle_keep(demangle_reader *r, demangle_kept_kind kind, const char *at) {
    if (r->is_again || r->failed) {
        return;
    }
    if (r->substitutions == DEMANGLE_MOST_KEPT) {
        demangle_fail(r);
        return;
    }
    r->substitution[r->substitutions++] = (demangle_kept){at, r->at, kind};
}

static void read_again(demangle_reader *r, const demangle_kept *k) {
    const char *const at = r->at;
    const uint8_t was_again = r->is_again, has_return = r->has_return, special = r->is_special;
    if (!demangle_may_go_on(r)) {
        return;
    }
    r->depth++;
    r->is_again = 1;
    r->at = k->at;
    if (k->kind == KEPT_TYPE) {
        demangle_read_type(r);
    } else if (k->kind == KEPT_ARGUMENT) {
        read_argument(r);
    } else {
        demangle_read_prefix(r, k->end);
    }
    r->is_again = was_again;
    r->has_return = has_return;
    r->is_special = special;
    r->depth--;
    r->at = r->failed ? r->end : at;
}

/* "S_", "S0_", "SA_": behind the S; "T_", "T0_" behind the T, which counts by tens. */
static size_t read_index(demangle_reader *r, uint32_t base) {
    size_t index = 0;
    const int is_first = demangle_peek(r) == '_';
    while (demangle_peek(r) != '_') {
        const char c = demangle_peek(r);
        const uint32_t digit = demangle_is_digit(c)                 ? (uint32_t)(c - '0')
                               : base == 36 && c >= 'A' && c <= 'Z' ? (uint32_t)(c - 'A') + 10
                                                                    : base;
        if (digit >= base || index > DEMANGLE_MOST_KEPT) {
            demangle_fail(r);
            return 0;
        }
        index = index * base + digit;
        r->at++;
    }
    demangle_must(r, '_');
    return is_first ? 0 : index + 1;
}

/* Behind the S. */
void demangle_read_substitution(demangle_reader *r) {
    const char *word = demangle_abbreviation(demangle_peek(r));
    if (word) {
        r->at++;
        const char *colon = word; /* the last part names constructors */
        for (const char *c = word; *c; c++) {
            colon = *c == ':' ? c + 1 : colon;
        }
        r->last_at = colon;
        r->last_length = text_length(colon);
        demangle_say(r, word);
        return;
    }
    const size_t index = read_index(r, 36);
    if (index >= r->substitutions) {
        demangle_fail(r);
        return;
    }
    const demangle_kept k = r->substitution[index];
    read_again(r, &k);
}

/* The member of a pack that an expansion has come to; then how many there are is known. */
static void read_member(demangle_reader *r, const demangle_kept *pack) {
    const char *const at = r->at;
    const uint8_t was_again = r->is_again;
    const uint32_t member = r->member;
    uint32_t count = 0;
    if (!demangle_may_go_on(r)) {
        return;
    }
    r->depth++;
    r->is_again = 1;
    r->member = DEMANGLE_NO_MEMBER;
    r->at = pack->at + 1;
    for (; !demangle_take(r, 'E') && !r->failed; count++) {
        const size_t before = r->length;
        read_argument(r);
        r->length = count == member ? r->length : before;
    }
    r->members = count;
    r->member = member;
    r->is_again = was_again;
    r->depth--;
    r->at = r->failed ? r->end : at;
}

void demangle_read_template_param(demangle_reader *r) {
    const size_t index = read_index(r, 10);
    if (index >= r->arguments) {
        demangle_fail(r);
        return;
    }
    const demangle_kept k = r->argument[index];
    if (*k.at == 'J' && r->member != DEMANGLE_NO_MEMBER) {
        read_member(r, &k);
    } else {
        read_again(r, &k);
    }
}

/* ---- arguments of templates ---- */

static void read_literal(demangle_reader *r) {
    const char type = demangle_peek(r);
    if (demangle_take_two(r, '_', 'Z')) { /* a function or a variable */
        const uint8_t was_return = r->has_return, special = r->is_special;
        r->depth++;
        if (demangle_may_go_on(r)) {
            demangle_say(r, "&");
            demangle_read_encoding(r);
        }
        r->depth--;
        r->has_return = was_return;
        r->is_special = special;
        demangle_must(r, 'E');
        return;
    }
    if (type == 'b' && (demangle_peek_second(r) == '0' || demangle_peek_second(r) == '1')) {
        demangle_say(r, demangle_peek_second(r) == '1' ? "true" : "false");
        r->at += 2;
        demangle_must(r, 'E');
        return;
    }
    const char *const suffix = demangle_suffix(type);
    if (suffix) {
        r->at++;
    } else {
        demangle_say(r, "(");
        demangle_read_type(r);
        demangle_say(r, ")");
    }
    demangle_say(r, demangle_take(r, 'n') ? "-" : "");
    const char *const digits = r->at;
    while (demangle_is_digit(demangle_peek(r))) {
        r->at++;
    }
    if (r->at == digits || type == 'f' || type == 'd' || type == 'e') {
        demangle_fail(r);
        return;
    }
    demangle_put(r, digits, (size_t)(r->at - digits));
    demangle_say(r, suffix ? suffix : "");
    demangle_must(r, 'E');
}

/* One argument; a pack is its members. */
static void read_argument(demangle_reader *r) {
    if (!demangle_may_go_on(r)) {
        return;
    }
    r->depth++;
    if (demangle_take(r, 'L')) {
        read_literal(r);
    } else if (demangle_take(r, 'J')) {
        for (int count = 0; !demangle_take(r, 'E') && !r->failed; count++) {
            demangle_say(r, count ? ", " : "");
            read_argument(r);
        }
    } else if (demangle_peek(r) == 'X') {
        demangle_fail(r);
    } else {
        demangle_read_type(r);
    }
    r->depth--;
}

static int is_empty_pack(const demangle_reader *r) {
    return demangle_peek(r) == 'J' && demangle_peek_second(r) == 'E';
}

/* Behind the I. Those of the outermost name's last template are what T_ means. */
void demangle_read_arguments(demangle_reader *r) {
    const int are_own = !r->is_again && r->depth == r->own_depth;
    const char *const last = r->last_at;
    const size_t last_length = r->last_length;
    uint32_t count = 0;
    int said = 0;
    demangle_say(r, demangle_last_put(r) == '<' ? " <" : "<"); /* operator<< <int> */
    while (!demangle_take(r, 'E') && !r->failed) {
        if (count == DEMANGLE_MOST_KEPT) {
            demangle_fail(r);
            return;
        }
        if (are_own) {
            r->argument[count] = (demangle_kept){r->at, r->at, KEPT_ARGUMENT};
            r->arguments = count + 1;
        }
        count++;
        demangle_say(r, said && !is_empty_pack(r) ? ", " : "");
        said |= !is_empty_pack(r);
        read_argument(r);
    }
    demangle_say(r, demangle_last_put(r) == '>' ? " >" : ">");
    r->last_at = last;
    r->last_length = last_length;
    r->has_return = !r->is_special;
}

/* ---- types ---- */

static void put_mark(demangle_reader *r, char mark) {
    const int is_reference = demangle_last_put(r) == '&';
    if (mark == 'R' && is_reference) { /* T& where T is a reference */
        r->length -= r->length > 1 && r->text[r->length - 2] == '&';
    } else if (mark != 'O' || !is_reference) {
        demangle_say(r, demangle_mark(mark));
    }
}

static void put_marks(demangle_reader *r, const char *marks, uint32_t count) {
    while (count) {
        put_mark(r, marks[--count]);
    }
}

/* What types end at: an E, what a compiler puts behind a name, or the name's end. */
static int is_behind_types(char c) {
    return c == 'E' || c == '.' || c == 0;
}

/* "v" alone is none. */
void demangle_read_types(demangle_reader *r) {
    int count = 0;
    demangle_say(r, "(");
    if (demangle_peek(r) == 'v' && is_behind_types(demangle_peek_second(r))) {
        r->at++;
    }
    while (!is_behind_types(demangle_peek(r))) {
        const size_t before = r->length;
        demangle_say(r, count ? ", " : "");
        const size_t begun = r->length;
        demangle_read_type(r);
        r->length = r->length == begun ? before : r->length; /* a pack of none */
        count += r->length != before;
    }
    demangle_say(r, ")");
}

/* Behind the F: a function, of which there may be pointers. */
static void read_function(demangle_reader *r, const char *marks, uint32_t count) {
    demangle_take(r, 'Y');
    demangle_read_type(r);
    demangle_say(r, " ");
    if (count) {
        demangle_say(r, "(");
        put_marks(r, marks, count);
        demangle_say(r, ")");
    }
    demangle_read_types(r);
    demangle_must(r, 'E');
}

/* Behind the A. */
static void read_array(demangle_reader *r, const char *marks, uint32_t count) {
    const char *const digits = r->at;
    (void)demangle_read_number(r);
    const size_t length = (size_t)(r->at - digits);
    demangle_must(r, '_');
    demangle_read_type(r);
    demangle_say(r, " ");
    if (count) {
        demangle_say(r, "(");
        put_marks(r, marks, count);
        demangle_say(r, ") ");
    }
    demangle_say(r, "[");
    demangle_put(r, digits, length);
    demangle_say(r, "]");
}

/* Behind Dp: the type once for each member of the pack in it. */
static void read_expansion(demangle_reader *r) {
    const char *const at = r->at;
    const uint8_t was_again = r->is_again;
    const uint32_t outer = r->member, outer_members = r->members;
    const size_t before = r->length;
    r->members = 1;
    for (r->member = 0; r->member < r->members && !r->failed; r->member++) {
        r->at = at;
        r->is_again = was_again || r->member;
        demangle_say(r, r->member ? ", " : "");
        demangle_read_type(r);
    }
    r->length = r->members ? r->length : before;
    r->is_again = was_again;
    r->member = outer;
    r->members = outer_members;
}

/* What D begins. Whether it can be referred to. */
static int read_d_type(demangle_reader *r) {
    if (demangle_take_two(r, 'D', 'p')) {
        read_expansion(r);
        return 1;
    }
    size_t length = 0;
    const char *const word = demangle_d_type(r->at, (size_t)(r->end - r->at), &length);
    if (!word) {
        demangle_fail(r);
        return 0;
    }
    r->at += length;
    demangle_say(r, word);
    return 0;
}

/* A type that is no pointer, reference or qualified one. Whether it can be referred to. */
static int read_base(demangle_reader *r, const char *marks, uint32_t count) {
    const char c = demangle_peek(r);
    const char *const builtin = demangle_builtin(c);
    if (builtin) {
        r->at++;
        demangle_say(r, builtin);
        return 0;
    }
    if (demangle_take(r, 'F')) {
        read_function(r, marks, count);
    } else if (demangle_take(r, 'A')) {
        read_array(r, marks, count);
    } else if (c == 'D') {
        return read_d_type(r);
    } else if (demangle_take(r, 'u')) { /* of a vendor's own */
        demangle_read_source_name(r);
    } else if (demangle_take(r, 'T')) {
        const char *const first = r->at - 1;
        demangle_read_template_param(r);
        if (demangle_peek(r) == 'I') {
            demangle_keep(r, KEPT_TYPE, first);
            r->at++;
            demangle_read_arguments(r);
        }
    } else if (c == 'S' && demangle_peek_second(r) != 't') {
        r->at++;
        demangle_read_substitution(r);
        if (!demangle_take(r, 'I')) {
            return 0;
        }
        demangle_read_arguments(r);
    } else if (c == 'N' || c == 'Z' || c == 'S' || demangle_is_digit(c)) {
        demangle_read_name(r);
    } else {
        demangle_fail(r);
    }
    return 1;
}

static int is_mark(char c) {
    return c == 'P' || c == 'R' || c == 'O' || demangle_is_qualifier(c);
}

void demangle_read_type(demangle_reader *r) {
    const char *const first = r->at;
    const uint8_t was_return = r->has_return, special = r->is_special;
    char marks[MOST_MARKS];
    uint32_t count = 0;
    if (!demangle_may_go_on(r)) {
        return;
    }
    r->depth++;
    while (is_mark(demangle_peek(r)) && count < MOST_MARKS) {
        marks[count++] = *r->at++;
    }
    const char *const base = r->at;
    const int wraps = demangle_peek(r) == 'F' || demangle_peek(r) == 'A';
    if (read_base(r, marks, count)) {
        demangle_keep(r, KEPT_TYPE, base);
    }
    const char last = demangle_last_put(r);
    if (!wraps && count && (last == ']' || last == ')')) {
        demangle_fail(r); /* a name for an array or a function: its marks would go inside of it */
    } else if (!wraps) {
        put_marks(r, marks, count);
    }
    for (uint32_t i = count; i-- > 0;) { /* qualifiers beside each other are one */
        if (!(demangle_is_qualifier(marks[i]) && i && demangle_is_qualifier(marks[i - 1]))) {
            demangle_keep(r, KEPT_TYPE, first + i);
        }
    }
    r->depth--;
    r->has_return = was_return;
    r->is_special = special;
}
// NOLINTEND(misc-no-recursion)
