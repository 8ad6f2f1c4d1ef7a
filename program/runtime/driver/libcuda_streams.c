/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's streams and events.
 */
#include "libcuda_calls.h"

/* What is done if a context is current and nothing died. */
#define WITH_STATE(call) (libcuda_state() != CUDA_SUCCESS ? libcuda_state() : (call))

uint32_t cuStreamCreateWithPriority(struct CUstream_st **phStream, unsigned flags, int priority) {
    return WITH_STATE(tma_program_stream_new(phStream, flags, priority));
}

uint32_t cuStreamCreate(struct CUstream_st **phStream, unsigned Flags) {
    return cuStreamCreateWithPriority(phStream, Flags, 0);
}

uint32_t cuStreamDestroy_v2(struct CUstream_st *hStream) {
    return WITH_STATE(tma_program_stream_free(hStream));
}

uint32_t cuStreamSynchronize(struct CUstream_st *hStream) {
    return WITH_STATE(tma_program_stream_wait(hStream));
}

uint32_t cuStreamQuery(struct CUstream_st *hStream) {
    return cuStreamSynchronize(hStream);
}

typedef struct about {
    uint32_t flags;
    int priority;
    uint64_t id;
} about;

static uint32_t ask(about *to, const void *out, struct CUstream_st *stream) {
    *to = (about){0};
    return WITH_STATE(out ? tma_program_stream_is(stream, &to->flags, &to->priority, &to->id)
                          : CUDA_INVALID_VALUE);
}

uint32_t cuStreamGetPriority(struct CUstream_st *hStream, int *priority) {
    about is;
    const uint32_t error = ask(&is, priority, hStream);
    if (error == CUDA_SUCCESS) {
        *priority = is.priority;
    }
    return error;
}

uint32_t cuStreamGetFlags(struct CUstream_st *hStream, unsigned *flags) {
    about is;
    const uint32_t error = ask(&is, flags, hStream);
    if (error == CUDA_SUCCESS) {
        *flags = is.flags;
    }
    return error;
}

uint32_t cuStreamGetId(struct CUstream_st *hStream, unsigned long long *streamId) {
    about is;
    const uint32_t error = ask(&is, streamId, hStream);
    if (error == CUDA_SUCCESS) {
        *streamId = is.id;
    }
    return error;
}

uint32_t cuStreamGetCtx(struct CUstream_st *hStream, struct CUctx_st **pctx) {
    about is;
    const uint32_t error = ask(&is, pctx, hStream);
    if (error == CUDA_SUCCESS) {
        *pctx = program_context_current();
    }
    return error;
}

uint32_t cuStreamWaitEvent(struct CUstream_st *hStream, struct CUevent_st *hEvent, unsigned Flags) {
    (void)Flags;
    return WITH_STATE(tma_program_event_before(hStream, hEvent));
}

/* ---- events ---- */

uint32_t cuEventCreate(struct CUevent_st **phEvent, unsigned Flags) {
    return WITH_STATE(tma_program_event_new(phEvent, Flags));
}

uint32_t cuEventRecord(struct CUevent_st *hEvent, struct CUstream_st *hStream) {
    return WITH_STATE(tma_program_event_record(hEvent, hStream));
}

uint32_t cuEventRecordWithFlags(struct CUevent_st *hEvent, struct CUstream_st *hStream,
                                unsigned flags) {
    return flags > 1 ? CUDA_INVALID_VALUE : cuEventRecord(hEvent, hStream);
}

uint32_t cuEventSynchronize(struct CUevent_st *hEvent) {
    return WITH_STATE(tma_program_event_wait(hEvent));
}

uint32_t cuEventQuery(struct CUevent_st *hEvent) {
    return cuEventSynchronize(hEvent);
}

uint32_t cuEventDestroy_v2(struct CUevent_st *hEvent) {
    return WITH_STATE(tma_program_event_free(hEvent));
}

uint32_t cuEventElapsedTime_v2(float *pMilliseconds, struct CUevent_st *hStart,
                               struct CUevent_st *hEnd) {
    return WITH_STATE(tma_program_event_time(pMilliseconds, hStart, hEnd));
}

uint32_t cuEventElapsedTime(float *pMilliseconds, struct CUevent_st *hStart,
                            struct CUevent_st *hEnd) {
    return cuEventElapsedTime_v2(pMilliseconds, hStart, hEnd);
}
