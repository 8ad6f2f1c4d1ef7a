/* SPDX-License-Identifier: Apache-2.0
 *
 * What a text has beside the map that was read of it, and the answer is not about.
 */
#include "ask_text.h"

#include "tma/detail/chars.h"
#include "tma/dump.h"

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *option_name(const char *word, size_t length) {
    for (size_t i = 0; ask_option_name(i); i++) {
        if (text_is(word, length, ask_option_name(i))) {
            return ask_option_name(i);
        }
    }
    return text_is(word, length, "map") ? "map" : NULL;
}

/* The first option of the command in a text, by its name; null where none is. */
static const char *first_option(const char *text, size_t length) {
    for (size_t at = 0; at + 2 < length; at++) {
        if ((at && !is_blank(text[at - 1])) || text[at] != '-' || text[at + 1] != '-') {
            continue;
        }
        const size_t begin = at + 2;
        size_t end = begin;
        while (end < length && !is_blank(text[end]) && text[end] != '=') {
            end++;
        }
        const char *name = option_name(text + begin, end - begin);
        if (name) {
            return name;
        }
    }
    return NULL;
}

static int has_case_line(const char *text, size_t length) {
    for (size_t at = 0; at < length; at += text_until(text + at, length - at, '\n') + 1) {
        if (length - at > 4 && text_equal(text + at, "enc ", 4)) {
            return 1;
        }
    }
    return 0;
}

static const char *next(const tma_error *beside) {
    return *beside->text ? "; " : "";
}

void ask_note_beside(ask_text *request, const char *text, size_t length, const char *how,
                     size_t calls) {
    tma_error *const beside = &request->beside;
    tma_dump_found found;
    tma_dump_cursor from = {0, 0};
    const char *option = first_option(text, length);
    tma_fail_more(beside, "%s", how);
    if (calls > ASK_FOUND) {
        tma_fail_more(beside, "the first %d of %zu calls are read", ASK_FOUND, calls);
    }
    if (request->from == FROM_PASTE && tma_dump_next(&found, text, length, &from, length)) {
        tma_fail_more(beside, "%sa map's 128 bytes are not read, as there is a call", next(beside));
    }
    if (has_case_line(text, length)) {
        tma_fail_more(beside, "%sa case line is not read: it stands alone", next(beside));
    }
    if (option) {
        tma_fail_more(beside,
                      "%s--%s is not read: an option belongs after another one "
                      "(--map HEX, --dtype bf16)",
                      next(beside), option);
    }
}
