/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of one map that a sentence names together: "float32 with a box of 64 x 32 and
 * SWIZZLE_128B", "INTERLEAVE_32B with SWIZZLE_128B". They are judged in a map of which all else is
 * legal.
 */
#include "prose_facts.h"

#include <string.h>

#include "crash_words.h"
#include "prose.h"
#include "tma/synonyms.h"
#include "tma/tma.h"

#define NO_VALUE UINT32_MAX
#define MOST_GAP 24
#define ROOM_EL  1024

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What a clause names. */
typedef struct combo {
    uint32_t dtype;
    uint32_t interleave;
    uint32_t swizzle;
    uint32_t fill;
    uint64_t dim0;
    uint32_t box_el[TMA_MAX_RANK];
    uint32_t box_count;
    size_t from; /* of the first and behind the last of them */
    size_t to;
} combo;

static void took(combo *c, size_t from, size_t to) {
    c->from = c->to && c->from < from ? c->from : from;
    c->to = to > c->to ? to : c->to;
}

/* An enumerator of cuda.h, with or without what all of them begin with. */
static size_t take_enumerator(combo *c, const paste_line *line, size_t at) {
    static const struct {
        tma_enum_kind kind;
        const char *words;
    } kinds[] = {{TMA_ENUM_DTYPE, "CU_TENSOR_MAP_DATA_TYPE_*"},
                 {TMA_ENUM_INTERLEAVE, "CU_TENSOR_MAP_INTERLEAVE_*"},
                 {TMA_ENUM_INTERLEAVE, "INTERLEAVE_#*"},
                 {TMA_ENUM_SWIZZLE, "CU_TENSOR_MAP_SWIZZLE_*"},
                 {TMA_ENUM_SWIZZLE, "SWIZZLE_#*"},
                 {TMA_ENUM_FILL, "CU_TENSOR_MAP_FLOAT_OOB_FILL_*"}};
    uint32_t *const to[] = {&c->dtype,   &c->interleave, &c->interleave,
                            &c->swizzle, &c->swizzle,    &c->fill};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const size_t n = crash_match(line->text, line->length, at, kinds[i].words);
        const tma_enum_row *row = n ? tma_enum_synonym(kinds[i].kind, line->text + at, n) : NULL;
        const uint32_t value = row && row->driver >= 0 ? (uint32_t)row->driver : NO_VALUE;
        if (value != NO_VALUE && (*to[i] == NO_VALUE || *to[i] == value)) {
            *to[i] = value;
            took(c, at, at + n);
            return n;
        }
    }
    return 0;
}

static size_t number_at(const paste_line *line, size_t at, uint64_t *number) {
    const size_t n = text_run(line->text + at, line->length - at, text_is_digit);
    *number = 0;
    for (size_t i = 0; i < n && n < 10; i++) {
        *number = *number * 10 + (uint64_t)(line->text[at + i] - '0');
    }
    const char behind = at + n < line->length ? line->text[at + n] : ' ';
    return n && n < 10 && (!text_is_word(behind) || behind == 'x') ? n : 0;
}

/* What may stand between a name and its numbers. */
static size_t joint(const paste_line *line, size_t at) {
    static const char *const words[] = {"of", "is", "dimensions", "size", "shape", "tile"};
    size_t end = at;
    while (end < line->length && end - at < MOST_GAP) {
        const char ch = line->text[end];
        size_t n = paste_is_blank(ch) || ch == '=' || ch == ':' || ch == '`' || ch == '{' ||
                   ch == '[' || ch == '(';
        for (size_t i = 0; !n && i < COUNT(words); i++) {
            n = crash_match(line->text, line->length, end, words[i]);
        }
        if (!n) {
            break;
        }
        end += n;
    }
    return end;
}

/* "x", ", ", " x ": between two sizes; 0 if the list ends. */
static size_t between(const paste_line *line, size_t at) {
    size_t end = at;
    while (end < line->length && paste_is_blank(line->text[end])) {
        end++;
    }
    if (end < line->length && (line->text[end] == 'x' || line->text[end] == ',')) {
        for (end++; end < line->length && paste_is_blank(line->text[end]);) {
            end++;
        }
        return end < line->length && text_is_digit(line->text[end]) ? end - at : 0;
    }
    return 0;
}

