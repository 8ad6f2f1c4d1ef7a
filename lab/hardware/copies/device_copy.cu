/* SPDX-License-Identifier: Apache-2.0
 *
 * Many copies in one launch: a block each, with its own slice of one global buffer and its own
 * place for the window that it leaves.
 */
#include "copy_window.h"
#include "device_memory.h"
#include "tensor_instructions.h"

struct device_memory device_memory;

static __global__ void fill_kernel(const struct device_copy *copies, uint8_t *global) {
    const struct device_copy &c = copies[blockIdx.x];
    uint64_t *words = (uint64_t *)(global + c.global_at);
    for (uint32_t i = threadIdx.x; i < c.global_B / 8; i += blockDim.x) {
        words[i] = tma_pattern_word(c.fill, c.seed, i);
    }
}

/* One phase takes the bytes that are expected; another then completes at once unless bytes came
 * that nobody expected. */
static __device__ void load(const struct device_copy &c, const void *map, uint32_t address,
                            uint32_t barrier, struct device_copied *copied) {
    barrier_expect(barrier, c.expect_B);
    issue_load(c, map, address, barrier);
    copied->completed = wait_for(barrier, 0);
    const long long start = clock64();
    while (clock64() - start < QUIET_CYCLES) {
    }
    if (copied->completed) {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
        copied->exact = barrier_completed(barrier, 1);
    }
}

static __device__ void copy_out(const struct device_copy &c, const void *map, uint32_t address,
                                struct device_copied *copied) {
    if (c.op == TMA_OP_STORE) {
        issue_store(c, map, address, 0);
    } else if (c.op == TMA_OP_PREFETCH) {
        issue_prefetch(c, map, address, 0);
    } else {
        issue_reduction(c, map, address, 0);
    }
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    copied->completed = copied->exact = 1;
}

static __global__ void __launch_bounds__(THREADS)
    copy_kernel(const struct device_copy *copies, const tma_map *maps, uint8_t *windows,
                struct device_copied *results) {
    extern __shared__ uint8_t dynamic[];
    __shared__ uint64_t barrier_word;
    const struct device_copy c = copies[blockIdx.x];
    const tma_map *map = &maps[blockIdx.x];
    const uint32_t barrier = shared_address(&barrier_word);
    const uint32_t unaligned = shared_address(dynamic);
    const uint32_t base = (unaligned + WINDOW_ALIGN_B - 1) / WINDOW_ALIGN_B * WINDOW_ALIGN_B;
    uint64_t *window = (uint64_t *)(dynamic + (base - unaligned));
    fill_window(c, window);
    if (threadIdx.x == 0) {
        barrier_init(barrier);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        struct device_copied copied = {base, 0, 0};
        acquire_map(map);
        if (c.op == TMA_OP_LOAD) {
            load(c, map, base + c.shared_at, barrier, &copied);
        } else {
            copy_out(c, map, base + c.shared_at, &copied);
        }
        results[blockIdx.x] = copied;
    }
    __syncthreads();
    uint64_t *kept = (uint64_t *)(windows + c.window_at);
    for (uint32_t i = threadIdx.x; i < c.window_B / 8; i += blockDim.x) {
        kept[i] = window[i];
    }
}

static const char *grow(uint8_t **device, uint8_t **host, uint64_t *room_B, uint64_t size_B) {
    if (size_B <= *room_B) {
        return NULL;
    }
    CUDA_TRY(cudaFree(*device));
    CUDA_TRY(cudaFreeHost(*host));
    *device = *host = NULL;
    *room_B = 0;
    CUDA_TRY(cudaMalloc((void **)device, size_B));
    CUDA_TRY(cudaMallocHost((void **)host, size_B));
    *room_B = size_B;
    return NULL;
}

