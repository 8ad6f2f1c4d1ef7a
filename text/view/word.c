/* SPDX-License-Identifier: Apache-2.0
 *
 * What a word of 64 bits can be, alone and in a text.
 */
#include "tma/word.h"

#include "tma/barrier.h"
#include "tma/detail/chars.h"
#include "tma/limits.def"
#include "tma/mma_text.h"
#include "tma/view.h"

#define MOST_COUNT   1024 /* threads of a CTA */
#define MOST_B       TMA_VALUE(SHARED)
#define LEAST_DIGITS 9 /* a word of 32 bits has 8 */
#define MOST_DIGITS  16

#define BIT(kind) (UINT32_C(1) << (kind))

static uint32_t family_of(uint32_t kind) {
    return kind == TMA_WORD_TCGEN05 ? TMA_MMA_TCGEN05 : TMA_MMA_WGMMA;
}

/* Without a word that names it: all arrivals there and more bytes than expected is an error's
 * state, and any number's. */
static int is_barrier(uint64_t word) {
    tma_barrier b;
    tma_barrier_read(&b, word);
    return tma_barrier_is_likely(word) && !b.error && b.count <= MOST_COUNT &&
           b.bytes_missing_B <= (int32_t)MOST_B &&
           b.bytes_missing_B >= (b.arrivals_missing ? -(int32_t)MOST_B : 0);
}

static int is_descriptor(uint64_t word, uint32_t kind, int needs_swizzle) {
    const uint32_t wrong =
        BIT(TMA_MMA_RULE_SWIZZLE_CODE) | BIT(TMA_MMA_RULE_VERSION) | BIT(TMA_MMA_RULE_UNOWNED);
    tma_mma_descriptor d;
    return !(tma_mma_judge(family_of(kind), word, NULL) & wrong) &&
           tma_mma_decode(&d, family_of(kind), word) == TMA_OK && d.start_B < MOST_B &&
           d.leading_B < MOST_B && d.stride_B < MOST_B && (d.leading_B || d.stride_B) &&
           (d.swizzle || !needs_swizzle);
}

static uint32_t descriptors(uint64_t word, int need_swizzle) {
    return (is_descriptor(word, TMA_WORD_WGMMA, need_swizzle) ? BIT(TMA_WORD_WGMMA) : 0) |
           (is_descriptor(word, TMA_WORD_TCGEN05, need_swizzle) ? BIT(TMA_WORD_TCGEN05) : 0);
}

uint32_t tma_word_kinds(uint64_t word) {
    return (is_barrier(word) ? BIT(TMA_WORD_BARRIER) : 0) | descriptors(word, 1);
}

static int holds(const char *text, size_t size, const char *word) {
    for (size_t at = 0; at < size; at++) {
        size_t i = 0;
        while (word[i] && at + i < size && text_lower(text[at + i]) == word[i]) {
            i++;
        }
        if (!word[i]) {
            return 1;
        }
    }
    return 0;
}

uint32_t tma_word_kinds_near(uint64_t word, const char *text, size_t size) {
    const int barrier = text && (holds(text, size, "barrier") || holds(text, size, "mbar"));
    const int is_map =
        text && (holds(text, size, "map") || holds(text, size, "addr") || holds(text, size, "ptr"));
    const int descriptor = text && !is_map && holds(text, size, "desc");
    if (barrier == descriptor) {
        return tma_word_kinds(word);
    }
    return descriptor                    ? descriptors(word, 0)
           : tma_barrier_is_likely(word) ? BIT(TMA_WORD_BARRIER)
                                         : 0;
}

/* The constant at the front, and how long it is: 0 where there is none. C's ULL ends it too. */
static size_t take(uint64_t *word, const char *text, size_t size) {
    size_t at = 2;
    if (size < 2 || text[0] != '0' || text_lower(text[1]) != 'x') {
        return 0;
    }
    *word = 0;
    while (at < size && text_digit(text[at]) >= 0) {
        *word = *word << 4 | (uint64_t)text_digit(text[at++]);
    }
    const size_t digits = at - 2;
    while (at < size && at < digits + 5 &&
           (text_lower(text[at]) == 'u' || text_lower(text[at]) == 'l')) {
        at++;
    }
    const int ends = at == size || !text_is_word(text[at]);
    return digits >= LEAST_DIGITS && digits <= MOST_DIGITS && ends ? at : 0;
}

static size_t read_line(const char *text, size_t size, size_t line, tma_word_visit visit,
                        void *context) {
    size_t count = 0;
    for (size_t at = 0; at < size; at++) {
        if (text[at] != '0' || (at && text_is_word(text[at - 1]))) {
            continue;
        }
        tma_word found = {0, line, 0};
        const size_t length = take(&found.word, text + at, size - at);
        if (length) {
            found.kinds = tma_word_kinds_near(found.word, text, size);
            at += length - 1;
        }
        if (found.kinds) {
            count++;
            visit(context, &found);
        }
    }
    return count;
}

size_t tma_word_read(const char *text, size_t size, tma_word_visit visit, void *context) {
    size_t count = 0;
    size_t line = 1;
    for (size_t at = 0; text && visit && at < size; line++) {
        size_t end = at;
        while (end < size && text[end] != '\n') {
            end++;
        }
        count += read_line(text + at, end - at, line, visit, context);
        at = end + 1;
    }
    return count;
}

const char *tma_word_kind_name(uint32_t kind) {
    static const char *const names[] = {"an mbarrier's word",
                                        "a matrix descriptor of wgmma (sm_90a)",
                                        "a matrix descriptor of tcgen05 (sm_100a and its family)"};
    return kind < TMA_WORD_KINDS ? names[kind] : "";
}

static void put_barrier(tma_out *out, uint64_t word) {
    tma_barrier b;
    tma_barrier_read(&b, word);
    tma_put_barrier_missing(out, &b);
    tma_putf(out,
             "; phase parity %u is open: a wait for parity %u waits, one for parity %u does not%s",
             (unsigned)b.parity, (unsigned)b.parity, (unsigned)(b.parity ^ 1),
             b.error ? "; an operation on it was an error" : "");
}

void tma_word_put(tma_out *out, uint64_t word, uint32_t kind) {
    tma_mma_descriptor d;
    if (kind == TMA_WORD_BARRIER) {
        put_barrier(out, word);
    } else if (kind < TMA_WORD_KINDS && tma_mma_decode(&d, family_of(kind), word) == TMA_OK) {
        tma_put_mma_descriptor(out, &d);
    }
}
