/* SPDX-License-Identifier: Apache-2.0
 *
 * Random bulk copies without a map, beside tma_copy_bulk(): `bulk_values COUNT SEED`. A cluster of
 * two CTAs makes each: CTA 0 has the shared memory of the copy, CTA 1 the destination of those
 * between CTAs. Prints how many of each operation were made and how many bytes differ; exit status
 * 1 if some do.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>
#include <tma/copy.h>
#include <tma/element.h>
#include <tma/pattern.h>

#define SHARED_B 2048
#define GLOBAL_B 2048
#define BATCH    10000

struct what {
    const char *name;
    uint32_t op, dtype, to_shared;
};

#define TO_GLOBAL(each)                                                                            \
    each("add.u32", ADD, UINT32) each("add.s32", ADD, INT32) each("add.u64", ADD, UINT64)          \
        each("add.noftz.f16", ADD, FLOAT16) each("add.noftz.bf16", ADD, BFLOAT16) each(            \
            "add.f32", ADD, FLOAT32) each("add.f64", ADD, FLOAT64) each("min.u32", MIN, UINT32)    \
            each("min.s32", MIN, INT32) each("min.u64", MIN, UINT64) each("min.s64", MIN, INT64)   \
                each("min.f16", MIN, FLOAT16) each("min.bf16", MIN, BFLOAT16)                      \
                    each("max.u32", MAX, UINT32) each("max.s32", MAX, INT32)                       \
                        each("max.u64", MAX, UINT64) each("max.s64", MAX, INT64)                   \
                            each("max.f16", MAX, FLOAT16) each("max.bf16", MAX, BFLOAT16)          \
                                each("inc.u32", INC, UINT32) each("dec.u32", DEC, UINT32)          \
                                    each("and.b32", AND, UINT32) each("or.b32", OR, UINT32)        \
                                        each("xor.b32", XOR, UINT32) each("and.b64", AND, UINT64)  \
                                            each("or.b64", OR, UINT64)                             \
                                                each("xor.b64", XOR, UINT64)
#define TO_SHARED(each)                                                                            \
    each("add.u32", ADD, UINT32) each("add.s32", ADD, INT32) each("add.u64", ADD, UINT64)          \
        each("min.u32", MIN, UINT32) each("min.s32", MIN, INT32) each("max.u32", MAX, UINT32)      \
            each("max.s32", MAX, INT32) each("inc.u32", INC, UINT32) each("dec.u32", DEC, UINT32)  \
                each("and.b32", AND, UINT32) each("or.b32", OR, UINT32)                            \
                    each("xor.b32", XOR, UINT32)

static const what WHATS[] = {{"load", TMA_OP_LOAD, 0, 0},
                             {"store", TMA_OP_STORE, 0, 0},
                             {"store to a CTA", TMA_OP_STORE, 0, 1},
#define ROW(name, op, dtype) {name, TMA_OP_##op, TMA_DTYPE_##dtype, 0},
                             TO_GLOBAL(ROW)
#undef ROW
#define ROW(name, op, dtype) {name " to a CTA", TMA_OP_##op, TMA_DTYPE_##dtype, 1},
                                 TO_SHARED(ROW)
#undef ROW
};
#define KINDS (sizeof(WHATS) / sizeof(WHATS[0]))

struct one {
    uint32_t kind, shared_at, far_at, size_B;
};

__device__ uint32_t address_of(const void *shared) {
    return (uint32_t)__cvta_generic_to_shared(shared);
}

__device__ void copy(const one &c, uint32_t near, uint32_t peer, uint8_t *global, uint32_t bar,
                     uint32_t peer_bar) {
    uint32_t kind = 3;
    if (c.kind == 0) {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                     "[%1], %2, [%3];" ::"r"(near),
                     "l"(global), "r"(c.size_B), "r"(bar)
                     : "memory");
    } else if (c.kind == 1) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
                     "r"(near), "r"(c.size_B)
                     : "memory");
    } else if (c.kind == 2) {
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], "
                     "[%1], %2, [%3];" ::"r"(peer),
                     "r"(near), "r"(c.size_B), "r"(peer_bar)
                     : "memory");
    }
#define ROW(name, op, dtype)                                                                       \
    if (c.kind == kind++)                                                                          \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." name                    \
                     " [%0], [%1], %2;" ::"l"(global),                                             \
                     "r"(near), "r"(c.size_B)                                                      \
                     : "memory");
    TO_GLOBAL(ROW)
#undef ROW
#define ROW(name, op, dtype)                                                                       \
    if (c.kind == kind++)                                                                          \
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx"      \
                     "::bytes." name " [%0], [%1], %2, [%3];" ::"r"(peer),                         \
                     "r"(near), "r"(c.size_B), "r"(peer_bar)                                       \
                     : "memory");
    TO_SHARED(ROW)
#undef ROW
}

__global__ void __cluster_dims__(2) __launch_bounds__(64)
    run(const one *cases, uint8_t *shared_images, uint8_t *global_images) {
    __shared__ __align__(128) uint8_t s[SHARED_B];
    __shared__ __align__(8) uint64_t barrier;
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    const one c = cases[blockIdx.x / 2];
    uint8_t *image = shared_images + (size_t)blockIdx.x * SHARED_B;
    uint8_t *global = global_images + (size_t)(blockIdx.x / 2) * GLOBAL_B;
    const uint32_t bar = address_of(&barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    for (uint32_t i = threadIdx.x; i < SHARED_B; i += blockDim.x) {
        s[i] = image[i];
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    const uint32_t near = address_of(s) + c.shared_at;
    uint32_t peer, peer_bar;
    asm("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(peer) : "r"(address_of(s) + c.far_at));
    asm("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(peer_bar) : "r"(bar));
    const bool to_peer = c.kind == 2 || c.kind >= 3 + 27;
    if (rank == 0 && threadIdx.x == 0) {
        copy(c, near, peer, global + c.far_at, bar, peer_bar);
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
    if (threadIdx.x == 0 && ((c.kind == 0 && rank == 0) || (to_peer && rank == 1))) {
        uint32_t done = 0;
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(c.size_B)
                     : "memory");
        while (!done) {
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 "
                         "%0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(bar)
                         : "memory");
        }
    }
    __syncthreads();
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    for (uint32_t i = threadIdx.x; i < SHARED_B; i += blockDim.x) {
        image[i] = s[i];
    }
}

static uint64_t state;
static uint64_t next() {
    const uint64_t number = tma_scramble(state);
    state += UINT64_C(0x9E3779B97F4A7C15);
    return number;
}

/* Random bytes; in some images whole numbers near each other, small floats, NaN and infinities. */
static void fill(uint8_t *bytes, size_t size_B) {
    const uint32_t form = (uint32_t)(next() % 4);
    for (size_t i = 0; i < size_B; i += 8) {
        uint64_t value = next();
        if (form == 1) { /* few exponents: sums that cancel, subnormals */
            value &= UINT64_C(0x83ff83ff80ff83ff);
        } else if (form == 2) {
            value = (value & UINT64_C(0x800f800f800f800f)) |
                    (next() % 2 ? UINT64_C(0x7c007f807ff07c00) : 0);
        } else if (form == 3) {
            value &= UINT64_C(0x800fffff807fffff);
        }
        memcpy(bytes + i, &value, 8);
    }
}

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t error_ = (call);                                                         \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_));                        \
            exit(2);                                                                               \
        }                                                                                          \
    } while (0)

