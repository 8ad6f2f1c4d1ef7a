/* SPDX-License-Identifier: Apache-2.0
 *
 * Building text in a caller's buffer, with nothing but this header: snprintf's contract, no libc.
 */
#ifndef TMA_PUT_H
#define TMA_PUT_H

#include <stddef.h>
#include <stdint.h>

#ifndef TMA_TEXT_FUNCTION
#define TMA_TEXT_FUNCTION static inline
#endif

typedef struct tma_text {
    char *at;
    size_t size;
    size_t length; /* of the whole text, whether it fits or not */
} tma_text;

TMA_TEXT_FUNCTION void tma_put_char(tma_text *text, char c) {
    if (text->length + 1 < text->size) {
        text->at[text->length] = c;
        text->at[text->length + 1] = 0;
    }
    text->length++;
}

TMA_TEXT_FUNCTION void tma_put_word(tma_text *text, const char *word) {
    while (*word) {
        tma_put_char(text, *word++);
    }
}

TMA_TEXT_FUNCTION void tma_put_base(tma_text *text, uint64_t number, unsigned base) {
    char digits[20];
    int n = 0;
    do {
        digits[n++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number);
    while (n) {
        tma_put_char(text, digits[--n]);
    }
}

TMA_TEXT_FUNCTION void tma_put_u64(tma_text *text, uint64_t number) {
    tma_put_base(text, number, 10);
}

TMA_TEXT_FUNCTION void tma_put_hex(tma_text *text, uint64_t number) {
    tma_put_word(text, "0x");
    tma_put_base(text, number, 16);
}

TMA_TEXT_FUNCTION void tma_put_i64(tma_text *text, int64_t number) {
    if (number < 0) {
        tma_put_char(text, '-');
    }
    tma_put_u64(text, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

TMA_TEXT_FUNCTION tma_text tma_text_in(char *at, size_t size) {
    tma_text text = {at, at ? size : 0, 0};
    if (text.size) {
        at[0] = 0;
    }
    return text;
}

#endif
