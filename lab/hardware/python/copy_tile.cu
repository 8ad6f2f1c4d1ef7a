// SPDX-License-Identifier: Apache-2.0
//
// One load of a two-dimensional tile; what it leaves in shared memory goes to `out`.
#include <cstdint>

struct alignas(64) Map {
    unsigned char bytes[128];
};

extern "C" __global__ void copy_tile(const __grid_constant__ Map map, unsigned char *out, int x,
                                     int y, int tx_B, int count_B) {
    extern __shared__ __align__(1024) unsigned char tile[];
    __shared__ __align__(8) uint64_t barrier;
    const uint32_t bar = (uint32_t)__cvta_generic_to_shared(&barrier);
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(tile);
    for (int i = threadIdx.x; i < count_B; i += blockDim.x) {
        tile[i] = 0xA5;
    }
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(tx_B)
                     : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                     ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                     "l"(&map), "r"(x), "r"(y), "r"(bar)
                     : "memory");
    }
    uint32_t done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0;"
                     " selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(bar)
                     : "memory");
    }
    for (int i = threadIdx.x; i < count_B; i += blockDim.x) {
        out[i] = tile[i];
    }
}
