/* SPDX-License-Identifier: Apache-2.0
 *
 * What is put into a stream: done at once, or kept in the graph that the stream captures into.
 */
#include <string.h>

#include "program_graphs.h"

/* A graph may be launched after its kernel's module is gone. */
static cuda_error launch(program_kernel *k, const program_launch *how) {
    const int is = tma_program_is_kernel(k);
    tma_program_lock();
    const cuda_error error = is ? tma_program_run(k, how) : CUDA_INVALID_RESOURCE_HANDLE;
    tma_program_unlock();
    return error;
}

static cuda_error do_copy(const program_copy *c) {
    if (!c->width_B || !c->rows) {
        return CUDA_SUCCESS;
    }
    if (!c->to || !c->from) {
        return CUDA_INVALID_VALUE;
    }
    for (size_t row = 0; row < c->rows; row++) {
        memmove((uint8_t *)c->to + row * c->to_pitch_B,
                (const uint8_t *)c->from + row * c->from_pitch_B, c->width_B);
    }
    return CUDA_SUCCESS;
}

static cuda_error do_set(const program_set *s) {
    if (!s->width_el || !s->rows) {
        return CUDA_SUCCESS;
    }
    if (!s->to) {
        return CUDA_INVALID_VALUE;
    }
    for (size_t row = 0; row < s->rows; row++) {
        uint8_t *to = (uint8_t *)s->to + row * s->pitch_B;
        for (size_t i = 0; i < s->width_el; i++) {
            memcpy(to + i * s->element_B, &s->value, s->element_B);
        }
    }
    return CUDA_SUCCESS;
}

cuda_error program_do(cuda_stream stream, const program_op *op) {
    int is_kept = 0;
    const cuda_error error = program_stream_keep(stream, op, &is_kept);
    if (error != CUDA_SUCCESS || is_kept) {
        return error;
    }
    switch (op->kind) {
    case OP_LAUNCH:
        return launch(op->kernel, &op->launch);
    case OP_COPY:
        return do_copy(&op->copy);
    case OP_SET:
        return do_set(&op->set);
    default:
        op->call(op->context);
        return CUDA_SUCCESS;
    }
}

cuda_error tma_program_copy(cuda_stream stream, const program_copy *copy) {
    return program_do(stream, &(program_op){.kind = OP_COPY, .copy = *copy});
}

cuda_error tma_program_set(cuda_stream stream, const program_set *set) {
    return program_do(stream, &(program_op){.kind = OP_SET, .set = *set});
}

cuda_error tma_program_call(cuda_stream stream, program_host_call *call, void *context) {
    const program_op op = {.kind = OP_CALL, .call = call, .context = context};
    return call ? program_do(stream, &op) : CUDA_INVALID_VALUE;
}

/* The operations are taken out of the lock: a host function may call what it likes. */
cuda_error tma_program_graph_launch(cuda_graph_exec exec, cuda_stream stream) {
    cuda_graph copy = NULL;
    cuda_error error = program_exec_copy(&copy, exec);
    for (program_op *op = copy ? program_graph_first(copy) : NULL; op && error == CUDA_SUCCESS;
         op = op->next) {
        error = program_do(stream, op);
    }
    if (copy) {
        program_graph_end(copy);
    }
    return error;
}
