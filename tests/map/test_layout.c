/* SPDX-License-Identifier: Apache-2.0
 *
 * The 128 bytes held against a second description of them, typed from docs/facts.md and written in
 * another form than the code: a list of fields, packed one bit at a time.
 */
#include "support/testing.h"

#include "support/cases/spec_line.h"
#include "support/gen/gen_spec.h"
#include <tma/map.h>

#define FIELDS 64

struct field {
    uint32_t word;
    uint32_t bit;
    uint32_t width;
    uint64_t value;
};

struct list {
    struct field field[FIELDS];
    size_t count;
};

static void add(struct list *list, uint32_t word, uint32_t bit, uint32_t width, uint64_t value) {
    const struct field field = {word, bit, width, value};
    assert_true(list->count < FIELDS);
    list->field[list->count++] = field;
}

/* By the driver's numbers 0 to 15. */
static const uint8_t element_code[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 7, 8, 11, 12, 13};
static const uint8_t element_bits[] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6};
/* By the driver's numbers 0 to 6. */
static const uint8_t swizzle_bits[] = {0, 1, 2, 3, 3, 3, 3};
static const uint8_t atomicity_bits[] = {0, 0, 0, 0, 1, 2, 3};
static const uint16_t swizzle_repeats_B[] = {16, 256, 512, 1024, 512, 512, 256};

static uint32_t box_bytes(const tma_spec *s) {
    uint64_t bits = element_bits[s->dtype];
    if (s->api != TMA_API_TILED) {
        return (uint32_t)(bits * s->channels_per_pixel * s->pixels_per_column / 8);
    }
    for (uint32_t i = 0; i < s->rank; i++) {
        bits *= s->box_el[i] / s->element_stride[i]; /* rounded down; 0 is possible */
    }
    return (uint32_t)(bits / 8);
}

/* Blackwell's drivers: up to 13.1 by the number of elements, later by the memory spanned. */
static int is_large(const tma_spec *s, const tma_target *target) {
    double elements_B = element_bits[s->dtype] / 8.0;
    double span_B = (double)s->dim_el[0] * elements_B;
    for (uint32_t i = 0; i < s->rank; i++) {
        elements_B *= (double)s->dim_el[i];
        if (i > 0) {
            span_B += (double)(s->dim_el[i] - 1) * (double)s->stride_B[i - 1];
        }
    }
    if (target->sm < 100) {
        return 0;
    }
    return (target->driver <= 13010 ? elements_B : span_B) >= 128.0 * 1024;
}

static void list_word_2(struct list *l, const tma_spec *s, const tma_target *target) {
    const int is_96B = s->swizzle == TMA_SWIZZLE_96B;
    add(l, 2, 0, 1, s->api == TMA_API_TILED ? 0 : 1);
    add(l, 2, 1, 3, 0);
    add(l, 2, 4, 3, s->rank - 1);
    add(l, 2, 7, 4, element_code[s->dtype]);
    add(l, 2, 11, 2, s->interleave);
    add(l, 2, 13, 2, is_96B ? 0 : swizzle_bits[s->swizzle]);
    add(l, 2, 15, 1, s->fill);
    add(l, 2, 16, 1, s->dtype == TMA_DTYPE_TFLOAT32 || s->dtype == TMA_DTYPE_TFLOAT32_FTZ);
    add(l, 2, 17, 2, s->l2);
    add(l, 2, 19, 2, is_96B ? 0 : atomicity_bits[s->swizzle]);
    add(l, 2, 21, 1, (uint64_t)is_large(s, target));
    add(l, 2, 22, 1, (uint64_t)is_96B);
    add(l, 18, 0, 32, is_96B ? 256 : swizzle_repeats_B[s->swizzle]);
}

static void list_corners(struct list *l, const tma_spec *s) {
    const uint32_t width = s->rank == 3 ? 16 : s->rank == 4 ? 8 : 5;
    for (uint32_t i = 0; i < s->rank - 2; i++) {
        const int stored = i == 0 || s->api == TMA_API_IM2COL;
        add(l, 14, i * width, width, stored ? (uint64_t)(int64_t)s->lower_px[i] : 0);
        add(l, 14, 16 + i * width, width, stored ? (uint64_t)(int64_t)s->upper_px[i] : 0);
    }
}

