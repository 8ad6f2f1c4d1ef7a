/* SPDX-License-Identifier: Apache-2.0
 *
 * breaks CASE good|bad: a kernel with one tensor copy that breaks one rule, or keeps it. Prints
 * what CUDA answers, and for a copy that runs a hash of what it left. `breaks list`: the cases.
 * run_checked.sh and on_fault.sh run each as nvcc makes it and as tma ptxas makes it.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>
#include <tma/map.h>
#include <tma/plan.h>

#define WINDOW_B 32768
#define GLOBAL_B (1 << 20)

enum form {
    LOAD_2D,
    LOAD_1D,
    LOAD_3D,
    STORE_2D,
    ADD_2D,
    MIN_2D,
    IM2COL_LOAD,
    IM2COL_STORE,
    PREFETCH_2D,
    MULTICAST_2D
};

struct alignas(64) device_map {
    unsigned char bytes[TMA_MAP_BYTES];
};

struct operands {
    int form;
    int coord[5];
    unsigned shared; /* from the window's start */
    unsigned bytes;  /* that the barrier expects */
    unsigned mask;
};

__device__ unsigned shared_of(const void *at) {
    return (unsigned)__cvta_generic_to_shared(at);
}

__device__ unsigned barrier_done;

/* One copy of each form, each a site of its own. */
__device__ void issue(const void *map, const operands &o, unsigned at, unsigned bar) {
    const int *c = o.coord;
    switch (o.form) {
    case LOAD_2D:
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
                     "bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(at),
                     "l"(map), "r"(c[0]), "r"(c[1]), "r"(bar)
                     : "memory");
        break;
    case LOAD_1D:
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2}], [%3];" ::"r"(at),
                     "l"(map), "r"(c[0]), "r"(bar)
                     : "memory");
        break;
    case LOAD_3D:
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::"
                     "bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(at),
                     "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(bar)
                     : "memory");
        break;
    case STORE_2D:
        asm volatile(
            "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
                map),
            "r"(c[0]), "r"(c[1]), "r"(at)
            : "memory");
        break;
    case ADD_2D:
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, "
                     "{%1, %2}], [%3];" ::"l"(map),
                     "r"(c[0]), "r"(c[1]), "r"(at)
                     : "memory");
        break;
    case MIN_2D:
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.tile.bulk_group [%0, "
                     "{%1, %2}], [%3];" ::"l"(map),
                     "r"(c[0]), "r"(c[1]), "r"(at)
                     : "memory");
        break;
    case IM2COL_LOAD:
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::"
                     "bytes [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(at),
                     "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(bar), "h"((short)0),
                     "h"((short)0)
                     : "memory");
        break;
    case IM2COL_STORE:
        asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%0, "
                     "{%1, %2, %3, %4}], [%5];" ::"l"(map),
                     "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(at)
                     : "memory");
        break;
    case PREFETCH_2D:
        asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(map),
                     "r"(c[0]), "r"(c[1])
                     : "memory");
        break;
    default:
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
                     "bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(at),
                     "l"(map), "r"(c[0]), "r"(c[1]), "r"(bar), "h"((short)o.mask)
                     : "memory");
    }
}

__global__ void copy(const __grid_constant__ device_map map, const operands o, unsigned char *out) {
    extern __shared__ __align__(1024) unsigned char window[];
    __shared__ __align__(8) unsigned long long barrier;
    const unsigned at = shared_of(window) + o.shared;
    const unsigned bar = shared_of(&barrier);
    for (int i = threadIdx.x; i < WINDOW_B; i += blockDim.x) {
        window[i] = (unsigned char)(i * 7 + 3);
    }
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
                     "r"(o.bytes));
        issue(&map, o, at, bar);
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
        unsigned done = 0;
        for (int i = 0; i < 1000000 && !done; i++) {
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; "
                         "selp.u32 %0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(bar)
                         : "memory");
        }
        barrier_done = done;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < WINDOW_B; i += blockDim.x) {
        out[i] = window[i];
    }
}

struct ask {
    tma_spec spec;
    operands o;
    unsigned word, clear, set; /* of the map */
};

