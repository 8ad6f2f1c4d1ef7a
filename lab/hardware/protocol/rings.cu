/* SPDX-License-Identifier: Apache-2.0
 *
 * Rings of stages, and what one thread does for others: kernels that break proxy-store,
 * store-reuse, proxy-load, wait-missing, parity-constant, arrive-missing and barrier-init (RIGHT is
 * 0), and their right twins.
 */
#include "kernels.cuh"

constexpr uint32_t STAGES = 2;
constexpr uint32_t READERS = THREADS / 2;

static INLINE void give(const job &j, const uint32_t *tile, uint32_t at, uint32_t thread,
                        uint32_t threads) {
    for (uint32_t i = thread; i < TILE_WORDS; i += threads) {
        j.out[at * TILE_WORDS + i] = tile[i];
    }
}

static INLINE void bring(uint32_t *tile, const void *in, uint64_t *full, uint32_t at) {
    expect(full, TILE_B);
    load(tile, in, full, at);
}

/* --- a ring that one thread fills, and half of the threads read --- */

enum ring_mistake { NONE, COUNTS_THREE, GIVES_BACK_EARLY, TOO_MANY_ARRIVALS };

template <ring_mistake MISTAKE> static INLINE void ring(const void *in, const job &j) {
    __shared__ alignas(1024) uint32_t tiles[STAGES * TILE_WORDS];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0) {
        for (uint32_t i = 0; i < STAGES; i++) {
            init(&full[i], 1);
            init(&empty[i], READERS + (MISTAKE == TOO_MANY_ARRIVALS));
        }
        fence_init();
    }
    __syncthreads();
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t stage = t % STAGES;
        const uint32_t at = blockIdx.x * j.tiles + t;
        if (threadIdx.x == READERS) {
            wait(&empty[stage], (t / STAGES & 1) ^ 1, j);
            bring(tiles + stage * TILE_WORDS, in, &full[stage], at);
        } else if (threadIdx.x < READERS) {
            wait(&full[stage], t / (MISTAKE == COUNTS_THREE ? STAGES + 1 : STAGES) & 1, j);
            if (MISTAKE == GIVES_BACK_EARLY) {
                arrive(&empty[stage]);
            }
            if (threadIdx.x >= 32) {
                sleep_ns(j.delay_ns);
            }
            give(j, tiles + stage * TILE_WORDS, at, threadIdx.x, READERS);
            if (MISTAKE != GIVES_BACK_EARLY) {
                arrive(&empty[stage]);
            }
        }
    }
}
TWINS(parity_stages, ring<COUNTS_THREE>(&in, j), ring<NONE>(&in, j))
TWINS(given_back_early, ring<GIVES_BACK_EARLY>(&in, j), ring<NONE>(&in, j))
TWINS(arrive_missing, ring<TOO_MANY_ARRIVALS>(&in, j), ring<NONE>(&in, j))

/* --- one thread waits, and others read --- */

template <int RIGHT> static INLINE void wait_one(const void *in, const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        fence_init();
    }
    __syncthreads();
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t at = blockIdx.x * j.tiles + t;
        if (threadIdx.x == 0) {
            bring(tile, in, &full, at);
            wait(&full, t & 1, j);
        }
        if (RIGHT) {
            __syncthreads();
        }
        give(j, tile, at, threadIdx.x, THREADS);
        __syncthreads();
    }
}
TWINS(wait_one, wait_one<0>(&in, j), wait_one<1>(&in, j))

/* --- a ring of two tiles that are stored --- */

enum store_mistake { NO_MISTAKE, LEAVES_TWO, NO_BARRIER, FENCE_OF_ONE, FENCE_OF_GLOBAL };

static INLINE void fill(uint32_t *tile, uint32_t first) {
    constexpr uint32_t rows = TILE_WORDS / THREADS;
    for (uint32_t i = 0; i < rows; i++) {
        tile[threadIdx.x * rows + i] = first + threadIdx.x * rows + i + 1;
    }
}

template <store_mistake MISTAKE> static INLINE void store_ring(const void *out, const job &j) {
    __shared__ alignas(1024) uint32_t tile[2][TILE_WORDS];
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t at = blockIdx.x * j.tiles + t;
        if (threadIdx.x == 0) {
            sleep_ns(MISTAKE == NO_BARRIER ? j.delay_ns : 0);
            if (MISTAKE == LEAVES_TWO) {
                asm volatile("cp.async.bulk.wait_group.read 2;" ::: "memory");
            } else {
                asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            }
        }
        if (MISTAKE != NO_BARRIER) {
            __syncthreads();
        }
        fill(tile[t & 1], at * TILE_WORDS);
        if (MISTAKE == FENCE_OF_ONE) {
            if (threadIdx.x == 0) {
                fence_async();
            }
        } else if (MISTAKE == FENCE_OF_GLOBAL) {
            asm volatile("fence.proxy.async.global;" ::: "memory");
        } else {
            fence_async();
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            store(out, tile[t & 1], at);
        }
    }
    if (threadIdx.x == 0) {
        wait_read();
    }
}
TWINS(store_reuse_ring, store_ring<LEAVES_TWO>(&out, j), store_ring<NO_MISTAKE>(&out, j))
TWINS(store_reuse_alone, store_ring<NO_BARRIER>(&out, j), store_ring<NO_MISTAKE>(&out, j))
TWINS(proxy_store_one, store_ring<FENCE_OF_ONE>(&out, j), store_ring<NO_MISTAKE>(&out, j))
TWINS(proxy_store_global, store_ring<FENCE_OF_GLOBAL>(&out, j), store_ring<NO_MISTAKE>(&out, j))

