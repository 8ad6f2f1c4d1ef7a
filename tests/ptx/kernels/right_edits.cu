// SPDX-License-Identifier: Apache-2.0
//
// Right kernels: stores, maps that are edited, pipelines.
#include "copies.h"

// stores
extern "C" __global__ void ok_store(const __grid_constant__ Map m, const float *s, int n) {
    __shared__ alignas(1024) float t[2][64 * 32];
    for (int k = 0; k < n; k++) {
        if (threadIdx.x == 0)
            waitr<1>();
        __syncthreads();
        for (int i = threadIdx.x; i < 64 * 32; i += blockDim.x)
            t[k & 1][i] = s[i] * k;
        fpa();
        __syncthreads();
        if (threadIdx.x == 0) {
            store2(&m, t[k & 1], 0, 64 * k);
            commit();
        }
    }
    if (threadIdx.x == 0)
        waitr<0>();
}
// edits in shared, cp_fenceproxy, used by this kernel behind acquire
extern "C" __global__ void ok_edit(const __grid_constant__ Map m, Map *g, const float **ptr,
                                   float *o, int n) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(128) Map sm;
    __shared__ alignas(8) u64 b;
    Map *mine = g + blockIdx.x;
    if (threadIdx.x < 16)
        sm.o[threadIdx.x] = m.o[threadIdx.x];
    if (threadIdx.x == 0) {
        binit(&b, 1);
        fence_init();
    }
    __syncthreads();
    for (int i = 0; i < n; i++) {
        if (threadIdx.x < 32) {
            if (threadIdx.x == 0)
                repl_addr_s(&sm, ptr[i]);
            __syncwarp();
            cpfence(mine, &sm);
            acq(mine);
            if (threadIdx.x == 0) {
                expect(&b, 8192);
                load2(t, mine, &b, 0, 0);
            }
        }
        wait(&b, i & 1);
        o[i] = t[threadIdx.x];
        __syncthreads();
    }
}
// two maps, edited one after the other, each fenced
extern "C" __global__ void ok_edit2(Map *g, const float *p, const float *q, float *o) {
    __shared__ alignas(1024) float t[2][64 * 32];
    __shared__ alignas(8) u64 b;
    if (threadIdx.x == 0) {
        binit(&b, 1);
        fence_init();
        repl_addr(g, p);
        repl_addr(g + 1, q);
        rel();
        acq(g);
        acq(g + 1);
        expect(&b, 16384);
        load2(t[0], g, &b, 0, 0);
        load2(t[1], g + 1, &b, 0, 0);
    }
    __syncthreads();
    wait(&b, 0);
    o[threadIdx.x] = t[0][threadIdx.x] + t[1][threadIdx.x];
}
// editor kernel
extern "C" __global__ void ok_editor(Map *g, const float **p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        repl_addr(g + i, p[i]);
    }
    rel();
}
// editor: early return before release where nothing was edited
extern "C" __global__ void ok_editor2(Map *g, const float **p, int n) {
    int i = threadIdx.x;
    if (i >= n)
        return;
    repl_addr(g + i, p[i]);
    rel();
}
// noinline edit and noinline publish
__device__ __noinline__ void ed(Map *g, const float *p) {
    repl_addr(g, p);
}
__device__ __noinline__ void pub() {
    rel();
}
extern "C" __global__ void ok_edit_fn(Map *g, const float *p) {
    ed(g, p);
    pub();
}
__device__ __noinline__ Map *pick(Map *g, int i) {
    return g + i;
}
extern "C" __global__ void ok_pick(Map *g, const float *p, float *o, int i, int j) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    Map *x = pick(g, i), *y = pick(g, j);
    if (threadIdx.x == 0) {
        binit(&b, 1);
        fence_init();
        repl_addr(x, p);
        rel();
        expect(&b, 8192);
        load2(t, y, &b, 0, 0);
    }
    __syncthreads();
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}
// double buffer of maps in a loop: edit the next while using this one
extern "C" __global__ void ok_double(Map *g, const float **p, float *o, int n) {
    TILE_WITH_BARRIER;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
            acq(g + i);
            expect(&b, 8192);
            load2(t, g + i, &b, 0, 0);
            repl_addr(g + i + 1, p[i + 1]);
            rel();
        }
        wait(&b, i & 1);
        o[i] = t[threadIdx.x];
        __syncthreads();
    }
}
// swapped pointers
extern "C" __global__ void ok_swap(Map *g, Map *h, const float **p, float *o, int n) {
    TILE_WITH_BARRIER;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
            acq(g);
            expect(&b, 8192);
            load2(t, g, &b, 0, 0);
            repl_addr(h, p[i + 1]);
            rel();
        }
        wait(&b, i & 1);
        o[i] = t[threadIdx.x];
        __syncthreads();
        Map *x = g;
        g = h;
        h = x;
    }
}
// unrolled ring of 4 with constant phases, n multiple of 4
extern "C" __global__ void ok_unrolled(const __grid_constant__ Map m, float *o, int n) {
    __shared__ alignas(1024) float t[4][64 * 32];
    __shared__ alignas(8) u64 b[4];
    if (threadIdx.x == 0) {
        for (int i = 0; i < 4; i++)
            binit(b + i, 1);
        fence_init();
    }
    __syncthreads();
    float a = 0;
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (threadIdx.x == 0) {
                expect(b + i, 8192);
                load2(t[i], &m, b + i, 0, 64 * (4 * k + i));
            }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            wait(b + i, k & 1);
            a += t[i][threadIdx.x];
        }
        __syncthreads();
    }
    o[threadIdx.x] = a;
}
// fully unrolled: constant trip count, phases are numbers
extern "C" __global__ void ok_full(const __grid_constant__ Map m, float *o) {
    TILE_WITH_BARRIER;
#pragma unroll
    for (int k = 0; k < 6; k++) {
        if (threadIdx.x == 0) {
            expect(&b, 8192);
            load2(t, &m, &b, 4 * k, 64 * k);
        }
        wait(&b, k & 1);
        o[k * 128 + threadIdx.x] = t[threadIdx.x];
        __syncthreads();
    }
}
// dynamic shared memory, aligned by hand
extern __shared__ char dyn[];
extern "C" __global__ void ok_dyn(const __grid_constant__ Map m, const __grid_constant__ Map m2,
                                  float *o, int n) {
    char *base = (char *)(((unsigned long long)dyn + 1023) & ~1023ull);
    float *t = (float *)base;
    float *u = (float *)(base + 8192);
    u64 *b = (u64 *)(base + 16384);
    if (threadIdx.x == 0) {
        binit(b, 1);
        binit(b + 1, 1);
        fence_init();
    }
    __syncthreads();
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
            expect(b, 8192);
            load2(t, &m, b, 0, 64 * i);
            expect(b + 1, 8192);
            load2(u, &m2, b + 1, 0, 64 * i);
        }
        wait(b, i & 1);
        wait(b + 1, i & 1);
        o[i] = t[threadIdx.x] + u[threadIdx.x];
        __syncthreads();
    }
}
extern "C" __global__ void ok_elect(const __grid_constant__ Map m, float *o) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    int w = threadIdx.x / 32;
    if (w == 0 && elect()) {
        binit(&b, 1);
        fence_init();
    }
    __syncthreads();
    if (w == 1 && elect()) {
        expect(&b, 8192);
        load2(t, &m, &b, 0, 0);
    }
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}
// warp specialised with roles by lambda, two barriers of different count, named barriers
extern "C" __global__ void ok_roles(const __grid_constant__ Map a, const __grid_constant__ Map c,
                                    int n) {
    __shared__ alignas(1024) float t[2][64 * 32];
    __shared__ alignas(1024) float u[64 * 32];
    __shared__ alignas(8) u64 full[2], empty[2];
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; i++) {
            binit(full + i, 1);
            binit(empty + i, 1);
        }
        fence_init();
    }
    __syncthreads();
    if (threadIdx.x >= 128) {
        if (threadIdx.x == 128)
            for (int i = 0; i < n; i++) {
                int s = i % 2;
                wait(empty + s, ((i / 2) & 1) ^ 1);
                expect(full + s, 8192);
                load2(t[s], &a, full + s, 0, 64 * i);
            }
        return;
    }
    for (int i = 0; i < n; i++) {
        int s = i % 2;
        wait(full + s, (i / 2) & 1);
        if (threadIdx.x == 0)
            waitr<0>();
        asm volatile("bar.sync 1, 128;" ::: "memory");
        for (int k = threadIdx.x; k < 2048; k += 128)
            u[k] = t[s][k] * 2;
        fpa();
        asm volatile("bar.sync 1, 128;" ::: "memory");
        if (threadIdx.x == 0) {
            arrive(empty + s);
            store2(&c, u, 0, 64 * i);
            commit();
        }
    }
    if (threadIdx.x == 0)
        waitr<0>();
}
// re-use of a barrier behind inval
extern "C" __global__ void ok_inval(const __grid_constant__ Map m, float *o) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    for (int k = 0; k < 2; k++) {
        if (threadIdx.x == 0) {
            begin_load(t, &m, &b, 1);
        }
        __syncthreads();
        wait(&b, 0);
        o[threadIdx.x] = t[threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0)
            binval(&b);
        __syncthreads();
    }
}