static ask tile() {
    ask a = {};
    a.spec.dtype = TMA_DTYPE_FLOAT16;
    a.spec.rank = 2;
    a.spec.dim_el[0] = 128;
    a.spec.dim_el[1] = 64;
    a.spec.stride_B[0] = 256;
    a.spec.box_el[0] = 64;
    a.spec.box_el[1] = 8;
    a.spec.element_stride[0] = a.spec.element_stride[1] = 1;
    return a;
}

/* Channels in slices of 32 bytes. */
static ask slices() {
    ask a = {};
    a.spec.dtype = TMA_DTYPE_FLOAT16;
    a.spec.rank = 3;
    a.spec.interleave = TMA_INTERLEAVE_32B;
    a.spec.swizzle = TMA_SWIZZLE_32B;
    for (int i = 0; i < 3; i++) {
        a.spec.dim_el[i] = 8;
        a.spec.box_el[i] = 8;
        a.spec.element_stride[i] = 1;
    }
    a.spec.stride_B[0] = 8 * 32;
    a.spec.stride_B[1] = 8 * 8 * 32;
    a.o.form = LOAD_3D;
    return a;
}

static ask pixels() {
    ask a = {};
    a.spec.api = TMA_API_IM2COL;
    a.spec.dtype = TMA_DTYPE_FLOAT16;
    a.spec.rank = 4;
    const unsigned long long dims[4] = {64, 16, 16, 4};
    for (int i = 0; i < 4; i++) {
        a.spec.dim_el[i] = dims[i];
        a.spec.element_stride[i] = 1;
        if (i < 3) {
            a.spec.stride_B[i] = (i ? a.spec.stride_B[i - 1] : 2) * dims[i];
        }
    }
    a.spec.lower_px[0] = a.spec.lower_px[1] = -1;
    a.spec.upper_px[0] = a.spec.upper_px[1] = -1;
    a.spec.channels_per_pixel = 64;
    a.spec.pixels_per_column = 32;
    a.o.form = IM2COL_LOAD;
    return a;
}

struct break_case {
    const char *name;
    ask (*base)();
    void (*both)(ask &);
    void (*bad)(ask &);
};

#define DO(...) [](ask &a) { __VA_ARGS__; }
static const break_case cases[] = {
    {"shared-align", tile, DO(), DO(a.o.shared = 64)},
    {"coord-align", tile, DO(), DO(a.o.coord[0] = 1)},
    {"coord-align-store", tile, DO(a.o.form = STORE_2D), DO(a.o.coord[0] = 4)},
    {"coord-align-prefetch", tile, DO(a.o.form = PREFETCH_2D), DO(a.o.coord[0] = 9)},
    {"coord-negative", tile, DO(a.o.form = STORE_2D), DO(a.o.coord[1] = -1)},
    {"coord-negative-add", tile, DO(a.o.form = ADD_2D), DO(a.o.coord[0] = -8)},
    {"corner-lower-store", pixels,
     DO(a.o.form = IM2COL_STORE; a.spec.lower_px[0] = a.spec.lower_px[1] = 0),
     DO(a.spec.lower_px[1] = -1)},
    {"corner-upper-store", pixels,
     DO(a.o.form = IM2COL_STORE; a.spec.lower_px[0] = a.spec.lower_px[1] = 0;
        a.spec.upper_px[0] = a.spec.upper_px[1] = 0),
     DO(a.spec.upper_px[0] = 1)},
    {"coord-below-box", pixels, DO(), DO(a.o.coord[1] = -2)},
    {"coord-above-box", pixels, DO(), DO(a.o.coord[2] = 15)},
    {"reduction-type", tile, DO(a.o.form = MIN_2D),
     DO(a.spec.dtype = TMA_DTYPE_FLOAT32; a.spec.box_el[0] = 32; a.spec.dim_el[0] = 64)},
    {"mode-map", tile, DO(), DO(a.o.form = IM2COL_LOAD)},
    {"rank-map", tile, DO(), DO(a.o.form = LOAD_1D)},
    {"map-code", tile, DO(), DO(a.word = 2; a.set = 15u << 7)},
    {"map-address-align", tile, DO(), DO(a.word = 0; a.set = 8)},
    {"dim-signed", tile, DO(), DO(a.word = 9; a.set = 0x80000001u)},
    {"row-16B", tile, DO(), DO(a.word = 13; a.clear = 0xFFu << 24; a.set = 9u << 24)},
    {"row-span", tile, DO(a.spec.swizzle = TMA_SWIZZLE_128B),
     DO(a.word = 13; a.clear = 0xFFu << 24; a.set = 127u << 24)},
    {"load-fill-integer", tile, DO(a.spec.dtype = TMA_DTYPE_UINT16),
     DO(a.word = 2; a.set = 1u << 15)},
    {"load-tf32-flag", tile, DO(), DO(a.word = 2; a.set = 1u << 16)},
    {"map-stride-align", slices, DO(), DO(a.word = 3; a.set = 1)},
    {"multicast-cluster", tile, DO(a.o.form = MULTICAST_2D; a.o.mask = 1), DO(a.o.mask = 3)},
    {"memory-shared", tile, DO(), DO(a.o.shared = 228 * 1024)},
};

