/* SPDX-License-Identifier: Apache-2.0
 *
 * What copies leave no tile that an MMA's operand could be compared with.
 */
#include "support/testing.h"

#include <tma/mma.h>

/* What nothing can be compared with: reason, and what is changed of a tile that can. */
static void tiles_that_are_none(void **state) {
    (void)state;
    const tma_spec plain = {.dtype = TMA_DTYPE_FLOAT16,
                            .rank = 2,
                            .dim_el = {64, 64},
                            .box_el = {64, 64},
                            .swizzle = TMA_SWIZZLE_128B};
    const struct {
        uint32_t reason, dtype, swizzle, interleave, box0_el, type;
        tma_mma_tile tile;
    } cases[] = {
        {.reason = TMA_MMA_REASON_NONE, .tile = {.shared_address = 1024 + 128}},
        {.reason = TMA_MMA_REASON_SHARED_ALIGN, .tile = {.shared_address = 1024 + 64}},
        {.reason = TMA_MMA_REASON_SHARED_ALIGN, .tile = {.copies = 2, .copy_step_B = 8192 + 64}},
        {.reason = TMA_MMA_REASON_NONE, .tile = {.copies = 2, .copy_step_B = 8192}},
        {.reason = TMA_MMA_REASON_COPIES_OVERLAP, .tile = {.copies = 2, .copy_step_B = 8064}},
        {.reason = TMA_MMA_REASON_NONE, .tile = {.copies = 1, .copy_step_B = 8064}},
        {.reason = TMA_MMA_REASON_NONE, .tile = {.panel_dims = 1}},
        {.reason = TMA_MMA_REASON_PANELS, .tile = {.panel_dims = 2}},
        {.reason = TMA_MMA_REASON_SWIZZLE, .swizzle = TMA_SWIZZLE_96B},
        {.reason = TMA_MMA_REASON_NO_TILE, .interleave = TMA_INTERLEAVE_16B},
        {.reason = TMA_MMA_REASON_MAP, .box0_el = 257},
        {.reason = TMA_MMA_REASON_MAP, .box0_el = 4},
        {.reason = TMA_MMA_REASON_TILE_SIZE, .tile = {.copies = 257}},
        {.reason = TMA_MMA_REASON_ELEMENT_SIZE, .type = TMA_MMA_TYPE_E4M3},
        {.reason = TMA_MMA_REASON_ELEMENT_SIZE,
         .dtype = TMA_DTYPE_16U4_ALIGN16B,
         .type = TMA_MMA_TYPE_E4M3},
        {.reason = TMA_MMA_REASON_ELEMENT_BITS,
         .dtype = TMA_DTYPE_16U4_ALIGN8B,
         .type = TMA_MMA_TYPE_E2M1},
        {.reason = TMA_MMA_REASON_NONE,
         .dtype = TMA_DTYPE_16U4_ALIGN8B,
         .type = TMA_MMA_TYPE_E2M1_PACKED},
        {.reason = TMA_MMA_REASON_NONE, .dtype = TMA_DTYPE_UINT8, .type = TMA_MMA_TYPE_E2M1_PACKED},
        {.reason = TMA_MMA_REASON_NONE, .type = TMA_MMA_TYPE_BF16},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        tma_spec spec = plain;
        tma_mma_why why;
        tma_mma_difference said;
        const tma_mma_operand o = {.type = cases[i].type, .mn_el = 64};
        const tma_mma_descriptor d = {.swizzle = TMA_SWIZZLE_128B};
        spec.dtype = cases[i].dtype                              ? cases[i].dtype
                     : cases[i].type == TMA_MMA_TYPE_E2M1_PACKED ? TMA_DTYPE_UINT8
                                                                 : plain.dtype;
        spec.swizzle = cases[i].swizzle ? cases[i].swizzle : plain.swizzle;
        spec.interleave = cases[i].interleave;
        spec.box_el[0] = cases[i].box0_el ? cases[i].box0_el : plain.box_el[0];
        assert_int_equal(tma_mma_unfit(&why, &spec, &cases[i].tile, &o), cases[i].reason);
        assert_int_equal(why.reason, cases[i].reason);
        assert_int_equal(tma_mma_compare(&said, &d, &o, &spec, &cases[i].tile, 0, 0),
                         cases[i].reason == TMA_MMA_REASON_NONE ? TMA_OK : TMA_REFUSED);
    }
}

static void without_anything(void **state) {
    (void)state;
    const tma_spec spec = {.rank = 2};
    const tma_mma_tile tile = {.copies = 1};
    const tma_mma_operand operand = {.type = TMA_MMA_TYPES};
    tma_mma_why why = {.reason = TMA_MMA_REASON_PITCH};
    assert_int_equal(tma_mma_unfit(NULL, &spec, &tile, &operand), TMA_MMA_REASON_NO_TILE);
    assert_int_equal(tma_mma_unfit(&why, &spec, &tile, &operand), TMA_MMA_REASON_NO_TILE);
    assert_int_equal(why.reason, TMA_MMA_REASON_NO_TILE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_that_are_none),
        cmocka_unit_test(without_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
