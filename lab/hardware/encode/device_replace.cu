/* SPDX-License-Identifier: Apache-2.0
 *
 * tensormap.replace: a thread for each map.
 */
#include "cuda_check.h"
#include "device.h"

#define REPLACE_(field, type, constraint, value)                                                   \
    asm volatile("tensormap.replace.tile." field ".global.b1024." type " [%0], %1;" ::"l"(map),    \
                 constraint(value)                                                                 \
                 : "memory")
#define REPLACE_AT_(field, ordinal, type, constraint, value)                                       \
    asm volatile("tensormap.replace.tile." field ".global.b1024." type " [%0], " #ordinal          \
                 ", %1;" ::"l"(map),                                                               \
                 constraint(value)                                                                 \
                 : "memory")
#define REPLACE_WITH_(field, immediate)                                                            \
    case immediate:                                                                                \
        asm volatile("tensormap.replace.tile." field ".global.b1024.b32 [%0], " #immediate         \
                     ";" ::"l"(map)                                                                \
                     : "memory");                                                                  \
        return;

#define ORDINAL_(n, field, type, constraint, value)                                                \
    case n:                                                                                        \
        REPLACE_AT_(field, n, type, constraint, value);                                            \
        return;
#define ORDINALS_(field, type, constraint, value)                                                  \
    switch (e.ordinal) {                                                                           \
        ORDINAL_(0, field, type, constraint, value)                                                \
        ORDINAL_(1, field, type, constraint, value)                                                \
        ORDINAL_(2, field, type, constraint, value)                                                \
        ORDINAL_(3, field, type, constraint, value)                                                \
        ORDINAL_(4, field, type, constraint, value)                                                \
    }                                                                                              \
    return;

#if defined(__CUDA_ARCH_SPECIFIC__) || defined(__CUDA_ARCH_FEAT_SM90_ALL) ||                       \
    defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
#define HAS_REPLACE 1
#endif

#ifdef HAS_REPLACE
static __device__ void replace_elemtype(void *map, uint32_t immediate) {
    switch (immediate) {
        REPLACE_WITH_("elemtype", 0)
        REPLACE_WITH_("elemtype", 1)
        REPLACE_WITH_("elemtype", 2)
        REPLACE_WITH_("elemtype", 3)
        REPLACE_WITH_("elemtype", 4)
        REPLACE_WITH_("elemtype", 5)
        REPLACE_WITH_("elemtype", 6)
        REPLACE_WITH_("elemtype", 7)
        REPLACE_WITH_("elemtype", 8)
        REPLACE_WITH_("elemtype", 9)
        REPLACE_WITH_("elemtype", 10)
        REPLACE_WITH_("elemtype", 11)
        REPLACE_WITH_("elemtype", 12)
#if __CUDA_ARCH__ >= 1000
        REPLACE_WITH_("elemtype", 13)
        REPLACE_WITH_("elemtype", 14)
        REPLACE_WITH_("elemtype", 15)
#endif
    }
}

static __device__ void replace_swizzle_mode(void *map, uint32_t immediate) {
    switch (immediate) {
        REPLACE_WITH_("swizzle_mode", 0)
        REPLACE_WITH_("swizzle_mode", 1)
        REPLACE_WITH_("swizzle_mode", 2)
        REPLACE_WITH_("swizzle_mode", 3)
#if defined(__CUDA_ARCH_SPECIFIC__) && (__CUDA_ARCH__ == 1030 || __CUDA_ARCH__ == 1070)
        REPLACE_WITH_("swizzle_mode", 4)
#endif
    }
}

static __device__ void replace_mode(void *map, const struct device_edit &e) {
    const uint32_t immediate = (uint32_t)e.value;
    switch (e.field * 16 + immediate) {
#define MODE_(field, name, n)                                                                      \
    case (field)*16 + (n):                                                                         \
        asm volatile("tensormap.replace.tile." name ".global.b1024.b32 [%0], " #n ";" ::"l"(map)   \
                     : "memory");                                                                  \
        return;
        MODE_(TMA_REPLACE_INTERLEAVE, "interleave_layout", 0)
        MODE_(TMA_REPLACE_INTERLEAVE, "interleave_layout", 1)
        MODE_(TMA_REPLACE_INTERLEAVE, "interleave_layout", 2)
        MODE_(TMA_REPLACE_FILL_MODE, "fill_mode", 0)
        MODE_(TMA_REPLACE_FILL_MODE, "fill_mode", 1)
#if __CUDA_ARCH__ >= 1000
        MODE_(TMA_REPLACE_SWIZZLE_ATOMICITY, "swizzle_atomicity", 0)
        MODE_(TMA_REPLACE_SWIZZLE_ATOMICITY, "swizzle_atomicity", 1)
        MODE_(TMA_REPLACE_SWIZZLE_ATOMICITY, "swizzle_atomicity", 2)
        MODE_(TMA_REPLACE_SWIZZLE_ATOMICITY, "swizzle_atomicity", 3)
#endif
    }
}

static __device__ void replace(void *map, const struct device_edit &e) {
    const uint32_t value = (uint32_t)e.value;
    switch (e.field) {
    case TMA_REPLACE_GLOBAL_ADDRESS:
        REPLACE_("global_address", "b64", "l", e.value);
        return;
    case TMA_REPLACE_RANK:
        REPLACE_("rank", "b32", "r", value);
        return;
    case TMA_REPLACE_BOX_DIM:
        ORDINALS_("box_dim", "b32", "r", value)
    case TMA_REPLACE_GLOBAL_DIM:
        ORDINALS_("global_dim", "b32", "r", value)
    case TMA_REPLACE_GLOBAL_STRIDE:
        ORDINALS_("global_stride", "b64", "l", e.value)
    case TMA_REPLACE_ELEMENT_STRIDE:
        ORDINALS_("element_stride", "b32", "r", value)
    case TMA_REPLACE_ELEMTYPE:
        replace_elemtype(map, value);
        return;
    case TMA_REPLACE_SWIZZLE_MODE:
        replace_swizzle_mode(map, value);
        return;
    default:
        replace_mode(map, e);
    }
}
#endif

static __global__ void replace_kernel(tma_map *maps, const struct device_edit *edits,
                                      size_t count) {
#ifdef HAS_REPLACE
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < count) {
        replace(&maps[i], edits[i]);
    }
#endif
}

const char *device_replace(tma_map *maps, const struct device_edit *edits, size_t count) {
    tma_map *on_device = NULL;
    struct device_edit *wanted = NULL;
    CUDA_TRY(cudaMalloc((void **)&on_device, count * sizeof(*maps)));
    CUDA_TRY(cudaMalloc((void **)&wanted, count * sizeof(*edits)));
    CUDA_TRY(cudaMemcpy(on_device, maps, count * sizeof(*maps), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(wanted, edits, count * sizeof(*edits), cudaMemcpyHostToDevice));
    const unsigned blocks = (unsigned)((count + 127) / 128);
    CUDA_TRY_KERNEL(replace_kernel<<<blocks, 128>>>(on_device, wanted, count));
    CUDA_TRY(cudaMemcpy(maps, on_device, count * sizeof(*maps), cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaFree(on_device));
    CUDA_TRY(cudaFree(wanted));
    return NULL;
}