static unsigned long long hash_of(const unsigned char *bytes, size_t count) {
    unsigned long long h = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < count; i++) {
        h = (h ^ bytes[i]) * 0x100000001b3ull;
    }
    return h;
}

static int run(const break_case &c, bool bad) {
    ask a = c.base();
    unsigned char *global = nullptr, *out = nullptr;
    c.both(a);
    if (bad) {
        c.bad(a);
    }
    cudaMalloc(&global, GLOBAL_B);
    cudaMalloc(&out, WINDOW_B);
    unsigned char *host = (unsigned char *)malloc(GLOBAL_B);
    for (int i = 0; i < GLOBAL_B; i++) {
        host[i] = (unsigned char)(i * 13 + (i >> 8)) & 0x3F; /* finite in every type */
    }
    cudaMemcpy(global, host, GLOBAL_B, cudaMemcpyHostToDevice);
    a.spec.address = (unsigned long long)global;
    device_map map;
    tma_target target = {};
    target.sm = 90;
    target.driver = 13000;
    if (tma_encode_forced(map.bytes, &a.spec, &target, nullptr) != TMA_OK) {
        printf("no map\n");
        return 2;
    }
    unsigned word = 0;
    memcpy(&word, map.bytes + 4 * a.word, 4);
    word = (word & ~a.clear) | a.set;
    memcpy(map.bytes + 4 * a.word, &word, 4);
    const bool loads = a.o.form == LOAD_2D || a.o.form == LOAD_1D || a.o.form == LOAD_3D ||
                       a.o.form == IM2COL_LOAD || a.o.form == MULTICAST_2D;
    tma_plan plan;
    tma_instruction in = {};
    in.mode = a.spec.api == TMA_API_TILED ? TMA_MODE_TILE : TMA_MODE_IM2COL;
    const bool runs = tma_plan_make(&plan, map.bytes, &in, &target, nullptr) == TMA_OK;
    a.o.bytes = loads && runs ? (unsigned)tma_plan_info(&plan)->tx_B : 0;
    copy<<<1, 64, WINDOW_B>>>(map, a.o, out);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("error %d %s\n", (int)error, cudaGetErrorName(error));
    if (error == cudaSuccess) {
        unsigned char *window = (unsigned char *)malloc(WINDOW_B);
        cudaMemcpy(window, out, WINDOW_B, cudaMemcpyDeviceToHost);
        cudaMemcpy(host, global, GLOBAL_B, cudaMemcpyDeviceToHost);
        unsigned done = 0;
        cudaMemcpyFromSymbol(&done, barrier_done, sizeof(done));
        printf("window %016llx global %016llx barrier %u\n", hash_of(window, WINDOW_B),
               hash_of(host, GLOBAL_B), done);
        free(window);
    }
    free(host);
    return error == cudaSuccess ? 0 : 1;
}

int main(int argc, char **argv) {
    for (const break_case &c : cases) {
        if (argc == 2 && !strcmp(argv[1], "list")) {
            printf("%s\n", c.name);
        } else if (argc == 3 && !strcmp(argv[1], c.name)) {
            return run(c, !strcmp(argv[2], "bad"));
        }
    }
    return argc == 2 ? 0 : 2;
}
