/* SPDX-License-Identifier: Apache-2.0
 *
 * Topics of tma list.
 */
#include "list_topics.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tma/mma.h"
#include "tma/view.h"

__attribute__((format(printf, 3, 4))) static void put(list_row *row, int column, const char *format,
                                                      ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(row->cell[column], LIST_CELL_SIZE, format, values);
    va_end(values);
}

static void put_number(list_row *row, int column, int32_t number) {
    if (number < 0) {
        put(row, column, "-");
    } else {
        put(row, column, "%" PRId32, number);
    }
}

static const tma_enum_row *enum_row(tma_enum_kind kind, size_t i) {
    const size_t count = tma_enum_count(kind);
    return i < count ? tma_enum_at(kind, i) : NULL;
}

/* The columns of an enumeration, with `more` of its own before the words. */
#define NUMBERS "name", "driver", "ptx", "stored"
#define WORDS   "ptx_word", "cuda", "evidence"

static int fill_enum(tma_enum_kind kind, size_t i, int more, list_row *out) {
    const tma_enum_row *row = enum_row(kind, i);
    if (!row) {
        return 0;
    }
    put(out, 0, "%s", row->name);
    put_number(out, 1, row->driver);
    put_number(out, 2, row->ptx);
    put_number(out, 3, row->stored);
    put(out, 4 + more, "%s", *row->ptx_name ? row->ptx_name : "-");
    put(out, 5 + more, "%s", *row->cuda_name ? row->cuda_name : "-");
    put(out, 6 + more, "%s", row->evidence);
    return 1;
}

#define FILL_ENUM(kind)                                                                            \
    static int fill_##kind(size_t i, list_row *out) {                                              \
        return fill_enum(TMA_ENUM_##kind, i, 0, out);                                              \
    }
FILL_ENUM(API)
FILL_ENUM(INTERLEAVE)
FILL_ENUM(ATOMICITY)
FILL_ENUM(L2)
FILL_ENUM(FILL)
FILL_ENUM(WIDE_MODE)
FILL_ENUM(CLASS)

static int fill_dtype(size_t i, list_row *out) {
    const tma_enum_row *row = enum_row(TMA_ENUM_DTYPE, i);
    if (!fill_enum(TMA_ENUM_DTYPE, i, 1, out)) {
        return 0;
    }
    put(out, 4, "%" PRIu32, tma_dtype_bits((uint32_t)row->driver));
    return 1;
}

static int fill_swizzle(size_t i, list_row *out) {
    const tma_enum_row *row = enum_row(TMA_ENUM_SWIZZLE, i);
    if (!fill_enum(TMA_ENUM_SWIZZLE, i, 2, out)) {
        return 0;
    }
    put(out, 4, "%" PRIu32, tma_swizzle_span_B((uint32_t)row->driver));
    put(out, 5, "%" PRIu32, tma_swizzle_repeat_B((uint32_t)row->driver));
    return 1;
}

static void put_features(list_row *out, int column, uint64_t features) {
    static const struct {
        uint32_t bit;
        const char *name;
    } names[] = {
        {TMA_FEATURE_REPLACE, "replace"},
        {TMA_FEATURE_ATOMICITY, "atomicity"},
        {TMA_FEATURE_SWIZZLE_96B, "swizzle_96B"},
        {TMA_FEATURE_GATHER4_CTA, "gather4.cta"},
        {TMA_FEATURE_GATHER4, "gather4"},
        {TMA_FEATURE_SCATTER4, "scatter4"},
        {TMA_FEATURE_W128, "im2col::w::128"},
        {TMA_FEATURE_CTA_GROUP, "cta_group"},
        {TMA_FEATURE_PACKED, "packed"},
        {TMA_FEATURE_BIT21, "bit21"},
        {TMA_FEATURE_STORE_HALVES, "b6p2x16.48B"},
        {TMA_FEATURE_NO_OFFS_W, "im2col_no_offs::w"},
        {TMA_FEATURE_PTX_94, "ptx9.4"},
    };
    size_t used = 0;
    put(out, column, "-");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (features & names[i].bit) {
            used += (size_t)snprintf(out->cell[column] + used, LIST_CELL_SIZE - used, "%s%s",
                                     used ? " " : "", names[i].name);
        }
    }
}

