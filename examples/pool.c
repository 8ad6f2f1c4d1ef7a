/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool of maps for grouped matrices: one is encoded, the others are copies of it with another
 * address, sizes and strides, as tensormap.replace makes them on the device. The pool is a plain
 * array of bytes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tma/tma.h>

#define GROUPS 3

static tma_status edit(uint8_t *map, uint32_t field, uint32_t ordinal, uint64_t value) {
    const tma_edit one = {.field = field, .ordinal = ordinal, .value = value};
    return tma_replace(map, &one, NULL);
}

int main(void) {
    static const uint64_t rows[GROUPS] = {4096, 17, 640};
    static uint8_t pool[GROUPS * TMA_MAP_BYTES];
    const tma_target target = {.sm = 90, .suffix = 'a', .driver = 13000};
    tma_spec spec = {
        .api = TMA_API_TILED,
        .dtype = TMA_DTYPE_BFLOAT16,
        .rank = 2,
        .address = 0x7f0000000000,
        .dim_el = {512, 1},
        .box_el = {64, 64},
        .swizzle = TMA_SWIZZLE_128B,
    };
    if (tma_spec_fill(&spec) != TMA_OK || tma_encode(pool, &spec, &target) != TMA_OK) {
        return 1;
    }
    for (uint32_t i = 0; i < GROUPS; i++) {
        uint8_t *map = pool + (size_t)i * TMA_MAP_BYTES;
        tma_decoded decoded;
        memmove(map, pool, TMA_MAP_BYTES);
        if (tma_replace_address(map, 0x7f0000000000u + (i + 1) * 0x1000000u, NULL) != TMA_OK ||
            edit(map, TMA_REPLACE_GLOBAL_DIM, 1, rows[i]) != TMA_OK ||
            tma_decode(&decoded, map) != TMA_OK || decoded.odd) {
            return 1;
        }
        printf("group %" PRIu32 ": %" PRIu64 " rows at 0x%" PRIx64 "\n", i, decoded.spec.dim_el[1],
               decoded.spec.address);
    }
    return 0;
}