static struct list list_of(const tma_spec *s, const tma_target *target) {
    struct list l = {.count = 0};
    add(&l, 0, 0, 64, s->address);
    list_word_2(&l, s, target);
    for (uint32_t i = 0; i + 1 < s->rank; i++) {
        add(&l, 3 + i, 0, 32, s->stride_B[i] >> 4);
        add(&l, 7, 4 * i, 4, s->stride_B[i] >> 36);
    }
    for (uint32_t i = 0; i < s->rank; i++) {
        add(&l, 8 + i, 0, 32, s->dim_el[i] - 1);
        add(&l, 13, 3 * i, 3, s->element_stride[i] - 1);
    }
    if (s->api == TMA_API_TILED) {
        add(&l, 13, 24, 8, s->box_el[0] - 1);
        for (uint32_t i = 1; i < s->rank; i++) {
            add(&l, 14, 8 * (i - 1), 8, s->box_el[i] - 1);
        }
    } else {
        add(&l, 13, 24, 8, s->channels_per_pixel - 1);
        list_corners(&l, s);
        add(&l, 15, 0, 10, s->pixels_per_column - 1);
    }
    add(&l, 16, 0, 32, box_bytes(s));
    return l;
}

/* Bit n of a map is bit n % 8 of byte n / 8. */
static void pack(const struct list *list, uint8_t *map) {
    memset(map, 0, TMA_MAP_BYTES);
    for (size_t i = 0; i < list->count; i++) {
        const struct field *f = &list->field[i];
        for (uint32_t k = 0; k < f->width; k++) {
            const uint32_t at = 32 * f->word + f->bit + k;
            map[at / 8] |= (uint8_t)((f->value >> k & 1) << (at % 8));
        }
    }
}

static void encode_is_as_listed(void **state) {
    (void)state;
    struct random_source r = {31};
    const unsigned long count = spec_count();
    for (unsigned long i = 0; i < count; i++) {
        const tma_target target = gen_target(&r);
        tma_map map;
        uint8_t expected[TMA_MAP_BYTES];
        const tma_spec spec = gen_encoded(&r, &target, &map);
        const struct list list = list_of(&spec, &target);
        pack(&list, expected);
        if (memcmp(map.bytes, expected, TMA_MAP_BYTES)) {
            char line[SPEC_LINE_BYTES];
            print_error("%s\n", spec_line(&spec, &target, line));
            assert_memory_equal(map.bytes, expected, TMA_MAP_BYTES);
        }
    }
}

/* Nothing is left over from what the map's memory held before. */
static void encode_writes_all_bytes(void **state) {
    (void)state;
    struct random_source r = {32};
    const unsigned long count = spec_count() / 100;
    for (unsigned long i = 0; i < count; i++) {
        const tma_target target = gen_target(&r);
        tma_map map;
        tma_map other;
        const tma_spec spec = gen_encoded(&r, &target, &map);
        memset(&other, 0xFF, sizeof(other));
        assert_int_equal(tma_encode(other.bytes, &spec, &target), TMA_OK);
        assert_memory_equal(&other, &map, sizeof(map));
    }
}

static const struct field *listed(const struct list *list, const tma_field_row *row) {
    for (size_t i = 0; i < list->count; i++) {
        const struct field *f = &list->field[i];
        if (f->word == row->word && f->bit == row->bit && f->width == row->width_bit) {
            return f;
        }
    }
    return NULL;
}

/* The library's own table of fields says the same: the fields that apply read as listed, or 0. */
static void table_is_as_listed(void **state) {
    (void)state;
    struct random_source r = {33};
    const size_t rows = tma_field_count();
    const unsigned long count = spec_count() / 100;
    for (unsigned long i = 0; i < count; i++) {
        const tma_target target = gen_target(&r);
        tma_map map;
        tma_decoded decoded;
        const tma_spec spec = gen_encoded(&r, &target, &map);
        const struct list list = list_of(&spec, &target);
        size_t found = 0;
        assert_int_equal(tma_decode(&decoded, map.bytes), TMA_OK);
        for (size_t k = 0; k < rows; k++) {
            const struct field *f = listed(&list, tma_field_at(k));
            if (!tma_field_applies(tma_field_at(k), &decoded)) {
                continue;
            }
            const uint64_t mask = tma_field_at(k)->width_bit < 64
                                      ? (UINT64_C(1) << tma_field_at(k)->width_bit) - 1
                                      : UINT64_MAX;
            const uint64_t expected = f ? f->value & mask : 0; /* beyond the rank: 0 */
            if (tma_field_read(tma_field_at(k), map.bytes) != expected) {
                fail_msg("%s reads otherwise", tma_field_at(k)->name);
            }
            found += f != NULL;
        }
        assert_int_equal(found, list.count);
    }
}

