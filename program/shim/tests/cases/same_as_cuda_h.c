/* SPDX-License-Identifier: Apache-2.0
 *
 * The shim's own types and numbers beside those of the real cuda.h, and its functions called in the
 * real types: what they write is what libtma makes of the same arguments by tma/cuda_driver.h.
 * Compiling it is half of the test.
 */
#include "tma/cuda_driver.h"

#include <stddef.h>
#include <stdio.h>

#include "call_cases.h"

/* Every call is declared a second time, in the shim's own types: a difference is an error. */
#undef cuGetProcAddress /* cuda.h's word for the _v2 */
#include "driver_abi.h"

#define SAME(a, b)      _Static_assert((long long)(a) == (long long)(b), #a " is " #b)
#define SAME_SIZE(a, b) _Static_assert(sizeof(a) == sizeof(b), #a " has the size of " #b)

SAME_SIZE(shim_result, CUresult);
SAME_SIZE(shim_lookup_status, CUdriverProcAddressQueryResult);
SAME_SIZE(uint32_t, cuuint32_t);
SAME_SIZE(uint64_t, cuuint64_t);
SAME_SIZE(uint32_t, CUtensorMapDataType);
SAME_SIZE(uint32_t, CUtensorMapInterleave);
SAME_SIZE(uint32_t, CUtensorMapSwizzle);
SAME_SIZE(uint32_t, CUtensorMapL2promotion);
SAME_SIZE(uint32_t, CUtensorMapFloatOOBfill);
SAME_SIZE(int, CUdevice);
SAME_SIZE(int, CUdevice_attribute);
SAME(sizeof(CUtensorMap), TMA_MAP_BYTES);
_Static_assert(_Alignof(CUtensorMap) % SHIM_MAP_ALIGNMENT_B == 0, "alignment");

SAME(SHIM_SUCCESS, CUDA_SUCCESS);
SAME(SHIM_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE);
SAME(SHIM_ERROR_STUB_LIBRARY, CUDA_ERROR_STUB_LIBRARY);
SAME(SHIM_ERROR_NOT_FOUND, CUDA_ERROR_NOT_FOUND);
SAME(SHIM_ERROR_ASSERT, CUDA_ERROR_ASSERT);
SAME(SHIM_ERROR_NOT_SUPPORTED, CUDA_ERROR_NOT_SUPPORTED);
SAME(SHIM_LOOKUP_SUCCESS, CU_GET_PROC_ADDRESS_SUCCESS);
SAME(SHIM_LOOKUP_NOT_FOUND, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
SAME(SHIM_LOOKUP_VERSION_NOT_SUFFICIENT, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
SAME(SHIM_LOOKUP_FLAGS,
     CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
SAME(SHIM_LOOKUP_PER_THREAD, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
SAME(SHIM_LIBRARY_BINARY_IS_PRESERVED, CU_LIBRARY_BINARY_IS_PRESERVED);
SAME(SHIM_ATTRIBUTE_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(SHIM_ATTRIBUTE_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(SHIM_POINTER_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
SAME(SHIM_POINTER_IS_MANAGED, CU_POINTER_ATTRIBUTE_IS_MANAGED);
SAME(SHIM_POINTER_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
SAME(SHIM_POINTER_RANGE_START, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR);
SAME(SHIM_POINTER_RANGE_SIZE, CU_POINTER_ATTRIBUTE_RANGE_SIZE);
SAME(SHIM_DEVICE_MEMORY, CU_MEMORYTYPE_DEVICE);
SAME_SIZE(shim_launch_config, CUlaunchConfig);
SAME_SIZE(shim_launch_attribute, CUlaunchAttribute);
SAME(offsetof(shim_launch_config, block), offsetof(CUlaunchConfig, blockDimX));
SAME(offsetof(shim_launch_config, shared_B), offsetof(CUlaunchConfig, sharedMemBytes));
SAME(offsetof(shim_launch_config, stream), offsetof(CUlaunchConfig, hStream));
SAME(offsetof(shim_launch_config, attribute), offsetof(CUlaunchConfig, attrs));
SAME(offsetof(shim_launch_config, attributes), offsetof(CUlaunchConfig, numAttrs));
SAME(offsetof(shim_launch_attribute, value), offsetof(CUlaunchAttribute, value));
SAME(SHIM_LAUNCH_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
SAME(SHIM_LAUNCH_CLUSTER, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
#define DRIVER_CODE(name, number, about, words, meaning) SAME(number, CUDA_ERROR_##name);
#if CUDA_VERSION >= 13050
#define DRIVER_CODE_NAME(name, number) SAME(number, CUDA_ERROR_##name);
#endif
#include <tma/driver_codes.def>
#undef DRIVER_CODE

#define MATRIX_ADDRESS 0x7f0000000000

/* What libtma makes of encode_matrix's arguments. */
static CUresult by_libtma(CUtensorMap *map, CUtensorMapDataType dtype, cuuint32_t rank,
                          void *address, const cuuint64_t *dim, const cuuint64_t *stride,
                          const cuuint32_t *box, const cuuint32_t *step,
                          CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                          CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill) {
    const tma_spec spec =
        tma_cuda_tiled(dtype, rank, address, dim, stride, box, step, interleave, swizzle, l2, fill);
    tma_map made;
    const tma_status status = tma_encode(made.bytes, &spec, NULL);
    if (status == TMA_OK) {
        *map = tma_cuda_from_map(&made);
    }
    return (CUresult)status;
}

int main(void) {
    int different = SHIM_STREAM_PER_THREAD != CU_STREAM_PER_THREAD ||
                    SHIM_EXTRA_BUFFER != CU_LAUNCH_PARAM_BUFFER_POINTER ||
                    SHIM_EXTRA_SIZE != CU_LAUNCH_PARAM_BUFFER_SIZE;
    for (cuuint32_t width = 8; width <= 128; width += 8) {
        CUtensorMap theirs;
        CUtensorMap ours;
        memset(&theirs, 0x55, sizeof(theirs));
        memset(&ours, 0x55, sizeof(ours));
        const CUresult rc = encode_matrix(by_libtma, &theirs, width, MATRIX_ADDRESS);
        if (encode_matrix(cuTensorMapEncodeTiled, &ours, width, MATRIX_ADDRESS) != rc ||
            memcmp(&theirs, &ours, sizeof(ours)) != 0) {
            printf("box %u wide: the shim answers otherwise\n", (unsigned)width);
            different++;
        }
    }
    printf("16 calls in cuda.h's types, %d different\n", different);
    return different != 0;
}
