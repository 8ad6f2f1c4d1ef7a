/* SPDX-License-Identifier: Apache-2.0
 *
 * One tensor copy on the device: any operation, rank and mode of sm_90, by any CTA of a cluster.
 */
#ifndef PROBE_COPY_CUH
#define PROBE_COPY_CUH

#include <cstdint>

#define COUNT_B     (1u << 18) /* above what one copy can move */
#define SETTLE      200000     /* cycles: long after the last byte of a load */
#define WINDOW_AT_B 1024       /* the barrier lies before the window, so that no copy reaches it */

enum Form {
    LOAD = 0,
    STORE = 1,
    ADD,
    MIN,
    MAX,
    INC,
    DEC,
    AND,
    OR,
    XOR,
    PREFETCH, /* tma_op */
    LOAD_CTA,
    LOAD_HINT,
    MULTICAST
};

struct Copy {
    int form, im2col, rank, is_load;
    int32_t c[5];
    uint16_t o[3];
    uint16_t mask;
    uint64_t policy;
    uint32_t smem, window_B;
    uint32_t expect_B; /* 0: count them */
    int dst_cta, bar_cta;
    int map_in_global;
    uint32_t map_at;
};

struct Answer {
    uint32_t tx_B, done;
    uint64_t before, after; /* the barrier's word */
};

struct __align__(128) MapRoom {
    uint8_t bytes[256];
};

#define ISSUE(text)                                                                                \
    asm volatile(text ::"r"(dst), "l"(map), "r"(bar), "h"(copy.mask), "l"(copy.policy),            \
                 "r"(copy.c[0]), "r"(copy.c[1]), "r"(copy.c[2]), "r"(copy.c[3]), "r"(copy.c[4]),   \
                 "h"(copy.o[0]), "h"(copy.o[1]), "h"(copy.o[2])                                    \
                 : "memory")

#define LOADS(N, MODE, COORDS, OFFSETS)                                                            \
    case LOAD:                                                                                     \
        ISSUE("cp.async.bulk.tensor." #N "d.shared::cluster.global." MODE                          \
              ".mbarrier::complete_tx::bytes [%0], [%1, " COORDS "], [%2]" OFFSETS ";");           \
        break;                                                                                     \
    case LOAD_CTA:                                                                                 \
        ISSUE("cp.async.bulk.tensor." #N "d.shared::cta.global." MODE                              \
              ".mbarrier::complete_tx::bytes [%0], [%1, " COORDS "], [%2]" OFFSETS ";");           \
        break;                                                                                     \
    case LOAD_HINT:                                                                                \
        ISSUE("cp.async.bulk.tensor." #N "d.shared::cluster.global." MODE                          \
              ".mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, " COORDS "], [%2]" OFFSETS  \
              ", %4;");                                                                            \
        break;                                                                                     \
    case MULTICAST:                                                                                \
        ISSUE("cp.async.bulk.tensor." #N "d.shared::cluster.global." MODE                          \
              ".mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, " COORDS                \
              "], [%2]" OFFSETS ", %3;");                                                          \
        break;                                                                                     \
    case PREFETCH:                                                                                 \
        ISSUE("cp.async.bulk.prefetch.tensor." #N "d.L2.global." MODE " [%1, " COORDS "]" OFFSETS  \
              ";");                                                                                \
        break;

#define REDUCE(N, OP, WORD, MODE, COORDS)                                                          \
    case OP:                                                                                       \
        ISSUE("cp.reduce.async.bulk.tensor." #N "d.global.shared::cta." WORD "." MODE              \
              ".bulk_group [%1, " COORDS "], [%0];");                                              \
        break;

#define STORES(N, MODE, COORDS)                                                                    \
    case STORE:                                                                                    \
        ISSUE("cp.async.bulk.tensor." #N "d.global.shared::cta." MODE ".bulk_group [%1, " COORDS   \
              "], [%0];");                                                                         \
        break;                                                                                     \
        REDUCE(N, ADD, "add", MODE, COORDS)                                                        \
        REDUCE(N, MIN, "min", MODE, COORDS)                                                        \
        REDUCE(N, MAX, "max", MODE, COORDS)                                                        \
        REDUCE(N, INC, "inc", MODE, COORDS)                                                        \
        REDUCE(N, DEC, "dec", MODE, COORDS)                                                        \
        REDUCE(N, AND, "and", MODE, COORDS)                                                        \
        REDUCE(N, OR, "or", MODE, COORDS)                                                          \
        REDUCE(N, XOR, "xor", MODE, COORDS)

#define TILE(N, COORDS)                                                                            \
    case N:                                                                                        \
        switch (copy.form) { LOADS(N, "tile", COORDS, "") STORES(N, "tile", COORDS) }              \
        break;

#define IM2COL(N, COORDS, OFFSETS)                                                                 \
    case N:                                                                                        \
        switch (copy.form) {                                                                       \
            LOADS(N, "im2col", COORDS, OFFSETS) STORES(N, "im2col_no_offs", COORDS)                \
        }                                                                                          \
        break;

#define C1 "{%5}"
#define C2 "{%5, %6}"
#define C3 "{%5, %6, %7}"
#define C4 "{%5, %6, %7, %8}"
#define C5 "{%5, %6, %7, %8, %9}"