static int fill_arch(size_t i, list_row *out) {
    const size_t count = tma_arch_count();
    if (i >= count) {
        return 0;
    }
    put(out, 0, "%s", tma_arch_at(i)->name);
    put_features(out, 1, tma_arch_at(i)->features);
    put(out, 2, "%s", tma_arch_at(i)->evidence);
    return 1;
}

/* The i-th rule in the order of the standings. */
static const tma_rule *rule_by_standing(size_t i) {
    for (uint32_t standing = 0; standing < TMA_STANDINGS; standing++) {
        for (size_t k = 0; k < tma_rule_count(); k++) {
            if (tma_rule_at(k)->standing == standing && i-- == 0) {
                return tma_rule_at(k);
            }
        }
    }
    return NULL;
}

static const char *rule_group(size_t i) {
    const tma_rule *rule = rule_by_standing(i);
    return rule ? tma_standing_name(rule->standing) : NULL;
}

static int fill_rule(size_t i, list_row *out) {
    const tma_rule *rule = rule_by_standing(i);
    if (!rule) {
        return 0;
    }
    put(out, 0, "%s", rule->name);
    put(out, 1, "%s", tma_severity_name(rule->severity));
    put(out, 2, "%s", rule->statement);
    return 1;
}

static int fill_field(size_t i, list_row *out) {
    static const char *const scopes[] = {"any",        "tiled",      "im2col",
                                         "im2col 3-D", "im2col 4-D", "im2col 5-D"};
    const size_t count = tma_field_count();
    if (i >= count) {
        return 0;
    }
    put(out, 0, "%s", tma_field_at(i)->name);
    put(out, 1, "0x%02x", 4u * tma_field_at(i)->word);
    put(out, 2, "%u", tma_field_at(i)->word);
    tma_out bits = tma_out_into(out->cell[3], LIST_CELL_SIZE);
    tma_put_field_bits(&bits, tma_field_at(i));
    put(out, 4, "%s", scopes[tma_field_at(i)->scope]);
    put(out, 5, "%s", tma_field_at(i)->meaning);
    return 1;
}

static int fill_replace(size_t i, list_row *out) {
    const tma_replace_row *row = tma_replace_row_of((uint32_t)i);
    if (!row) {
        return 0;
    }
    put(out, 0, "%s", row->name);
    put(out, 1, "%zu", i);
    put(out, 2, row->ordinals ? "0 to %d" : "-", row->ordinals - 1);
    if (row->immediate_max >= 0) {
        put(out, 3, "%d to %d", row->immediate_min, row->immediate_max);
    } else {
        put(out, 3, "register");
    }
    put(out, 4, "%s", row->value);
    return 1;
}

static int fill_toolchain(size_t i, list_row *out) {
    const tma_toolchain_row *row = tma_toolchain_at(i);
    if (!row) {
        return 0;
    }
    put(out, 0, "%s", row->name);
    put(out, 1, "%u.%u", row->since / 1000, row->since % 1000 / 10);
    put(out, 2, "%s", row->now);
    put(out, 3, "%s", row->before);
    put(out, 4, "%s", row->evidence);
    return 1;
}

/* The limits that are drivers' versions, the oldest first. */
static const tma_limit *driver_limit(size_t i) {
    const tma_limit *last = NULL;
    for (;; i--) {
        const tma_limit *next = NULL;
        for (size_t k = 0; k < tma_limit_count(); k++) {
            const tma_limit *limit = tma_limit_at(k);
            const int behind = !last || limit->value > last->value ||
                               (limit->value == last->value && limit > last);
            if (limit->unit == TMA_UNIT_VERSION && behind &&
                (!next || limit->value < next->value)) {
                next = limit;
            }
        }
        if (!next || i == 0) {
            return next;
        }
        last = next;
    }
}

static int fill_driver(size_t i, list_row *out) {
    const tma_limit *limit = driver_limit(i);
    if (!limit) {
        return 0;
    }
    put(out, 0, "%s", limit->text);
    put(out, 1, "%s: %s", limit->meaning, limit->evidence);
    return 1;
}

