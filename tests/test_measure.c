/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes, pitches and counts beside a map: cases worked out by hand, most of them of shipping
 * kernels, and what holds for every spec.
 */
#include "support/testing.h"

#include "support/gen_spec.h"
#include "support/spec_line.h"
#include <tma/tma.h>

#define ONES                                                                                       \
    { 1, 1, 1, 1, 1 }

struct measure_case {
    const char *what;
    tma_target target;
    tma_spec spec;
    tma_measure_result expected;
};

static const struct measure_case cases[] = {
    /* 128 rows of 64 bf16 are 64 * 2 = 128 bytes each, 16 KiB: 7168 / 64 by 4096 / 128 of them. */
    {"GEMM operand, K-major bf16, 128-byte swizzle (DeepGEMM's A and B)",
     {.sm = 90, .suffix = 'a', .driver = 13000},
     {.dtype = TMA_DTYPE_BFLOAT16,
      .rank = 2,
      .swizzle = 3,
      .dim_el = {7168, 4096},
      .stride_B = {14336},
      .box_el = {64, 128},
      .element_stride = ONES},
     {16384, 128, 128, 128, 16384, 128, 1024, 8, {112, 32, 1, 1, 1}, 3584, {0}}},
    /* fp8 is a byte: 128 of them in a row. One row of tensor, 64 rows of box: all are counted. */
    {"fp8 operand with one row (DeepGEMM, one token)",
     {.sm = 90, .suffix = 'a', .driver = 13000},
     {.dtype = TMA_DTYPE_UINT8,
      .rank = 2,
      .swizzle = 3,
      .dim_el = {7168, 1},
      .stride_B = {7168},
      .box_el = {128, 64},
      .element_stride = ONES},
     {8192, 64, 128, 128, 8192, 128, 1024, 16, {56, 1, 1, 1, 1}, 56, {0}}},
    /* head dimension 128 in two halves of 64, 128 keys: 4 dimensions, 32 heads, 2 sequences. */
    {"attention K (FlashAttention-3): {d, seq, head, batch}",
     {.sm = 90, .suffix = 'a', .driver = 13000},
     {.dtype = TMA_DTYPE_FLOAT16,
      .rank = 4,
      .swizzle = 3,
      .dim_el = {128, 4000, 32, 2},
      .stride_B = {8192, 256, 32768000},
      .box_el = {64, 128, 1, 1},
      .element_stride = ONES},
     {16384, 128, 128, 128, 16384, 128, 1024, 8, {2, 32, 32, 2, 1}, 4096, {0}}},
    /* 16 bf16 are 32 bytes, a quarter of the span: the rest is neither written nor counted. */
    {"narrow rows under the 128-byte swizzle",
     {.sm = 90, .driver = 13000},
     {.dtype = TMA_DTYPE_BFLOAT16,
      .rank = 2,
      .swizzle = 3,
      .dim_el = {64, 100},
      .stride_B = {128},
      .box_el = {16, 32},
      .element_stride = ONES},
     {1024, 32, 32, 128, 4096, 128, 1024, 8, {4, 4, 1, 1, 1}, 16, {0}}},
    /* 8 * 4 bytes a row, rows 0, 2 and 4 of 5: 96 bytes. */
    {"element stride 2 on an odd box: rounded up",
     {.sm = 90, .driver = 13000},
     {.dtype = TMA_DTYPE_UINT32,
      .rank = 2,
      .dim_el = {64, 64},
      .stride_B = {256},
      .box_el = {8, 5},
      .element_stride = {1, 2}},
     {96, 3, 32, 32, 96, 128, 128, 4, {8, 13, 1, 1, 1}, 104, {0}}},
    /* es[0] does not thin out a row: 8 elements, 32 bytes. */
    {"element stride 2 on dimension 0: ignored",
     {.sm = 90, .driver = 13000},
     {.dtype = TMA_DTYPE_UINT32, .rank = 1, .dim_el = {64}, .box_el = {8}, .element_stride = {2}},
     {32, 1, 32, 32, 32, 128, 128, 4, {8, 1, 1, 1, 1}, 8, {0}}},
    /* One slice whatever the box says: 16 pixels of 16 bytes. */
    {"interleave 16B",
     {.sm = 90, .driver = 13000},
     {.dtype = TMA_DTYPE_UINT32,
      .rank = 3,
      .interleave = 1,
      .dim_el = {32, 4, 2},
      .stride_B = {512, 2048},
      .box_el = {16, 2, 1},
      .element_stride = ONES},
     {256, 16, 16, 16, 256, 128, 128, 1, {2, 4, 2, 1, 1}, 16, {0}}},
    /* Interleaved, the element stride of dimension 0 does count: units 0, 3, 6, 9, 12 and 15. */
    {"interleave 16B, element stride 3 on dimension 0",
     {.sm = 90, .driver = 13000},
     {.dtype = TMA_DTYPE_UINT32,
      .rank = 3,
      .interleave = 1,
      .dim_el = {32, 4, 2},
      .stride_B = {512, 2048},
      .box_el = {16, 2, 1},
      .element_stride = {3, 1, 1}},
     {96, 6, 16, 16, 96, 128, 128, 1, {2, 4, 2, 1, 1}, 16, {0}}},
    {"interleave 32B with its swizzle: rows stay dense",
     {.sm = 90, .driver = 13000},
     {.dtype = TMA_DTYPE_UINT32,
      .rank = 3,
      .interleave = 2,
      .swizzle = 1,
      .dim_el = {32, 4, 2},
      .stride_B = {1024, 4096},
      .box_el = {16, 2, 1},
      .element_stride = ONES},
     {512, 16, 32, 32, 512, 128, 256, 1, {2, 4, 2, 1, 1}, 16, {0}}},
    /* 3x3, padding 1: corners -1 and 1 - 2 = -1, so 56 * 56 pixels an image, 32 images, by 128. */
    {"convolution 3x3, padding 1, 64 channels of 56x56 (im2col)",
     {.sm = 90, .suffix = 'a', .driver = 13000},
     {.api = TMA_API_IM2COL,
      .dtype = TMA_DTYPE_FLOAT16,
      .rank = 4,
      .swizzle = 3,
      .dim_el = {64, 56, 56, 32},
      .stride_B = {128, 7168, 401408},
      .element_stride = ONES,
      .lower_px = {-1, -1},
      .upper_px = {-1, -1},
      .channels_per_pixel = 64,
      .pixels_per_column = 128},
     {16384, 128, 128, 128, 16384, 128, 1024, 8, {1, 784, 1, 1, 1}, 784, {0}}},
    /* Stride 2: 28 * 28 pixels an image are 25088 in all, 196 columns; 128 channels in two. */
    {"the same with stride 2 and 128 channels",
     {.sm = 90, .suffix = 'a', .driver = 13000},
     {.api = TMA_API_IM2COL,
      .dtype = TMA_DTYPE_FLOAT16,
      .rank = 4,
      .swizzle = 3,
      .dim_el = {128, 56, 56, 32},
      .stride_B = {256, 14336, 802816},
      .element_stride = {1, 2, 2, 1},
      .lower_px = {-1, -1},
      .upper_px = {-1, -1},
      .channels_per_pixel = 64,
      .pixels_per_column = 128},
     {16384, 128, 128, 128, 16384, 128, 1024, 8, {2, 196, 1, 1, 1}, 392, {0}}},
    /* W: 8 - 4 + 1 = 5, H: 5 - 1 - 0 = 4, D: 3 - 2 + 1 = 2, 2 images: 80 pixels, one column. */
    {"3-D convolution with asymmetric corners",
     {.sm = 90, .suffix = 'a', .driver = 13000},
     {.api = TMA_API_IM2COL,
      .dtype = TMA_DTYPE_FLOAT16,
      .rank = 5,
      .swizzle = 3,
      .dim_el = {64, 8, 5, 3, 2},
      .stride_B = {128, 1024, 5120, 15360},
      .element_stride = ONES,
      .lower_px = {-1, 0, -1},
      .upper_px = {-4, -1, -2},
      .channels_per_pixel = 64,
      .pixels_per_column = 128},
     {16384, 128, 128, 128, 16384, 128, 1024, 8, {1, 1, 1, 1, 1}, 1, {0}}},
    /* Mode W takes 32 pixels of (8 + 4) * 8 * 3, W128 takes 128 whatever is asked. */
    {"wide, mode W",
     {.sm = 100, .suffix = 'a', .driver = 13000},
     {.api = TMA_API_WIDE,
      .dtype = TMA_DTYPE_FLOAT32,
      .rank = 4,
      .swizzle = 3,
      .dim_el = {64, 8, 8, 3},
      .stride_B = {256, 2048, 16384},
      .element_stride = ONES,
      .upper_px = {4},
      .channels_per_pixel = 32,
      .pixels_per_column = 32},
     {4096, 32, 128, 128, 4096, 128, 1024, 4, {2, 9, 1, 1, 1}, 18, {0}}},
    {"wide, mode W128",
     {.sm = 100, .suffix = 'a', .driver = 13000},
     {.api = TMA_API_WIDE,
      .dtype = TMA_DTYPE_FLOAT32,
      .rank = 4,
      .swizzle = 3,
      .wide_mode = 1,
      .dim_el = {64, 8, 8, 3},
      .stride_B = {256, 2048, 16384},
      .element_stride = ONES,
      .upper_px = {4},
      .channels_per_pixel = 32,
      .pixels_per_column = 32},
     {16384, 128, 128, 128, 16384, 128, 1024, 4, {2, 3, 1, 1, 1}, 6, {0}}},
    /* 128 values of 4 bits are 64 bytes that count and 128 that they occupy. */
    {"4-bit values padded to 16 bytes",
     {.sm = 100, .suffix = 'a', .driver = 13000},
     {.dtype = TMA_DTYPE_16U4_ALIGN16B,
      .rank = 2,
      .dim_el = {512, 64},
      .stride_B = {256},
      .box_el = {128, 2},
      .element_stride = ONES},
     {128, 2, 128, 128, 256, 128, 128, 128, {4, 32, 1, 1, 1}, 128, {0}}},
    /* 128 values of 6 bits are 96 bytes. */
    {"6-bit values padded to 16 bytes",
     {.sm = 120, .suffix = 'a', .driver = 13000},
     {.dtype = TMA_DTYPE_16U6_ALIGN16B,
      .rank = 2,
      .dim_el = {512, 64},
      .stride_B = {384},
      .box_el = {128, 2},
      .element_stride = ONES},
     {192, 2, 128, 128, 256, 128, 128, 128, {4, 32, 1, 1, 1}, 128, {0}}},
    {"4-bit values without padding",
     {.sm = 100, .suffix = 'a', .driver = 13000},
     {.dtype = TMA_DTYPE_16U4_ALIGN8B,
      .rank = 2,
      .swizzle = 3,
      .dim_el = {512, 64},
      .stride_B = {256},
      .box_el = {256, 2},
      .element_stride = ONES},
     {256, 2, 128, 128, 256, 128, 1024, 32, {2, 32, 1, 1, 1}, 64, {0}}},
    {"96-byte swizzle",
     {.sm = 103, .suffix = 'a', .driver = 13000},
     {.dtype = TMA_DTYPE_FLOAT16,
      .rank = 2,
      .swizzle = TMA_SWIZZLE_96B,
      .dim_el = {96, 64},
      .stride_B = {192},
      .box_el = {48, 64},
      .element_stride = ONES},
     {6144, 64, 96, 96, 6144, 128, 256, 8, {2, 1, 1, 1, 1}, 2, {0}}},
    {"128-byte swizzle with 64-byte atoms",
     {.sm = 100, .suffix = 'a', .driver = 13000},
     {.dtype = TMA_DTYPE_FLOAT16,
      .rank = 2,
      .swizzle = 6,
      .dim_el = {128, 64},
      .stride_B = {256},
      .box_el = {64, 64},
      .element_stride = ONES},
     {8192, 64, 128, 128, 8192, 64, 256, 8, {2, 1, 1, 1, 1}, 2, {0}}},
    /* 2^32 in each of five dimensions by 16, 1, 1, 1, 1: 2^156 copies do not fit. */
    {"more copies than fit",
     {.sm = 90, .driver = 13000},
     {.dtype = TMA_DTYPE_UINT8,
      .rank = 5,
      .dim_el = {0x100000000, 0x100000000, 0x100000000, 0x100000000, 0x100000000},
      .stride_B = {16, 16, 16, 16},
      .box_el = {16, 1, 1, 1, 1},
      .element_stride = ONES},
     {16,
      1,
      16,
      16,
      16,
      128,
      128,
      16,
      {0x10000000, 0x100000000, 0x100000000, 0x100000000, 0x100000000},
      UINT64_MAX,
      {0}}},
};

