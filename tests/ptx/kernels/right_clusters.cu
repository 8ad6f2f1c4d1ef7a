// SPDX-License-Identifier: Apache-2.0
//
// Right kernels: clusters, shared memory in structs, maps in memory.
#include "copies.h"

// each CTA loads half and multicasts, both expect all
extern "C" __global__ void __cluster_dims__(2)
    ok_mc(const __grid_constant__ Map m, float *o, int n) {
    u32 r = ctarank();
    TILES_WITH_TWO_BARRIERS([2][2048], 2);
    csync();
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
            wait(&e, (i & 1) ^ 1);
            expect(&b, 16384);
            load2mc(t[r], &m, &b, 0, 64 * (2 * i + r), 3);
        }
        wait(&b, i & 1);
        o[i] = t[0][threadIdx.x] + t[1][threadIdx.x];
        __syncthreads();
        if (threadIdx.x < 2)
            rarrive(&e, threadIdx.x);
    }
    csync();
}
// leader loads for both
extern "C" __global__ void __cluster_dims__(2) ok_leader(const __grid_constant__ Map m, float *o) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    u32 r = ctarank();
    if (threadIdx.x == 0) {
        binit(&b, 1);
        fence_init();
        expect(&b, 8192);
    }
    csync();
    if (r == 0 && threadIdx.x == 0)
        load2mc(t, &m, &b, 0, 0, 3);
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}
// remote expect: CTA 0 arms the barrier of CTA 1
extern "C" __global__ void __cluster_dims__(2)
    ok_remotearm(const __grid_constant__ Map m, float *o) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    u32 r = ctarank();
    if (threadIdx.x == 0) {
        binit(&b, 1);
        fence_init();
    }
    csync();
    if (r == 0 && threadIdx.x < 2) {
        asm volatile(
            "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(
                mapa(&b, threadIdx.x)),
            "r"(8192)
            : "memory");
    }
    if (r == 0 && threadIdx.x == 0)
        load2mc(t, &m, &b, 0, 0, 3);
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
    csync();
}
// empty barrier of the leader gets arrivals of both
extern "C" __global__ void __cluster_dims__(2)
    ok_leaderempty(const __grid_constant__ Map m, float *o, int n) {
    u32 r = ctarank();
    TILES_WITH_TWO_BARRIERS([2048], 2);
    csync();
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0)
            expect(&b, 8192);
        if (r == 0 && threadIdx.x == 0) {
            wait(&e, (i & 1) ^ 1);
            load2mc(t, &m, &b, 0, 64 * i, 3);
        }
        wait(&b, i & 1);
        o[i] = t[threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0)
            rarrive(&e, 0);
    }
    csync();
}
// the cluster's size comes with the launch, DSMEM read at the end with cluster sync
extern "C" __global__ void ok_dsmem(const __grid_constant__ Map m, float *o) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    u32 r = ctarank();
    if (threadIdx.x == 0) {
        begin_load(t, &m, &b, 1);
    }
    __syncthreads();
    wait(&b, 0);
    csync();
    float v;
    asm volatile("ld.shared::cluster.f32 %0,[%1];" : "=f"(v) : "r"(mapa(t + threadIdx.x, r ^ 1)));
    o[threadIdx.x] = v + t[threadIdx.x];
    csync();
}
// st.async to the other CTA counted on its barrier
extern "C" __global__ void __cluster_dims__(2) ok_stasync(const __grid_constant__ Map m, float *o) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(16) float u[128];
    __shared__ alignas(8) u64 b, c;
    u32 r = ctarank();
    if (threadIdx.x == 0) {
        binit(&b, 1);
        binit(&c, 1);
        fence_init();
        expect(&b, 8192);
        load2(t, &m, &b, 0, 0);
        expect(&c, 512);
    }
    csync();
    wait(&b, 0);
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(
            mapa(u + threadIdx.x, r ^ 1)),
        "f"(t[threadIdx.x]), "r"(mapa(&c, r ^ 1))
        : "memory");
    wait(&c, 0);
    o[threadIdx.x] = u[threadIdx.x];
    csync();
}
// early exit of blocks out of range, before anything
extern "C" __global__ void ok_early(const __grid_constant__ Map m, float *o, int n) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    if (blockIdx.x >= n)
        return;
    if (threadIdx.x == 0) {
        begin_load(t, &m, &b, 1);
    }
    __syncthreads();
    if (threadIdx.x >= 64)
        return;
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}
// the barrier in a struct in dynamic memory with tiles, template over count
template <int N> struct Shared {
    float t[N][2048];
    u64 full[N], empty[N];
};
extern __shared__ __align__(1024) char dyn[];
extern "C" __global__ void ok_struct_dyn(const __grid_constant__ Map a,
                                         const __grid_constant__ Map w, float *o, int n) {
    auto &s = *(Shared<4> *)dyn;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 4; i++) {
            binit(s.full + i, 1);
            binit(s.empty + i, 4);
        }
        fence_init();
    }
    __syncthreads();
    int warp = threadIdx.x / 32;
    if (warp == 4) {
        if (threadIdx.x == 128) {
            for (int i = 0; i < n; i++) {
                int k = i % 4;
                if (i >= 4)
                    wait(s.empty + k, ((i / 4) - 1) & 1);
                expect(s.full + k, 8192);
                load2(s.t[k], i & 1 ? &a : &w, s.full + k, 0, i * 64);
            }
        }
    } else {
        float v = 0;
        for (int i = 0; i < n; i++) {
            int k = i % 4;
            wait(s.full + k, (i / 4) & 1);
            v += s.t[k][threadIdx.x];
            __syncwarp();
            if (threadIdx.x % 32 == 0)
                arrive(s.empty + k);
        }
        o[threadIdx.x] = v;
    }
}
// prologue fills, main loop refills
extern "C" __global__ void ok_prologue(const __grid_constant__ Map a, float *o, int n) {
    auto &s = *(Shared<4> *)dyn;
    float v = 0;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 4; i++)
            binit(s.full + i, 1);
        fence_init();
        for (int i = 0; i < 4 && i < n; i++) {
            expect(s.full + i, 8192);
            load2(s.t[i], &a, s.full + i, 0, i * 64);
        }
    }
    __syncthreads();
    for (int i = 0; i < n; i++) {
        int k = i % 4;
        wait(s.full + k, (i / 4) & 1);
        v += s.t[k][threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0 && i + 4 < n) {
            expect(s.full + k, 8192);
            load2(s.t[k], &a, s.full + k, 0, (i + 4) * 64);
        }
    }
    o[threadIdx.x] = v;
}
// generic map pointer from memory: table of pointers
extern "C" __global__ void ok_table(const Map *const *tab, float *o, int n) {
    TILE_WITH_BARRIER;
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
            expect(&b, 8192);
            load2(t, tab[i], &b, 0, 0);
        }
        wait(&b, i & 1);
        o[i] = t[threadIdx.x];
        __syncthreads();
    }
}
// read-only use of map bytes in memory next to it: writes beside a map in global memory
struct Work {
    Map m;
    unsigned long long done[16];
};
extern "C" __global__ void ok_beside(Work *w, float *o) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    Work *x = w + blockIdx.x;
    if (threadIdx.x == 0) {
        binit(&b, 1);
        fence_init();
        x->done[0] = 1;
        expect(&b, 8192);
        load2(t, &x->m, &b, 0, 0);
    }
    __syncthreads();
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
    x->done[threadIdx.x & 15] = 2;
}
// the map is written by generic stores, published by a fence, used behind acquire
extern "C" __global__ void ok_written(const __grid_constant__ Map m, Map *g, float *o) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    if (threadIdx.x == 0) {
        binit(&b, 1);
        fence_init();
        for (int i = 0; i < 16; i++)
            g->o[i] = m.o[i];
        rel();
        acq(g);
        expect(&b, 8192);
        load2(t, g, &b, 0, 0);
    }
    __syncthreads();
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}

