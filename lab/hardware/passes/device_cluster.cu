/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads by one CTA of a cluster for others of it: a cluster each, a window in each of its CTAs.
 */
#include "cluster_instructions.h"
#include "copy_window.h"
#include "device_memory.h"

static __device__ uint32_t in_cta(uint32_t address, uint32_t cta) {
    uint32_t out;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(out) : "r"(address), "r"(cta));
    return out;
}

static __device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

static __device__ void issue(const struct device_cluster_copy &k, const void *map, uint32_t address,
                             uint32_t own_barrier) {
    const struct device_copy &c = k.copy;
    const uint32_t barrier =
        k.barrier_cta == k.issuer ? own_barrier : in_cta(own_barrier, k.barrier_cta);
    acquire_map(map);
#ifdef HAS_GATHER4
    if (k.cta_group && k.cta_mask) {
        issue_multicast_group(c, map, address, barrier, (uint16_t)k.cta_mask);
        return;
    }
    if (k.cta_group) {
        issue_group(c, map, address, barrier);
        return;
    }
#endif
    issue_multicast(c, map, address, barrier, (uint16_t)k.cta_mask);
}

/* As load() of device_copy.cu; all of the cluster wait before they look for bytes too many. */
static __global__ void __cluster_dims__(DEVICE_CLUSTER_CTAS) __launch_bounds__(THREADS)
    cluster_kernel(const struct device_cluster_copy *copies, const tma_map *maps, uint8_t *windows,
                   struct device_copied *results) {
    extern __shared__ uint8_t dynamic[];
    __shared__ uint64_t barrier_word;
    const struct device_cluster_copy &k = copies[blockIdx.x / DEVICE_CLUSTER_CTAS];
    const uint32_t cta = blockIdx.x % DEVICE_CLUSTER_CTAS;
    const uint32_t barrier = shared_address(&barrier_word);
    const uint32_t unaligned = shared_address(dynamic);
    const uint32_t base = (unaligned + WINDOW_ALIGN_B - 1) / WINDOW_ALIGN_B * WINDOW_ALIGN_B;
    uint64_t *window = (uint64_t *)(dynamic + (base - unaligned));
    struct device_copied copied = {base, 0, 0};
    fill_window(k.copy, window);
    if (threadIdx.x == 0) {
        barrier_init(barrier);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        barrier_expect(barrier, k.expect_B[cta]);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    cluster_sync();
    if (threadIdx.x == 0 && cta == k.issuer) {
        issue(k, &maps[blockIdx.x / DEVICE_CLUSTER_CTAS], base + k.copy.shared_at, barrier);
    }
    if (threadIdx.x == 0) {
        copied.completed = wait_for(barrier, 0);
    }
    __syncthreads();
    cluster_sync();
    const long long start = clock64();
    while (clock64() - start < QUIET_CYCLES) {
    }
    if (threadIdx.x == 0) {
        if (copied.completed) {
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
            copied.exact = barrier_completed(barrier, 1);
        }
        results[blockIdx.x] = copied;
    }
    __syncthreads();
    cluster_sync();
    uint64_t *kept = (uint64_t *)(windows + k.copy.window_at + (uint64_t)cta * k.copy.window_B);
    for (uint32_t i = threadIdx.x; i < k.copy.window_B / 8; i += blockDim.x) {
        kept[i] = window[i];
    }
}

static const char *launch(const struct device_cluster_copy *copies, size_t count) {
    struct device_cluster_copy *on_device = NULL;
    uint32_t window_B = 0;
    for (size_t k = 0; k < count; k++) {
        window_B = copies[k].copy.window_B > window_B ? copies[k].copy.window_B : window_B;
    }
    const size_t shared_B = window_B + WINDOW_ALIGN_B;
    CUDA_TRY(cudaMalloc((void **)&on_device, count * sizeof(*copies)));
    CUDA_TRY(cudaMemcpy(on_device, copies, count * sizeof(*copies), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaFuncSetAttribute(cluster_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  (int)shared_B));
    CUDA_TRY_KERNEL(cluster_kernel<<<(unsigned)count * DEVICE_CLUSTER_CTAS, THREADS, shared_B>>>(
        on_device, device_memory.maps, device_memory.windows, device_memory.copied));
    CUDA_TRY(cudaFree(on_device));
    return NULL;
}

const char *device_run_clusters(const struct device_cluster_copy *copies,
                                const struct device_copy *plain, const tma_map *maps,
                                size_t count) {
    const char *error = device_memory_prepare(plain, maps, count);
    error = error ? error : launch(copies, count);
    return error ? error : device_memory_fetch(count * DEVICE_CLUSTER_CTAS);
}
