/* SPDX-License-Identifier: Apache-2.0
 *
 * Encoding what the driver refuses: every argument that fits its bits is stored, every other is
 * left 0 and named.
 */
#include "support/testing.h"

#include <inttypes.h>
#include <stddef.h>

#include "support/cases/rule_cases.h"
#include "support/cases/spec_line.h"
#include "support/gen/gen_spec.h"
#include <tma/map.h>

#define BIT(argument) (1u << TMA_ARG_##argument)

/* A refused spec whose numbers all fit reads back as it is. */
static void refused_but_fits(void **state) {
    (void)state;
    static const struct {
        enum rule_base base;
        struct rule_edit edit;
    } cases[] = {
        {BASE_TILE, {TMA_ARG_ADDRESS, -1, 0x1001}},
        {BASE_TILE, {TMA_ARG_ADDRESS, -1, UINT64_MAX}},
        {BASE_SLICES_32B, {TMA_ARG_ADDRESS, -1, 0x1010}},
        {BASE_TILE, {TMA_ARG_BOX, 0, 63}},
        {BASE_CUBE, {TMA_ARG_BOX, 4, 256}},
        {BASE_TILE, {TMA_ARG_DTYPE, -1, TMA_DTYPE_16U6_ALIGN16B}},
        {BASE_TILE, {TMA_ARG_SWIZZLE, -1, TMA_SWIZZLE_128B_ATOM_64B}},
        {BASE_TILE, {TMA_ARG_SWIZZLE, -1, TMA_SWIZZLE_96B}},
        {BASE_TILE, {TMA_ARG_INTERLEAVE, -1, TMA_INTERLEAVE_16B}}, /* at rank 2 */
        {BASE_CONV_4D, {TMA_ARG_UPPER, 0, (uint64_t)-100}},        /* an empty bounding box */
        {BASE_CONV_4D, {TMA_ARG_CHANNELS, -1, 255}},
        {BASE_CONV_4D, {TMA_ARG_PIXELS, -1, 1024}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        tma_spec spec;
        tma_target target;
        tma_map map;
        tma_decoded decoded;
        uint64_t unfit = UINT32_MAX;
        rule_base_make(cases[i].base, &spec, &target);
        rule_argument_set(cases[i].edit.argument, cases[i].edit.index, cases[i].edit.value, &spec,
                          &target);
        assert_int_equal(tma_encode(map.bytes, &spec, NULL),
                         cases[i].edit.argument == TMA_ARG_PIXELS ? TMA_OK : TMA_REFUSED);
        assert_int_equal(tma_encode_forced(map.bytes, &spec, NULL, &unfit), TMA_OK);
        assert_int_equal(unfit, 0);
        assert_int_equal(tma_decode(&decoded, map.bytes), TMA_OK);
        const tma_spec plain = gen_plain(&spec);
        if (memcmp(&decoded.spec, &plain, sizeof(plain)) || decoded.odd) {
            char line[SPEC_LINE_BYTES];
            fail_msg("case %zu, odd 0x%llx: %s", i, (unsigned long long)decoded.odd,
                     spec_line(&decoded.spec, NULL, line));
        }
    }
}

/* One argument beyond its bits: it is named, its bits are 0, and the rest is as if it had been
 * least. The word is where the argument would have been stored. */
static void one_does_not_fit(void **state) {
    (void)state;
    static const struct {
        enum rule_base base;
        struct rule_edit edit;
        uint64_t least; /* what is stored as 0 */
    } cases[] = {
        {BASE_TILE, {TMA_ARG_DIM, 1, 0}, 1},
        {BASE_TILE, {TMA_ARG_DIM, 1, 0x100000001}, 1},
        {BASE_TILE, {TMA_ARG_DIM, 0, UINT64_MAX}, 1},
        {BASE_TILE, {TMA_ARG_STRIDE, 0, 8}, 0},
        {BASE_TILE, {TMA_ARG_STRIDE, 0, 0x10000000000}, 0},
        {BASE_TILE, {TMA_ARG_BOX, 1, 0}, 1},
        {BASE_TILE, {TMA_ARG_BOX, 1, 257}, 1},
        {BASE_TILE, {TMA_ARG_ELEMENT_STRIDE, 1, 0}, 1},
        {BASE_TILE, {TMA_ARG_ELEMENT_STRIDE, 1, 9}, 1},
        {BASE_TILE, {TMA_ARG_DTYPE, -1, 16}, 0},
        {BASE_TILE, {TMA_ARG_INTERLEAVE, -1, 4}, 0},
        {BASE_TILE, {TMA_ARG_SWIZZLE, -1, 7}, 0},
        {BASE_TILE, {TMA_ARG_L2, -1, 4}, 0},
        {BASE_TILE, {TMA_ARG_FILL, -1, 2}, 0},
        {BASE_TILE, {TMA_ARG_RANK, -1, 0}, 1},
        {BASE_TILE, {TMA_ARG_RANK, -1, 6}, 1},
        {BASE_CONV_4D, {TMA_ARG_RANK, -1, 2}, 3},
        {BASE_TILE, {TMA_ARG_API, -1, 3}, 0},
        {BASE_CONV_4D, {TMA_ARG_CHANNELS, -1, 0}, 1},
        {BASE_CONV_4D, {TMA_ARG_CHANNELS, -1, 257}, 1},
        {BASE_CONV_4D, {TMA_ARG_PIXELS, -1, 0}, 1},
        {BASE_CONV_4D, {TMA_ARG_PIXELS, -1, 1025}, 1},
        {BASE_CONV_4D, {TMA_ARG_LOWER, 1, 128}, 0},
        {BASE_CONV_4D, {TMA_ARG_LOWER, 0, (uint64_t)-129}, 0},
        {BASE_CONV_5D, {TMA_ARG_UPPER, 2, 16}, 0},
        {BASE_CONV_3D, {TMA_ARG_UPPER, 0, (uint64_t)-32769}, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct rule_edit *e = &cases[i].edit;
        tma_spec spec;
        tma_spec least;
        tma_target target;
        tma_map map;
        tma_map expected;
        uint64_t unfit = 0;
        rule_base_make(cases[i].base, &spec, &target);
        least = spec;
        rule_argument_set(e->argument, e->index, e->value, &spec, &target);
        rule_argument_set(e->argument, e->index, cases[i].least, &least, &target);
        assert_int_equal(tma_encode_forced(map.bytes, &spec, NULL, &unfit), TMA_OK);
        assert_int_equal(unfit, 1u << e->argument);
        assert_int_equal(tma_encode_forced(expected.bytes, &least, NULL, &unfit), TMA_OK);
        assert_int_equal(unfit, 0);
        assert_memory_equal(map.bytes, expected.bytes, TMA_MAP_BYTES);
    }
}

/* Interleave 3 is no interleave, but has its two bits: it is stored, and decodes as odd. */
static void reserved_interleave(void **state) {
    (void)state;
    tma_spec spec;
    tma_target target;
    tma_map map;
    tma_decoded decoded;
    uint64_t unfit = 1;
    rule_base_make(BASE_SLICES_16B, &spec, &target);
    spec.interleave = 3;
    assert_int_equal(tma_encode_forced(map.bytes, &spec, NULL, &unfit), TMA_OK);
    assert_int_equal(unfit, 0);
    assert_int_equal(tma_decode(&decoded, map.bytes), TMA_OK);
    assert_int_equal(decoded.spec.interleave, 3);
    assert_int_equal(decoded.odd, TMA_ODD_INTERLEAVE);
}

static void arguments(void **state) {
    (void)state;
    const tma_target unknown = {.sm = 91, .driver = 13000};
    tma_spec spec;
    tma_target target;
    tma_map map;
    tma_map untouched;
    uint64_t unfit = 77;
    rule_base_make(BASE_TILE, &spec, &target);
    memset(&map, 0x5A, sizeof(map));
    memset(&untouched, 0x5A, sizeof(untouched));
    assert_int_equal(tma_encode_forced(NULL, &spec, NULL, &unfit), TMA_INVALID);
    assert_int_equal(tma_encode_forced(map.bytes, NULL, NULL, &unfit), TMA_INVALID);
    assert_int_equal(tma_encode_forced(map.bytes, &spec, &unknown, &unfit), TMA_INVALID);
    assert_int_equal(tma_encode(NULL, &spec, NULL), TMA_INVALID);
    assert_int_equal(tma_encode(map.bytes, NULL, NULL), TMA_INVALID);
    assert_int_equal(tma_encode(map.bytes, &spec, &unknown), TMA_INVALID);
    assert_int_equal(unfit, 77);
    assert_memory_equal(&map, &untouched, sizeof(map));
    assert_int_equal(tma_encode_forced(map.bytes, &spec, NULL, NULL), TMA_OK);
    struct near { /* a map with its last byte, or its first, in the spec; and beside it on both
                     sides */
        uint8_t before[TMA_MAP_BYTES];
        tma_spec spec;
        uint8_t behind[TMA_MAP_BYTES];
    } near = {.spec = spec};
    uint8_t *bytes = (uint8_t *)&near;
    assert_int_equal(tma_encode(bytes + 1, &near.spec, NULL), TMA_INVALID);
    assert_int_equal(tma_encode(bytes + offsetof(struct near, behind) - 1, &near.spec, NULL),
                     TMA_INVALID);
    assert_memory_equal(&near.spec, &spec, sizeof(spec));
    assert_int_equal(tma_encode(near.before, &near.spec, NULL), TMA_OK);
    assert_int_equal(tma_encode(near.behind, &near.spec, NULL), TMA_OK);
}

/* Where the driver accepts, forced encoding is encoding, whatever unused entries hold. */
static void same_where_accepted(void **state) {
    (void)state;
    struct random_source r = {41};
    const unsigned long count = spec_count();
    for (unsigned long i = 0; i < count; i++) {
        const tma_target target = gen_target(&r);
        const tma_spec spec = gen_spec(&r, &target);
        tma_map map;
        tma_map forced;
        uint64_t unfit = 0;
        assert_int_equal(tma_encode_forced(forced.bytes, &spec, &target, &unfit), TMA_OK);
        if (tma_encode(map.bytes, &spec, &target) == TMA_OK) {
            if (unfit) {
                char line[SPEC_LINE_BYTES];
                fail_msg("unfit 0x%" PRIx64 ": %s", unfit, spec_line(&spec, &target, line));
            }
            assert_memory_equal(forced.bytes, map.bytes, TMA_MAP_BYTES);
        }
    }
}

static uint32_t differing(const tma_spec *a, const tma_spec *b) {
    uint32_t bits = 0;
#define COMPARE(id, member) bits |= memcmp(&a->member, &b->member, sizeof(a->member)) ? BIT(id) : 0
    COMPARE(API, api);
    COMPARE(DTYPE, dtype);
    COMPARE(RANK, rank);
    COMPARE(ADDRESS, address);
    COMPARE(DIM, dim_el);
    COMPARE(STRIDE, stride_B);
    COMPARE(BOX, box_el);
    COMPARE(ELEMENT_STRIDE, element_stride);
    COMPARE(LOWER, lower_px);
    COMPARE(UPPER, upper_px);
    COMPARE(CHANNELS, channels_per_pixel);
    COMPARE(PIXELS, pixels_per_column);
    COMPARE(INTERLEAVE, interleave);
    COMPARE(SWIZZLE, swizzle);
    COMPARE(L2, l2);
    COMPARE(FILL, fill);
#undef COMPARE
    return bits;
}

/* On refused specs: exactly the arguments that are named read back otherwise than they were given.
 * Word 16 beyond 32 bits is named as the box, which reads back right. */
static void rest_is_kept(void **state) {
    (void)state;
    struct random_source r = {42};
    unsigned long refused = 0;
    const unsigned long count = spec_count();
    for (unsigned long i = 0; i < count; i++) {
        const tma_target target = gen_target(&r);
        tma_spec spec = gen_good_spec(&r, &target);
        tma_map map;
        tma_decoded decoded;
        uint64_t unfit = 0;
        gen_spoil(&r, &spec);
        gen_spoil(&r, &spec);
        assert_int_equal(tma_encode_forced(map.bytes, &spec, &target, &unfit), TMA_OK);
        if (tma_accepts(&spec, &target) || unfit & (BIT(RANK) | BIT(API))) {
            continue; /* another rank or api: other entries are looked at */
        }
        refused++;
        assert_int_equal(tma_decode(&decoded, map.bytes), TMA_OK);
        const tma_spec plain = gen_plain(&spec);
        const uint32_t differs = differing(&plain, &decoded.spec);
        if (differs & ~unfit || (unfit & ~differs & ~BIT(BOX))) {
            char line[SPEC_LINE_BYTES];
            fail_msg("unfit 0x%" PRIx64 ", differs 0x%x: %s", unfit, differs,
                     spec_line(&spec, &target, line));
        }
    }
    assert_true(refused > count / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_but_fits),    cmocka_unit_test(one_does_not_fit),
        cmocka_unit_test(reserved_interleave), cmocka_unit_test(arguments),
        cmocka_unit_test(same_where_accepted), cmocka_unit_test(rest_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
