/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime's graphs and stream capture.
 */
#include "cudart_calls.h"

PROGRAM_API cuda_error cudaStreamBeginCapture(cuda_stream stream, uint32_t mode);
cuda_error cudaStreamBeginCapture(cuda_stream stream, uint32_t mode) {
    return cudart_result(mode > 2 ? CUDA_INVALID_VALUE : tma_program_capture_begin(stream));
}

PROGRAM_API cuda_error cudaStreamEndCapture(cuda_stream stream, cuda_graph *graph);
cuda_error cudaStreamEndCapture(cuda_stream stream, cuda_graph *graph) {
    return cudart_result(tma_program_capture_end(stream, graph));
}

PROGRAM_API cuda_error cudaStreamIsCapturing(cuda_stream stream, uint32_t *status);
cuda_error cudaStreamIsCapturing(cuda_stream stream, uint32_t *status) {
    return cudart_result(tma_program_captures(stream, status));
}

PROGRAM_API cuda_error cudaGraphCreate(cuda_graph *graph, unsigned flags);
cuda_error cudaGraphCreate(cuda_graph *graph, unsigned flags) {
    return cudart_result(flags ? CUDA_INVALID_VALUE : tma_program_graph_new(graph));
}

PROGRAM_API cuda_error cudaGraphDestroy(cuda_graph graph);
cuda_error cudaGraphDestroy(cuda_graph graph) {
    return cudart_result(tma_program_graph_free(graph));
}

PROGRAM_API cuda_error cudaGraphGetNodes(cuda_graph graph, void **nodes, size_t *count);
cuda_error cudaGraphGetNodes(cuda_graph graph, void **nodes, size_t *count) {
    return cudart_result(tma_program_graph_nodes(graph, nodes, count));
}

PROGRAM_API cuda_error cudaGraphInstantiate(cuda_graph_exec *exec, cuda_graph graph,
                                            unsigned long long flags);
cuda_error cudaGraphInstantiate(cuda_graph_exec *exec, cuda_graph graph, unsigned long long flags) {
    (void)flags;
    return cudart_result(tma_program_graph_instantiate(exec, graph));
}

PROGRAM_API cuda_error cudaGraphInstantiateWithFlags(cuda_graph_exec *exec, cuda_graph graph,
                                                     unsigned long long flags);
cuda_error cudaGraphInstantiateWithFlags(cuda_graph_exec *exec, cuda_graph graph,
                                         unsigned long long flags) {
    return cudaGraphInstantiate(exec, graph, flags);
}

PROGRAM_API cuda_error cudaGraphUpload(cuda_graph_exec exec, cuda_stream stream);
cuda_error cudaGraphUpload(cuda_graph_exec exec, cuda_stream stream) {
    return cudart_result(exec ? tma_program_stream_wait(stream) : CUDA_INVALID_VALUE);
}

PROGRAM_API cuda_error cudaGraphLaunch(cuda_graph_exec exec, cuda_stream stream);
cuda_error cudaGraphLaunch(cuda_graph_exec exec, cuda_stream stream) {
    return cudart_result(tma_program_graph_launch(exec, stream));
}

PROGRAM_API cuda_error cudaGraphExecDestroy(cuda_graph_exec exec);
cuda_error cudaGraphExecDestroy(cuda_graph_exec exec) {
    return cudart_result(tma_program_exec_free(exec));
}

/* ---- nodes that the program adds itself ---- */

PROGRAM_API cuda_error cudaGraphAddKernelNode(void **node, cuda_graph graph, void *const *behind,
                                              size_t count, const cuda_kernel_node *params);
cuda_error cudaGraphAddKernelNode(void **node, cuda_graph graph, void *const *behind, size_t count,
                                  const cuda_kernel_node *params) {
    program_kernel *k = params ? tma_program_kernel_of(params->func) : NULL;
    if (!k || params->extra) {
        return cudart_result(params && !k ? CUDA_INVALID_DEVICE_FUNCTION : CUDA_INVALID_VALUE);
    }
    const program_launch how = {
        .grid = {params->grid.x, params->grid.y, params->grid.z},
        .block = {params->block.x, params->block.y, params->block.z},
        .dynamic_shared_B = params->dynamic_shared_B,
        .args = params->args,
    };
    const program_node at = {node, graph, behind, count};
    return cudart_result(tma_program_node_launch(&at, k, &how));
}

PROGRAM_API cuda_error cudaGraphAddMemcpyNode1D(void **node, cuda_graph graph, void *const *behind,
                                                size_t count, void *dst, const void *src,
                                                size_t size_B, uint32_t kind);
cuda_error cudaGraphAddMemcpyNode1D(void **node, cuda_graph graph, void *const *behind,
                                    size_t count, void *dst, const void *src, size_t size_B,
                                    uint32_t kind) {
    (void)kind;
    const program_copy copy = {.to = dst, .from = src, .width_B = size_B, .rows = 1};
    const program_node at = {node, graph, behind, count};
    return cudart_result(tma_program_node_copy(&at, &copy));
}

PROGRAM_API cuda_error cudaGraphAddMemsetNode(void **node, cuda_graph graph, void *const *behind,
                                              size_t count, const cuda_set_node *params);
cuda_error cudaGraphAddMemsetNode(void **node, cuda_graph graph, void *const *behind, size_t count,
                                  const cuda_set_node *params) {
    const uint32_t element_B = params ? params->element_B : 0;
    if (element_B != 1 && element_B != 2 && element_B != 4) {
        return cudart_result(CUDA_INVALID_VALUE);
    }
    const program_set set = {params->to,   params->pitch_B, params->width_el,
                             params->rows, params->value,   element_B};
    const program_node at = {node, graph, behind, count};
    return cudart_result(tma_program_node_set(&at, &set));
}

PROGRAM_API cuda_error cudaGraphAddHostNode(void **node, cuda_graph graph, void *const *behind,
                                            size_t count, const cuda_host_node *params);
cuda_error cudaGraphAddHostNode(void **node, cuda_graph graph, void *const *behind, size_t count,
                                const cuda_host_node *params) {
    const program_node at = {node, graph, behind, count};
    return cudart_result(params ? tma_program_node_call(&at, params->call, params->context)
                                : CUDA_INVALID_VALUE);
}
