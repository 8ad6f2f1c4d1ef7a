/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams and events: what is put into a stream is done at once, so that both have nothing to wait
 * for.
 */
#include <stdlib.h>

#include "program_graphs.h"

#define DEFAULT_STREAMS 2u /* cudaStreamLegacy and cudaStreamPerThread are the numbers 1 and 2 */
#define EVENT_NO_TIMES  2u /* cudaEventDisableTiming */

struct CUstream_st {
    uint64_t id;
    uint32_t flags;
    int priority;
    cuda_graph capture; /* into which it captures, or null */
    int is_origin;      /* the capture began here */
    int is_invalid;     /* something was done that no capture may have */
    struct CUstream_st *next;
};

struct CUevent_st {
    uint32_t flags;
    int is_recorded;
    cuda_graph capture; /* in which it was recorded last, or null */
    struct CUevent_st *next;
};

static struct CUstream_st *streams; /* under the lock */
static struct CUevent_st *events;   /* under the lock */

static int is_default(const struct CUstream_st *stream) {
    return (uintptr_t)stream <= DEFAULT_STREAMS;
}

static int is_stream(const struct CUstream_st *stream) {
    const struct CUstream_st *s = streams;
    while (s && s != stream) {
        s = s->next;
    }
    return s != NULL || is_default(stream);
}

static int is_event(const struct CUevent_st *event) {
    const struct CUevent_st *e = events;
    while (e && e != event) {
        e = e->next;
    }
    return e != NULL;
}

/* Begins a call with a stream, and with an event where there is one: the lock is held behind it. */
static cuda_error begin(const struct CUstream_st *stream, const struct CUevent_st *event) {
    const cuda_error died = tma_program_died();
    tma_program_lock();
    if (died != CUDA_SUCCESS) {
        return died;
    }
    return is_stream(stream) && (!event || is_event(event)) ? CUDA_SUCCESS
                                                            : CUDA_INVALID_RESOURCE_HANDLE;
}

static cuda_error end(cuda_error error) {
    tma_program_unlock();
    return error;
}

/* ---- capture ---- */

static cuda_graph capture_of(const struct CUstream_st *stream) {
    return is_default(stream) ? NULL : stream->capture;
}

static void invalidate(const struct CUgraph_st *graph) {
    for (struct CUstream_st *s = streams; s; s = s->next) {
        s->is_invalid |= s->capture == graph;
    }
}

cuda_error tma_program_capture_begin(cuda_stream stream) {
    const cuda_error error = begin(stream, NULL);
    if (error != CUDA_SUCCESS) {
        return end(error);
    }
    if (is_default(stream)) {
        return end(CUDA_CAPTURE_UNSUPPORTED);
    }
    if (stream->capture) {
        return end(CUDA_ILLEGAL_STATE);
    }
    stream->capture = program_graph_new(0);
    stream->is_origin = 1;
    stream->is_invalid = 0;
    return end(stream->capture ? CUDA_SUCCESS : CUDA_MEMORY_ALLOCATION);
}

/* No stream and no event belongs to it any more. */
static void leave(const struct CUgraph_st *graph) {
    for (struct CUstream_st *s = streams; s; s = s->next) {
        if (s->capture == graph) {
            s->capture = NULL;
            s->is_origin = s->is_invalid = 0;
        }
    }
    for (struct CUevent_st *e = events; e; e = e->next) {
        e->capture = e->capture == graph ? NULL : e->capture;
    }
}

cuda_error tma_program_capture_end(cuda_stream stream, cuda_graph *graph) {
    const cuda_error error = begin(stream, NULL);
    if (error != CUDA_SUCCESS) {
        return end(error);
    }
    cuda_graph made = capture_of(stream);
    if (!made || !graph) {
        return end(made ? CUDA_INVALID_VALUE : CUDA_ILLEGAL_STATE);
    }
    if (!stream->is_origin) {
        return end(CUDA_CAPTURE_UNMATCHED);
    }
    const int is_invalid = stream->is_invalid;
    leave(made);
    if (is_invalid) {
        program_graph_drop(made);
    }
    *graph = is_invalid ? NULL : made;
    return end(is_invalid ? CUDA_CAPTURE_INVALIDATED : CUDA_SUCCESS);
}

cuda_error tma_program_captures(cuda_stream stream, uint32_t *status) {
    const cuda_error error = status ? begin(stream, NULL) : CUDA_INVALID_VALUE;
    if (!status) {
        return error;
    }
    if (error == CUDA_SUCCESS) { /* 0 no, 1 yes, 2 an invalid one */
        *status = !capture_of(stream) ? 0 : stream->is_invalid ? 2 : 1;
    }
    return end(error);
}

/* ---- streams ---- */

cuda_error tma_program_stream_new(cuda_stream *stream, uint32_t flags, int priority) {
    static uint64_t ids; /* under the lock */
    const cuda_error died = tma_program_died();
    if (died != CUDA_SUCCESS || !stream || flags > 1) {
        return died != CUDA_SUCCESS ? died : CUDA_INVALID_VALUE;
    }
    struct CUstream_st *s = malloc(sizeof(*s));
    if (!s) {
        return CUDA_MEMORY_ALLOCATION;
    }
    priority = priority > 0                           ? 0
               : priority < PROGRAM_GREATEST_PRIORITY ? PROGRAM_GREATEST_PRIORITY
                                                      : priority;
    tma_program_lock();
    *s = (struct CUstream_st){.id = ++ids, .flags = flags, .priority = priority, .next = streams};
    streams = s;
    *stream = s;
    return end(CUDA_SUCCESS);
}

