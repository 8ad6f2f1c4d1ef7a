/* SPDX-License-Identifier: Apache-2.0
 *
 * tma/layout.h, which reads maps by itself, against tma_decode() and tma_swizzled().
 */
#include "support/testing.h"

#include "support/gen/gen_spec.h"
#include <tma/layout.h>
#include <tma/map.h>
#include <tma/swizzle.h>

static void same(const tma_spec *s, const uint8_t *map) {
    const int tiled = s->api == TMA_API_TILED;
    assert_int_equal(tma_layout_address(map), s->address);
    assert_int_equal(tma_layout_rank(map), s->rank);
    assert_int_equal(tma_layout_is_tiled(map), tiled);
    assert_int_equal(tma_layout_element_bits(map), tma_dtype_bits(s->dtype));
    assert_int_equal(tma_layout_swizzle(map), s->swizzle);
    for (uint32_t i = 0; i < s->rank; i++) {
        assert_int_equal(tma_layout_dim_el(map, i), s->dim_el[i]);
        assert_int_equal(tma_layout_element_stride(map, i), s->element_stride[i]);
        assert_true(i == 0 || tma_layout_stride_B(map, i) == s->stride_B[i - 1]);
        assert_true(!tiled || tma_layout_box_el(map, i) == s->box_el[i]);
    }
    assert_true(tiled || tma_layout_channels(map) == s->channels_per_pixel);
    assert_true(tiled || tma_layout_pixels(map) == s->pixels_per_column);
    for (uint32_t i = 0; s->api == TMA_API_IM2COL && i < s->rank - 2; i++) {
        assert_int_equal(tma_layout_lower_px(map, i), s->lower_px[i]);
        assert_int_equal(tma_layout_upper_px(map, i), s->upper_px[i]);
    }
}

static void reads_as_decode_does(void **state) {
    (void)state;
    struct random_source r = {41};
    unsigned made = 0;
    unsigned corners[TMA_MAX_RANK + 1] = {0};
    for (unsigned long i = 0; i < 20000; i++) {
        uint8_t odd[TMA_MAP_BYTES + 1]; /* of any alignment */
        const tma_target target = gen_target(&r);
        tma_spec spec = gen_good_spec(&r, &target);
        tma_decoded decoded;
        if (tma_encode(odd + 1, &spec, &target) == TMA_OK) {
            made++;
            corners[spec.api == TMA_API_IM2COL ? spec.rank : 0]++;
            assert_int_equal(tma_decode(&decoded, odd + 1), TMA_OK);
            same(&decoded.spec, odd + 1);
        }
    }
    assert_true(made > 10000);
    assert_true(corners[3] && corners[4] && corners[5]); /* each rank has places of its own */
}

static void swizzles_as_the_library_does(void **state) {
    (void)state;
    for (size_t i = 0; i < tma_enum_count(TMA_ENUM_SWIZZLE); i++) {
        const uint32_t swizzle = (uint32_t)tma_enum_at(TMA_ENUM_SWIZZLE, i)->driver;
        const tma_swizzle_bits bits = tma_swizzle_bits_of(swizzle);
        for (uint32_t address = 0; address < 4096; address++) {
            assert_int_equal(tma_layout_swizzled(swizzle, address), tma_swizzled(bits, address));
        }
    }
    assert_int_equal(tma_layout_swizzled(77, 123), 123);
}

/* The constants are the rows of the table that tma_field_at() shows. */
static void places_are_the_tables(void **state) {
    (void)state;
    assert_int_equal(TMA_LAYOUT_BYTES, TMA_MAP_BYTES);
    static const struct {
        const char *name;
        uint32_t at;
        uint32_t width;
    } places[] = {
        {"global_address", TMA_LAYOUT_ADDRESS_AT, TMA_LAYOUT_ADDRESS_WIDTH},
        {"elemtype", TMA_LAYOUT_ELEMENT_AT, TMA_LAYOUT_ELEMENT_WIDTH},
        {"box_dim[0]", TMA_LAYOUT_BOX_AT, TMA_LAYOUT_BOX_WIDTH},
        {"box_dim[4]", TMA_LAYOUT_BOX_AT + 4 * TMA_LAYOUT_BOX_STEP, TMA_LAYOUT_BOX_WIDTH},
        {"stride[3]", TMA_LAYOUT_STRIDE_AT + 3 * TMA_LAYOUT_STRIDE_STEP, TMA_LAYOUT_STRIDE_WIDTH},
        {"swizzle_repeat", TMA_LAYOUT_REPEAT_AT, TMA_LAYOUT_REPEAT_WIDTH},
    };
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        size_t k = 0;
        while (k < tma_field_count() && strcmp(tma_field_at(k)->name, places[i].name) != 0) {
            k++;
        }
        assert_non_null(tma_field_at(k));
        assert_int_equal(32u * tma_field_at(k)->word + tma_field_at(k)->bit, places[i].at);
        assert_int_equal(tma_field_at(k)->width_bit, places[i].width);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_as_decode_does),
        cmocka_unit_test(swizzles_as_the_library_does),
        cmocka_unit_test(places_are_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
