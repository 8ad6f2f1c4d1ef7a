/* SPDX-License-Identifier: Apache-2.0
 *
 * What is odd about 128 bytes, with the numbers.
 */
#include <string.h>

#include "tma/detail/chars.h"
#include "tma/limits.def"
#include "tma/view.h"

static const struct {
    uint32_t bit;
    const char *name;
} names[] = {
    {TMA_ODD_KIND, "kind"},
    {TMA_ODD_RANK, "rank"},
    {TMA_ODD_ELEMENT, "elemtype"},
    {TMA_ODD_INTERLEAVE, "interleave"},
    {TMA_ODD_TF32_FLAG, "tf32"},
    {TMA_ODD_ATOMICITY, "swizzle_atomicity"},
    {TMA_ODD_SWIZZLE_96B, "swizzle_96B"},
    {TMA_ODD_BOX_BYTES, "box_bytes"},
    {TMA_ODD_REPEAT, "swizzle_repeat"},
    {TMA_ODD_BEYOND_RANK, "beyond_rank"},
    {TMA_ODD_UNOWNED, "unowned"},
};

#define SHOWN_WORDS 4

static void unowned_detail(tma_out *out, const uint8_t *map) {
    uint32_t words[TMA_MAP_WORDS];
    uint32_t count = 0;
    tma_unowned(words, map);
    for (uint32_t i = 0; i < TMA_MAP_WORDS; i++) {
        if (words[i] && ++count <= SHOWN_WORDS) {
            tma_putf(out, "%sword %u bits 0x%08x", count > 1 ? ", " : "", i, words[i]);
        }
    }
    if (count > SHOWN_WORDS) {
        tma_putf(out, ", and %u more words", count - SHOWN_WORDS);
    }
}

/* The fields of arrays that hold something although the rank has no such entry. */
static void beyond_detail(tma_out *out, const tma_judged *j) {
    const char *between = "";
    const size_t count = tma_field_count();
    for (size_t i = 0; i < count; i++) {
        if (tma_field_applies(tma_field_at(i), &j->decoded) &&
            tma_field_read(tma_field_at(i), j->map.bytes) &&
            !text_begins(tma_field_at(i)->name, "lower") &&
            !text_begins(tma_field_at(i)->name, "upper") &&
            !tma_field_is_live(tma_field_at(i), &j->decoded)) {
            tma_putf(out, "%s%s", between, tma_field_at(i)->name);
            between = ", ";
        }
    }
}

/* The numbers behind an oddity; nothing if its sentence says all. */
static void detail(tma_out *out, const tma_judged *j, const tma_decoded *expected, uint32_t bit) {
    const int is_whole = !(j->decoded.odd & (TMA_ODD_KIND | TMA_ODD_RANK | TMA_ODD_ELEMENT));
    if (bit == TMA_ODD_BOX_BYTES && is_whole) {
        tma_putf(out, "stored %u B, expected %u B", j->decoded.box_B, expected->box_B);
    } else if (bit == TMA_ODD_REPEAT) {
        tma_putf(out, "stored %u B, expected %u B", j->decoded.repeat_B,
                 tma_swizzle_repeat_B(j->decoded.spec.swizzle));
    } else if (bit == TMA_ODD_UNOWNED) {
        unowned_detail(out, j->map.bytes);
    } else if (bit == TMA_ODD_BEYOND_RANK) {
        beyond_detail(out, j);
    }
}

/* Whether no driver's rule would set bit 21: they differ in how they measure a tensor. */
static int is_small(const tma_decoded *of) {
    static const uint32_t drivers[] = {TMA_VALUE(SEEN_DRIVER), TMA_VALUE(EXTENT_DRIVER)};
    for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
        const tma_target target = {.sm = 100, .driver = drivers[i], .readings = of->readings};
        tma_map map;
        tma_decoded decoded;
        if (tma_encode_forced(map.bytes, &of->spec, &target, NULL) != TMA_OK ||
            tma_decode(&decoded, map.bytes) != TMA_OK || decoded.bit21) {
            return 0;
        }
    }
    return 1;
}

static const char *class_name(uint32_t bit21) {
    return tma_enum_row_of(TMA_ENUM_CLASS, bit21 ? TMA_CLASS_LARGE : TMA_CLASS_SMALL)->name;
}

static tma_out begin(tma_judged *j, const char *name) {
    tma_oddity *odd = &j->odd[j->count++];
    odd->name = name;
    return tma_out_into(odd->text, sizeof(odd->text));
}

