// SPDX-License-Identifier: Apache-2.0
//
// Each kernel breaks the rule that it is named after; ok_ none.
#include "copies.h"

struct Params {
    int n;
    Map a, b;
    float *o;
};
// map taken out of the struct into a local copy
extern "C" __global__ void map_local_struct(Params p) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    if (threadIdx.x == 0) {
        begin_load(t, &p.a, &b, 1);
    }
    __syncthreads();
    wait(&b, 0);
    p.o[threadIdx.x] = t[threadIdx.x];
}
__device__ __noinline__ void byval(Map m, void *d, u64 *b) {
    load2(d, &m, b, 0, 0);
}
extern "C" __global__ void map_local_byval(const __grid_constant__ Map m, float *o) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    if (threadIdx.x == 0) {
        binit(&b, 1);
        fence_init();
        expect(&b, 8192);
        byval(m, t, &b);
    }
    __syncthreads();
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}
extern "C" __global__ void map_local_shared(const __grid_constant__ Map m, float *o) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    __shared__ alignas(128) Map s;
    if (threadIdx.x < 16)
        s.o[threadIdx.x] = m.o[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        begin_load(t, &s, &b, 1);
    }
    __syncthreads();
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}
extern "C" __global__ void ptx_fence_loop(Map *g, const float **p, float *o, int n) {
    TILE_WITH_BARRIER;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
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
__device__ __noinline__ void ed(Map *g, const float *p) {
    repl_addr(g, p);
    rel();
}
__device__ __noinline__ void use(void *d, Map *g, u64 *b) {
    load2(d, g, b, 0, 0);
}
extern "C" __global__ void ptx_fence_fn(Map *g, const float *p, float *o) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    if (threadIdx.x == 0) {
        binit(&b, 1);
        fence_init();
        ed(g, p);
        expect(&b, 8192);
        use(t, g, &b);
    }
    __syncthreads();
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}
extern "C" __global__ void ptx_publish_(Map *g, const float **p, int n) {
    int i = threadIdx.x;
    if (i < n)
        repl_addr(g + i, p[i]);
}
extern "C" __global__ void coord_align_loop(const __grid_constant__ Map m, float *o) {
    TILE_WITH_BARRIER;
#pragma unroll
    for (int k = 0; k < 3; k++) {
        if (threadIdx.x == 0) {
            expect(&b, 8192);
            load2(t, &m, &b, k, 64 * k);
        }
        wait(&b, k & 1);
        o[k * 128 + threadIdx.x] = t[threadIdx.x];
        __syncthreads();
    }
}
template <int OFF> __device__ __forceinline__ void go(const Map &m, float *o) {
    __shared__ alignas(1024) unsigned char t[16384];
    __shared__ alignas(8) u64 b;
    if (threadIdx.x == 0) {
        binit(&b, 1);
        fence_init();
        expect(&b, 8192);
        load2(t + OFF, &m, &b, 0, 0);
    }
    __syncthreads();
    wait(&b, 0);
    o[threadIdx.x] = t[OFF + threadIdx.x];
}
extern "C" __global__ void shared_align_t(const __grid_constant__ Map m, float *o) {
    go<64>(m, o);
}
extern "C" __global__ void ok_sharedalign_t(const __grid_constant__ Map m, float *o) {
    go<128>(m, o);
}
extern "C" __global__ void ptx_expect_tx_two(const __grid_constant__ Map m,
                                             const __grid_constant__ Map m2, float *o, int n) {
    TILES_WITH_BARRIER([2][2048], 1);
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
            expect(&b, 8192);
            load2(t[0], &m, &b, 0, 64 * i);
            load2(t[1], &m2, &b, 0, 64 * i);
        }
        wait(&b, i & 1);
        o[i] = t[0][threadIdx.x] + t[1][threadIdx.x];
        __syncthreads();
    }
}
extern "C" __global__ void parity_constant_(const __grid_constant__ Map m, float *o, int n) {
    TILE_WITH_BARRIER;
    for (int i = 0; i < n; i++) {
        ONE_LOADS(t, &m, 64 * i);
        wait(&b, 0);
        o[i] = t[threadIdx.x];
        __syncthreads();
    }
}
extern "C" __global__ void wait_missing_(const __grid_constant__ Map m, float *o) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    if (threadIdx.x == 0) {
        begin_load(t, &m, &b, 1);
    }
    __syncthreads();
    o[threadIdx.x] = t[threadIdx.x];
}
extern "C" __global__ void arrive_missing_(const __grid_constant__ Map m, float *o, int n) {
    TILES_WITH_TWO_BARRIERS([2048], 1);
    __syncthreads();
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
            wait(&e, (i & 1) ^ 1);
            expect(&b, 8192);
            load2(t, &m, &b, 0, 64 * i);
        }
        wait(&b, i & 1);
        o[i] = t[threadIdx.x];
        __syncthreads();
    }
}

// right: a ring whose stages a lane gives back, behind its warp's reads
extern "C" __global__ void __launch_bounds__(160)
    ok_lanegivesback(const __grid_constant__ Map m, float *o, int n) {
    __shared__ alignas(1024) float t[4][2048];
    __shared__ alignas(8) u64 full[4], empty[4];
    if (threadIdx.x == 0) {
        for (int i = 0; i < 4; i++) {
            binit(&full[i], 1);
            binit(&empty[i], 4);
        }
        fence_init();
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0, phase = 0, stage = 0; k < n; k++) {
        if (threadIdx.x == 128) {
            wait(&empty[stage], phase ^ 1);
            expect(&full[stage], 8192);
            load2(t[stage], &m, &full[stage], 0, 64 * k);
        } else if (threadIdx.x < 128) {
            wait(&full[stage], phase);
            __syncwarp();
            sum += t[stage][threadIdx.x];
            __syncwarp();
            if (threadIdx.x % 32 == 0)
                arrive(&empty[stage]);
        }
        if (++stage == 4) {
            stage = 0;
            phase ^= 1;
        }
    }
    if (threadIdx.x < 128)
        o[threadIdx.x] = sum;
}

// others wait for a ring of barriers with no barrier of threads behind its initialisation; there is
// one in each turn
extern "C" __global__ void barrier_init_ring(const __grid_constant__ Map m, float *o, int n) {
    __shared__ alignas(1024) float t[2][2048];
    __shared__ alignas(8) u64 full[2];
    if (threadIdx.x == 0) {
        binit(&full[0], 1);
        binit(&full[1], 1);
        fence_init();
        expect(&full[0], 8192);
        load2(t[0], &m, &full[0], 0, 0);
    }
    for (int k = 0; k < n; k++) {
        wait(&full[k & 1], k >> 1 & 1);
        o[k * 1024 + threadIdx.x] = t[k & 1][threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0 && k + 1 < n) {
            expect(&full[(k + 1) & 1], 8192);
            load2(t[(k + 1) & 1], &m, &full[(k + 1) & 1], 0, 64 * (k + 1));
        }
    }
}