static void make(one *c) {
    c->kind = (uint32_t)(next() % KINDS);
    const uint32_t units = 1 + (uint32_t)(next() % (next() % 4 ? 8 : 64));
    c->size_B = units * 16;
    c->shared_at = 16 * (uint32_t)(next() % ((SHARED_B - c->size_B) / 16 + 1));
    c->far_at = 16 * (uint32_t)(next() % ((GLOBAL_B - c->size_B) / 16 + 1));
}

/* The same by the library: bytes that differ from what the GPU left; `as`: the type, where it is
 * asked for another one. */
static unsigned differs(const one &c, const uint8_t *before[3], const uint8_t *after[3],
                        uint32_t as) {
    static uint8_t image[3][SHARED_B];
    unsigned wrong = 0;
    for (int i = 0; i < 3; i++) {
        memcpy(image[i], before[i], SHARED_B);
    }
    const what &w = WHATS[c.kind];
    tma_bulk b = {};
    b.op = w.op;
    b.dtype = as;
    b.to_shared = w.to_shared;
    b.shared_address = 0x400 + c.shared_at;
    b.address = (w.to_shared ? 0x1000400u : UINT64_C(0x7f0000000000)) + c.far_at;
    b.size_B = c.size_B;
    b.barrier = 0;
    tma_range range = {};
    range.address = UINT64_C(0x7f0000000000);
    range.size_B = GLOBAL_B;
    range.host = image[2];
    tma_global global = {};
    global.ranges = &range;
    global.count = 1;
    tma_window near = {}, to = {};
    near.address = 0x400;
    to.address = 0x1000400;
    near.size_B = to.size_B = SHARED_B;
    near.host = image[0];
    to.host = image[1];
    if (tma_copy_bulk(&b, &global, &near, &to, nullptr) != TMA_OK) {
        return SHARED_B;
    }
    for (int i = 0; i < 3; i++) {
        for (unsigned k = 0; k < SHARED_B; k++) {
            wrong += image[i][k] != after[i][k];
        }
    }
    return wrong;
}

