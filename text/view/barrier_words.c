/* SPDX-License-Identifier: Apache-2.0
 *
 * An mbarrier's word as a person reads it.
 */
#include "tma/detail/chars.h"
#include "tma/view.h"

#define MOST_LENGTH 18 /* 0x and 16 digits */

bool tma_read_barrier_word(uint64_t *word, const char *text) {
    size_t length = 0;
    while (text && length <= MOST_LENGTH && text[length]) {
        length++;
    }
    return word && length > 2 && length <= MOST_LENGTH && text[0] == '0' &&
           (text[1] | 0x20) == 'x' && tma_number_of(word, text, length) == TMA_NUMBER_OK;
}

void tma_put_barrier_missing(tma_out *out, const tma_barrier *b) {
    if (!b) {
        return;
    }
    const uint32_t arrivals = b->arrivals_missing;
    const int64_t bytes = b->bytes_missing_B;
    if (bytes > 0) {
        tma_putf(out, "%lld B missing and ", (long long)bytes);
    }
    if (arrivals == 0) {
        tma_put(out, "no arrival");
        tma_put(out, bytes > 0 ? "" : " missing");
    } else if (b->count == 1) {
        tma_put(out, bytes > 0 ? "its arrival" : "its arrival missing");
    } else if (!b->count) {
        tma_putf(out, "%u arrival%s%s", (unsigned)arrivals, text_plural(arrivals),
                 bytes > 0 ? "" : " missing");
    } else {
        tma_putf(out, "%u of %u arrival%s%s", (unsigned)arrivals, (unsigned)b->count,
                 text_plural(b->count), bytes > 0 ? "" : " missing");
    }
    if (bytes < 0) {
        tma_putf(out, " and %lld B more than expected", (long long)-bytes);
    } else if (bytes == 0) {
        tma_put(out, ", no bytes");
    }
}
