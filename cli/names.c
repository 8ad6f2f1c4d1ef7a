/* SPDX-License-Identifier: Apache-2.0
 *
 * Names.
 */
#include "names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "number.h"

#define NEAR 3 /* edits up to which a name counts as meant */

/* Edit distance of two short words; long ones are never near. */
static size_t distance(const char *a, const char *b) {
    size_t row[64];
    const size_t columns = strlen(b);
    if (columns >= sizeof(row) / sizeof(row[0]) || strlen(a) >= 256) {
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

static size_t nearest(const char *text, name_at names) {
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

int name_unknown(const char *text, const char *what, name_at names, cli_error *error) {
    const size_t first = nearest(text, names);
    cli_fail(error, "unknown %s '%.80s'", what, text);
    if (first != SIZE_MAX) {
        cli_add(error, " (%s?)", names(first));
    }
    for (size_t i = 0; names(i); i++) {
        cli_add(error, "%s%s", i ? ", " : ": one of ", names(i));
    }
    return -1;
}

static const char *row_name(tma_enum_kind kind, size_t i) {
    size_t count = 0;
    const tma_enum_row *rows = tma_enum_rows(kind, &count);
    return i < count ? rows[i].name : NULL;
}

/* name_at has no context: one function a kind. */
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

static const name_at enum_names[TMA_ENUM_KINDS] = {names_API,     names_DTYPE,     names_INTERLEAVE,
                                                   names_SWIZZLE, names_ATOMICITY, names_L2,
                                                   names_FILL,    names_WIDE_MODE};

int name_enum(tma_enum_kind kind, const char *text, const char *what, uint32_t *out,
              cli_error *error) {
    const tma_enum_row *row = tma_enum_find(kind, text);
    uint64_t number = 0;
    if (row) {
        *out = (uint32_t)row->driver;
        return 0;
    }
    switch (number_digits(text, strlen(text), &number)) {
    case NUMBER_MALFORMED:
        name_unknown(text, what, enum_names[kind], error);
        if (kind != TMA_ENUM_API) { /* which has no numbers but ours */
            cli_add(error, ", or the driver's number");
        }
        return -1;
    case NUMBER_OK:
        if (number <= UINT32_MAX && (kind != TMA_ENUM_API || number <= TMA_API_WIDE)) {
            *out = (uint32_t)number;
            return 0;
        }
        break;
    default:
        break;
    }
    return kind == TMA_ENUM_API ? name_unknown(text, what, names_API, error)
                                : cli_fail(error, "%s: %.80s does not fit in 32 bits", what, text);
}

static const char *names_arch(size_t i) {
    size_t count = 0;
    const tma_arch_row *rows = tma_arch_rows(&count);
    return i < count ? rows[i].name : NULL;
}

int name_arch(const char *text, const char *what, tma_target *out, cli_error *error) {
    const tma_arch_row *row = tma_arch_find(text);
    if (!row) {
        return name_unknown(text, what, names_arch, error);
    }
    out->sm = row->sm;
    out->suffix = row->suffix;
    return 0;
}

const char *name_of(tma_enum_kind kind, uint32_t number, char buffer[16]) {
    const tma_enum_row *row = tma_enum_row_of(kind, number);
    if (row) {
        return row->name;
    }
    snprintf(buffer, 16, "%" PRIu32, number);
    return buffer;
}
