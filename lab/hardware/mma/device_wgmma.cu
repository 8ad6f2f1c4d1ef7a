/* SPDX-License-Identifier: Apache-2.0
 *
 * Which shared addresses wgmma reads: each element of shared memory holds a digit of its own
 * number, the other operand is one-hot, and the digits that come out of several passes name the
 * element. Or a tensor copy lays down a tensor whose elements hold their numbers.
 */
#include "cuda_check.h"
#include "device.h"

#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <type_traits>

/* All shared memory of a block; its last part is the other operand. */
#define ONE_HOT_B (9u * 1024)
#define SHARED_B  (DEVICE_MMA_LAST_B - DEVICE_MMA_FIRST_B + ONE_HOT_B)
#define THREADS   128
#define N_OF_A    8 /* usual columns where A is looked at */

/* An element's number: its address in shared memory over its size, and a check behind it. */
template <int TYPE> struct element {
    static constexpr int bits = TYPE == TMA_MMA_TYPE_B1                                 ? 1
                                : TYPE == TMA_MMA_TYPE_TF32                             ? 32
                                : TYPE == TMA_MMA_TYPE_F16 || TYPE == TMA_MMA_TYPE_BF16 ? 16
                                                                                        : 8;
    static constexpr bool is_float =
        TYPE != TMA_MMA_TYPE_S8 && TYPE != TMA_MMA_TYPE_U8 && TYPE != TMA_MMA_TYPE_B1;
    static constexpr int digit_bits = TYPE == TMA_MMA_TYPE_B1     ? 1
                                      : TYPE == TMA_MMA_TYPE_E4M3 ? 4
                                      : TYPE == TMA_MMA_TYPE_E5M2 ? 3
                                      : TYPE == TMA_MMA_TYPE_S8   ? 7
                                                                  : 8;
    static constexpr int k = 256 / bits;
    static constexpr int unit = 128 / bits;
    static constexpr int number_bits = 18 + (bits == 1 ? 3 : bits == 8 ? 0 : bits == 16 ? -1 : -2);
    static constexpr int passes = (number_bits + 6 + digit_bits - 1) / digit_bits;
    static constexpr int check_bits = passes * digit_bits - number_bits;
    /* all digits at their most, as in a tile's gaps, are no element's */
    static_assert((((1u << number_bits) - 1) * 2654435761u) >> (32 - check_bits) !=
                      (1u << check_bits) - 1,
                  "a gap looks like the last element");
};

template <int TYPE> static __device__ uint32_t coded(uint32_t number) {
    const uint32_t check = (number * 2654435761u) >> (32 - element<TYPE>::check_bits);
    return number | check << element<TYPE>::number_bits;
}

template <int TYPE> static __device__ uint32_t digit_of(uint32_t number, int pass) {
    return coded<TYPE>(number) >> (pass * element<TYPE>::digit_bits) &
           ((1u << element<TYPE>::digit_bits) - 1);
}

/* A small number as an element. */
template <int TYPE> static __device__ uint32_t as_element(uint32_t digit) {
    switch (TYPE) {
    case TMA_MMA_TYPE_F16:
        return __half_as_ushort(__float2half((float)digit));
    case TMA_MMA_TYPE_BF16:
        return __float_as_uint((float)digit) >> 16;
    case TMA_MMA_TYPE_TF32:
        return __float_as_uint((float)digit);
    case TMA_MMA_TYPE_E4M3:
        return __nv_cvt_float_to_fp8((float)digit, __NV_SATFINITE, __NV_E4M3);
    case TMA_MMA_TYPE_E5M2:
        return __nv_cvt_float_to_fp8((float)digit, __NV_SATFINITE, __NV_E5M2);
    default:
        return digit;
    }
}

/* Four bytes at a shared address; a tile's gaps are `empty`: all digits at their most. */
template <int TYPE> static __device__ uint32_t word_at(uint32_t address, int pass, bool empty) {
    constexpr int bits = element<TYPE>::bits;
    constexpr uint32_t most = (1u << element<TYPE>::digit_bits) - 1;
    uint32_t word = 0;
    for (int i = 0; i < 32 / bits; i++) {
        const uint32_t number = (uint32_t)(((uint64_t)address * 8) / bits) + i;
        word |= as_element<TYPE>(empty ? most : digit_of<TYPE>(number, pass)) << (i * bits % 32);
    }
    return word;
}

