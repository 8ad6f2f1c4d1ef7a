/* SPDX-License-Identifier: Apache-2.0
 *
 * One load over the edge of a constant tensor, bytes where the hardware puts them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <tma/tma.h>

#define ADDRESS 0x7f0000000000u

int main(void) {
    static const uint16_t tensor[4][64] = {{1}, {2}, {3}, {4}};
    static uint16_t shared[8][64]; /* at shared address 0x400 */
    const tma_spec spec = {
        .api = TMA_API_TILED,
        .dtype = TMA_DTYPE_UINT16,
        .rank = 2,
        .address = ADDRESS,
        .dim_el = {64, 4},
        .stride_B = {128},
        .box_el = {64, 8},
        .element_stride = {1, 1},
        .swizzle = TMA_SWIZZLE_128B,
    };
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_position at = {.coord = {0, 2}, .shared_address = 0x400};
    const tma_range range = {.address = ADDRESS, .size_B = sizeof(tensor), .read_only = tensor};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window window = {.address = 0x400, .size_B = sizeof(shared), .host = shared};
    tma_map map;
    tma_plan plan;
    tma_finding why;
    if (tma_encode(map.bytes, &spec, NULL) != TMA_OK ||
        tma_plan_make(&plan, map.bytes, &load, NULL, &why) != TMA_OK ||
        tma_copy(&plan, &at, &global, &window, &why) != TMA_OK) {
        return 1;
    }
    printf("%" PRIu64 " B counted on the barrier\n", tma_plan_info(&plan)->tx_B);
    for (uint32_t row = 0; row < 4; row++) {
        const uint32_t address =
            tma_swizzled(tma_plan_info(&plan)->swizzle_bits, at.shared_address + row * 128);
        printf("row %" PRIu32 ": first element at 0x%" PRIx32 ", %u\n", row, address,
               (unsigned)shared[row][(address - 0x400 - row * 128) / 2]);
    }
    return 0;
}
