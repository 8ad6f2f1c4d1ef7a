/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of timed copies. DRAM: 512 MiB, every tile once; L2: 1 MiB, again and again.
 */
#include "copy_cases.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A 2-D tensor of dim0 x dim1 elements of `dtype`, strides of stride_B, and a box. */
#define TILE(dtype_, dim0, dim1, stride_, box0, box1, swizzle_)                                    \
    {                                                                                              \
        .api = TMA_API_TILED, .dtype = TMA_DTYPE_##dtype_, .rank = 2, .dim_el = {dim0, dim1},      \
        .stride_B = {stride_}, .box_el = {box0, box1}, .element_stride = {1, 1},                   \
        .swizzle = TMA_SWIZZLE_##swizzle_                                                          \
    }

static copy_bench cases[] = {
    {.name = "load 128 B rows, 128B swizzle, DRAM", .yard_name = "run by run", .target = 1.0,
     .spec = TILE(BFLOAT16, 4096, 65536, 8192, 64, 128, 128B), .yard = yard_runs},
    {.name = "load 128 B rows, 128B swizzle, L2", .yard_name = "run by run", .target = 1.0,
     .spec = TILE(BFLOAT16, 512, 1024, 1024, 64, 128, 128B), .yard = yard_runs},
    {.name = "load 64 B rows, 64B swizzle, L2", .yard_name = "run by run", .target = 1.2,
     .spec = TILE(BFLOAT16, 512, 1024, 1024, 32, 128, 64B), .yard = yard_runs},
    {.name = "load 32 B rows, 32B swizzle, L2", .yard_name = "run by run", .target = 1.2,
     .spec = TILE(BFLOAT16, 512, 1024, 1024, 16, 128, 32B), .yard = yard_runs},
    {.name = "load 256 B rows, no swizzle, DRAM", .yard_name = "run by run", .target = 1.0,
     .spec = TILE(BFLOAT16, 4096, 65536, 8192, 128, 64, NONE), .yard = yard_runs},
    {.name = "load 16 KiB contiguous, no swizzle, L2", .yard_name = "whole", .target = 0.95,
     .spec = TILE(BFLOAT16, 64, 8192, 128, 64, 128, NONE), .yard = yard_whole},
    {.name = "load 16 KiB contiguous, 128B swizzle, L2", .yard_name = "whole", .target = 0.75,
     .spec = TILE(BFLOAT16, 64, 8192, 128, 64, 128, 128B), .yard = yard_whole},
    {.name = "load 16 B rows 64 B apart, L2", .yard_name = "16-byte copies", .target = 0.95,
     .spec = TILE(BFLOAT16, 32, 16384, 64, 8, 256, NONE), .yard = yard_16},
    {.name = "load element stride 2 along rows, DRAM", .yard_name = "run by run", .target = 1.0,
     .spec = {.api = TMA_API_TILED, .dtype = TMA_DTYPE_BFLOAT16, .rank = 2,
              .dim_el = {4096, 65536}, .stride_B = {8192}, .box_el = {64, 256},
              .element_stride = {1, 2}, .swizzle = TMA_SWIZZLE_128B},
     .yard = yard_runs},
    {.name = "im2col NHWC f16, C 64, 128 px, 3x3, DRAM", .yard_name = "run by run", .target = 1.0,
     .spec = {.api = TMA_API_IM2COL, .dtype = TMA_DTYPE_FLOAT16, .rank = 4,
              .dim_el = {64, 56, 56, 1337}, .stride_B = {128, 7168, 401408},
              .element_stride = {1, 1, 1, 1}, .lower_px = {-1, -1}, .upper_px = {-1, -1},
              .channels_per_pixel = 64, .pixels_per_column = 128, .swizzle = TMA_SWIZZLE_128B},
     .mode = TMA_MODE_IM2COL, .yard = yard_pixels},
    {.name = "load half out of bounds, zero fill, L2", .yard_name = "run by run + memset",
     .target = 1.0, .spec = TILE(BFLOAT16, 8192, 64, 16384, 64, 128, 128B), .yard = yard_runs},
    {.name = "load half out of bounds, NaN fill, L2", .yard_name = "run by run + memset",
     .target = 1.0,
     .spec = {.api = TMA_API_TILED, .dtype = TMA_DTYPE_BFLOAT16, .rank = 2, .dim_el = {8192, 64},
              .stride_B = {16384}, .box_el = {64, 128}, .element_stride = {1, 1},
              .swizzle = TMA_SWIZZLE_128B, .fill = TMA_FILL_NAN},
     .yard = yard_runs},
    {.name = "load TF32 (rounding), 128B swizzle, L2", .yard_name = "plain loop, native",
     .target = 0.95, .spec = TILE(TFLOAT32, 256, 1024, 1024, 32, 128, 128B), .yard = yard_tf32},
    {.name = "store 128 B rows, 128B swizzle, DRAM", .yard_name = "run by run", .target = 1.0,
     .spec = TILE(BFLOAT16, 4096, 65536, 8192, 64, 128, 128B), .op = TMA_OP_STORE,
     .yard = yard_store},
    {.name = "reduce add f32, 128B swizzle, L2", .yard_name = "plain loop, native", .target = 0.95,
     .spec = TILE(FLOAT32, 256, 1024, 1024, 32, 128, 128B), .op = TMA_OP_ADD, .yard = yard_reduce},
    {.name = "reduce add f16, 128B swizzle, L2", .yard_name = "plain loop, native", .target = 0.95,
     .spec = TILE(FLOAT16, 512, 1024, 1024, 64, 128, 128B), .op = TMA_OP_ADD,
     .yard = yard_reduce},
    {.name = "reduce add bf16, 128B swizzle, L2", .yard_name = "plain loop, native",
     .target = 0.95, .spec = TILE(BFLOAT16, 512, 1024, 1024, 64, 128, 128B), .op = TMA_OP_ADD,
     .yard = yard_reduce},
    {.name = "load 4-bit, padded to 16 B, L2", .yard_name = "run by run of the payload",
     .target = 0.8, .spec = TILE(16U4_ALIGN16B, 2048, 1024, 1024, 128, 128, 128B),
     .yard = yard_runs},
    {.name = "load 6-bit, padded to 16 B, L2", .yard_name = "run by run of the payload",
     .target = 0.8, .spec = TILE(16U6_ALIGN16B, 1280, 1024, 960, 128, 128, 128B),
     .yard = yard_runs},
    {.name = "512 MiB in tiles, all cores, batch call", .yard_name = "run by run", .target = 1.0,
     .spec = TILE(BFLOAT16, 4096, 65536, 8192, 64, 128, 128B), .yard = yard_runs, .threads = 1},
};

copy_bench *copy_cases(size_t *count) {
    *count = COUNT(cases);
    return cases;
}