static const char *grow_copies(size_t copies) {
    if (copies <= device_memory.room) {
        return NULL;
    }
    CUDA_TRY(cudaFree(device_memory.copies));
    CUDA_TRY(cudaFree(device_memory.maps));
    CUDA_TRY(cudaFree(device_memory.copied));
    CUDA_TRY(cudaFreeHost(device_memory.copied_host));
    device_memory.room = 0;
    CUDA_TRY(cudaMalloc((void **)&device_memory.copies, copies * sizeof(*device_memory.copies)));
    CUDA_TRY(cudaMalloc((void **)&device_memory.maps, copies * sizeof(*device_memory.maps)));
    CUDA_TRY(cudaMalloc((void **)&device_memory.copied, copies * sizeof(*device_memory.copied)));
    CUDA_TRY(cudaMallocHost((void **)&device_memory.copied_host,
                            copies * sizeof(*device_memory.copied)));
    device_memory.room = copies;
    return NULL;
}

const char *device_reserve(uint64_t global_B, uint64_t windows_B, size_t copies,
                           struct device_room *room) {
    const char *error = grow(&device_memory.global, &device_memory.global_host,
                             &device_memory.global_room_B, global_B);
    if (!error) {
        error = grow(&device_memory.windows, &device_memory.windows_host,
                     &device_memory.windows_room_B, windows_B);
    }
    if (!error) {
        error = grow_copies(copies);
    }
    if (error) {
        return error;
    }
    device_memory.global_B = global_B;
    device_memory.windows_B = windows_B;
    room->global_address = (uint64_t)(uintptr_t)device_memory.global;
    room->global = device_memory.global_host;
    room->windows = device_memory.windows_host;
    room->copied = device_memory.copied_host;
    return NULL;
}

/* Copies of the same size class together, so that small ones share a multiprocessor. */
static const char *launch(const struct device_copy *copies, size_t count) {
    static const uint32_t classes_B[] = {10u << 10, 26u << 10, 54u << 10, UINT32_MAX};
    size_t first = 0;
    for (int k = 0; k < 4; k++) {
        size_t end = first;
        while (end < count && copies[end].window_B <= classes_B[k]) {
            end++;
        }
        if (end > first) {
            const size_t shared_B = copies[end - 1].window_B + WINDOW_ALIGN_B;
            CUDA_TRY(cudaFuncSetAttribute(copy_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          (int)shared_B));
            copy_kernel<<<(unsigned)(end - first), THREADS, shared_B>>>(
                device_memory.copies + first, device_memory.maps + first, device_memory.windows,
                device_memory.copied + first);
            CUDA_TRY(cudaGetLastError());
        }
        first = end;
    }
    CUDA_TRY(cudaDeviceSynchronize());
    return NULL;
}

const char *device_memory_prepare(const struct device_copy *copies, const tma_map *maps,
                                  size_t count) {
    CUDA_TRY(
        cudaMemcpy(device_memory.copies, copies, count * sizeof(*copies), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(device_memory.maps, maps, count * sizeof(*maps), cudaMemcpyHostToDevice));
    CUDA_TRY(
        cudaMemset(device_memory.copied, 0, device_memory.room * sizeof(*device_memory.copied)));
    CUDA_TRY_KERNEL(
        fill_kernel<<<(unsigned)count, 256>>>(device_memory.copies, device_memory.global));
    return NULL;
}

const char *device_memory_fetch(size_t results) {
    CUDA_TRY(cudaMemcpy(device_memory.global_host, device_memory.global, device_memory.global_B,
                        cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaMemcpy(device_memory.windows_host, device_memory.windows, device_memory.windows_B,
                        cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaMemcpy(device_memory.copied_host, device_memory.copied,
                        results * sizeof(*device_memory.copied), cudaMemcpyDeviceToHost));
    return NULL;
}

const char *device_run_copies(const struct device_copy *copies, const tma_map *maps, size_t count) {
    const char *error = device_memory_prepare(copies, maps, count);
    error = error ? error : launch(copies, count);
    return error ? error : device_memory_fetch(count);
}
