/* SPDX-License-Identifier: Apache-2.0
 *
 * decode and encode undo each other: on specs, on bytes, and on bytes that no driver made.
 */
#include "support/testing.h"

#include "support/cases/spec_line.h"
#include "support/gen/gen_spec.h"
#include <tma/tma.h>

static const tma_target blackwell = {.sm = 100, .suffix = 'a', .driver = 13000};

static void decode_undoes_encode(void **state) {
    (void)state;
    struct random_source r = {11};
    const unsigned long count = spec_count();
    for (unsigned long i = 0; i < count; i++) {
        const tma_target target = gen_target(&r);
        tma_map map;
        tma_decoded decoded;
        uint32_t unowned[TMA_MAP_WORDS];
        const tma_spec spec = gen_encoded(&r, &target, &map);
        const tma_spec plain = gen_plain(&spec);
        assert_int_equal(tma_decode(&decoded, map.bytes), TMA_OK);
        if (memcmp(&plain, &decoded.spec, sizeof(plain)) || decoded.odd ||
            tma_unowned(unowned, map.bytes)) {
            char line[SPEC_LINE_BYTES];
            char back[SPEC_LINE_BYTES];
            fail_msg("odd 0x%llx: %s reads back as %s", (unsigned long long)decoded.odd,
                     spec_line(&spec, &target, line), spec_line(&decoded.spec, NULL, back));
        }
    }
}

/* Bytes to spec to bytes. A wide map reads as im2col, which has the same bytes, so the plain
 * encode call takes the decoded spec too. */
static void encode_undoes_decode(void **state) {
    (void)state;
    struct random_source r = {12};
    const unsigned long count = spec_count();
    for (unsigned long i = 0; i < count; i++) {
        const tma_target target = gen_target(&r);
        tma_map map;
        tma_map again;
        tma_map forced;
        tma_decoded decoded;
        uint64_t unfit = 1;
        (void)gen_encoded(&r, &target, &map);
        assert_int_equal(tma_decode(&decoded, map.bytes), TMA_OK);
        assert_int_equal(tma_encode(again.bytes, &decoded.spec, &target), TMA_OK);
        assert_int_equal(tma_encode_forced(forced.bytes, &decoded.spec, &target, &unfit), TMA_OK);
        assert_int_equal(unfit, 0);
        assert_memory_equal(again.bytes, map.bytes, TMA_MAP_BYTES);
        assert_memory_equal(forced.bytes, map.bytes, TMA_MAP_BYTES);
    }
}

static void put_word(uint8_t *map, uint32_t word, uint32_t value) {
    for (uint32_t i = 0; i < 4; i++) {
        map[4 * word + i] = (uint8_t)(value >> (8 * i));
    }
}

/* Word 2 with every field in its range, flags and reserved bits mostly so. */
static uint32_t any_word_2(struct random_source *r) {
    const uint32_t im2col = random_in(r, 0, 1);
    const uint32_t rank = random_in(r, im2col ? 3 : 1, 5);
    const uint32_t element = random_in(r, 0, 13);
    const uint32_t swizzle = random_in(r, 0, 3);
    uint32_t word = im2col | (rank - 1) << 4 | element << 7 | random_in(r, 0, 2) << 11 |
                    swizzle << 13 | random_in(r, 0, 1) << 15 | random_in(r, 0, 3) << 17;
    if (element == 7 || element == 8) {
        word |= random_in(r, 0, 1) << 16;
    }
    if (swizzle == 3) {
        word |= random_in(r, 0, 3) << 19;
    }
    if (swizzle == 0 && random_one_in(r, 3)) {
        word |= 1u << 22;
    }
    return word | random_in(r, 0, 1) << 21;
}

