/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases as lines, and differences in words.
 */
#include "case_lines.h"

#include <inttypes.h>
#include <tma/case.h>
#include <tma/pattern.h>
#include <tma/view.h>

static void write_file(void *context, const char *text, size_t length) {
    fwrite(text, 1, length, context);
}

void print_case(FILE *out, const char *kind, const tma_spec *spec, const tma_target *target) {
    tma_out words = tma_out_to(write_file, out);
    tma_put_case(&words, kind, spec, target && target->sm != 90 ? target : NULL);
}

void print_copy_request(FILE *out, const struct copy_case *c, const tma_target *target) {
    const uint32_t coords = tma_mode_coords(c->in.mode, c->spec.rank);
    const uint32_t offsets = tma_mode_offsets(c->in.op, c->in.mode, c->spec.rank);
    fprintf(out, " op=%s mode=%s coord=", tma_op_name(c->in.op), tma_mode_key(c->in.mode));
    for (uint32_t i = 0; i < coords; i++) {
        fprintf(out, "%s%" PRId32, i ? "," : "", c->at.coord[i]);
    }
    for (uint32_t i = 0; i < offsets; i++) {
        fprintf(out, "%s%u", i ? "," : " off=", c->at.offset[i]);
    }
    fprintf(out, " smem=%" PRIu32 " win=%" PRIu32 " gwin=%" PRIu32 " fill=%s seed=%" PRIu64,
            c->at.shared_address, c->window_B, c->global_B, tma_pattern_name(c->fill), c->seed);
    if (c->in.op == TMA_OP_LOAD && c->expect_B) {
        fprintf(out, " expect=%" PRIu32, c->expect_B);
    }
    if (c->in.op == TMA_OP_LOAD && !c->in.cluster != (target->sm != 90)) {
        fprintf(out, " space=%s", c->in.cluster ? "cluster" : "cta");
    }
}

void print_bytes(FILE *out, const char *key, const void *bytes, size_t count) {
    tma_out words = tma_out_to(write_file, out);
    tma_putf(&words, " %s=", key);
    tma_put_hex_bytes(&words, bytes, count);
}

void print_map_differences(FILE *out, const tma_map *theirs, const tma_map *ours) {
    tma_difference all[TMA_DIFFERENCES];
    const size_t count = tma_diff(all, theirs->bytes, ours->bytes);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "  %s: %s, libtma %s\n", all[i].name, all[i].a, all[i].b);
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
