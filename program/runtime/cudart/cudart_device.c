/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime's device and the driver's functions that it is asked for.
 */
#include <stdio.h>

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
        .memory_B = tma_program_device()->memory_B,
        .block_shared_B = PROGRAM_ATTRIBUTE(BLOCK_SHARED_B),
        .block_registers = PROGRAM_ATTRIBUTE(BLOCK_REGISTERS),
        .warp = PROGRAM_ATTRIBUTE(WARP),
        .most_pitch_B = PROGRAM_ATTRIBUTE(PITCH_B),
        .block_threads = PROGRAM_ATTRIBUTE(BLOCK_THREADS),
        .block_size = {PROGRAM_ATTRIBUTE(BLOCK_X), PROGRAM_ATTRIBUTE(BLOCK_Y),
                       PROGRAM_ATTRIBUTE(BLOCK_Z)},
        .grid_size = {PROGRAM_ATTRIBUTE(GRID_X), PROGRAM_ATTRIBUTE(GRID_Y),
                      PROGRAM_ATTRIBUTE(GRID_Z)},
        .constant_B = PROGRAM_ATTRIBUTE(CONSTANT_B),
        .major = PROGRAM_ATTRIBUTE(MAJOR),
        .minor = PROGRAM_ATTRIBUTE(MINOR),
        .processors = PROGRAM_ATTRIBUTE(PROCESSORS),
        .texture_alignment_B = PROGRAM_ATTRIBUTE(TEXTURE_ALIGNMENT_B),
        .texture_pitch_alignment_B = PROGRAM_ATTRIBUTE(TEXTURE_PITCH_ALIGNMENT_B),
        .ecc = PROGRAM_ATTRIBUTE(ECC),
        .persisting_l2_B = PROGRAM_ATTRIBUTE(PERSISTING_L2_B),
        .caches_globals = PROGRAM_ATTRIBUTE(CACHES_GLOBALS),
        .caches_locals = PROGRAM_ATTRIBUTE(CACHES_LOCALS),
        .concurrent_managed = PROGRAM_ATTRIBUTE(CONCURRENT_MANAGED),
        .host_pointers = PROGRAM_ATTRIBUTE(HOST_POINTERS),
        .window_B = PROGRAM_ATTRIBUTE(WINDOW_B),
        .host_register = PROGRAM_ATTRIBUTE(HOST_REGISTER),
        .maps_host = PROGRAM_ATTRIBUTE(MAPS_HOST),
        .concurrent_kernels = PROGRAM_ATTRIBUTE(CONCURRENT_KERNELS),
        .copy_engines = PROGRAM_ATTRIBUTE(COPY_ENGINES),
        .unified = PROGRAM_ATTRIBUTE(UNIFIED),
        .bus_bit = PROGRAM_ATTRIBUTE(BUS_BIT),
        .l2_B = PROGRAM_ATTRIBUTE(L2_B),
        .processor_threads = PROGRAM_ATTRIBUTE(PROCESSOR_THREADS),
        .priorities = PROGRAM_ATTRIBUTE(PRIORITIES),
        .processor_shared_B = PROGRAM_ATTRIBUTE(PROCESSOR_SHARED_B),
        .processor_registers = PROGRAM_ATTRIBUTE(PROCESSOR_REGISTERS),
        .managed = PROGRAM_ATTRIBUTE(MANAGED),
        .preemption = PROGRAM_ATTRIBUTE(PREEMPTION),
        .cooperative = PROGRAM_ATTRIBUTE(COOPERATIVE),
        .block_shared_optin_B = PROGRAM_ATTRIBUTE(BLOCK_SHARED_OPTIN_B),
        .processor_blocks = PROGRAM_ATTRIBUTE(PROCESSOR_BLOCKS),
        .reserved_shared_B = PROGRAM_ATTRIBUTE(RESERVED_SHARED_B),
        .pools = PROGRAM_ATTRIBUTE(POOLS),
        .clusters = PROGRAM_ATTRIBUTE(CLUSTERS),
    };
    snprintf(out->name, sizeof(out->name), "%s", tma_program_device()->name);
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
