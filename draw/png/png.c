/* SPDX-License-Identifier: Apache-2.0
 *
 * A picture as PNG (ISO/IEC 15948): painted some rows at a time, in memory of the caller's.
 */
#include <string.h>

#include "deflate.h"
#include "png_marks.h"
#include "tma/detail/assert.h"
#include "tma/text.h"

#define FILTER_NONE 0
#define FILTER_UP   2 /* what differs from the pixel above: mostly nothing */
#define BITS        8
#define COLORS      2 /* red, green and blue */
#define WORD_B      ((size_t)4)

typedef struct png {
    tma_out *out;
    raster rows;
    int is_dark;
} png;

static uint32_t crc_of(uint32_t crc, const uint8_t *bytes, size_t size_B) {
    for (size_t i = 0; i < size_B; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
        }
    }
    return crc;
}

static void set_word(uint8_t *at, uint32_t word) {
    for (size_t i = 0; i < WORD_B; i++) {
        at[i] = (uint8_t)(word >> (24 - 8 * i));
    }
}

static void put_bytes(tma_out *out, const uint8_t *bytes, size_t size_B) {
    tma_put_bytes(out, (const char *)bytes, size_B);
}

static void put_chunk(tma_out *out, const char *kind, const uint8_t *body, size_t size_B) {
    uint8_t head[2 * WORD_B];
    uint8_t crc[WORD_B];
    set_word(head, (uint32_t)size_B);
    memcpy(head + WORD_B, kind, WORD_B);
    set_word(crc, ~crc_of(crc_of(~0u, head + WORD_B, WORD_B), body, size_B));
    put_bytes(out, head, sizeof(head));
    put_bytes(out, body, size_B);
    put_bytes(out, crc, sizeof(crc));
}

static void put_head(tma_out *out, int32_t width_dots, int32_t height_dots) {
    static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    uint8_t head[2 * WORD_B + 5] = {0};
    set_word(head, (uint32_t)width_dots);
    set_word(head + WORD_B, (uint32_t)height_dots);
    head[2 * WORD_B] = BITS;
    head[2 * WORD_B + 1] = COLORS;
    put_bytes(out, signature, sizeof(signature));
    put_chunk(out, "IHDR", head, sizeof(head));
}

static void put_pixels(void *context, const uint8_t *bytes, size_t size_B) {
    put_chunk(context, "IDAT", bytes, size_B);
}

static int paint(void *context, const tma_mark *mark) {
    const png *p = context;
    png_mark(&p->rows, mark, p->is_dark);
    return 0;
}

/* Packs the rows that are painted; `above` is the row above them, which becomes their last. */
static void pack(deflate *d, const png *p, uint8_t *above, size_t row_B) {
    for (int32_t i = 0; i < p->rows.rows; i++) {
        uint8_t *row = p->rows.pixel + (size_t)i * row_B;
        const int is_first = p->rows.top_dot + i == 0;
        for (size_t at = 0; at < row_B; at++) {
            const uint8_t pixel = row[at];
            row[at] = (uint8_t)(pixel - (is_first ? 0 : above[at]));
            above[at] = pixel;
        }
        deflate_row(d, is_first ? FILTER_NONE : FILTER_UP, row, row_B);
    }
}

static void put_picture(png *p, const tma_drawing *drawing, int32_t height_dots, uint8_t *work,
                        size_t work_B) {
    const size_t row_B = (size_t)p->rows.width_dots * RASTER_PIXEL_B;
    const size_t room = work_B / row_B - 1;
    deflate d;
    put_head(p->out, p->rows.width_dots, height_dots);
    deflate_begin(&d, put_pixels, p->out);
    p->rows.pixel = work + row_B;
    for (; p->rows.top_dot < height_dots; p->rows.top_dot += p->rows.rows) {
        const int32_t left = height_dots - p->rows.top_dot;
        p->rows.rows = room < (size_t)left ? (int32_t)room : left;
        const tma_status drawn = tma_draw(drawing, paint, p, NULL);
        TMA_ASSERT(drawn == TMA_OK); /* it was measured */
        (void)drawn;
        pack(&d, p, work, row_B);
    }
    deflate_end(&d);
    put_chunk(p->out, "IEND", NULL, 0);
}

tma_status tma_draw_png(tma_out *out, const tma_drawing *drawing, void *work, size_t work_B,
                        tma_finding *why) {
    tma_draw_size size;
    const tma_status status = tma_draw_measure(&size, drawing, why);
    if (status != TMA_OK) {
        return status;
    }
    if (!out || !work || size.width > PNG_MOST_PX || size.height > PNG_MOST_PX ||
        work_B < TMA_DRAW_PNG_LEAST_B(size.width)) {
        return TMA_INVALID;
    }
    png p = {.out = out,
             .rows = {.width_dots = size.width * TMA_DRAW_PNG_SCALE},
             .is_dark = drawing->theme == TMA_THEME_DARK};
    tma_drawing untitled = *drawing;
    untitled.untitled = 1;
    put_picture(&p, &untitled, size.height * TMA_DRAW_PNG_SCALE, work, work_B);
    return TMA_OK;
}
