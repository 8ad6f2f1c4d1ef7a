/* SPDX-License-Identifier: Apache-2.0
 *
 * A line a field, the word's bytes before its first one.
 */
#include "ruler.h"

#include <inttypes.h>

#include "cli_out.h"

static void bytes_of(FILE *out, const tma_judged *j, uint32_t word, const color_set *colors) {
    const uint8_t *at = j->map.bytes + 4 * (size_t)word;
    fprintf(out, "%s0x%02" PRIx32 "%s  %02x %02x %02x %02x  ", colors->dim, 4 * word, colors->end,
            at[0], at[1], at[2], at[3]);
}

/* Fields that begin in this word. Returns how many there are. */
static int fields_of(FILE *out, const tma_judged *j, uint32_t word, const color_set *colors) {
    int lines = 0;
    const size_t count = tma_field_count();
    for (size_t i = 0; i < count; i++) {
        if (tma_field_at(i)->word == word &&
            tma_field_is_shown(tma_field_at(i), &j->decoded, j->map.bytes)) {
            char bits[16];
            tma_out words = tma_out_into(bits, sizeof(bits));
            tma_put_field_bits(&words, tma_field_at(i));
            if (lines++) {
                fprintf(out, "%19s", "");
            } else {
                bytes_of(out, j, word, colors);
            }
            fprintf(out, "%-8s %-18s ", bits, tma_field_at(i)->name);
            words = out_to(out);
            tma_put_field(&words, tma_field_at(i), &j->decoded, j->map.bytes);
            fputs(tma_field_is_live(tma_field_at(i), &j->decoded) ? "\n" : "  (beyond the rank)\n",
                  out);
        }
    }
    return lines;
}

/* A word without fields is shown if it belongs to the field before it, or is not 0. */
static void word_lines(FILE *out, const tma_judged *j, uint32_t word, uint32_t unowned,
                       const color_set *colors) {
    int lines = fields_of(out, j, word, colors);
    if (lines == 0 && word == 1) {
        bytes_of(out, j, word, colors);
        fprintf(out, "%-8s (global_address)\n", "[63:32]");
        lines = 1;
    }
    if (unowned) {
        if (lines) {
            fprintf(out, "%19s", "");
        } else {
            bytes_of(out, j, word, colors);
        }
        fprintf(out, "%-8s %s0x%08" PRIx32 " belongs to no field%s\n", "", colors->severity[1],
                unowned, colors->end);
    }
}

void ruler(FILE *out, const tma_judged *j, const color_set *colors) {
    uint32_t unowned[TMA_MAP_WORDS];
    tma_unowned(unowned, j->map.bytes);
    fprintf(out, "%sbyte  hex          bits     field              value%s\n", colors->dim,
            colors->end);
    for (uint32_t word = 0; word < TMA_MAP_WORDS; word++) {
        word_lines(out, j, word, unowned[word], colors);
    }
    fprintf(out, "%sall other bits are 0%s\n", colors->dim, colors->end);
}
