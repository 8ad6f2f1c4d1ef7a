/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime's device, an H200, and the driver's functions that it is asked for.
 */
#include "cudart_calls.h"
#include "device_properties.h"

static cuda_error put_int(int *out, int value) {
    if (!out) {
        return cudart_result(CUDA_INVALID_VALUE);
    }
    *out = value;
    return cudart_state();
}

PROGRAM_API cuda_error cudaGetDeviceCount(int *count);
cuda_error cudaGetDeviceCount(int *count) {
    return put_int(count, 1);
}

PROGRAM_API cuda_error cudaGetDevice(int *device);
cuda_error cudaGetDevice(int *device) {
    return put_int(device, 0);
}

PROGRAM_API cuda_error cudaSetDevice(int device);
cuda_error cudaSetDevice(int device) {
    return device ? cudart_result(CUDA_INVALID_DEVICE) : cudart_state();
}

PROGRAM_API cuda_error cudaDeviceGetAttribute(int *value, uint32_t attribute, int device);
cuda_error cudaDeviceGetAttribute(int *value, uint32_t attribute, int device) {
    return device ? cudart_result(CUDA_INVALID_DEVICE)
                  : put_int(value, tma_program_attribute((int)attribute));
}

PROGRAM_API cuda_error cudaGetDeviceProperties(device_properties *out, int device);
cuda_error cudaGetDeviceProperties(device_properties *out, int device) {
    if (!out || device) {
        return cudart_result(device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    }
    *out = (device_properties){
        .name = PROGRAM_DEVICE,
        .memory_B = PROGRAM_MEMORY_B,
        .block_shared_B = ATTRIBUTE_BLOCK_SHARED_B,
        .block_registers = ATTRIBUTE_BLOCK_REGISTERS,
        .warp = ATTRIBUTE_WARP,
        .most_pitch_B = ATTRIBUTE_PITCH_B,
        .block_threads = ATTRIBUTE_BLOCK_THREADS,
        .block_size = {ATTRIBUTE_BLOCK_X, ATTRIBUTE_BLOCK_Y, ATTRIBUTE_BLOCK_Z},
        .grid_size = {ATTRIBUTE_GRID_X, ATTRIBUTE_GRID_Y, ATTRIBUTE_GRID_Z},
        .constant_B = ATTRIBUTE_CONSTANT_B,
        .major = ATTRIBUTE_MAJOR,
        .minor = ATTRIBUTE_MINOR,
        .processors = ATTRIBUTE_PROCESSORS,
        .texture_alignment_B = ATTRIBUTE_TEXTURE_ALIGNMENT_B,
        .texture_pitch_alignment_B = ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT_B,
        .ecc = ATTRIBUTE_ECC,
        .persisting_l2_B = ATTRIBUTE_PERSISTING_L2_B,
        .caches_globals = ATTRIBUTE_CACHES_GLOBALS,
        .caches_locals = ATTRIBUTE_CACHES_LOCALS,
        .concurrent_managed = ATTRIBUTE_CONCURRENT_MANAGED,
        .host_pointers = ATTRIBUTE_HOST_POINTERS,
        .window_B = ATTRIBUTE_WINDOW_B,
        .host_register = ATTRIBUTE_HOST_REGISTER,
        .maps_host = ATTRIBUTE_MAPS_HOST,
        .concurrent_kernels = ATTRIBUTE_CONCURRENT_KERNELS,
        .copy_engines = ATTRIBUTE_COPY_ENGINES,
        .unified = ATTRIBUTE_UNIFIED,
        .bus_bit = ATTRIBUTE_BUS_BIT,
        .l2_B = ATTRIBUTE_L2_B,
        .processor_threads = ATTRIBUTE_PROCESSOR_THREADS,
        .priorities = ATTRIBUTE_PRIORITIES,
        .processor_shared_B = ATTRIBUTE_PROCESSOR_SHARED_B,
        .processor_registers = ATTRIBUTE_PROCESSOR_REGISTERS,
        .managed = ATTRIBUTE_MANAGED,
        .preemption = ATTRIBUTE_PREEMPTION,
        .cooperative = ATTRIBUTE_COOPERATIVE,
        .block_shared_optin_B = ATTRIBUTE_BLOCK_SHARED_OPTIN_B,
        .processor_blocks = ATTRIBUTE_PROCESSOR_BLOCKS,
        .reserved_shared_B = ATTRIBUTE_RESERVED_SHARED_B,
        .pools = ATTRIBUTE_POOLS,
        .clusters = ATTRIBUTE_CLUSTERS,
    };
    return cudart_state();
}

/* CUDA 12's cudaDeviceProp, whose members lie elsewhere. */
PROGRAM_API cuda_error cudaGetDeviceProperties_v2(void *out, int device);
cuda_error cudaGetDeviceProperties_v2(void *out, int device) {
    (void)out;
    (void)device;
    tma_program_say_once(
        "cudaGetDeviceProperties of CUDA 12 is not answered: compile with CUDA 13, or "
        "ask cudaDeviceGetAttribute");
    return cudart_result(CUDA_NOT_SUPPORTED);
}

PROGRAM_API cuda_error cudaDriverGetVersion(int *version);
cuda_error cudaDriverGetVersion(int *version) {
    return put_int(version, PROGRAM_VERSION);
}

PROGRAM_API cuda_error cudaRuntimeGetVersion(int *version);
cuda_error cudaRuntimeGetVersion(int *version) {
    return put_int(version, PROGRAM_VERSION);
}

PROGRAM_API cuda_error cudaDeviceSynchronize(void);
cuda_error cudaDeviceSynchronize(void) {
    return cudart_state();
}

PROGRAM_API cuda_error cudaDeviceReset(void);
cuda_error cudaDeviceReset(void) {
    return cudart_state();
}

/* ---- what changes nothing here ---- */

PROGRAM_API cuda_error cudaSetDeviceFlags(unsigned flags);
cuda_error cudaSetDeviceFlags(unsigned flags) {
    (void)flags;
    return cudart_state();
}

PROGRAM_API cuda_error cudaProfilerStart(void);
cuda_error cudaProfilerStart(void) {
    return cudart_state();
}

PROGRAM_API cuda_error cudaProfilerStop(void);
cuda_error cudaProfilerStop(void) {
    return cudart_state();
}

PROGRAM_API cuda_error cudaDeviceCanAccessPeer(int *can, int device, int peer);
cuda_error cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    return device || peer ? cudart_result(CUDA_INVALID_DEVICE) : put_int(can, 0);
}

/* ---- the driver's functions that programs ask the runtime for ---- */

/* libcuda.so.1's: ../driver/libcuda_lookup.c. */
cuda_error cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, uint64_t flags,
                               uint32_t *symbolStatus);

PROGRAM_API cuda_error cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                                        unsigned version, uint64_t flags,
                                                        uint32_t *status);
cuda_error cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                            uint64_t flags, uint32_t *status) {
    const cuda_error state = cudart_state();
    return state != CUDA_SUCCESS
               ? state
               : cudart_result(cuGetProcAddress_v2(symbol, function, (int)version, flags, status));
}

PROGRAM_API cuda_error cudaGetDriverEntryPoint(const char *symbol, void **function, uint64_t flags,
                                               uint32_t *status);
cuda_error cudaGetDriverEntryPoint(const char *symbol, void **function, uint64_t flags,
                                   uint32_t *status) {
    return cudaGetDriverEntryPointByVersion(symbol, function, PROGRAM_VERSION, flags, status);
}
