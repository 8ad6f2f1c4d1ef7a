/* SPDX-License-Identifier: Apache-2.0
 *
 * bytes: the 128 bytes as 32 words, bit 31 at the left, with the fields of the table.
 */
#include "scene.h"

#define BIT_W    24
#define WORD_BIT 32
#define ROW_H    26
#define SIDE_W   96
#define LETTER_W 6 /* of upright names */

typedef struct word_view {
    scene *s;
    const uint8_t *map;
    uint32_t unowned[TMA_MAP_WORDS];
} word_view;

/* Whether the field has bits in this word. */
static int is_in(const word_view *v, const tma_field_row *row, uint32_t word) {
    return tma_field_applies(row, &v->s->map) &&
           (row->word == word || (row->width_bit > WORD_BIT && row->word + 1u == word));
}

static void put_value(tma_out *t, const tma_field_row *row, uint64_t bits) {
    const uint64_t sign = UINT64_C(1) << (row->width_bit - 1);
    switch (row->form) {
    case TMA_FIELD_MINUS_ONE:
        tma_putf(t, " %" TMA_U64, bits + 1);
        break;
    case TMA_FIELD_SIGNED:
        tma_putf(t, " %" TMA_D64, (int64_t)(bits & (sign - 1)) - (int64_t)(bits & sign));
        break;
    case TMA_FIELD_SHIFT_4:
        tma_putf(t, " %" TMA_U64 " × 16 B", bits);
        break;
    default:
        tma_putf(t, row->width_bit > WORD_BIT ? " 0x%" TMA_X64 : " %" TMA_U64, bits);
    }
}

static void name_field(const word_view *v, const tma_field_row *row, uint32_t word, tma_out *t) {
    if (row->word != word) {
        tma_putf(t, "(%s, high word)", row->name);
        return;
    }
    tma_put(t, row->name);
    put_value(t, row, tma_field_read(row, v->map));
}

static uint32_t bits_in_word(const tma_field_row *row) {
    return row->width_bit < WORD_BIT ? row->width_bit : WORD_BIT;
}

/* High enough for the upright names of narrow fields. */
static int32_t height_of(const word_view *v, uint32_t word) {
    int32_t height = ROW_H;
    for (size_t i = 0; i < tma_field_count(); i++) {
        WORDS(t);
        if (is_in(v, tma_field_at(i), word)) {
            name_field(v, tma_field_at(i), word, &t);
            const int32_t wide = (int32_t)bits_in_word(tma_field_at(i)) * BIT_W;
            const int32_t letters = (int32_t)t.length * LETTER_W;
            height = letters > wide && letters + 8 > height ? letters + 8 : height;
        }
    }
    return height;
}

static int is_empty(const word_view *v, uint32_t word) {
    for (size_t i = 0; i < tma_field_count(); i++) {
        if (is_in(v, tma_field_at(i), word)) {
            return 0;
        }
    }
    return !v->unowned[word];
}

static void draw_field(const word_view *v, const tma_field_row *row, uint32_t word, int32_t x,
                       int32_t y, int32_t height, uint32_t colour) {
    const uint64_t bits = tma_field_read(row, v->map);
    const uint32_t width = bits_in_word(row);
    WORDS(label);
    WORDS(title);
    name_field(v, row, word, &label);
    tma_putf(&title, "%s: %s; bits %u to %u of word %u, stored %" TMA_U64, row->name, row->meaning,
             row->bit, row->bit + width - 1, row->word, bits);
    canvas_cell(v->s->out, bits ? (tma_draw_style)(TMA_STYLE_CHUNK_0 + colour % 8) : TMA_STYLE_PALE,
                x + (int32_t)(WORD_BIT - row->bit - width) * BIT_W, y, (int32_t)width * BIT_W,
                height, label.at, title.at, -1);
}

static void draw_unowned(const word_view *v, uint32_t word, int32_t x, int32_t y, int32_t height) {
    for (uint32_t bit = 0; bit < WORD_BIT; bit++) {
        if (v->unowned[word] >> bit & 1) {
            canvas_cell(v->s->out, TMA_STYLE_EDGE, x + (int32_t)(WORD_BIT - 1 - bit) * BIT_W, y,
                        BIT_W, height, "?", "a bit that no field owns", -1);
        }
    }
}

