/* SPDX-License-Identifier: Apache-2.0
 *
 * protocol KERNEL [RUNS [CTAS [TILES [PATIENCE_MS [MOST_DELAY_NS]]]]]: runs a kernel of kernels.def
 * (NAME_broken, NAME_right) with other delays each time, and counts the tiles of its output that
 * are wrong. One line: "KERNEL RULE wrong 17 of 2048 in 1 of 4 runs", "KERNEL RULE died: ...",
 * "KERNEL RULE hung". protocol --list: all kernels, and what the broken ones break. Exit status 2:
 * it could not be tried.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda.h>
#include <cuda_runtime.h>

#include "kernels.cuh"

struct kernel {
    const char *name, *rule, *what;
    void (*function)(const tensor_map, const tensor_map, const job);
    int ctas;
};

static const kernel kernels[] = {
#define PROTOCOL_KERNEL(name, rule, ctas, what)                                                    \
    {#name "_broken", rule, what, name##_broken, ctas},                                            \
        {#name "_right", rule, "", name##_right, ctas},
#include "kernels.def"
};

static void must(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        printf("%s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}

static __global__ void fill_words(uint32_t *at, uint32_t words, uint32_t more) {
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words;
         i += gridDim.x * blockDim.x) {
        at[i] = i + more;
    }
}

static __global__ void count_wrong(const uint32_t *at, uint32_t *wrong) {
    int bad = 0;
    for (uint32_t i = threadIdx.x; i < TILE_WORDS; i += blockDim.x) {
        bad |= at[blockIdx.x * TILE_WORDS + i] != blockIdx.x * TILE_WORDS + i + 1;
    }
    if (__syncthreads_or(bad) && threadIdx.x == 0) {
        atomicAdd(wrong, 1);
    }
}

static tensor_map map_of(const uint32_t *at, uint32_t tiles) {
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    must(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                          cudaEnableDefault, &found),
         "cuTensorMapEncodeTiled");
    const auto encode = (decltype(&cuTensorMapEncodeTiled))entry;
    alignas(64) CUtensorMap made;
    tensor_map map;
    const cuuint64_t sizes[2] = {64, (cuuint64_t)tiles * (TILE_WORDS / 64)};
    const cuuint64_t strides[1] = {256};
    const cuuint32_t box[2] = {64, TILE_WORDS / 64};
    const cuuint32_t steps[2] = {1, 1};
    if (!encode || encode(&made, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, (void *)at, sizes, strides, box,
                          steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                          CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) {
        printf("cuTensorMapEncodeTiled failed\n");
        exit(2);
    }
    memcpy(&map, &made, sizeof(map));
    return map;
}

struct memory {
    uint32_t *in, *other, *out, *wrong;
    tensor_map in_map, out_map;
    uint32_t *hung;
    job j;
};

static memory memory_for(uint32_t ctas, uint32_t tiles) {
    memory m = {};
    const size_t all_B = (size_t)ctas * tiles * TILE_B;
    const uint32_t words = ctas * tiles * TILE_WORDS;
    must(cudaMalloc(&m.in, all_B), "cudaMalloc");
    must(cudaMalloc(&m.other, all_B), "cudaMalloc");
    must(cudaMalloc(&m.out, all_B), "cudaMalloc");
    must(cudaMalloc(&m.wrong, 4), "cudaMalloc");
    must(cudaMalloc(&m.j.scratch, ctas * sizeof(tensor_map)), "cudaMalloc");
    must(cudaHostAlloc(&m.hung, 4, cudaHostAllocMapped), "cudaHostAlloc");
    *m.hung = 0;
    fill_words<<<256, 256>>>(m.in, words, 1);
    fill_words<<<256, 256>>>(m.other, words, 2);
    m.in_map = map_of(m.in, ctas * tiles);
    m.out_map = map_of(m.out, ctas * tiles);
    const tensor_map other = map_of(m.other, ctas * tiles);
    void *words_of_other = nullptr;
    must(cudaMalloc(&words_of_other, sizeof(other)), "cudaMalloc");
    must(cudaMemcpy(words_of_other, &other, sizeof(other), cudaMemcpyHostToDevice), "cudaMemcpy");
    void *hung = nullptr;
    must(cudaHostGetDevicePointer(&hung, m.hung, 0), "cudaHostGetDevicePointer");
    m.j.in = m.in;
    m.j.out = m.out;
    m.j.other = (const uint64_t *)words_of_other;
    m.j.hung = (volatile uint32_t *)hung;
    m.j.tiles = tiles;
    return m;
}

static cudaError_t launch(const kernel &k, const memory &m, uint32_t ctas) {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute cluster = {};
    config.gridDim = dim3(ctas);
    config.blockDim = dim3(THREADS);
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = (unsigned)k.ctas;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.attrs = &cluster;
    config.numAttrs = k.ctas > 1;
    const cudaError_t error = cudaLaunchKernelEx(&config, k.function, m.in_map, m.out_map, m.j);
    return error ? error : cudaDeviceSynchronize();
}

static int run(const kernel &k, const uint32_t number[5]) {
    memory m = memory_for(number[1], number[2]);
    unsigned long long all = 0;
    uint32_t bad_runs = 0;
    m.j.patience_ns = 1000000ULL * number[3];
    for (uint32_t i = 0; i < number[0]; i++) {
        uint32_t wrong = 0;
        m.j.delay_ns = number[4] ? i * 97 % number[4] : 0; /* the first with none */
        must(cudaMemset(m.out, 0, (size_t)number[1] * number[2] * TILE_B), "cudaMemset");
        must(cudaMemset(m.wrong, 0, 4), "cudaMemset");
        const cudaError_t error = launch(k, m, number[1]);
        if (error) {
            printf("%s %s %s%s (run %u)\n", k.name, k.rule,
                   *m.hung ? "hung" : "died: ", *m.hung ? "" : cudaGetErrorString(error), i + 1);
            return 0;
        }
        count_wrong<<<number[1] * number[2], 256>>>(m.out, m.wrong);
        must(cudaMemcpy(&wrong, m.wrong, 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
        all += wrong;
        bad_runs += wrong != 0;
    }
    printf("%s %s wrong %llu of %llu in %u of %u runs\n", k.name, k.rule, all,
           (unsigned long long)number[0] * number[1] * number[2], bad_runs, number[0]);
    return 0;
}

int main(int count, char **words) {
    uint32_t number[5] = {20, 512, 16, 200, 2000};
    for (int i = 2; i < count && i < 7; i++) {
        number[i - 2] = (uint32_t)strtoul(words[i], nullptr, 10);
    }
    for (const kernel &k : kernels) {
        if (count > 1 && strcmp(words[1], "--list") == 0) {
            printf("%s %s %s\n", k.name, k.rule, k.what);
        } else if (count > 1 && strcmp(words[1], k.name) == 0) {
            if ((number[1] & 1) || !number[1] || !number[2] || number[1] * number[2] > 1u << 18) {
                printf("CTAs must be even, and CTAs times tiles at most 262144\n");
                return 2;
            }
            return run(k, number);
        }
    }
    if (count > 1 && strcmp(words[1], "--list") == 0) {
        return 0;
    }
    printf("protocol KERNEL [RUNS [CTAS [TILES [PATIENCE_MS [MOST_DELAY_NS]]]]], or --list\n");
    return 2;
}
