/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases as lines, and differences in words.
 */
#include "case_lines.h"

#include <inttypes.h>
#include <string.h>

#include "memory_pattern.h"
#include "support/spec_line.h"

#define WORDS 32

void print_case(FILE *out, const char *kind, const tma_spec *spec, const tma_target *target) {
    char text[SPEC_LINE_BYTES];
    const tma_target plain = {target ? target->sm : 90, target ? target->suffix : 0,
                              target ? target->driver : 0};
    const int usual = plain.sm == 90; /* what a line without arch= means */
    spec_line(spec, usual ? NULL : &plain, text);
    fprintf(out, "%s%s", kind, text + strlen("enc"));
}

static const char *vector_mode(uint32_t mode) {
    static const char *const names[] = {"tile",     "im2col",   "gather4",
                                        "scatter4", "im2col_w", "im2col_w128"};
    return names[mode];
}

void print_copy_request(FILE *out, const struct copy_case *c) {
    static const char *const fills[] = FILL_NAMES;
    const int rows = c->in.mode == TMA_MODE_GATHER4 || c->in.mode == TMA_MODE_SCATTER4;
    const int wide = c->in.mode >= TMA_MODE_IM2COL_W;
    const uint32_t coords = rows ? 5 : c->spec.rank;
    const uint32_t offsets = c->in.op != TMA_OP_LOAD         ? 0
                             : c->in.mode == TMA_MODE_IM2COL ? c->spec.rank - 2
                             : wide                          ? 2
                                                             : 0;
    fprintf(out, " op=%s mode=%s coord=", tma_op_name(c->in.op), vector_mode(c->in.mode));
    for (uint32_t i = 0; i < coords; i++) {
        fprintf(out, "%s%" PRId32, i ? "," : "", c->at.coord[i]);
    }
    for (uint32_t i = 0; i < offsets; i++) {
        fprintf(out, "%s%u", i ? "," : " off=", c->at.offset[i]);
    }
    fprintf(out, " smem=%" PRIu32 " win=%" PRIu32 " gwin=%" PRIu32 " fill=%s seed=%" PRIu64,
            c->at.shared_address, c->window_B, c->global_B, fills[c->fill], c->seed);
    if (c->in.op == TMA_OP_LOAD && c->expect_B) {
        fprintf(out, " expect=%" PRIu32, c->expect_B);
    }
}

void print_bytes(FILE *out, const char *key, const void *bytes, size_t count) {
    const uint8_t *at = bytes;
    fprintf(out, " %s=", key);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%02x", at[i]);
    }
}

void print_map_differences(FILE *out, const tma_map *theirs, const tma_map *ours) {
    tma_decoded decoded;
    size_t count = 0;
    const tma_field_row *rows = tma_field_rows(&count);
    if (tma_decode(&decoded, theirs->bytes) != TMA_OK) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t a = tma_field_read(&rows[i], theirs->bytes);
        const uint64_t b = tma_field_read(&rows[i], ours->bytes);
        if (a != b && tma_field_applies(&rows[i], &decoded)) {
            fprintf(out, "  %s: 0x%" PRIx64 ", libtma 0x%" PRIx64 "\n", rows[i].name, a, b);
        }
    }
    for (size_t i = 0; i < WORDS; i++) { /* also bits that no field owns */
        if (memcmp(theirs->bytes + 4 * i, ours->bytes + 4 * i, 4) != 0) {
            fprintf(out, "  word %zu:", i);
            print_bytes(out, "bytes", theirs->bytes + 4 * i, 4);
            print_bytes(out, "libtma", ours->bytes + 4 * i, 4);
            fputc('\n', out);
        }
    }
}

uint64_t print_byte_differences(FILE *out, const char *what, const uint8_t *theirs,
                                const uint8_t *ours, uint64_t count) {
    uint64_t differ = 0;
    uint64_t first = 0;
    for (uint64_t i = count; i-- > 0;) {
        if (theirs[i] != ours[i]) {
            differ++;
            first = i;
        }
    }
    if (differ) {
        const uint64_t from = first & ~UINT64_C(15);
        const size_t shown = count - from < 16 ? (size_t)(count - from) : 16;
        fprintf(out, "  %s: %" PRIu64 " of %" PRIu64 " bytes differ, the first at 0x%" PRIx64 ";",
                what, differ, count, first);
        fprintf(out, " from 0x%" PRIx64, from);
        print_bytes(out, "hardware", theirs + from, shown);
        print_bytes(out, "libtma", ours + from, shown);
        fputc('\n', out);
    }
    return differ;
}