/* The other operand, one-hot, K-major without swizzle; `rows` of it in each matrix, matrix h for
 * elements h * rows on. Sparse: A's element j is k = 4 (j / 2) + j % 2, of `pairs` further on. */
template <int TYPE>
static __device__ void one_hot(uint32_t base, uint32_t rows, uint32_t matrices, uint32_t k_el,
                               int spread) {
    constexpr int bits = element<TYPE>::bits;
    const uint32_t units = k_el / element<TYPE>::unit;
    const uint32_t matrix_B = units * rows * 16;
    for (uint32_t at = threadIdx.x * 4; at < matrix_B * matrices; at += THREADS * 4) {
        const uint32_t h = at / matrix_B;
        const uint32_t in = at % matrix_B;
        const uint32_t row = in % (rows * 16) / 16;
        uint32_t word = 0;
        for (int i = 0; i < 32 / bits; i++) {
            const uint32_t k = in / (rows * 16) * element<TYPE>::unit + in % 16 * 8 / bits + i;
            uint32_t wanted = h * rows + row;
            if (spread) {
                wanted = bits == 32 ? wanted * 2 : wanted / 2 * 4 + wanted % 2;
            }
            word |= as_element<TYPE>(k == wanted) << (i * bits % 32);
        }
        asm volatile("st.shared.b32 [%0], %1;" ::"r"(base + at), "r"(word) : "memory");
    }
}

/* Registers of D, by n: 0 to n / 2 - 1. */
#define TEN(t)                                                                                     \
    "%" #t "0,%" #t "1,%" #t "2,%" #t "3,%" #t "4,%" #t "5,%" #t "6,%" #t "7,%" #t "8,%" #t "9,"
#define LIST_8   "{%0,%1,%2,%3}"
#define LIST_24  "{" TEN() "%10,%11}"
#define LIST_128 "{" TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) "%60,%61,%62,%63}"
#define LIST_256                                                                                   \
    "{" TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9) TEN(10)               \
        TEN(11) "%120,%121,%122,%123,%124,%125,%126,%127}"
#define FOUR(c, i)     "+" c(d[i]), "+" c(d[(i) + 1]), "+" c(d[(i) + 2]), "+" c(d[(i) + 3])
#define SIXTEEN(c, i)  FOUR(c, i), FOUR(c, (i) + 4), FOUR(c, (i) + 8), FOUR(c, (i) + 12)
#define OUTPUTS_8(c)   FOUR(c, 0)
#define OUTPUTS_24(c)  FOUR(c, 0), FOUR(c, 4), FOUR(c, 8)
#define OUTPUTS_128(c) SIXTEEN(c, 0), SIXTEEN(c, 16), SIXTEEN(c, 32), SIXTEEN(c, 48)
#define OUTPUTS_256(c)                                                                             \
    OUTPUTS_128(c), SIXTEEN(c, 64), SIXTEEN(c, 80), SIXTEEN(c, 96), SIXTEEN(c, 112)

#define MMA(n, c, text, from, tail)                                                                \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 1;\n" text " " LIST_##n from tail "; }"        \
                 : OUTPUTS_##n(c)                                                                  \
                 : "l"(a), "l"(b), "r"(meta), "n"(TA), "n"(TB))
