/* SPDX-License-Identifier: Apache-2.0
 *
 * What a driver takes and no copy does: a new address of 16 bytes for a map of interleave 32B, and
 * a map at a multiple of 16 bytes.
 */
#include <stdio.h>
#include <string.h>

#include "cuda_or_mirror.h"

static CUresult encode_sliced(CUtensorMap *map) {
    static const cuuint64_t dim[3] = {16, 8, 4};
    static const cuuint64_t stride[2] = {512, 4096};
    static const cuuint32_t box[3] = {16, 1, 4};
    static const cuuint32_t step[3] = {1, 1, 1};
    return cuTensorMapEncodeTiled(
        map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, (void *)(uintptr_t)0x7f0000000000, dim, stride,
        box, step, CU_TENSOR_MAP_INTERLEAVE_32B, CU_TENSOR_MAP_SWIZZLE_32B,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

int main(int argc, char **argv) {
    static CUtensorMap maps[2];
    (void)argv;
    if (argc > 1) { /* twice, at 16 bytes */
        CUtensorMap *odd = (void *)((unsigned char *)&maps[0] + 16);
        const unsigned first = (unsigned)encode_sliced(odd);
        printf("odd %u %u\n", first, (unsigned)encode_sliced(odd));
        return 0;
    }
    printf("sliced %u\n", (unsigned)encode_sliced(&maps[0]));
    printf("by 32 %u\n",
           (unsigned)cuTensorMapReplaceAddress(&maps[0], (void *)(uintptr_t)0x7f0000000020));
    printf("by 16 %u\n",
           (unsigned)cuTensorMapReplaceAddress(&maps[0], (void *)(uintptr_t)0x7f0000000010));
    return 0;
}
