/* SPDX-License-Identifier: Apache-2.0
 *
 * The few types and numbers of CUDA's driver_types.h, vector_types.h and host_runtime.h that
 * are used here, so that no CUDA is needed to build. Enumerations of C are 32 bits to a caller.
 */
#ifndef PROGRAM_CUDA_TYPES_H
#define PROGRAM_CUDA_TYPES_H

#include <stddef.h>
#include <stdint.h>

#define PROGRAM_API __attribute__((visibility("default")))

typedef uint32_t cuda_error;
#define CUDA_ERROR(id, number, name, text) CUDA_##id = number,
enum {
#include "cuda_errors.def"
};

/* Attributes of the device, tma_program_attribute() has its answers: cuda_attributes.def. */
#define CUDA_ATTRIBUTE(id, name, number, value) ATTRIBUTE_##id = number,
enum {
#include "cuda_attributes.def"
};

typedef struct dim3 {
    uint32_t x, y, z;
} dim3;

struct CUstream_st;
struct CUevent_st;
typedef struct CUstream_st *cuda_stream;
typedef struct CUevent_st *cuda_event;
struct CUgraph_st;
struct CUgraphExec_st;
typedef struct CUgraph_st *cuda_graph;
typedef struct CUgraphExec_st *cuda_graph_exec;

typedef struct cuda_launch_attribute {
    uint32_t id;
    uint32_t padding;
    union {
        uint32_t cluster[3];
        int cooperative;
        uint8_t bytes[64];
    } value;
} cuda_launch_attribute;
#define CUDA_ATTRIBUTE_COOPERATIVE 2u /* cudaLaunchAttributeCooperative */
#define CUDA_ATTRIBUTE_CLUSTER     4u /* cudaLaunchAttributeClusterDimension */

typedef struct cuda_launch_config {
    dim3 grid, block;
    size_t dynamic_shared_B;
    cuda_stream stream;
    cuda_launch_attribute *attribute;
    uint32_t attributes;
} cuda_launch_config;
_Static_assert(sizeof(cuda_launch_attribute) == 72 && sizeof(cuda_launch_config) == 56, "as nvcc");

typedef struct cuda_function_attributes {
    size_t shared_B, const_B, local_B;
    int threads_most, registers, ptx_version, binary_version, cache_mode, dynamic_shared_most_B;
    int carveout, cluster_must_be_set, cluster[3], cluster_scheduling, non_portable_cluster;
    int reserved[16];
} cuda_function_attributes;

typedef struct cuda_pointer_attributes {
    uint32_t type; /* 0: nobody's, 1 host, 2 device, 3 managed */
    int device;
    void *device_pointer, *host_pointer;
    long reserved[8];
} cuda_pointer_attributes;

typedef struct cuda_kernel_node {
    const void *func;
    dim3 grid, block;
    uint32_t dynamic_shared_B;
    void **args;
    void **extra;
} cuda_kernel_node;

typedef struct cuda_set_node {
    void *to;
    size_t pitch_B;
    uint32_t value, element_B;
    size_t width_el, rows;
} cuda_set_node;

typedef struct cuda_host_node {
    void (*call)(void *context);
    void *context;
} cuda_host_node;

#endif
