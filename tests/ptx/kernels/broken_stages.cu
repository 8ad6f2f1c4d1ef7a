// SPDX-License-Identifier: Apache-2.0
//
// Rings of stages: each kernel breaks the rule that it is named after; ok_ none. Said optimised and
// not.
#include "copies.h"

enum mistake { NONE, NO_WAIT, TOO_FEW, OF_ANOTHER, TOO_LATE, NO_BARRIER };

// an epilogue in a persistent loop: a tile of a ring is written and stored
template <int STAGES, mistake IS> INLINE void epilogue(const Map &m, const float *src, int n) {
    __shared__ alignas(1024) float t[STAGES][2048];
    int stage = 0;
    for (int k = blockIdx.x; k < n; k += gridDim.x) {
        if (threadIdx.x == (IS == OF_ANOTHER ? 32 : 0) && IS != NO_WAIT && IS != TOO_LATE)
            waitr<IS == TOO_FEW ? STAGES : STAGES - 1>();
        if (IS != NO_BARRIER)
            __syncthreads();
        for (int i = threadIdx.x; i < 2048; i += blockDim.x)
            t[stage][i] = src[k * 2048 + i] * 2.f;
        if (threadIdx.x == 0 && IS == TOO_LATE)
            waitr<STAGES - 1>();
        fpa();
        __syncthreads();
        if (threadIdx.x == 0) {
            store2(&m, t[stage], 0, k * 64);
            commit();
        }
        stage = stage + 1 == STAGES ? 0 : stage + 1;
    }
    if (threadIdx.x == 0)
        waitr<0>();
}
#define EPILOGUE(name, stages, is)                                                                 \
    extern "C" __global__ void name(const __grid_constant__ Map m, const float *src, int n) {      \
        epilogue<stages, is>(m, src, n);                                                           \
    }
EPILOGUE(ok_epilogue2, 2, NONE)
EPILOGUE(ok_epilogue3, 3, NONE)
EPILOGUE(store_reuse_nowait, 2, NO_WAIT)
EPILOGUE(store_reuse_toofew, 3, TOO_FEW)
EPILOGUE(store_reuse_another, 2, OF_ANOTHER)
EPILOGUE(store_reuse_late, 2, TOO_LATE)
EPILOGUE(store_reuse_nobarrier, 2, NO_BARRIER)

// a warp's lane loads into a stage and stores from there
template <int STAGES, int LEAVES>
INLINE void pass_on(const Map &m, const Map &to, int n, int warp) {
    __shared__ alignas(1024) float t[4][STAGES][2048];
    __shared__ alignas(8) u64 b[4][STAGES];
    if (threadIdx.x % 32 == 0) {
        for (int i = 0; i < STAGES; i++)
            binit(&b[warp][i], 1);
        fence_init();
    }
    __syncwarp();
    if (elect()) {
        int stage = 0, phase = 0;
        for (int k = 0; k < n; k++) {
            waitr<LEAVES>();
            expect(&b[warp][stage], 8192);
            load2(t[warp][stage], &m, &b[warp][stage], 0, 64 * (n * warp + k));
            wait(&b[warp][stage], phase);
            store2(&to, t[warp][stage], 0, 64 * (n * warp + k));
            commit();
            if (++stage == STAGES) {
                stage = 0;
                phase ^= 1;
            }
        }
        waitr<0>();
    }
}
#define PASS_ON(name, stages, leaves)                                                              \
    extern "C" __global__ void __launch_bounds__(128)                                              \
        name(const __grid_constant__ Map m, const __grid_constant__ Map to, int n) {               \
        pass_on<stages, leaves>(m, to, n, threadIdx.x / 32);                                       \
    }
PASS_ON(ok_passon, 3, 2)
PASS_ON(store_reuse_passon, 3, 3)

