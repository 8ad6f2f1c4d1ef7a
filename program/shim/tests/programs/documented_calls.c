/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's reference as a program, with no cuda.h: each call of "Tensor Map Object Management"
 * with its enumerators by the names and in the order of the document, linked with libtma alone.
 * What comes out is held against libtma's own encoders. Prints what differs; its status is their
 * number.
 */
#include "tma/cuda_api.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tma/cuda_driver.h"
#include "tma/map.h"

static int failures;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                 \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

/* An enumeration as the document lists it: the first value is 0, each next one more. */
#define LISTED(kind, ...)                                                                          \
    do {                                                                                           \
        const char *const names = #__VA_ARGS__;                                                    \
        const int values[] = {__VA_ARGS__};                                                        \
        is_listed(kind, names, values, (int)(sizeof(values) / sizeof(values[0])));                 \
    } while (0)

static void is_listed(tma_enum_kind kind, const char *names, const int *values, int count) {
    for (int i = 0; i < count; i++) {
        const size_t length = strcspn(names, ", ");
        const tma_enum_row *row = tma_enum_row_of(kind, (uint32_t)i);
        EXPECT(values[i] == i);
        EXPECT(row && strlen(row->cuda_name) == length && !strncmp(row->cuda_name, names, length));
        names += length;
        names += strspn(names, ", ");
    }
    const tma_enum_row *next = tma_enum_row_of(kind, (uint32_t)count);
    EXPECT(!next || !*next->cuda_name);
}

