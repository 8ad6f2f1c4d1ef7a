/* SPDX-License-Identifier: Apache-2.0
 *
 * What bulk copies and their barriers do outside their rules. `bulk CASE DESTINATION SOURCE SIZE
 * BARRIER STATE`: one copy by one thread,
 * or none (`expect`). CASE is a name of the list that `bulk` prints;
 * DESTINATION and SOURCE are what is added to addresses that are multiples of 128, SIZE in bytes,
 * BARRIER what is added to the address of a barrier, and STATE what the barrier is before the copy:
 * init, zeros, ones (never initialised, on bytes that are such), inval, or away: nobody but the
 * copy touches it. Prints what CUDA answers, whether the barrier completed a phase that expects the
 * size, and how many bytes of the destination hold the source's.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>
#include <tma/map.h>

#define WINDOW_B 16384
#define PLACE_B  4096 /* of the destination in the window; the source is behind the half */
#define GLOBAL_B 65536

enum what {
    LOAD,
    LOAD_CTA,
    STORE,
    ADD,
    ADD_BF16,
    PREFETCH,
    INSIDE,
    INSIDE_ADD,
    TENSOR,
    EXPECT,
    WHATS
};
static const char *const names[WHATS] = {"load",     "load_cta", "store",      "add",    "add_bf16",
                                         "prefetch", "inside",   "inside_add", "tensor", "expect"};

struct alignas(64) device_map {
    unsigned char bytes[TMA_MAP_BYTES];
};

struct operands {
    int what;
    long long destination, source, barrier;
    unsigned size;
    int state;
};

struct answer {
    int completed, same;
};

__device__ void issue(const operands &o, unsigned place, unsigned shared, unsigned bar, char *out,
                      const char *in, const device_map *map) {
    switch (o.what) {
    case LOAD:
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
            "%2, [%3];" ::"r"(place),
            "l"(in), "r"(o.size), "r"(bar)
            : "memory");
        break;
    case LOAD_CTA:
        asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], "
                     "%2, [%3];" ::"r"(place),
                     "l"(in), "r"(o.size), "r"(bar)
                     : "memory");
        break;
    case STORE:
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out),
                     "r"(shared), "r"(o.size)
                     : "memory");
        break;
    case ADD:
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(out),
            "r"(shared), "r"(o.size)
            : "memory");
        break;
    case ADD_BF16:
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%0], [%1], "
            "%2;" ::"l"(out),
            "r"(shared), "r"(o.size)
            : "memory");
        break;
    case PREFETCH:
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in), "r"(o.size)
                     : "memory");
        break;
    case INSIDE:
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], "
                     "[%1], %2, [%3];" ::"r"(place),
                     "r"(shared), "r"(o.size), "r"(bar)
                     : "memory");
        break;
    case INSIDE_ADD:
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
                     ".add.u32 [%0], [%1], %2, [%3];" ::"r"(place),
                     "r"(shared), "r"(o.size), "r"(bar)
                     : "memory");
        break;
    case TENSOR: /* 256 B, whatever the size */
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2}], [%3];" ::"r"(place),
                     "l"(map), "r"(0), "r"(bar)
                     : "memory");
        break;
    }
}

/* The phase that expects the size, for about a millisecond; `own`: which the thread then completes,
 * for there is no copy. */
__device__ int completes(unsigned bar, unsigned size, bool own) {
    int done = 0;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(size));
    if (own) {
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar),
                     "r"(size));
    }
    for (int i = 0; i < 20000 && !done; i++) {
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; "
                     "selp.s32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(bar)
                     : "memory");
    }
    return done;
}

template <bool INITS> __device__ void set_state(unsigned bar, int state) {
    const unsigned long long word = state == 2 ? ~0ull : 0;
    asm volatile("st.shared.b64 [%0], %1;" ::"r"(bar & ~7u), "l"(word) : "memory");
    if (INITS && (state == 0 || state == 3)) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar & ~7u) : "memory");
    }
    if (INITS && state == 3) {
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(bar & ~7u) : "memory");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* The window: the destination's place, at its half the source of copies out of it, at its end the
 * barrier. */
