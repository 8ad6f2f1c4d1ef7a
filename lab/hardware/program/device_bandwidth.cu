/* SPDX-License-Identifier: Apache-2.0
 *
 * How fast tiles come: one block on each multiprocessor, up to eight warps, each with a ring
 * of tiles in flight. Every byte of a matrix much larger than the L2 is loaded once a pass.
 */
#include <string.h>

#include "cuda_check.h"
#include "device.h"
#include <tma/pattern.h>

#define WARPS          8
#define MOST_STAGES    32
#define RING_B         (208 << 10) /* of all warps */
#define ALIGN_B        1024
#define MATRIX_B       (UINT64_C(2) << 30)
#define PASSES         7
#define TIMEOUT_CYCLES 40000000

struct work {
    uint32_t tiles;
    uint32_t tile_B, pitch_B; /* of a tile in shared memory */
    uint32_t columns, rows, row_el;
    uint32_t warps, stages; /* of a block; of a warp */
};

static __global__ void fill_kernel(uint64_t *words, uint64_t count) {
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < count; i += step) {
        words[i] = tma_pattern_word(TMA_PATTERN_RAND, 1, i);
    }
}

static __device__ void wait_or_trap(uint32_t barrier, uint32_t parity) {
    if (barrier_completed(barrier, parity)) {
        return;
    }
    const long long start = clock64();
    while (!barrier_completed(barrier, parity)) {
        if (clock64() - start > TIMEOUT_CYCLES) {
            __trap();
        }
    }
}

static __global__ void __launch_bounds__(32 * WARPS)
    load_kernel(const __grid_constant__ tma_map map, const struct work w) {
    extern __shared__ uint8_t dynamic[];
    __shared__ uint64_t barriers[WARPS][MOST_STAGES];
    const uint32_t warp = threadIdx.x / 32;
    const uint32_t base =
        (shared_address(dynamic) + ALIGN_B - 1) / ALIGN_B * ALIGN_B + warp * w.stages * w.pitch_B;
    if (threadIdx.x % 32 || warp >= w.warps) {
        return;
    }
    for (uint32_t i = 0; i < w.stages; i++) {
        barrier_init(shared_address(&barriers[warp][i]));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    const uint32_t first = blockIdx.x * w.warps + warp;
    const uint32_t step = gridDim.x * w.warps;
    const uint32_t own = first < w.tiles ? (w.tiles - first + step - 1) / step : 0;
    const uint32_t step_columns = step % w.columns;
    const uint32_t step_rows = step / w.columns;
    uint32_t column = first % w.columns;
    uint32_t row = first / w.columns;
    uint32_t stage = 0;
    uint32_t parity = 1; /* of the phase before the first: complete */
    for (uint32_t i = 0; i < own; i++) {
        const uint32_t barrier = shared_address(&barriers[warp][stage]);
        wait_or_trap(barrier, parity);
        barrier_expect(barrier, w.tile_B);
        asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
                     "[%1], [%0, {%3, %4}], [%2];" ::"l"(&map),
                     "r"(base + stage * w.pitch_B), "r"(barrier), "r"(column * w.row_el),
                     "r"(row * w.rows)
                     : "memory");
        column += step_columns;
        row += step_rows + (column >= w.columns);
        column -= column >= w.columns ? w.columns : 0;
        stage = stage + 1 == w.stages ? 0 : stage + 1;
        parity ^= stage == 0;
    }
    for (uint32_t i = 0; i < w.stages; i++) { /* the last of each stage */
        wait_or_trap(shared_address(&barriers[warp][stage]), parity);
        stage = stage + 1 == w.stages ? 0 : stage + 1;
        parity ^= stage == 0;
    }
}

