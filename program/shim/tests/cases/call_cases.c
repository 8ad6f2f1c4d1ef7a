/* SPDX-License-Identifier: Apache-2.0
 *
 * Right and wrong calls.
 */
#include "call_cases.h"

#include <dlfcn.h>
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

/* A rank that no map has. */
static CUresult rank_of_six(tiled_call *encode, CUtensorMap *map) {
    const cuuint64_t dim[6] = {64, 1, 1, 1, 1, 1};
    const cuuint64_t stride[5] = {128, 128, 128, 128, 128};
    const cuuint32_t box[6] = {64, 1, 1, 1, 1, 1};
    const cuuint32_t step[6] = {1, 1, 1, 1, 1, 1};
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 6, (void *)ADDRESS, dim, stride, box, step,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/* A vector has no strides; the driver wants the array all the same. */
static CUresult vector(tiled_call *encode, CUtensorMap *map, const cuuint64_t *stride) {
    const cuuint64_t dim[1] = {4096};
    const cuuint32_t box[1] = {64};
    const cuuint32_t step[1] = {1};
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 1, (void *)ADDRESS, dim, stride, box, step,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
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

/* A real driver wants a context; the others here have no such functions. */
void begin_driver(void *driver) {
    CUresult (*init)(unsigned flags) = NULL;
    CUresult (*retain)(void **context, int device) = NULL;
    CUresult (*set_current)(void *context) = NULL;
    void *const found[3] = {dlsym(driver, "cuInit"), dlsym(driver, "cuDevicePrimaryCtxRetain"),
                            dlsym(driver, "cuCtxSetCurrent")};
    void *context = NULL;
    memcpy(&init, &found[0], sizeof(init));
    memcpy(&retain, &found[1], sizeof(retain));
    memcpy(&set_current, &found[2], sizeof(set_current));
    if (init && retain && set_current && !init(0) && !retain(&context, 0)) {
        set_current(context);
    }
}

void run_cases(const struct driver_calls *calls) {
    const cuuint64_t no_stride = 0;
    CUtensorMap map;
    memset(&map, 0, sizeof(map));
    print("tiled", encode_matrix(calls->tiled, &map, 64, ADDRESS), &map);
    print("tiled.row_of_256B", encode_matrix(calls->tiled, &map, 128, ADDRESS), &map);
    print("tiled.again", encode_matrix(calls->tiled, &map, 128, ADDRESS), &map);
    print("tiled.two_faults", two_faults(calls->tiled, &map), &map);
    print("tiled.rank", rank_of_six(calls->tiled, &map), &map);
    print("vector", vector(calls->tiled, &map, &no_stride), &map);
    print("vector.null", vector(calls->tiled, &map, NULL), &map);
    print("im2col", image(calls->im2col, &map, 128), &map);
    print("im2col.pixels", image(calls->im2col, &map, 1025), &map);
    print("wide", wide_image(calls->wide, &map, 1), &map);
    print("wide.empty", wide_image(calls->wide, &map, -120), &map);
    print("tiled", encode_matrix(calls->tiled, &map, 64, ADDRESS), &map);
    print("replace", calls->replace(&map, (void *)(ADDRESS + 0x1000)), &map);
    print("replace.odd", calls->replace(&map, (void *)(ADDRESS + 8)), &map);
    print("replace.zero", calls->replace(&map, NULL), &map);
    fflush(stdout);
}
