/* SPDX-License-Identifier: Apache-2.0
 *
 * The PTX that the hangs are made of, one function an instruction.
 */
#ifndef HARDWARE_HANGS_BARRIERS_CUH
#define HARDWARE_HANGS_BARRIERS_CUH

#include <cstdint>
#include <cuda.h>

#define PTX(...) asm volatile(__VA_ARGS__)

__device__ __forceinline__ uint32_t shared_address(const void *at) {
    return (uint32_t)__cvta_generic_to_shared(at);
}
__device__ __forceinline__ void init(uint32_t bar, uint32_t count) {
    PTX("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}
__device__ __forceinline__ void arrive(uint32_t bar) {
    PTX("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}
__device__ __forceinline__ void arrive_expect(uint32_t bar, uint32_t bytes) {
    PTX("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ __forceinline__ void expect(uint32_t bar, uint32_t bytes) {
    PTX("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ __forceinline__ uint32_t of_peer(uint32_t at, uint32_t rank) {
    uint32_t there;
    PTX("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank));
    return there;
}
__device__ __forceinline__ void arrive_at_peer(uint32_t bar, uint32_t rank) {
    PTX("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(of_peer(bar, rank)) : "memory");
}
__device__ __forceinline__ uint32_t done(uint32_t bar, uint32_t parity) {
    uint32_t yes;
    PTX("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
        : "=r"(yes) : "r"(bar), "r"(parity) : "memory");
    return yes;
}
__device__ __forceinline__ void wait(uint32_t bar, uint32_t parity) {
    while (!done(bar, parity))
        ;
}
/* As CUTLASS spells it: the loop in the assembly. */
__device__ __forceinline__ void wait_loop(uint32_t bar, uint32_t parity) {
    PTX("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
        "@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(bar), "r"(parity) : "memory");
}
__device__ __forceinline__ void load_2d(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t bar) {
    PTX("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
        ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(bar) : "memory");
}
__device__ __forceinline__ void load_2d_multicast(uint32_t to, const CUtensorMap *map, int x, int y,
                                                  uint32_t bar, uint16_t mask) {
    PTX("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
        " [%0], [%1, {%2, %3}], [%4], %5;"
        ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(bar), "h"(mask) : "memory");
}
__device__ __forceinline__ void load_im2col(uint32_t to, const CUtensorMap *map, int c, int w, int h, int n,
                                            uint32_t bar) {
    PTX("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};"
        ::"r"(to), "l"(map), "r"(c), "r"(w), "r"(h), "r"(n), "r"(bar), "h"((uint16_t)0), "h"((uint16_t)0) : "memory");
}
__device__ __forceinline__ void load_bulk(uint32_t to, const void *from, uint32_t bytes, uint32_t bar) {
    PTX("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        ::"r"(to), "l"(from), "r"(bytes), "r"(bar) : "memory");
}
__device__ __forceinline__ void load_async(uint32_t to, const void *from) {
    PTX("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
__device__ __forceinline__ void async_arrive(uint32_t bar) {
    PTX("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
}
__device__ __forceinline__ void cluster_sync() {
    PTX("fence.mbarrier_init.release.cluster;" ::: "memory");
    PTX("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

#endif
