/* SPDX-License-Identifier: Apache-2.0
 *
 * A spec as a case line.
 */
#include "spec_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct line {
    char *text;
    size_t length;
};

static void add(struct line *line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int n =
        vsnprintf(line->text + line->length, SPEC_LINE_BYTES - line->length, format, arguments);
    va_end(arguments);
    if (n > 0 && line->length + (size_t)n < SPEC_LINE_BYTES) {
        line->length += (size_t)n;
    }
}

static void add_u32(struct line *line, const char *key, const uint32_t *list, uint32_t count) {
    add(line, " %s=", key);
    for (uint32_t i = 0; i < count; i++) {
        add(line, "%s%" PRIu32, i ? "," : "", list[i]);
    }
}

static void add_u64(struct line *line, const char *key, const uint64_t *list, uint32_t count) {
    add(line, " %s=", key);
    for (uint32_t i = 0; i < count; i++) {
        add(line, "%s%" PRIu64, i ? "," : "", list[i]);
    }
}

static void add_i32(struct line *line, const char *key, const int32_t *list, uint32_t count) {
    add(line, " %s=", key);
    for (uint32_t i = 0; i < count; i++) {
        add(line, "%s%" PRId32, i ? "," : "", list[i]);
    }
}

char *spec_line(const tma_spec *s, const tma_target *target, char text[SPEC_LINE_BYTES]) {
    static const char *const apis[] = {"tiled", "im2col", "wide"};
    const uint32_t rank = s->rank <= TMA_MAX_RANK ? s->rank : TMA_MAX_RANK;
    struct line line = {text, 0};
    add(&line, "enc");
    if (target) {
        add(&line, " arch=sm_%u%.*s driver=%" PRIu32, target->sm, target->suffix != 0,
            &target->suffix, target->driver);
    }
    if (s->api <= TMA_API_WIDE) {
        add(&line, " api=%s", apis[s->api]);
    } else {
        add(&line, " api=%" PRIu32, s->api);
    }
    add(&line, " dtype=%" PRIu32 " rank=%" PRIu32 " addr=0x%" PRIx64, s->dtype, s->rank,
        s->address);
    add_u64(&line, "dim", s->dim_el, rank);
    add_u64(&line, "stride", s->stride_B, rank ? rank - 1 : 0);
    add_u32(&line, "es", s->element_stride, rank);
    add(&line, " il=%" PRIu32 " sw=%" PRIu32 " l2=%" PRIu32 " oob=%" PRIu32, s->interleave,
        s->swizzle, s->l2, s->fill);
    if (s->api == TMA_API_TILED) {
        add_u32(&line, "box", s->box_el, rank);
        return text;
    }
    const uint32_t corners = rank < 3 ? 0 : s->api == TMA_API_WIDE ? 1 : rank - 2;
    add_i32(&line, "lo", s->lower_px, corners);
    add_i32(&line, "up", s->upper_px, corners);
    add(&line, " cpp=%" PRIu32 " ppc=%" PRIu32, s->channels_per_pixel, s->pixels_per_column);
    if (s->api == TMA_API_WIDE) {
        add(&line, " mode_w=%" PRIu32, s->wide_mode);
    }
    return text;
}
