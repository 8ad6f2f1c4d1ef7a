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
typedef uint16_t x86_u16x16 __attribute__((vector_size(32), aligned(1), may_alias));
typedef short x86_s16x16 __attribute__((vector_size(32)));
typedef int x86_s32x8 __attribute__((vector_size(32)));
typedef int x86_s32x16 __attribute__((vector_size(64)));

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,f16c")
#endif
#define TMA_W                 32
#define TMA_NAME(name)        avx2_##name
#define TMA_NARROW(name)      TMA_NO_PERIOD
#define TMA_NARROW_LIST(name) TMA_NO_LIST
#define TMA_PERMUTE_32(v, from)                                                                    \
    ((avx2_vec)__builtin_ia32_permvarsi256((x86_s32x8)(v), (x86_s32x8)(from)))
#include "copy_chunks.h"

typedef uint16_t x86_u16x8 __attribute__((vector_size(16), aligned(1), may_alias));

/* Eight 16-bit floats as 32-bit ones: clang 22 has no builtin of its own for it. */
#if defined(__clang__) && !__has_builtin(__builtin_ia32_vcvtph2ps256)
typedef _Float16 x86_f16x8 __attribute__((vector_size(16)));
#define X86_WIDEN_8(v) __builtin_convertvector((x86_f16x8)(v), x86_f32x8)
#else
#define X86_WIDEN_8(v) __builtin_ia32_vcvtph2ps256((x86_s16x8)(v))
#endif

/* Rounded once: the sum of two 16-bit floats has all it needs in 32 bits (24 >= 2 * 11 + 2). */
TMA_INLINE x86_u16x8 avx2_sum_8(x86_u16x8 g, x86_u16x8 s) {
    const x86_f32x8 sum = X86_WIDEN_8(g) + X86_WIDEN_8(s);
    const x86_u16x8 r = (x86_u16x8)__builtin_ia32_vcvtps2ph256(sum, 0);
    const x86_u16x8 is_nan = (x86_u16x8)((r & 0x7FFF) > 0x7C00);
    return (is_nan & 0x7FFF) | (~is_nan & r);
}

TMA_INLINE avx2_vec avx2_sum_f16(avx2_vec g, avx2_vec s) {
    avx2_vec r = g;
    for (size_t i = 0; i < sizeof(r) / 16; i++) {
        ((x86_u16x8 *)&r)[i] = avx2_sum_8(((x86_u16x8 *)&g)[i], ((x86_u16x8 *)&s)[i]);
    }
    return r;
}
#define TMA_SUM_F16(g, s) avx2_sum_f16(g, s)
#include "copy_reduce.h"
#undef TMA_SUM_F16

typedef char x86_s8x16 __attribute__((vector_size(16)));
typedef uint8_t x86_u8x16 __attribute__((vector_size(16), aligned(1), may_alias));

static void avx2_expand(const tma_job *job) {
    avx2_expand_by(job, tma_expand_line_in_c);
}

/* tma_pack() with a vector for each chunk: neighbours times 1 and 64 make 12 bits, those times 1
 * and 4096 make 24. */
static void avx2_pack(const tma_job *job) {
    const x86_s8x16 by_64 = {1, 64, 1, 64, 1, 64, 1, 64, 1, 64, 1, 64, 1, 64, 1, 64};
    const x86_s16x8 by_4096 = {1, 4096, 1, 4096, 1, 4096, 1, 4096};
    const x86_s8x16 three_of_four = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1};
    const tma_job j = *job;
    for (uint32_t row = 0; row < j.rows; row++) {
        uint8_t *to = j.global + row * j.step_B;
        const uint32_t address = j.address + row * j.pitch_B;
        for (uint32_t at = 0; at < j.row_B; at += 16, to += 12) {
            const uint32_t moved = (address + at) ^ ((address + at) >> j.bits.shift & j.bits.mask);
            const x86_u8x16 values =
                *(const x86_u8x16 *)(j.window + (moved - j.window_address)) & 63;
            const x86_s16x8 pairs = __builtin_ia32_pmaddubsw128((x86_s8x16)values, by_64);
            const x86_s8x16 fours = (x86_s8x16)__builtin_ia32_pmaddwd128(pairs, by_4096);
            const x86_u8x16 packed = (x86_u8x16)__builtin_ia32_pshufb128(fours, three_of_four);
            memcpy(to, &packed, 12);
        }
    }
}
#undef TMA_NARROW
#undef TMA_NARROW_LIST
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
#define TMA_W                 64
#define TMA_NAME(name)        avx512_##name
#define TMA_NARROW(name)      avx2_##name
#define TMA_NARROW_LIST(name) avx2_##name
#ifdef __clang__
#define TMA_PERMUTE_64(v, from)                                                                    \
    ((avx512_vec)__builtin_ia32_permvarsi512((x86_s32x16)(v), (x86_s32x16)(from)))
#else
#define TMA_PERMUTE_64(v, from) ((avx512_vec)__builtin_shuffle((x86_s32x16)(v), (x86_s32x16)(from)))
#endif
#ifdef __clang__
#define AVX512_PERMUTE_2(a, b, index)                                                              \
    ((avx512_vec)__builtin_ia32_vpermi2vard512((x86_s32x16)(a), (x86_s32x16)(index),               \
                                               (x86_s32x16)(b)))
#else
#define AVX512_PERMUTE_2(a, b, index)                                                              \
    ((avx512_vec)__builtin_shuffle((x86_s32x16)(a), (x86_s32x16)(b), (x86_s32x16)(index)))
