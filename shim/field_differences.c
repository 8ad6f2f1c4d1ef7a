/* SPDX-License-Identifier: Apache-2.0
 *
 * Differences of two maps, by libtma's table of fields.
 */
#include "field_differences.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define VALUE_BYTES 40

static uint32_t word_at(const uint8_t *map, unsigned i) {
    const uint8_t *at = map + (size_t)4 * i;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static const char *value_text(const tma_field_row *row, const uint8_t *map,
                              char text[VALUE_BYTES]) {
    const uint64_t bits = tma_field_read(row, map);
    const uint64_t sign = UINT64_C(1) << (row->width_bit - 1);
    switch (row->form) {
    case TMA_FIELD_MINUS_ONE:
        snprintf(text, VALUE_BYTES, "%" PRIu64, bits + 1);
        break;
    case TMA_FIELD_SIGNED:
        snprintf(text, VALUE_BYTES, "%" PRId64,
                 (int64_t)(bits & (sign - 1)) - (int64_t)(bits & sign));
        break;
    case TMA_FIELD_SHIFT_4:
        snprintf(text, VALUE_BYTES, "%" PRIu64 " x 16 B", bits);
        break;
    default:
        snprintf(text, VALUE_BYTES, row->width_bit > 32 ? "0x%" PRIx64 : "%" PRIu64, bits);
    }
    return text;
}

/* Takes the field's bits out of what is still to be explained. */
static void explained(const tma_field_row *row, uint32_t left[TMA_MAP_WORDS]) {
    if (row->width_bit > 32) {
        left[row->word] = left[row->word + 1] = 0;
    } else {
        left[row->word] &= ~(uint32_t)(((UINT64_C(1) << row->width_bit) - 1) << row->bit);
    }
}

void report_differences(struct report *report, const uint8_t *drivers, const uint8_t *libtmas) {
    uint32_t left[TMA_MAP_WORDS];
    tma_decoded decoded;
    char theirs[VALUE_BYTES];
    char ours[VALUE_BYTES];
    for (unsigned i = 0; i < TMA_MAP_WORDS; i++) {
        left[i] = word_at(drivers, i) ^ word_at(libtmas, i);
    }
    if (tma_decode(&decoded, libtmas) != TMA_OK) {
        return;
    }
    const size_t count = tma_field_count();
    for (size_t i = 0; i < count; i++) {
        const tma_field_row *row = tma_field_at(i);
        if (tma_field_applies(row, &decoded) &&
            tma_field_read(row, drivers) != tma_field_read(row, libtmas)) {
            report_line(report, "  %s (word %u, bits %u to %u): the driver's %s, libtma's %s",
                        row->name, row->word, row->bit, row->bit + row->width_bit - 1u,
                        value_text(row, drivers, theirs), value_text(row, libtmas, ours));
            explained(row, left);
        }
    }
    for (unsigned i = 0; i < TMA_MAP_WORDS; i++) {
        if (left[i]) {
            report_line(report,
                        "  word %u, bits 0x%08" PRIx32 " of no field: the driver's 0x%08" PRIx32
                        ", libtma's 0x%08" PRIx32,
                        i, left[i], word_at(drivers, i) & left[i], word_at(libtmas, i) & left[i]);
        }
    }
}