/* All fields full, those beyond the rank and what belongs to none left 0. */
static void any_fields(struct random_source *r, uint8_t *map, uint32_t word_2) {
    const uint32_t rank = (word_2 >> 4 & 7) + 1;
    const int im2col = word_2 & 1;
    const uint32_t corners = rank == 5 ? 0x7FFF7FFF : UINT32_MAX;
    const uint32_t boxes = (uint32_t)((UINT64_C(1) << (8 * (rank - 1))) - 1);
    put_word(map, 0, (uint32_t)random_u64(r));
    put_word(map, 1, (uint32_t)random_u64(r));
    put_word(map, 2, word_2);
    for (uint32_t i = 0; i < rank; i++) {
        put_word(map, 8 + i, (uint32_t)random_u64(r));
        if (i > 0) {
            put_word(map, 2 + i, (uint32_t)random_u64(r));
        }
    }
    put_word(map, 7, (uint32_t)random_u64(r) & ((1u << (4 * (rank - 1))) - 1));
    put_word(map, 13, (uint32_t)random_u64(r) & (((1u << (3 * rank)) - 1) | 0xFF000000));
    put_word(map, 14, (uint32_t)random_u64(r) & (im2col ? corners : boxes));
    put_word(map, 15, im2col ? (uint32_t)random_below(r, 1024) : 0);
}

/* Bytes like a map's, but with any number in any field, legal or not; then perhaps some bits
 * flipped anywhere. */
static void any_map(struct random_source *r, uint8_t *map) {
    tma_decoded decoded;
    tma_map forced;
    memset(map, 0, TMA_MAP_BYTES);
    any_fields(r, map, any_word_2(r));
    assert_int_equal(tma_decode(&decoded, map), TMA_OK);
    assert_int_equal(tma_encode_forced(forced.bytes, &decoded.spec, NULL, NULL), TMA_OK);
    memcpy(map + 4 * 16, forced.bytes + 4 * 16, 4); /* the derived words */
    memcpy(map + 4 * 18, forced.bytes + 4 * 18, 4);
    for (uint32_t flips = random_one_in(r, 2) ? 0 : random_in(r, 1, 3); flips > 0; flips--) {
        map[random_below(r, TMA_MAP_BYTES)] ^= (uint8_t)(1u << random_below(r, 8));
    }
}

/* Whether word 16 of a tiled map would need more than 32 bits; encode_forced reports that. */
static int box_is_huge(const tma_spec *s) {
    double bits = tma_dtype_bits(s->dtype);
    for (uint32_t i = 0; i < s->rank && s->api == TMA_API_TILED; i++) {
        bits *= s->box_el[i] / s->element_stride[i];
    }
    return s->api == TMA_API_TILED && bits / 8 >= 4294967296.0;
}

/* The two words that one description of an RTX 5090's maps has otherwise than libtma makes them
 * (docs/blackwell.md): decode has each beside the spec. */
static void as_described(uint8_t *map, const tma_decoded *d) {
    const uint32_t swizzle = d->spec.swizzle;
    if (tma_dtype_bits(d->spec.dtype) < 8 && !d->box_B) {
        put_word(map, 16, 0);
    }
    if (d->repeat_B == 1024 &&
        (swizzle == TMA_SWIZZLE_128B_ATOM_32B || swizzle == TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B ||
         swizzle == TMA_SWIZZLE_128B_ATOM_64B)) {
        put_word(map, 18, d->repeat_B);
    }
}

/* What decode does not call odd, it has read completely: the bytes can be made from what it says.
 */
static void nothing_is_dropped(void **state) {
    (void)state;
    struct random_source r = {13};
    unsigned long even = 0;
    const unsigned long count = spec_count();
    for (unsigned long i = 0; i < count; i++) {
        uint8_t bytes[TMA_MAP_BYTES];
        tma_decoded decoded;
        tma_map forced;
        any_map(&r, bytes);
        assert_int_equal(tma_decode(&decoded, bytes), TMA_OK);
        uint64_t unfit = 1;
        assert_int_equal(tma_encode_forced(forced.bytes, &decoded.spec,
                                           decoded.bit21 ? &blackwell : NULL, &unfit),
                         TMA_OK);
        if (decoded.odd || (decoded.bit21 && !(forced.bytes[10] & 0x20))) {
            continue; /* bit 21 on a tensor that no driver would call large */
        }
        even++;
        assert_int_equal(unfit, box_is_huge(&decoded.spec) ? 1u << TMA_ARG_BOX : 0);
        as_described(forced.bytes, &decoded);
        assert_memory_equal(forced.bytes, bytes, TMA_MAP_BYTES);
    }
    print_message("%lu of %lu made-up maps have nothing odd\n", even, count);
    assert_true(even > count / 4);
}

