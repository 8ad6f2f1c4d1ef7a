/* SPDX-License-Identifier: Apache-2.0
 *
 * proxy-store and store-reuse: kernels that break them (RIGHT is 0), and their right twins.
 */
#include "kernels.cuh"

/* Every store behind a write in the same place of memory: 32 threads of a warp on one bank keep the
 * unit that writes busy, so that a copy may come before them. */
static INLINE void fill(uint32_t *tile, uint32_t first, uint32_t thread, uint32_t threads) {
    const uint32_t rows = TILE_WORDS / threads;
    for (uint32_t i = 0; i < rows; i++) {
        tile[thread * rows + i] = first + thread * rows + i + 1;
    }
}

enum fence_place { NOWHERE, WRITERS, COPIER };

template <fence_place FENCE> static INLINE void proxy_store(const void *out, const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t at = blockIdx.x * j.tiles + t;
        if (threadIdx.x >= 32) {
            sleep_ns(j.delay_ns);
        }
        fill(tile, at * TILE_WORDS, threadIdx.x, THREADS);
        if (FENCE == WRITERS) {
            fence_async();
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            if (FENCE == COPIER) {
                fence_async();
            }
            store(out, tile, at);
            wait_read();
        }
        __syncthreads();
    }
}
TWINS(proxy_store, (proxy_store<NOWHERE>(&out, j)), (proxy_store<WRITERS>(&out, j)))
TWINS(proxy_store_late, (proxy_store<COPIER>(&out, j)), (proxy_store<WRITERS>(&out, j)))

/* Each thread writes its part and copies it at once. */
template <int RIGHT> static INLINE void proxy_store_own(const void *, const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    const uint32_t words = TILE_WORDS / THREADS;
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t first = (blockIdx.x * j.tiles + t) * TILE_WORDS;
        fill(tile, first, threadIdx.x, THREADS);
        if (RIGHT) {
            fence_async();
        }
        store_bytes(j.out + first + threadIdx.x * words, tile + threadIdx.x * words, words * 4);
        wait_read();
    }
}
TWINS(proxy_store_own, proxy_store_own<0>(&out, j), proxy_store_own<1>(&out, j))

/* The last warp copies what the others have written, two mbarriers between. */
template <fence_place FENCE> static INLINE void proxy_store_pipe(const void *out, const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    __shared__ uint64_t full, empty;
    const uint32_t writers = THREADS / 2; /* each the same number of words */
    const uint32_t leader = writers;
    if (threadIdx.x == 0) {
        init(&full, writers);
        init(&empty, 1);
        fence_init();
    }
    __syncthreads();
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t at = blockIdx.x * j.tiles + t;
        if (threadIdx.x < writers) {
            if (threadIdx.x >= 32) {
                sleep_ns(j.delay_ns);
            }
            wait(&empty, (t & 1) ^ 1, j);
            fill(tile, at * TILE_WORDS, threadIdx.x, writers);
            if (FENCE == WRITERS) {
                fence_async();
            }
            arrive(&full);
        } else if (threadIdx.x == leader) {
            wait(&full, t & 1, j);
            if (FENCE == COPIER) {
                fence_async();
            }
            store(out, tile, at);
            wait_read();
            arrive(&empty);
        }
    }
}
TWINS(proxy_store_pipe, (proxy_store_pipe<NOWHERE>(&out, j)), (proxy_store_pipe<WRITERS>(&out, j)))
TWINS(proxy_store_pipe_late, (proxy_store_pipe<COPIER>(&out, j)),
      (proxy_store_pipe<WRITERS>(&out, j)))

/* --- a matrix product reads through the async proxy, too --- */

/* A K-major operand with no swizzle: core matrices of 8 rows of 16 bytes, 128 bytes to the next in
 * k, 256 to the next 8 rows. */
