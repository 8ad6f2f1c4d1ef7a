/* SPDX-License-Identifier: Apache-2.0
 *
 * Links to the page: the text behind "#v1/".
 */
#include "tma/detail/chars.h"
#include "tma/grammar.h"

/* What stands for itself in a fragment: as encodeURIComponent() in JavaScript has it, and commas,
 * colons and signs of equality. */
static int stands_for_itself(char c) {
    static const char marks[] = "-_.!~*'(),:=";
    int is_mark = 0;
    for (size_t i = 0; i < sizeof(marks) - 1; i++) {
        is_mark |= c == marks[i];
    }
    return is_mark || text_is_letter(c) || text_is_digit(c);
}

void tma_put_page_link(tma_out *out, const char *text, size_t length) {
    tma_put(out, "#v1/");
    for (size_t i = 0; i < length; i++) {
        if (stands_for_itself(text[i])) {
            tma_put_bytes(out, text + i, 1);
        } else if (text[i] == ' ') {
            tma_put(out, "+");
        } else {
            const char escaped[3] = {'%', "0123456789ABCDEF"[(uint8_t)text[i] >> 4],
                                     "0123456789ABCDEF"[(uint8_t)text[i] & 15]};
            tma_put_bytes(out, escaped, 3);
        }
    }
}
