// SPDX-License-Identifier: Apache-2.0
//
// Right kernels: what is said of them is wrong.
#include "copies.h"

struct Params {
    int n;
    Map a, b;
    float *o;
    Map arr[4];
};
// struct holding maps
extern "C" __global__ void ok_struct(const __grid_constant__ Params p) {
    TILES_WITH_BARRIER([2][2048], 1);
    if (threadIdx.x == 0) {
        expect(&b, 16384);
        load2(t[0], &p.a, &b, 0, 0);
        load2(t[1], &p.b, &b, 0, 64);
    }
    wait(&b, 0);
    p.o[threadIdx.x] = t[0][threadIdx.x] + t[1][threadIdx.x];
}
// array of maps with a dynamic index
extern "C" __global__ void ok_array(const __grid_constant__ Params p, int which) {
    TILE_WITH_BARRIER;
    for (int i = 0; i < p.n; i++) {
        if (threadIdx.x == 0) {
            expect(&b, 8192);
            load2(t, &p.arr[(which + i) & 3], &b, 0, 64 * i);
        }
        wait(&b, i & 1);
        p.o[i * 128 + threadIdx.x] = t[threadIdx.x];
        __syncthreads();
    }
}
__constant__ Map cm;
__constant__ Map cms[3];
extern "C" __global__ void ok_constant(float *o, int k) {
    TILES_WITH_BARRIER([2][2048], 1);
    if (threadIdx.x == 0) {
        expect(&b, 8192 * 2);
        load2(t[0], &cm, &b, 0, 0);
        load2(t[1], &cms[k], &b, 0, 0);
    }
    wait(&b, 0);
    o[threadIdx.x] = t[0][threadIdx.x];
}
__device__ Map gm[2];
extern "C" __global__ void ok_device(float *o) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    if (threadIdx.x == 0) {
        begin_load(t, &gm[1], &b, 1);
    }
    __syncthreads();
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}
template <int STAGES, int TILE> __device__ void pipe(const Map &m, float *o, int n) {
    __shared__ alignas(1024) float t[STAGES][TILE];
    __shared__ alignas(8) u64 full[STAGES], empty[STAGES];
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            binit(full + i, 1);
            binit(empty + i, blockDim.x - 32);
        }
        fence_init();
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            int s = 0, ph = 1;
            for (int i = 0; i < n; i++) {
                wait(empty + s, ph);
                expect(full + s, TILE * 4);
                load2(t[s], &m, full + s, 0, i * 64);
                if (++s == STAGES) {
                    s = 0;
                    ph ^= 1;
                }
            }
        }
    } else {
        int s = 0, ph = 0;
        float a = 0;
        for (int i = 0; i < n; i++) {
            wait(full + s, ph);
            a += t[s][threadIdx.x];
            arrive(empty + s);
            if (++s == STAGES) {
                s = 0;
                ph ^= 1;
            }
        }
        o[threadIdx.x] = a;
    }
}
extern "C" __global__ void ok_pipe4(const __grid_constant__ Map m, float *o, int n) {
    pipe<4, 2048>(m, o, n);
}
extern "C" __global__ void ok_pipe3(const __grid_constant__ Map m, float *o, int n) {
    pipe<3, 2048>(m, o, n);
}
extern "C" __global__ void ok_pipe1(const __grid_constant__ Map m, float *o, int n) {
    pipe<1, 2048>(m, o, n);
}
// lambda
extern "C" __global__ void ok_lambda(const __grid_constant__ Map m, float *o, int n) {
    __shared__ alignas(1024) float t[2][64 * 32];
    __shared__ alignas(8) u64 b[2];
    auto go = [&](int i) {
        if (threadIdx.x == 0) {
            expect(&b[i & 1], 8192);
            load2(t[i & 1], &m, &b[i & 1], 0, 64 * i);
        }
    };
    if (threadIdx.x == 0) {
        binit(b, 1);
        binit(b + 1, 1);
        fence_init();
    }
    __syncthreads();
    go(0);
    for (int i = 0; i < n; i++) {
        if (i + 1 < n)
            go(i + 1);
        wait(&b[i & 1], (i >> 1) & 1);
        o[i * 128 + threadIdx.x] = t[i & 1][threadIdx.x];
        __syncthreads();
    }
}
// switch over copies
extern "C" __global__ void ok_switch(const __grid_constant__ Map m0, const __grid_constant__ Map m1,
                                     const __grid_constant__ Map m2, float *o, int k) {
    TILE_WITH_BARRIER;
    if (threadIdx.x == 0) {
        expect(&b, 8192);
        switch (k) {
        case 0:
            load2(t, &m0, &b, 0, 0);
            break;
        case 1:
            load2(t, &m1, &b, 4, 0);
            break;
        case 2:
            load2(t, &m2, &b, 8, 0);
            break;
        case 3:
            load2(t, &m0, &b, 12, 0);
            break;
        case 4:
            load2(t, &m1, &b, 16, 64);
            break;
        default:
            load2(t, &m2, &b, 32, 0);
        }
    }
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}
// selp of maps
extern "C" __global__ void ok_selp(const __grid_constant__ Map m0, const __grid_constant__ Map m1,
                                   float *o, int k) {
    TILE_WITH_BARRIER;
    const Map *m = k ? &m0 : &m1;
    if (threadIdx.x == 0) {
        expect(&b, 8192);
        load2(t, m, &b, k ? 4 : 8, 0);
    }
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}
__device__ __noinline__ void ldfn(void *d, const Map *m, u64 *b, int x, int y) {
    load2(d, m, b, x, y);
}
__device__ __noinline__ void waitfn(u64 *b, int p) {
    wait(b, p);
}
extern "C" __global__ void ok_noinline(const __grid_constant__ Map m, float *o, int n) {
    TILE_WITH_BARRIER;
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
            expect(&b, 8192);
            ldfn(t, &m, &b, 0, 64 * i);
        }
        waitfn(&b, i & 1);
        o[i] = t[threadIdx.x];
        __syncthreads();
    }
}
// map by value to a noinline function: makes a local copy, in the function only read (fields), not
// used in a copy
__device__ __noinline__ unsigned long long first(Map m, int i) {
    return m.o[i];
}
extern "C" __global__ void ok_byvalue(const __grid_constant__ Map m, float *o, int i,
                                      unsigned long long *q) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    if (threadIdx.x == 0) {
        begin_load(t, &m, &b, 1);
        *q = first(m, i);
    }
    __syncthreads();
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}

