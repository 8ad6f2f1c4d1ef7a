/* SPDX-License-Identifier: Apache-2.0
 *
 * A drawing in words: the options of tma draw, which other front ends take as well.
 */
#include <stddef.h>

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

typedef struct option_row {
    const char *name;
    size_t offset;        /* of the member, a uint32_t */
    tma_name_at names;    /* that the value has; null if it is a number */
    uint32_t usual;       /* what tma draw has by itself */
    uint32_t least, most; /* of a number */
    uint32_t pictures;    /* that look at it, a bit each */
} option_row;

static const option_row rows[TMA_DRAW_OPTIONS] = {
#define LABEL  label_name
#define COLOR  color_name
#define READER reader_word
#define THEME  theme_name
#define NUMBER NULL
#define CELLS  (1u << TMA_PICTURE_COPY | 1u << TMA_PICTURE_BOX | 1u << TMA_PICTURE_GATHER)
#define BANKS  (1u << TMA_PICTURE_BANKS)
#define EVERY  UINT32_MAX
#define TMA_DRAW_OPTION(id, name, value, member, names, usual, least, most, pictures, help)        \
    {name, offsetof(tma_drawing, member), names, usual, least, most, pictures},
#include "tma/draw_options.def"
};

static uint32_t *member(tma_drawing *d, const option_row *row) {
    return (uint32_t *)(void *)((unsigned char *)d + row->offset);
}

const char *tma_draw_option_name(size_t option) {
    return option < TMA_DRAW_OPTIONS ? rows[option].name : NULL;
}

const char *tma_draw_value_name(tma_draw_option option, size_t value) {
    return option < TMA_DRAW_OPTIONS && rows[option].names ? rows[option].names(value) : NULL;
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
    const option_row *row = &rows[option];
    tma_putf(&out, "--%s", row->name);
    if (row->names) {
        if (tma_read_name(&found, value, what, row->names, error)) {
            return -1;
        }
        *member(drawing, row) = (uint32_t)found;
        return 0;
    }
    while (length < SIZE_MAX && value[length]) {
        length++;
    }
    if (tma_read_u32(member(drawing, row), value, length, row->most, what, error)) {
        return -1;
    }
    return *member(drawing, row) >= row->least
               ? 0
               : tma_fail(error, "%s: 0 is not in %u to %u", what, (unsigned)row->least,
                          (unsigned)row->most);
}

void tma_put_draw_words(tma_out *out, const tma_drawing *drawing) {
    tma_drawing d = *drawing;
    for (uint32_t i = 0; i < TMA_DRAW_OPTIONS; i++) {
        const uint32_t number = *member(&d, &rows[i]);
        const char *name = tma_draw_value_name((tma_draw_option)i, number);
        if (number == rows[i].usual || !(rows[i].pictures >> d.picture & 1)) {
            continue;
        }
        if (name) {
            tma_putf(out, " --%s %s", rows[i].name, name);
        } else {
            tma_putf(out, " --%s %u", rows[i].name, (unsigned)number);
        }
    }
}
