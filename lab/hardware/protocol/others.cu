/* SPDX-License-Identifier: Apache-2.0
 *
 * map-local, map-edit, exit: kernels that break them (RIGHT is 0), and their right twins.
 */
#include "kernels.cuh"

static INLINE void load_one(uint32_t *tile, uint64_t *full, const void *map, uint32_t at,
                            const job &j) {
    if (threadIdx.x == 0) {
        init(full, 1);
        fence_init();
        expect(full, TILE_B);
        load(tile, map, full, at);
    }
    __syncthreads();
    wait(full, 0, j);
    end_barrier(full);
}

template <int RIGHT> static INLINE void map_local(const tensor_map *in, const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    __shared__ uint64_t full;
    tensor_map copy = *in;
    const void *map = RIGHT ? in : &copy;
    asm volatile("" ::"l"(&copy) : "memory");
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t at = blockIdx.x * j.tiles + t;
        load_one(tile, &full, map, at, j);
        for (uint32_t i = threadIdx.x; i < TILE_WORDS; i += THREADS) {
            j.out[at * TILE_WORDS + i] = tile[i];
        }
        __syncthreads();
    }
}
TWINS(map_local, map_local<0>(&in, j), map_local<1>(&in, j))

/* By turns a map of the words, and one of words that are one more, in one place of global memory.
 */
template <int RIGHT> static INLINE void map_edit(const tensor_map *in, const job &j) {
    __shared__ alignas(1024) uint32_t tile[TILE_WORDS];
    __shared__ uint64_t full;
    tensor_map *map = j.scratch + blockIdx.x;
    for (uint32_t t = 0; t < j.tiles; t++) {
        const uint32_t at = blockIdx.x * j.tiles + t;
        if (threadIdx.x < 16) {
            map->words[threadIdx.x] = t & 1 ? j.other[threadIdx.x] : in->words[threadIdx.x];
            if (RIGHT) {
                asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
            }
        }
        __syncthreads();
        if (RIGHT && threadIdx.x == 0) {
            asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map)
                         : "memory");
        }
        load_one(tile, &full, map, at, j);
        for (uint32_t i = threadIdx.x; i < TILE_WORDS; i += THREADS) {
            j.out[at * TILE_WORDS + i] = tile[i] - (t & 1);
        }
        __syncthreads();
    }
}
TWINS(map_edit, map_edit<0>(&in, j), map_edit<1>(&in, j))

/* CTA 0 writes its words into CTA 1's memory, late, and CTA 1 ends; nobody reads them there. */
template <int RIGHT> static INLINE void exit_cluster(const job &j) {
    __shared__ uint32_t there[THREADS];
    const uint32_t rank = rank_in_cluster();
    for (uint32_t t = 0; t < j.tiles; t++) {
        for (uint32_t i = threadIdx.x; i < TILE_WORDS; i += THREADS) {
            const uint32_t to = (blockIdx.x * j.tiles + t) * TILE_WORDS + i;
            j.out[to] = to + 1;
        }
    }
    barrier_of_cluster();
    if (rank == 0) {
        sleep_ns(1000 + j.delay_ns);
        write_to_cta(&there[threadIdx.x], 1, threadIdx.x);
    }
    if (RIGHT) {
        barrier_of_cluster();
    }
}
TWINS(exit_cluster, exit_cluster<0>(j), exit_cluster<1>(j))
