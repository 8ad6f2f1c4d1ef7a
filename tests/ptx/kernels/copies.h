// SPDX-License-Identifier: Apache-2.0
//
// Copies, barriers and fences, an instruction each.
#pragma once

#define INLINE __device__ __forceinline__

typedef unsigned u32;
typedef unsigned long long u64;

struct alignas(128) Map {
    u64 o[16];
};

INLINE u32 s2u(const void *p) {
    return (u32)__cvta_generic_to_shared(p);
}

INLINE void binit(u64 *b, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(s2u(b)), "r"(count) : "memory");
}
INLINE void binval(u64 *b) {
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(s2u(b)) : "memory");
}
INLINE void fence_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
INLINE void fpa() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
INLINE void expect(u64 *b, int bytes_B) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(s2u(b)),
                 "r"(bytes_B)
                 : "memory");
}
INLINE void expect_only(u64 *b, int bytes_B) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(s2u(b)),
                 "r"(bytes_B)
                 : "memory");
}
INLINE void arrive(u64 *b) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(s2u(b)) : "memory");
}
INLINE void drop(u64 *b) {
    asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(s2u(b)) : "memory");
}
INLINE void wait(u64 *b, int parity) {
    asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;"
                 " @!p bra L; }" ::"r"(s2u(b)),
                 "r"(parity)
                 : "memory");
}

INLINE void load2(void *d, const Map *m, u64 *b, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4}], [%2];" ::"r"(s2u(d)),
                 "l"(m), "r"(s2u(b)), "r"(x), "r"(y)
                 : "memory");
}
INLINE void load2mc(void *d, const Map *m, u64 *b, int x, int y, unsigned short mask) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(s2u(d)),
                 "l"(m), "r"(s2u(b)), "r"(x), "r"(y), "h"(mask)
                 : "memory");
}
INLINE void store2(const Map *m, const void *s, int x, int y) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(m),
        "r"(s2u(s)), "r"(x), "r"(y)
        : "memory");
}
INLINE void commit() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int N> INLINE void waitr() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

INLINE void repl_addr(void *m, const void *a) {
    asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(
                     __cvta_generic_to_global(m)),
                 "l"(a)
                 : "memory");
}
INLINE void repl_addr_s(void *m, const void *a) {
    asm volatile(
        "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(s2u(m)),
        "l"(a)
        : "memory");
}
INLINE void rel() {
    asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
}
INLINE void acq(const void *m) {
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(m) : "memory");
}
INLINE void cpfence(void *g, void *s) {
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync"
                 ".aligned [%0], [%1], 128;" ::"l"(__cvta_generic_to_global(g)),
                 "r"(s2u(s))
                 : "memory");
}

INLINE u32 ctarank() {
    u32 r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
INLINE void csync() {
    asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
}
INLINE u32 mapa(void *p, u32 rank) {
    u32 a;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(s2u(p)), "r"(rank));
    return a;
}
INLINE void rarrive(void *b, u32 rank) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapa(b, rank))
                 : "memory");
}
INLINE bool elect() {
    unsigned p;
    asm volatile("{ .reg .pred P; elect.sync _|P, 0xffffffff; selp.u32 %0, 1, 0, P; }" : "=r"(p));
    return p;
}

INLINE void begin_load(float *tile, const Map *m, u64 *b, int arrivals) {
    binit(b, arrivals);
    fence_init();
    expect(b, 8192);
    load2(tile, m, b, 0, 0);
}

// What most kernels begin with: tiles, and a barrier that one thread initialises, or a full one and
// an empty one.
#define TILES_WITH_BARRIER(sizes, arrivals)                                                        \
    __shared__ alignas(1024) float t sizes;                                                        \
    __shared__ alignas(8) u64 b;                                                                   \
    if (threadIdx.x == 0) {                                                                        \
        binit(&b, arrivals);                                                                       \
        fence_init();                                                                              \
    }                                                                                              \
    __syncthreads()
#define TILE_WITH_BARRIER TILES_WITH_BARRIER([2048], 1)
#define TILES_WITH_TWO_BARRIERS(sizes, arrivals_of_empty)                                          \
    __shared__ alignas(1024) float t sizes;                                                        \
    __shared__ alignas(8) u64 b, e;                                                                \
    if (threadIdx.x == 0) {                                                                        \
        binit(&b, 1);                                                                              \
        binit(&e, arrivals_of_empty);                                                              \
        fence_init();                                                                              \
    }                                                                                              \
    static_assert(true, "")
#define ONE_LOADS(tile, map, row)                                                                  \
    if (threadIdx.x == 0) {                                                                        \
        expect(&b, 8192);                                                                          \
        load2(tile, map, &b, 0, row);                                                              \
    }                                                                                              \
    static_assert(true, "")
#define FOUR_LOADS(unrolled)                                                                       \
    if (threadIdx.x == 0) {                                                                        \
        _Pragma(unrolled) for (int i = 0; i < 4; i++) {                                            \
            expect(&b, 8192);                                                                      \
            load2(t[i], &m, &b, 0, 64 * i);                                                        \
        }                                                                                          \
    }                                                                                              \
    static_assert(true, "")
