/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps whose memory is not all there: `map_memory CASE`, of the list below, makes a map of 128
 * bytes a row, loads one box of 128 rows by it, prints CUDA's answer and, with `asked` behind the
 * case, what the driver says of the addresses before and behind the kernel.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda.h>
#include <cuda_runtime.h>

#define ROW_B   128
#define ROWS    128
#define TILE_B  (ROW_B * ROWS)
#define PIECE_B (4u << 20)
#define SIZE_B  (16u << 20)

static const char *const names[] = {
    /* right: */ "whole",  "pool",       "pieces",   "ragged", "made_again",
    /* broken: */ "freed", "pool_freed", "unmapped", "long",   "short_piece", "host"};

__global__ void load(const __grid_constant__ CUtensorMap map, int row, int *sum) {
    __shared__ alignas(128) unsigned char tile[TILE_B];
    __shared__ alignas(8) unsigned long long bar;
    const unsigned b = (unsigned)__cvta_generic_to_shared(&bar);
    const unsigned t = (unsigned)__cvta_generic_to_shared(tile);
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
    asm volatile("fence.proxy.async.shared::cta;");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(b), "n"(TILE_B));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(t),
                 "l"(&map), "r"(0), "r"(row), "r"(b)
                 : "memory");
    asm volatile("{\n.reg .pred done;\nwait:\nmbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n"
                 "@!done bra wait;\n}" ::"r"(b)
                 : "memory");
    *sum = tile[0];
}

static int is_case(const char *name, const char *of) {
    return !strcmp(name, of);
}

static void ask(const char *when, CUdeviceptr at) {
    CUdeviceptr start = 0;
    size_t size = 0;
    int mapped = -1;
    const int rc[] = {(int)cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at),
                      (int)cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, at),
                      (int)cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, at)};
    printf("%s: 0x%llx: start 0x%llx (%d), %zu B (%d), mapped %d (%d)\n", when,
           (unsigned long long)at, (unsigned long long)start, rc[0], size, rc[1], mapped, rc[2]);
}

/* Addresses for SIZE_B, of which the first `pieces` have memory. */
static CUdeviceptr map_pieces(unsigned pieces) {
    CUmemAllocationProp what = {};
    what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    what.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    const CUmemAccessDesc access = {what.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr at = 0;
    int failed = cuMemAddressReserve(&at, SIZE_B, 0, 0, 0) != CUDA_SUCCESS;
    for (unsigned i = 0; i < pieces && !failed; i++) {
        CUmemGenericAllocationHandle memory;
        failed = cuMemCreate(&memory, PIECE_B, &what, 0) ||
                 cuMemMap(at + (size_t)i * PIECE_B, PIECE_B, 0, memory, 0) ||
                 cuMemSetAccess(at + (size_t)i * PIECE_B, PIECE_B, &access, 1);
    }
    if (failed) {
        printf("no memory could be mapped\n");
        exit(2);
    }
    return at;
}

static CUdeviceptr memory_for(const char *name) {
    void *at = NULL;
    if (is_case(name, "pieces") || is_case(name, "unmapped")) {
        return map_pieces(SIZE_B / PIECE_B);
    }
    if (is_case(name, "short_piece")) {
        return map_pieces(2);
    }
    if (is_case(name, "host")) {
        return (CUdeviceptr)aligned_alloc(4096, SIZE_B);
    }
    if (strncmp(name, "pool", 4) == 0) {
        cudaMallocAsync(&at, SIZE_B, 0);
        cudaStreamSynchronize(0);
    } else {
        cudaMalloc(&at, SIZE_B);
    }
    return (CUdeviceptr)at;
}

static CUtensorMap make_map(CUdeviceptr at, unsigned long long rows) {
    CUtensorMap map;
    const cuuint64_t dim[] = {ROW_B, rows};
    const cuuint64_t stride[] = {ROW_B};
    const cuuint32_t box[] = {ROW_B, ROWS};
    const cuuint32_t step[] = {1, 1};
    const CUresult rc =
        cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, (void *)at, dim, stride, box,
                               step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (rc) {
        printf("cuTensorMapEncodeTiled answered %d\n", (int)rc);
        exit(2);
    }
    return map;
}

static void take_away(const char *name, CUdeviceptr at) {
    if (is_case(name, "freed")) {
        cudaFree((void *)at);
    } else if (is_case(name, "pool_freed")) {
        cudaMemPool_t pool;
        cudaFreeAsync((void *)at, 0);
        cudaStreamSynchronize(0);
        cudaDeviceGetDefaultMemPool(&pool, 0);
        cudaMemPoolTrimTo(pool, 0);
    } else if (is_case(name, "unmapped")) {
        cuMemUnmap(at + PIECE_B, PIECE_B);
    }
}

int main(int count, char **arguments) {
    if (count < 2) {
        for (const char *name : names) {
            printf("%s\n", name);
        }
        return 0;
    }
    const char *name = arguments[1];
    int *sum = NULL;
    cudaMalloc(&sum, sizeof(*sum));
    CUdeviceptr at = memory_for(name);
    const int is_larger = is_case(name, "long") || is_case(name, "ragged");
    const unsigned long long rows = SIZE_B / ROW_B * (is_larger ? 1024ull : 1);
    const int row = is_case(name, "long")          ? SIZE_B / ROW_B * 512
                    : is_case(name, "unmapped")    ? PIECE_B / ROW_B
                    : is_case(name, "short_piece") ? 3 * PIECE_B / ROW_B
                    : is_case(name, "pieces")      ? PIECE_B / ROW_B - ROWS / 2
                                                   : 0;
    CUtensorMap map = make_map(at, rows);
    if (count > 2) {
        ask("before", at + (size_t)row * ROW_B);
    }
    if (is_case(name, "made_again")) {
        cudaFree((void *)at);
        at = memory_for(name);
        map = make_map(at, rows);
    }
    cudaFuncAttributes loaded; /* so that the kernel's own memory is not what was freed */
    cudaFuncGetAttributes(&loaded, load);
    take_away(name, at);
    load<<<1, 1>>>(map, row, sum);
    const cudaError_t rc = cudaDeviceSynchronize();
    printf("%s: error %d (%s)\n", name, (int)rc, cudaGetErrorString(rc));
    if (count > 2) {
        ask("behind", at);
        ask("of another allocation", (CUdeviceptr)sum);
    }
    return rc != cudaSuccess;
}
