/* SPDX-License-Identifier: Apache-2.0
 *
 * Does a CTA's shared memory last until its bulk stores have read it, though nobody waits for them?
 * Each of many CTAs writes words of its own, stores them or adds them to global memory in pieces,
 * and ends: at once, behind a wait, or after it has written over them. The next CTA of the place
 * writes its own words there. Prints how many words of global memory are wrong.
 *
 *   nvcc -std=c++17 -O2 -arch=sm_90a -o cta_ends cta_ends.cu && ./cta_ends
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>

#define DO(call)                                                                                   \
    do {                                                                                           \
        const cudaError_t error = (call);                                                          \
        if (error != cudaSuccess) {                                                                \
            printf("%s: %s\n", #call, cudaGetErrorString(error));                                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum how { ENDS, WAITS, OVERWRITES, HOWS };
static const char *const names[HOWS] = {"ends", "waits", "overwrites"};
enum { CTAS = 32768, TURNS_B = 1 << 19, ROW_B = 1024 };

struct arguments {
    uint32_t *out;
    uint32_t size_B, each_B, turn;
    int adds;
};

__device__ uint32_t word(const arguments &a, uint32_t cta, uint32_t i, uint32_t turn) {
    return a.adds ? 1 + (cta + i) % 7 : cta * 2654435761u + i * 40503u + turn * 97 + 1;
}

__device__ uint32_t shared(const void *at) {
    return (uint32_t)__cvta_generic_to_shared(at);
}

template <bool tensor>
__device__ void store(const arguments &a, const CUtensorMap *map, uint32_t from, uint64_t at_B) {
    const int row = (int)(at_B / ROW_B);
    if (tensor && a.adds) {
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group "
                     "[%0, {%1, %2}], [%3];" ::"l"(map),
                     "r"(0), "r"(row), "r"(from)
                     : "memory");
    } else if (tensor) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
                     "[%0, {%1, %2}], [%3];" ::"l"(map),
                     "r"(0), "r"(row), "r"(from)
                     : "memory");
    } else if (a.adds) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 "
                     "[%0], [%1], %2;" ::"l"((char *)a.out + at_B),
                     "r"(from), "r"(a.each_B)
                     : "memory");
    } else {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                         (char *)a.out + at_B),
                     "r"(from), "r"(a.each_B)
                     : "memory");
    }
}

template <bool tensor>
__global__ void stores(arguments a, int how, const __grid_constant__ CUtensorMap map) {
    extern __shared__ __align__(128) uint32_t tile[];
    const uint32_t words = a.size_B / 4;
    for (uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
        tile[i] = word(a, blockIdx.x, i, a.turn);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        for (uint32_t at = 0; at < a.size_B; at += a.each_B) {
            store<tensor>(a, &map, shared(tile) + at, (uint64_t)blockIdx.x * a.size_B + at);
        }
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        if (how == WAITS) {
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
    }
    if (how == OVERWRITES) {
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
            tile[i] = 0xDEADBEEF;
        }
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

__global__ void check(arguments a, unsigned long long *wrong) {
    const uint32_t words = a.size_B / 4;
    unsigned long long bad = 0;
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < (uint64_t)CTAS * words;
         i += (uint64_t)gridDim.x * blockDim.x) {
        const uint32_t one = word(a, (uint32_t)(i / words), (uint32_t)(i % words), a.turn);
        bad += a.out[i] != (a.adds ? one * (a.turn + 1) : one);
    }
    if (bad) {
        atomicAdd(wrong, bad);
    }
}

typedef CUresult (*encode_tiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                 const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                 const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static CUtensorMap map_of(const arguments &a) {
    void *call = nullptr;
    cudaDriverEntryPointQueryResult found;
    DO(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &call, 12000, cudaEnableDefault,
                                        &found));
    const cuuint64_t dim_el[2] = {ROW_B / 4, (cuuint64_t)CTAS * a.size_B / ROW_B};
    const cuuint64_t stride_B[1] = {ROW_B};
    const cuuint32_t box_el[2] = {ROW_B / 4, a.each_B / ROW_B};
    const cuuint32_t element_stride[2] = {1, 1};
    CUtensorMap map;
    if (((encode_tiled)call)(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, a.out, dim_el, stride_B,
                             box_el, element_stride, CU_TENSOR_MAP_INTERLEAVE_NONE,
                             CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
        printf("the map is refused\n");
        exit(1);
    }
    return map;
}

template <bool tensor> static void run(arguments a, int how, unsigned long long *wrong) {
    const uint32_t turns = TURNS_B / a.size_B;
    const CUtensorMap map = map_of(a);
    DO(cudaMemset(wrong, 0, sizeof *wrong));
    DO(cudaMemset(a.out, 0, (uint64_t)CTAS * a.size_B));
    DO(cudaFuncSetAttribute(stores<tensor>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            (int)a.size_B));
    for (a.turn = 0; a.turn < turns; a.turn++) {
        stores<tensor><<<CTAS, 256, a.size_B>>>(a, how, map);
        check<<<1024, 256>>>(a, wrong);
    }
    DO(cudaDeviceSynchronize());
    unsigned long long count;
    DO(cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost));
    printf("%-6s %-6s %-10s %6u B in pieces of %5u B: %llu of %llu words wrong\n",
           a.adds ? "reduce" : "store", tensor ? "tensor" : "bulk", names[how], a.size_B, a.each_B,
           count, (unsigned long long)turns * CTAS * (a.size_B / 4));
}

int main() {
    static const uint32_t sizes_B[] = {65536, 16384};
    unsigned long long *wrong;
    arguments a = {};
    DO(cudaMalloc(&a.out, (uint64_t)CTAS * sizes_B[0]));
    DO(cudaMalloc(&wrong, sizeof *wrong));
    for (uint32_t i = 0; i < 2 * 3 * 2 * HOWS; i++) {
        a.size_B = sizes_B[i % 2];
        a.each_B = a.size_B >> (i / 2 % 3 * 2);
        a.adds = i / 6 % 2;
        run<false>(a, (int)(i / 12), wrong);
        run<true>(a, (int)(i / 12), wrong);
    }
    return 0;
}
