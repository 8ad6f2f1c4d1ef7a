/* SPDX-License-Identifier: Apache-2.0
 *
 * What bench_python.py's calls take in C: nanoseconds a call, of as many as it says. Loaded by
 * ctypes, timed here.
 */
#include <stdint.h>
#include <time.h>

#include <tma/copy.h>
#include <tma/map.h>
#include <tma/plan.h>

#define ROWS    256
#define COLUMNS 512
#define HALF_B  2

static double now_ns(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static tma_spec half_matrix(const void *global) {
    return (tma_spec){
        .api = TMA_API_TILED,
        .dtype = TMA_DTYPE_FLOAT16,
        .rank = 2,
        .address = (uintptr_t)global,
        .dim_el = {COLUMNS, ROWS},
        .stride_B = {COLUMNS * HALF_B},
        .box_el = {64, 128},
        .element_stride = {1, 1},
        .swizzle = TMA_SWIZZLE_128B,
    };
}

/* The encode of bench_python.py's map; negative if it is refused. */
double tma_yard_encode(const void *global, uint32_t calls);
double tma_yard_encode(const void *global, uint32_t calls) {
    const tma_spec spec = half_matrix(global);
    uint8_t map[TMA_MAP_BYTES];
    int wrong = 0;
    const double start = now_ns();
    for (uint32_t i = 0; i < calls; i++) {
        wrong |= tma_encode(map, &spec, NULL) != TMA_OK;
    }
    return wrong ? -1 : (now_ns() - start) / calls;
}

/* The load of its tile into a window of 16 KiB; negative if it does not run. */
double tma_yard_load(void *global, void *shared, uint32_t calls);
double tma_yard_load(void *global, void *shared, uint32_t calls) {
    const tma_spec spec = half_matrix(global);
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_range range = {
        .address = (uintptr_t)global, .size_B = ROWS * COLUMNS * HALF_B, .host = global};
    const tma_global memory = {.ranges = &range, .count = 1};
    const tma_window window = {.size_B = 64 * 128 * HALF_B, .host = shared};
    const tma_position at = {.coord = {128, 64}};
    uint8_t map[TMA_MAP_BYTES];
    tma_plan plan;
    if (tma_encode(map, &spec, NULL) != TMA_OK ||
        tma_plan_make(&plan, map, &load, NULL, NULL) != TMA_OK) {
        return -1;
    }
    int wrong = 0;
    const double start = now_ns();
    for (uint32_t i = 0; i < calls; i++) {
        wrong |= tma_copy(&plan, &at, &memory, &window, NULL) != TMA_OK;
    }
    return wrong ? -1 : (now_ns() - start) / calls;
}
