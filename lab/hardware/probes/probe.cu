/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks the driver and the GPU of this machine: reads lines (README.md), prints each with its answer
 * behind it. A line that kills its kernel ends the program with status 9, for probe_run.py to start
 * another behind it.
 *
 *   probe info | probe lines [SKIP] < lines
 */
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <unistd.h>

#include "probe_case.h"
#include "probe_copy.cuh"
#include "probe_more.cuh"

#define MOST_CTAS   16
#define DEADLINE_US 5000000
#define TRAPPED     9

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t error_ = (call);                                                         \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));        \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

#define CHECK_DRIVER(call)                                                                         \
    do {                                                                                           \
        const CUresult result_ = (call);                                                           \
        if (result_ != CUDA_SUCCESS) {                                                             \
            fprintf(stderr, "%s:%d: CUresult %d\n", __FILE__, __LINE__, (int)result_);             \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

/* Device memory that lives as long as the process. */
static struct {
    uint8_t *global;
    size_t global_B;
    uint8_t *mapped_end; /* of 2 MiB that nothing follows */
    uint8_t *map;
    uint8_t *before, *after;
    Answer *answers; /* host memory, so that a killed kernel leaves it readable */
} device;

static void make_device() {
    const size_t windows_B = MOST_CTAS * ((size_t)256 << 10);
    CHECK(cudaMalloc(&device.map, 256));
    CHECK(cudaMalloc(&device.before, 256 << 10));
    CHECK(cudaMalloc(&device.after, windows_B));
    CHECK(cudaHostAlloc(&device.answers, MOST_CTAS * sizeof(Answer), cudaHostAllocDefault));
    for (auto kernel : {(const void *)copy_kernel, (const void *)flood_kernel}) {
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    }
    CHECK(cudaFuncSetAttribute((const void *)copy_kernel,
                               cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
}

static uint8_t *global_of(size_t size_B) {
    if (device.global_B < size_B) {
        cudaFree(device.global);
        device.global_B = std::max(size_B, (size_t)64 << 20);
        CHECK(cudaMalloc(&device.global, device.global_B));
    }
    return device.global;
}

/* The end of a piece of memory behind which nothing is mapped. */
static uint8_t *mapped_end() {
    const size_t piece_B = (size_t)2 << 20;
    CUmemAllocationProp kind = {};
    CUmemGenericAllocationHandle handle;
    CUmemAccessDesc access = {};
    CUdeviceptr room;
    if (device.mapped_end) {
        return device.mapped_end;
    }
    kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    kind.location.type = access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    CHECK_DRIVER(cuMemAddressReserve(&room, 32 * piece_B, piece_B, 0, 0));
    CHECK_DRIVER(cuMemCreate(&handle, piece_B, &kind, 0));
    CHECK_DRIVER(cuMemMap(room, piece_B, 0, handle, 0));
    CHECK_DRIVER(cuMemSetAccess(room, piece_B, &access, 1));
    device.mapped_end = (uint8_t *)room + piece_B;
    return device.mapped_end;
}

static CUresult encode(const Case &c, CUtensorMap *map, uint64_t base) {
    cuuint64_t dim[5], stride[5];
    cuuint32_t box[5], es[5];
    int lower[5], upper[5];
    c.fill("dim", dim, 5);
    c.fill("stride", stride, 5);
    c.fill("box", box, 5);
    c.fill("es", es, 5);
    c.fill("lo", lower, 5);
    c.fill("up", upper, 5);
    const auto type = (CUtensorMapDataType)c.number("dtype");
    const auto rank = (cuuint32_t)c.number("rank");
    void *address = (void *)(base + c.number("addr"));
    const auto il = (CUtensorMapInterleave)c.number("il");
    const auto sw = (CUtensorMapSwizzle)c.number("sw");
    const auto l2 = (CUtensorMapL2promotion)c.number("l2");
    const auto oob = (CUtensorMapFloatOOBfill)c.number("oob");
    const auto cpp = (cuuint32_t)c.number("cpp");
    const auto ppc = (cuuint32_t)c.number("ppc");
    if (c.word("api") == "tiled") {
        return cuTensorMapEncodeTiled(map, type, rank, address, dim, stride, box, es, il, sw, l2,
                                      oob);
    }
    if (c.word("api") == "im2col") {
        return cuTensorMapEncodeIm2col(map, type, rank, address, dim, stride, lower, upper, cpp,
                                       ppc, es, il, sw, l2, oob);
    }
    return cuTensorMapEncodeIm2colWide(map, type, rank, address, dim, stride, lower[0], upper[0],
                                       cpp, ppc, es, il,
                                       (CUtensorMapIm2ColWideMode)c.number("mode_w"), sw, l2, oob);
}

static void print_hex(const uint8_t *bytes, size_t size_B) {
    for (size_t i = 0; i < size_B; i++) {
        printf("%02x", bytes[i]);
    }
}

/* Waits for the device; where it kills or loses the kernel, says so and ends the program. */
static void finish_or_exit() {
    cudaError_t error = cudaErrorNotReady;
    for (int waited = 0; error == cudaErrorNotReady && waited < DEADLINE_US; waited += 50) {
        error = cudaStreamQuery(0);
        usleep(50);
    }
    if (error == cudaSuccess) {
        return;
    }
    printf(error == cudaErrorNotReady ? " st=hang\n" : " st=trap:%s\n", cudaGetErrorName(error));
    fflush(stdout);
    _exit(TRAPPED);
}

static Copy copy_of(const Case &c) {
    static const char *const places[] = {"param", "global"};
    Copy copy = {};
    copy.form = case_op(c);
    copy.is_load = copy.form == LOAD;
    copy.im2col = c.word("mode") == "im2col";
    copy.rank = (int)c.number("irank", c.number("rank"));
    c.fill("coord", copy.c, 5);
    c.fill("off", copy.o, 3);
    if (copy.is_load && c.has("mask")) {
        copy.form = MULTICAST;
        copy.mask = (uint16_t)c.number("mask");
    } else if (copy.is_load && c.has("policy")) {
        copy.form = LOAD_HINT;
        copy.policy = c.number("policy");
    } else if (copy.is_load && c.word("space") == "cta") {
        copy.form = LOAD_CTA;
    }
    copy.smem = (uint32_t)c.number("smem");
    copy.window_B = (uint32_t)c.number("win");
    copy.expect_B = (uint32_t)c.number("expect");
    copy.dst_cta = (int)c.number("dst_cta");
    copy.bar_cta = (int)c.number("bar_cta");
    copy.map_in_global = index_of(c.word("where", "param"), places, 2);
    copy.map_at = (uint32_t)c.number("at");
    return copy;
}

/* One launch from memory as it was before; the answers and memory are the device's afterwards. */
static void launch(const Case &c, const Copy &copy, const MapRoom &room, uint8_t *global) {
    const std::vector<uint8_t> before = window_before(c), data = global_before(c);
    const unsigned ctas = (unsigned)c.number("cluster", 1);
    CHECK(cudaMemcpy(global + filled_from(c), data.data(), data.size(), cudaMemcpyDefault));
    CHECK(cudaMemcpy(device.before, before.data(), before.size(), cudaMemcpyDefault));
    CHECK(cudaMemcpy(device.map, room.bytes, sizeof(room), cudaMemcpyDefault));
    memset(device.answers, 0, MOST_CTAS * sizeof(Answer));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = ctas;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(ctas);
    config.blockDim = dim3(128);
    config.dynamicSmemBytes = WINDOW_AT_B + copy.window_B;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, copy_kernel, room, copy, (const uint8_t *)device.map,
                             (const uint64_t *)device.before, device.after, device.answers));
    finish_or_exit();
}

static void print_loads(const Case &c, const Copy &copy) {
    const unsigned ctas = (unsigned)c.number("cluster", 1);
    std::vector<uint8_t> bytes((size_t)ctas * copy.window_B);
    CHECK(cudaMemcpy(bytes.data(), device.after, bytes.size(), cudaMemcpyDefault));
    printf(" st=%u tx=", device.answers[0].done);
    for (unsigned i = 0; i < ctas; i++) {
        printf("%s%u", i ? "," : "", device.answers[i].tx_B);
    }
    if (c.has("bars")) {
        printf(" word=%016llx,%016llx", (unsigned long long)device.answers[0].before,
               (unsigned long long)device.answers[0].after);
    }
    printf(" n=%u hash=", copy.window_B);
    for (unsigned i = 0; i < ctas; i++) {
        printf("%s%016llx", i ? "," : "",
               (unsigned long long)fnv1a(&bytes[(size_t)i * copy.window_B], copy.window_B));
    }
    if (c.number("raw")) {
        printf(" raw=");
        print_hex(bytes.data(), bytes.size());
    }
}

static std::vector<uint8_t> global_after(const Case &c, const uint8_t *global) {
    std::vector<uint8_t> bytes(c.number("gwin") - filled_from(c));
    CHECK(cudaMemcpy(bytes.data(), global + filled_from(c), bytes.size(), cudaMemcpyDefault));
    return bytes;
}

static void print_stores(const Case &c, const uint8_t *global) {
    const std::vector<uint8_t> bytes = global_after(c, global);
    printf(" st=%u n=%zu hash=%016llx", device.answers[0].done, bytes.size(),
           (unsigned long long)fnv1a(bytes.data(), bytes.size()));
    if (c.number("raw")) {
        printf(" raw=");
        print_hex(bytes.data(), bytes.size());
    }
}

/* times=N: how often each result came. */
static void print_results(const Case &c, const Copy &copy, const MapRoom &room, uint8_t *global) {
    std::map<uint64_t, unsigned> results;
    for (uint64_t i = 0; i < c.number("times"); i++) {
        launch(c, copy, room, global);
        const std::vector<uint8_t> bytes = global_after(c, global);
        results[fnv1a(bytes.data(), bytes.size())]++;
    }
    printf(" results=");
    for (auto &result : results) {
        printf("%016llx:%u,", (unsigned long long)result.first, result.second);
    }
}

/* scan=STEP: which expected byte counts below the copy's own end the phase, each tried 3 times. */
static void print_scan(const Case &c, Copy copy, const MapRoom &room, uint8_t *global) {
    const uint32_t step = (uint32_t)c.number("scan");
    printf(" ends=");
    for (uint32_t expect = step; expect <= c.number("until"); expect += step) {
        unsigned ended = 0;
        copy.expect_B = expect;
        for (int i = 0; i < 3; i++) {
            launch(c, copy, room, global);
            ended += device.answers[0].done;
        }
        if (ended) {
            printf("%u:%u,", expect, ended);
        }
    }
}

/* The map in its room, as driver and patches make it. */
static CUresult place_map(const Case &c, uint8_t *global, MapRoom *room) {
    CUtensorMap map;
    memset(&map, 0, sizeof(map));
    memset(room, 0, sizeof(*room));
    const CUresult result = encode(c, &map, (uint64_t)global);
    case_patch(c, &map);
    if (c.number("zero")) {
        memset(&map, 0, sizeof(map));
    }
    memcpy(room->bytes + c.number("at"), &map, sizeof(map));
    return result;
}

static void answer_hw(const Case &c) {
    const size_t global_B = c.number("gwin");
    uint8_t *global = c.number("tail") ? mapped_end() - global_B : global_of(global_B);
    const Copy copy = copy_of(c);
    MapRoom room;
    const CUresult result = place_map(c, global, &room);
    printf(" rc=%d", (int)result);
    fflush(stdout);
    if (result != CUDA_SUCCESS) {
        return;
    }
    if (c.has("scan")) {
        print_scan(c, copy, room, global);
        return;
    }
    launch(c, copy, room, global);
    if (copy.is_load) {
        print_loads(c, copy);
    } else if (copy.form == PREFETCH) {
        printf(" st=%u", device.answers[0].done);
    } else {
        print_stores(c, global);
    }
    if (c.has("times")) {
        print_results(c, copy, room, global);
    }
}

/* at=BYTES: the map's memory, from a 128-byte aligned place on. */
static void answer_enc(const Case &c) {
    alignas(128) uint8_t room[512];
    memset(room, 0xA5, sizeof(room));
    uint8_t *map = room + c.number("at");
    const CUresult result = encode(c, (CUtensorMap *)map, 0);
    printf(" rc=%d", (int)result);
    if (result == CUDA_SUCCESS) {
        printf(" desc=");
        print_hex(map, sizeof(CUtensorMap));
    }
}

static void answer_dev(const Case &c) {
    CUtensorMap map;
    memset(&map, 0, sizeof(map));
    const CUresult result = encode(c, &map, 0);
    printf(" rc=%d", (int)result);
    if (result != CUDA_SUCCESS) {
        return;
    }
    printf(" before=");
    print_hex((uint8_t *)&map, sizeof(map));
    CHECK(cudaMemcpy(device.map, &map, sizeof(map), cudaMemcpyDefault));
    replace_kernel<<<1, 1>>>(device.map, (int)c.number("field"), (int)c.number("ord"),
                             c.number("val"));
    finish_or_exit();
    CHECK(cudaMemcpy(&map, device.map, sizeof(map), cudaMemcpyDefault));
    printf(" desc=");
    print_hex((uint8_t *)&map, sizeof(map));
}

/* Two buffers, of bytes 0x11 and 0x22; the map begins at the first. */
static void answer_stale(const Case &c) {
    uint8_t *global = global_of(1 << 20);
    MapRoom room;
    uint32_t *seen;
    const size_t shared_B = WINDOW_AT_B + 4096;
    CHECK(cudaMemset(global, 0x11, 1 << 16));
    CHECK(cudaMemset(global + (1 << 16), 0x22, 1 << 16));
    CHECK(cudaHostAlloc(&seen, 16, cudaHostAllocDefault));
    memset(seen, 0, 16);
    printf(" rc=%d", (int)place_map(c, global, &room));
    CHECK(cudaMemcpy(device.map, room.bytes, sizeof(room), cudaMemcpyDefault));
    if (c.has("launches")) { /* the host changes the map between two kernels */
        unfenced_kernel<<<1, 1, shared_B>>>(device.map, seen);
        finish_or_exit();
        const uint64_t other = (uint64_t)(global + (1 << 16));
        CHECK(cudaMemcpy(device.map, &other, 8, cudaMemcpyDefault));
        unfenced_kernel<<<1, 1, shared_B>>>(device.map, seen + 1);
    } else {
        stale_kernel<<<1, 1, shared_B>>>(device.map, (uint64_t)(global + (1 << 16)),
                                         (int)c.number("replace"), (long long)c.number("wait"),
                                         seen);
    }
    finish_or_exit();
    printf(" st=1 seen=%x,%x,%x", seen[0], seen[1], seen[2]);
    CHECK(cudaFreeHost(seen));
}

static void answer_flood(const Case &c) {
    const int loads = (int)c.number("loads");
    MapRoom room;
    uint64_t *out;
    CHECK(cudaHostAlloc(&out, 8 * (2 + loads), cudaHostAllocDefault));
    memset(out, 0, 8 * (2 + loads));
    printf(" rc=%d", (int)place_map(c, global_of(1 << 20), &room));
    flood_kernel<<<1, 1, WINDOW_AT_B + c.number("win")>>>(room, loads, (uint32_t)c.number("bytes"),
                                                          out);
    finish_or_exit();
    printf(" st=1 ended=%llu,%llu words=", (unsigned long long)out[0], (unsigned long long)out[1]);
    for (int i = 0; i < loads; i++) {
        printf("%llx,", (unsigned long long)out[2 + i]);
    }
    CHECK(cudaFreeHost(out));
}

/* All 2^32 words, 2^26 at a time. */
static void answer_tf32(const Case &c) {
    const uint64_t slice = (uint64_t)1 << 26;
    uint8_t *global = global_of(slice * 4);
    unsigned long long *out;
    MapRoom room;
    CHECK(cudaMalloc(&out, 16));
    CHECK(cudaMemset(out, 0, 16));
    printf(" rc=%d", (int)place_map(c, global, &room));
    for (uint64_t first = 0; first < (uint64_t)1 << 32; first += slice) {
        count_up_kernel<<<1024, 256>>>((uint32_t *)global, (uint32_t)first, slice);
        tf32_kernel<<<264, 256, WINDOW_AT_B + TF32_ROWS * 1024>>>(room, (uint32_t)first,
                                                                  (uint32_t)(slice / 256), out);
    }
    finish_or_exit();
    unsigned long long result[2];
    CHECK(cudaMemcpy(result, out, 16, cudaMemcpyDefault));
    printf(" st=1 differ=%llu one=%016llx", result[0], result[1]);
    CHECK(cudaFree(out));
}

static void answer(const Case &c) {
    if (c.kind == "enc") {
        answer_enc(c);
    } else if (c.kind == "dev") {
        answer_dev(c);
    } else if (c.kind == "hw") {
        answer_hw(c);
    } else if (c.kind == "stale") {
        answer_stale(c);
    } else if (c.kind == "flood") {
        answer_flood(c);
    } else if (c.kind == "tf32") {
        answer_tf32(c);
    } else {
        fprintf(stderr, "'%s' is no kind of line\n", c.kind.c_str());
        exit(2);
    }
}

static void print_info() {
    int driver = 0;
    cudaDeviceProp it;
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaGetDeviceProperties(&it, 0));
    printf("# driver=%d device=%s cc=%d.%d\n", driver, it.name, it.major, it.minor);
}

int main(int argc, char **argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const long skip = argc > 2 ? atol(argv[2]) : 0;
    CHECK(cudaSetDevice(0));
    CHECK(cudaFree(nullptr));
    if (what == "info") {
        print_info();
        return 0;
    }
    if (what != "lines") {
        fprintf(stderr, "usage: probe info | probe lines [SKIP] < lines\n");
        return 2;
    }
    make_device();
    std::string line;
    for (long i = 0; std::getline(std::cin, line); i++) {
        Case c;
        if (i < skip || !case_read(line, &c)) {
            continue;
        }
        printf("%s", line.c_str());
        fflush(stdout);
        answer(c);
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
