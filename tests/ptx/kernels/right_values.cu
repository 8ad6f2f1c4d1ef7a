// SPDX-License-Identifier: Apache-2.0
//
// Right kernels: maps, coordinates and parities that come through calls, loops, structs and tables.
#include "copies.h"
#define OUT o[threadIdx.x] = t[threadIdx.x]
struct Maps {
    Map a;
    int n;
    Map b;
};
struct Two {
    Map m[2];
};
__device__ __noinline__ Map *pick(Map *base, int i) {
    return base + i;
}
// two calls whose maps differ: one edited, the other used
extern "C" __global__ void two_calls(Map *g, const float *p, float *o) {
    TILE_WITH_BARRIER;
    Map *x = pick(g, 0), *y = pick(g, 1);
    if (threadIdx.x == 0) {
        repl_addr(x, p);
        rel();
    }
    ONE_LOADS(t, y, 0);
    wait(&b, 0);
    OUT;
}
// loop over array of maps, struct by value
extern "C" __global__ void array_loop(const __grid_constant__ Two s, float *o) {
    TILE_WITH_BARRIER;
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < 2; i++) {
        ONE_LOADS(t, &s.m[i], 64 * i);
        wait(&b, i & 1);
        sum += t[threadIdx.x];
        __syncthreads();
    }
    o[threadIdx.x] = sum;
}
// edited map i+1 while i is used; loop over array in global memory
extern "C" __global__ void edit_next(Map *g, const float **p, float *o, int n) {
    TILE_WITH_BARRIER;
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
            repl_addr(g + n + i, p[i]);
            rel();
        }
        ONE_LOADS(t, g + i, 0);
        wait(&b, i & 1);
        sum += t[threadIdx.x];
        __syncthreads();
    }
    o[threadIdx.x] = sum;
}
// shadowed names in inline asm blocks
extern "C" __global__ void shadowed(const __grid_constant__ Map m, float *o) {
    TILE_WITH_BARRIER;
    if (threadIdx.x == 0) {
        expect(&b, 8192);
        asm volatile("{ .reg .b32 x; .reg .b32 y; mov.b32 x, 3; mov.b32 y, 8; { .reg .b32 x; "
                     "mov.b32 x, 4; add.s32 y, y, x; sub.s32 y, y, x; }\n"
                     " cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {y, x}], [%2]; }" ::"r"(s2u(t)),
                     "l"(&m), "r"(s2u(&b))
                     : "memory");
    }
    wait(&b, 0);
    OUT;
}
// map in .const, copied by host
__constant__ Map cmap[3];
extern "C" __global__ void const_maps(float *o, int which) {
    TILE_WITH_BARRIER;
    ONE_LOADS(t, &cmap[which % 3], 0);
    wait(&b, 0);
    OUT;
}
__device__ Map gmap;
extern "C" __global__ void global_map_host(float *o) {
    TILE_WITH_BARRIER;
    ONE_LOADS(t, &gmap, 0);
    wait(&b, 0);
    OUT;
}
// constants that come out right: coordinate 16 B aligned after arithmetic
template <int K> __device__ __noinline__ int four(int i) {
    return i * 4 * K;
}
extern "C" __global__ void called_coords(const __grid_constant__ Map m, float *o, int n) {
    TILE_WITH_BARRIER;
    if (threadIdx.x == 0) {
        expect(&b, 8192);
        load2(t, &m, &b, four<3>(n) + four<1>(1), n);
    }
    wait(&b, 0);
    OUT;
}
// recursion
__device__ __noinline__ int depth(int n) {
    return n <= 0 ? 0 : 4 + depth(n - 1);
}
extern "C" __global__ void recursive_coords(const __grid_constant__ Map m, float *o, int n) {
    TILE_WITH_BARRIER;
    if (threadIdx.x == 0) {
        expect(&b, 8192);
        load2(t, &m, &b, depth(n), 0);
    }
    wait(&b, 0);
    OUT;
}
// switch table, each way its own tile and map
extern "C" __global__ void switched(const __grid_constant__ Maps s, float *o, int k) {
    TILES_WITH_BARRIER([4 * 2048], 1);
    if (threadIdx.x == 0) {
        expect(&b, 8192);
        switch (k) {
        case 0:
            load2(t, &s.a, &b, 0, 64);
            break;
        case 1:
            load2(t + 2048, &s.b, &b, 4, 64);
            break;
        case 2:
            load2(t + 4096, &s.a, &b, 8, 128);
            break;
        case 3:
            load2(t + 6144, &s.b, &b, 12, 128);
            break;
        case 4:
            load2(t, &s.b, &b, 16, 128);
            break;
        case 5:
            load2(t + 2048, &s.a, &b, 20, 128);
            break;
        default:
            load2(t, &s.a, &b, 24, 0);
        }
    }
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x + 2048 * (k & 3)];
}
// function pointer decides coordinate
typedef int (*fn)(int);
__device__ int fa(int x) {
    return 4 * x;
}
__device__ int fb(int x) {
    return 8 * x;
}
extern "C" __global__ void pointed(const __grid_constant__ Map m, float *o, int k) {
    TILE_WITH_BARRIER;
    fn f = k ? fa : fb;
    if (threadIdx.x == 0) {
        expect(&b, 8192);
        load2(t, &m, &b, f(k), 0);
    }
    wait(&b, 0);
    OUT;
}
// struct of state with barriers and phases by value through noinline
struct State {
    u32 stage, phase;
};
__device__ __noinline__ State next(State s) {
    s.stage++;
    if (s.stage == 3) {
        s.stage = 0;
        s.phase ^= 1;
    }
    return s;
}
extern "C" __global__ void state_by_value(const __grid_constant__ Map m, float *o, int n) {
    __shared__ alignas(1024) float t[3][2048];
    __shared__ alignas(8) u64 full[3];
    __shared__ alignas(8) u64 empty[3];
    if (threadIdx.x == 0) {
        for (int i = 0; i < 3; i++) {
            binit(full + i, 1);
            binit(empty + i, 1);
        }
        fence_init();
    }
    __syncthreads();
    if (threadIdx.x == 32) {
        State s = {0, 1};
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            wait(empty + s.stage, s.phase);
            expect(full + s.stage, 8192);
            load2(t[s.stage], &m, full + s.stage, 0, i * 64);
            s = next(s);
        }
    } else if (threadIdx.x == 0) {
        State s = {0, 0};
        float sum = 0;
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            wait(full + s.stage, s.phase);
            sum += t[s.stage][5];
            arrive(empty + s.stage);
            s = next(s);
        }
        o[0] = sum;
    }
}
// edit in shared, copy of a param map, cp_fenceproxy, published to own slot
extern "C" __global__ void edit_param_copy(const __grid_constant__ Map m, Map *g, const float *p,
                                           float *o) {
    __shared__ alignas(128) Map s;
    TILE_WITH_BARRIER;
    if (threadIdx.x < 16)
        s.o[threadIdx.x] = m.o[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        repl_addr_s(&s, p);
    __syncthreads();
    if (threadIdx.x < 32) {
        cpfence(g + blockIdx.x, &s);
    }
    if (threadIdx.x == 0) {
        acq(g + blockIdx.x);
    }
    ONE_LOADS(t, g + blockIdx.x, 0);
    wait(&b, 0);
    OUT;
}
// unrolled with arrive of many on one barrier, counted right
extern "C" __global__ void unrolled_arrivals(const __grid_constant__ Map m, float *o) {
    TILES_WITH_BARRIER([4][2048], 4);
    FOUR_LOADS("unroll");
    wait(&b, 0);
    o[threadIdx.x] = t[3][threadIdx.x];
}
extern "C" __global__ void rolled_arrivals(const __grid_constant__ Map m, float *o) {
    TILES_WITH_BARRIER([4][2048], 4);
    FOUR_LOADS("unroll 1");
    wait(&b, 0);
    o[threadIdx.x] = t[3][threadIdx.x];
}
extern "C" __global__ void elected_warps(const __grid_constant__ Map m, float *o) {
    TILES_WITH_BARRIER([4][2048], blockDim.x / 32);
    if (threadIdx.x / 32 < 4 && elect()) {
        expect(&b, 8192);
        load2(t[threadIdx.x / 32], &m, &b, 0, threadIdx.x / 32 * 64);
    }
    wait(&b, 0);
    o[threadIdx.x] = t[0][threadIdx.x];
}
extern "C" __global__ __launch_bounds__(128) void elected_four(const __grid_constant__ Map m,
                                                               float *o) {
    TILES_WITH_BARRIER([4][2048], 4);
    if (elect()) {
        expect(&b, 8192);
        load2(t[threadIdx.x / 32], &m, &b, 0, threadIdx.x / 32 * 64);
    }
    wait(&b, 0);
    o[threadIdx.x] = t[0][threadIdx.x];
}
// a thread leaves: arrive_drop
extern "C" __global__ void dropped(const __grid_constant__ Map m, float *o) {
    TILE_WITH_BARRIER;
    __shared__ alignas(8) u64 e;
    if (threadIdx.x == 0) {
        binit(&e, 2);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        drop(&e);
    if (threadIdx.x == 1)
        arrive(&e);
    wait(&e, 0);
    __syncthreads();
    if (threadIdx.x == 1)
        arrive(&e); // 1 expected from now on
    wait(&e, 1);
    ONE_LOADS(t, &m, 0);
    wait(&b, 0);
    OUT;
}
// cluster: arrivals of 2 CTAs
extern "C" __global__ __cluster_dims__(2, 1, 1) void cluster_arrivals(const __grid_constant__ Map m,
                                                                      float *o) {
    __shared__ alignas(1024) float t[2048];
    __shared__ alignas(8) u64 b;
    __shared__ alignas(8) u64 e;
    if (threadIdx.x == 0) {
        binit(&b, 1);
        binit(&e, 2);
        fence_init();
    }
    csync();
    if (threadIdx.x == 0) {
        rarrive(&e, 0);
        rarrive(&e, 1);
        wait(&e, 0);
        expect(&b, 8192);
        load2(t, &m, &b, 0, 0);
    }
    wait(&b, 0);
    OUT;
    csync();
}
// coordinates known through min, max, selp, 64 bit arithmetic
extern "C" __global__ void clamps(const __grid_constant__ Map m, float *o, int n, long long l) {
    TILE_WITH_BARRIER;
    int x = min(max(n, 0), 4) & ~3;
    long long y = (l << 34) >> 32;
    if (threadIdx.x == 0) {
        expect(&b, 8192);
        load2(t, &m, &b, x + (int)y, (int)(l * 3));
    }
    wait(&b, 0);
    OUT;
}
// map pointer through volatile local array
extern "C" __global__ void map_pointers(const __grid_constant__ Maps s, float *o, int k) {
    TILE_WITH_BARRIER;
    const Map *p[2] = {&s.a, &s.b};
    ONE_LOADS(t, p[k & 1], 0);
    wait(&b, 0);
    OUT;
}
// class template with virtual-like dispatch and several maps
template <int D> struct Loader {
    const Map *m;
    u64 *b;
    __device__ __noinline__ void go(float *d, int x, int y) const {
        load2(d, m, b, x * D, y);
    }
};
extern "C" __global__ void templated(const __grid_constant__ Maps s, float *o, int x) {
    TILES_WITH_BARRIER([2][2048], 1);
    Loader<4> l4{&s.a, &b};
    Loader<8> l8{&s.b, &b};
    if (threadIdx.x == 0) {
        expect(&b, 16384);
        l4.go(t[0], x, 3);
        l8.go(t[1], x, 5);
    }
    wait(&b, 0);
    o[threadIdx.x] = t[0][threadIdx.x] + t[1][threadIdx.x];
}
// dynamic shared memory, base aligned by hand, offsets odd
extern __shared__ unsigned char dyn[];
extern "C" __global__ void dynamic_aligned(const __grid_constant__ Map m, float *o) {
    u32 a = (s2u(dyn) + 1023) & ~1023u;
    float *t = (float *)(dyn + (a - s2u(dyn)));
    u64 &b = *(u64 *)(dyn + (a - s2u(dyn)) + 8192);
    if (threadIdx.x == 0) {
        binit(&b, 1);
        fence_init();
    }
    __syncthreads();
    ONE_LOADS(t, &m, 0);
    wait(&b, 0);
    OUT;
}