/* No two fields of one kind of map share a bit; what they leave is what tma_unowned() counts. */
static void fields_do_not_overlap(void **state) {
    (void)state;
    const size_t rows = tma_field_count();
    for (uint32_t kind = 0; kind < 2; kind++) {
        for (uint32_t rank = kind ? 3 : 1; rank <= 5; rank++) {
            uint8_t owned[8 * TMA_MAP_BYTES] = {0};
            uint8_t full[TMA_MAP_BYTES];
            uint32_t words[TMA_MAP_WORDS];
            tma_decoded decoded;
            memset(&decoded, 0, sizeof(decoded));
            decoded.kind = kind;
            decoded.spec.rank = rank;
            for (size_t k = 0; k < rows; k++) {
                for (uint32_t b = 0; b < tma_field_at(k)->width_bit; b++) {
                    if (tma_field_applies(tma_field_at(k), &decoded) &&
                        owned[32 * tma_field_at(k)->word + tma_field_at(k)->bit + b]++) {
                        fail_msg("%s overlaps another field", tma_field_at(k)->name);
                    }
                }
            }
            memset(full, 0xFF, sizeof(full));
            full[8] = (uint8_t)(kind | (rank - 1) << 4 | 0x80);
            tma_unowned(words, full);
            for (uint32_t b = 0; b < 8 * TMA_MAP_BYTES; b++) {
                if (full[b / 8] >> (b % 8) & 1) {
                    assert_int_equal(words[b / 32] >> (b % 32) & 1, !owned[b]);
                }
            }
        }
    }
    assert_int_equal(tma_field_read(NULL, NULL), 0);
    assert_int_equal(tma_field_read(tma_field_at(0), NULL), 0);
    assert_int_equal(tma_field_read(NULL, (const uint8_t[TMA_MAP_BYTES]){0}), 0);
    assert_int_equal(tma_field_applies(NULL, NULL), 0);
}

/* The bits of each word that some field owns, typed in; of words beyond 18 no field owns any. */
static uint32_t owned_word(uint32_t word, int im2col, uint32_t rank) {
    switch (word) {
    case 2:
        return 0x007FFFFF;
    case 7:
        return 0x0000FFFF;
    case 13:
        return 0xFF007FFF;
    case 14:
        return im2col && rank >= 5 ? 0x7FFF7FFF : UINT32_MAX;
    case 15:
        return im2col ? 0x3FF : 0;
    case 17:
        return 0;
    default:
        return word <= 18 ? UINT32_MAX : 0;
    }
}

/* Whether a bit belongs to a dimension beyond the rank. */
static int is_beyond(uint32_t word, uint32_t bit, int im2col, uint32_t rank) {
    switch (word) {
    case 3:
    case 4:
    case 5:
    case 6:
        return word - 3 + 1 >= rank;
    case 7:
        return bit < 16 && bit / 4 + 1 >= rank;
    case 8:
    case 9:
    case 10:
    case 11:
    case 12:
        return word - 8 >= rank;
    case 13:
        return bit < 15 && bit / 3 >= rank;
    case 14:
        return !im2col && bit / 8 + 1 >= rank;
    default:
        return 0;
    }
}

/* Every bit of every kind of map by itself: who owns it, and what decode calls it. */
static void every_bit_is_owned_or_odd(void **state) {
    (void)state;
    for (uint32_t n = 0; n < 16; n++) {
        const int im2col = n >= 8;
        const uint32_t rank = n % 8 + 1;
        for (uint32_t at = 0; at < 8 * TMA_MAP_BYTES; at++) {
            const uint32_t word = at / 32;
            const int owned = (int)(owned_word(word, im2col, rank) >> at % 32 & 1);
            uint8_t map[TMA_MAP_BYTES] = {0};
            uint32_t words[TMA_MAP_WORDS];
            tma_decoded decoded;
            map[8] = (uint8_t)(im2col | (rank - 1) << 4);
            if (at >= 64 && at < 71) { /* kind and rank themselves */
                continue;
            }
            map[at / 8] |= (uint8_t)(1u << at % 8);
            assert_int_equal(tma_unowned(words, map), !owned);
            for (uint32_t w = 0; w < TMA_MAP_WORDS; w++) {
                assert_int_equal(words[w], w == word && !owned ? 1u << at % 32 : 0);
            }
            assert_int_equal(tma_decode(&decoded, map), TMA_OK);
            assert_int_equal(!(decoded.odd & TMA_ODD_UNOWNED), owned);
            assert_int_equal(!!(decoded.odd & TMA_ODD_BEYOND_RANK),
                             owned && is_beyond(word, at % 32, im2col, rank));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encode_is_as_listed),       cmocka_unit_test(encode_writes_all_bytes),
        cmocka_unit_test(table_is_as_listed),        cmocka_unit_test(fields_do_not_overlap),
        cmocka_unit_test(every_bit_is_owned_or_odd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
