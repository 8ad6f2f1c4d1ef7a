/* SPDX-License-Identifier: Apache-2.0
 *
 * CUDA calls that end a function with the error's name, and what the kernels share.
 */
#ifndef HARDWARE_CUDA_CHECK_H
#define HARDWARE_CUDA_CHECK_H

#include <cuda_runtime.h>
#include <stdint.h>

#define CUDA_TRY(call)                                                                             \
    do {                                                                                           \
        const cudaError_t error_ = (call);                                                         \
        if (error_ != cudaSuccess) {                                                               \
            return cudaGetErrorName(error_);                                                       \
        }                                                                                          \
    } while (0)

/* Launches and waits; a kernel that was killed shows here. */
#define CUDA_TRY_KERNEL(...)                                                                       \
    do {                                                                                           \
        __VA_ARGS__;                                                                               \
        CUDA_TRY(cudaGetLastError());                                                              \
        CUDA_TRY(cudaDeviceSynchronize());                                                         \
    } while (0)

static __device__ __forceinline__ uint32_t shared_address(const void *pointer) {
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

static __device__ __forceinline__ void barrier_init(uint32_t barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}

static __device__ __forceinline__ void barrier_expect(uint32_t barrier, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

static __device__ __forceinline__ uint32_t barrier_completed(uint32_t barrier, uint32_t parity) {
    uint32_t done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
    return done;
}

/* Maps in global memory were written before the kernel began: the other side of this fence. */
static __device__ __forceinline__ void acquire_map(const void *map) {
    asm volatile("fence.proxy.tensormap::generic.acquire.sys [%0], 128;" ::"l"(map) : "memory");
}

#endif