static INLINE uint64_t described(const void *operand) {
    return (uint64_t)(shared_of(operand) >> 4 & 0x3FFF) | UINT64_C(8) << 16 | UINT64_C(16) << 32;
}
static INLINE uint32_t half_at(uint32_t row, uint32_t k) {
    return (row / 8 * 2 + k / 8) * 64 + row % 8 * 8 + k % 8;
}
static INLINE uint16_t half_of(uint32_t number) { /* 0 to 2047 */
    uint16_t half;
    asm("cvt.rn.f16.u32 %0, %1;" : "=h"(half) : "r"(number));
    return half;
}
static INLINE void multiply(float d[4], const void *a, const void *b) {
    asm volatile(
        "wgmma.fence.sync.aligned;\n\t"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 0, 1, "
        "1, 0, 0;\n\t"
        "wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "l"(described(a)), "l"(described(b))
        : "memory");
}

template <int RIGHT> static INLINE void proxy_mma(const void *, const job &j) {
    __shared__ alignas(1024) uint16_t a[64 * 16];
    __shared__ alignas(1024) uint16_t b[8 * 16];
    const uint32_t thread = threadIdx.x % 128;
    for (uint32_t i = threadIdx.x; i < 8 * 16; i += THREADS) {
        b[half_at(i / 16, i % 16)] = half_of(i / 16 == i % 16);
    }
    __syncthreads();
    for (uint32_t t = 0; t < j.tiles; t++) {
        float d[4] = {0, 0, 0, 0};
        int good = 1;
        for (uint32_t i = 0; i < 8; i++) { /* half a row each */
            const uint32_t row = thread / 2, k = thread % 2 * 8 + i;
            a[half_at(row, k)] = half_of((t * 31 + row * 16 + k) % 2048);
        }
        if (RIGHT) {
            fence_async();
        }
        __syncthreads();
        multiply(d, a, b);
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t row = thread / 32 * 16 + thread % 32 / 4 + i / 2 * 8;
            const uint32_t column = thread % 4 * 2 + i % 2;
            good &= d[i] == (float)((t * 31 + row * 16 + column) % 2048);
        }
        const int all = __syncthreads_and(good);
        for (uint32_t i = threadIdx.x; i < TILE_WORDS; i += THREADS) {
            const uint32_t at = (blockIdx.x * j.tiles + t) * TILE_WORDS + i;
            j.out[at] = all ? at + 1 : 0;
        }
        __syncthreads();
    }
}
TWINS(proxy_mma, proxy_mma<0>(&out, j), proxy_mma<1>(&out, j))

/* --- store-reuse --- */

enum waits { NOBODY, COMMITTER, ANOTHER };

template <waits WAITS> static INLINE void store_reuse(const void *out, const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t at = blockIdx.x * j.tiles + t;
        fill(tile, at * TILE_WORDS, threadIdx.x, THREADS);
        fence_async();
        __syncthreads();
        if (threadIdx.x == 0) {
            store(out, tile, at);
            if (WAITS == COMMITTER) {
                wait_read();
            }
        }
        if (WAITS == ANOTHER && threadIdx.x == 32) {
            wait_read();
        }
        __syncthreads();
    }
    if (WAITS != COMMITTER && threadIdx.x == 0) {
        wait_read();
    }
}
TWINS(store_reuse, (store_reuse<NOBODY>(&out, j)), (store_reuse<COMMITTER>(&out, j)))
TWINS(store_reuse_other, (store_reuse<ANOTHER>(&out, j)), (store_reuse<COMMITTER>(&out, j)))

/* The first tile of each CTA; the next CTA begins by writing other words all over the same memory.
 */
template <int RIGHT> static INLINE void store_reuse_exit(const void *out, const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    for (uint32_t i = threadIdx.x; i < TILE_WORDS; i += THREADS) {
        tile[i] = 0xDEAD0000 + i;
    }
    __syncthreads();
    sleep_ns(j.delay_ns);
    const uint32_t first = blockIdx.x * j.tiles;
    for (uint32_t i = TILE_WORDS + threadIdx.x; i < j.tiles * TILE_WORDS; i += THREADS) {
        j.out[first * TILE_WORDS + i] = first * TILE_WORDS + i + 1;
    }
    fill(tile, first * TILE_WORDS, threadIdx.x, THREADS);
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        store(out, tile, first);
        if (RIGHT) {
            wait_read();
        }
    }
}
TWINS(store_reuse_exit, store_reuse_exit<0>(&out, j), store_reuse_exit<1>(&out, j))