static void enumerators_have_the_documents_names_and_order(void) {
    LISTED(TMA_ENUM_DTYPE, CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_UINT16,
           CU_TENSOR_MAP_DATA_TYPE_UINT32, CU_TENSOR_MAP_DATA_TYPE_INT32,
           CU_TENSOR_MAP_DATA_TYPE_UINT64, CU_TENSOR_MAP_DATA_TYPE_INT64,
           CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
           CU_TENSOR_MAP_DATA_TYPE_FLOAT64, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
           CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
           CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B,
           CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B, CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B);
    LISTED(TMA_ENUM_INTERLEAVE, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_INTERLEAVE_16B,
           CU_TENSOR_MAP_INTERLEAVE_32B);
    LISTED(TMA_ENUM_SWIZZLE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
           CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B,
           CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B,
           CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B);
    LISTED(TMA_ENUM_L2, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_64B,
           CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
    LISTED(TMA_ENUM_FILL, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
           CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
    LISTED(TMA_ENUM_WIDE_MODE, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W,
           CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128);
    LISTED(TMA_ENUM_CLASS, CU_TENSOR_MAP_ALLOC_CLASS_AUTO, CU_TENSOR_MAP_ALLOC_CLASS_SMALL,
           CU_TENSOR_MAP_ALLOC_CLASS_LARGE);
}

static void *const global = (void *)0x7f0000000000;
static const cuuint32_t ones[5] = {1, 1, 1, 1, 1};

static int is_map_of(const CUtensorMap *made, const tma_spec *spec) {
    static const tma_target target = {.sm = 90, .driver = 13050};
    tma_map map;
    return tma_encode(map.bytes, spec, &target) == TMA_OK &&
           !memcmp(tma_cuda_bytes(made), map.bytes, sizeof(map.bytes));
}

static void a_tiled_map(void) {
    CUtensorMap map;
    const cuuint64_t globalDim[3] = {64, 48, 32};
    const cuuint64_t globalStrides[2] = {128, 128 * 48};
    const cuuint32_t boxDim[3] = {64, 8, 4};
#define ARGUMENTS                                                                                  \
    CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, global, globalDim, globalStrides, boxDim, ones,           \
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,                                 \
        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
    EXPECT(cuTensorMapEncodeTiled(&map, ARGUMENTS) == CUDA_SUCCESS);
    const tma_spec spec = tma_cuda_tiled(ARGUMENTS);
#undef ARGUMENTS
    EXPECT(is_map_of(&map, &spec));

    tma_spec moved = spec;
    moved.address += 4096;
    EXPECT(cuTensorMapReplaceAddress(&map, (char *)global + 4096) == CUDA_SUCCESS);
    EXPECT(is_map_of(&map, &moved));
    EXPECT(cuTensorMapReplaceAddress(&map, (char *)global + 8) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(is_map_of(&map, &moved));

    CUtensorMapAllocClass in_effect = CU_TENSOR_MAP_ALLOC_CLASS_AUTO;
    EXPECT(cuTensorMapSetAllocationClass(&map, CU_TENSOR_MAP_ALLOC_CLASS_LARGE, &in_effect) ==
           CUDA_SUCCESS);
    EXPECT(in_effect == CU_TENSOR_MAP_ALLOC_CLASS_SMALL); /* sm_90 has no other */
    EXPECT(is_map_of(&map, &moved));
}

static void im2col_maps(void) {
    CUtensorMap map;
    const cuuint64_t globalDim[4] = {64, 9, 9, 4};
    const cuuint64_t globalStrides[3] = {128, 128 * 9, 128 * 81};
    const int pixelBoxLowerCorner[2] = {-1, -1};
    const int pixelBoxUpperCorner[2] = {-1, -1};
#define ARGUMENTS                                                                                  \
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, global, globalDim, globalStrides, pixelBoxLowerCorner,     \
        pixelBoxUpperCorner, 64, 32, ones, CU_TENSOR_MAP_INTERLEAVE_NONE,                          \
        CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,                               \
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE
    EXPECT(cuTensorMapEncodeIm2col(&map, ARGUMENTS) == CUDA_SUCCESS);
    const tma_spec spec = tma_cuda_im2col(ARGUMENTS);
#undef ARGUMENTS
    EXPECT(is_map_of(&map, &spec));

#define ARGUMENTS                                                                                  \
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, global, globalDim, globalStrides, -1, 0, 64, 32, ones,     \
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W,                           \
        CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,                               \
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE
    EXPECT(cuTensorMapEncodeIm2colWide(&map, ARGUMENTS) == CUDA_SUCCESS);
    const tma_spec wide = tma_cuda_im2col_wide(ARGUMENTS);
#undef ARGUMENTS
    EXPECT(is_map_of(&map, &wide));
}

/* Each member of cuda.h's CUresult is a case of a switch, has its number and is named; nothing is
 * beside cuda.h's words where they are not known. */
static void each_result_has_its_name(void) {
    static const struct {
        CUresult result;
        int number;
        const char *name;
    } results[] = {
#define RESULT(name, number) {name, number, #name},
#include "cuda_results.def"
    };
    const char *text = NULL;
    int cases = 0;
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        switch (results[i].result) {
#define RESULT(name, number) case name:
#include "cuda_results.def"
            cases++;
            break;
        default:
            break;
        }
        EXPECT((int)results[i].result == results[i].number);
        EXPECT(cuGetErrorName(results[i].result, &text) == CUDA_SUCCESS);
        EXPECT(text && !strcmp(text, results[i].name));
        text = results[i].name;
        const CUresult status = cuGetErrorString(results[i].result, &text);
        EXPECT(status == (text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE) && (!text || *text));
    }
    EXPECT(cases == sizeof(results) / sizeof(results[0]) && cases > 100);
}

static void errors_have_names_and_words(void) {
    const char *text = NULL;
    EXPECT(cuGetErrorName(CUDA_SUCCESS, &text) == CUDA_SUCCESS && !strcmp(text, "CUDA_SUCCESS"));
    EXPECT(cuGetErrorString(CUDA_SUCCESS, &text) == CUDA_SUCCESS && !strcmp(text, "no error"));
    EXPECT(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text) == CUDA_SUCCESS);
    EXPECT(text && !strcmp(text, "CUDA_ERROR_INVALID_VALUE"));
    EXPECT(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text) == CUDA_SUCCESS);
    EXPECT(text && !strcmp(text, "an illegal memory access was encountered"));
    EXPECT(cuGetErrorName((CUresult)12345, &text) == CUDA_ERROR_INVALID_VALUE && !text);
    EXPECT(cuGetErrorName(CUDA_SUCCESS, NULL) == CUDA_ERROR_INVALID_VALUE);
}

int main(void) {
    enumerators_have_the_documents_names_and_order();
    a_tiled_map();
    im2col_maps();
    each_result_has_its_name();
    errors_have_names_and_words();
    return failures;
}
