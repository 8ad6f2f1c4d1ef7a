/* SPDX-License-Identifier: Apache-2.0
 *
 * The same loops for AVX2 with F16C, and for AVX-512; and which of them this machine runs.
 */
#include <string.h>

#include "copy_kernels.h"
#include "tma/element.h"

#ifdef TMA_HAS_AVX

typedef float x86_f32x8 __attribute__((vector_size(32)));
typedef float x86_f32x16 __attribute__((vector_size(64)));
typedef short x86_s16x8 __attribute__((vector_size(16)));
typedef short x86_s16x16 __attribute__((vector_size(32)));
typedef int x86_s32x8 __attribute__((vector_size(32)));
typedef int x86_s32x16 __attribute__((vector_size(64)));

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,f16c")
#endif
#define TMA_W          32
#define TMA_NAME(name) avx2_##name
#define TMA_PERMUTE_32(v, from)                                                                    \
    ((avx2_vec)__builtin_ia32_permvarsi256((x86_s32x8)(v), (x86_s32x8)(from)))
#include "copy_chunks.h"

typedef uint16_t avx2_u16x8 __attribute__((vector_size(16), aligned(1), may_alias));

/* Rounded once: the sum of two 16-bit floats has all it needs in 32 bits (24 >= 2 * 11 + 2). */
static inline avx2_u16x8 avx2_sum_f16(avx2_u16x8 g, avx2_u16x8 s) {
    const x86_f32x8 sum =
        __builtin_ia32_vcvtph2ps256((x86_s16x8)g) + __builtin_ia32_vcvtph2ps256((x86_s16x8)s);
    const avx2_u16x8 r = (avx2_u16x8)__builtin_ia32_vcvtps2ph256(sum, 0);
    const avx2_u16x8 is_nan = (avx2_u16x8)((r & 0x7FFF) > 0x7C00);
    return (is_nan & 0x7FFF) | (~is_nan & r);
}
#define TMA_SUM_F16(g, s) avx2_sum_f16(g, s)
#include "copy_reduce.h"
#undef TMA_SUM_F16
#undef TMA_NAME
#undef TMA_W
#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,f16c"))),   \
                             apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,f16c")
#endif
#define TMA_W          64
#define TMA_NAME(name) avx512_##name
#ifdef __clang__
#define TMA_PERMUTE_64(v, from)                                                                    \
    ((avx512_vec)__builtin_ia32_permvarsi512((x86_s32x16)(v), (x86_s32x16)(from)))
#else
#define TMA_PERMUTE_64(v, from) ((avx512_vec)__builtin_shuffle((x86_s32x16)(v), (x86_s32x16)(from)))
#endif
#include "copy_chunks.h"

typedef uint16_t avx512_u16x16 __attribute__((vector_size(32), aligned(1), may_alias));

static inline avx512_u16x16 avx512_sum_f16(avx512_u16x16 g, avx512_u16x16 s) {
    const avx2_u16x8 *a = (const avx2_u16x8 *)&g;
    const avx2_u16x8 *b = (const avx2_u16x8 *)&s;
    avx512_u16x16 r;
    avx2_u16x8 *to = (avx2_u16x8 *)&r;
    for (int i = 0; i < 2; i++) {
        const x86_f32x8 sum = __builtin_ia32_vcvtph2ps256((x86_s16x8)a[i]) +
                              __builtin_ia32_vcvtph2ps256((x86_s16x8)b[i]);
        to[i] = (avx2_u16x8)__builtin_ia32_vcvtps2ph256(sum, 0);
    }
    const avx512_u16x16 is_nan = (avx512_u16x16)((r & 0x7FFF) > 0x7C00);
    return (is_nan & 0x7FFF) | (~is_nan & r);
}
#define TMA_SUM_F16(g, s) avx512_sum_f16(g, s)
#include "copy_reduce.h"
#undef TMA_SUM_F16
#undef TMA_NAME
#undef TMA_W

/* Rows of 32 bytes are what the narrower vectors are for. */
static void avx512_load_any(const tma_job *job) {
    if (job->row_B % 64 == 32) {
        avx2_load(job);
    } else {
        avx512_load(job);
    }
}

static void avx512_store_any(const tma_job *job) {
    if (job->row_B % 64 == 32) {
        avx2_store(job);
    } else {
        avx512_store(job);
    }
}
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

const tma_kernels tma_kernels_avx2 = {avx2_load, avx2_store, avx2_fill, avx2_reduce, avx2_expand};
const tma_kernels tma_kernels_avx512 = {avx512_load_any, avx512_store_any, avx512_fill,
                                        avx512_reduce, avx512_expand};
#endif
