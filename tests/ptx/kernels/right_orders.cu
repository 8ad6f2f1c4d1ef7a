// SPDX-License-Identifier: Apache-2.0
//
// Right kernels, in whose copies threads, phases and expectations come in unusual order.
#include "copies.h"

// spin on a flag in shared memory instead of a barrier
extern "C" __global__ void ok_flagspin(const __grid_constant__ Map m, float *o) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        begin_load(t, &m, &b, 1);
        __threadfence_block();
        flag = 1;
    } else {
        while (!flag)
            ;
        __threadfence_block();
    }
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}
extern "C" __global__ void ok_gflag(const __grid_constant__ Map m, float *o, int *flag) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    if (threadIdx.x == 0) {
        begin_load(t, &m, &b, 1);
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag + blockIdx.x) : "memory");
    } else {
        int v;
        do
            asm volatile("ld.acquire.gpu.global.u32 %0,[%1];"
                         : "=r"(v)
                         : "l"(flag + blockIdx.x)
                         : "memory");
        while (!v);
    }
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}
extern "C" __global__ void __launch_bounds__(1)
    ok_onethread(const __grid_constant__ Map m, float *o, int n) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    binit(&b, 1);
    fence_init();
    for (int i = 0; i < n; i++) {
        expect(&b, 8192);
        load2(t, &m, &b, 0, 64 * i);
        wait(&b, i & 1);
        o[i] = t[i];
    }
}
extern "C" __global__ void ok_onewarp(const __grid_constant__ Map m, float *o, int n) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    if (threadIdx.x == 0) {
        binit(&b, 1);
        fence_init();
    }
    __syncwarp();
    for (int i = 0; i < n; i++) {
        ONE_LOADS(t, &m, 64 * i);
        wait(&b, i & 1);
        o[i] = t[threadIdx.x];
        __syncwarp();
    }
}
// two phases a turn
extern "C" __global__ void ok_twophases(const __grid_constant__ Map m, float *o, int n) {
    TILE_WITH_BARRIER;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
            expect(&b, 8192);
            load2(t, &m, &b, 0, 128 * i);
        }
        wait(&b, 0);
        o[2 * i] = t[threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) {
            expect(&b, 8192);
            load2(t, &m, &b, 0, 128 * i + 64);
        }
        wait(&b, 1);
        o[2 * i + 1] = t[threadIdx.x];
        __syncthreads();
    }
}
// re-initialised each turn
extern "C" __global__ void ok_reinit(const __grid_constant__ Map m, float *o, int n) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
            binit(&b, 1);
            fence_init();
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            expect(&b, 8192);
            load2(t, &m, &b, 0, 128 * i);
        }
        wait(&b, 0);
        o[2 * i] = t[threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0)
            binval(&b);
        __syncthreads();
    }
}
// half phases: count 2, an arrival a turn
extern "C" __global__ void ok_half(const __grid_constant__ Map m, float *o, int n) {
    TILES_WITH_BARRIER([2][2048], 2);
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
            expect(&b, 8192);
            load2(t[i & 1], &m, &b, 0, 64 * i);
        }
        if (i & 1) {
            wait(&b, (i >> 1) & 1);
            o[i] = t[0][threadIdx.x] + t[1][threadIdx.x];
        }
        __syncthreads();
    }
}
// chain: one thread waits for full, arrives on a second barrier that others wait for
extern "C" __global__ void ok_chain(const __grid_constant__ Map m, float *o) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b, c;
    if (threadIdx.x == 0) {
        binit(&b, 1);
        binit(&c, 1);
        fence_init();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&b, 8192);
        load2(t, &m, &b, 0, 0);
        wait(&b, 0);
        arrive(&c);
    }
    wait(&c, 0);
    o[threadIdx.x] = t[threadIdx.x];
}
// expect by one thread, copies by another, separate arrive
extern "C" __global__ void ok_split(const __grid_constant__ Map m, float *o) {
    TILES_WITH_BARRIER([2048], 2);
    if (threadIdx.x == 32) {
        expect_only(&b, 8192);
        load2(t, &m, &b, 0, 0);
        arrive(&b);
    }
    if (threadIdx.x == 64)
        arrive(&b);
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}
// expected at once for two copies in different branches
extern "C" __global__ void ok_branches(const __grid_constant__ Map m,
                                       const __grid_constant__ Map m2, float *o, int two) {
    TILES_WITH_BARRIER([2][2048], 1);
    if (threadIdx.x == 0) {
        expect(&b, two ? 16384 : 8192);
        load2(t[0], &m, &b, 0, 0);
        if (two)
            load2(t[1], &m2, &b, 0, 0);
    }
    wait(&b, 0);
    o[threadIdx.x] = t[0][threadIdx.x] + (two ? t[1][threadIdx.x] : 0);
}
// copies of a loop: expect once, four copies in a loop
extern "C" __global__ void ok_expectonce(const __grid_constant__ Map m, float *o, int k) {
    TILES_WITH_BARRIER([4][2048], 1);
    if (threadIdx.x == 0) {
        expect(&b, 8192 * 4);
#pragma unroll 1
        for (int i = 0; i < 4; i++)
            load2(t[i], &m, &b, 0, i * 64);
    }
    wait(&b, 0);
    o[threadIdx.x] = t[k][threadIdx.x];
}
// copies by four lanes
extern "C" __global__ void ok_lanes(const __grid_constant__ Map m, float *o, int k) {
    __shared__ alignas(1024) float t[4][64 * 32];
    __shared__ alignas(8) u64 b;
    if (threadIdx.x == 0) {
        binit(&b, 1);
        fence_init();
        expect(&b, 8192 * 4);
    }
    __syncthreads();
    if (threadIdx.x < 4)
        load2(t[threadIdx.x], &m, &b, 0, threadIdx.x * 64);
    wait(&b, 0);
    o[threadIdx.x] = t[k][threadIdx.x];
}
// expectation in advance in straight line, another barrier's copies between
extern "C" __global__ void ok_twobars(const __grid_constant__ Map m, const __grid_constant__ Map m2,
                                      float *o) {
    __shared__ alignas(1024) float t[3][64 * 32];
    __shared__ alignas(8) u64 b[2];
    if (threadIdx.x == 0) {
        binit(b, 1);
        binit(b + 1, 1);
        fence_init();
        expect(b, 16384);
        expect(b + 1, 8192);
        load2(t[0], &m, b, 0, 0);
        load2(t[2], &m, b + 1, 0, 0);
        load2(t[1], &m2, b, 0, 0);
    }
    __syncthreads();
    wait(b, 0);
    wait(b + 1, 0);
    o[threadIdx.x] = t[0][threadIdx.x] + t[1][threadIdx.x] + t[2][threadIdx.x];
}
// the expectation comes behind the copies, and in two parts
extern "C" __global__ void ok_late(const __grid_constant__ Map m, const __grid_constant__ Map m2,
                                   float *o) {
    __shared__ alignas(1024) float t[3][64 * 32];
    __shared__ alignas(8) u64 b[2];
    if (threadIdx.x == 0) {
        binit(b, 1);
        fence_init();
        expect_only(b, 8192);
        expect_only(b, 8192);
        load2(t[0], &m, b, 0, 0);
        load2(t[1], &m2, b, 0, 0);
        arrive(b);
    }
    __syncthreads();
    wait(b, 0);
    o[threadIdx.x] = t[0][threadIdx.x] + t[1][threadIdx.x] + t[2][threadIdx.x];
}
extern "C" __global__ void ok_late2(const __grid_constant__ Map m, const __grid_constant__ Map m2,
                                    float *o) {
    __shared__ alignas(1024) float t[3][64 * 32];
    __shared__ alignas(8) u64 b[2];
    if (threadIdx.x == 0) {
        binit(b, 1);
        fence_init();
        load2(t[0], &m, b, 0, 0);
        expect(b, 8192);
    }
    __syncthreads();
    wait(b, 0);
    o[threadIdx.x] = t[0][threadIdx.x] + t[1][threadIdx.x] + t[2][threadIdx.x];
}
// store from where the load put the bytes, no generic access
extern "C" __global__ void ok_through(const __grid_constant__ Map m, const __grid_constant__ Map c,
                                      int n) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    if (threadIdx.x == 0) {
        binit(&b, 1);
        fence_init();
        for (int i = 0; i < n; i++) {
            expect(&b, 8192);
            load2(t, &m, &b, 0, 64 * i);
            wait(&b, i & 1);
            store2(&c, t, 0, 64 * i);
            commit();
            waitr<0>();
        }
    }
}
// written by all, fenced by all, mbarrier instead of syncthreads
extern "C" __global__ void ok_storembar(const __grid_constant__ Map c, const float *s, int n) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b, e;
    if (threadIdx.x == 0) {
        binit(&b, blockDim.x);
        binit(&e, 1);
        fence_init();
    }
    __syncthreads();
    for (int i = 0; i < n; i++) {
        wait(&e, (i & 1) ^ 1);
        for (int k = threadIdx.x; k < 2048; k += blockDim.x)
            t[k] = s[k + i];
        fpa();
        arrive(&b);
        if (threadIdx.x == 0) {
            wait(&b, i & 1);
            store2(&c, t, 0, 64 * i);
            commit();
            waitr<0>();
            arrive(&e);
        }
    }
}
// the wait in a noinline function of a class, state in a struct in local memory
struct Pipe {
    u64 *b;
    int stage, phase;
    __device__ __noinline__ void wait_next() {
        wait(b + stage, phase);
        if (++stage == 2) {
            stage = 0;
            phase ^= 1;
        }
    }
};
extern "C" __global__ void ok_class(const __grid_constant__ Map m, float *o, int n) {
    __shared__ alignas(1024) float t[2][64 * 32];
    __shared__ alignas(8) u64 b[2];
    if (threadIdx.x == 0) {
        binit(b, 1);
        binit(b + 1, 1);
        fence_init();
    }
    __syncthreads();
    Pipe p{b, 0, 0};
    for (int i = 0; i < n; i++) {
        int s = p.stage;
        if (threadIdx.x == 0) {
            expect(b + s, 8192);
            load2(t[s], &m, b + s, 0, 64 * i);
        }
        p.wait_next();
        o[i] = t[s][threadIdx.x];
        __syncthreads();
    }
}
// gather of a store by several warps, each its own group
extern "C" __global__ void ok_warps(const __grid_constant__ Map c, const float *s, int n) {
    __shared__ alignas(1024) float t[4][64 * 32];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    for (int i = 0; i < n; i++) {
        if (l == 0)
            waitr<0>();
        __syncwarp();
        for (int k = l; k < 2048; k += 32)
            t[w][k] = s[k + i];
        fpa();
        __syncwarp();
        if (l == 0) {
            store2(&c, t[w], 0, 64 * i);
            commit();
        }
    }
    if (l == 0)
        waitr<0>();
}
// an epilogue: what it reads goes back to the producer before its own store is done, which the same
// threads wait for before they write again; s is below 4
extern "C" __global__ void ok_delayed_store(const __grid_constant__ Map m,
                                            const __grid_constant__ Map q, int n, int s) {
    __shared__ alignas(1024) float c[4][2048], d[2][2048];
    __shared__ alignas(8) u64 full[8];
    u64 *empty = full + 4;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 4; i++) {
            binit(&full[i], 1);
            binit(&empty[i], 128);
        }
        fence_init();
    }
    __syncthreads();
    if (threadIdx.x >= 128) {
        if (threadIdx.x == 128) {
            for (int i = 0; i < n; i++) {
                wait(&empty[(i + s) & 3], (i >> 2 & 1) ^ 1);
                expect(&full[(i + s) & 3], 8192);
                load2(c[(i + s) & 3], &m, &full[(i + s) & 3], 0, 64 * i);
            }
        }
        return;
    }
    int phase = 0;