/* "box of 64 x 32", "boxDim = {64, 32}": innermost first, as the driver has it. */
static size_t take_box(combo *c, const paste_line *line, size_t at) {
    static const char *const names[] = {"box", "boxDim", "box_dim", "box_dim_val", "TMA box"};
    uint64_t number = 0;
    size_t name = 0;
    for (size_t i = 0; i < COUNT(names); i++) {
        const size_t n = crash_match(line->text, line->length, at, names[i]);
        name = n > name ? n : name;
    }
    size_t end = name ? joint(line, at + name) : at;
    size_t n = end > at + name ? number_at(line, end, &number) : 0;
    if (!name || !n || c->box_count) {
        return 0;
    }
    while (n && c->box_count < TMA_MAX_RANK) {
        c->box_el[c->box_count++] = (uint32_t)number;
        end += n;
        const size_t gap = between(line, end);
        n = gap ? number_at(line, end + gap, &number) : 0;
        end += n ? gap : 0;
    }
    took(c, at, end);
    return end - at;
}

int prose_names_box_over(const char *text, size_t size, uint64_t limit) {
    paste_line line;
    paste_lines lines = {text, size, 0, 0, 0};
    while (paste_next_line(&lines, &line)) {
        for (size_t at = 0; at < line.length; at++) {
            combo c = {.box_count = 0};
            uint64_t largest = 0;
            const int begins = !at || !text_is_word(line.text[at - 1]);
            const size_t n =
                begins ? take_box(&c, &line, at) + prose_product(&line, at, &largest) : 0;
            for (size_t i = 0; n && i < c.box_count; i++) {
                largest = c.box_el[i] > largest ? c.box_el[i] : largest;
            }
            if (n && largest > limit) {
                return 1;
            }
        }
    }
    return 0;
}

static size_t take_dim(combo *c, const paste_line *line, size_t at) {
    const size_t name = crash_match(line->text, line->length, at, "globalDim[0]");
    const size_t end = name ? joint(line, at + name) : at;
    uint64_t number = 0;
    const size_t n = name && end > at + name ? number_at(line, end, &number) : 0;
    if (!n || c->dim0) {
        return 0;
    }
    c->dim0 = number;
    took(c, at, end + n);
    return end + n - at;
}

/* A legal map with the values in their places. */
static tma_spec map_of(const combo *c) {
    const int is_interleaved = c->interleave != NO_VALUE && c->interleave != TMA_INTERLEAVE_NONE;
    tma_spec spec = {.api = TMA_API_TILED,
                     .dtype = c->dtype == NO_VALUE ? (uint32_t)TMA_DTYPE_UINT8 : c->dtype,
                     .rank = is_interleaved || c->box_count > 2 ? TMA_MAX_RANK : 2,
                     .address = UINT64_C(0x7f0000000000)};
    for (uint32_t i = 0; i < spec.rank; i++) {
        spec.dim_el[i] = ROOM_EL;
        spec.box_el[i] = i < c->box_count ? c->box_el[i] : 1;
        spec.element_stride[i] = 1;
    }
    spec.dim_el[0] = c->dim0 ? c->dim0 : spec.dim_el[0];
    const uint32_t bits = tma_dtype_bits(spec.dtype) ? tma_dtype_bits(spec.dtype) : 8;
    spec.box_el[0] = c->box_count ? spec.box_el[0] : bits < 8 ? 128 : 256 / bits;
    for (uint32_t i = 0; i + 1 < spec.rank; i++) {
        spec.stride_B[i] = (uint64_t)ROOM_EL * 16 << (2 * i);
    }
    spec.interleave = c->interleave == NO_VALUE ? (uint32_t)TMA_INTERLEAVE_NONE : c->interleave;
    spec.swizzle = c->swizzle == NO_VALUE ? (uint32_t)TMA_SWIZZLE_NONE : c->swizzle;
    spec.fill = c->fill == NO_VALUE ? 0 : c->fill;
    return spec;
}

