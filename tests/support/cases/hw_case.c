/* SPDX-License-Identifier: Apache-2.0
 *
 * hw lines: cut into words first, then every word is asked for once; one that nobody asked for is
 * an error.
 */
#include "hw_case.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <tma/pattern.h>

#define WORDS 64

struct words {
    const char *key[WORDS];
    const char *value[WORDS];
    int count;
    int left; /* not asked for yet */
    const char *wrong;
};

static void cut(struct words *w, char *line) {
    line[strcspn(line, "\r\n")] = 0;
    if (strncmp(line, "hw ", 3) != 0) {
        w->wrong = "the kind is not hw";
        return;
    }
    for (char *word = line + 3; word && w->count < WORDS; w->count++) {
        char *blank = strchr(word, ' ');
        if (blank) {
            *blank++ = 0;
        }
        char *value = strchr(word, '=');
        if (!value) {
            w->wrong = "a field has no value";
            return;
        }
        *value = 0;
        w->key[w->count] = word;
        w->value[w->count] = value + 1;
        word = blank;
    }
    w->left = w->count;
}

static const char *take(struct words *w, const char *key) {
    for (int i = 0; i < w->count; i++) {
        if (w->key[i] && strcmp(w->key[i], key) == 0) {
            w->key[i] = NULL;
            w->left--;
            return w->value[i];
        }
    }
    return NULL;
}

static const char *must_take(struct words *w, const char *key) {
    const char *value = take(w, key);
    if (!value) {
        w->wrong = w->wrong ? w->wrong : key;
        return "0";
    }
    return value;
}

/* Numbers between commas; negative ones as two's complement. Returns how many. */
static int numbers(struct words *w, const char *text, uint64_t *out, int base, int most) {
    int n = 0;
    while (text && *text) {
        char *end = NULL;
        errno = 0;
        const uint64_t value =
            *text == '-' ? (uint64_t)strtoll(text, &end, base) : strtoull(text, &end, base);
        if (end == text || errno || n == most || (*end && (*end != ',' || !end[1]))) {
            w->wrong = "a number is odd, or a list too long";
            return n;
        }
        out[n++] = value;
        text = *end ? end + 1 : end;
    }
    return n;
}

static uint64_t number(struct words *w, const char *key) {
    uint64_t value = 0;
    if (numbers(w, must_take(w, key), &value, 0, 1) != 1) {
        w->wrong = w->wrong ? w->wrong : key;
    }
    return value;
}

static uint32_t number32(struct words *w, const char *key) {
    const uint64_t value = number(w, key);
    if (value > UINT32_MAX) {
        w->wrong = key;
    }
    return (uint32_t)value;
}

/* Which of the names a word is. */
static uint32_t name_of(struct words *w, const char *key, const char *const *names,
                        uint32_t count) {
    const char *value = must_take(w, key);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(names[i], value) == 0) {
            return i;
        }
    }
    w->wrong = w->wrong ? w->wrong : key;
    return 0;
}

#define NAME_OF(w, key, names)                                                                     \
    name_of(w, key, names, (uint32_t)(sizeof(names) / sizeof((names)[0])))

static void read_tensor(struct words *w, tma_spec *s) {
    static const char *const apis[] = {"tiled", "im2col", "wide"};
    uint64_t list[TMA_MAX_RANK] = {0};
    s->api = NAME_OF(w, "api", apis);
    s->dtype = number32(w, "dtype");
    s->rank = number32(w, "rank");
    s->interleave = number32(w, "il");
    s->swizzle = number32(w, "sw");
    s->l2 = number32(w, "l2");
    s->fill = number32(w, "oob");
    s->address = number(w, "addr");
    if (s->api == TMA_API_WIDE) {
        s->wide_mode = number32(w, "mode_w");
    }
    numbers(w, must_take(w, "dim"), s->dim_el, 0, TMA_MAX_RANK);
    numbers(w, must_take(w, "stride"), s->stride_B, 0, TMA_MAX_STRIDES);
    const int steps = numbers(w, must_take(w, "es"), list, 0, TMA_MAX_RANK);
    for (int i = 0; i < steps; i++) {
        s->element_stride[i] = (uint32_t)list[i];
    }
}

