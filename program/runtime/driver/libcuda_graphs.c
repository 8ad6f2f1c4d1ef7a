/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's graphs and stream capture.
 */
#include "libcuda_calls.h"

/* What is done if a context is current and nothing died. */
static uint32_t with_state(int is_right) {
    const uint32_t state = libcuda_state();
    return state != CUDA_SUCCESS ? state : is_right ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

uint32_t cuStreamBeginCapture_v2(struct CUstream_st *hStream, uint32_t mode) {
    const uint32_t error = with_state(mode <= 2);
    return error != CUDA_SUCCESS ? error : tma_program_capture_begin(hStream);
}

uint32_t cuStreamEndCapture(struct CUstream_st *hStream, struct CUgraph_st **phGraph) {
    const uint32_t error = with_state(1);
    return error != CUDA_SUCCESS ? error : tma_program_capture_end(hStream, phGraph);
}

uint32_t cuStreamIsCapturing(struct CUstream_st *hStream, uint32_t *captureStatus) {
    const uint32_t error = with_state(1);
    return error != CUDA_SUCCESS ? error : tma_program_captures(hStream, captureStatus);
}

uint32_t cuGraphCreate(struct CUgraph_st **phGraph, unsigned flags) {
    const uint32_t error = with_state(!flags);
    return error != CUDA_SUCCESS ? error : tma_program_graph_new(phGraph);
}

uint32_t cuGraphDestroy(struct CUgraph_st *hGraph) {
    return tma_program_graph_free(hGraph);
}

uint32_t cuGraphGetNodes(struct CUgraph_st *hGraph, struct CUgraphNode_st **nodes,
                         size_t *numNodes) {
    return tma_program_graph_nodes(hGraph, (void **)nodes, numNodes);
}

uint32_t cuGraphInstantiateWithFlags(struct CUgraphExec_st **phGraphExec, struct CUgraph_st *hGraph,
                                     unsigned long long flags) {
    (void)flags;
    const uint32_t error = with_state(1);
    return error != CUDA_SUCCESS ? error : tma_program_graph_instantiate(phGraphExec, hGraph);
}

uint32_t cuGraphUpload(struct CUgraphExec_st *hGraphExec, struct CUstream_st *hStream) {
    const uint32_t error = with_state(hGraphExec != NULL);
    return error != CUDA_SUCCESS ? error : tma_program_stream_wait(hStream);
}

uint32_t cuGraphLaunch(struct CUgraphExec_st *hGraphExec, struct CUstream_st *hStream) {
    const uint32_t error = with_state(1);
    return error != CUDA_SUCCESS ? error
                                 : libcuda_result(tma_program_graph_launch(hGraphExec, hStream));
}

uint32_t cuGraphExecDestroy(struct CUgraphExec_st *hGraphExec) {
    return tma_program_exec_free(hGraphExec);
}