/* Bits that no field owns are counted one by one, and odd says so. */
static void unowned_bits(void **state) {
    (void)state;
    struct random_source r = {14};
    const unsigned long count = spec_count() / 10;
    for (unsigned long i = 0; i < count; i++) {
        uint8_t bytes[TMA_MAP_BYTES];
        tma_decoded decoded;
        uint32_t words[TMA_MAP_WORDS];
        any_map(&r, bytes);
        assert_int_equal(tma_decode(&decoded, bytes), TMA_OK);
        memset(words, 0xA5, sizeof(words));
        const uint32_t set = tma_unowned(words, bytes);
        uint32_t counted = 0;
        for (uint32_t w = 0; w < TMA_MAP_WORDS; w++) {
            for (uint32_t bit = 0; bit < 32; bit++) {
                counted += words[w] >> bit & 1;
                if (words[w] >> bit & 1 && !(bytes[4 * w + bit / 8] >> (bit % 8) & 1)) {
                    fail_msg("word %u bit %u is not set", w, bit);
                }
            }
        }
        assert_int_equal(set, counted);
        assert_int_equal(set != 0, (decoded.odd & TMA_ODD_UNOWNED) != 0);
    }
}

static int same_reading(const tma_decoded *a, const tma_decoded *b) {
    return memcmp(&a->spec, &b->spec, sizeof(a->spec)) == 0 && a->kind == b->kind &&
           a->bit21 == b->bit21 && a->box_B == b->box_B && a->repeat_B == b->repeat_B &&
           a->odd == b->odd;
}

/* Each of the 1024 bits of a driver's map means something: flipped, decode says something else. */
static void every_bit_is_read(void **state) {
    (void)state;
    struct random_source r = {15};
    const unsigned long count = spec_count() / 1000;
    for (unsigned long i = 0; i < count; i++) {
        const tma_target target = gen_target(&r);
        tma_map map;
        tma_decoded before;
        (void)gen_encoded(&r, &target, &map);
        assert_int_equal(tma_decode(&before, map.bytes), TMA_OK);
        for (uint32_t bit = 0; bit < 8 * TMA_MAP_BYTES; bit++) {
            tma_decoded after;
            map.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            assert_int_equal(tma_decode(&after, map.bytes), TMA_OK);
            map.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            if (same_reading(&before, &after)) {
                fail_msg("word %u bit %u changes nothing", bit / 32, bit % 32);
            }
        }
    }
}

