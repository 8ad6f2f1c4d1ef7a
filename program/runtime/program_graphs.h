/* SPDX-License-Identifier: Apache-2.0
 *
 * What is put into a stream: done at once, or kept in the graph that the stream captures into.
 */
#ifndef PROGRAM_GRAPHS_H
#define PROGRAM_GRAPHS_H

#include "emulated_program.h"

typedef enum program_op_kind { OP_LAUNCH, OP_COPY, OP_SET, OP_CALL } program_op_kind;
typedef struct program_op {
    program_op_kind kind;
    program_kernel *kernel;
    program_launch launch; /* its parameters laid out */
    uint8_t *params;       /* of an operation in a graph: its own */
    program_copy copy;
    program_set set;
    program_host_call *call;
    void *context;
    struct program_op *next; /* in its graph */
} program_op;

/* program_ops.c. CUDA_SUCCESS where the stream captures: it was kept. */
cuda_error program_do(cuda_stream stream, const program_op *op);
/* program_streams.c. Into the graph, if the stream captures. */
cuda_error program_stream_keep(cuda_stream stream, const program_op *op, int *is_kept);

/* program_graphs.c. An executable graph's operations, for one launch: program_graph_end(). */
cuda_error program_exec_copy(cuda_graph *copy, cuda_graph_exec exec);
program_op *program_graph_first(const struct CUgraph_st *graph);
void program_graph_end(cuda_graph graph);

/* All under the lock. */
cuda_graph program_graph_new(int is_executable);
void program_graph_drop(cuda_graph graph);
cuda_error program_graph_add(cuda_graph graph, const program_op *op);

/* An operation that the program adds itself, behind those that it depends on. */
cuda_error program_graph_node(void **node, cuda_graph graph, void *const *behind, size_t count,
                              const program_op *op);

#endif