#pragma unroll 2
    for (int i = 0; i < n; i++) {
        wait(&full[s], phase);
        const float x = c[s][threadIdx.x];
        if (threadIdx.x == 0) {
            waitr<1>();
        }
        asm volatile("bar.sync 1, 128;" ::: "memory");
        d[i & 1][threadIdx.x] = x;
        fpa();
        asm volatile("bar.sync 1, 128;" ::: "memory");
        if (threadIdx.x == 0) {
            store2(&q, d[i & 1], 0, 64 * i);
            commit();
        }
        arrive(&empty[s]);
        s = (s + 1) & 3;
        phase ^= (i & 3) == 3; // each stage once in four turns
    }
    if (threadIdx.x == 0) {
        waitr<0>();
    }
}
// one tile of one copy, read in a loop over its elements
extern "C" __global__ void __launch_bounds__(256)
    ok_one_tile(const __grid_constant__ Map m, float *o) {
    TILE_WITH_BARRIER;
    ONE_LOADS(t, &m, 0);
    wait(&b, 0);
    for (int i = threadIdx.x; i < 2048; i += 256) {
        const int row = i >> 5, column = i & 31;
        o[i] = t[row << 5 | (column & 3) | (((column >> 2) ^ (row & 7)) << 2)];
    }
}
// the barrier is made anew for each tile, by another role than the one that waits for parity 0
extern "C" __global__ void __launch_bounds__(256)
    ok_begun_anew(const __grid_constant__ Map m, float *o, int n) {
    __shared__ alignas(1024) float t[2048];
    __shared__ alignas(8) u64 b;
    if (threadIdx.x >= 128) {
        for (int i = 0; i < n; i++) {
            if (threadIdx.x == 128) {
                if (i) {
                    binval(&b);
                }
                binit(&b, 1);
                fence_init();
            }
            __syncthreads();
            if (threadIdx.x == 128) {
                expect(&b, 8192);
                load2(t, &m, &b, 0, 64 * i);
            }
            __syncthreads();
        }
    } else {
        for (int i = 0; i < n; i++) {
            __syncthreads();
            wait(&b, 0);
            o[128 * i + threadIdx.x] = t[threadIdx.x];
            __syncthreads();
        }
    }
}