/* Word 2 in all its element codes and swizzle bits, judged by rule instead of by table. */
static void every_word_2(void **state) {
    (void)state;
    static const uint32_t types[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 13, 14, 15, 0xFF, 0xFF};
    const uint32_t bits[] = {0, 13, 14, 19, 20, 22, 7, 8, 9, 10, 16}; /* the first is bit 0's */
    for (uint32_t n = 0; n < 1u << 11; n++) {
        uint8_t map[TMA_MAP_BYTES] = {0};
        tma_decoded d;
        uint32_t word = 2u << 4; /* rank 3 */
        for (uint32_t i = 0; i < 11; i++) {
            word |= (n >> i & 1) << bits[i];
        }
        put_word(map, 2, word);
        assert_int_equal(tma_decode(&d, map), TMA_OK);
        const uint32_t mode = word >> 13 & 3;
        const uint32_t atomicity = word >> 19 & 3;
        const uint32_t is_96B = word >> 22 & 1;
        const uint32_t swizzle = is_96B ? 96 : mode == 3 ? 3 + atomicity : mode;
        const uint32_t code = word >> 7 & 15;
        const uint32_t tf32 = word >> 16 & 1;
        const int is_f32 = code == 7 || code == 8;
        const uint32_t dtype = tf32 && is_f32 ? code + 4 : types[code];
        assert_int_equal(d.spec.swizzle, swizzle);
        assert_int_equal(d.spec.dtype, dtype);
        assert_int_equal((d.odd & TMA_ODD_ATOMICITY) != 0, atomicity && mode != 3);
        assert_int_equal((d.odd & TMA_ODD_SWIZZLE_96B) != 0, is_96B && (mode || atomicity));
        assert_int_equal((d.odd & TMA_ODD_TF32_FLAG) != 0, tf32 && !is_f32);
        assert_int_equal((d.odd & TMA_ODD_ELEMENT) != 0, code >= 14);
        put_word(map, 18, tma_swizzle_repeat_B(swizzle));
        assert_int_equal(tma_decode(&d, map), TMA_OK);
        assert_int_equal(d.odd & TMA_ODD_REPEAT, 0);
    }
}

static void unaligned(void **state) {
    (void)state;
    struct random_source r = {16};
    tma_map map;
    (void)gen_encoded(&r, &blackwell, &map);
    tma_decoded aligned;
    assert_int_equal(tma_decode(&aligned, map.bytes), TMA_OK);
    for (size_t shift = 1; shift < 16; shift++) {
        uint8_t buffer[TMA_MAP_BYTES + 16];
        tma_decoded decoded;
        memcpy(buffer + shift, map.bytes, TMA_MAP_BYTES);
        assert_int_equal(tma_decode(&decoded, buffer + shift), TMA_OK);
        assert_true(same_reading(&decoded, &aligned));
    }
    assert_int_equal(tma_decode(NULL, map.bytes), TMA_INVALID);
    assert_int_equal(tma_decode(&aligned, NULL), TMA_INVALID);
}

/* What is set is what a query sees and what decode reads, and all bits but bit 21 of word 2 are as
 * they were. */
static void set_query_and_decode_agree(void **state) {
    (void)state;
    static const tma_target newest = {.sm = 100, .suffix = 'a', .driver = 13050};
    struct random_source r = {17};
    const unsigned long count = spec_count();
    unsigned long large = 0;
    for (unsigned long i = 0; i < count; i++) {
        const uint32_t asked = 1 + i % 2;
        uint32_t now = 9;
        tma_map map;
        tma_decoded decoded;
        (void)gen_encoded(&r, &newest, &map);
        tma_map wanted = map;
        large += map.bytes[10] >> 5 & 1;
        wanted.bytes[10] = (uint8_t)((map.bytes[10] & ~0x20) | (asked == TMA_CLASS_LARGE) << 5);
        assert_int_equal(tma_set_allocation_class(map.bytes, asked, &now, &newest), TMA_OK);
        assert_memory_equal(map.bytes, wanted.bytes, TMA_MAP_BYTES);
        assert_int_equal(now, asked);
        assert_int_equal(tma_allocation_class(map.bytes), asked);
        assert_int_equal(tma_decode(&decoded, map.bytes), TMA_OK);
        assert_int_equal(decoded.bit21, asked == TMA_CLASS_LARGE);
    }
    assert_in_range(large, count / 10, count - count / 10); /* both are cleared and set */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decode_undoes_encode),       cmocka_unit_test(encode_undoes_decode),
        cmocka_unit_test(nothing_is_dropped),         cmocka_unit_test(unowned_bits),
        cmocka_unit_test(every_bit_is_read),          cmocka_unit_test(every_word_2),
        cmocka_unit_test(set_query_and_decode_agree), cmocka_unit_test(unaligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