/* --- barrier-init: the barrier of the tile before is still there, one phase of it complete --- */

template <int RIGHT> static INLINE void barrier_init_again(const void *in, const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    __shared__ uint64_t full;
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t at = blockIdx.x * j.tiles + t;
        if (threadIdx.x == 0) {
            sleep_ns(j.delay_ns);
            if (t) {
                inval(&full);
            }
            init(&full, 1);
            fence_init();
            bring(tile, in, &full, at);
        }
        if (RIGHT || !t) {
            __syncthreads();
        }
        wait(&full, 0, j);
        give(j, tile, at, threadIdx.x, THREADS);
        __syncthreads();
    }
}
TWINS(barrier_init_again, barrier_init_again<0>(&in, j), barrier_init_again<1>(&in, j))

/* --- two warps read a ring, and one of them waits --- */

template <int RIGHT> static INLINE void wait_warp(const void *in, const job &j) {
    __shared__ alignas(1024) uint32_t tiles[STAGES * TILE_WORDS];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0) {
        for (uint32_t i = 0; i < STAGES; i++) {
            init(&full[i], 1);
            init(&empty[i], READERS);
        }
        fence_init();
    }
    __syncthreads();
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t stage = t % STAGES;
        const uint32_t parity = t / STAGES & 1;
        if (threadIdx.x == READERS) {
            wait(&empty[stage], parity ^ 1, j);
            sleep_ns(j.delay_ns);
            expect(&full[stage], TILE_B);
            load(tiles + stage * TILE_WORDS, in, &full[stage], blockIdx.x * j.tiles + t);
        } else if (threadIdx.x < READERS) {
            if (RIGHT || threadIdx.x < 32) {
                wait(&full[stage], parity, j);
            }
            give(j, tiles + stage * TILE_WORDS, blockIdx.x * j.tiles + t, threadIdx.x, READERS);
            arrive(&empty[stage]);
        }
    }
}
TWINS(wait_warp, wait_warp<0>(&in, j), wait_warp<1>(&in, j))

/* --- writes of all threads, a store by one --- */

enum meeting { FENCE_AND_MEET, NO_MEETING, FENCE_IN_SOME };

template <meeting IS> static INLINE void store_of_all(const void *out, const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t at = blockIdx.x * j.tiles + t;
        if (threadIdx.x >= 32) {
            sleep_ns(j.delay_ns);
        }
        /* a thread's words lie in one bank: its writes are late */
        for (uint32_t i = 0; i < TILE_WORDS / THREADS; i++) {
            const uint32_t k = threadIdx.x * (TILE_WORDS / THREADS) + i;
            tile[k] = j.in[at * TILE_WORDS + k];
        }
        if (IS != FENCE_IN_SOME || j.in[at * TILE_WORDS + threadIdx.x] % 2 == 0) {
            fence_async();
        }
        if (IS != NO_MEETING) {
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            store(out, tile, at);
            wait_written();
        }
        __syncthreads();
    }
}
TWINS(store_unmet, store_of_all<NO_MEETING>(&out, j), store_of_all<FENCE_AND_MEET>(&out, j))
TWINS(fence_some, store_of_all<FENCE_IN_SOME>(&out, j), store_of_all<FENCE_AND_MEET>(&out, j))

/* --- a barrier that one warp alone is known to find initialised --- */

template <int RIGHT> static INLINE void init_warp(const void *in, const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    __shared__ uint64_t full;
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t at = blockIdx.x * j.tiles + t;
        if (threadIdx.x < 32) {
            if (threadIdx.x == 0) {
                sleep_ns(j.delay_ns);
                init(&full, 1);
                fence_init();
                expect(&full, TILE_B);
                load(tile, in, &full, at);
            }
            __syncwarp();
        }
        if (RIGHT) {
            __syncthreads();
        }
        wait(&full, 0, j);
        give(j, tile, at, threadIdx.x, THREADS);
        end_barrier(&full);
    }
}
TWINS(init_warp, init_warp<0>(&in, j), init_warp<1>(&in, j))
