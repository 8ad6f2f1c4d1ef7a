/* SPDX-License-Identifier: Apache-2.0
 *
 * Names: found, or the right ones listed.
 */
#include "machines.h"
#include "strings.h"
#include "tma/grammar.h"
#include "tma/synonyms.h"

#define NEAR 3 /* edits up to which a name counts as meant */

/* Edit distance of two short words; long ones are never near. */
static size_t distance(const char *a, const char *b) {
    size_t row[64];
    const size_t columns = text_length(b);
    if (columns >= sizeof(row) / sizeof(row[0]) || text_length(a) >= 256) {
        return SIZE_MAX;
    }
    for (size_t j = 0; j <= columns; j++) {
        row[j] = j;
    }
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            const size_t shorter = row[j] < row[j - 1] ? row[j] : row[j - 1];
            diagonal = row[j];
            row[j] = replaced < shorter + 1 ? replaced : shorter + 1;
        }
    }
    return row[columns];
}

static size_t nearest(const char *text, tma_name_at names) {
    size_t best = SIZE_MAX;
    size_t least = NEAR + 1;
    for (size_t i = 0; names(i); i++) {
        const size_t far = distance(text, names(i));
        if (far < least) {
            least = far;
            best = i;
        }
    }
    return best;
}

int tma_fail_name(tma_error *error, const char *text, const char *what, tma_name_at names) {
    const size_t first = nearest(text, names);
    tma_fail(error, "unknown %s '%.80s'", what, text);
    if (first != SIZE_MAX) {
        tma_fail_more(error, " (%s?)", names(first));
    }
    for (size_t i = 0; names(i); i++) {
        tma_fail_more(error, "%s%s", i ? ", " : ": one of ", names(i));
    }
    return -1;
}

int tma_read_name(size_t *out, const char *text, const char *what, tma_name_at names,
                  tma_error *error) {
    for (size_t i = 0; names(i); i++) {
        if (text_same(text, names(i))) {
            *out = i;
            return 0;
        }
    }
    return tma_fail_name(error, text, what, names);
}

static const char *row_name(tma_enum_kind kind, size_t i) {
    const size_t count = tma_enum_count(kind);
    return i < count ? tma_enum_at(kind, i)->name : NULL;
}

/* tma_name_at has no context: one function a kind. */
#define NAMES_OF(kind)                                                                             \
    static const char *names_##kind(size_t i) {                                                    \
        return row_name(TMA_ENUM_##kind, i);                                                       \
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

int tma_read_enum(uint32_t *out, tma_enum_kind kind, const char *text, const char *what,
                  tma_error *error) {
    const tma_enum_row *row = tma_enum_synonym(kind, text, text_length(text));
    uint64_t number = 0;
    if (row) {
        *out = (uint32_t)row->driver;
        return 0;
    }
    const tma_number status = tma_number_of(&number, text, text_length(text));
    if (kind == TMA_ENUM_API && (status != TMA_NUMBER_OK || number > TMA_API_WIDE)) {
        return tma_fail_name(error, text, what, names_API); /* which has no numbers but ours */
    }
    if (status == TMA_NUMBER_MALFORMED) {
        tma_fail_name(error, text, what, enum_names[kind]);
        return tma_fail_more(error, ", or the driver's number");
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
        tma_fail_name(error, text, what, names_arch);
        return tma_fail_more(error, ", or a GPU such as H100, B200, RTX 5090");
    }
    out->sm = row->sm;
    out->suffix = row->suffix;
    return 0;
}
