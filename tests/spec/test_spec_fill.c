/* SPDX-License-Identifier: Apache-2.0
 *
 * Packed strides and element strides of 1; and the version that runs.
 */
#include "support/testing.h"

#include <tma/spec.h>

static tma_spec three(uint32_t dtype, uint64_t first_el) {
    return (tma_spec){.dtype = dtype, .rank = 3, .dim_el = {first_el, 5, 7, 11, 13}};
}

static void packs(uint32_t dtype, uint32_t interleave, uint64_t row_B) {
    tma_spec spec = three(dtype, 24);
    spec.interleave = interleave;
    assert_int_equal(tma_spec_fill(&spec), TMA_OK);
    assert_int_equal(spec.stride_B[0], row_B);
    assert_int_equal(spec.stride_B[1], 5 * row_B);
    assert_int_equal(spec.stride_B[2], 0); /* beyond the rank */
    assert_int_equal(spec.element_stride[2], 1);
    assert_int_equal(spec.element_stride[3], 0);
}

static void strides_are_packed(void **state) {
    (void)state;
    packs(TMA_DTYPE_UINT8, 0, 24);
    packs(TMA_DTYPE_BFLOAT16, 0, 48);
    packs(TMA_DTYPE_FLOAT64, 0, 192);
    packs(TMA_DTYPE_16U4_ALIGN16B, 0, 12);
    packs(TMA_DTYPE_16U6_ALIGN16B, 0, 18);
    packs(TMA_DTYPE_FLOAT16, TMA_INTERLEAVE_16B, 24 * 16);
    packs(TMA_DTYPE_FLOAT16, TMA_INTERLEAVE_32B, 24 * 32);
    tma_spec odd = three(TMA_DTYPE_16U6_ALIGN16B, 3); /* 18 bits: whole bytes */
    assert_int_equal(tma_spec_fill(&odd), TMA_OK);
    assert_int_equal(odd.stride_B[0], 3);
}

static void what_was_given_stays(void **state) {
    (void)state;
    tma_spec spec = three(TMA_DTYPE_FLOAT32, 24);
    spec.stride_B[1] = 4096; /* stride 0 of dimension 1 is meant */
    spec.element_stride[1] = 3;
    assert_int_equal(tma_spec_fill(&spec), TMA_OK);
    assert_int_equal(spec.stride_B[0], 0);
    assert_int_equal(spec.stride_B[1], 4096);
    assert_int_equal(spec.element_stride[0], 1);
    assert_int_equal(spec.element_stride[1], 3);
}

static void refuses(tma_spec spec) {
    tma_spec after = spec;
    assert_int_equal(tma_spec_fill(&after), TMA_INVALID);
    assert_memory_equal(&after, &spec, sizeof(spec));
}

static void what_has_no_packed_strides(void **state) {
    (void)state;
    tma_spec spec = three(TMA_DTYPE_UINT8, 1);
    spec.rank = 0;
    refuses(spec);
    spec.rank = TMA_MAX_RANK + 1;
    refuses(spec);
    refuses(three(TMA_DTYPE_16U6_ALIGN16B + 1, 24));
    refuses(three(TMA_DTYPE_FLOAT64, UINT64_C(1) << 58));
    spec = three(TMA_DTYPE_UINT8, UINT64_C(1) << 61);
    refuses(spec);
    spec.dim_el[0] = UINT64_C(1) << 60;
    spec.dim_el[1] = 16;
    refuses(spec);
    spec.dim_el[1] = 15;
    assert_int_equal(tma_spec_fill(&spec), TMA_OK);
    spec = three(77, UINT64_MAX); /* one dimension has no stride */
    spec.rank = 1;
    assert_int_equal(tma_spec_fill(&spec), TMA_OK);
    assert_int_equal(tma_spec_fill(NULL), TMA_INVALID);
}

static void version_is_the_headers(void **state) {
    (void)state;
    char text[32];
    const unsigned v = tma_version();
    assert_int_equal(v, TMA_VERSION_NUMBER);
    snprintf(text, sizeof(text), "%u.%u.%u", v / 1000000, v / 1000 % 1000, v % 1000);
    assert_string_equal(text, TMA_VERSION);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides_are_packed),
        cmocka_unit_test(what_was_given_stays),
        cmocka_unit_test(what_has_no_packed_strides),
        cmocka_unit_test(version_is_the_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
