/* SPDX-License-Identifier: Apache-2.0
 *
 * Zero-column masks: the examples of PTX 9.7.16.4.3, typed in by hand, both ways, and what sources
 * read otherwise.
 */
#include "support/testing.h"

#include <tma/mma.h>

/* Masks as the document prints them, the last character for column 0; {sc3, sc2, sc1, sc0}. */
static const struct {
    uint32_t m, start[4], first[4], has_zeros, skip, use, shift;
    uint64_t bits;
    const char *parts[4];
} examples[] = {
    {128, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 5, 4, 0, 0x0003040000000000, {"0000000000000"}},
    {128, {0, 0, 0, 0}, {0, 0, 0, 0}, 1, 3, 4, 0, 0x0003028000000000, {"11100001110000"}},
    {64,
     {0, 0, 0, 0},
     {1, 0, 0, 0},
     1,
     3,
     4,
     0,
     0x0003028100000000,
     {"11100001110000111", "00001110000111"
                           "0000"}},
    {32,
     {0, 1, 2, 1},
     {1, 1, 0, 0},
     1,
     3,
     4,
     2,
     0x0203028301020100,
     {"00001110000111", "0000111000011", "111000011100", "1110000111000"}},
};

static tma_mma_zero_mask example(size_t i) {
    tma_mma_zero_mask mask = {.has_zeros = examples[i].has_zeros,
                              .skip_span_el = examples[i].skip,
                              .use_span_el = examples[i].use,
                              .shift_el = examples[i].shift};
    for (uint32_t part = 0; part < 4; part++) {
        mask.start_el[part] = examples[i].start[part];
        mask.first_is_zeros[part] = examples[i].first[part];
    }
    return mask;
}

static void as_the_document_has_them(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(examples); i++) {
        const tma_mma_zero_mask mask = example(i);
        const uint32_t parts = 128 / examples[i].m;
        for (uint32_t part = 0; part < parts; part++) {
            const char *shown = examples[i].parts[part];
            const size_t length = strlen(shown);
            for (uint32_t n = 0; n < length; n++) {
                const uint32_t column = part * (128 / parts) + n;
                const uint32_t is = tma_mma_zero_mask_column(&mask, 0, examples[i].m, 128, column);
                assert_int_equal(is, shown[length - 1 - n] == '1' ? TMA_MMA_ZEROS
                                                                  : column + examples[i].shift);
            }
        }
    }
}

static void bits_both_ways(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(examples); i++) {
        const tma_mma_zero_mask mask = example(i);
        tma_mma_zero_mask back;
        uint64_t bits = 0;
        assert_int_equal(tma_mma_zero_mask_encode(&bits, &mask), TMA_OK);
        assert_true(bits == examples[i].bits);
        assert_int_equal(tma_mma_zero_mask_decode(&back, bits), TMA_OK);
        assert_memory_equal(&back, &mask, sizeof(mask));
    }
    assert_true(tma_mma_zero_mask_unowned() == UINT64_C(0xc000007000000000));
}

static void limits_of_encode(void **state) {
    (void)state;
    const struct {
        uint32_t start, first, has_zeros, skip, use, shift;
        tma_status status;
    } cases[] = {
        {255, 1, 1, 256, 256, 32, TMA_OK}, {0, 0, 0, 1, 1, 0, TMA_OK},
        {256, 0, 1, 1, 1, 0, TMA_INVALID}, {0, 2, 1, 1, 1, 0, TMA_INVALID},
        {0, 0, 2, 1, 1, 0, TMA_INVALID},   {0, 0, 1, 0, 1, 0, TMA_INVALID},
        {0, 0, 1, 257, 1, 0, TMA_INVALID}, {0, 0, 1, 1, 0, 0, TMA_INVALID},
        {0, 0, 1, 1, 257, 0, TMA_INVALID}, {0, 0, 1, 1, 1, 33, TMA_INVALID},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        tma_mma_zero_mask mask = {.has_zeros = cases[i].has_zeros,
                                  .skip_span_el = cases[i].skip,
                                  .use_span_el = cases[i].use,
                                  .shift_el = cases[i].shift};
        mask.start_el[3] = cases[i].start;
        mask.first_is_zeros[3] = cases[i].first;
        uint64_t bits = 7;
        assert_int_equal(tma_mma_zero_mask_encode(&bits, &mask), cases[i].status);
        assert_true(cases[i].status == TMA_OK || bits == 7);
    }
    uint64_t bits = 0;
    assert_int_equal(tma_mma_zero_mask_encode(&bits, NULL), TMA_INVALID);
    assert_int_equal(tma_mma_zero_mask_decode(NULL, 0), TMA_INVALID);
}

