/* SPDX-License-Identifier: Apache-2.0
 *
 * New addresses for maps: right ones, and such as break each rule; of a map that an encode call
 * made, of one of a padded type, of 128 other bytes, and of none. First, what errno is at the
 * start.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "call_cases.h"

#define TYPE_16U4_ALIGN16B ((CUtensorMapDataType)14)

static const uint64_t addresses[] = {0,
                                     8,
                                     16,
                                     32,
                                     0x7f0000000010,
                                     (UINT64_C(1) << 57) - 16,
                                     (UINT64_C(1) << 57) - 32,
                                     UINT64_C(1) << 57,
                                     (UINT64_C(1) << 57) + 8,
                                     UINT64_MAX - 15,
                                     UINT64_MAX};

static CUresult encode_padded(CUtensorMap *map) {
    static const cuuint64_t dim[2] = {256, 16};
    static const cuuint64_t stride[1] = {128};
    static const cuuint32_t box[2] = {128, 4};
    static const cuuint32_t step[2] = {1, 1};
    return cuTensorMapEncodeTiled(map, TYPE_16U4_ALIGN16B, 2, (void *)(uintptr_t)0x7f0000000000,
                                  dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                  CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/* More dimensions than there are: the arrays are not looked at, the numbers are. */
static CUresult encode_six(CUtensorMap *map) {
    static const cuuint64_t any[6] = {1, 2, 3, 4, 5, 6};
    static const cuuint32_t step[6] = {1, 1, 1, 1, 1, 1};
    static const int corner[4] = {9999, 9999, 9999, 9999};
    return cuTensorMapEncodeIm2col(
        map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 6, (void *)(uintptr_t)0x7f0000000008, any, any,
        corner, corner, 999, 9999, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static void replace_all(const char *name, const CUtensorMap *before) {
    for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        CUtensorMap map = *before;
        errno = 77;
        const CUresult rc = cuTensorMapReplaceAddress(&map, (void *)(uintptr_t)addresses[i]);
        const int error = errno;
        uint64_t address = 0; /* its bytes as a GPU has them, lowest first */
        for (size_t byte = sizeof(address); byte > 0; byte--) {
            address = address << 8 | ((const unsigned char *)&map)[byte - 1];
        }
        const int rest =
            memcmp((const char *)&map + sizeof(address), (const char *)before + sizeof(address),
                   sizeof(map) - sizeof(address));
        printf("%s 0x%llx %u: address 0x%llx, the rest %s, errno %d\n", name,
               (unsigned long long)addresses[i], (unsigned)rc, (unsigned long long)address,
               rest ? "other" : "same", error);
    }
}

int main(void) {
    const int start = errno;
    CUtensorMap map;
    memset(&map, 0, sizeof(map)); /* a driver that refuses may leave it */
    printf("errno %d\n", start);
    printf("matrix %u\n",
           (unsigned)encode_matrix(cuTensorMapEncodeTiled, &map, 64, 0x7f0000000000));
    replace_all("matrix", &map);
    printf("padded %u\n", (unsigned)encode_padded(&map));
    replace_all("padded", &map);
    memset(&map, 0x5A, sizeof(map));
    replace_all("other", &map);
    printf("six %u\n", (unsigned)encode_six(&map));
    printf("none %u\n", (unsigned)cuTensorMapReplaceAddress(NULL, (void *)(uintptr_t)32));
    return 0;
}
