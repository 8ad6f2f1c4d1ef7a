/* SPDX-License-Identifier: Apache-2.0
 *
 * Text and letters of the demangler.
 */
#include "demangle_reader.h"
#include "tma/detail/chars.h"

#include <string.h>

#define MOST_DEPTH 64     /* of types inside types */
#define MOST_STEPS 100000 /* references to references double what is read */

void demangle_fail(demangle_reader *r) {
    r->failed = 1;
    r->at = r->end;
}

void demangle_put(demangle_reader *r, const char *text, size_t length) {
    if (r->length + length > r->room) {
        demangle_fail(r);
        return;
    }
    memcpy(r->text + r->length, text, length);
    r->length += length;
}

void demangle_say(demangle_reader *r, const char *text) {
    demangle_put(r, text, text_length(text));
}

char demangle_last_put(const demangle_reader *r) {
    return r->length ? r->text[r->length - 1] : 0;
}

char demangle_peek(const demangle_reader *r) {
    return r->at < r->end ? *r->at : 0;
}

char demangle_peek_second(const demangle_reader *r) {
    return r->end - r->at > 1 ? r->at[1] : 0;
}

int demangle_take(demangle_reader *r, char c) {
    const int is_there = demangle_peek(r) == c;
    r->at += is_there;
    return is_there;
}

int demangle_take_two(demangle_reader *r, char a, char b) {
    const int is_there = demangle_peek(r) == a && demangle_peek_second(r) == b;
    r->at += is_there ? 2 : 0;
    return is_there;
}

int demangle_is_digit(char c) {
    return c >= '0' && c <= '9';
}

int demangle_is_qualifier(char c) {
    return c == 'K' || c == 'V' || c == 'r';
}

void demangle_must(demangle_reader *r, char c) {
    if (!demangle_take(r, c)) {
        demangle_fail(r);
    }
}

int demangle_may_go_on(demangle_reader *r) {
    if (r->failed || ++r->steps > MOST_STEPS || r->depth >= MOST_DEPTH) {
        demangle_fail(r);
        return 0;
    }
    return 1;
}

size_t demangle_read_number(demangle_reader *r) {
    size_t number = 0;
    while (demangle_is_digit(demangle_peek(r)) && number < 100000) {
        number = 10 * number + (size_t)(*r->at++ - '0');
    }
    return number;
}
