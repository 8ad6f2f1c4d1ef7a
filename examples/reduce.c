/* SPDX-License-Identifier: Apache-2.0
 *
 * A reduction into a tensor that lies in two pieces of host memory, and what happens without the
 * second.
 */
#include <stdio.h>
#include <tma/tma.h>

#define ADDRESS 0x7f0000000000u

int main(void) {
    static uint32_t low[2][8];
    static uint32_t high[2][8];
    static uint32_t shared[4][8];
    const tma_spec spec = {
        .api = TMA_API_TILED,
        .dtype = TMA_DTYPE_UINT32,
        .rank = 2,
        .address = ADDRESS,
        .dim_el = {8, 4},
        .stride_B = {32},
        .box_el = {8, 4},
        .element_stride = {1, 1},
    };
    const tma_instruction add = {.op = TMA_OP_ADD};
    const tma_position at = {.coord = {0, 0}};
    const tma_range pieces[] = {{.address = ADDRESS, .size_B = sizeof(low), .host = low},
                                {.address = ADDRESS + 64, .size_B = sizeof(high), .host = high}};
    const tma_global both = {.ranges = pieces, .count = 2};
    const tma_global half = {.ranges = pieces, .count = 1};
    const tma_window window = {.address = 0, .size_B = sizeof(shared), .host = shared};
    tma_map map;
    tma_plan plan;
    tma_finding why;
    for (uint32_t row = 0; row < 4; row++) {
        shared[row][3] = row + 1;
        low[row % 2][3] = 10;
        high[row % 2][3] = 20;
    }
    if (tma_encode(map.bytes, &spec, NULL) != TMA_OK ||
        tma_plan_make(&plan, map.bytes, &add, NULL, NULL) != TMA_OK ||
        tma_copy(&plan, &at, &both, &window, NULL) != TMA_OK) {
        return 1;
    }
    printf("%u %u %u %u\n", low[0][3], low[1][3], high[0][3], high[1][3]);
    if (tma_copy(&plan, &at, &half, &window, &why) == TMA_MEMORY) {
        char line[512];
        tma_finding_text(line, sizeof(line), &why);
        printf("%s\n", line);
    }
    printf("%u: not one byte has moved\n", low[0][3]);
    return 0;
}
