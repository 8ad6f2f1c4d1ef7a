/* SPDX-License-Identifier: Apache-2.0
 *
 * The instructions of the kernels that break the protocol of copies, one function each.
 */
#ifndef HARDWARE_PROTOCOL_INSTRUCTIONS_CUH
#define HARDWARE_PROTOCOL_INSTRUCTIONS_CUH

#include <cstdint>

#define INLINE __device__ __forceinline__

constexpr int TILE_WORDS = 4096;
constexpr int TILE_B = TILE_WORDS * 4;

struct alignas(128) tensor_map {
    uint64_t words[16];
};

/* What a kernel gets beside its two maps, of the tensor that it loads and of the one it stores. */
struct job {
    const uint32_t *in;
    uint32_t *out;
    tensor_map *scratch;      /* in global memory, one for each CTA */
    const uint64_t *other;    /* the 16 words of a map of other values (in + 1) */
    volatile uint32_t *hung;  /* the host's */
    uint32_t tiles, delay_ns; /* tiles of a CTA */
    unsigned long long patience_ns;
};

INLINE uint32_t shared_of(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
INLINE void sleep_ns(uint32_t ns) {
    if (ns) {
        asm volatile("nanosleep.u32 %0;" ::"r"(ns));
    }
}
INLINE void fence_async() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
INLINE void fence_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
INLINE void init(uint64_t *barrier, uint32_t count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_of(barrier)), "r"(count)
                 : "memory");
}
INLINE void inval(uint64_t *barrier) {
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_of(barrier)) : "memory");
}
/* When all threads are done with it; none of them goes on before it is gone. */
INLINE void end_barrier(uint64_t *barrier) {
    __syncthreads();
    if (threadIdx.x == 0) {
        inval(barrier);
    }
    __syncthreads();
}
INLINE void expect(uint64_t *barrier, uint32_t bytes_B) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_of(barrier)),
                 "r"(bytes_B)
                 : "memory");
}
INLINE void arrive(uint64_t *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_of(barrier)) : "memory");
}
INLINE unsigned long long now_ns() {
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}
/* Ends the kernel where the phase does not end in time. */
INLINE void wait(uint64_t *barrier, uint32_t parity, const job &j) {
    const unsigned long long begin = now_ns();
    uint32_t done = 0;
    for (;;) {
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(shared_of(barrier)), "r"(parity)
                     : "memory");
        if (done) {
            return;
        }
        if (now_ns() - begin > j.patience_ns) {
            *j.hung = 1;
            __threadfence_system();
            asm volatile("trap;");
        }
    }
}
INLINE void load(void *to, const void *map, uint64_t *barrier, uint32_t tile) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared_of(to)),
                 "l"(map), "r"(shared_of(barrier)), "r"(0), "r"(tile * (TILE_WORDS / 64))
                 : "memory");
}
INLINE void load_for(void *to, const void *map, uint64_t *barrier, uint32_t tile, uint16_t mask) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_of(to)),
                 "l"(map), "r"(shared_of(barrier)), "r"(0), "r"(tile * (TILE_WORDS / 64)), "h"(mask)
                 : "memory");
}
INLINE void store(const void *map, const void *from, uint32_t tile) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
        "r"(shared_of(from)), "r"(0), "r"(tile * (TILE_WORDS / 64))
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
INLINE void store_bytes(void *to, const void *from, uint32_t bytes_B) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(shared_of(from)), "r"(bytes_B)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/* Until all groups of this thread have been read. */
INLINE void wait_read() {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
INLINE void wait_written() {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
INLINE void barrier_of_cluster() {
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}
INLINE uint32_t rank_in_cluster() {
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
INLINE void write_to_cta(const void *own, uint32_t rank, uint32_t value) {
    asm volatile("{\n\t.reg .b32 there;\n\tmapa.shared::cluster.u32 there, %0, %1;\n\t"
                 "st.shared::cluster.b32 [there], %2;\n\t}" ::"r"(shared_of(own)),
                 "r"(rank), "r"(value)
                 : "memory");
}

#endif