static void read_box(struct words *w, tma_spec *s) {
    uint64_t list[TMA_MAX_RANK] = {0};
    if (s->api == TMA_API_TILED) {
        const int n = numbers(w, must_take(w, "box"), list, 0, TMA_MAX_RANK);
        for (int i = 0; i < n; i++) {
            s->box_el[i] = (uint32_t)list[i];
        }
        return;
    }
    const int lower = numbers(w, must_take(w, "lo"), list, 0, TMA_MAX_SPATIAL);
    for (int i = 0; i < lower; i++) {
        s->lower_px[i] = (int32_t)(int64_t)list[i];
    }
    const int upper = numbers(w, must_take(w, "up"), list, 0, TMA_MAX_SPATIAL);
    for (int i = 0; i < upper; i++) {
        s->upper_px[i] = (int32_t)(int64_t)list[i];
    }
    s->channels_per_pixel = number32(w, "cpp");
    s->pixels_per_column = number32(w, "ppc");
}

static void read_target(struct words *w, struct hw_case *c) {
    const char *arch = take(w, "arch");
    const tma_arch_row *row = tma_arch_find(arch ? arch : "sm_90");
    c->target = (tma_target){.sm = 90, .driver = 13000};
    if (!row) {
        w->wrong = "arch";
        return;
    }
    c->target.sm = row->sm;
    c->target.suffix = row->suffix;
    /* H200: the loads were written for .shared::cluster. The others were published without their
     * text; sm_120 has these forms to .shared::cta alone. */
    c->instruction.cluster = arch == NULL;
    c->has_tx = arch != NULL;
}

static void read_copy(struct words *w, struct hw_case *c) {
    static const char *const ops[] = {"load", "store", "add", "min", "max",
                                      "inc",  "dec",   "and", "or",  "xor"};
    static const char *const modes[] = {"tile",     "im2col",   "gather4",
                                        "scatter4", "im2col_w", "im2col_w128"};
    static const char *const fills[] = {"rand",  "ramp16", "ramp32", "special",
                                        "mix16", "mix32",  "mix64"};
    uint64_t list[TMA_MAX_RANK] = {0};
    c->instruction.op = NAME_OF(w, "op", ops);
    c->instruction.mode = NAME_OF(w, "mode", modes);
    numbers(w, must_take(w, "coord"), list, 0, TMA_MAX_RANK);
    for (int i = 0; i < TMA_MAX_RANK; i++) {
        c->at.coord[i] = (int32_t)(int64_t)list[i];
    }
    const int offsets = numbers(w, take(w, "off"), list, 0, TMA_MAX_SPATIAL);
    for (int i = 0; i < offsets; i++) {
        c->at.offset[i] = (uint16_t)list[i];
    }
    c->at.shared_address = number32(w, "smem");
    c->window_B = number(w, "win");
    c->global_B = number(w, "gwin");
    c->fill = (enum hw_fill)NAME_OF(w, "fill", fills);
    c->seed = number(w, "seed");
    numbers(w, take(w, "expect"), &c->expect_B, 0, 1);
    const char *space = take(w, "space");
    if (space) {
        c->instruction.cluster = strcmp(space, "cluster") == 0;
    }
}

static void read_answer(struct words *w, struct hw_case *c) {
    const char *asked = take(w, "raw"); /* the request's raw=1; the answer's comes last */
    c->rc = number(w, "rc");
    if (c->rc) {
        return;
    }
    c->status = must_take(w, "st");
    take(w, "bars"); /* the barrier's raw words mean nothing */
    if (numbers(w, take(w, "tx"), &c->tx_B, 0, 1) == 0) {
        c->has_tx = 0;
    }
    if (strncmp(c->status, "trap:", 5) == 0) {
        return;
    }
    c->count_B = number(w, "n");
    numbers(w, must_take(w, "hash"), &c->hash, 16, 1);
    c->raw = asked ? must_take(w, "raw") : NULL;
}