static const char *difference(const tma_measure_result *is, const tma_measure_result *should) {
    return is->copy_B != should->copy_B                          ? "copy_B"
           : is->rows != should->rows                            ? "rows"
           : is->row_B != should->row_B                          ? "row_B"
           : is->pitch_B != should->pitch_B                      ? "pitch_B"
           : is->footprint_B != should->footprint_B              ? "footprint_B"
           : is->align_B != should->align_B                      ? "align_B"
           : is->pattern_B != should->pattern_B                  ? "pattern_B"
           : is->coord0_el != should->coord0_el                  ? "coord0_el"
           : memcmp(is->count, should->count, sizeof(is->count)) ? "count"
           : is->copies != should->copies                        ? "copies"
                                                                 : NULL;
}

static void by_hand(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        tma_spec spec = cases[i].spec;
        tma_measure_result result;
        spec.address = 0x7f0000000000;
        if (tma_measure(&result, &spec, &cases[i].target) != TMA_OK) {
            fail_msg("%s: refused", cases[i].what);
        }
        const char *differs = difference(&result, &cases[i].expected);
        if (differs) {
            fail_msg("%s: %s", cases[i].what, differs);
        }
    }
}

static void expect_sense(const tma_spec *s, const tma_target *target, const tma_measure_result *m) {
    uint64_t product = 1;
    const char *wrong = NULL;
    wrong = m->copy_B > m->footprint_B ? "more bytes than room" : wrong;
    const uint64_t rest_B = m->footprint_B - m->rows * m->pitch_B; /* of the swizzle's last span */
    const int dense = s->interleave && s->swizzle;
    wrong = rest_B && (!dense || rest_B >= tma_swizzle_span_B(s->swizzle)) ? "footprint" : wrong;
    wrong = dense && m->footprint_B % tma_swizzle_span_B(s->swizzle) ? "no whole span" : wrong;
    wrong = m->pitch_B < m->row_B ? "rows overlap" : wrong;
    wrong = m->copy_B % m->rows ? "rows differ" : wrong;
    wrong = m->pitch_B % 16 || m->row_B % 16 ? "not whole 16 bytes" : wrong;
    wrong = m->pattern_B < m->align_B || m->pattern_B % m->align_B ? "alignments" : wrong;
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        const int slice = s->interleave && i + 2 == s->rank;
        const uint64_t step = s->api != TMA_API_TILED || i >= s->rank || slice ? 1 : s->box_el[i];
        const uint64_t dim = i < s->rank ? s->dim_el[i] : 1;
        if (s->api == TMA_API_TILED &&
            (m->count[i] * step < dim || (m->count[i] - 1) * step >= dim)) {
            wrong = "boxes do not cover, or too many do";
        }
        product = product > UINT64_MAX / m->count[i] ? UINT64_MAX : product * m->count[i];
    }
    wrong = m->copies != product ? "copies" : wrong;
    if (wrong) {
        char line[SPEC_LINE_BYTES];
        fail_msg("%s: %s", wrong, spec_line(s, target, line));
    }
}

