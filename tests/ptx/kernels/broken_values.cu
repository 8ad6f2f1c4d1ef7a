// SPDX-License-Identifier: Apache-2.0
//
// Each kernel breaks the rule that it is named after, by values: maps, coordinates and counts that
// come through calls, loops and structs.
#include "copies.h"
#define OUT o[threadIdx.x] = t[threadIdx.x]
struct Maps {
    Map a;
    int n;
    Map b;
};
__device__ __noinline__ Map *pick(Map *base, int i) {
    return base + i;
}
extern "C" __global__ void ptx_fence_call(Map *g, const float *p, float *o) {
    TILE_WITH_BARRIER;
    if (threadIdx.x == 0) {
        repl_addr(pick(g, 1), p);
        rel();
    }
    ONE_LOADS(t, pick(g, 1), 0);
    wait(&b, 0);
    OUT;
}
// coordinate 0 misaligned by constant, second unknown
extern "C" __global__ void coord_align_unknown(const __grid_constant__ Map m, float *o, int n) {
    TILE_WITH_BARRIER;
    if (threadIdx.x == 0) {
        expect(&b, 8192);
        load2(t, &m, &b, 2, n);
    }
    wait(&b, 0);
    OUT;
}
// misaligned through calls
template <int K> __device__ __noinline__ int off() {
    return 4 * K + 1;
}
extern "C" __global__ void coord_align_call(const __grid_constant__ Map m, float *o, int n) {
    TILE_WITH_BARRIER;
    if (threadIdx.x == 0) {
        expect(&b, 8192);
        load2(t, &m, &b, off<2>(), n);
    }
    wait(&b, 0);
    OUT;
}
// shadowed: the inner x counts
extern "C" __global__ void coord_align_shadow(const __grid_constant__ Map m, float *o) {
    TILE_WITH_BARRIER;
    if (threadIdx.x == 0) {
        expect(&b, 8192);
        asm volatile("{ .reg .b32 x; mov.b32 x, 8; { .reg .b32 x; mov.b32 x, 3;\n"
                     " cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {x, 0}], [%2]; } }" ::"r"(s2u(t)),
                     "l"(&m), "r"(s2u(&b))
                     : "memory");
    }
    wait(&b, 0);
    OUT;
}
extern "C" __global__ void shared_align_tile(const __grid_constant__ Map m, float *o) {
    TILES_WITH_BARRIER([2048 + 32], 1);
    ONE_LOADS(t + 16, &m, 0);
    wait(&b, 0);
    OUT;
}
extern "C" __global__ void ptx_expect_tx_two(const __grid_constant__ Maps s, float *o) {
    TILES_WITH_BARRIER([2][2048], 1);
    if (threadIdx.x == 0) {
        expect(&b, 8192);
        load2(t[0], &s.a, &b, 0, 0);
        load2(t[1], &s.b, &b, 0, 0);
    }
    wait(&b, 0);
    o[threadIdx.x] = t[0][threadIdx.x] + t[1][threadIdx.x];
}
__device__ Map gmap;
extern "C" __global__ void ptx_fence_global(const float *p, float *o) {
    TILE_WITH_BARRIER;
    if (threadIdx.x == 0) {
        repl_addr(&gmap, p);
        rel();
    }
    ONE_LOADS(t, &gmap, 0);
    wait(&b, 0);
    OUT;
}
extern "C" __global__ void ptx_publish_noinline(Map *g, const float *p) {
    if (threadIdx.x == 0)
        repl_addr(pick(g, 3), p);
}
// the map edited behind the copy in a loop: next turn's copy sees it unfenced
extern "C" __global__ void ptx_fence_turn(Map *g, const float **p, float *o, int n) {
    TILE_WITH_BARRIER;
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        ONE_LOADS(t, g, 0);
        wait(&b, i & 1);
        sum += t[threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) {
            repl_addr(g, p[i]);
            rel();
        }
    }
    o[threadIdx.x] = sum;
}
extern "C" __global__ void coord_align_low(const __grid_constant__ Map m, float *o, int n) {
    TILE_WITH_BARRIER;
    if (threadIdx.x == 0) {
        expect(&b, 8192);
        load2(t, &m, &b, 8 * n + 3, 0);
    }
    wait(&b, 0);
    OUT;
}
extern "C" __global__ void arrive_missing_unrolled(const __grid_constant__ Map m, float *o) {
    TILES_WITH_BARRIER([4][2048], 5);
    FOUR_LOADS("unroll");
    wait(&b, 0);
    o[threadIdx.x] = t[3][threadIdx.x];
}
extern "C" __global__ void arrive_missing_rolled(const __grid_constant__ Map m, float *o) {
    TILES_WITH_BARRIER([4][2048], 5);
    FOUR_LOADS("unroll 1");
    wait(&b, 0);
    o[threadIdx.x] = t[3][threadIdx.x];
}
extern "C" __global__ void arrive_missing_drop(const __grid_constant__ Map m, float *o) {
    TILE_WITH_BARRIER;
    __shared__ alignas(8) u64 e;
    if (threadIdx.x == 0) {
        binit(&e, 3);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        drop(&e);
    if (threadIdx.x == 1)
        arrive(&e);
    wait(&e, 0);
    __syncthreads();
    ONE_LOADS(t, &m, 0);
    wait(&b, 0);
    OUT;
}
extern "C" __global__
__launch_bounds__(128) void arrive_missing_elect(const __grid_constant__ Map m, float *o) {
    TILES_WITH_BARRIER([4][2048], 128);
    if (elect()) {
        expect(&b, 8192);
        load2(t[threadIdx.x / 32], &m, &b, 0, threadIdx.x / 32 * 64);
    }
    wait(&b, 0);
    o[threadIdx.x] = t[0][threadIdx.x];
}
// constants of instructions that pick bits, and low bits of `and`
extern "C" __global__ void coord_align_or(const __grid_constant__ Map m, float *o, int n) {
    TILE_WITH_BARRIER;
    if (threadIdx.x == 0) {
        expect(&b, 8192);
        load2(t, &m, &b, (n & ~3) | 2, 0);
    }
    wait(&b, 0);
    OUT;
}
extern "C" __global__ void coord_align_unpack(const __grid_constant__ Map m, float *o, int n) {
    TILE_WITH_BARRIER;
    if (threadIdx.x == 0) {
        int low, high;
        asm("{ .reg .b64 w; mov.b64 w, {%2, 2}; mov.b64 {%0, %1}, w; }"
            : "=r"(low), "=r"(high)
            : "r"(n));
        expect(&b, 8192);
        load2(t, &m, &b, high, low);
    }
    wait(&b, 0);
    OUT;
}
extern "C" __global__ void coord_align_prmt(const __grid_constant__ Map m, float *o, int n) {
    TILE_WITH_BARRIER;
    if (threadIdx.x == 0) {
        int a, x;
        asm("mov.b32 %0, 0x0102;" : "=r"(a));
        asm("prmt.b32 %0, %1, 0, 0x4440;" : "=r"(x) : "r"(a));
        expect(&b, 8192);
        load2(t, &m, &b, x, n);
    }
    wait(&b, 0);
    OUT;
}
__device__ __noinline__ int halved(int x) {
    return x / 2;
}
extern "C" __global__ void coord_align_division(const __grid_constant__ Map m, float *o, int n) {
    TILE_WITH_BARRIER;
    if (threadIdx.x == 0) {
        expect(&b, 8192);
        load2(t, &m, &b, halved(-6), n);
    }
    wait(&b, 0);
    OUT;
}
