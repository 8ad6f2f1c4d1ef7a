/* SPDX-License-Identifier: Apache-2.0
 *
 * Right and wrong calls.
 */
#include "call_cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ADDRESS 0x7f0000000000

static void print(const char *name, CUresult rc, const CUtensorMap *map) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    uint8_t bytes[sizeof(*map)];
    memcpy(bytes, map, sizeof(bytes));
    for (size_t i = 0; rc == CUDA_SUCCESS && i < 128; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
    }
    printf("%s %u %016" PRIx64 "\n", name, (unsigned)rc, rc == CUDA_SUCCESS ? hash : 0);
}

CUresult encode_matrix(tiled_call *encode, CUtensorMap *map, cuuint32_t width, uintptr_t address) {
    const cuuint64_t dim[2] = {4096, 8192};
    const cuuint64_t stride[1] = {8192};
    const cuuint32_t box[2] = {width, 128};
    const cuuint32_t step[2] = {1, 1};
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, (void *)address, dim, stride, box, step,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/* Two rules broken at once: a dimension of 0 and a stride of 8 bytes. */
static CUresult two_faults(tiled_call *encode, CUtensorMap *map) {
    const cuuint64_t dim[2] = {4096, 0};
    const cuuint64_t stride[1] = {8200};
    const cuuint32_t box[2] = {64, 128};
    const cuuint32_t step[2] = {1, 1};
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void *)ADDRESS, dim, stride, box, step,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/* A rank that no map has: the two entries behind the arrays are all that may be read. */
static CUresult rank_of_garbage(tiled_call *encode, CUtensorMap *map) {
    const cuuint64_t none[1] = {1};
    const cuuint32_t nothing[1] = {1};
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 0xdeadbeef, (void *)ADDRESS, none, none,
                  nothing, nothing, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static const cuuint64_t image_dim[4] = {64, 56, 56, 32};
static const cuuint64_t image_stride[3] = {128, 7168, 401408};
static const cuuint32_t image_step[4] = {1, 1, 1, 1};

static CUresult image(im2col_call *encode, CUtensorMap *map, cuuint32_t pixels) {
    const int lower[2] = {-1, -1};
    const int upper[2] = {-1, -1};
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, (void *)ADDRESS, image_dim, image_stride,
                  lower, upper, 64, pixels, image_step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static CUresult wide_image(wide_call *encode, CUtensorMap *map, int upper) {
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, (void *)ADDRESS, image_dim, image_stride,
                  -1, upper, 64, 128, image_step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  CU_TENSOR_MAP_IM2COL_WIDE_MODE_W, CU_TENSOR_MAP_SWIZZLE_128B,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

void run_cases(const struct driver_calls *calls) {
    CUtensorMap map;
    memset(&map, 0, sizeof(map));
    print("tiled", encode_matrix(calls->tiled, &map, 64, ADDRESS), &map);
    print("tiled.row_of_256B", encode_matrix(calls->tiled, &map, 128, ADDRESS), &map);
    print("tiled.again", encode_matrix(calls->tiled, &map, 128, ADDRESS), &map);
    print("tiled.two_faults", two_faults(calls->tiled, &map), &map);
    print("tiled.rank", rank_of_garbage(calls->tiled, &map), &map);
    print("im2col", image(calls->im2col, &map, 128), &map);
    print("im2col.pixels", image(calls->im2col, &map, 1025), &map);
    print("wide", wide_image(calls->wide, &map, 1), &map);
    print("wide.empty", wide_image(calls->wide, &map, -120), &map);
    print("tiled", encode_matrix(calls->tiled, &map, 64, ADDRESS), &map);
    print("replace", calls->replace(&map, (void *)(ADDRESS + 0x1000)), &map);
    print("replace.odd", calls->replace(&map, (void *)(ADDRESS + 8)), &map);
    print("replace.null", calls->replace(&map, NULL), &map);
    fflush(stdout);
}
