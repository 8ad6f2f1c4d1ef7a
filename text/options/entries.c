/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists with commas.
 */
#include "entries.h"

#include "tma/detail/assert.h"
#include "tma/detail/chars.h"

int text_entries(void *out, uint32_t *count, uint32_t most, const char *text, const char *what,
                 text_entry read, tma_error *error) {
    size_t left = text_length(text);
    TMA_ASSERT(most > 0);
    if (*count) {
        return tma_fail(error, "%s is given twice", what);
    }
    for (;;) {
        char name[48];
        const size_t length = text_until(text, left, ',');
        tma_out to = tma_out_into(name, sizeof(name));
        tma_putf(&to, "%s[%u]", what, *count);
        if (*count == most) {
            return tma_fail(error, "%s has more than %u entries", what, most);
        }
        if (read(out, *count, text, length, name, error)) {
            return -1;
        }
        ++*count;
        if (length == left) {
            return 0;
        }
        text += length + 1;
        left -= length + 1;
    }
}
