/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of pictures.
 */
#include "request.h"

static const char *label_name(size_t i) {
    return i < TMA_LABELS ? tma_label_name((uint32_t)i) : NULL;
}

static const char *color_name(size_t i) {
    return i < TMA_COLORS ? tma_color_name((uint32_t)i) : NULL;
}

static const char *theme_name(size_t i) {
    static const char *const names[] = {"auto", "light", "dark"};
    return i < sizeof(names) / sizeof(names[0]) ? names[i] : NULL;
}

/* "row 4 B" as one word: "row-4B". */
static const char *reader_name(size_t i) {
    static char name[32];
    const char *at = i < TMA_READERS ? tma_reader_name((uint32_t)i) : NULL;
    size_t used = 0;
    for (; at && *at && used + 1 < sizeof(name); at++) {
        if (*at != ' ' || at[1] != 'B') {
            name[used++] = *at == ' ' ? '-' : *at;
        }
    }
    name[used] = 0;
    return at ? name : NULL;
}

static const char *option_name(size_t i) {
    static const char *const names[] = {"label", "color-by", "reader", "phase",
                                        "row",   "lines",    "theme"};
    return i < sizeof(names) / sizeof(names[0]) ? names[i] : NULL;
}

int page_is_drawing_option(const char *name) {
    size_t i = 0;
    while (option_name(i) && !page_same(name, option_name(i))) {
        i++;
    }
    return option_name(i) != NULL;
}

static int set_name(uint32_t *out, const char *value, const char *what, tma_name_at names,
                    tma_error *error) {
    size_t found = 0;
    if (tma_read_name(&found, value, what, names, error)) {
        return -1;
    }
    *out = (uint32_t)found;
    return 0;
}

static int set_lines(tma_drawing *d, const char *value, tma_error *error) {
    if (tma_read_u32(&d->lines, value, page_length(value), TMA_DRAW_MOST_LINES, "--lines", error)) {
        return -1;
    }
    return d->lines ? 0 : tma_fail(error, "--lines: 0 is not in 1 to %d", TMA_DRAW_MOST_LINES);
}

int page_set_drawing(page_request *request, const char *name, const char *value) {
    tma_drawing *d = &request->drawing;
    tma_error *error = &request->error;
    const size_t length = page_length(value);
    if (page_same(name, "label")) {
        return set_name(&d->label, value, "--label", label_name, error);
    }
    if (page_same(name, "color-by")) {
        return set_name(&d->color, value, "--color-by", color_name, error);
    }
    if (page_same(name, "reader")) {
        return set_name(&d->reader, value, "--reader", reader_name, error);
    }
    if (page_same(name, "theme")) {
        return set_name(&d->theme, value, "--theme", theme_name, error);
    }
    if (page_same(name, "phase")) {
        return tma_read_u32(&d->phase, value, length, UINT32_MAX, "--phase", error);
    }
    return page_same(name, "row") ? tma_read_u32(&d->row, value, length, UINT32_MAX, "--row", error)
                                  : set_lines(d, value, error);
}
