/* SPDX-License-Identifier: Apache-2.0
 *
 * What 128 bytes say, wherever they come from; here a map whose box was edited afterwards.
 */
#include <inttypes.h>
#include <stdio.h>
#include <tma/tma.h>

static const char *word(tma_enum_kind kind, uint32_t number) {
    const tma_enum_row *row = tma_enum_row_of(kind, number);
    return row ? row->name : "?";
}

int main(void) {
    const tma_spec spec = {
        .api = TMA_API_TILED,
        .dtype = TMA_DTYPE_FLOAT16,
        .rank = 3,
        .address = 0x7f0000000000,
        .dim_el = {64, 1024, 8},
        .stride_B = {128, 131072},
        .box_el = {64, 64, 1},
        .element_stride = {1, 1, 1},
        .swizzle = TMA_SWIZZLE_128B,
    };
    const tma_edit edit = {.field = TMA_REPLACE_BOX_DIM, .ordinal = 1, .value = 32};
    uint8_t bytes[TMA_MAP_BYTES];
    tma_decoded decoded;
    if (tma_encode(bytes, &spec, NULL) != TMA_OK || tma_replace(bytes, &edit, NULL) != TMA_OK ||
        tma_decode(&decoded, bytes) != TMA_OK) {
        return 1;
    }
    printf("%s %s, swizzle %s\n", word(TMA_ENUM_API, decoded.spec.api),
           word(TMA_ENUM_DTYPE, decoded.spec.dtype), word(TMA_ENUM_SWIZZLE, decoded.spec.swizzle));
    for (uint32_t i = 0; i < decoded.spec.rank; i++) {
        printf("dimension %" PRIu32 ": %" PRIu64 " elements, box %" PRIu32 "\n", i,
               decoded.spec.dim_el[i], decoded.spec.box_el[i]);
    }
    for (uint64_t bit = 1; bit <= TMA_ODD_ALL; bit <<= 1) {
        if (decoded.odd & bit) {
            printf("odd: %s\n", tma_odd_text(bit));
        }
    }
    return 0;
}