/* Where every element of the box is moved once, the driver's word 16 is the same number. */
static void expect_word_16(const tma_spec *s, const tma_target *target,
                           const tma_measure_result *m) {
    tma_map map;
    tma_decoded decoded;
    int dense = !s->interleave && !(s->api == TMA_API_WIDE && s->wide_mode == TMA_WIDE_W128);
    for (uint32_t i = 0; i < s->rank && s->api == TMA_API_TILED; i++) {
        dense = dense && s->element_stride[i] == 1;
    }
    assert_int_equal(tma_encode(map.bytes, s, target), TMA_OK);
    assert_int_equal(tma_decode(&decoded, map.bytes), TMA_OK);
    if (dense) {
        assert_int_equal(m->copy_B, decoded.box_B);
    }
}

static void any_spec(void **state) {
    (void)state;
    struct random_source r = {61};
    const unsigned long count = spec_count();
    for (unsigned long i = 0; i < count; i++) {
        const tma_target target = gen_target(&r);
        const tma_spec spec = gen_spec(&r, &target);
        tma_measure_result result;
        tma_measure_result untouched;
        memset(&result, 0xA5, sizeof(result));
        memset(&untouched, 0xA5, sizeof(untouched));
        const tma_status status = tma_measure(&result, &spec, &target);
        if (tma_accepts(&spec, &target)) {
            assert_int_equal(status, TMA_OK);
            expect_sense(&spec, &target, &result);
            expect_word_16(&spec, &target, &result);
        } else {
            assert_int_equal(status, TMA_REFUSED);
            assert_memory_equal(&result, &untouched, sizeof(result));
            memset(&result, 0, sizeof(result));
        }
        tma_finding found[2][8];
        tma_measure_result both;
        memset(found, 0, sizeof(found));
        const size_t count = tma_check(found[0], 8, &spec, &target);
        assert_int_equal(tma_check_measure(&both, found[1], 8, &spec, &target), count);
        assert_memory_equal(found[0], found[1], sizeof(found[0]));
        assert_memory_equal(&both, &result, sizeof(both));
    }
}

static void arguments(void **state) {
    (void)state;
    tma_measure_result result;
    assert_int_equal(tma_measure(NULL, &cases[0].spec, NULL), TMA_INVALID);
    assert_int_equal(tma_measure(&result, NULL, NULL), TMA_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(any_spec),
        cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
