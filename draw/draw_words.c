/* SPDX-License-Identifier: Apache-2.0
 *
 * A drawing in words: the options of tma draw, which other front ends take as well.
 */
#include "tma/draw.h"

static const char *label_name(size_t i) {
    return i < TMA_LABELS ? tma_label_name((uint32_t)i) : NULL;
}

static const char *color_name(size_t i) {
    return i < TMA_COLORS ? tma_color_name((uint32_t)i) : NULL;
}

static const char *theme_name(size_t i) {
    static const char *const names[TMA_THEMES] = {"auto", "light", "dark"};
    return i < TMA_THEMES ? names[i] : NULL;
}

/* tma_reader_name() as one word. */
static const char *reader_word(size_t i) {
    static const char *const words[TMA_READERS] = {
        "row-4B", "row-8B", "row-16B", "column-4B", "column-8B", "column-16B", "ldmatrix"};
    return i < TMA_READERS ? words[i] : NULL;
}

/* Names that the option's value has; null if it is a number. */
static tma_name_at names_of(tma_draw_option option) {
    switch (option) {
    case TMA_DRAW_LABEL:
        return label_name;
    case TMA_DRAW_COLOR_BY:
        return color_name;
    case TMA_DRAW_READER:
        return reader_word;
    case TMA_DRAW_THEME:
        return theme_name;
    default:
        return NULL;
    }
}

static uint32_t *member(tma_drawing *d, tma_draw_option option) {
    switch (option) {
    case TMA_DRAW_LABEL:
        return &d->label;
    case TMA_DRAW_COLOR_BY:
        return &d->color;
    case TMA_DRAW_READER:
        return &d->reader;
    case TMA_DRAW_THEME:
        return &d->theme;
    case TMA_DRAW_PHASE:
        return &d->phase;
    case TMA_DRAW_ROW:
        return &d->row;
    default:
        return &d->lines;
    }
}

const char *tma_draw_option_name(size_t option) {
    static const char *const names[TMA_DRAW_OPTIONS] = {"label", "color-by", "reader", "phase",
                                                        "row",   "lines",    "theme"};
    return option < TMA_DRAW_OPTIONS ? names[option] : NULL;
}

const char *tma_draw_value_name(tma_draw_option option, size_t value) {
    return names_of(option) ? names_of(option)(value) : NULL;
}

int tma_draw_words_set(tma_drawing *drawing, tma_draw_option option, const char *value,
                       tma_error *error) {
    char what[16];
    size_t length = 0;
    size_t found = 0;
    tma_out out = tma_out_into(what, sizeof(what));
    if ((uint32_t)option >= TMA_DRAW_OPTIONS) {
        return tma_fail(error, "option %u is none of a drawing", (unsigned)option);
    }
    tma_putf(&out, "--%s", tma_draw_option_name(option));
    if (names_of(option)) {
        if (tma_read_name(&found, value, what, names_of(option), error)) {
            return -1;
        }
        *member(drawing, option) = (uint32_t)found;
        return 0;
    }
    while (length < SIZE_MAX && value[length]) {
        length++;
    }
    const uint32_t most = option == TMA_DRAW_LINES_AT_MOST ? TMA_DRAW_MOST_LINES : UINT32_MAX;
    if (tma_read_u32(member(drawing, option), value, length, most, what, error)) {
        return -1;
    }
    return option != TMA_DRAW_LINES_AT_MOST || drawing->lines
               ? 0
               : tma_fail(error, "--lines: 0 is not in 1 to %d", TMA_DRAW_MOST_LINES);
}

void tma_put_draw_words(tma_out *out, const tma_drawing *drawing) {
    tma_drawing d = *drawing;
    for (uint32_t i = 0; i < TMA_DRAW_OPTIONS; i++) {
        const tma_draw_option option = (tma_draw_option)i;
        const uint32_t number = *member(&d, option);
        const uint32_t usual = option == TMA_DRAW_READER ? TMA_READER_LDMATRIX : 0;
        const char *name = tma_draw_value_name(option, number);
        if (number != usual && name) {
            tma_putf(out, " --%s %s", tma_draw_option_name(i), name);
        } else if (number != usual) {
            tma_putf(out, " --%s %u", tma_draw_option_name(i), (unsigned)number);
        }
    }
}