static void judge_bit21(tma_judged *j, const tma_decoded *expected,
                        const tma_target_words *target) {
    const int is_set = j->decoded.bit21 != 0;
    if (!target->has_arch && !target->has_driver) {
        if (is_set && is_small(&j->decoded)) {
            tma_out out = begin(j, "large_tensor");
            tma_put(&out,
                    "the allocation class is large (bit 21 of word 2), but the tensor "
                    "is smaller than " TMA_SAY(LARGE_TENSOR) ": stale, or no driver made the map");
        }
    } else if (expected->bit21 != j->decoded.bit21) {
        tma_out out = begin(j, "large_tensor");
        tma_putf(&out, "the allocation class is %s (bit 21 of word 2 is %s), driver ",
                 class_name(j->decoded.bit21), is_set ? "set" : "clear");
        tma_put_driver(&out, target->target.driver);
        tma_putf(&out, " for %s makes it %s: stale, set, or another driver's",
                 tma_arch_text(&target->target), class_name(expected->bit21));
    }
}

/* Word 2 is the mask itself: `=` for `&=`. */
static void judge_mask(tma_judged *j, const uint8_t *map) {
    const size_t count = tma_field_count();
    for (size_t i = 0; i < count; i++) {
        const tma_field_row *row = tma_field_at(i);
        if (text_same(row->name, "large_tensor")) {
            uint32_t mask = ~(UINT32_C(1) << row->bit);
            for (size_t k = 0; k < 4; k++) {
                mask ^= (uint32_t)map[(size_t)4 * row->word + k] << (8 * k);
            }
            if (mask == 0) {
                tma_out out = begin(j, "class_mask");
                tma_putf(&out,
                         "word %u is ~(1 << %u), the mask that clears the allocation class: it was "
                         "assigned (=) and not and-ed (&=), and what the word held is lost",
                         (unsigned)row->word, (unsigned)row->bit);
            }
        }
    }
}

static void judge_bit(tma_judged *j, const tma_decoded *expected, uint32_t bit, const char *name) {
    tma_out out = begin(j, name);
    char numbers[256];
    tma_out details = tma_out_into(numbers, sizeof(numbers));
    detail(&details, j, expected, bit);
    tma_putf(&out, details.length ? "%s (%s)" : "%s", tma_odd_text(bit), numbers);
}

/* A reading that the target's driver does not follow makes no word right. */
static void judge_readings(tma_decoded *d, uint32_t followed) {
    const uint32_t repeat = ((UINT32_C(1) << TMA_READING_BITS) - 1)
                            << TMA_READING_ATOM_REPEAT * TMA_READING_BITS;
    const uint32_t not_followed = d->readings & ~followed;
    d->readings &= followed;
    d->odd |= not_followed & repeat ? TMA_ODD_REPEAT : 0;
    d->odd |= not_followed & ~repeat ? TMA_ODD_BOX_BYTES : 0;
}

void tma_judge(tma_judged *j, const uint8_t *map, const tma_target_words *target) {
    tma_target_words words = *target; /* both may lie in what is written */
    tma_map given;
    tma_map again;
    tma_decoded expected;
    memcpy(given.bytes, map, sizeof(given.bytes));
    memset(j, 0, sizeof(*j));
    j->map = given;
    if (tma_decode(&j->decoded, given.bytes) != TMA_OK) {
        return;
    }
    words.target.readings |= j->decoded.readings;
    if (tma_encode_forced(again.bytes, &j->decoded.spec, &words.target, NULL) != TMA_OK ||
        tma_decode(&expected, again.bytes) != TMA_OK) {
        return; /* a target that nobody knows: nothing to compare with */
    }
    if (words.has_arch) {
        judge_readings(&j->decoded, expected.readings);
    }
    j->needs_force = !tma_accepts(&j->decoded.spec, &words.target);
    j->has_bytes = 1;
    for (size_t i = 0; i < sizeof(again.bytes); i++) {
        j->has_bytes &= again.bytes[i] == given.bytes[i];
    }
    judge_mask(j, given.bytes);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (j->decoded.odd & names[i].bit) {
            judge_bit(j, &expected, names[i].bit, names[i].name);
        }
    }
    judge_bit21(j, &expected, &words);
}

bool tma_judged_has(const tma_judged *j, const char *name) {
    for (size_t i = 0; i < j->count; i++) {
        if (text_same(j->odd[i].name, name)) {
            return 1;
        }
    }
    return 0;
}
