/* SPDX-License-Identifier: Apache-2.0
 *
 * Time per byte of a tile load against the box's size, rank and element size: lines of
 * tab-separated values for tools/plot_sizes.py. Rows of 128 bytes, 128-byte swizzle, a tensor of 4
 * MiB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tma/tma.h>

#include "timing.h"

#define TENSOR_B       (4u << 20)
#define WINDOW_ADDRESS 0x400u
#define ROUNDS         31
#define ROUND_B        (2u << 20)

static _Alignas(1024) uint8_t tensor[TENSOR_B + 4096];
static _Alignas(1024) uint8_t window_bytes[160 << 10];

/* A box of `box_B` bytes: rows of 128 bytes, two of each outer dimension, the rest along dimension
 * 1; the tensor is packed and large enough for the box to lie inside. */
static tma_spec spec_of(uint32_t rank, uint32_t element_B, uint32_t box_B) {
    static const uint32_t types[] = {
        0, TMA_DTYPE_UINT8, TMA_DTYPE_UINT16, 0, TMA_DTYPE_UINT32, 0, 0, 0, TMA_DTYPE_UINT64};
    const uint32_t row_B = box_B < 128 ? box_B : 128;
    uint32_t rows = box_B / row_B;
    tma_spec s = {.rank = rank, .dtype = types[element_B], .swizzle = TMA_SWIZZLE_128B};
    s.address = (uint64_t)(uintptr_t)tensor;
    s.dim_el[0] = 256 / element_B; /* rows are 256 bytes apart */
    s.box_el[0] = row_B / element_B;
    for (uint32_t i = rank; i-- > 1;) {
        const uint32_t outer = i > 1 && rows % 2 == 0 ? 2 : i > 1 ? 1 : rows;
        s.box_el[i] = outer;
        rows /= outer;
    }
    uint64_t stride_B = 256;
    for (uint32_t i = 0; i < rank; i++) {
        s.element_stride[i] = 1;
        if (i) {
            s.dim_el[i] = i + 1 < rank ? s.box_el[i] : TENSOR_B / stride_B;
            s.stride_B[i - 1] = stride_B;
            stride_B *= s.dim_el[i];
        }
    }
    return s;
}

static double time_ns(const tma_plan *plan, const tma_spec *s, uint32_t box_B, int yard) {
    const tma_window window = {
        .address = WINDOW_ADDRESS, .size_B = sizeof(window_bytes), .host = window_bytes};
    const tma_range range = {.address = s->address, .size_B = TENSOR_B, .host = tensor};
    const tma_global global = {.ranges = &range, .count = 1};
    const uint32_t last = s->rank - 1;
    const uint32_t steps = (uint32_t)(s->dim_el[last] / s->box_el[last]);
    const uint32_t row_B = box_B < 128 ? box_B : 128;
    const uint32_t copies = ROUND_B / box_B;
    tma_position at = {.shared_address = WINDOW_ADDRESS};
    const double before = timing_now_ns();
    for (uint32_t i = 0; i < copies; i++) {
        at.coord[last] = (int32_t)(i % steps * s->box_el[last]);
        if (yard) {
            const uint8_t *from = tensor + (uint64_t)at.coord[last] * s->stride_B[last - 1];
            for (uint32_t row = 0; row < box_B / row_B; row++) {
                memcpy(window_bytes + (size_t)row * row_B, from + (size_t)row * 256, row_B);
            }
        } else if (tma_copy(plan, &at, &global, &window, NULL) != TMA_OK) {
            exit(2);
        }
    }
    return (timing_now_ns() - before) / ((double)copies * box_B);
}

static int measure(uint32_t rank, uint32_t element_B, uint32_t box_B) {
    const tma_spec s = spec_of(rank, element_B, box_B);
    const tma_instruction in = {.op = TMA_OP_LOAD, .mode = TMA_MODE_TILE, .cluster = 1};
    double ours[ROUNDS];
    double yard[ROUNDS];
    tma_map map;
    tma_plan plan;
    if (tma_encode(map.bytes, &s, NULL) != TMA_OK ||
        tma_plan_make(&plan, map.bytes, &in, NULL, NULL) != TMA_OK) {
        fprintf(stderr, "bench_sizes: rank %u, %u bytes: refused\n", rank, box_B);
        return 2;
    }
    for (int i = 0; i < ROUNDS; i++) {
        ours[i] = time_ns(&plan, &s, box_B, 0);
        yard[i] = time_ns(&plan, &s, box_B, 1);
    }
    printf("%u\t%u\t%u\t%.5f\t%.5f\n", rank, element_B, box_B, timing_median(ours, ROUNDS),
           timing_median(yard, ROUNDS));
    return 0;
}

int main(void) {
    int status = 0;
    memset(tensor, 0x3C, sizeof(tensor));
    printf("rank\telement_B\tbox_B\tns_per_B\tmemcpy_ns_per_B\n");
    for (uint32_t box_B = 64; box_B <= 128u << 10; box_B *= 2) {
        for (uint32_t rank = 2; rank <= 5; rank++) {
            if (box_B / 128 <= 256u << (rank - 2)) { /* 256 rows along dimension 1 at most */
                status |= measure(rank, 2, box_B);
            }
        }
        for (uint32_t element_B = 1; element_B <= 8; element_B *= 2) {
            if (element_B != 2 && box_B / 128 <= 256) {
                status |= measure(2, element_B, box_B);
            }
        }
    }
    return status;
}
