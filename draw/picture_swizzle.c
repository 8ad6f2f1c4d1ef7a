/* SPDX-License-Identifier: Apache-2.0
 *
 * swizzle: the pattern over its repeat, and the address bits that are exclusive-ored. All of it is
 * asked of tma_swizzled(), one address at a time.
 */
#include "scene.h"

#define BITS   12 /* of a shared address: what a swizzle looks at, and some */
#define BIT_W  48
#define SIDE_W 88

/* Bits of the address that change if `bit` does, `bit` itself left out. */
static uint32_t moved_by(const scene *s, uint32_t bit) {
    return tma_swizzled(tma_plan_info(&s->plan)->swizzle_bits, 1u << bit) ^ 1u << bit;
}

/* The longest piece that stays together: the lowest bit that moves, at most a cell. */
static uint32_t piece_B(const scene *s) {
    uint32_t moved = 0;
    for (uint32_t bit = 0; bit < BITS; bit++) {
        moved |= moved_by(s, bit);
    }
    const uint32_t lowest = moved & (0 - moved);
    return lowest && lowest < TMA_CELL_B ? lowest : TMA_CELL_B;
}

static void pattern_head(scene *s, int32_t x, int32_t y, const char *words) {
    canvas_text(s->out, TMA_STYLE_HEAD, TEXT_BEGINS, x, y + 12, words);
    for (uint32_t i = 0; i < CELLS; i++) {
        canvas_print(s->out, TMA_STYLE_SMALL, TEXT_CENTRED,
                     x + SIDE_W + (int32_t)i * CELL_W + CELL_W / 2, y + 31, "+%u", i * TMA_CELL_B);
    }
}

/* One piece, at its plain place or at the one that the swizzle gives it. */
static void pattern_piece(scene *s, int32_t x, int32_t y, uint32_t base, uint32_t byte,
                          uint32_t size_B, int moved) {
    const uint32_t plain = base + byte;
    const uint32_t real = tma_swizzled(tma_plan_info(&s->plan)->swizzle_bits, plain);
    const uint32_t at = (moved ? real : plain) - base;
    const uint32_t number = byte / TMA_CELL_B % CELLS;
    WORDS(label);
    WORDS(title);
    tma_putf(&label, "%u", number);
    if (size_B < TMA_CELL_B) {
        tma_putf(&label, "%c", 'a' + (int)(byte % TMA_CELL_B / size_B));
    }
    tma_putf(&title, "address 0x%x lies at 0x%x", plain, real);
    canvas_cell(s->out, (tma_draw_style)(TMA_STYLE_CHUNK_0 + number),
                x + SIDE_W + (int32_t)(at % LINE_B) * BYTE_W, y + (int32_t)(at / LINE_B) * CELL_H,
                (int32_t)size_B * BYTE_W, CELL_H, label.at, title.at, (int32_t)(byte / size_B));
}

static int32_t pattern(scene *s, int32_t x, int32_t y, uint32_t base, uint32_t repeat_B,
                       int moved) {
    const uint32_t size_B = piece_B(s);
    pattern_head(s, x, y, moved ? "in shared memory" : "without swizzle");
    y += 36;
    for (uint32_t line = 0; line < repeat_B; line += LINE_B) {
        canvas_print(s->out, TMA_STYLE_SMALL, TEXT_ENDS, x + SIDE_W - 8,
                     y + (int32_t)(line / LINE_B) * CELL_H + 16, "0x%05x", base + line);
        for (uint32_t byte = line; byte < line + LINE_B; byte += size_B) {
            pattern_piece(s, x, y, base, byte, size_B, moved);
        }
    }
    y += (int32_t)(repeat_B / LINE_B) * CELL_H;
    canvas_text(s->out, TMA_STYLE_SMALL, TEXT_CENTRED, x + SIDE_W + LINE_B * BYTE_W / 2, y + 14,
                "the pattern repeats");
    return y + 28;
}

/* "a ^ ((a >> 3) & 0x70)": a term for each distance between a bit and one that it changes. */
static void put_formula(const scene *s, tma_out *t) {
    tma_put(t, "a");
    for (uint32_t distance = 1; distance < BITS; distance++) {
        uint32_t mask = 0;
        for (uint32_t bit = distance; bit < BITS; bit++) {
            mask |= moved_by(s, bit) & 1u << (bit - distance);
        }
        if (mask) {
            tma_putf(t, " ^ ((a >> %u) & 0x%x)", distance, mask);
        }
    }
}