#endif
#ifdef __clang__
#define EVERY_LANE UINT16_MAX
#else
#define EVERY_LANE ((int16_t)-1) /* GCC takes this one as signed */
#endif
#define AVX512_FROM_F16(v)                                                                         \
    __builtin_ia32_vcvtph2ps512_mask((x86_s16x16)(v), (x86_f32x16){0}, EVERY_LANE, 4)
#define AVX512_TO_F16(v)                                                                           \
    ((x86_u16x16)__builtin_ia32_vcvtps2ph512_mask((v), 0, (x86_s16x16){0}, UINT16_MAX))
#include "copy_chunks.h"

TMA_INLINE x86_u16x16 avx512_sum_16(x86_u16x16 g, x86_u16x16 s) {
    const x86_f32x16 sum = AVX512_FROM_F16(g) + AVX512_FROM_F16(s);
    const x86_u16x16 r = AVX512_TO_F16(sum);
    const x86_u16x16 is_nan = (x86_u16x16)((r & 0x7FFF) > 0x7C00);
    return (is_nan & 0x7FFF) | (~is_nan & r);
}

TMA_INLINE avx512_vec avx512_sum_f16(avx512_vec g, avx512_vec s) {
    avx512_vec r = g;
    for (size_t i = 0; i < sizeof(r) / 32; i++) {
        ((x86_u16x16 *)&r)[i] = avx512_sum_16(((x86_u16x16 *)&g)[i], ((x86_u16x16 *)&s)[i]);
    }
    return r;
}
#define TMA_SUM_F16(g, s) avx512_sum_f16(g, s)
#include "copy_reduce.h"
#undef TMA_SUM_F16

#if TMA_HAS_FP16
/* The sum is rounded once and keeps subnormals whatever MXCSR says; a NaN becomes the GPU's. By
 * name, since the compilers' own types and calls for it differ. */
TMA_INLINE avx512_vec avx512_sum_fp16(avx512_vec g, avx512_vec s) {
    avx512_u16 r;
    __asm__("vaddph %2, %1, %0" : "=v"(r) : "v"(g), "v"(s));
    const avx512_u16 is_nan = (avx512_u16)((r & 0x7FFF) > 0x7C00);
    return (avx512_vec)((is_nan & 0x7FFF) | (~is_nan & r));
}
TMA_REDUCE(add_fp16, avx512_sum_fp16(g, s))

static void avx512_reduce_fp16(const tma_job *job) {
    if (job->op == TMA_OP_ADD && job->dtype == TMA_DTYPE_FLOAT16) {
        avx512_add_fp16(job);
    } else {
        avx512_reduce(job);
    }
}
#else
#define avx512_reduce_fp16 avx512_reduce
#endif
#undef TMA_NARROW
#undef TMA_NARROW_LIST
#undef TMA_NAME
#undef TMA_W

/* Half a row of padded groups: four of them, 8 or 12 bytes each, into the four chunks that 64 bytes
 * of shared memory are, chunk c holding group c ^ x, of those in `groups`. The padding is not
 * written. */
TMA_INLINE void avx512_expand_half(uint8_t *to, avx512_vec groups, uint32_t payload_B, uint32_t x) {
    const avx512_vec chunk_of = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    const avx512_vec dword_of = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
    const avx512_vec index = (chunk_of ^ x) * (payload_B / 4) + dword_of;
    const uint16_t payload = payload_B == 12 ? 0x7777 : 0x3333; /* dwords of shared memory */
    const avx512_vec v = TMA_PERMUTE_64(groups, index & 15);
    __builtin_ia32_storedqusi512_mask((int *)(void *)to, (x86_s32x16)v, payload);
}

/* A row of eight groups. Eight of 8 bytes are one vector; four of 12 are read without the 16 bytes
 * behind them. */
TMA_INLINE void avx512_expand_row(uint8_t *row, const uint8_t *from, uint32_t payload_B,
                                  uint32_t x) {
    const uint32_t far = (x & 4) * 16; /* whether the halves change places */
    if (payload_B == 8) {
        const avx512_vec all = *(const avx512_vec *)from;
        avx512_expand_half(row, all, 8, x);
        avx512_expand_half(row + 64, all, 8, x ^ 4);
    } else {
        const avx512_vec none = {0};
        const uint16_t dwords = (1u << 12) - 1;
        const int *const first = (const int *)(const void *)from;
        avx512_expand_half(
            row + far,
            (avx512_vec)__builtin_ia32_loaddqusi512_mask(first, (x86_s32x16)none, dwords), 12,
            x & 3);
        avx512_expand_half(
            row + (64 ^ far),
            (avx512_vec)__builtin_ia32_loaddqusi512_mask(first + 12, (x86_s32x16)none, dwords), 12,
            x & 3);
    }
}

static void avx512_expand(const tma_job *job) {
    avx512_expand_by(job, avx512_expand_row);
}

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

const tma_kernels tma_kernels_avx2 = {avx2_load,         avx2_store,        avx2_fill,
                                      avx2_reduce,       avx2_expand,       avx2_pack,
                                      avx2_straight_any, avx2_load_periods, avx2_store_periods,
                                      avx2_list_periods, avx2_streams};
const tma_kernels tma_kernels_avx512 = {
    avx512_load_any,      avx512_store_any,    avx512_fill,         avx512_reduce,
    avx512_expand,        avx2_pack,           avx512_straight_any, avx512_load_periods,
    avx512_store_periods, avx512_list_periods, avx512_streams};
const tma_kernels tma_kernels_avx512fp16 = {
    avx512_load_any,      avx512_store_any,    avx512_fill,         avx512_reduce_fp16,
    avx512_expand,        avx2_pack,           avx512_straight_any, avx512_load_periods,
    avx512_store_periods, avx512_list_periods, avx512_streams};
#endif
