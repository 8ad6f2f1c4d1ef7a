/* SPDX-License-Identifier: Apache-2.0
 *
 * Differences of two maps.
 */
#include <string.h>

#include "tma/view.h"

typedef struct side {
    const uint8_t *map;
    tma_decoded decoded;
    uint32_t unowned[TMA_MAP_WORDS];
} side;

static void value_in(const tma_field_row *row, const side *s, char text[40]) {
    tma_out out = tma_out_into(text, 40);
    if (tma_field_applies(row, &s->decoded)) {
        tma_put_field(&out, row, &s->decoded, s->map);
    } else {
        tma_put(&out, "-");
    }
}

/* Fields of the same bits may have other names in the other kind of map: both are shown then. */
static int differs(const tma_field_row *row, const side *a, const side *b) {
    const int in_a = tma_field_applies(row, &a->decoded);
    const int in_b = tma_field_applies(row, &b->decoded);
    if (in_a && in_b) {
        return tma_field_read(row, a->map) != tma_field_read(row, b->map);
    }
    return (in_a && tma_field_is_shown(row, &a->decoded, a->map)) ||
           (in_b && tma_field_is_shown(row, &b->decoded, b->map));
}

static side side_of(const uint8_t *map) {
    side s;
    s.map = map;
    if (tma_decode(&s.decoded, map) != TMA_OK) { /* a null pointer */
        memset(&s, 0, sizeof(s));
    }
    tma_unowned(s.unowned, map);
    return s;
}

static tma_out begin(tma_difference *d, const tma_field_row *row) {
    d->row = row;
    return tma_out_into(d->name, sizeof(d->name));
}

static void put_word(char text[40], uint32_t word) {
    tma_out out = tma_out_into(text, 40);
    tma_putf(&out, "0x%08x", word);
}

size_t tma_diff(tma_difference out[TMA_DIFFERENCES], const uint8_t *a, const uint8_t *b) {
    const side left = side_of(a);
    const side right = side_of(b);
    size_t count = 0;
    const size_t rows_count = tma_field_count();
    for (size_t i = 0; i < rows_count && count < TMA_DIFFERENCES; i++) {
        if (differs(tma_field_at(i), &left, &right)) {
            tma_difference *d = &out[count++];
            tma_out name = begin(d, tma_field_at(i));
            tma_put(&name, tma_field_at(i)->name);
            value_in(tma_field_at(i), &left, d->a);
            value_in(tma_field_at(i), &right, d->b);
        }
    }
    for (uint32_t i = 0; i < TMA_MAP_WORDS && count < TMA_DIFFERENCES; i++) {
        if (left.unowned[i] != right.unowned[i]) {
            tma_difference *d = &out[count++];
            tma_out name = begin(d, NULL);
            tma_putf(&name, "word %u, no field", i);
            put_word(d->a, left.unowned[i]);
            put_word(d->b, right.unowned[i]);
        }
    }
    return count;
}