// one CTA a cluster, written as if there were more: its consumers arrive on CTA 0's barrier
extern "C" __global__ void ok_cluster_of_one(const __grid_constant__ Map m, float *o, int n) {
    TILES_WITH_TWO_BARRIERS([2048], blockDim.x);
    __syncthreads();
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
            wait(&e, (i & 1) ^ 1);
            expect(&b, 8192);
            load2(t, &m, &b, 0, 64 * i);
        }
        wait(&b, i & 1);
        o[i] = t[threadIdx.x];
        rarrive(&e, 0);
    }
}
// two rings: one thread fills both by one state, a group of threads reads each
extern "C" __global__ void ok_two_rings(const __grid_constant__ Map m, float *o, int n) {
    __shared__ alignas(1024) float k[3][2048], v[3][2048];
    __shared__ alignas(8) u64 bars[4][3]; // k full, k empty, v full, v empty
    if (threadIdx.x == 0) {
        for (int i = 0; i < 12; i++) {
            binit(&bars[i / 3][i % 3], i / 3 & 1 ? 128 : 1);
        }
        fence_init();
    }
    __syncthreads();
    int s = 0, phase = 0;
    float sum = 0;
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            wait(&bars[3][s], phase ^ 1);
            wait(&bars[1][s], phase ^ 1);
            expect(&bars[2][s], 8192);
            load2(v[s], &m, &bars[2][s], 0, 64 * i);
            expect(&bars[0][s], 8192);
            load2(k[s], &m, &bars[0][s], 0, 64 * i);
            s = s + 1 == 3 ? 0 : s + 1;
            phase ^= s == 0;
        }
        s = phase = 0;
    }
    if (threadIdx.x >= 256) {
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            wait(&bars[0][s], phase);
            sum += k[s][threadIdx.x % 128];
            arrive(&bars[1][s]);
            s = s + 1 == 3 ? 0 : s + 1;
            phase ^= s == 0;
        }
    } else if (threadIdx.x >= 128) {
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            wait(&bars[2][s], phase);
            sum += v[s][threadIdx.x % 128];
            arrive(&bars[3][s]);
            s = s + 1 == 3 ? 0 : s + 1;
            phase ^= s == 0;
        }
    }
    o[threadIdx.x] = sum;
}
