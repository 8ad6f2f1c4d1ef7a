/* SPDX-License-Identifier: Apache-2.0
 *
 * Hangs that are no pipeline: clusters, im2col, other waits, and kernels that merely run long.
 */
#define OTHERS(HANG)                                                                               \
    HANG(multicast_half) HANG(remote_wrong_rank) HANG(im2col_bytes) HANG(element_stride)           \
    HANG(async_count) HANG(named_barrier) HANG(sync_threads) HANG(cluster_barrier) HANG(spin_flag) \
    HANG(spin_lock) HANG(long_loop) HANG(two_wait_in_a_ring) HANG(uniform_wait) HANG(no_barrier_init_fence)

__shared__ __align__(8) static uint64_t bars[8];

/* CTA 0 loads for both CTAs of its cluster; CTA 1 expects a box of its own besides. */
__global__ void __cluster_dims__(2, 1, 1) multicast_half(const __grid_constant__ CUtensorMap A, int *out) {
    extern __shared__ __align__(1024) unsigned char data[];
    const uint32_t bar = shared_address(&bars[3]), rank = blockIdx.x & 1;
    if (threadIdx.x == 0) init(bar, 1);
    cluster_sync();
    if (threadIdx.x == 0) {
        arrive_expect(bar, rank ? 2 * A_BYTES : A_BYTES);
        if (rank == 0) load_2d_multicast(shared_address(data), &A, 0, 0, bar, 3);
    }
    wait(bar, 0);
    cluster_sync();
    out[threadIdx.x] = data[threadIdx.x];
}
static void start_multicast_half(const given &m) {
    cudaFuncSetAttribute(multicast_half, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    multicast_half<<<4, 64, 65536>>>(m.A, m.out);
}

/* Consumers of CTA 1 release their stage at CTA 1, not at CTA 0 which waits for it. */
__global__ void __cluster_dims__(2, 1, 1) remote_wrong_rank(int *out) {
    const uint32_t empty = shared_address(&bars[2]), rank = blockIdx.x & 1;
    if (threadIdx.x == 0) init(empty, 4);
    cluster_sync();
    if (threadIdx.x % 32 == 0 && threadIdx.x > 0) arrive_at_peer(empty, rank);
    if (rank == 0 && threadIdx.x == 0) wait(empty, 0);
    cluster_sync();
    out[threadIdx.x] = 1;
}
static void start_remote_wrong_rank(const given &m) { remote_wrong_rank<<<2, 96>>>(m.out); }

/* 100 pixels of 64 channels come, 128 are expected. */
__global__ void im2col_bytes(const __grid_constant__ CUtensorMap I, int *out) {
    extern __shared__ __align__(1024) unsigned char data[];
    const uint32_t bar = shared_address(&bars[1]);
    if (threadIdx.x == 0) init(bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        arrive_expect(bar, 128 * 64 * 2);
        load_im2col(shared_address(data), &I, 0, 0, 0, 1, bar);
    }
    wait(bar, 0);
    out[threadIdx.x] = data[threadIdx.x];
}
static void start_im2col_bytes(const given &m) {
    cudaFuncSetAttribute(im2col_bytes, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    im2col_bytes<<<3, 64, 65536>>>(m.im2col, m.out);
}

/* A box of 64 rows with an element stride of 2 brings 32. */
__global__ void element_stride(const __grid_constant__ CUtensorMap S, int *out) {
    extern __shared__ __align__(1024) unsigned char data[];
    const uint32_t bar = shared_address(&bars[5]);
    if (threadIdx.x == 0) init(bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        arrive_expect(bar, 64 * 64 * 2);
        load_2d(shared_address(data), &S, 0, 0, bar);
    }
    wait(bar, 0);
    out[threadIdx.x] = data[threadIdx.x];
}
static void start_element_stride(const given &m) {
    cudaFuncSetAttribute(element_stride, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    element_stride<<<1, 64, 65536>>>(m.strided, m.out);
}

/* cp.async by 64 threads, a barrier made for 96. */
__global__ void async_count(const unsigned char *from, int *out) {
    __shared__ __align__(16) unsigned char data[2048];
    const uint32_t bar = shared_address(&bars[4]);
    if (threadIdx.x == 0) init(bar, 96);
    __syncthreads();
    load_async(shared_address(data + 16 * threadIdx.x), from + 16 * threadIdx.x);
    async_arrive(bar);
    wait(bar, 0);
    out[threadIdx.x] = data[threadIdx.x];
}
static void start_async_count(const given &m) { async_count<<<1, 64>>>(m.tensor, m.out); }

/* 64 threads at a named barrier for 96. */
__global__ void named_barrier(int *out) {
    if (threadIdx.x == 0) { init(shared_address(&bars[0]), 1); }
    __syncthreads();
    if (threadIdx.x >= 32) PTX("barrier.cta.sync 3, 96;" ::: "memory");
    out[threadIdx.x] = 1;
}
static void start_named_barrier(const given &m) { named_barrier<<<2, 96>>>(m.out); }

/* __syncthreads that one warp does not reach, since it waits for the others at another. */
__global__ void sync_threads(int *out) {
    if (threadIdx.x < 32) PTX("barrier.cta.sync 1, 64;" ::: "memory");
    else __syncthreads();
    out[threadIdx.x] = 1;
}
static void start_sync_threads(const given &m) { sync_threads<<<1, 96>>>(m.out); }

__global__ void __cluster_dims__(2, 1, 1) cluster_barrier(volatile int *out) {
    if ((blockIdx.x & 1) && threadIdx.x == 0) while (out[100] == 0) ;
    PTX("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    out[threadIdx.x] = 1;
}
static void start_cluster_barrier(const given &m) { cluster_barrier<<<2, 64>>>(m.out); }

__global__ void spin_flag(int *out) {
    int seen;
    if (threadIdx.x == 0) do PTX("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(out + 20) : "memory"); while (!seen);
    __syncthreads();
    out[threadIdx.x] = 1;
}
static void start_spin_flag(const given &m) { spin_flag<<<2, 64>>>(m.out); }

__global__ void spin_lock(int *out) {
    if (threadIdx.x == 0) while (atomicCAS(out + 30, 0, 1)) __nanosleep(50);
    __syncthreads();
    out[threadIdx.x] = 1;
}
static void start_spin_lock(const given &m) { spin_lock<<<4, 64>>>(m.out); }

/* Runs long and ends; its barrier has done its work. */
__global__ void long_loop(const __grid_constant__ CUtensorMap B, float *out) {
    extern __shared__ __align__(1024) unsigned char data[];
    const uint32_t bar = shared_address(&bars[1]);
    if (threadIdx.x == 0) init(bar, 1);
    __syncthreads();
    float x = threadIdx.x;
    for (long i = 0; i < 40000000; i++) {
        if (threadIdx.x == 0 && i % 1000000 == 0) {
            arrive_expect(bar, B_BYTES);
            load_2d(shared_address(data), &B, 0, 0, bar);
        }
        if (i % 1000000 == 0) wait(bar, i / 1000000 & 1);
        x = x * 1.0001f + (float)data[i % 8192];
        __syncthreads();
    }
    out[threadIdx.x] = x;
}
static void start_long_loop(const given &m) {
    cudaFuncSetAttribute(long_loop, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    long_loop<<<2, 64, 65536>>>(m.B, (float *)m.out);
}

/* Two warps, each of which waits for what the other does after its wait. */
__global__ void two_wait_in_a_ring(int *out) {
    const uint32_t first = shared_address(&bars[0]), second = shared_address(&bars[6]);
    if (threadIdx.x == 0) { init(first, 1); init(second, 1); }
    __syncthreads();
    if (threadIdx.x < 32) { wait(first, 0); if (threadIdx.x == 0) arrive(second); }
    else { wait(second, 0); if (threadIdx.x == 32) arrive(first); }
    out[threadIdx.x] = 1;
}
static void start_two_wait_in_a_ring(const given &m) { two_wait_in_a_ring<<<2, 64>>>(m.out); }

/* Everything about the wait is the same for all threads, so that it goes through uniform registers. */
__global__ void uniform_wait(const __grid_constant__ CUtensorMap B, int *out, uint32_t stage) {
    extern __shared__ __align__(1024) unsigned char data[];
    const uint32_t bar = shared_address(&bars[0]) + 8 * stage;
    if (threadIdx.x == 0) { init(bar, 1); }
    __syncthreads();
    if (threadIdx.x == 0) { arrive_expect(bar, A_BYTES); load_2d(shared_address(data), &B, 0, 0, bar); }
    wait_loop(bar, stage & 4 ? 1 : 0);
    out[threadIdx.x] = data[threadIdx.x];
}
static void start_uniform_wait(const given &m) {
    cudaFuncSetAttribute(uniform_wait, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    uniform_wait<<<2, 64, 65536>>>(m.B, m.out, 3);
}

/* A barrier whose init is skipped where a guard is wrong (CTA 1); its memory holds data. */
__global__ void no_barrier_init_fence(const __grid_constant__ CUtensorMap B, int *out) {
    extern __shared__ __align__(1024) unsigned char data[];
    const uint32_t bar = shared_address(&bars[2]);
    ((volatile uint64_t *)bars)[2] = 0x1122334455667788;
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0) init(bar, 1);
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0) { arrive_expect(bar, B_BYTES); load_2d(shared_address(data), &B, 0, 0, bar); }
    wait(bar, 0);
    out[threadIdx.x] = data[threadIdx.x];
}
static void start_no_barrier_init_fence(const given &m) {
    cudaFuncSetAttribute(no_barrier_init_fence, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    no_barrier_init_fence<<<2, 64, 65536>>>(m.B, m.out);
}
