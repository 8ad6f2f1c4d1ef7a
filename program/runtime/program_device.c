/* SPDX-License-Identifier: Apache-2.0
 *
 * The device, an H200; streams and events, which have nothing to do: each call has done all when it
 * returns.
 */
#include <string.h>

#include "device_properties.h"
#include "driver_abi.h"
#include "emulated_program.h"

#define RUNTIME 13000 /* cudaRuntimeGetVersion's 13.0 */

static int attribute_of(int number) {
    switch (number) {
#define CUDA_ATTRIBUTE(id, name, number, value)                                                    \
    case number:                                                                                   \
        return value;
#include "cuda_attributes.def"
    default:
        return 0;
    }
}

static cuda_error put_int(int *out, int value) {
    if (!out) {
        return program_result(CUDA_INVALID_VALUE);
    }
    *out = value;
    return program_failed();
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
    return device ? program_result(CUDA_INVALID_DEVICE) : program_failed();
}

PROGRAM_API cuda_error cudaDeviceGetAttribute(int *value, uint32_t attribute, int device);
cuda_error cudaDeviceGetAttribute(int *value, uint32_t attribute, int device) {
    return device ? program_result(CUDA_INVALID_DEVICE)
                  : put_int(value, attribute_of((int)attribute));
}

PROGRAM_API cuda_error cudaGetDeviceProperties(device_properties *out, int device);
cuda_error cudaGetDeviceProperties(device_properties *out, int device) {
    if (!out || device) {
        return program_result(device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    }
    *out = (device_properties){
        .name = "NVIDIA H200",
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
    return program_failed();
}

/* CUDA 12's cudaDeviceProp, whose members lie elsewhere. */
PROGRAM_API cuda_error cudaGetDeviceProperties_v2(void *out, int device);
cuda_error cudaGetDeviceProperties_v2(void *out, int device) {
    (void)out;
    (void)device;
    program_say_once("cudaGetDeviceProperties of CUDA 12 is not answered: compile with CUDA 13, or "
                     "ask cudaDeviceGetAttribute");
    return program_result(CUDA_NOT_SUPPORTED);
}

PROGRAM_API cuda_error cudaDriverGetVersion(int *version);
cuda_error cudaDriverGetVersion(int *version) {
    return put_int(version, RUNTIME);
}

PROGRAM_API cuda_error cudaRuntimeGetVersion(int *version);
cuda_error cudaRuntimeGetVersion(int *version) {
    return put_int(version, RUNTIME);
}

PROGRAM_API cuda_error cudaDeviceSynchronize(void);
cuda_error cudaDeviceSynchronize(void) {
    return program_failed();
}

PROGRAM_API cuda_error cudaDeviceReset(void);
cuda_error cudaDeviceReset(void) {
    return program_failed();
}

/* ---- streams and events ---- */

static char streams, events; /* addresses to tell by */

PROGRAM_API cuda_error cudaStreamCreate(cuda_stream *stream);
cuda_error cudaStreamCreate(cuda_stream *stream) {
    if (!stream) {
        return program_result(CUDA_INVALID_VALUE);
    }
    *stream = (cuda_stream)(void *)&streams;
    return program_failed();
}

PROGRAM_API cuda_error cudaStreamCreateWithFlags(cuda_stream *stream, unsigned flags);
cuda_error cudaStreamCreateWithFlags(cuda_stream *stream, unsigned flags) {
    (void)flags;
    return cudaStreamCreate(stream);
}

PROGRAM_API cuda_error cudaStreamCreateWithPriority(cuda_stream *stream, unsigned flags, int level);
cuda_error cudaStreamCreateWithPriority(cuda_stream *stream, unsigned flags, int level) {
    (void)flags;
    (void)level;
    return cudaStreamCreate(stream);
}

PROGRAM_API cuda_error cudaStreamDestroy(cuda_stream stream);
cuda_error cudaStreamDestroy(cuda_stream stream) {
    (void)stream;
    return program_failed();
}

PROGRAM_API cuda_error cudaStreamSynchronize(cuda_stream stream);
cuda_error cudaStreamSynchronize(cuda_stream stream) {
    (void)stream;
    return program_failed();
}

PROGRAM_API cuda_error cudaStreamQuery(cuda_stream stream);
cuda_error cudaStreamQuery(cuda_stream stream) {
    (void)stream;
    return program_failed();
}

PROGRAM_API cuda_error cudaStreamWaitEvent(cuda_stream stream, cuda_event event, unsigned flags);
cuda_error cudaStreamWaitEvent(cuda_stream stream, cuda_event event, unsigned flags) {
    (void)stream;
    (void)event;
    (void)flags;
    return program_failed();
}

PROGRAM_API cuda_error cudaEventCreateWithFlags(cuda_event *event, unsigned flags);
cuda_error cudaEventCreateWithFlags(cuda_event *event, unsigned flags) {
    (void)flags;
    if (!event) {
        return program_result(CUDA_INVALID_VALUE);
    }
    *event = (cuda_event)(void *)&events;
    return program_failed();
}

PROGRAM_API cuda_error cudaEventCreate(cuda_event *event);
cuda_error cudaEventCreate(cuda_event *event) {
    return cudaEventCreateWithFlags(event, 0);
}

PROGRAM_API cuda_error cudaEventDestroy(cuda_event event);
cuda_error cudaEventDestroy(cuda_event event) {
    (void)event;
    return program_failed();
}

PROGRAM_API cuda_error cudaEventRecord(cuda_event event, cuda_stream stream);
cuda_error cudaEventRecord(cuda_event event, cuda_stream stream) {
    (void)event;
    (void)stream;
    return program_failed();
}

PROGRAM_API cuda_error cudaEventSynchronize(cuda_event event);
cuda_error cudaEventSynchronize(cuda_event event) {
    (void)event;
    return program_failed();
}

PROGRAM_API cuda_error cudaEventQuery(cuda_event event);
cuda_error cudaEventQuery(cuda_event event) {
    (void)event;
    return program_failed();
}

/* No time is modelled: a millisecond, so that nobody divides by none. */
PROGRAM_API cuda_error cudaEventElapsedTime(float *ms, cuda_event start, cuda_event end);
cuda_error cudaEventElapsedTime(float *ms, cuda_event start, cuda_event end) {
    (void)start;
    (void)end;
    if (!ms) {
        return program_result(CUDA_INVALID_VALUE);
    }
    *ms = 1;
    program_say_once("times that the program prints mean nothing: no time is modelled, "
                     "cudaEventElapsedTime is always 1 ms");
    return program_failed();
}

/* ---- the driver's functions that programs ask the runtime for ---- */

typedef void driver_function(void);
static const struct {
    const char *name;
    driver_function *call;
} functions[] = {
    {"cuTensorMapEncodeTiled", (driver_function *)cuTensorMapEncodeTiled},
    {"cuTensorMapEncodeIm2col", (driver_function *)cuTensorMapEncodeIm2col},
    {"cuTensorMapEncodeIm2colWide", (driver_function *)cuTensorMapEncodeIm2colWide},
    {"cuTensorMapReplaceAddress", (driver_function *)cuTensorMapReplaceAddress},
};

static cuda_error entry_point(const char *symbol, void **function, uint32_t *status) {
    if (!symbol || !function) {
        return program_result(CUDA_INVALID_VALUE);
    }
    *function = NULL;
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (!strcmp(functions[i].name, symbol)) {
            memcpy(function, &functions[i].call, sizeof(*function));
        }
    }
    if (status) {
        *status = *function ? SHIM_LOOKUP_SUCCESS : SHIM_LOOKUP_NOT_FOUND;
    }
    return CUDA_SUCCESS;
}

PROGRAM_API cuda_error cudaGetDriverEntryPoint(const char *symbol, void **function, uint64_t flags,
                                               uint32_t *status);
cuda_error cudaGetDriverEntryPoint(const char *symbol, void **function, uint64_t flags,
                                   uint32_t *status) {
    (void)flags;
    return entry_point(symbol, function, status);
}

PROGRAM_API cuda_error cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                                        unsigned version, uint64_t flags,
                                                        uint32_t *status);
cuda_error cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                            uint64_t flags, uint32_t *status) {
    (void)version;
    (void)flags;
    return entry_point(symbol, function, status);
}
