// SPDX-License-Identifier: Apache-2.0
//
// Barriers that are initialised for more arrivals than come; ok_ are right.
#include "copies.h"

// two arrivals are waited for, one comes
extern "C" __global__ void arrive_missing_two(const __grid_constant__ Map m, float *o) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    if (threadIdx.x == 0) {
        begin_load(t, &m, &b, 2);
    }
    __syncthreads();
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}
extern "C" __global__ void arrive_missing_loop(const __grid_constant__ Map m, float *o, int n) {
    TILES_WITH_BARRIER([2048], 2);
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        ONE_LOADS(t, &m, 64 * i);
        wait(&b, i & 1);
        o[i] = t[threadIdx.x];
        __syncthreads();
    }
}
// the stage is given back once, and waited for as if two did
extern "C" __global__ void arrive_missing_ring(const __grid_constant__ Map m, float *o, int n) {
    __shared__ alignas(1024) float t[4][64 * 32];
    __shared__ alignas(8) u64 full[4], empty[4];
    if (threadIdx.x == 0) {
        for (int i = 0; i < 4; i++) {
            binit(full + i, 1);
            binit(empty + i, 2);
        }
        fence_init();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int s = 0, ph = 1;
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            wait(empty + s, ph);
            expect(full + s, 8192);
            load2(t[s], &m, full + s, 0, i * 64);
            if (++s == 4) {
                s = 0;
                ph ^= 1;
            }
        }
    } else if (threadIdx.x == 32) {
        int s = 0, ph = 0;
        float a = 0;
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            wait(full + s, ph);
            a += t[s][threadIdx.x];
            arrive(empty + s);
            if (++s == 4) {
                s = 0;
                ph ^= 1;
            }
        }
        o[threadIdx.x] = a;
    }
}
extern "C" __global__ void __launch_bounds__(128)
    arrive_missing_bounds(const __grid_constant__ Map c, const float *s, int n) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b, e;
    if (threadIdx.x == 0) {
        binit(&b, 256);
        binit(&e, 1);
        fence_init();
    }
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        wait(&e, (i & 1) ^ 1);
        for (int k = threadIdx.x; k < 2048; k += 128)
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
// each row of threads arrives: how many there are no text says
extern "C" __global__ void ok_rows(const __grid_constant__ Map m, float *o) {
    __shared__ alignas(1024) float t[64 * 32];
    __shared__ alignas(8) u64 b;
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        binit(&b, 4);
        fence_init();
    }
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        expect_only(&b, 8192);
        load2(t, &m, &b, 0, 0);
    }
    if (threadIdx.x == 0)
        arrive(&b);
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}
// all producers arrive when they have written their part of a stage, and the first of them expects
// a copy's bytes besides: 129 arrivals
template <int arrivals> INLINE void filled_by_all(const Map *m, float *o, int n) {
    __shared__ alignas(1024) float t[4][64 * 32], part[4][128];
    __shared__ alignas(8) u64 full[4], empty[4];
    if (threadIdx.x == 0) {
        for (int i = 0; i < 4; i++) {
            binit(full + i, arrivals);
            binit(empty + i, 128);
        }
        fence_init();
    }
    __syncthreads();
    const bool fills = threadIdx.x < 128;
    const int thread = threadIdx.x & 127;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        const int s = i & 3, parity = i >> 2 & 1;
        if (fills) {
            wait(empty + s, parity ^ 1);
            if (thread == 0) {
                expect(full + s, 8192);
                load2(t[s], m, full + s, 0, i * 64);
            }
            part[s][thread] = (float)i;
            arrive(full + s);
        } else {
            wait(full + s, parity);
            o[i * 128 + thread] = t[s][thread] + part[s][thread];
            arrive(empty + s);
        }
    }
}
extern "C" __global__ void __launch_bounds__(256)
    ok_filled_by_all(const __grid_constant__ Map m, float *o, int n) {
    filled_by_all<129>(&m, o, n);
}
extern "C" __global__ void __launch_bounds__(256)
    arrive_missing_all(const __grid_constant__ Map m, float *o, int n) {
    filled_by_all<130>(&m, o, n);
}
