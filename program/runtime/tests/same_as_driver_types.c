/* SPDX-License-Identifier: Apache-2.0
 *
 * Types and numbers of the emulated runtime beside those of CUDA's driver_types.h. Compiling it is
 * the test.
 */
#include <driver_types.h>

#define dim3 program_dim3
#include "../cuda_types.h"
#undef dim3
#include "../device_properties.h"

#define SAME(a, b)      _Static_assert((long long)(a) == (long long)(b), #a " is " #b)
#define SAME_SIZE(a, b) _Static_assert(sizeof(a) == sizeof(b), #a " has the size of " #b)
#define SAME_PLACE(type, member, cuda, cudas)                                                      \
    SAME(offsetof(type, member), offsetof(cuda, cudas));                                           \
    SAME(sizeof(((type *)0)->member), sizeof(((cuda *)0)->cudas))

#define CUDA_ERROR(id, number, name, text) SAME(number, name);
#include "../cuda_errors.def"
#define CUDA_ATTRIBUTE(id, name, number, value) SAME(number, cudaDevAttr##name);
#include "../cuda_attributes.def"
SAME(CUDA_ATTRIBUTE_COOPERATIVE, cudaLaunchAttributeCooperative);
SAME(CUDA_ATTRIBUTE_CLUSTER, cudaLaunchAttributeClusterDimension);

SAME_SIZE(cuda_launch_attribute, cudaLaunchAttribute);
SAME_PLACE(cuda_launch_attribute, value, cudaLaunchAttribute, val);
SAME_SIZE(cuda_launch_config, cudaLaunchConfig_t);
SAME_PLACE(cuda_launch_config, block, cudaLaunchConfig_t, blockDim);
SAME_PLACE(cuda_launch_config, dynamic_shared_B, cudaLaunchConfig_t, dynamicSmemBytes);
SAME_PLACE(cuda_launch_config, attribute, cudaLaunchConfig_t, attrs);
SAME_PLACE(cuda_launch_config, attributes, cudaLaunchConfig_t, numAttrs);

typedef struct cudaFuncAttributes function;
SAME_SIZE(cuda_function_attributes, function);
SAME_PLACE(cuda_function_attributes, threads_most, function, maxThreadsPerBlock);
SAME_PLACE(cuda_function_attributes, ptx_version, function, ptxVersion);
SAME_PLACE(cuda_function_attributes, binary_version, function, binaryVersion);
SAME_PLACE(cuda_function_attributes, dynamic_shared_most_B, function, maxDynamicSharedSizeBytes);

typedef struct cudaPointerAttributes pointer;
SAME_SIZE(cuda_pointer_attributes, pointer);
SAME_PLACE(cuda_pointer_attributes, type, pointer, type);
SAME_PLACE(cuda_pointer_attributes, device, pointer, device);
SAME_PLACE(cuda_pointer_attributes, device_pointer, pointer, devicePointer);
SAME_PLACE(cuda_pointer_attributes, host_pointer, pointer, hostPointer);

typedef struct cudaKernelNodeParams kernel_node;
SAME_SIZE(cuda_kernel_node, kernel_node);
SAME_PLACE(cuda_kernel_node, block, kernel_node, blockDim);
SAME_PLACE(cuda_kernel_node, dynamic_shared_B, kernel_node, sharedMemBytes);
SAME_PLACE(cuda_kernel_node, args, kernel_node, kernelParams);

typedef struct cudaMemsetParams set_node;
SAME_SIZE(cuda_set_node, set_node);
SAME_PLACE(cuda_set_node, pitch_B, set_node, pitch);
SAME_PLACE(cuda_set_node, element_B, set_node, elementSize);
SAME_PLACE(cuda_set_node, width_el, set_node, width);
SAME_PLACE(cuda_set_node, rows, set_node, height);

SAME_SIZE(cuda_host_node, struct cudaHostNodeParams);

#if TMA_CUDA_VERSION >= 13000 /* of cuda.h beside it: CUDA 12 has the properties elsewhere */
typedef struct cudaDeviceProp device;
SAME_SIZE(device_properties, device);
SAME_PLACE(device_properties, memory_B, device, totalGlobalMem);
SAME_PLACE(device_properties, block_shared_B, device, sharedMemPerBlock);
SAME_PLACE(device_properties, block_registers, device, regsPerBlock);
SAME_PLACE(device_properties, warp, device, warpSize);
SAME_PLACE(device_properties, most_pitch_B, device, memPitch);
SAME_PLACE(device_properties, block_threads, device, maxThreadsPerBlock);
SAME_PLACE(device_properties, block_size, device, maxThreadsDim);
SAME_PLACE(device_properties, grid_size, device, maxGridSize);
SAME_PLACE(device_properties, constant_B, device, totalConstMem);
SAME_PLACE(device_properties, major, device, major);
SAME_PLACE(device_properties, minor, device, minor);
SAME_PLACE(device_properties, processors, device, multiProcessorCount);
SAME_PLACE(device_properties, maps_host, device, canMapHostMemory);
SAME_PLACE(device_properties, concurrent_kernels, device, concurrentKernels);
SAME_PLACE(device_properties, copy_engines, device, asyncEngineCount);
SAME_PLACE(device_properties, unified, device, unifiedAddressing);
SAME_PLACE(device_properties, bus_bit, device, memoryBusWidth);
SAME_PLACE(device_properties, l2_B, device, l2CacheSize);
SAME_PLACE(device_properties, processor_threads, device, maxThreadsPerMultiProcessor);
SAME_PLACE(device_properties, priorities, device, streamPrioritiesSupported);
SAME_PLACE(device_properties, processor_shared_B, device, sharedMemPerMultiprocessor);
SAME_PLACE(device_properties, processor_registers, device, regsPerMultiprocessor);
SAME_PLACE(device_properties, managed, device, managedMemory);
SAME_PLACE(device_properties, preemption, device, computePreemptionSupported);
SAME_PLACE(device_properties, cooperative, device, cooperativeLaunch);
SAME_PLACE(device_properties, block_shared_optin_B, device, sharedMemPerBlockOptin);
SAME_PLACE(device_properties, processor_blocks, device, maxBlocksPerMultiProcessor);
SAME_PLACE(device_properties, reserved_shared_B, device, reservedSharedMemPerBlock);
SAME_PLACE(device_properties, pools, device, memoryPoolsSupported);
SAME_PLACE(device_properties, clusters, device, clusterLaunch);
#endif
