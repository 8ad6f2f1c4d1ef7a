/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that hang, each by one statement, and some that do not: what tma hang is tried on.
 *   hangs NAME    starts that kernel and waits for it
 *   hangs         lists them
 * Built with -std=c++17 -arch=sm_90a -lineinfo; run_hangs.sh takes the dumps.
 *
 * Most are one pipeline: a producer warp loads a box of A (64 x 128 bf16, 16384 B) and one of B
 * (64 x 64 bf16, 8192 B) into each of 4 stages, two consumer warps read them, 12 rounds. What is
 * wrong comes in round 6 (stage 2, second phase) unless it is said otherwise.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include "barriers.cuh"

enum {
    STAGES = 4,
    ROUNDS = 12,
    A_BYTES = 16384,
    B_BYTES = 8192,
    STAGE_BYTES = A_BYTES + B_BYTES,
    WRONG = 6,
    THREADS = 96
};

#define HANGS(HANG)                                                                                \
    HANG(expects_too_many)                                                                         \
    HANG(expects_8_too_few)                                                                        \
    HANG(missing_copy)                                                                             \
    HANG(wrong_barrier)                                                                            \
    HANG(wrong_parity)                                                                             \
    HANG(release_forgotten)                                                                        \
    HANG(one_release_forgotten)                                                                    \
    HANG(count_too_large)                                                                          \
    HANG(stages_swapped)                                                                           \
    HANG(initialised_again)                                                                        \
    HANG(bulk_too_short)                                                                           \
    HANG(never_initialised)                                                                        \
    HANG(loop_too_short)                                                                           \
    HANG(expects_elsewhere)                                                                        \
    HANG(wrong_map)                                                                                \
    HANG(edge_counted)                                                                             \
    HANG(producer_waits_wrong)                                                                     \
    HANG(loop_in_assembly)                                                                         \
    HANG(late_round)                                                                               \
    HANG(arrival_forgotten)                                                                        \
    HANG(copy_skipped_guard)                                                                       \
    HANG(fine)

#define NAMED(name) W_##name,
enum which { HANGS(NAMED) W_COUNT };

struct pipe {
    uint32_t full, empty, data;
    __device__ uint32_t f(int s) const {
        return full + 8 * s;
    }
    __device__ uint32_t e(int s) const {
        return empty + 8 * s;
    }
    __device__ uint32_t a(int s) const {
        return data + STAGE_BYTES * s;
    }
    __device__ uint32_t b(int s) const {
        return data + STAGE_BYTES * s + A_BYTES;
    }
};

template <which W>
__device__ void produce(const pipe &p, const CUtensorMap *A, const CUtensorMap *B,
                        const void *plain) {
    for (int i = 0; i < (W == W_loop_too_short ? ROUNDS - 1 : ROUNDS); i++) {
        const int s = i % STAGES, phase = i / STAGES & 1;
        const bool wrong = i == (W == W_late_round ? 11 : WRONG);
        if (W == W_producer_waits_wrong && wrong)
            wait(p.e(s), phase);
        else
            wait(p.e(s), phase ^ 1);
        uint32_t bytes = STAGE_BYTES;
        if ((W == W_expects_too_many || W == W_late_round) && wrong)
            bytes += A_BYTES;
        if (W == W_expects_8_too_few && wrong)
            bytes -= 8;
        if (W == W_edge_counted && wrong)
            bytes -= 2048 + 8; /* rows beyond the tensor left out */
        if (W == W_initialised_again && wrong)
            init(p.f(s), 3);
        if (W == W_bulk_too_short && wrong)
            bytes += 4096 + 16;
        if (W == W_arrival_forgotten && wrong)
            expect(p.f(s), bytes);
        else if (W == W_expects_elsewhere && wrong) {
            expect(p.f(s + 1), bytes);
            arrive(p.f(s));
        } else
            arrive_expect(p.f(s), bytes);
        if (W == W_copy_skipped_guard && wrong && blockIdx.x == 1)
            continue;
        const uint32_t bar_a = W == W_wrong_barrier && wrong ? p.f(s + 1) : p.f(s);
        load_2d(p.a(s), W == W_wrong_map && wrong ? B : A, 64 * (i & 7), 128 * blockIdx.x, bar_a);
        if (W == W_bulk_too_short && wrong)
            load_bulk(p.data + STAGES * STAGE_BYTES, plain, 4096, p.f(s));
        if (!(W == W_missing_copy && wrong))
            load_2d(p.b(s), B, 64 * (i & 7), 64 * blockIdx.x, p.f(s));
    }
}

