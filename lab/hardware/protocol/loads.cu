/* SPDX-License-Identifier: Apache-2.0
 *
 * proxy-load, wait-missing, parity-constant, expect-missing, barrier-init: kernels that break them
 * (RIGHT is 0), and their right twins. Each loads tiles and writes what it finds to its output.
 */
#include "kernels.cuh"

static INLINE void begin(uint64_t *barrier) {
    if (threadIdx.x == 0) {
        init(barrier, 1);
        fence_init();
    }
    __syncthreads();
}

static INLINE void give(const job &j, const uint32_t *tile, uint32_t at) {
    for (uint32_t i = threadIdx.x; i < TILE_WORDS; i += THREADS) {
        j.out[at * TILE_WORDS + i] = tile[i];
    }
}

static INLINE void bring(uint32_t *tile, const void *in, uint64_t *full, uint32_t at) {
    expect(full, TILE_B);
    load(tile, in, full, at);
}

static INLINE void bring_by_one(uint32_t *tile, const void *in, uint64_t *full, uint32_t at) {
    if (threadIdx.x == 0) {
        bring(tile, in, full, at);
    }
}

/* step(tile, full, t, at) for each tile t of the CTA: at is its place in the tensor. */
template <typename STEP> static INLINE void each_tile(const job &j, STEP step) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    __shared__ uint64_t full;
    begin(&full);
    for (uint32_t t = 0; t < j.tiles; t++) {
        step(tile, &full, t, blockIdx.x * j.tiles + t);
    }
}

template <int RIGHT> static INLINE void proxy_load(const void *in, const job &j) {
    each_tile(j, [&](uint32_t *tile, uint64_t *full, uint32_t t, uint32_t at) {
        bring_by_one(tile, in, full, at);
        wait(full, t & 1, j);
        if (threadIdx.x >= 32) {
            sleep_ns(j.delay_ns);
        }
        give(j, tile, at);
        if (RIGHT) {
            __syncthreads();
        }
    });
}
TWINS(proxy_load, proxy_load<0>(&in, j), proxy_load<1>(&in, j))

template <int RIGHT> static INLINE void wait_missing(const void *in, const job &j) {
    each_tile(j, [&](uint32_t *tile, uint64_t *full, uint32_t t, uint32_t at) {
        bring_by_one(tile, in, full, at);
        if (RIGHT) {
            wait(full, t & 1, j);
        }
        __syncthreads();
        give(j, tile, at);
        __syncthreads();
    });
}
TWINS(wait_missing, wait_missing<0>(&in, j), wait_missing<1>(&in, j))

template <int RIGHT> static INLINE void parity_constant(const void *in, const job &j) {
    each_tile(j, [&](uint32_t *tile, uint64_t *full, uint32_t t, uint32_t at) {
        bring_by_one(tile, in, full, at);
        wait(full, RIGHT ? t & 1 : 0, j);
        give(j, tile, at);
        __syncthreads();
    });
}
TWINS(parity_constant, parity_constant<0>(&in, j), parity_constant<1>(&in, j))

/* The arrival ends the phase, and the bytes come later. */
template <int RIGHT> static INLINE void expect_missing(const void *in, const job &j) {
    each_tile(j, [&](uint32_t *tile, uint64_t *full, uint32_t t, uint32_t at) {
        if (RIGHT) {
            bring_by_one(tile, in, full, at);
        } else if (threadIdx.x == 0) {
            load(tile, in, full, at);
            arrive(full);
        }
        wait(full, t & 1, j);
        give(j, tile, at);
        __syncthreads();
    });
}
TWINS(expect_missing, expect_missing<0>(&in, j), expect_missing<1>(&in, j))

/* CTA 0 of two loads for both: one tile, which each gives to its own place of the output. The
 * words of CTA 1's place are those of the tile and TILE_WORDS more. */
template <int RIGHT> static INLINE void expect_multicast(const void *in, const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    __shared__ uint64_t full;
    const uint32_t rank = rank_in_cluster();
    begin(&full);
    if (threadIdx.x == 0) {
        if (RIGHT || rank == 0) {
            expect(&full, TILE_B);
        } else {
            arrive(&full);
        }
    }
    barrier_of_cluster();
    const uint32_t at = (blockIdx.x - rank) * j.tiles;
    if (threadIdx.x == 0 && rank == 0) {
        load_for(tile, in, &full, at, 3);
    }
    wait(&full, 0, j);
    for (uint32_t t = 0; t < j.tiles; t++) {
        for (uint32_t i = threadIdx.x; i < TILE_WORDS; i += THREADS) {
            const uint32_t to = (blockIdx.x * j.tiles + t) * TILE_WORDS + i;
            j.out[to] = tile[i] + (to - (at * TILE_WORDS + i));
        }
    }
    barrier_of_cluster();
}
TWINS(expect_multicast, expect_multicast<0>(&in, j), expect_multicast<1>(&in, j))

/* --- barrier-init --- */

/* The first phase's tile; then nothing is left of the barrier. */
static INLINE void give_and_end(const job &j, uint64_t *full, const uint32_t *tile, uint32_t at) {
    __syncthreads();
    wait(full, 0, j);
    give(j, tile, at);
    end_barrier(full);
}

/* The barrier's memory held something else before; the tile's words are none that are right. */
template <int RIGHT> static INLINE void barrier_init(const void *in, const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    __shared__ uint64_t full;
    const uint32_t at = blockIdx.x * j.tiles;
    for (uint32_t i = threadIdx.x; i < TILE_WORDS; i += THREADS) {
        tile[i] = 0xDEAD0000 + i;
    }
    if (threadIdx.x == 0) {
        full = blockIdx.x & 1 ? UINT64_MAX << (blockIdx.x & 62) : 0;
    }
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        sleep_ns(j.delay_ns);
        init(&full, 1);
        fence_init();
        bring(tile, in, &full, at);
    }
    if (RIGHT) {
        __syncthreads();
    }
    wait(&full, 0, j);
    for (uint32_t t = 0; t < j.tiles; t++) {
        for (uint32_t i = threadIdx.x; i < TILE_WORDS; i += THREADS) {
            j.out[(at + t) * TILE_WORDS + i] = tile[i] + t * TILE_WORDS;
        }
    }
}
TWINS(barrier_init, barrier_init<0>(&in, j), barrier_init<1>(&in, j))

template <int RIGHT> static INLINE void barrier_init_twice(const void *in, const job &j) {
    __shared__ alignas(1024) uint32_t first[TILE_WORDS];
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    __shared__ uint64_t full;
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t at = blockIdx.x * j.tiles + t;
        begin(&full);
        if (threadIdx.x == 0) {
            bring(first, in, &full, at);
            if (RIGHT) {
                wait(&full, 0, j);
                inval(&full);
            }
            init(&full, 1);
            fence_init();
            bring(tile, in, &full, at);
        }
        give_and_end(j, &full, tile, at);
    }
}
TWINS(barrier_init_twice, barrier_init_twice<0>(&in, j), barrier_init_twice<1>(&in, j))

template <int RIGHT> static INLINE void barrier_init_unfenced(const void *in, const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    __shared__ uint64_t full;
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t at = blockIdx.x * j.tiles + t;
        if (threadIdx.x == 0) {
            init(&full, 1);
            if (RIGHT) {
                fence_init();
            }
            bring(tile, in, &full, at);
        }
        give_and_end(j, &full, tile, at);
    }
}
TWINS(barrier_init_unfenced, barrier_init_unfenced<0>(&in, j), barrier_init_unfenced<1>(&in, j))