// one lane of each warp waits for its warp, and a shuffle brings the others behind it
extern "C" __global__ void ok_shuffle(const __grid_constant__ Map m, float *o) {
    __shared__ alignas(1024) float t[4][2048];
    __shared__ alignas(8) u64 b[4];
    const int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) {
        binit(&b[warp], 1);
        fence_init();
        expect(&b[warp], 8192);
        load2(t[warp], &m, &b[warp], 0, 64 * warp);
        wait(&b[warp], 0);
    }
    const int from = __shfl_sync(~0u, warp, 0);
    o[threadIdx.x] = t[from][threadIdx.x % 32];
}
// the CTA is one warp
extern "C" __global__ void ok_shuffle_onewarp(const __grid_constant__ Map m, float *o) {
    __shared__ alignas(1024) float t[2048];
    __shared__ alignas(8) u64 b;
    if (threadIdx.x == 0) {
        begin_load(t, &m, &b, 1);
        wait(&b, 0);
    }
    __syncwarp();
    o[threadIdx.x] = t[threadIdx.x];
}
// each of two stages is filled once, by loops that are not unrolled
__device__ __noinline__ void fill(u32 to, const Map *m, u32 bar, int x) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 8192;" ::"r"(bar) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, 0}], [%2];" ::"r"(to),
                 "l"(m), "r"(bar), "r"(x)
                 : "memory");
}
extern "C" __global__ void ok_each_once(const __grid_constant__ Map m, float *o) {
    __shared__ alignas(1024) char t[16384];
    __shared__ u64 b[2];
    if (threadIdx.x == 0) {
        binit(b, 1);
        binit(b + 1, 1);
        fence_init();
    }
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x == 0) {
            fill(s2u(t) + (i & 1) * 8192, &m, s2u(b) + 8 * (i & 1), i * 64);
        }
    }
#pragma unroll 1
    for (int i = 0; i < 2; i++) {
        wait(b + i, 0);
        o[threadIdx.x + i * 128] = ((float *)(t + i * 8192))[threadIdx.x];
    }
}
// two of three stages are filled ahead, or fewer: a bound of two parts, which -G brings together
extern "C" __global__ void ok_filled_ahead(const __grid_constant__ Map m, float *o, int n) {
    __shared__ alignas(1024) char t[3 * 8192];
    __shared__ u64 b[3];
    if (threadIdx.x == 0) {
        for (int i = 0; i < 3; i++) {
            binit(b + i, 1);
        }
        fence_init();
#pragma unroll 1
        for (int i = 0; i < 2 && i < n; i++) {
            fill(s2u(t) + i % 3 * 8192, &m, s2u(b) + 8 * (i % 3), i * 64);
        }
    }
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        wait(b + i % 3, i / 3 & 1);
        o[threadIdx.x + i * 128] = ((float *)(t + i % 3 * 8192))[threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0 && i + 2 < n) {
            fill(s2u(t) + (i + 2) % 3 * 8192, &m, s2u(b) + 8 * ((i + 2) % 3), (i + 2) * 64);
        }
    }
}
// a loop of one turn fills the one stage of each turn of another one
extern "C" __global__ void ok_filled_once_a_turn(const __grid_constant__ Map m, float *o, int n) {
    __shared__ alignas(1024) char t[8192];
    __shared__ u64 b;
    if (threadIdx.x == 0) {
        binit(&b, 1);
        fence_init();
    }
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
#pragma unroll 1
            for (int k = 0; k < 1; k++) {
                fill(s2u(t), &m, s2u(&b), i * 64);
            }
        }
        wait(&b, i & 1);
        o[threadIdx.x + i * 128] = ((float *)t)[threadIdx.x];
        __syncthreads();
    }
}