// five terms and more in an address: a matrix's rows and columns, by warp and lane
template <int FENCED> INLINE void by_matrices(const Map &m, const u32 *src) {
    __shared__ alignas(1024) unsigned short t[64 * 64];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int c = 0; c < 4; c++)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(
                         s2u(&t[(warp * 16 + (lane & 15)) * 64 + c * 16 + (lane >> 4) * 8])),
                     "r"(src[lane + 32 * c])
                     : "memory");
    if (FENCED)
        fpa();
    __syncthreads();
    if (threadIdx.x == 0) {
        store2(&m, t, 0, blockIdx.x * 64);
        commit();
        waitr<0>();
    }
}
extern "C" __global__ void __launch_bounds__(128)
    ok_matrices(const __grid_constant__ Map m, const u32 *src) {
    by_matrices<1>(m, src);
}
extern "C" __global__ void __launch_bounds__(128)
    proxy_store_matrices(const __grid_constant__ Map m, const u32 *src) {
    by_matrices<0>(m, src);
}

// a pipeline that all threads wait in; each reads one stage over and over in a loop of its own
extern "C" __global__ void ok_readinloop(const __grid_constant__ Map m, float *o, int n) {
    TILES_WITH_BARRIER([2][2048], 1);
    float sum = 0;
    ONE_LOADS(t[0], &m, 0);
    for (int k = 0; k < n; k++) {
        wait(&b, k & 1);
        for (int i = 0; i < 8; i++)
            sum += t[k % 2][(threadIdx.x + i * 256) % 2048];
        __syncthreads();
        if (k + 1 < n)
            ONE_LOADS(t[(k + 1) % 2], &m, 64 * (k + 1));
    }
    o[threadIdx.x] = sum;
}

// a try whose answer is made a bool that nobody looks at; waits of some threads, whose barrier of
// threads is another turn's
enum waiter { ALL, NOBODY, FIRST_WARP, FIRST_THREAD, FIRST_THREAD_SYNCED };
INLINE bool try_wait(u64 *b, int parity) {
    u32 done;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
                 " selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(s2u(b)), "r"(parity)
                 : "memory");
    return done;
}
template <waiter WHO> INLINE void turn_by_turn(const Map &m, float *o, int n) {
    TILE_WITH_BARRIER;
    for (int k = 0; k < n; k++) {
        ONE_LOADS(t, &m, 64 * k);
        if (WHO == NOBODY)
            try_wait(&b, k & 1);
        else if (WHO == ALL || threadIdx.x < (WHO == FIRST_WARP ? 32 : 1))
            wait(&b, k & 1);
        if (WHO == FIRST_THREAD_SYNCED)
            __syncthreads();
        o[k * 1024 + threadIdx.x] = t[threadIdx.x];
        __syncthreads();
    }
}
#define TURN_BY_TURN(name, who)                                                                    \
    extern "C" __global__ void name(const __grid_constant__ Map m, float *o, int n) {              \
        turn_by_turn<who>(m, o, n);                                                                \
    }
TURN_BY_TURN(ok_all, ALL)
TURN_BY_TURN(ok_synced, FIRST_THREAD_SYNCED)
TURN_BY_TURN(wait_missing_ignored, NOBODY)
TURN_BY_TURN(wait_missing_warp, FIRST_WARP)

// one warp runs the fence
template <int OF_ALL> INLINE void fenced(const Map &m, const float *src) {
    __shared__ alignas(1024) float t[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x)
        t[i] = src[i];
    if (OF_ALL || threadIdx.x < 32)
        fpa();
    __syncthreads();
    if (threadIdx.x == 0) {
        store2(&m, t, 0, 0);
        commit();
        waitr<0>();
    }
}
extern "C" __global__ void ok_fenced(const __grid_constant__ Map m, const float *src) {
    fenced<1>(m, src);
}
extern "C" __global__ void proxy_store_warp(const __grid_constant__ Map m, const float *src) {
    fenced<0>(m, src);
}
