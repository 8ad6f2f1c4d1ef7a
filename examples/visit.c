/* SPDX-License-Identifier: Apache-2.0
 *
 * Every run of bytes of one im2col load, by a visitor: how much of it is padding of the image.
 */
#include <inttypes.h>
#include <stdio.h>
#include <tma/tma.h>

static int add(void *context, const tma_run *run) {
    uint64_t *bytes = (uint64_t *)context;
    bytes[run->kind] += run->length_B;
    if (run->row < 2 && run->offset_B == 0) {
        printf("row %" PRIu32 ": pixel w %" PRId64 ", h %" PRId64 ", image %" PRId64 "%s\n",
               run->row, run->coord[1], run->coord[2], run->coord[3],
               run->kind == TMA_RUN_OUTSIDE ? ", outside" : "");
    }
    return 0;
}

int main(void) {
    const tma_spec spec = {
        .api = TMA_API_IM2COL,
        .dtype = TMA_DTYPE_FLOAT16,
        .rank = 4,
        .address = 0x7f0000000000,
        .dim_el = {64, 14, 14, 2},
        .stride_B = {128, 1792, 25088},
        .lower_px = {-1, -1},
        .upper_px = {-1, -1},
        .channels_per_pixel = 64,
        .pixels_per_column = 32,
        .element_stride = {1, 1, 1, 1},
        .swizzle = TMA_SWIZZLE_128B,
    };
    const tma_instruction load = {.op = TMA_OP_LOAD, .mode = TMA_MODE_IM2COL};
    const tma_position at = {.coord = {0, -1, -1, 0}, .offset = {1, 0}};
    uint64_t bytes[4] = {0, 0, 0, 0};
    tma_map map;
    tma_plan plan;
    if (tma_encode(map.bytes, &spec, NULL) != TMA_OK ||
        tma_plan_make(&plan, map.bytes, &load, NULL, NULL) != TMA_OK ||
        tma_walk(&plan, &at, add, bytes) != 0) {
        return 1;
    }
    printf("%" PRIu64 " B inside the images, %" PRIu64 " B filled, %" PRIu64 " B in all\n",
           bytes[TMA_RUN_INSIDE], bytes[TMA_RUN_OUTSIDE], tma_plan_info(&plan)->tx_B);
    return 0;
}