static int32_t draw_word(const word_view *v, uint32_t word, int32_t y) {
    const int32_t x = MARGIN + SIDE_W;
    const int32_t height = height_of(v, word);
    const uint8_t *b = v->map + (size_t)4 * word;
    uint32_t colour = word;
    canvas_print(v->s->out, TMA_STYLE_TEXT, TEXT_ENDS, x - 10, y + height / 2 + 4, "%2u  0x%02x",
                 word, 4 * word);
    canvas_rect(v->s->out, TMA_STYLE_GAP, x, y, WORD_BIT * BIT_W, height);
    for (size_t i = 0; i < tma_field_count(); i++) {
        if (is_in(v, tma_field_at(i), word)) {
            draw_field(v, tma_field_at(i), word, x, y, height, colour++);
        }
    }
    draw_unowned(v, word, x, y, height);
    canvas_print(v->s->out, TMA_STYLE_TEXT, TEXT_BEGINS, x + WORD_BIT * BIT_W + 12,
                 y + height / 2 + 4, "%02x %02x %02x %02x", b[0], b[1], b[2], b[3]);
    return y + height + 2;
}

static int32_t draw_empty(const word_view *v, uint32_t *word, int32_t y) {
    const uint32_t first = *word;
    while (*word < TMA_MAP_WORDS && is_empty(v, *word)) {
        ++*word;
    }
    canvas_print(v->s->out, TMA_STYLE_SMALL, TEXT_BEGINS, MARGIN + SIDE_W, y + 14,
                 "0x%02x to 0x%02x: no field, all 0", 4 * first, 4 * *word - 1);
    return y + 22;
}

static int is_any_unowned(const word_view *v) {
    uint32_t any = 0;
    for (uint32_t word = 0; word < TMA_MAP_WORDS; word++) {
        any |= v->unowned[word];
    }
    return any != 0;
}

static void draw_head(scene *s, int32_t y) {
    const int32_t x = MARGIN + SIDE_W;
    canvas_text(s->out, TMA_STYLE_SMALL, TEXT_ENDS, x - 10, y + 12, "word  byte");
    for (uint32_t bit = 0; bit < WORD_BIT; bit++) {
        canvas_print(s->out, TMA_STYLE_SMALL, TEXT_CENTRED,
                     x + (int32_t)(WORD_BIT - 1 - bit) * BIT_W + BIT_W / 2, y + 12, "%u", bit);
    }
    canvas_text(s->out, TMA_STYLE_SMALL, TEXT_BEGINS, x + WORD_BIT * BIT_W + 12, y + 12,
                "bytes in memory");
}

void draw_BYTES(scene *s, int32_t y) {
    word_view v = {.s = s, .map = s->drawing->map};
    tma_unowned(v.unowned, v.map);
    draw_head(s, y);
    y += 18;
    for (uint32_t word = 0; word < TMA_MAP_WORDS;) {
        if (is_empty(&v, word)) {
            y = draw_empty(&v, &word, y);
        } else {
            y = draw_word(&v, word++, y);
        }
    }
    y = look_row(s, MARGIN, y + 12, TMA_STYLE_CHUNK_0, "v",
                 "a field with its value, as the call has it; the colours tell neighbours apart");
    y = look_row(s, MARGIN, y, TMA_STYLE_PALE, "v", "a field whose stored bits are all 0");
    y = look_row(s, MARGIN, y, TMA_STYLE_GAP, NULL, "bits that no field owns, all 0");
    if (is_any_unowned(&v)) {
        y = look_row(s, MARGIN, y, TMA_STYLE_EDGE, "?", "a bit that is set and that no field owns");
    }
    for (uint32_t bit = 1; bit <= TMA_ODD_ALL; bit <<= 1) {
        if (s->map.odd & bit) {
            canvas_print(s->out, TMA_STYLE_WARN, TEXT_BEGINS, MARGIN, y + 14, "odd: %s",
                         tma_odd_text(bit));
            y += 20;
        }
    }
}