static int32_t bit_px(int32_t x, uint32_t bit) {
    return x + (int32_t)(BITS - 1 - bit) * BIT_W;
}

/* From the bit down, across, and up to the bit that it changes. */
static void bit_arrow(scene *s, int32_t x, int32_t y, uint32_t from, uint32_t to, int32_t depth) {
    const int32_t begin = bit_px(x, from) + BIT_W / 2;
    const int32_t end = bit_px(x, to) + BIT_W / 2;
    canvas_line(s->out, TMA_STYLE_LINE, begin, y, begin, y + depth);
    canvas_line(s->out, TMA_STYLE_LINE, begin, y + depth, end, y + depth);
    canvas_arrow(s->out, TMA_STYLE_LINE, end, y + depth, end, y + 2);
}

/* The bits of an address in a row, and an arrow from each bit to the one that it changes. */
static int32_t address_bits(scene *s, int32_t x, int32_t y) {
    uint32_t changed = 0;
    uint32_t arrows = 0;
    canvas_text(s->out, TMA_STYLE_HEAD, TEXT_BEGINS, x, y + 12, "bits of the shared address a");
    for (uint32_t bit = 0; bit < BITS; bit++) {
        changed |= moved_by(s, bit);
    }
    for (uint32_t bit = 0; bit < BITS; bit++) {
        WORDS(label);
        tma_putf(&label, "%u", bit);
        canvas_cell(s->out, changed >> bit & 1 ? TMA_STYLE_PICK : TMA_STYLE_FREE, bit_px(x, bit),
                    y + 22, BIT_W, CELL_H, label.at, NULL, -1);
    }
    for (uint32_t from = BITS; from-- > 0;) {
        for (uint32_t to = 0; to < BITS; to++) {
            if (moved_by(s, from) >> to & 1) {
                bit_arrow(s, x, y + 22 + CELL_H, from, to, 12 + 10 * (int32_t)arrows++);
            }
        }
    }
    WORDS(words);
    if (changed) {
        tma_put(&words, "a byte of address a lies at  ");
        put_formula(s, &words);
    } else {
        tma_put(&words, "no bit is changed: a byte of address a lies at a");
    }
    y += 22 + CELL_H + 12 + 10 * (int32_t)arrows;
    canvas_text(s->out, TMA_STYLE_HEAD, TEXT_BEGINS, x, y + 14, words.at);
    if (changed) {
        y = look_row(s, x, y + 26, TMA_STYLE_PICK, "n",
                     "a bit that changes: a higher bit is exclusive-ored into it");
        return look_row(s, x, y, TMA_STYLE_CHUNK_0, "n",
                        s->has_halves ? "above: 8 bytes, by the 16-byte piece of the line that "
                                        "they are without swizzle, and its half"
                                      : "above: 16 bytes, by the piece of the line that they are "
                                        "without swizzle");
    }
    return y + 28;
}

static void start_note(scene *s, int32_t x, int32_t y, uint32_t repeat_B) {
    const uint32_t into_B = s->at.shared_address % repeat_B;
    WORDS(t);
    tma_putf(&t, "The box at 0x%x begins ", s->at.shared_address);
    if (into_B) {
        tma_putf(&t, "%u B into the pattern", into_B);
    } else {
        tma_put(&t, "with the pattern");
    }
    tma_putf(&t, ", which starts at multiples of %u B", repeat_B);
    canvas_text(s->out, into_B ? TMA_STYLE_WARN : TMA_STYLE_TEXT, TEXT_BEGINS, x, y + 14, t.at);
}

void draw_SWIZZLE(scene *s, int32_t y) {
    const uint32_t swizzle = s->map.spec.swizzle;
    uint32_t repeat_B = tma_swizzle_repeat_B(swizzle);
    const uint32_t shown_B = repeat_B > LINE_B ? repeat_B : LINE_B;
    repeat_B = repeat_B ? repeat_B : LINE_B;
    const uint32_t base = s->at.shared_address / shown_B * shown_B;
    const int32_t right = MARGIN + SIDE_W + LINE_B * BYTE_W + GUTTER;
    pattern(s, MARGIN, y, base, shown_B, 0);
    y = pattern(s, right, y, base, shown_B, 1) + 8;
    const int32_t notes = address_bits(s, MARGIN, y);
    start_note(s, MARGIN, notes, repeat_B);
}
