/* SPDX-License-Identifier: Apache-2.0
 *
 * What another project does with libtma: encodes one map, and prints 128 bytes. The same source is
 * the C and the C++ consumer.
 */
#include <stdio.h>

#include <tma/tma.h>

int main(void) {
    tma_spec spec = {0};
    tma_map map;
    spec.api = TMA_API_TILED;
    spec.dtype = TMA_DTYPE_BFLOAT16;
    spec.rank = 2;
    spec.swizzle = TMA_SWIZZLE_128B;
    spec.address = 0x7f0000000000;
    spec.dim_el[0] = 4096;
    spec.dim_el[1] = 8192;
    spec.stride_B[0] = 8192;
    spec.box_el[0] = 64;
    spec.box_el[1] = 128;
    spec.element_stride[0] = 1;
    spec.element_stride[1] = 1;
    if (tma_encode(map.bytes, &spec, NULL) != TMA_OK) {
        printf("refused\n");
        return 1;
    }
    for (int i = 0; i < TMA_MAP_BYTES; i++) {
        printf("%02x", map.bytes[i]);
    }
    printf("\nlibtma " TMA_VERSION " linked\n");
    return 0;
}
