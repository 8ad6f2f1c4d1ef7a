/* SPDX-License-Identifier: Apache-2.0
 *
 * A convolution's padding, dilation, filter and stride to the corners and element strides of an
 * im2col map. The lower corner is where the first filter tap of the first output pixel lies, the
 * upper one where that of the last lies, from the tensor's end on.
 */
#include "spec_table.h"
#include "tma/detail/chars.h"

enum { PAD, DIL, FILTER, STRIDE, PARTS };

static const char *const part_names[PARTS] = {"pad", "dil", "filter", "stride"};
static const uint64_t left_out[PARTS] = {0, 1, 0, 1};

typedef struct conv {
    uint64_t of[PARTS][TMA_MAX_SPATIAL];
    uint32_t count[PARTS]; /* 0: not given; 1: for each dimension */
} conv;

/* "3x3": one entry a spatial dimension, W first. */
static int read_sizes(conv *c, uint32_t part, const char *text, size_t length, tma_error *error) {
    char what[24];
    tma_out name = tma_out_into(what, sizeof(what));
    tma_putf(&name, "--conv %s", part_names[part]);
    if (c->count[part]) {
        return tma_fail(error, "%s is given twice", what);
    }
    for (;;) {
        const size_t size = text_until(text, length, 'x');
        if (c->count[part] == TMA_MAX_SPATIAL) {
            return tma_fail(error, "%s has more than %d entries: W, H and D", what,
                            TMA_MAX_SPATIAL);
        }
        uint64_t *into = &c->of[part][c->count[part]++];
        if (tma_read_u64(into, text, size, what, error)) {
            return -1;
        }
        if (*into > INT16_MAX || (part != PAD && *into == 0)) {
            return tma_fail(error, "%s is %.*s: %d to %d px are possible", what, text_shown(size),
                            text, part != PAD, INT16_MAX);
        }
        if (size == length) {
            return 0;
        }
        text += size + 1;
        length -= size + 1;
    }
}

static int read_part(conv *c, const char *text, size_t length, tma_error *error) {
    const size_t name = text_until(text, length, '=');
    for (uint32_t part = 0; part < PARTS; part++) {
        if (name < length && text_is(text, name, part_names[part])) {
            return read_sizes(c, part, text + name + 1, length - name - 1, error);
        }
    }
    return tma_fail(error,
                    "--conv: '%.*s' is none of pad=N, dil=N, filter=N and stride=N (N, or one a "
                    "dimension, W first: 3x3)",
                    text_shown(length), text);
}

static int read_conv(conv *c, const char *text, tma_error *error) {
    size_t left = text_length(text);
    for (;;) {
        const size_t length = text_until(text, left, ',');
        if (read_part(c, text, length, error)) {
            return -1;
        }
        if (length == left) {
            break;
        }
        text += length + 1;
        left -= length + 1;
    }
    if (!c->count[FILTER]) {
        return tma_fail(error, "--conv lacks filter=N, one entry a spatial dimension, W first: "
                               "filter=3x3");
    }
    for (uint32_t part = 0; part < PARTS; part++) {
        if (c->count[part] > 1 && c->count[part] != c->count[FILTER]) {
            return tma_fail(error, "--conv %s has %u entries, filter %u", part_names[part],
                            c->count[part], c->count[FILTER]);
        }
    }
    return 0;
}

static int64_t conv_of(const conv *c, uint32_t part, uint32_t i) {
    return (int64_t)(c->count[part] == 0   ? left_out[part]
                     : c->count[part] == 1 ? c->of[part][0]
                                           : c->of[part][i]);
}

/* An option as if it had been given, with `count` entries. */
static int take(tma_spec_words *words, tma_spec_option option, uint32_t count, tma_error *error) {
    words->count[option] = count;
    return tma_spec_words_take(words, option, 1, error);
}

int tma_spec_words_conv(tma_spec_words *words, const char *value, tma_error *error) {
    conv c = {0};
    if (read_conv(&c, value, error)) {
        return -1;
    }
    const uint32_t spatial = c.count[FILTER];
    if (take(words, TMA_OPTION_LOWER, spatial, error) ||
        take(words, TMA_OPTION_UPPER, spatial, error) ||
        (c.count[STRIDE] && take(words, TMA_OPTION_ELEMENT_STRIDE, spatial + 2, error))) {
        return -1;
    }
    for (uint32_t i = 0; i < TMA_MAX_RANK && c.count[STRIDE]; i++) {
        const int is_spatial = i > 0 && i <= spatial; /* neither channels nor images */
        words->spec.element_stride[i] = is_spatial ? (uint32_t)conv_of(&c, STRIDE, i - 1) : 1;
    }
    for (uint32_t i = 0; i < spatial; i++) {
        const int64_t pad = conv_of(&c, PAD, i);
        const int64_t reach = conv_of(&c, DIL, i) * (conv_of(&c, FILTER, i) - 1);
        words->spec.lower_px[i] = (int32_t)-pad;
        words->spec.upper_px[i] = (int32_t)(pad - reach);
    }
    return 0;
}
