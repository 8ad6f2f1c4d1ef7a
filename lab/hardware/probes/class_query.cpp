// SPDX-License-Identifier: Apache-2.0
//
// class_query CUBIN [MAPS [SEED]]: the allocation class of maps by the machine code of
// tensormap.query.alloc_class_large (class_query.ptx), by tma_allocation_class() and by
// tma_decode(). A third of the maps are encoded for sm_100a, a third edited by
// tma_set_allocation_class() then, a third random bytes. Ends with 0 if all agree, 1 if some
// differ, 3 where there is no GPU or its driver loads no such cubin.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <tma/pattern.h>
#include <tma/tma.h>
#include <vector>

#define ASK(call) ask(call, #call)

static void ask(CUresult rc, const char *call) {
    if (rc != CUDA_SUCCESS) {
        const char *name = "?";
        cuGetErrorName(rc, &name);
        printf("%s: %s\n", call, name);
        exit(3);
    }
}

static uint64_t word_of(uint64_t seed, uint64_t map, uint64_t word) {
    return tma_pattern_word(TMA_PATTERN_RAND, seed + 1 + word, map);
}

/* A tensor around 128 KiB, large or small. */
static tma_spec spec_of(uint64_t seed, uint64_t i) {
    tma_spec s = {};
    s.dtype = TMA_DTYPE_FLOAT16;
    s.rank = 3;
    s.address = 0x7f0000000000;
    s.dim_el[0] = 64;
    s.dim_el[1] = 1 + word_of(seed, i, 0) % 64;
    s.dim_el[2] = 1 + word_of(seed, i, 1) % 32;
    s.stride_B[0] = 128 + 16 * (word_of(seed, i, 2) % 4);
    s.stride_B[1] = s.stride_B[0] * s.dim_el[1];
    for (uint32_t k = 0; k < 3; k++) {
        s.box_el[k] = k ? 1 : 64;
        s.element_stride[k] = 1;
    }
    return s;
}

struct Tally {
    uint64_t large = 0;
    uint64_t wrong = 0;
};

/* One map; wrong: what tma_set_allocation_class() does not hold to. */
static void make(tma_map *map, uint64_t seed, uint64_t i, Tally *tally) {
    const tma_target blackwell = {100, 'a', 13050, {}};
    const tma_target hopper = {90, 'a', 13050, {}};
    if (i % 3 == 2) {
        for (uint64_t w = 0; w < 16; w++) {
            const uint64_t bits = word_of(seed, i, w);
            memcpy(map->bytes + 8 * w, &bits, 8);
        }
        return;
    }
    const tma_spec spec = spec_of(seed, i);
    uint32_t now = 99;
    tally->wrong += tma_encode(map->bytes, &spec, &blackwell) != TMA_OK;
    if (i % 3 == 1) {
        const tma_map before = *map;
        const uint32_t asked = (uint32_t)(word_of(seed, i, 3) % 3);
        tally->wrong +=
            tma_set_allocation_class(map->bytes, TMA_CLASS_LARGE, &now, &hopper) != TMA_OK;
        tally->wrong += now != TMA_CLASS_SMALL || memcmp(map, &before, sizeof before) != 0;
        tally->wrong += tma_set_allocation_class(map->bytes, asked, &now, &blackwell) != TMA_OK;
        tally->wrong += now != tma_allocation_class(map->bytes) || (asked && now != asked);
        tally->wrong += !asked && memcmp(map, &before, sizeof before) != 0;
    }
}

static std::vector<uint8_t> answers_of(CUfunction query, const std::vector<tma_map> &maps) {
    CUdeviceptr there, bytes;
    unsigned count = (unsigned)maps.size();
    std::vector<uint8_t> answers(count, 9);
    ASK(cuMemAlloc(&there, maps.size() * sizeof(tma_map)));
    ASK(cuMemAlloc(&bytes, count));
    ASK(cuMemcpyHtoD(there, maps.data(), maps.size() * sizeof(tma_map)));
    void *arguments[] = {&there, &bytes, &count};
    ASK(cuLaunchKernel(query, (count + 255) / 256, 1, 1, 256, 1, 1, 0, nullptr, arguments,
                       nullptr));
    ASK(cuCtxSynchronize());
    ASK(cuMemcpyDtoH(answers.data(), bytes, count));
    ASK(cuMemFree(there));
    ASK(cuMemFree(bytes));
    return answers;
}

int main(int argc, char **argv) {
    const uint64_t count = argc > 2 ? strtoull(argv[2], nullptr, 0) : 1000000;
    const uint64_t seed = argc > 3 ? strtoull(argv[3], nullptr, 0) : 1;
    if (argc < 2 || !count || count > 100000000) {
        fprintf(stderr, "usage: class_query CUBIN [MAPS [SEED]], at most 100000000 maps\n");
        return 2;
    }
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction query;
    ASK(cuInit(0));
    ASK(cuDeviceGet(&device, 0));
    ASK(cuDevicePrimaryCtxRetain(&context, device));
    ASK(cuCtxSetCurrent(context));
    ASK(cuModuleLoad(&module, argv[1]));
    ASK(cuModuleGetFunction(&query, module, "class_query"));
    Tally tally;
    std::vector<tma_map> maps(count);
    for (uint64_t i = 0; i < count; i++) {
        make(&maps[i], seed, i, &tally);
    }
    const std::vector<uint8_t> answers = answers_of(query, maps);
    uint64_t different = 0;
    for (uint64_t i = 0; i < count; i++) {
        tma_decoded decoded;
        const int ours = tma_allocation_class(maps[i].bytes) == TMA_CLASS_LARGE;
        different += answers[i] != ours || tma_decode(&decoded, maps[i].bytes) != TMA_OK ||
                     (int)decoded.bit21 != ours;
        tally.large += (uint64_t)ours;
    }
    printf(
        "class: %llu maps, %llu large; query, set and decode: %llu different, %llu wrong edits\n",
        (unsigned long long)count, (unsigned long long)tally.large, (unsigned long long)different,
        (unsigned long long)tally.wrong);
    return different || tally.wrong || tally.large == 0 || tally.large == count;
}
