/* SPDX-License-Identifier: Apache-2.0
 *
 * The emulated driver's calls beside CUDA's cudaTypedefs.h: each has the type of that name and
 * version. Compiling it is the test.
 */
#include <cuda.h>
#include <cudaTypedefs.h>
#define CUDA_SUCCESS OWN_SUCCESS /* both enumerations have it */
#undef cuGetProcAddress          /* names that are an older version's, too */
#undef cuDeviceGetUuid
#undef cuEventElapsedTime
#undef cuGetProcAddress_v2

#define LIBCUDA_HAS_TYPES
#include "../driver/libcuda_calls.h"

#define LIBCUDA_CALL(name, since, symbol, ...)                                                     \
    extern const PFN_##name##_v##since same_##symbol;                                              \
    const PFN_##name##_v##since same_##symbol = symbol;
#include "../driver/libcuda_calls.def"

#define SAME(a, b)                                 _Static_assert((long long)(a) == (long long)(b), #a " is " #b)
#define PROGRAM_KERNEL_ATTRIBUTE(id, name, number) SAME(number, CU_FUNC_ATTRIBUTE_##name);
#include "../kernel_attributes.def"
SAME(PROGRAM_MOST_ATTRIBUTES >= CU_DEVICE_ATTRIBUTE_MAX, 1);
SAME(PROGRAM_HOST, CU_MEMORYTYPE_HOST);
SAME(PROGRAM_DEVICE_MEMORY, CU_MEMORYTYPE_DEVICE);
