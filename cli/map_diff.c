/* SPDX-License-Identifier: Apache-2.0
 *
 * Differences of two maps.
 */
#include "map_diff.h"

#include <inttypes.h>
#include <string.h>

#include "field_view.h"

static void value_in(const tma_field_row *row, const judged *j, char text[64]) {
    if (tma_field_applies(row, &j->decoded)) {
        field_value(row, &j->decoded, &j->map, text, 64);
    } else {
        snprintf(text, 64, "-");
    }
}

/* Fields of the same bits may have other names in the other kind of map: both are shown then. */
static int differs(const tma_field_row *row, const judged *a, const judged *b) {
    const int in_a = tma_field_applies(row, &a->decoded);
    const int in_b = tma_field_applies(row, &b->decoded);
    if (in_a && in_b) {
        return tma_field_read(row, a->map.bytes) != tma_field_read(row, b->map.bytes);
    }
    return (in_a && field_is_shown(row, &a->decoded, &a->map)) ||
           (in_b && field_is_shown(row, &b->decoded, &b->map));
}

size_t map_diff(const judged *a, const judged *b, difference out[MAP_MOST_DIFFERENCES]) {
    size_t rows_count = 0;
    size_t count = 0;
    uint32_t in_a[TMA_MAP_WORDS];
    uint32_t in_b[TMA_MAP_WORDS];
    const tma_field_row *rows = tma_field_rows(&rows_count);
    for (size_t i = 0; i < rows_count && count < MAP_MOST_DIFFERENCES; i++) {
        if (differs(&rows[i], a, b)) {
            difference *d = &out[count++];
            snprintf(d->name, sizeof(d->name), "%s", rows[i].name);
            value_in(&rows[i], a, d->a);
            value_in(&rows[i], b, d->b);
        }
    }
    tma_unowned(in_a, a->map.bytes);
    tma_unowned(in_b, b->map.bytes);
    for (uint32_t i = 0; i < TMA_MAP_WORDS && count < MAP_MOST_DIFFERENCES; i++) {
        if (in_a[i] != in_b[i]) {
            difference *d = &out[count++];
            snprintf(d->name, sizeof(d->name), "word %" PRIu32 ", no field", i);
            snprintf(d->a, sizeof(d->a), "0x%08" PRIx32, in_a[i]);
            snprintf(d->b, sizeof(d->b), "0x%08" PRIx32, in_b[i]);
        }
    }
    return count;
}