int main(int argc, char **argv) {
    const unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 200000;
    state = argc > 2 ? strtoull(argv[2], nullptr, 0) : 1;
    std::vector<one> cases(BATCH);
    std::vector<uint8_t> shared(2 * (size_t)BATCH * SHARED_B), global((size_t)BATCH * GLOBAL_B);
    one *d_cases;
    uint8_t *d_shared, *d_global;
    unsigned made[KINDS] = {}, wrong[KINDS] = {}, as_ftz[KINDS] = {}, all = 0, bad = 0;
    CHECK(cudaMalloc(&d_cases, BATCH * sizeof(one)));
    CHECK(cudaMalloc(&d_shared, shared.size()));
    CHECK(cudaMalloc(&d_global, global.size()));
    while (all < count) {
        for (unsigned i = 0; i < BATCH; i++) {
            make(&cases[i]);
        }
        for (size_t at = 0; at < shared.size(); at += SHARED_B) {
            fill(&shared[at], SHARED_B);
        }
        for (size_t at = 0; at < global.size(); at += GLOBAL_B) {
            fill(&global[at], GLOBAL_B);
        }
        CHECK(cudaMemcpy(d_cases, cases.data(), BATCH * sizeof(one), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(d_shared, shared.data(), shared.size(), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(d_global, global.data(), global.size(), cudaMemcpyHostToDevice));
        run<<<2 * BATCH, 64>>>(d_cases, d_shared, d_global);
        CHECK(cudaDeviceSynchronize());
        std::vector<uint8_t> shared_after(shared.size()), global_after(global.size());
        CHECK(cudaMemcpy(shared_after.data(), d_shared, shared.size(), cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(global_after.data(), d_global, global.size(), cudaMemcpyDeviceToHost));
        for (unsigned i = 0; i < BATCH; i++) {
            const uint8_t *before[3] = {&shared[2 * (size_t)i * SHARED_B],
                                        &shared[(2 * (size_t)i + 1) * SHARED_B],
                                        &global[(size_t)i * GLOBAL_B]};
            const uint8_t *after[3] = {&shared_after[2 * (size_t)i * SHARED_B],
                                       &shared_after[(2 * (size_t)i + 1) * SHARED_B],
                                       &global_after[(size_t)i * GLOBAL_B]};
            const uint32_t kind = cases[i].kind, dtype = WHATS[kind].dtype;
            made[kind]++;
            wrong[kind] += differs(cases[i], before, after, dtype) != 0;
            if (dtype == TMA_DTYPE_FLOAT32) {
                as_ftz[kind] += differs(cases[i], before, after, TMA_DTYPE_FLOAT32_FTZ) != 0;
            }
        }
        all += BATCH;
    }
    for (size_t i = 0; i < KINDS; i++) {
        printf("%-24s %7u copies, %u differ", WHATS[i].name, made[i], wrong[i]);
        printf(WHATS[i].dtype == TMA_DTYPE_FLOAT32 ? "; subnormals flushed: %u\n" : "\n",
               as_ftz[i]);
        bad += wrong[i];
    }
    printf("%u copies, %u differ\n", all, bad);
    return bad != 0;
}
