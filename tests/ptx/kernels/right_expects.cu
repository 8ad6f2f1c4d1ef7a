// SPDX-License-Identifier: Apache-2.0
//
// Right kernels whose barrier expects the bytes of copies that do not stand in one row behind it:
// behind branches, in functions, of other threads, under predicates, before the expectation.
#include "copies.h"
#define OUT       o[threadIdx.x] = t[0][threadIdx.x] + t[1][threadIdx.x]
#define TWO_TILES TILES_WITH_BARRIER([2][2048], 1)
extern "C" __global__ void branch_between(const __grid_constant__ Map m, float *o, int n) {
    TWO_TILES;
    if (threadIdx.x == 0) {
        expect(&b, 16384);
        load2(t[0], &m, &b, 0, 0);
        if (n) {
            o[5] = 1;
            __threadfence();
        }
        load2(t[1], &m, &b, 0, n);
    }
    wait(&b, 0);
    OUT;
}
extern "C" __global__ void second_either_way(const __grid_constant__ Map m, float *o, int n) {
    TWO_TILES;
    if (threadIdx.x == 0) {
        expect(&b, 16384);
        load2(t[0], &m, &b, 0, 0);
        if (n) {
            load2(t[1], &m, &b, 0, n);
        } else {
            load2(t[1], &m, &b, 32, n);
        }
    }
    wait(&b, 0);
    OUT;
}
__device__ __noinline__ void load_and_write(float *d, const Map *m, u64 *b, int y, float *o) {
    load2(d, m, b, 0, y);
    if (y) {
        o[y] = 1;
        __threadfence();
    }
}
extern "C" __global__ void calls_with_branches(const __grid_constant__ Map m, float *o, int n) {
    TWO_TILES;
    if (threadIdx.x == 0) {
        expect(&b, 16384);
        load_and_write(t[0], &m, &b, n, o);
        load_and_write(t[1], &m, &b, n + 2, o);
    }
    wait(&b, 0);
    OUT;
}
__device__ __noinline__ void load(float *d, const Map *m, u64 *b, int y) {
    load2(d, m, b, 0, y);
}
extern "C" __global__ void calls(const __grid_constant__ Map m, float *o, int n) {
    TWO_TILES;
    if (threadIdx.x == 0) {
        expect(&b, 16384);
        load(t[0], &m, &b, n);
        load(t[1], &m, &b, n + 2);
    }
    wait(&b, 0);
    OUT;
}
extern "C" __global__ void two_threads(const __grid_constant__ Map m, float *o) {
    TWO_TILES;
    if (threadIdx.x == 0) {
        expect(&b, 16384);
        load2(t[0], &m, &b, 0, 0);
    } else if (threadIdx.x == 32) {
        load2(t[1], &m, &b, 0, 64);
    }
    wait(&b, 0);
    OUT;
}
extern "C" __global__ void expected_later(const __grid_constant__ Map m, float *o) {
    TWO_TILES;
    if (threadIdx.x == 0) {
        load2(t[0], &m, &b, 0, 0);
        expect(&b, 16384);
        load2(t[1], &m, &b, 0, 64);
    }
    wait(&b, 0);
    OUT;
}
// one of two copies, each under its predicate
extern "C" __global__ void predicated(const __grid_constant__ Map m, float *o, int n) {
    TILES_WITH_BARRIER([2048], 1);
    if (threadIdx.x == 0) {
        expect(&b, 8192);
        asm volatile(
            "{ .reg .pred p; setp.ne.s32 p, %3, 0;\n"
            "@p cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
            "[%0], [%1, {0, 0}], [%2];\n"
            "@!p cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
            "[%0], [%1, {0, 64}], [%2]; }" ::"r"(s2u(t)),
            "l"(&m), "r"(s2u(&b)), "r"(n)
            : "memory");
    }
    wait(&b, 0);
    o[threadIdx.x] = t[threadIdx.x];
}
extern "C" __global__ void expected_in_two_parts(const __grid_constant__ Map m, float *o, int n) {
    TWO_TILES;
    if (threadIdx.x == 0) {
        expect_only(&b, 8192);
        if (n) {
            o[7] = 1;
            __threadfence();
        }
        expect(&b, 8192);
        load2(t[0], &m, &b, 0, 0);
        load2(t[1], &m, &b, 0, 64);
    }
    wait(&b, 0);
    OUT;
}