const char *hw_case_read(char *line, struct hw_case *c) {
    struct words w = {.count = 0};
    memset(c, 0, sizeof(*c));
    cut(&w, line);
    if (w.wrong) {
        return w.wrong;
    }
    read_target(&w, c);
    read_tensor(&w, &c->spec);
    read_box(&w, &c->spec);
    read_copy(&w, c);
    read_answer(&w, c);
    take(&w, "id");
    return w.wrong ? w.wrong : w.left ? "a field is unknown" : NULL;
}

static uint64_t splitmix(uint64_t x) {
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* Zeros, subnormals, ties, infinities, NaNs. */
static uint64_t special(uint64_t seed, uint64_t bits) {
    static const uint32_t words[32] = {
        0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
        0x80800000, 0x3f800000, 0xbf800000, 0x3f801000, 0x3f803000, 0x3f801001, 0x3f802fff,
        0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001,
        0xff800001, 0x7fffffff, 0xffffffff, 0x00002000, 0x00001000, 0x7f7fe000, 0x7f7ff000,
        0x4b800000, 0x33800000, 0x01000000, 0x81000000};
    static const uint16_t halves[32] = {
        0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3c01,
        0x3bff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0xfc01, 0x7e00, 0xfe00, 0x7fff, 0xffff,
        0x3f80, 0xbf80, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7f81, 0x007f, 0x807f, 0x0080};
    if (seed & 1) {
        return words[bits & 31] | (uint64_t)words[bits >> 8 & 31] << 32;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < 4; i++) {
        value |= (uint64_t)halves[bits >> (8 * i) & 31] << (16 * i);
    }
    return value;
}

static uint64_t pattern(enum hw_fill fill, uint64_t seed, uint64_t i) {
    const uint64_t bits = splitmix(seed * UINT64_C(0x100000001B3) + i);
    uint64_t value = 0;
    switch (fill) {
    case HW_FILL_RAMP16:
        for (unsigned k = 0; k < 4; k++) {
            value |= ((4 * i + k) & 0xFFFF) << (16 * k);
        }
        return value;
    case HW_FILL_RAMP32:
        return (2 * i & UINT32_MAX) | (2 * i + 1) << 32;
    case HW_FILL_SPECIAL:
        return special(seed, bits);
    case HW_FILL_MIX16:
    case HW_FILL_MIX32:
    case HW_FILL_MIX64: /* as the program that captured them has it */
        return tma_pattern_word(TMA_PATTERN_MIX16 + (fill - HW_FILL_MIX16), seed, i);
    default:
        return bits;
    }
}

static void put_word(uint8_t bytes[8], uint64_t word) {
    bytes[0] = (uint8_t)word;
    bytes[1] = (uint8_t)(word >> 8);
    bytes[2] = (uint8_t)(word >> 16);
    bytes[3] = (uint8_t)(word >> 24);
    bytes[4] = (uint8_t)(word >> 32);
    bytes[5] = (uint8_t)(word >> 40);
    bytes[6] = (uint8_t)(word >> 48);
    bytes[7] = (uint8_t)(word >> 56);
}

void hw_fill_bytes(uint8_t *bytes, uint64_t count_B, enum hw_fill fill, uint64_t seed) {
    const uint64_t words = count_B / 8;
    uint8_t last[8];
    for (uint64_t i = 0; i < words; i++) {
        put_word(bytes + 8 * i, pattern(fill, seed, i));
    }
    put_word(last, pattern(fill, seed, words));
    memcpy(bytes + 8 * words, last, count_B % 8);
}

uint64_t hw_hash(const uint8_t *bytes, uint64_t count_B) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint64_t i = 0; i < count_B; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}
