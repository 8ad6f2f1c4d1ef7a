/* SPDX-License-Identifier: Apache-2.0
 *
 * Which names are near to a word: a slip of the keyboard, or a part of them.
 */
#include "nearest.h"

#include "tma/detail/assert.h"
#include "tma/detail/chars.h"

#define MOST_NEAR    3
#define MOST_LISTED  16
#define MOST_COUNTED 64
#define LONGEST      64

static char folded(char c) {
    return c == '-' ? '_' : text_lower(c);
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Edits from one short word to another: a character more, less, other, or two exchanged. Long words
 * are never near. */
static size_t distance(const char *a, const char *b) {
    size_t rows[3][LONGEST];
    const size_t columns = text_length(b);
    if (columns >= LONGEST || text_length(a) >= LONGEST) {
        return SIZE_MAX;
    }
    for (size_t j = 0; j <= columns; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; a[i - 1]; i++) {
        const size_t *two_up = rows[(i + 1) % 3];
        const size_t *up = rows[(i - 1) % 3];
        size_t *row = rows[i % 3];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            const int same = folded(a[i - 1]) == folded(b[j - 1]);
            row[j] = least(up[j - 1] + !same, least(up[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                folded(a[i - 2]) == folded(b[j - 1])) {
                row[j] = least(row[j], two_up[j - 2] + 1);
            }
        }
    }
    return rows[text_length(a) % 3][columns];
}

static int is_part(const char *part, const char *whole) {
    for (; *part && *whole; whole++) {
        size_t n = 0;
        while (part[n] && folded(part[n]) == folded(whole[n])) {
            n++;
        }
        if (!part[n]) {
            return 1;
        }
    }
    return 0;
}

typedef struct near_names {
    const char *name[MOST_NEAR];
    size_t far[MOST_NEAR];
    size_t count;
} near_names;

/* In order of their distance, the first ones where that is the same. */
static void keep(near_names *found, const char *name, size_t far) {
    TMA_ASSERT(found->count <= MOST_NEAR);
    for (size_t i = 0; i < found->count; i++) {
        if (text_same(found->name[i], name)) { /* fields of several kinds of map */
            return;
        }
    }
    for (size_t i = 0; i < found->count; i++) {
        if (far < found->far[i]) { /* it takes this place, and what was here looks for another */
            const char *const other = found->name[i];
            const size_t other_far = found->far[i];
            found->name[i] = name;
            found->far[i] = far;
            name = other;
            far = other_far;
        }
    }
    if (found->count < MOST_NEAR) {
        found->name[found->count] = name;
        found->far[found->count++] = far;
    }
}

static void look(near_names *found, const char *text, tma_name_at names) {
    const size_t length = text_length(text);
    const size_t slips = length < 6 ? 1 : length < 9 ? 2 : 3;
    for (size_t i = 0; length && names(i); i++) {
        const size_t far = distance(text, names(i));
        if (far <= slips) {
            keep(found, names(i), far);
        } else if (length > 2 && is_part(text, names(i))) {
            keep(found, names(i), slips + 1);
        }
    }
}

static void list(tma_error *error, tma_name_at names, const char *behind) {
    size_t count = 0;
    while (names(count)) {
        count++;
    }
    if (count > MOST_COUNTED) {
        tma_fail_more(error, ", and no name is near to it");
        return;
    }
    for (size_t i = 0; i < count && i < MOST_LISTED; i++) {
        tma_fail_more(error, "%s%s", i ? ", " : ": one of ", names(i));
    }
    if (count > MOST_LISTED) {
        tma_fail_more(error, ", ... (%zu in all)", count);
    }
    tma_fail_more(error, "%s", behind);
}

int tma_fail_near(tma_error *error, const char *text, const char *what, tma_name_at names,
                  tma_name_at others, const char *behind) {
    near_names found = {.count = 0};
    look(&found, text, names);
    if (others) {
        look(&found, text, others);
    }
    tma_fail(error, "unknown %s '%.80s'", what, text);
    for (size_t i = 0; i < found.count; i++) {
        tma_fail_more(error, "%s%s",
                      !i                    ? ": "
                      : i + 1 < found.count ? ", "
                                            : " or ",
                      found.name[i]);
    }
    if (found.count) {
        return tma_fail_more(error, "?");
    }
    list(error, names, behind);
    return -1;
}

int tma_fail_name(tma_error *error, const char *text, const char *what, tma_name_at names) {
    return tma_fail_near(error, text, what, names, NULL, "");
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