static __device__ void issue(const Copy &copy, const void *map, uint32_t dst, uint32_t bar) {
    if (copy.im2col) {
        switch (copy.rank) {
            IM2COL(3, C3, ", {%10}")
            IM2COL(4, C4, ", {%10, %11}")
            IM2COL(5, C5, ", {%10, %11, %12}")
        }
        return;
    }
    switch (copy.rank) { TILE(1, C1) TILE(2, C2) TILE(3, C3) TILE(4, C4) TILE(5, C5) }
}

static __device__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ uint32_t in_cta(uint32_t address, uint32_t cta) {
    uint32_t out;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(out) : "r"(address), "r"(cta));
    return out;
}

static __device__ uint32_t cluster_rank() {
    uint32_t out;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(out));
    return out;
}

static __device__ void cluster_sync() {
    asm volatile(
        "barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::
            : "memory");
}

static __device__ uint64_t barrier_word(uint32_t bar) {
    uint64_t out;
    asm volatile("ld.volatile.shared.b64 %0, [%1];" : "=l"(out) : "r"(bar) : "memory");
    return out;
}

static __device__ void barrier_init(uint32_t bar) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
                 "fence.mbarrier_init.release.cluster;" ::"r"(bar)
                 : "memory");
}

static __device__ void barrier_arrive_expect(uint32_t bar, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes)
                 : "memory");
}

static __device__ void barrier_expect(uint32_t bar, uint32_t bytes) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(bytes)
                 : "memory");
}

static __device__ void barrier_complete(uint32_t bar, uint32_t bytes) {
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(bytes)
                 : "memory");
}

static __device__ uint32_t barrier_done(uint32_t bar) {
    uint32_t done;
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(done)
                 : "r"(bar)
                 : "memory");
    return done;
}

static __device__ void wait_cycles(long long cycles) {
    const long long from = clock64();
    while (clock64() - from < cycles) {
    }
}

/* The bytes that a load counted on a barrier that expected nothing: expects more than it can be,
 * then completes what is missing, bit by bit, until the phase ends. */
static __device__ uint32_t count_bytes(uint32_t bar) {
    barrier_arrive_expect(bar, COUNT_B);
    for (uint32_t step = 16; step; step = step == 16 ? 1 : 0) {
        uint32_t completed = 0;
        for (; completed <= COUNT_B; completed += step) {
            if (barrier_done(bar)) {
                return COUNT_B - completed;
            }
            barrier_complete(bar, step);
        }
        barrier_expect(bar, completed); /* jumped over the end: again, byte by byte */
    }
    return UINT32_MAX;
}

/* The map's last write came from the host or another kernel, by way of the generic proxy. */
static __device__ void acquire_map(const uint8_t *room) {
    asm volatile("fence.proxy.tensormap::generic.acquire.sys [%0], 128;" ::"l"(room) : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.sys [%0], 128;" ::"l"(room + 128)
                 : "memory");
}

static __device__ Answer run_copy(const Copy &copy, const MapRoom *in_param,
                                  const uint8_t *in_global, uint32_t bar, uint32_t window) {
    Answer answer = {0, 1, barrier_word(bar), 0};
    if (copy.is_load && copy.expect_B) {
        barrier_arrive_expect(bar, copy.expect_B);
    }
    if (cluster_rank() == 0) {
        const uint8_t *map = (copy.map_in_global ? in_global : in_param->bytes) + copy.map_at;
        const uint32_t dst = window + copy.smem;
        if (copy.map_in_global) {
            acquire_map(in_global);
        }
        issue(copy, map, copy.dst_cta ? in_cta(dst, copy.dst_cta) : dst,
              copy.bar_cta ? in_cta(bar, copy.bar_cta) : bar);
    }
    if (!copy.is_load) {
        asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
        return answer;
    }
    wait_cycles(SETTLE);
    answer.after = barrier_word(bar);
    answer.tx_B = copy.expect_B ? 0 : count_bytes(bar);
    answer.done = copy.expect_B ? barrier_done(bar) : 1;
    return answer;
}

__global__ void copy_kernel(const __grid_constant__ MapRoom in_param, Copy copy,
                            const uint8_t *in_global, const uint64_t *before, uint8_t *after,
                            Answer *answers) {
    extern __shared__ __align__(1024) uint8_t shared[];
    uint64_t *window = (uint64_t *)(shared + WINDOW_AT_B);
    const uint32_t bar = shared_address(shared);
    for (uint32_t i = threadIdx.x; i < copy.window_B / 8; i += blockDim.x) {
        window[i] = before[i];
    }
    if (threadIdx.x == 0) {
        barrier_init(bar);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    cluster_sync();
    if (threadIdx.x == 0) {
        answers[cluster_rank()] = run_copy(copy, &in_param, in_global, bar, shared_address(window));
    }
    __syncthreads();
    cluster_sync();
    for (uint32_t i = threadIdx.x; i < copy.window_B / 8; i += blockDim.x) {
        ((uint64_t *)(after + (size_t)cluster_rank() * copy.window_B))[i] = window[i];
    }
}

#endif
