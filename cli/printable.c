/* SPDX-License-Identifier: Apache-2.0
 *
 * Printable text.
 */
#include "printable.h"

#include <string.h>

/* Bytes of the UTF-8 character at `text`, 0 if there is none that a terminal may be given: those of
 * U+0080 to U+009F are control characters too. */
static size_t character(const unsigned char *text, size_t left) {
    const size_t length = text[0] < 0x80    ? 1
                          : text[0] < 0xC2  ? 0
                          : text[0] < 0xE0  ? 2
                          : text[0] < 0xF0  ? 3
                          : text[0] <= 0xF4 ? 4
                                            : 0;
    if (length == 0 || length > left || text[0] < ' ' || text[0] == 0x7F ||
        (text[0] == 0xC2 && text[1] < 0xA0)) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return length;
}

/* One character into `piece`; returns how many bytes of text it took. */
static size_t next_piece(const char *text, size_t left, char piece[8]) {
    const size_t length = character((const unsigned char *)text, left);
    if (length) {
        memcpy(piece, text, length);
        piece[length] = 0;
        return length;
    }
    snprintf(piece, 8, "\\x%02x", (unsigned)(unsigned char)*text);
    return 1;
}

void printable_part(FILE *out, const char *text, size_t size) {
    for (size_t i = 0; i < size;) {
        char piece[8];
        i += next_piece(text + i, size - i, piece);
        fputs(piece, out);
    }
}

void printable(FILE *out, const char *text) {
    printable_part(out, text, strlen(text));
}

safe_text printable_text_part(const char *text, size_t size) {
    safe_text safe = {{0}};
    size_t used = 0;
    for (size_t i = 0; i < size;) {
        char piece[8];
        i += next_piece(text + i, size - i, piece);
        if (used + strlen(piece) >= sizeof(safe.text)) {
            break;
        }
        memcpy(safe.text + used, piece, strlen(piece));
        used += strlen(piece);
    }
    return safe;
}

safe_text printable_text(const char *text) {
    return printable_text_part(text, strlen(text));
}