static tma_spec matrix_spec(const struct device_tiles *tiles, uint64_t address) {
    tma_spec spec;
    memset(&spec, 0, sizeof(spec));
    const uint32_t element_B = tiles->row_B <= 512 ? 2 : 8;
    const uint64_t width_B = (uint64_t)tiles->row_B * tiles->columns;
    spec.api = TMA_API_TILED;
    spec.dtype = element_B == 2 ? TMA_DTYPE_FLOAT16 : TMA_DTYPE_UINT64;
    spec.rank = 2;
    spec.swizzle = tiles->swizzle;
    spec.address = address;
    spec.dim_el[0] = width_B / element_B;
    spec.dim_el[1] = MATRIX_B / width_B;
    spec.stride_B[0] = width_B;
    spec.box_el[0] = tiles->row_B / element_B;
    spec.box_el[1] = tiles->rows;
    spec.element_stride[0] = spec.element_stride[1] = 1;
    return spec;
}

static struct work work_of(const struct device_tiles *tiles, const tma_spec *spec) {
    struct work w;
    w.tile_B = tiles->row_B * tiles->rows;
    w.pitch_B = (w.tile_B + ALIGN_B - 1) / ALIGN_B * ALIGN_B;
    if (!tiles->swizzle) { /* no pattern to begin */
        w.pitch_B = (w.tile_B + 127) / 128 * 128;
    }
    w.tiles = (uint32_t)(MATRIX_B / w.tile_B);
    w.columns = tiles->columns;
    w.rows = tiles->rows;
    w.row_el = spec->box_el[0];
    w.warps = RING_B / w.pitch_B < WARPS ? RING_B / w.pitch_B : WARPS;
    w.stages = RING_B / w.warps / w.pitch_B;
    w.stages = w.stages > MOST_STAGES ? MOST_STAGES : w.stages;
    return w;
}

/* The median pass. */
static double median(float *times, int count) {
    for (int i = 1; i < count; i++) {
        for (int k = i; k > 0 && times[k] < times[k - 1]; k--) {
            const float swap = times[k];
            times[k] = times[k - 1];
            times[k - 1] = swap;
        }
    }
    return times[count / 2];
}

static const char *time_passes(const tma_map *map, const struct work *w, double *milliseconds) {
    cudaEvent_t begin;
    cudaEvent_t end;
    float times[PASSES];
    int device = 0;
    int blocks = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, device));
    CUDA_TRY(cudaEventCreate(&begin));
    CUDA_TRY(cudaEventCreate(&end));
    const int shared_B = RING_B + ALIGN_B;
    CUDA_TRY(
        cudaFuncSetAttribute(load_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_B));
    for (int i = -1; i < PASSES; i++) { /* one to warm up */
        CUDA_TRY(cudaEventRecord(begin));
        load_kernel<<<(unsigned)blocks, 32 * WARPS, (size_t)shared_B>>>(*map, *w);
        CUDA_TRY(cudaGetLastError());
        CUDA_TRY(cudaEventRecord(end));
        CUDA_TRY(cudaEventSynchronize(end));
        CUDA_TRY(cudaEventElapsedTime(&times[i < 0 ? 0 : i], begin, end));
    }
    CUDA_TRY(cudaEventDestroy(begin));
    CUDA_TRY(cudaEventDestroy(end));
    *milliseconds = median(times, PASSES);
    return NULL;
}

const char *device_bandwidth(const struct device_tiles *tiles, double *rate_B) {
    static uint8_t *matrix;
    double milliseconds = 0;
    tma_map map;
    if (!matrix) {
        CUDA_TRY(cudaMalloc((void **)&matrix, MATRIX_B));
        CUDA_TRY_KERNEL(fill_kernel<<<1024, 256>>>((uint64_t *)matrix, MATRIX_B / 8));
    }
    const tma_spec spec = matrix_spec(tiles, (uint64_t)(uintptr_t)matrix);
    if (tma_encode(map.bytes, &spec, NULL) != TMA_OK) {
        return "the library refuses the map";
    }
    const struct work w = work_of(tiles, &spec);
    const char *error = time_passes(&map, &w, &milliseconds);
    *rate_B = (double)w.tiles * w.tile_B / (milliseconds / 1000);
    return error;
}