cuda_error tma_program_stream_free(cuda_stream stream) {
    const cuda_error error = begin(stream, NULL);
    if (error != CUDA_SUCCESS || is_default(stream)) {
        return end(error != CUDA_SUCCESS ? error : CUDA_INVALID_RESOURCE_HANDLE);
    }
    struct CUstream_st **where = &streams;
    while (*where != stream) {
        where = &(*where)->next;
    }
    *where = stream->next;
    if (stream->capture && stream->is_origin) {
        cuda_graph dropped = stream->capture;
        leave(dropped);
        program_graph_drop(dropped);
    }
    free(stream);
    return end(CUDA_SUCCESS);
}

cuda_error tma_program_stream_wait(cuda_stream stream) {
    const cuda_error error = begin(stream, NULL);
    if (error == CUDA_SUCCESS && capture_of(stream)) {
        invalidate(stream->capture);
        return end(CUDA_CAPTURE_UNSUPPORTED);
    }
    return end(error);
}

cuda_error tma_program_stream_is(cuda_stream stream, uint32_t *flags, int *priority, uint64_t *id) {
    const cuda_error error = begin(stream, NULL);
    if (error == CUDA_SUCCESS) {
        const int is_own = !is_default(stream);
        *flags = is_own ? stream->flags : 0;
        *priority = is_own ? stream->priority : 0;
        *id = is_own ? stream->id + DEFAULT_STREAMS : (uintptr_t)stream;
    }
    return end(error);
}

/* ---- events ---- */

cuda_error tma_program_event_new(cuda_event *event, uint32_t flags) {
    const cuda_error died = tma_program_died();
    if (died != CUDA_SUCCESS || !event) {
        return died != CUDA_SUCCESS ? died : CUDA_INVALID_VALUE;
    }
    struct CUevent_st *e = malloc(sizeof(*e));
    if (!e) {
        return CUDA_MEMORY_ALLOCATION;
    }
    tma_program_lock();
    *e = (struct CUevent_st){.flags = flags, .next = events};
    events = e;
    *event = e;
    return end(CUDA_SUCCESS);
}

cuda_error tma_program_event_free(cuda_event event) {
    const cuda_error error = event ? begin(NULL, event) : CUDA_INVALID_RESOURCE_HANDLE;
    if (!event) {
        return error;
    }
    struct CUevent_st **where = &events;
    while (error == CUDA_SUCCESS && *where != event) {
        where = &(*where)->next;
    }
    if (error == CUDA_SUCCESS) {
        *where = event->next;
        free(event);
    }
    return end(error);
}

cuda_error tma_program_event_record(cuda_event event, cuda_stream stream) {
    if (!event) {
        return CUDA_INVALID_RESOURCE_HANDLE;
    }
    const cuda_error error = begin(stream, event);
    if (error == CUDA_SUCCESS) {
        event->capture = capture_of(stream);
        event->is_recorded = !event->capture;
    }
    return end(error);
}

cuda_error tma_program_event_wait(cuda_event event) {
    const cuda_error error = event ? begin(NULL, event) : CUDA_INVALID_RESOURCE_HANDLE;
    if (!event) {
        return error;
    }
    if (error == CUDA_SUCCESS && event->capture) {
        invalidate(event->capture);
        return end(CUDA_CAPTURED_EVENT);
    }
    return end(error);
}

/* A stream that waits for a captured event captures, too. */
cuda_error tma_program_event_before(cuda_stream stream, cuda_event event) {
    if (!event) {
        return CUDA_INVALID_RESOURCE_HANDLE;
    }
    const cuda_error error = begin(stream, event);
    if (error != CUDA_SUCCESS || !event->capture) {
        return end(error);
    }
    if (is_default(stream)) {
        return end(CUDA_CAPTURE_UNSUPPORTED);
    }
    if (stream->capture && stream->capture != event->capture) {
        return end(CUDA_CAPTURE_MERGE);
    }
    stream->capture = event->capture;
    return end(CUDA_SUCCESS);
}

/* No time is modelled: a millisecond, so that nobody divides by none. */
cuda_error tma_program_event_time(float *ms, cuda_event start, cuda_event stop) {
    if (!ms) {
        return CUDA_INVALID_VALUE;
    }
    cuda_error error = start && stop ? tma_program_event_wait(start) : CUDA_INVALID_RESOURCE_HANDLE;
    if (error != CUDA_SUCCESS) {
        return error;
    }
    error = begin(NULL, stop);
    if (error == CUDA_SUCCESS && (!start->is_recorded || !stop->is_recorded ||
                                  (start->flags | stop->flags) & EVENT_NO_TIMES)) {
        error = CUDA_INVALID_RESOURCE_HANDLE;
    }
    if (error == CUDA_SUCCESS) {
        *ms = 1;
        tma_program_say_once("times that the program prints mean nothing: no time is modelled, "
                             "between two events is always 1 ms");
    }
    return end(error);
}

/* ---- what is put into them ---- */

cuda_error program_stream_keep(cuda_stream stream, const program_op *op, int *is_kept) {
    cuda_error error = begin(stream, NULL);
    cuda_graph graph = error == CUDA_SUCCESS ? capture_of(stream) : NULL;
    *is_kept = graph != NULL;
    if (graph) {
        error = stream->is_invalid ? CUDA_CAPTURE_INVALIDATED : program_graph_add(graph, op);
    }
    return end(error);
}
