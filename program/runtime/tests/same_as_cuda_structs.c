/* SPDX-License-Identifier: Apache-2.0
 *
 * Structures of the emulated driver beside cuda.h's. Compiling it is the test.
 */
#include <cuda.h>

/* Ours, under other names. */
#define CUuuid_st            own_uuid
#define CUDA_MEMCPY2D_st     own_copy
#define CUlaunchConfig_st    own_config
#define CUctxCreateParams_st own_context
#define CUDA_SUCCESS         OWN_SUCCESS /* both enumerations have it */
#undef cuGetProcAddress
#undef cuDeviceGetUuid
#undef cuEventElapsedTime
#define LIBCUDA_NO_CALLS
#include "../driver/libcuda_calls.h"

#define SAME(a, b) _Static_assert((a) == (b), #a " is " #b)
#define SAME_PLACE(type, member, cuda, cudas)                                                      \
    SAME(offsetof(struct type, member), offsetof(cuda, cudas));                                    \
    SAME(sizeof(((struct type *)0)->member), sizeof(((cuda *)0)->cudas))

SAME(sizeof(struct own_uuid), sizeof(CUuuid));
SAME(sizeof(struct own_copy), sizeof(CUDA_MEMCPY2D));
SAME_PLACE(own_copy, from_y, CUDA_MEMCPY2D, srcY);
SAME_PLACE(own_copy, from_type, CUDA_MEMCPY2D, srcMemoryType);
SAME_PLACE(own_copy, from_host, CUDA_MEMCPY2D, srcHost);
SAME_PLACE(own_copy, from_device, CUDA_MEMCPY2D, srcDevice);
SAME_PLACE(own_copy, from_pitch_B, CUDA_MEMCPY2D, srcPitch);
SAME_PLACE(own_copy, to_x_B, CUDA_MEMCPY2D, dstXInBytes);
SAME_PLACE(own_copy, to_y, CUDA_MEMCPY2D, dstY);
SAME_PLACE(own_copy, to_type, CUDA_MEMCPY2D, dstMemoryType);
SAME_PLACE(own_copy, to_host, CUDA_MEMCPY2D, dstHost);
SAME_PLACE(own_copy, to_device, CUDA_MEMCPY2D, dstDevice);
SAME_PLACE(own_copy, to_pitch_B, CUDA_MEMCPY2D, dstPitch);
SAME_PLACE(own_copy, width_B, CUDA_MEMCPY2D, WidthInBytes);
SAME_PLACE(own_copy, rows, CUDA_MEMCPY2D, Height);
SAME(sizeof(struct own_config), sizeof(CUlaunchConfig));
SAME(offsetof(struct own_config, grid), offsetof(CUlaunchConfig, gridDimX));
SAME(offsetof(struct own_config, block), offsetof(CUlaunchConfig, blockDimX));
SAME_PLACE(own_config, dynamic_shared_B, CUlaunchConfig, sharedMemBytes);
SAME_PLACE(own_config, stream, CUlaunchConfig, hStream);
SAME_PLACE(own_config, attribute, CUlaunchConfig, attrs);
SAME_PLACE(own_config, attributes, CUlaunchConfig, numAttrs);
SAME(sizeof(struct own_context), sizeof(CUctxCreateParams));
SAME_PLACE(own_context, affinities, CUctxCreateParams, numExecAffinityParams);
SAME_PLACE(own_context, graphics, CUctxCreateParams, cigParams);
