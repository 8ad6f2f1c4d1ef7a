/* SPDX-License-Identifier: Apache-2.0
 *
 * tma/cuda_driver.h beside NVIDIA's cuda.h, as C and as C++: the driver's argument lists become
 * specs without reading past what the driver reads, and maps go to CUtensorMap and back.
 */
#include "tma/cuda_driver.h"

#include <stdio.h>

#include "tma/check.h"

static int failures;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                 \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static void tiled_equals_a_spec_by_hand(void) {
    const cuuint64_t dim[2] = {4096, 8192};
    const cuuint64_t stride[1] = {8192};
    const cuuint32_t box[2] = {64, 128};
    const cuuint32_t step[2] = {1, 2};
    const tma_spec spec = tma_cuda_tiled(
        CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, (void *)0x7f0000000000, dim, stride, box, step,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
    EXPECT(spec.api == TMA_API_TILED && spec.dtype == TMA_DTYPE_BFLOAT16 && spec.rank == 2);
    EXPECT(spec.address == 0x7f0000000000);
    EXPECT(spec.dim_el[0] == 4096 && spec.dim_el[1] == 8192 && spec.dim_el[2] == 0);
    EXPECT(spec.stride_B[0] == 8192 && spec.stride_B[1] == 0);
    EXPECT(spec.box_el[0] == 64 && spec.box_el[1] == 128);
    EXPECT(spec.element_stride[0] == 1 && spec.element_stride[1] == 2);
    EXPECT(spec.interleave == TMA_INTERLEAVE_NONE && spec.swizzle == TMA_SWIZZLE_128B);
    EXPECT(spec.l2 == TMA_L2_256B && spec.fill == TMA_FILL_NAN);
    EXPECT(tma_accepts(&spec, NULL));

    tma_map ours;
    EXPECT(tma_encode(ours.bytes, &spec, NULL) == TMA_OK);
    const CUtensorMap theirs = tma_cuda_from_map(&ours);
    CUtensorMap made;
    EXPECT(tma_encode(tma_cuda_bytes_of(&made), &spec, NULL) == TMA_OK);
    EXPECT(memcmp(tma_cuda_bytes(&made), ours.bytes, sizeof ours.bytes) == 0);
    EXPECT(theirs.opaque[0] == 0x7f0000000000); /* the address, in words 0 and 1 */
    const tma_map back = tma_cuda_to_map(&theirs);
    EXPECT(memcmp(back.bytes, ours.bytes, sizeof back.bytes) == 0);
}

static void im2col_takes_the_corners_in_order(void) {
    const cuuint64_t dim[4] = {256, 56, 57, 32};
    const cuuint64_t stride[3] = {512, 28672, 1634304};
    const int lower[2] = {-1, -2};
    const int upper[2] = {1, 2};
    const cuuint32_t step[4] = {1, 1, 1, 1};
    const tma_spec spec =
        tma_cuda_im2col(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, NULL, dim, stride, lower, upper, 64, 96,
                        step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    EXPECT(spec.api == TMA_API_IM2COL && spec.rank == 4 && spec.stride_B[2] == 1634304);
    EXPECT(spec.lower_px[0] == -1 && spec.lower_px[1] == -2 && spec.lower_px[2] == 0);
    EXPECT(spec.upper_px[0] == 1 && spec.upper_px[1] == 2);
    EXPECT(spec.channels_per_pixel == 64 && spec.pixels_per_column == 96);
    EXPECT(spec.box_el[0] == 0);
    EXPECT(tma_accepts(&spec, NULL));
}

static void wide_has_one_corner_each(void) {
#if CUDA_VERSION >= 12080
    const cuuint64_t dim[3] = {256, 56, 32};
    const cuuint64_t stride[2] = {512, 28672};
    const cuuint32_t step[3] = {1, 1, 1};
    const tma_spec spec =
        tma_cuda_im2col_wide(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, NULL, dim, stride, -3, 4, 64, 128,
                             step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                             CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128, CU_TENSOR_MAP_SWIZZLE_128B,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    EXPECT(spec.api == TMA_API_WIDE && spec.wide_mode == TMA_WIDE_W128);
    EXPECT(spec.lower_px[0] == -3 && spec.upper_px[0] == 4 && spec.lower_px[1] == 0);
    EXPECT(spec.pixels_per_column == 128 && spec.element_stride[2] == 1);
#endif
}

/* A rank that no array has entries for must not make the converters read on. */
static void ranks_are_bounded(void) {
    const cuuint64_t five[5] = {16, 16, 16, 16, 16};
    const cuuint32_t ones[5] = {1, 1, 1, 1, 1};
    const tma_spec spec =
        tma_cuda_tiled(CU_TENSOR_MAP_DATA_TYPE_UINT8, 0xFFFFFFFFu, NULL, five, five, ones, ones,
                       CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                       CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    EXPECT(spec.rank == 0xFFFFFFFFu && spec.stride_B[3] == 16 && !tma_accepts(&spec, NULL));
}

static void null_arrays_are_refused(void) {
    const cuuint64_t dim[3] = {256, 56, 32};
    const cuuint64_t stride[2] = {512, 28672};
    const cuuint32_t step[3] = {1, 1, 1};
    const int corner[1] = {0};
    for (int missing = 0; missing < 6; missing++) {
        const tma_spec spec =
            tma_cuda_im2col(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, NULL, missing == 1 ? NULL : dim,
                            missing == 2 ? NULL : stride, missing == 3 ? NULL : corner,
                            missing == 4 ? NULL : corner, 64, 128, missing == 5 ? NULL : step,
                            CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                            CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        EXPECT(tma_accepts(&spec, NULL) == (missing == 0));
    }
    const tma_spec no_box =
        tma_cuda_tiled(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, NULL, dim, stride, NULL, step,
                       CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                       CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    EXPECT(!tma_accepts(&no_box, NULL));
}

/* As the driver's call: the class in effect comes back, a refusal says small. */
static void the_class_is_set_and_told(void) {
#if CUDA_VERSION >= 13050
    tma_target target = TMA_CUDA_NOTHING;
    target.sm = 100;
    target.driver = 13050;
    CUtensorMapAllocClass now = CU_TENSOR_MAP_ALLOC_CLASS_AUTO;
    CUtensorMap map;
    memset(&map, 0, sizeof map);
    EXPECT(tma_cuda_set_allocation_class(&map, CU_TENSOR_MAP_ALLOC_CLASS_LARGE, &now, &target) ==
           CUDA_SUCCESS);
    EXPECT(now == CU_TENSOR_MAP_ALLOC_CLASS_LARGE && map.opaque[1] == UINT64_C(1) << 21);
    EXPECT(tma_cuda_set_allocation_class(&map, CU_TENSOR_MAP_ALLOC_CLASS_AUTO, NULL, &target) ==
           CUDA_SUCCESS);
    EXPECT(map.opaque[1] == 0);
    now = CU_TENSOR_MAP_ALLOC_CLASS_LARGE;
    EXPECT(tma_cuda_set_allocation_class(NULL, CU_TENSOR_MAP_ALLOC_CLASS_LARGE, &now, &target) ==
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(now == CU_TENSOR_MAP_ALLOC_CLASS_SMALL);
    target.sm = 90;
    EXPECT(tma_cuda_set_allocation_class(&map, CU_TENSOR_MAP_ALLOC_CLASS_LARGE, &now, &target) ==
           CUDA_SUCCESS);
    EXPECT(now == CU_TENSOR_MAP_ALLOC_CLASS_SMALL && map.opaque[1] == 0);
#endif
}

int main(void) {
    tiled_equals_a_spec_by_hand();
    im2col_takes_the_corners_in_order();
    wide_has_one_corner_each();
    ranks_are_bounded();
    null_arrays_are_refused();
    the_class_is_set_and_told();
    return failures != 0;
}