template <bool INITS>
__device__ __forceinline__ void copy_as(const operands &o, char *out, const char *in,
                                        answer *answer, const device_map *map) {
    extern __shared__ __align__(128) char window[];
    const unsigned base = (unsigned)__cvta_generic_to_shared(window);
    const unsigned bar = base + WINDOW_B - 64 + (unsigned)o.barrier;
    for (int i = 0; i < WINDOW_B - 64; i++) {
        window[i] = (char)(i < WINDOW_B / 2 ? 0 : i * 7 + 1);
    }
    const unsigned place = base + PLACE_B + (unsigned)o.destination;
    const unsigned shared = base + WINDOW_B / 2 + (unsigned)o.source;
    const bool waits = o.what == LOAD || o.what == LOAD_CTA || o.what == INSIDE ||
                       o.what == INSIDE_ADD || o.what == TENSOR || o.what == EXPECT;
    if (o.state != 4) {
        set_state<INITS>(bar, o.state);
    }
    issue(o, place, shared, bar, out + o.destination, in + o.source, map);
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    answer->completed = waits && o.state != 4 ? completes(bar, o.size, o.what == EXPECT) : 1;
    const bool outside = o.what == LOAD || o.what == LOAD_CTA || o.what == TENSOR;
    const char *from = outside ? in + o.source : window + WINDOW_B / 2 + o.source;
    const char *to = waits ? window + PLACE_B + o.destination : out + o.destination;
    answer->same = 0;
    for (unsigned i = 0; o.what != PREFETCH && o.what != EXPECT && i < o.size && i < 2048; i++) {
        answer->same += to[i] == from[i];
    }
}

__global__ void copy(operands o, char *out, const char *in, answer *answer,
                     const __grid_constant__ device_map map) {
    copy_as<true>(o, out, in, answer, &map);
}

/* No mbarrier.init: checks ask whether a barrier was initialised in such kernels alone. */
__global__ void copy_without_init(operands o, char *out, const char *in, answer *answer,
                                  const __grid_constant__ device_map map) {
    copy_as<false>(o, out, in, answer, &map);
}

int main(int argc, char **argv) {
    static const char *const states[] = {"init", "zeros", "ones", "inval", "away"};
    operands o = {-1, 0, 0, 0, 256, 0};
    for (int i = 0; i < WHATS && argc > 1; i++) {
        o.what = strcmp(argv[1], names[i]) ? o.what : i;
    }
    if (o.what < 0) {
        for (const char *name : names) {
            printf("%s\n", name);
        }
        return argc > 1 ? 2 : 0;
    }
    o.destination = argc > 2 ? atoll(argv[2]) : 0;
    o.source = argc > 3 ? atoll(argv[3]) : 0;
    o.size = argc > 4 ? (unsigned)strtoul(argv[4], nullptr, 0) : 256;
    o.barrier = argc > 5 ? atoll(argv[5]) : 0;
    for (int i = 0; i < 5 && argc > 6; i++) {
        o.state = strcmp(argv[6], states[i]) ? o.state : i;
    }
    char *out = nullptr, *in = nullptr;
    answer *said = nullptr;
    static char bytes[GLOBAL_B];
    for (int i = 0; i < GLOBAL_B; i++) {
        bytes[i] = (char)(i * 5 + 3);
    }
    cudaMalloc(&out, GLOBAL_B);
    cudaMalloc(&in, GLOBAL_B);
    cudaMallocHost(&said, sizeof(*said));
    cudaMemset(out, 0, GLOBAL_B);
    cudaMemcpy(in, bytes, GLOBAL_B, cudaMemcpyHostToDevice);
    *said = {-1, -1};
    device_map map;
    tma_spec spec = {};
    spec.api = TMA_API_TILED;
    spec.dtype = TMA_DTYPE_UINT8;
    spec.rank = 1;
    spec.address = (uint64_t)in;
    spec.dim_el[0] = GLOBAL_B;
    spec.box_el[0] = 256;
    spec.element_stride[0] = 1;
    if (tma_encode(map.bytes, &spec, nullptr) != TMA_OK) {
        return 2;
    }
    auto *kernel = o.state == 1 || o.state == 2 ? copy_without_init : copy;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, WINDOW_B);
    kernel<<<1, 1, WINDOW_B>>>(o, out, in, said, map);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s dst %lld src %lld size %u bar %lld %s: error %d %s, completed %d, same %d\n",
           names[o.what], o.destination, o.source, o.size, o.barrier, states[o.state], (int)error,
           cudaGetErrorName(error), said->completed, said->same);
    return 0;
}
