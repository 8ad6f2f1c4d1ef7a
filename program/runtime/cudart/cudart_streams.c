/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime's streams and events.
 */
#include "cudart_calls.h"

PROGRAM_API cuda_error cudaStreamCreateWithPriority(cuda_stream *stream, unsigned flags, int level);
cuda_error cudaStreamCreateWithPriority(cuda_stream *stream, unsigned flags, int level) {
    return cudart_result(tma_program_stream_new(stream, flags, level));
}

PROGRAM_API cuda_error cudaStreamCreateWithFlags(cuda_stream *stream, unsigned flags);
cuda_error cudaStreamCreateWithFlags(cuda_stream *stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

PROGRAM_API cuda_error cudaStreamCreate(cuda_stream *stream);
cuda_error cudaStreamCreate(cuda_stream *stream) {
    return cudaStreamCreateWithPriority(stream, 0, 0);
}

PROGRAM_API cuda_error cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cuda_error cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least) {
        *least = 0;
    }
    if (greatest) {
        *greatest = PROGRAM_GREATEST_PRIORITY;
    }
    return cudart_state();
}

PROGRAM_API cuda_error cudaStreamDestroy(cuda_stream stream);
cuda_error cudaStreamDestroy(cuda_stream stream) {
    return cudart_result(tma_program_stream_free(stream));
}

PROGRAM_API cuda_error cudaStreamSynchronize(cuda_stream stream);
cuda_error cudaStreamSynchronize(cuda_stream stream) {
    return cudart_result(tma_program_stream_wait(stream));
}

PROGRAM_API cuda_error cudaStreamQuery(cuda_stream stream);
cuda_error cudaStreamQuery(cuda_stream stream) {
    return cudaStreamSynchronize(stream);
}

PROGRAM_API cuda_error cudaStreamWaitEvent(cuda_stream stream, cuda_event event, unsigned flags);
cuda_error cudaStreamWaitEvent(cuda_stream stream, cuda_event event, unsigned flags) {
    (void)flags;
    return cudart_result(tma_program_event_before(stream, event));
}

PROGRAM_API cuda_error cudaLaunchHostFunc(cuda_stream stream, program_host_call *fn, void *data);
cuda_error cudaLaunchHostFunc(cuda_stream stream, program_host_call *fn, void *data) {
    return cudart_result(tma_program_call(stream, fn, data));
}

/* The older form, which no capture may have. */
PROGRAM_API cuda_error cudaStreamAddCallback(cuda_stream stream,
                                             void (*callback)(cuda_stream, cuda_error, void *),
                                             void *data, unsigned flags);
cuda_error cudaStreamAddCallback(cuda_stream stream,
                                 void (*callback)(cuda_stream, cuda_error, void *), void *data,
                                 unsigned flags) {
    const int is_right = callback && !flags;
    const cuda_error error = is_right ? tma_program_stream_wait(stream) : CUDA_INVALID_VALUE;
    if (error == CUDA_SUCCESS) {
        callback(stream, error, data);
    }
    return cudart_result(error);
}

/* ---- events ---- */

PROGRAM_API cuda_error cudaEventCreateWithFlags(cuda_event *event, unsigned flags);
cuda_error cudaEventCreateWithFlags(cuda_event *event, unsigned flags) {
    return cudart_result(tma_program_event_new(event, flags));
}

PROGRAM_API cuda_error cudaEventCreate(cuda_event *event);
cuda_error cudaEventCreate(cuda_event *event) {
    return cudaEventCreateWithFlags(event, 0);
}

PROGRAM_API cuda_error cudaEventDestroy(cuda_event event);
cuda_error cudaEventDestroy(cuda_event event) {
    return cudart_result(tma_program_event_free(event));
}

PROGRAM_API cuda_error cudaEventRecord(cuda_event event, cuda_stream stream);
cuda_error cudaEventRecord(cuda_event event, cuda_stream stream) {
    return cudart_result(tma_program_event_record(event, stream));
}

PROGRAM_API cuda_error cudaEventSynchronize(cuda_event event);
cuda_error cudaEventSynchronize(cuda_event event) {
    return cudart_result(tma_program_event_wait(event));
}

PROGRAM_API cuda_error cudaEventQuery(cuda_event event);
cuda_error cudaEventQuery(cuda_event event) {
    return cudaEventSynchronize(event);
}

PROGRAM_API cuda_error cudaEventElapsedTime(float *ms, cuda_event start, cuda_event end);
cuda_error cudaEventElapsedTime(float *ms, cuda_event start, cuda_event end) {
    return cudart_result(tma_program_event_time(ms, start, end));
}