#define DENSE  "wgmma.mma_async.sync.aligned.m64n"
#define SPARSE "wgmma.mma_async.sp.sync.aligned.m64n"
/* d, then a, b, the metadata, and the majors */
#define KINDS(n, ab, m, t)                                                                         \
    if constexpr (SP == 0) {                                                                       \
        if constexpr (TYPE == TMA_MMA_TYPE_F16)                                                    \
            MMA(n, "f", DENSE #n "k16.f32.f16.f16", ab, "p, 1, 1, " t);                            \
        if constexpr (TYPE == TMA_MMA_TYPE_BF16)                                                   \
            MMA(n, "f", DENSE #n "k16.f32.bf16.bf16", ab, "p, 1, 1, " t);                          \
        if constexpr (TYPE == TMA_MMA_TYPE_TF32)                                                   \
            MMA(n, "f", DENSE #n "k8.f32.tf32.tf32", ab, "p, 1, 1");                               \
        if constexpr (TYPE == TMA_MMA_TYPE_E4M3)                                                   \
            MMA(n, "f", DENSE #n "k32.f32.e4m3.e4m3", ab, "p, 1, 1");                              \
        if constexpr (TYPE == TMA_MMA_TYPE_E5M2)                                                   \
            MMA(n, "f", DENSE #n "k32.f32.e5m2.e5m2", ab, "p, 1, 1");                              \
        if constexpr (TYPE == TMA_MMA_TYPE_S8)                                                     \
            MMA(n, "r", DENSE #n "k32.s32.s8.s8", ab, "p");                                        \
        if constexpr (TYPE == TMA_MMA_TYPE_U8)                                                     \
            MMA(n, "r", DENSE #n "k32.s32.u8.u8", ab, "p");                                        \
        if constexpr (TYPE == TMA_MMA_TYPE_B1)                                                     \
            MMA(n, "r", DENSE #n "k256.s32.b1.b1.and.popc", ab, "p");                              \
    } else {                                                                                       \
        if constexpr (TYPE == TMA_MMA_TYPE_F16)                                                    \
            MMA(n, "f", SPARSE #n "k32.f32.f16.f16", ab, m ", 0, p, 1, 1, " t);                    \
        if constexpr (TYPE == TMA_MMA_TYPE_BF16)                                                   \
            MMA(n, "f", SPARSE #n "k32.f32.bf16.bf16", ab, m ", 0, p, 1, 1, " t);                  \
        if constexpr (TYPE == TMA_MMA_TYPE_TF32)                                                   \
            MMA(n, "f", SPARSE #n "k16.f32.tf32.tf32", ab, m ", 0, p, 1, 1");                      \
        if constexpr (TYPE == TMA_MMA_TYPE_E4M3)                                                   \
            MMA(n, "f", SPARSE #n "k64.f32.e4m3.e4m3", ab, m ", 0, p, 1, 1");                      \
        if constexpr (TYPE == TMA_MMA_TYPE_E5M2)                                                   \
            MMA(n, "f", SPARSE #n "k64.f32.e5m2.e5m2", ab, m ", 0, p, 1, 1");                      \
        if constexpr (TYPE == TMA_MMA_TYPE_S8)                                                     \
            MMA(n, "r", SPARSE #n "k64.s32.s8.s8", ab, m ", 0, p");                                \
        if constexpr (TYPE == TMA_MMA_TYPE_U8)                                                     \
            MMA(n, "r", SPARSE #n "k64.s32.u8.u8", ab, m ", 0, p");                                \
    }

/* Registers of an accumulator are not touched before the wait behind it. */
static __device__ __forceinline__ void hold(float &r) {
    asm volatile("" : "+f"(r)::"memory");
}

static __device__ __forceinline__ void hold(int32_t &r) {
    asm volatile("" : "+r"(r)::"memory");
}

template <int TYPE, int N, int TA, int TB, int SP, typename R>
static __device__ __forceinline__ void mma(R *d, uint64_t a, uint64_t b, uint32_t meta) {
    for (int i = 0; i < N / 2; i++) {
        d[i] = 0;
        hold(d[i]);
    }
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    if constexpr (N == 8) {
        KINDS(8, ", %4, %5, ", "%6", "%7, %8")
    } else if constexpr (N == 24) {
        KINDS(24, ", %12, %13, ", "%14", "%15, %16")
    } else if constexpr (N == 128) {
        KINDS(128, ", %64, %65, ", "%66", "%67, %68")
    } else {
        static_assert(N == 256, "n without a list of registers");
        KINDS(256, ", %128, %129, ", "%130", "%131, %132")
    }
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < N / 2; i++) {
        hold(d[i]);
    }
#endif
}

/* A load of the whole box, by one thread; all wait. */
static __device__ void load_box(const void *map, const struct device_mma_tile &t, uint32_t barrier,
                                uint32_t parity) {
    if (threadIdx.x == 0) {
        acquire_map(map);
        barrier_expect(barrier, t.expect_B);
        if (t.rank == 2) {
            asm volatile(
                "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                " [%0], [%1, {%2, %2}], [%3];" ::"r"(t.shared_at),
                "l"(map), "r"(0), "r"(barrier)
                : "memory");
        } else {
            asm volatile(
                "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
                " [%0], [%1, {%2, %2, %2}], [%3];" ::"r"(t.shared_at),
                "l"(map), "r"(0), "r"(barrier)
                : "memory");
        }
    }
    while (!barrier_completed(barrier, parity)) {
    }
}

/* What thread and register of D hold: row and column. */
static __device__ void place_in_d(int j, uint32_t *row, uint32_t *column) {
    *row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + (j / 2 % 2) * 8;
    *column = (uint32_t)j / 4 * 8 + threadIdx.x % 4 * 2 + (j & 1);
}

/* Digits of one pass, or the number after the last. */
template <int TYPE> static __device__ void keep(uint32_t *out, uint32_t digit, int pass) {
    constexpr int last = element<TYPE>::passes - 1;
    const uint32_t so_far = (pass ? *out : 0) | digit << (pass * element<TYPE>::digit_bits);
    const uint32_t number = so_far & ((1u << element<TYPE>::number_bits) - 1);
    *out = pass < last ? so_far : coded<TYPE>(number) == so_far ? number : DEVICE_MMA_NOTHING;
}

template <int TYPE, int IS_B, int N, int MN, int SP>
static __global__ void __launch_bounds__(THREADS)
    reads(const uint64_t *descriptors, const struct device_mma_tile *tiles, const tma_map *maps,
          uint32_t count, uint32_t *out) {
    extern __shared__ __align__(1024) uint8_t memory[];
    __shared__ __align__(8) uint64_t barrier_at;
    using E = element<TYPE>;
    using R = typename std::conditional<E::is_float, float, int32_t>::type;
    constexpr uint32_t a_k = E::k;                 /* of A as it is stored */
    constexpr uint32_t b_k = SP ? 2 * E::k : E::k; /* of B */
    constexpr uint32_t hot_rows = IS_B ? 64 : N;   /* of the one-hot operand */
    constexpr uint32_t hot_k = IS_B ? a_k : b_k;
    constexpr uint32_t turns = (a_k + hot_rows - 1) / hot_rows;
    constexpr uint32_t k_el = IS_B ? b_k : a_k; /* of the operand that is looked at */
    constexpr uint32_t all = (IS_B ? N : 64) * k_el;
    const uint32_t base = shared_address(memory);
    if (base != DEVICE_MMA_FIRST_B) {
        __trap();
    }
    const uint32_t hot = base + SHARED_B - ONE_HOT_B;
    const uint32_t barrier = shared_address(&barrier_at);
    constexpr uint32_t matrix_B = hot_k / E::unit * hot_rows * 16;
    static_assert(matrix_B * turns <= ONE_HOT_B, "the other operand has no room");
    uint32_t parity = 0;
    if (threadIdx.x == 0) {
        barrier_init(barrier);
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncthreads();
    one_hot<TYPE>(hot, hot_rows, turns, hot_k, SP && !IS_B);
    for (int pass = 0; pass < E::passes; pass++) {
        for (uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
            if (tiles || i == blockIdx.x) {
                __syncthreads();
                for (uint32_t at = threadIdx.x * 4; at < SHARED_B - ONE_HOT_B; at += THREADS * 4) {
                    const uint32_t word = word_at<TYPE>(base + at, pass, tiles != nullptr);
                    asm volatile("st.shared.b32 [%0], %1;" ::"r"(base + at), "r"(word) : "memory");
                }
                asm volatile("fence.proxy.async;" ::: "memory");
                __syncthreads();
                if (tiles) {
                    load_box(&maps[(size_t)i * DEVICE_MMA_PASSES + pass], tiles[i], barrier,
                             parity);
                    parity ^= 1;
                }
            }
            for (uint32_t turn = 0; turn < (SP && IS_B ? 2 : turns); turn++) {
                const uint32_t which = SP && IS_B ? 0 : turn;
                const uint32_t other = hot + which * matrix_B;
                /* K-major without swizzle: leading between 16 bytes of k, stride between 8 rows */
                const uint64_t hot_d =
                    (uint64_t)(other >> 4) | (uint64_t)(hot_rows) << 16 | (uint64_t)8 << 32;
                R d[N / 2];
                /* elements 0 and 1 of four, or 2 and 3 */
                const uint32_t meta = SP && IS_B && turn ? 0xEEEEEEEEu : 0x44444444u;
                if constexpr (IS_B) {
                    mma<TYPE, N, 0, MN, SP>(d, hot_d, descriptors[i], meta);
                } else {
                    mma<TYPE, N, MN, 0, SP>(d, descriptors[i], hot_d, meta);
                }
                for (int j = 0; j < N / 2; j++) {
                    uint32_t row, column;
                    place_in_d(j, &row, &column);
                    uint32_t mn = IS_B ? column : row;
                    uint32_t k = IS_B ? which * 64 + row : turn * N + column;
                    if (k >= a_k) {
                        continue;
                    }
                    if (SP && IS_B) {
                        k = E::bits == 32 ? k * 2 + turn : k / 2 * 4 + k % 2 + turn * 2;
                    }
                    keep<TYPE>(&out[(size_t)i * all + mn * k_el + k], (uint32_t)(int)d[j], pass);
                }
            }
        }
    }
}

/* The tensor that maps name: element i holds digit `pass` of i. */
template <int TYPE> static __global__ void fill_tensor(uint32_t *tensor) {
    constexpr uint32_t words = DEVICE_MMA_TENSOR_B / 4;
    static_assert(element<TYPE>::passes <= DEVICE_MMA_PASSES, "more passes than maps");
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words;
         i += gridDim.x * blockDim.x) {
        for (int pass = 0; pass < element<TYPE>::passes; pass++) {
            tensor[(size_t)pass * words + i] = word_at<TYPE>(i * 4, pass, false);
        }
    }
}

struct room {
    uint64_t *descriptors;
    uint32_t *numbers;
    struct device_mma_tile *tiles;
    tma_map *maps;
};

static struct room room;
static size_t room_descriptors, room_numbers_B;

static const char *reserve(size_t count, size_t numbers_B, int tiles) {
    if (count > room_descriptors) {
        cudaFree(room.descriptors);
        room_descriptors = 0;
        CUDA_TRY(cudaMalloc(&room.descriptors, count * sizeof(uint64_t)));
        room_descriptors = count;
    }
    if (numbers_B > room_numbers_B) {
        cudaFree(room.numbers);
        room_numbers_B = 0;
        CUDA_TRY(cudaMalloc(&room.numbers, numbers_B));
        room_numbers_B = numbers_B;
    }
    if (tiles) {
        cudaFree(room.tiles);
        cudaFree(room.maps);
        CUDA_TRY(cudaMalloc(&room.tiles, count * sizeof(*room.tiles)));
        CUDA_TRY(cudaMalloc(&room.maps, count * DEVICE_MMA_PASSES * sizeof(tma_map)));
    }
    return nullptr;
}

template <int TYPE, int IS_B, int N, int MN, int SP>
static const char *launch(size_t count, int tiles) {
    int device, multiprocessors;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    CUDA_TRY(cudaFuncSetAttribute(reads<TYPE, IS_B, N, MN, SP>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, (int)SHARED_B));
    CUDA_TRY_KERNEL((reads<TYPE, IS_B, N, MN, SP><<<multiprocessors, THREADS, SHARED_B>>>(
        room.descriptors, tiles ? room.tiles : nullptr, room.maps, (uint32_t)count, room.numbers)));
    return nullptr;
}

static const char *choose(const tma_mma_operand *o, uint32_t n, int sparse, size_t count,
                          int tiles) {
#define ONE(id, is_b, columns, mn, sp)                                                             \
    if (o->type == TMA_MMA_TYPE_##id && o->matrix == is_b && n == columns && o->major == mn &&     \
        sparse == sp) {                                                                            \
        return launch<TMA_MMA_TYPE_##id, is_b, columns, mn, sp>(count, tiles);                     \
    }
#define SIDES(id, mn, sp)                                                                          \
    ONE(id, 0, N_OF_A, mn, sp)                                                                     \
    ONE(id, 1, DEVICE_MMA_N, mn, sp)
#define OTHER_N(id, mn, matrix, n) ONE(id, TMA_MMA_##matrix, n, mn, 0)
    SIDES(F16, 0, 0)
    SIDES(F16, 1, 0)
    SIDES(BF16, 0, 0)
    SIDES(BF16, 1, 0)
    SIDES(TF32, 0, 0)
    SIDES(E4M3, 0, 0)
    SIDES(E5M2, 0, 0)
    SIDES(S8, 0, 0)
    SIDES(U8, 0, 0)
    SIDES(B1, 0, 0)
    SIDES(F16, 0, 1)
    SIDES(F16, 1, 1)
    SIDES(TF32, 0, 1)
    SIDES(E4M3, 0, 1)
#include "wgmma_other_n.def"
    return "no such instruction";
}

const char *device_mma_reads(const tma_mma_operand *o, uint32_t n, int sparse,
                             const uint64_t *descriptors, size_t count, uint32_t *numbers) {
    const size_t numbers_B = count * o->mn_el * o->k_el * sizeof(uint32_t);
    const char *error = reserve(count, numbers_B, 0);
    if (error) {
        return error;
    }
    CUDA_TRY(cudaMemcpy(room.descriptors, descriptors, count * sizeof(uint64_t),
                        cudaMemcpyHostToDevice));
    error = choose(o, n, sparse, count, 0);
    if (error) {
        return error;
    }
    CUDA_TRY(cudaMemcpy(numbers, room.numbers, numbers_B, cudaMemcpyDeviceToHost));
    return nullptr;
}

const char *device_mma_tensor(uint32_t type, uint64_t *address, uint32_t *passes) {
    static uint32_t *tensor;
    if (!tensor) {
        CUDA_TRY(cudaMalloc(&tensor, (size_t)DEVICE_MMA_PASSES * DEVICE_MMA_TENSOR_B));
    }
    *address = (uint64_t)(uintptr_t)tensor;
#define FILL(id)                                                                                   \
    if (type == TMA_MMA_TYPE_##id) {                                                               \
        *passes = element<TMA_MMA_TYPE_##id>::passes;                                              \
        CUDA_TRY_KERNEL((fill_tensor<TMA_MMA_TYPE_##id><<<64, 256>>>(tensor)));                    \
        return nullptr;                                                                            \
    }
    FILL(F16)
    FILL(BF16)
    FILL(TF32)
    FILL(E4M3)
    FILL(E5M2)
    FILL(S8)
    FILL(U8)
    return "no tensor of this type";
}

const char *device_mma_tiles(const tma_mma_operand *o, uint32_t n, const uint64_t *descriptors,
                             const struct device_mma_tile *tiles, const tma_map *maps, size_t count,
                             uint32_t *numbers) {
    const size_t numbers_B = count * o->mn_el * o->k_el * sizeof(uint32_t);
    const char *error = reserve(count, numbers_B, 1);
    if (error) {
        return error;
    }
    CUDA_TRY(cudaMemcpy(room.descriptors, descriptors, count * sizeof(uint64_t),
                        cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(room.tiles, tiles, count * sizeof(*tiles), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(room.maps, maps, count * DEVICE_MMA_PASSES * sizeof(tma_map),
                        cudaMemcpyHostToDevice));
    error = choose(o, n, 0, count, 1);
    if (error) {
        return error;
    }
    CUDA_TRY(cudaMemcpy(numbers, room.numbers, numbers_B, cudaMemcpyDeviceToHost));
    return nullptr;
}
