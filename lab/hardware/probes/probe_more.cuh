/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels for questions that one copy does not answer: tensormap.replace, a map that changes under
 * a copy, barriers beyond their range, every 32-bit number through a TF32 load.
 */
#ifndef PROBE_MORE_CUH
#define PROBE_MORE_CUH

#include "probe_copy.cuh"

#define REPLACE(FIELD, SIZE, CONSTRAINT, VALUE)                                                    \
    asm volatile("tensormap.replace.tile." FIELD ".global.b1024." SIZE " [%0], %1;" ::"l"(map),    \
                 CONSTRAINT(VALUE)                                                                 \
                 : "memory")
#define REPLACE_AT(FIELD, ORDINAL, SIZE, CONSTRAINT, VALUE)                                        \
    case ORDINAL:                                                                                  \
        asm volatile("tensormap.replace.tile." FIELD ".global.b1024." SIZE " [%0], " #ORDINAL      \
                     ", %1;" ::"l"(map),                                                           \
                     CONSTRAINT(VALUE)                                                             \
                     : "memory");                                                                  \
        break;
#define REPLACE_EACH(FIELD, SIZE, CONSTRAINT, VALUE)                                               \
    switch (ordinal) {                                                                             \
        REPLACE_AT(FIELD, 0, SIZE, CONSTRAINT, VALUE)                                              \
        REPLACE_AT(FIELD, 1, SIZE, CONSTRAINT, VALUE)                                              \
        REPLACE_AT(FIELD, 2, SIZE, CONSTRAINT, VALUE)                                              \
        REPLACE_AT(FIELD, 3, SIZE, CONSTRAINT, VALUE)                                              \
        REPLACE_AT(FIELD, 4, SIZE, CONSTRAINT, VALUE)                                              \
    }                                                                                              \
    break

/* The fields that take a register; numbered as in the vectors. */
__global__ void replace_kernel(uint8_t *map, int field, int ordinal, uint64_t value) {
    const uint32_t low = (uint32_t)value;
    switch (field) {
    case 0:
        REPLACE("global_address", "b64", "l", value);
        break;
    case 1:
        REPLACE("rank", "b32", "r", low);
        break;
    case 2:
        REPLACE_EACH("box_dim", "b32", "r", low);
    case 3:
        REPLACE_EACH("global_dim", "b32", "r", low);
    case 4:
        REPLACE_EACH("global_stride", "b64", "l", value);
    case 5:
        REPLACE_EACH("element_stride", "b32", "r", low);
    }
}

static __device__ void load_2d(const void *map, uint32_t dst, uint32_t bar, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(dst),
                 "l"(map), "r"(bar), "r"(x), "r"(y)
                 : "memory");
}

static __device__ uint32_t load_first_byte(const uint8_t *map, uint8_t *window, uint32_t bar) {
    *(volatile uint8_t *)window = 0xA5;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    load_2d(map, shared_address(window), bar, 0, 0);
    wait_cycles(SETTLE);
    return *(volatile uint8_t *)window;
}

/* A map in global memory is used, changed to another address, and used again `wait` cycles later
 * without a proxy fence, then with one. seen[]: the first byte that each of the loads brought. */
__global__ void stale_kernel(uint8_t *map, uint64_t other, int by_replace, long long wait,
                             uint32_t *seen) {
    extern __shared__ __align__(1024) uint8_t shared[];
    const uint32_t bar = shared_address(shared);
    uint8_t *window = shared + WINDOW_AT_B;
    barrier_init(bar);
    acquire_map(map);
    seen[0] = load_first_byte(map, window, bar);
    if (by_replace) {
        asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(map),
                     "l"(other)
                     : "memory");
    } else {
        *(volatile uint64_t *)map = other;
    }
    __threadfence_system();
    wait_cycles(wait);
    seen[1] = load_first_byte(map, window, bar);
    asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
    acquire_map(map);
    seen[2] = load_first_byte(map, window, bar);
}

/* One load, without any fence for the map. */
__global__ void unfenced_kernel(const uint8_t *map, uint32_t *seen) {
    extern __shared__ __align__(1024) uint8_t shared[];
    const uint32_t bar = shared_address(shared);
    barrier_init(bar);
    seen[0] = load_first_byte(map, shared + WINDOW_AT_B, bar);
}

/* `loads` loads of `bytes` each on a barrier that expects none of them; out[0]: whether the phase
 * ended when the one arrival came, out[1]: whether it ended once all bytes were expected too. */
__global__ void flood_kernel(const __grid_constant__ MapRoom map, int loads, uint32_t bytes,
                             uint64_t *out) {
    extern __shared__ __align__(1024) uint8_t shared[];
    const uint32_t bar = shared_address(shared);
    barrier_init(bar);
    for (int i = 0; i < loads; i++) {
        load_2d(&map, shared_address(shared) + WINDOW_AT_B, bar, 0, 0);
        wait_cycles(SETTLE);
        out[2 + i] = barrier_word(bar);
    }
    barrier_arrive_expect(bar, 0);
    out[0] = barrier_done(bar);
    if (!out[0]) {
        for (int i = 0; i < loads; i++) {
            barrier_expect(bar, bytes);
        }
        barrier_expect(bar, 16);
        barrier_complete(bar, 16);
        out[1] = barrier_done(bar);
    }
}

/* The rule that libtma has for TF32 loads: nearest even at 10 bits, NaN 0x7FFFE000. */
static __device__ uint32_t tf32_rule(uint32_t value) {
    const uint32_t magnitude = value & 0x7FFFFFFF;
    const uint32_t rounded = magnitude + 0x0FFF + (magnitude >> 13 & 1);
    return magnitude > 0x7F800000 ? 0x7FFFE000 : (value & 0x80000000) | (rounded & ~0x1FFFu);
}

__global__ void count_up_kernel(uint32_t *words, uint32_t first, uint64_t count) {
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x) {
        words[i] = first + (uint32_t)i;
    }
}

#define TF32_ROWS 32 /* of 256 words each: one load */

/* Loads word i = first + i by TF32 loads and compares: out[0] differing, out[1] one of them. */
__global__ void tf32_kernel(const __grid_constant__ MapRoom map, uint32_t first, uint32_t rows,
                            unsigned long long *out) {
    extern __shared__ __align__(1024) uint8_t shared[];
    const uint32_t bar = shared_address(shared);
    const volatile uint32_t *window = (const volatile uint32_t *)(shared + WINDOW_AT_B);
    uint32_t phase = 0;
    if (threadIdx.x == 0) {
        barrier_init(bar);
    }
    __syncthreads();
    for (uint32_t row = blockIdx.x * TF32_ROWS; row < rows; row += gridDim.x * TF32_ROWS) {
        if (threadIdx.x == 0) {
            barrier_arrive_expect(bar, TF32_ROWS * 1024);
            load_2d(&map, shared_address(shared) + WINDOW_AT_B, bar, 0, (int)row);
        }
        asm volatile("{\n\t.reg .pred p;\nagain:\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n\t"
                     "@!p bra again;\n\t}" ::"r"(bar),
                     "r"(phase)
                     : "memory");
        phase ^= 1;
        for (uint32_t i = threadIdx.x; i < TF32_ROWS * 256; i += blockDim.x) {
            const uint32_t value = first + row * 256 + i;
            if (window[i] != tf32_rule(value)) {
                atomicAdd(&out[0], 1ull);
                out[1] = (unsigned long long)value << 32 | window[i];
            }
        }
        __syncthreads();
    }
}

#endif
