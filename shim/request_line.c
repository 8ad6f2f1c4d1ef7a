/* SPDX-License-Identifier: Apache-2.0
 *
 * Case lines out of specs.
 */
#include "request_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct line {
    char *text;
    size_t length;
};

/* The longest line fits: five numbers of 20 digits in each of two lists, ten in the others. */
static void add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct line *line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const size_t room = REQUEST_LINE_BYTES - line->length;
    const int n = vsnprintf(line->text + line->length, room, format, arguments);
    va_end(arguments);
    line->length += n > 0 && (size_t)n < room ? (size_t)n : 0;
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

/* arch= is left out for sm_90, as in the captured lines. */
static void add_request(struct line *line, const char *kind, const tma_spec *s, uint16_t sm) {
    static const char *const apis[] = {"tiled", "im2col", "wide"};
    const uint32_t rank = s->rank <= TMA_MAX_RANK ? s->rank : 0; /* beyond, no array was read */
    add(line, "%s", kind);
    if (sm != 90) {
        add(line, " arch=sm_%u", sm);
    }
    add(line, " api=%s dtype=%" PRIu32 " rank=%" PRIu32 " addr=0x%" PRIx64, apis[s->api], s->dtype,
        s->rank, s->address);
    add_u64(line, "dim", s->dim_el, rank);
    add_u64(line, "stride", s->stride_B, rank ? rank - 1 : 0);
    if (s->api == TMA_API_TILED) {
        add_u32(line, "box", s->box_el, rank);
    } else {
        const uint32_t corners = s->api == TMA_API_WIDE ? 1 : rank < 3 ? 0 : rank - 2;
        add_i32(line, "lo", s->lower_px, corners);
        add_i32(line, "up", s->upper_px, corners);
        add(line, " cpp=%" PRIu32 " ppc=%" PRIu32, s->channels_per_pixel, s->pixels_per_column);
    }
    if (s->api == TMA_API_WIDE) {
        add(line, " mode_w=%" PRIu32, s->wide_mode);
    }
    add_u32(line, "es", s->element_stride, rank);
    add(line, " il=%" PRIu32 " sw=%" PRIu32 " l2=%" PRIu32 " oob=%" PRIu32, s->interleave,
        s->swizzle, s->l2, s->fill);
}

static void add_answer(struct line *line, shim_result rc, const uint8_t *map) {
    add(line, " rc=%" PRIu32, rc);
    for (unsigned i = 0; map && i < TMA_MAP_BYTES; i++) {
        add(line, "%s%02x", i ? "" : " desc=", map[i]);
    }
}

void request_line_encode(char text[REQUEST_LINE_BYTES], const tma_spec *spec, uint16_t sm,
                         shim_result rc, const uint8_t *map) {
    struct line line = {text, 0};
    add_request(&line, "enc", spec, sm);
    add_answer(&line, rc, map);
}

void request_line_replace(char text[REQUEST_LINE_BYTES], const tma_spec *spec, uint16_t sm,
                          uint64_t address, shim_result rc, const uint8_t *map) {
    struct line line = {text, 0};
    add_request(&line, "rep", spec, sm);
    add(&line, " naddr=0x%" PRIx64, address);
    add_answer(&line, rc, map);
}
