/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps that are edited in shared memory and published, tiles that a CTA of a cluster sends to the
 * other one, multicasts in turns: kernels that break them (RIGHT is 0), and their right twins.
 */
#include "kernels.cuh"

static INLINE void give(const job &j, const uint32_t *tile, uint32_t at, uint32_t less) {
    for (uint32_t i = threadIdx.x; i < TILE_WORDS; i += THREADS) {
        j.out[at * TILE_WORDS + i] = tile[i] - less;
    }
}

/* --- ptx-fence --- */

enum acquire { NEVER, EARLY, BEHIND };

static INLINE void acquire_map(const tensor_map *map) {
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}

/* By turns a map of the words, and one of words that are one more, in one place of global memory.
 */
template <int ACQUIRES> static INLINE void map_publish(const tensor_map *in, const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    __shared__ alignas(128) tensor_map copy;
    __shared__ uint64_t full;
    tensor_map *map = j.scratch + blockIdx.x;
    if (threadIdx.x < 16) {
        copy.words[threadIdx.x] = in->words[threadIdx.x];
    }
    if (threadIdx.x == 0) {
        init(&full, 1);
        fence_init();
    }
    __syncthreads();
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t at = blockIdx.x * j.tiles + t;
        if (threadIdx.x < 32) {
            if (ACQUIRES == EARLY) {
                acquire_map(map);
            }
            if (threadIdx.x == 0) {
                asm volatile(
                    "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(
                        shared_of(&copy)),
                    "l"(t & 1 ? j.other[0] : in->words[0])
                    : "memory");
            }
            __syncwarp();
            asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release"
                         ".gpu.sync.aligned [%0], [%1], 128;" ::"l"(map),
                         "r"(shared_of(&copy))
                         : "memory");
            if (ACQUIRES == BEHIND) {
                acquire_map(map);
            }
            if (threadIdx.x == 0) {
                expect(&full, TILE_B);
                load(tile, map, &full, at);
            }
        }
        wait(&full, t & 1, j);
        give(j, tile, at, t & 1);
        __syncthreads();
    }
}
TWINS(map_publish, map_publish<NEVER>(&in, j), map_publish<BEHIND>(&in, j))
TWINS(map_publish_early, map_publish<EARLY>(&in, j), map_publish<BEHIND>(&in, j))

/* --- a tile for the other CTA --- */

static INLINE uint32_t there(const void *own, uint32_t rank) {
    uint32_t address;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(address)
                 : "r"(shared_of(own)), "r"(rank));
    return address;
}

static INLINE void send(const uint32_t *tile, const uint32_t *to, uint64_t *full, uint32_t rank) {
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(there(to, rank)),
                 "r"(shared_of(tile)), "r"(TILE_B), "r"(there(full, rank))
                 : "memory");
}

static INLINE void begin_peers(uint64_t *full) {
    if (threadIdx.x == 0) {
        init(full, 1);
        fence_init();
    }
    barrier_of_cluster();
}

static INLINE void write(uint32_t *tile, uint32_t at) {
    for (uint32_t i = threadIdx.x; i < TILE_WORDS; i += THREADS) {
        tile[i] = at * TILE_WORDS + i + 1;
    }
}

/* Each of two writes the other one's tile and sends it. */
template <int FENCED, int ENDS> static INLINE void send_in_turns(const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    __shared__ alignas(1024) uint32_t got[TILE_WORDS];
    __shared__ uint64_t full;
    const uint32_t rank = rank_in_cluster();
    begin_peers(&full);
    for (uint32_t t = 0; t < j.tiles; t++) {
        write(tile, (blockIdx.x ^ 1) * j.tiles + t);
        if (FENCED) {
            fence_async();
        }
        if (threadIdx.x == 0) {
            expect(&full, TILE_B);
        }
        barrier_of_cluster();
        if (threadIdx.x == 0) {
            sleep_ns(rank ? 0 : j.delay_ns);
            send(tile, got, &full, rank ^ 1);
        }
        wait(&full, t & 1, j);
        give(j, got, blockIdx.x * j.tiles + t, 0);
        if (ENDS) {
            barrier_of_cluster();
        }
    }
    barrier_of_cluster();
}
TWINS(send_unfenced, (send_in_turns<0, 1>(j)), (send_in_turns<1, 1>(j)))
TWINS(send_reuse, (send_in_turns<1, 0>(j)), (send_in_turns<1, 1>(j)))

/* CTA 0 sends its last tile and ends; what is left of its memory is the next CTA's. */
template <int RIGHT> static INLINE void send_exit(const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    __shared__ alignas(1024) uint32_t got[TILE_WORDS];
    __shared__ uint64_t full;
    const uint32_t rank = rank_in_cluster();
    begin_peers(&full);
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t at = blockIdx.x * j.tiles + t;
        barrier_of_cluster(); /* the last one is there, and given */
        write(tile, rank ? at : at + j.tiles);
        fence_async();
        if (threadIdx.x == 0 && rank) {
            expect(&full, TILE_B);
        }
        barrier_of_cluster();
        if (rank) {
            wait(&full, t & 1, j);
            give(j, got, at, 0);
        } else {
            give(j, tile, at, j.tiles * TILE_WORDS);
            if (threadIdx.x == 0) {
                send(tile, got, &full, 1);
            }
        }
    }
    if (RIGHT) {
        barrier_of_cluster();
    }
}
TWINS(send_exit, send_exit<0>(j), send_exit<1>(j))

/* --- a stage that two CTAs fill for both --- */

template <int RIGHT> static INLINE void multicast_own(const void *in, const job &j) {
    __shared__ alignas(1024) uint32_t tile[2][TILE_WORDS];
    __shared__ uint64_t full, empty;
    const uint32_t rank = rank_in_cluster();
    if (threadIdx.x == 0) {
        init(&empty, RIGHT ? 2 : 1);
    }
    begin_peers(&full);
    for (uint32_t t = 0; t < j.tiles; t++) {
        if (threadIdx.x == 0) {
            wait(&empty, (t & 1) ^ 1, j);
            expect(&full, 2 * TILE_B);
            load_for(tile[rank], in, &full, (blockIdx.x ^ 1) * j.tiles + t, 3);
        }
        wait(&full, t & 1, j);
        sleep_ns(rank ? j.delay_ns : 0);
        give(j, tile[rank ^ 1], blockIdx.x * j.tiles + t, 0);
        __syncthreads();
        if (RIGHT && threadIdx.x < 2) {
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                             there(&empty, threadIdx.x))
                         : "memory");
        } else if (!RIGHT && threadIdx.x == 0) {
            arrive(&empty);
        }
    }
    barrier_of_cluster();
}
TWINS(multicast_own, multicast_own<0>(&in, j), multicast_own<1>(&in, j))

/* --- every thread initialises the barrier --- */

template <int RIGHT> static INLINE void barrier_init_every(const void *in, const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    __shared__ uint64_t full;
    if (!RIGHT || threadIdx.x == 0) {
        sleep_ns(threadIdx.x / 32 * j.delay_ns / 4);
        init(&full, 1);
        fence_init();
    }
    __syncthreads();
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t at = blockIdx.x * j.tiles + t;
        if (threadIdx.x == 0) {
            expect(&full, TILE_B);
            load(tile, in, &full, at);
        }
        wait(&full, t & 1, j);
        give(j, tile, at, 0);
        __syncthreads();
    }
}
TWINS(barrier_init_every, barrier_init_every<0>(&in, j), barrier_init_every<1>(&in, j))