typedef struct disputed {
    const tma_reading *(*question)(size_t index);
    const tma_reads *(*reads)(size_t reading, size_t value);
} disputed;

static const disputed of_copies = {tma_reading_at, tma_reads_at};
static const disputed of_mma = {tma_mma_reading_at, tma_mma_reads_at};

/* The question of row i, which becomes the reading's number. */
static size_t question_of(const disputed *d, size_t *i) {
    size_t reading = 0;
    while (d->question(reading) && *i >= d->question(reading)->count) {
        *i -= d->question(reading++)->count;
    }
    return reading;
}

static int fill_disputed(const disputed *d, size_t i, list_row *out) {
    const size_t reading = question_of(d, &i);
    const tma_reads *reads = d->reads(reading, i);
    if (!reads) {
        return 0;
    }
    put(out, 0, "%s=%s", d->question(reading)->name, reads->name);
    put(out, 1, "%s", i ? "" : "default");
    put(out, 2, "%s", reads->meaning);
    put(out, 3, "%s", reads->holder);
    return 1;
}

static int fill_reading(size_t i, list_row *out) {
    return fill_disputed(&of_copies, i, out);
}

static int fill_mma_reading(size_t i, list_row *out) {
    return fill_disputed(&of_mma, i, out);
}

/* The question, above its readings. */
static const char *group_of(const disputed *d, size_t i) {
    const tma_reading *question = d->question(question_of(d, &i));
    return question ? question->question : NULL;
}

static const char *reading_group(size_t i) {
    return group_of(&of_copies, i);
}

static const char *mma_reading_group(size_t i) {
    return group_of(&of_mma, i);
}

static const list_topic topics[] = {
    {"apis", "the encode calls", {NUMBERS, WORDS}, fill_API, NULL},
    {"dtypes", "element types", {NUMBERS, "bits", WORDS}, fill_dtype, NULL},
    {"interleaves", "interleaves", {NUMBERS, WORDS}, fill_INTERLEAVE, NULL},
    {"swizzles", "swizzles", {NUMBERS, "span_B", "repeat_B", WORDS}, fill_swizzle, NULL},
    {"atomicities",
     "tensormap.replace's swizzle atomicities",
     {NUMBERS, WORDS},
     fill_ATOMICITY,
     NULL},
    {"l2", "L2 promotions", {NUMBERS, WORDS}, fill_L2, NULL},
    {"fills", "out-of-bounds fills", {NUMBERS, WORDS}, fill_FILL, NULL},
    {"wide-modes", "modes of im2col wide", {NUMBERS, WORDS}, fill_WIDE_MODE, NULL},
    {"alloc-classes", "allocation classes: bit 21 of word 2", {NUMBERS, WORDS}, fill_CLASS, NULL},
    {"archs",
     "architectures and what they have",
     {"name", "features", "evidence"},
     fill_arch,
     NULL},
    {"drivers",
     "drivers' versions, what each changes, who says so",
     {"driver", "meaning and evidence"},
     fill_driver,
     NULL},
    {"rules",
     "all rules, by who says so",
     {"name", "severity", "statement"},
     fill_rule,
     rule_group},
    {"readings",
     "what sources dispute, and how it is read",
     {"--reading", "default", "meaning", "who says so"},
     fill_reading,
     reading_group},
    {"mma-readings",
     "what sources of tcgen05's descriptors read otherwise, for --mma-reading",
     {"--reading", "default", "meaning", "who says so"},
     fill_mma_reading,
     mma_reading_group},
    {"fields",
     "fields of the 128 bytes",
     {"name", "byte", "word", "bits", "in", "meaning"},
     fill_field,
     NULL},
    {"replace-fields",
     "fields of tensormap.replace",
     {"name", "number", "ordinals", "operand", "value"},
     fill_replace,
     NULL},
    {"toolchains",
     "what compilers changed in edits of maps, for --ptxas",
     {"name", "since CUDA", "now", "before", "evidence"},
     fill_toolchain,
     NULL},
};

const list_topic *list_topic_at(size_t i) {
    return i < sizeof(topics) / sizeof(topics[0]) ? &topics[i] : NULL;
}