/* Whether what a finding is about stands in the clause, with what it is held against. */
static int is_said(const combo *c, const tma_finding *f) {
    const int has_type = c->dtype != NO_VALUE;
    switch (f->argument) {
    case TMA_ARG_SWIZZLE:
    case TMA_ARG_INTERLEAVE:
        return c->swizzle != NO_VALUE && c->interleave != NO_VALUE;
    case TMA_ARG_FILL:
        return c->fill != NO_VALUE && has_type;
    case TMA_ARG_DIM:
        return c->dim0 && has_type;
    case TMA_ARG_BOX:
        return f->index >= 0 && (uint32_t)f->index < c->box_count &&
               (c->box_count > 1 || c->swizzle != NO_VALUE) && (f->index > 0 || has_type);
    default:
        return 0;
    }
}

uint32_t prose_swizzle_in(const paste_line *line) {
    uint32_t swizzle = NO_VALUE;
    for (size_t at = 0; at < line->length; at++) {
        combo c = {.dtype = 0, .interleave = 0, .swizzle = NO_VALUE, .fill = 0};
        const int begins = !at || !text_is_word(line->text[at - 1]);
        if (begins && take_enumerator(&c, line, at) && c.swizzle != NO_VALUE) {
            if (swizzle != NO_VALUE && swizzle != c.swizzle) {
                return NO_VALUE;
            }
            swizzle = c.swizzle;
        }
    }
    return swizzle;
}

size_t prose_product(const paste_line *line, size_t at, uint64_t *largest) {
    size_t end = at;
    size_t count = 0;
    int is_more = 1;
    *largest = 0;
    while (is_more && count < TMA_MAX_RANK) {
        const size_t n = text_run(line->text + end, line->length - end, text_is_digit);
        uint64_t number = 0;
        for (size_t i = 0; i < n && n < 8; i++) {
            number = number * 10 + (uint64_t)(line->text[end + i] - '0');
        }
        if (!number) {
            return 0;
        }
        *largest = number > *largest ? number : *largest;
        count++;
        end += n;
        is_more = end < line->length && line->text[end] == 'x';
        end += (size_t)is_more;
    }
    const size_t gap = text_run(line->text + end, line->length - end, paste_is_blank);
    const int is_box = gap && count > 1 && crash_match(line->text, line->length, end + gap, "box");
    return is_box ? end - at : 0;
}

int prose_combo(const paste_line *line, size_t at, size_t end, uint32_t dtype, uint32_t swizzle,
                tma_crash_fact *out) {
    combo c = {.dtype = dtype, .interleave = NO_VALUE, .swizzle = NO_VALUE, .fill = NO_VALUE};
    tma_finding found[16];
    for (size_t i = at; i < end;) {
        const int begins = !i || !text_is_word(line->text[i - 1]);
        size_t n = begins ? take_enumerator(&c, line, i) : 0;
        n = n || !begins ? n : take_box(&c, line, i);
        n = n || !begins ? n : take_dim(&c, line, i);
        i += n ? n : 1;
    }
    if (!c.to) {
        return 0;
    }
    c.swizzle = c.swizzle == NO_VALUE && c.box_count ? swizzle : c.swizzle;
    const tma_spec spec = map_of(&c);
    const tma_target newer = {.sm = 100, .suffix = 'a'}; /* which has packed types */
    const int is_packed = c.dtype != NO_VALUE && tma_dtype_bits(c.dtype) < 8;
    const size_t count = tma_check(found, COUNT(found), &spec, is_packed ? &newer : NULL);
    for (size_t i = 0; i < count && i < COUNT(found); i++) {
        if (found[i].severity == TMA_SEVERITY_REFUSED && is_said(&c, &found[i])) {
            *out = (tma_crash_fact){line->number, {0}, spec.dtype, found[i]};
            const size_t n = c.to - c.from;
            memcpy(out->words, line->text + c.from,
                   n < sizeof(out->words) ? n : sizeof(out->words) - 1);
            return 1;
        }
    }
    return 0;
}
