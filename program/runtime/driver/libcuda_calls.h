/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's calls, as cuda.h declares them: tests/same_as_cuda_calls.c declares both.
 * Enumerations of C are 32 bits to a caller, a CUdeviceptr 64.
 */
#ifndef LIBCUDA_CALLS_H
#define LIBCUDA_CALLS_H

#include "program_contexts.h"

typedef unsigned long long device_address; /* CUdeviceptr */
struct CUmod_st;
struct CUlib_st;
struct CUfunc_st;
struct CUkern_st;
struct CUmemPoolHandle_st;
struct CUgraphNode_st;

#ifndef LIBCUDA_HAS_TYPES /* cuda.h's */
struct CUuuid_st {
    char bytes[16];
};

struct CUDA_MEMCPY2D_st {
    size_t from_x_B, from_y;
    uint32_t from_type;
    const void *from_host;
    device_address from_device;
    void *from_array;
    size_t from_pitch_B;
    size_t to_x_B, to_y;
    uint32_t to_type;
    void *to_host;
    device_address to_device;
    void *to_array;
    size_t to_pitch_B;
    size_t width_B, rows;
};

struct CUlaunchConfig_st {
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_B;
    struct CUstream_st *stream;
    cuda_launch_attribute *attribute;
    uint32_t attributes;
};

struct CUctxCreateParams_st {
    void *affinity;
    int affinities;
    void *graphics;
};
#endif

#ifndef LIBCUDA_NO_CALLS
#define LIBCUDA_CALL(name, since, symbol, ...) PROGRAM_API uint32_t symbol(__VA_ARGS__);
#include "libcuda_calls.def"
#endif

/* A runtime's error as the driver has it. */
uint32_t libcuda_result(cuda_error error);
/* What a call with a context answers before it does anything. */
uint32_t libcuda_state(void);

#endif
