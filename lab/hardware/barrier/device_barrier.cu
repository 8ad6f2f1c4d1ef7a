/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations on mbarriers, each barrier by one thread; then the kernel stays, so that its core
 * dump shows the words.
 */
#include <string.h>
#include <unistd.h>

#include "cuda_check.h"
#include "device_barrier.h"

#define THREADS        128
#define MOST_BLOCKS    8 /* the driver takes 0.1 s a multiprocessor for its core dump */
#define SCRATCH_B      (THREADS * DEVICE_BARRIER_COPY_B)
#define LONGEST_NS     60000000000ULL /* that the kernel stays */
#define SETTLED_CLOCKS 20000          /* from a copy's last byte to its barrier's */
#define ASYNC_CLOCKS   200000         /* until a cp.async.mbarrier.arrive is there: nothing tells */
#define START_LOOKS    60000
#define LOOK_US        1000

/* What host and kernel share. */
struct signs {
    volatile uint32_t ready; /* blocks whose operations are over */
    volatile uint32_t go;    /* they may end */
};

static struct signs *signs;

#define STATE(text, ...)                                                                           \
    asm volatile(text : "=l"(state) : __VA_ARGS__ : "memory");                                     \
    return (uint32_t)(state >> 32)

static __device__ uint32_t arrive(uint32_t operation, uint32_t bar, uint32_t n, uint32_t bytes) {
    uint64_t state = 0;
    switch (operation) {
    case TMA_BARRIER_ARRIVE:
        STATE("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;", "r"(bar), "r"(n));
    case TMA_BARRIER_ARRIVE_NO_COMPLETE:
        STATE("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], %2;", "r"(bar), "r"(n));
    case TMA_BARRIER_ARRIVE_DROP:
        STATE("mbarrier.arrive_drop.shared::cta.b64 %0, [%1], %2;", "r"(bar), "r"(n));
    case TMA_BARRIER_ARRIVE_DROP_NO_COMPLETE:
        STATE("mbarrier.arrive_drop.noComplete.shared::cta.b64 %0, [%1], %2;", "r"(bar), "r"(n));
    case TMA_BARRIER_ARRIVE_EXPECT:
        STATE("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;", "r"(bar), "r"(bytes));
    case TMA_BARRIER_ARRIVE_DROP_EXPECT:
        STATE("mbarrier.arrive_drop.expect_tx.shared::cta.b64 %0, [%1], %2;", "r"(bar), "r"(bytes));
    default:
        return 0;
    }
}

static __device__ void settle(long long clocks) {
    const long long start = clock64(); /* __nanosleep() may return at once */
    while (clock64() - start < clocks) {
    }
}

/* Waits until the copy's last byte is there, and a while more. */
static __device__ void copy(uint32_t bar, uint32_t scratch, const void *from, uint32_t bytes) {
    const uint32_t last = scratch + bytes - 4;
    uint32_t there = 0;
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(last), "r"(0) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(scratch),
                 "l"(from), "r"(bytes), "r"(bar)
                 : "memory");
    for (uint32_t i = 0; !there && i < 1000; i++) {
        asm volatile("ld.volatile.shared.b32 %0, [%1];" : "=r"(there) : "r"(last) : "memory");
        settle(SETTLED_CLOCKS);
    }
    settle(SETTLED_CLOCKS);
}

static __device__ void other(const struct device_barrier_step *s, bool first, uint32_t bar,
                             uint32_t scratch, const void *from) {
    switch (s->operation) {
    case TMA_BARRIER_EXPECT:
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar),
                     "r"(s->bytes_B)
                     : "memory");
        return;
    case TMA_BARRIER_COMPLETE:
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar),
                     "r"(s->bytes_B)
                     : "memory");
        return;
    case DEVICE_BARRIER_INIT:
        if (!first) {
            asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
        }
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(s->count)
                     : "memory");
        return;
    case DEVICE_BARRIER_COPY:
        copy(bar, scratch, from, s->bytes_B);
        return;
    case DEVICE_BARRIER_ASYNC_NOINC:
        asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
        settle(ASYNC_CLOCKS);
        return;
    default:
        return;
    }
}

static __device__ void look(struct device_barrier_seen *seen, uint32_t bar) {
    asm volatile("ld.volatile.shared.b64 %0, [%1];" : "=l"(seen->loaded) : "r"(bar) : "memory");
    seen->done = barrier_completed(bar, 0) | barrier_completed(bar, 1) << 1;
}