/* Table 45's words for the spans are the other way round; a start beyond the first span. */
static void other_readings(void **state) {
    (void)state;
    const tma_mma_zero_mask mask = {.start_el = {5, 0, 0, 0},
                                    .first_is_zeros = {0, 0, 0, 0},
                                    .has_zeros = 1,
                                    .skip_span_el = 3,
                                    .use_span_el = 4};
    static const struct {
        uint32_t spans, start;
        const char *columns; /* 0 first */
    } cases[] = {
        {0, 0, "00....000....000"}, /* 5: the fourth of 4 and the first of 3 are skipped */
        {1, 0, "00...0000...0000"},
        {0, 1, ".000....000....0"},
        {1, 1, ".0000...0000...0"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const uint32_t readings = cases[i].spans << TMA_MMA_READING_ZERO_SPANS * TMA_READING_BITS |
                                  cases[i].start << TMA_MMA_READING_ZERO_START * TMA_READING_BITS;
        for (uint32_t n = 0; n < 16; n++) {
            assert_int_equal(tma_mma_zero_mask_column(&mask, readings, 128, 16, n),
                             cases[i].columns[n] == '0' ? TMA_MMA_ZEROS : n);
        }
    }
    assert_int_equal(tma_mma_zero_mask_column(&mask, 0, 96, 16, 0), TMA_MMA_ZEROS);
    assert_int_equal(tma_mma_zero_mask_column(&mask, 0, 128, 16, 16), TMA_MMA_ZEROS);
    assert_int_equal(tma_mma_zero_mask_column(&mask, 0, 32, 18, 0), TMA_MMA_ZEROS);
}

/* The version's bits, and k beyond the span of 32 bytes: 64 bytes of k of f16. */
static void descriptors_read_otherwise(void **state) {
    (void)state;
    const uint32_t two = 1u << TMA_MMA_READING_VERSION * TMA_READING_BITS;
    const uint32_t on = 1u << TMA_MMA_READING_K_BEYOND_SPAN * TMA_READING_BITS;
    tma_mma_operand o = {.type = TMA_MMA_TYPE_F16, .mn_el = 64};
    const uint64_t with_bit_48 = UINT64_C(0x4001404000010040);
    assert_int_equal(tma_mma_judge(TMA_MMA_TCGEN05, with_bit_48, &o), 1u << TMA_MMA_RULE_VERSION);
    o.readings = two;
    assert_int_equal(tma_mma_judge(TMA_MMA_TCGEN05, with_bit_48, &o), 1u << TMA_MMA_RULE_UNOWNED);
    assert_int_equal(tma_mma_judge(TMA_MMA_TCGEN05, UINT64_C(0x4000404000010040), &o), 0);
    assert_int_equal(tma_mma_judge(TMA_MMA_TCGEN05, UINT64_C(0x4000804000010040), &o),
                     1u << TMA_MMA_RULE_VERSION);
    tma_mma_descriptor d = {.family = TMA_MMA_TCGEN05,
                            .swizzle = TMA_SWIZZLE_32B,
                            .start_B = 1024,
                            .leading_B = 4096,
                            .stride_B = 256};
    o = (tma_mma_operand){.type = TMA_MMA_TYPE_F16, .mn_el = 64, .k_el = 32};
    assert_int_equal(tma_mma_read(&d, &o, 0, 16).address_B, 1024 + 4096);
    o.readings = on;
    assert_int_equal(tma_mma_read(&d, &o, 0, 16).address_B, 1024 + 32);
    assert_int_equal(tma_mma_read(&d, &o, 0, 8).address_B, 1024 + 16);
    o.major = TMA_MMA_MN_MAJOR;
    assert_int_equal(tma_mma_read(&d, &o, 16, 0).address_B, 1024 + 4096);
    o.major = TMA_MMA_K_MAJOR;
    d.family = TMA_MMA_WGMMA; /* an H200 was asked */
    assert_int_equal(tma_mma_read(&d, &o, 0, 16).address_B, 1024 + 4096);
}

static void table_of_readings(void **state) {
    (void)state;
    for (uint32_t i = 0; i < TMA_MMA_READINGS; i++) {
        assert_true(tma_mma_reading_at(i)->name[0] && tma_mma_reading_at(i)->question[0]);
        for (uint32_t value = 0; value < tma_mma_reading_at(i)->count; value++) {
            assert_true(tma_mma_reads_at(i, value)->name[0] &&
                        tma_mma_reads_at(i, value)->holder[0]);
        }
        assert_null(tma_mma_reads_at(i, tma_mma_reading_at(i)->count));
    }
    assert_null(tma_mma_reading_at(TMA_MMA_READINGS));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_document_has_them),   cmocka_unit_test(bits_both_ways),
        cmocka_unit_test(limits_of_encode),           cmocka_unit_test(other_readings),
        cmocka_unit_test(descriptors_read_otherwise), cmocka_unit_test(table_of_readings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
