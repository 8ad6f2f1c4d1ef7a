/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of source text that are types, or do to a value what types do.
 */
#include "source_parts.h"
#include "tma/detail/chars.h"
#include "tma/synonyms.h"

static const char *const modules[] = {
#define MODULE(word) word,
#include "source_types.def"
};

/* What turns a number into a number, or a list into a list. */
static const char *const wrappers[] = {
#define WRAPPER(word) word,
#include "source_types.def"
};

/* (c_|cu)(u)int(8|16|32|64)(_t), u64, i32, UInt64, Int: types of whole numbers. */
int source_is_integer(const char *word, size_t length) {
    static const char *const before[] = {"c_", "cu", "u", "std_"};
    size_t at = 0;
    if (length > 2 && text_is(word + length - 2, 2, "_t")) {
        length -= 2;
    }
    for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
        const size_t n = text_length(before[i]);
        const int is_alone = length == n || text_is_digit(word[n]);
        at +=
            at + n < length && text_equal(word + at, before[i], n) && !(n == 1 && is_alone) ? n : 0;
    }
    const int is_int = at + 3 <= length && text_equal(word + at, "int", 3);
    const int is_short = !is_int && at < length && (word[at] == 'u' || word[at] == 'i');
    const size_t digits = at + (is_int ? 3 : is_short ? 1 : 0);
    const size_t width = length - digits;
    return (is_int && width == 0) ||
           ((is_int || is_short) &&
            (text_is(word + digits, width, "8") || text_is(word + digits, width, "16") ||
             text_is(word + digits, width, "32") || text_is(word + digits, width, "64")));
}

/* Whether a word is a value's own: tensor.dim(0), and not np.array(..), is a number that nobody
 * sees. */
static int is_method(const source_text *s, size_t at) {
    if (at < 2 || s->text[at - 1] != '.') {
        return 0;
    }
    size_t from = at - 1;
    while (from && text_is_word(s->text[from - 1])) {
        from--;
    }
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        if (text_is(s->text + from, at - 1 - from, modules[i])) {
            return 0;
        }
    }
    return 1;
}

int source_is_wrapper(const source_text *s, size_t at, size_t length) {
    char word[32];
    if (length >= sizeof(word)) {
        return 0;
    }
    for (size_t i = 0; i < length; i++) {
        word[i] = text_lower(s->text[at + i]);
    }
    for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++) {
        if (text_is(word, length, wrappers[i])) {
            return !is_method(s, at);
        }
    }
    return source_is_integer(word, length);
}

/* Bits of an element of the type that a path's last word names. */
uint32_t source_type_bits(const source_text *s, size_t at, size_t length) {
    const tma_enum_row *row = tma_enum_synonym(TMA_ENUM_DTYPE, s->text + at, length);
    return row ? tma_dtype_bits((uint32_t)row->driver) : 0;
}

int source_is_module(const source_text *s, const source_token *t) {
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        if (source_is_word(s, t, modules[i])) {
            return 1;
        }
    }
    return 0;
}