static __global__ void __launch_bounds__(THREADS)
    barriers(const struct device_barrier_step *steps, const uint64_t *firsts, uint64_t count,
             uint32_t a_block, const void *from, struct device_barrier_seen *seen,
             struct signs *signs) {
    extern __shared__ __align__(128) uint64_t memory[];
    const uint64_t begin = (uint64_t)blockIdx.x * a_block;
    const uint32_t base = shared_address(memory);
    const uint32_t scratch = base + DEVICE_BARRIER_AT_B + ((a_block * 8 + 15) & ~15u) +
                             threadIdx.x * DEVICE_BARRIER_COPY_B;
    uint64_t now, start;
    if (threadIdx.x == 0) {
        memory[0] = DEVICE_BARRIER_MAGIC + blockIdx.x;
        memory[1] = a_block;
    }
    for (uint64_t b = begin + threadIdx.x; b < count && b < begin + a_block; b += THREADS) {
        const uint32_t bar = base + DEVICE_BARRIER_AT_B + (uint32_t)(b - begin) * 8;
        for (uint64_t i = firsts[b]; i < firsts[b + 1]; i++) {
            const struct device_barrier_step s = steps[i];
            struct device_barrier_seen now_seen = {0, 0, 0};
            if (s.operation <= TMA_BARRIER_ARRIVE_DROP_EXPECT) {
                now_seen.before = arrive(s.operation, bar, s.count, s.bytes_B);
            } else {
                other(&s, i == firsts[b], bar, scratch, from);
            }
            look(&now_seen, bar);
            seen[i] = now_seen;
        }
    }
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd_system((uint32_t *)&signs->ready, 1u);
    }
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    now = start;
    while (!signs->go && now - start < LONGEST_NS) {
        __nanosleep(1000000);
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    }
}

static_assert(TMA_BARRIER_ARRIVE_DROP_EXPECT + 1 == TMA_BARRIER_EXPECT, "arrivals come first");

static const char *wait_until_ready(uint32_t blocks) {
    for (int i = 0; i < START_LOOKS && signs->ready < blocks; i++) {
        const cudaError_t error = cudaStreamQuery(0);
        if (error != cudaErrorNotReady) {
            return error == cudaSuccess && signs->ready == blocks ? NULL : cudaGetErrorName(error);
        }
        usleep(LOOK_US);
    }
    return signs->ready < blocks ? "a kernel that does not come to its end" : NULL;
}

/* Room that lives as long as the process: a kernel was left in it. */
const char *device_barriers(const struct device_barrier_step *steps, const uint64_t *firsts,
                            size_t count, int stays, struct device_barrier_seen *seen) {
    struct device_barrier_step *device_steps;
    struct device_barrier_seen *shared_seen;
    uint64_t *device_firsts;
    void *from;
    const size_t step_count = firsts[count];
    const uint32_t a_block = (uint32_t)((count + MOST_BLOCKS - 1) / MOST_BLOCKS);
    if (a_block > DEVICE_BARRIERS_A_BLOCK) {
        return "more barriers than fit";
    }
    const uint32_t blocks = (uint32_t)((count + a_block - 1) / a_block);
    const int shared_B = (int)(DEVICE_BARRIER_AT_B + ((a_block * 8 + 15) & ~15u) + SCRATCH_B);
    CUDA_TRY(cudaHostAlloc((void **)&signs, sizeof(*signs), cudaHostAllocMapped));
    CUDA_TRY(cudaHostAlloc((void **)&shared_seen, step_count * sizeof(*seen), cudaHostAllocMapped));
    CUDA_TRY(cudaMalloc((void **)&device_steps, step_count * sizeof(*steps)));
    CUDA_TRY(cudaMalloc((void **)&device_firsts, (count + 1) * sizeof(*firsts)));
    CUDA_TRY(cudaMalloc(&from, DEVICE_BARRIER_COPY_B));
    CUDA_TRY(cudaMemset(from, 0x5A, DEVICE_BARRIER_COPY_B));
    CUDA_TRY(cudaMemcpy(device_steps, steps, step_count * sizeof(*steps), cudaMemcpyHostToDevice));
    CUDA_TRY(
        cudaMemcpy(device_firsts, firsts, (count + 1) * sizeof(*firsts), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaFuncSetAttribute(barriers, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_B));
    signs->ready = 0;
    signs->go = !stays;
    memset(shared_seen, 0, step_count * sizeof(*seen));
    barriers<<<blocks, THREADS, shared_B>>>(device_steps, device_firsts, count, a_block, from,
                                            shared_seen, signs);
    CUDA_TRY(cudaGetLastError());
    const char *error = wait_until_ready(blocks);
    memcpy(seen, shared_seen, step_count * sizeof(*seen));
    return error ? error : stays ? NULL : device_barriers_end();
}

const char *device_barriers_end(void) {
    CUDA_TRY(cudaDeviceSynchronize());
    return NULL;
}
