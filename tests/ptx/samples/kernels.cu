// SPDX-License-Identifier: Apache-2.0
//
// Makes nvcc_90.ptx beside it: nvcc -std=c++17 -arch=sm_90a -lineinfo -ptx kernels.cu
// Wrong on purpose: coordinates, a shared address, an im2col offset, a missing fence.
#include <cuda/ptx>
#include <cuda.h>
#include <cuda/barrier>
namespace ptx = cuda::ptx;
__device__ __forceinline__ void load2(void *s, const void *m, uint64_t *b, int x, int y) {
  int c[2] = {x, y};
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s, m, c, b);
}
__global__ void k1(const __grid_constant__ CUtensorMap m, const __grid_constant__ CUtensorMap o, int n) {
  __shared__ alignas(1024) char sm[8192];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    load2(sm, &m, &bar, n, 0);
    load2(sm + 4096, &m, &bar, 64, n);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 8192);
    int c[2] = {0, n};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &o, c, sm);
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &o, c, sm);
    unsigned a = (unsigned)__cvta_generic_to_shared(sm + 64), bb = (unsigned)__cvta_generic_to_shared(&bar);
    asm volatile("{ .reg .pred p; .reg .b32 t;\n setp.eq.u32 p, %2, 0; mov.b32 t, 3;\n @p cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes\n   [%0], [%1, {t, 5}], [%2]; /* x */ @!p cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%0], [%1, {1}], [%2], 3, %3; }"
      :: "r"(a), "l"(&m), "r"(bb), "l"(0x14F0000000000000ull) : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [%0, {0, -1, -1, 0}], {1, 300};" :: "l"(&m));
    asm volatile("prefetch.tensormap [%0];" :: "l"(&m));
  }
}
__global__ void k2(CUtensorMap *g, void *p) {
  __shared__ alignas(128) CUtensorMap t;
  __shared__ alignas(128) char sm[8192];
  if (threadIdx.x < 32) {
    ptx::tensormap_replace_global_address(ptx::space_shared, &t, p);
    ptx::tensormap_replace_box_dim(ptx::space_shared, &t, ptx::n32_t<1>(), 64u);
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, g, &t, ptx::n32_t<128>());
#ifdef FENCE
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, g, ptx::n32_t<128>());
#endif
    int c[1] = {0};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, g, c, sm);
  }
}