template <which W> __device__ void consume(const pipe &p, int *out) {
    int sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        int s = i % STAGES, phase = i / STAGES & 1;
        const bool wrong = i == WRONG;
        if (W == W_stages_swapped && wrong)
            s = 1;
        if (W == W_loop_in_assembly)
            wait_loop(p.f(s), phase);
        else
            wait(p.f(s), phase);
        if (W == W_wrong_parity && wrong)
            wait(p.f(s), phase ^ 1); /* the next round's, before this one's release */
        if (W == W_loop_in_assembly && wrong)
            wait_loop(p.f(s), phase ^ 1);
        __syncwarp();
        if (threadIdx.x % 32 == 0 && !(W == W_release_forgotten && wrong) &&
            !(W == W_one_release_forgotten && wrong && threadIdx.x == 64))
            arrive(p.e(s));
        sum += i;
    }
    if (threadIdx.x % 32 == 0)
        out[0] = sum;
}

template <which W>
__global__ void __launch_bounds__(THREADS)
    pipeline(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
             const void *plain, int *out) {
    extern __shared__ __align__(1024) unsigned char data[];
    __shared__ __align__(8) uint64_t full[STAGES + 1], empty[STAGES];
    const pipe p = {shared_address(full), shared_address(empty), shared_address(data)};
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            if (!(W == W_never_initialised && s == 2))
                init(p.f(s), 1);
            init(p.e(s), W == W_count_too_large && s == 2 ? 64 : 2);
        }
        init(p.f(STAGES), 1);
        PTX("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0)
            produce<W>(p, &A, &B, plain);
    } else
        consume<W>(p, out);
}

struct given {
    unsigned char *tensor;
    int *out;
    CUtensorMap A, B, strided, im2col;
};

#include "hangs_other.cuh"

static void *driver_call(const char *name) {
    return dlsym(dlopen("libcuda.so.1", RTLD_NOW), name);
}

static CUtensorMap map_2d(void *at, uint32_t box_x, uint32_t box_y, uint32_t stride = 1) {
    static const auto encode =
        (decltype(&cuTensorMapEncodeTiled))driver_call("cuTensorMapEncodeTiled");
    CUtensorMap map;
    const cuuint64_t dims[2] = {512, 2048}, strides[1] = {1024};
    const cuuint32_t box[2] = {box_x, box_y}, es[2] = {1, stride};
    if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, at, dims, strides, box, es,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        exit(3);
    return map;
}
static CUtensorMap map_im2col(void *at) {
    static const auto encode =
        (decltype(&cuTensorMapEncodeIm2col))driver_call("cuTensorMapEncodeIm2col");
    CUtensorMap map;
    const cuuint64_t dims[4] = {64, 16, 16, 8}, strides[3] = {128, 2048, 32768};
    const int lower[2] = {-1, -1}, upper[2] = {-1, -1};
    const cuuint32_t es[4] = {1, 1, 1, 1};
    if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 4, at, dims, strides, lower, upper, 64, 100,
               es, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        exit(3);
    return map;
}

template <which W> static void start(const given &m) {
    cudaFuncSetAttribute(pipeline<W>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         STAGES * STAGE_BYTES + STAGE_BYTES);
    pipeline<W><<<2, THREADS, STAGES * STAGE_BYTES + STAGE_BYTES>>>(m.A, m.B, m.tensor, m.out);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*start)(const given &);
    } all[] = {
#define LISTED(name) {#name, start<W_##name>},
        HANGS(LISTED)
#undef LISTED
#define LISTED(name) {#name, start_##name},
            OTHERS(LISTED)};
    if (argc < 2) {
        for (const auto &one : all)
            puts(one.name);
        return 0;
    }
    given m;
    cudaMalloc(&m.out, 4096);
    cudaMemset(m.out, 0, 4096);
    if (cudaMalloc(&m.tensor, 4 << 20))
        return 3;
    m.A = map_2d(m.tensor, 64, 128);
    m.B = map_2d(m.tensor, 64, 64);
    m.strided = map_2d(m.tensor, 64, 64, 2);
    m.im2col = map_im2col(m.tensor);
    for (const auto &one : all)
        if (!strcmp(one.name, argv[1])) {
            one.start(m);
            printf("%s: launch %s\n", one.name, cudaGetErrorString(cudaGetLastError()));
            fflush(stdout);
            const cudaError_t end = cudaDeviceSynchronize();
            printf("%s: %s\n", one.name, cudaGetErrorString(end));
            return end != cudaSuccess;
        }
    return 2;
}
