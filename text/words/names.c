/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of enumerations and targets: found, or near ones said.
 */
#include "machines.h"
#include "nearest.h"
#include "synonym_words.h"
#include "tma/detail/chars.h"
#include "tma/grammar.h"
#include "tma/synonyms.h"

static const char *row_name(tma_enum_kind kind, size_t i) {
    const size_t count = tma_enum_count(kind);
    return i < count ? tma_enum_at(kind, i)->name : NULL;
}

/* tma_name_at has no context: two functions a kind. */
#define NAMES_OF(kind)                                                                             \
    static const char *names_##kind(size_t i) {                                                    \
        return row_name(TMA_ENUM_##kind, i);                                                       \
    }                                                                                              \
    static const char *words_##kind(size_t i) {                                                    \
        return tma_synonym_word(TMA_ENUM_##kind, i);                                               \
    }
NAMES_OF(API)
NAMES_OF(DTYPE)
NAMES_OF(INTERLEAVE)
NAMES_OF(SWIZZLE)
NAMES_OF(ATOMICITY)
NAMES_OF(L2)
NAMES_OF(FILL)
NAMES_OF(WIDE_MODE)
NAMES_OF(CLASS)

static const tma_name_at enum_names[TMA_ENUM_KINDS] = {
    names_API, names_DTYPE, names_INTERLEAVE, names_SWIZZLE, names_ATOMICITY,
    names_L2,  names_FILL,  names_WIDE_MODE,  names_CLASS};

static const tma_name_at enum_words[TMA_ENUM_KINDS] = {
    words_API, words_DTYPE, words_INTERLEAVE, words_SWIZZLE, words_ATOMICITY,
    words_L2,  words_FILL,  words_WIDE_MODE,  words_CLASS};

/* A word such as fp4 that stands for types of several storages. */
static int fail_storages(const tma_enum_row *row, const char *text, const char *what,
                         tma_error *error) {
    char words[128];
    uint32_t count = 0;
    const uint32_t bits = tma_dtype_bits((uint32_t)row->driver);
    tma_out out = tma_out_into(words, sizeof(words));
    for (size_t i = 0; row_name(TMA_ENUM_DTYPE, i); i++) {
        if (tma_dtype_bits((uint32_t)tma_enum_at(TMA_ENUM_DTYPE, i)->driver) == bits) {
            tma_putf(&out, "%s%s", count++ ? ", " : "", row_name(TMA_ENUM_DTYPE, i));
        }
    }
    return bits % 8 && count > 1
               ? tma_fail(error,
                          "%s: '%.80s' elements have more than one storage in shared memory: say "
                          "which of %s",
                          what, text, words)
               : 0;
}

int tma_read_enum(uint32_t *out, tma_enum_kind kind, const char *text, const char *what,
                  tma_error *error) {
    const tma_enum_row *row = tma_enum_synonym(kind, text, text_length(text));
    uint64_t number = 0;
    if (row && row->driver < 0) {
        return tma_fail(error, "%s: the driver has no number for %s", what, row->name);
    }
    if (row && kind == TMA_ENUM_DTYPE && tma_synonym_is_loose(row, kind, text, text_length(text)) &&
        fail_storages(row, text, what, error)) {
        return -1;
    }
    if (row) {
        *out = (uint32_t)row->driver;
        return 0;
    }
    const tma_number status = tma_number_of(&number, text, text_length(text));
    if (kind == TMA_ENUM_API && (status != TMA_NUMBER_OK || number > TMA_API_WIDE)) {
        return tma_fail_name(error, text, what, names_API); /* which has no numbers but ours */
    }
    if (status == TMA_NUMBER_MALFORMED && kind >= TMA_ENUM_KINDS) {
        return tma_fail(error, "%s: '%.80s' is no number", what, text);
    }
    if (status == TMA_NUMBER_MALFORMED) {
        return tma_fail_near(error, text, what, enum_names[kind], enum_words[kind],
                             ", or the driver's number");
    }
    if (status == TMA_NUMBER_TOO_BIG || number > UINT32_MAX) {
        return tma_fail(error, "%s: %.80s does not fit in 32 bits", what, text);
    }
    *out = (uint32_t)number;
    return 0;
}

void tma_put_enum(tma_out *out, tma_enum_kind kind, uint32_t number) {
    const tma_enum_row *row = tma_enum_row_of(kind, number);
    if (row) {
        tma_put(out, row->name);
    } else {
        tma_putf(out, "%u", number);
    }
}

static const char *names_arch(size_t i) {
    const size_t count = tma_arch_count();
    return i < count ? tma_arch_at(i)->name : NULL;
}

int tma_read_arch(tma_target *out, const char *text, const char *what, tma_error *error) {
    const tma_arch_row *row = tma_arch_find(text);
    const tma_arch_row *first = tma_arch_at(0);
    tma_target target = {.sm = 0};
    const int named = row ? 0 : machine_named(text, &target.sm, &target.suffix);
    if (named) {
        row = tma_arch_of(&target);
        if (!row && target.sm < first->sm) {
            tma_fail(error, "%s: %.80s", what, text);
            if (named > 1) {
                tma_fail_more(error, " (sm_%u)", (unsigned)target.sm);
            }
            return tma_fail_more(error,
                                 " has no TMA: tensor maps need compute capability %u.%u or "
                                 "higher, from %s on",
                                 first->sm / 10u, first->sm % 10u, first->name);
        }
    }
    if (!row) {
        return tma_fail_near(error, text, what, names_arch, NULL,
                             ", or a GPU such as H100, B200, RTX 5090");
    }
    out->sm = row->sm;
    out->suffix = row->suffix;
    return 0;
}
