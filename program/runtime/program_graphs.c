/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs: operations in the order in which they were captured, which is one that their dependencies
 * allow. An executable graph is a copy; it is done in that order.
 */
#include "program_graphs.h"

#include <stdlib.h>
#include <string.h>

struct CUgraph_st {
    program_op *first, **end;
    size_t ops;
    int is_executable;
    struct CUgraph_st *next;
};

static struct CUgraph_st *graphs; /* under the lock, as what is in them */

static int is_graph(const struct CUgraph_st *graph, int is_executable) {
    const struct CUgraph_st *g = graphs;
    while (g && g != graph) {
        g = g->next;
    }
    return g && g->is_executable == is_executable;
}

/* ---- operations ---- */

static void free_op(program_op *op) {
    free(op->params);
    free(op);
}

/* With parameters of its own. */
static program_op *copy_op(const program_op *op) {
    program_op *copy = malloc(sizeof(*copy));
    uint8_t *params = malloc(op->launch.params_B + 1);
    if (!copy || !params) {
        free(copy);
        free(params);
        return NULL;
    }
    if (op->launch.params_B) {
        memcpy(params, op->launch.params, op->launch.params_B);
    }
    *copy = *op;
    copy->next = NULL;
    copy->params = params;
    copy->launch.params = params;
    return copy;
}

cuda_error program_graph_add(struct CUgraph_st *graph, const program_op *op) {
    program_op *copy = copy_op(op);
    if (!copy) {
        return CUDA_MEMORY_ALLOCATION;
    }
    *graph->end = copy;
    graph->end = &copy->next;
    graph->ops++;
    return CUDA_SUCCESS;
}

static cuda_error add_all(struct CUgraph_st *graph, const struct CUgraph_st *of) {
    cuda_error error = CUDA_SUCCESS;
    for (const program_op *op = of->first; op && error == CUDA_SUCCESS; op = op->next) {
        error = program_graph_add(graph, op);
    }
    return error;
}

/* ---- graphs ---- */

void program_graph_end(struct CUgraph_st *graph) {
    for (program_op *op = graph->first; op;) {
        program_op *const next = op->next;
        free_op(op);
        op = next;
    }
    free(graph);
}

static struct CUgraph_st *empty(int is_executable) {
    struct CUgraph_st *graph = calloc(1, sizeof(*graph));
    if (graph) {
        graph->end = &graph->first;
        graph->is_executable = is_executable;
    }
    return graph;
}

struct CUgraph_st *program_graph_new(int is_executable) {
    struct CUgraph_st *graph = empty(is_executable);
    if (graph) {
        graph->next = graphs;
        graphs = graph;
    }
    return graph;
}

void program_graph_drop(struct CUgraph_st *graph) {
    struct CUgraph_st **where = &graphs;
    while (*where && *where != graph) {
        where = &(*where)->next;
    }
    if (*where) {
        *where = graph->next;
        program_graph_end(graph);
    }
}

cuda_error tma_program_graph_new(cuda_graph *graph) {
    if (!graph) {
        return CUDA_INVALID_VALUE;
    }
    tma_program_lock();
    *graph = program_graph_new(0);
    tma_program_unlock();
    return *graph ? CUDA_SUCCESS : CUDA_MEMORY_ALLOCATION;
}

static cuda_error free_one(struct CUgraph_st *graph, int is_executable) {
    tma_program_lock();
    const int is = is_graph(graph, is_executable);
    if (is) {
        program_graph_drop(graph);
    }
    tma_program_unlock();
    return is ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

cuda_error tma_program_graph_free(cuda_graph graph) {
    return free_one(graph, 0);
}

cuda_error tma_program_exec_free(cuda_graph_exec exec) {
    return free_one((cuda_graph)exec, 1);
}

cuda_error tma_program_graph_nodes(cuda_graph graph, void **nodes, size_t *count) {
    tma_program_lock();
    const int is = count && is_graph(graph, 0);
    program_op *op = is ? graph->first : NULL;
    for (size_t i = 0; is && nodes && i < *count; i++) {
        nodes[i] = op;
        op = op ? op->next : NULL;
    }
    if (is) {
        *count = nodes && *count < graph->ops ? *count : graph->ops;
    }
    tma_program_unlock();
    return is ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

cuda_error tma_program_graph_instantiate(cuda_graph_exec *exec, cuda_graph graph) {
    const cuda_error died = tma_program_died();
    if (died != CUDA_SUCCESS || !exec) {
        return died != CUDA_SUCCESS ? died : CUDA_INVALID_VALUE;
    }
    tma_program_lock();
    cuda_error error = is_graph(graph, 0) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    if (error == CUDA_SUCCESS) {
        cuda_graph made = program_graph_new(1);
        error = made ? add_all(made, graph) : CUDA_MEMORY_ALLOCATION;
        *exec = (cuda_graph_exec)made;
    }
    tma_program_unlock();
    return error;
}

static int has_node(const struct CUgraph_st *graph, const void *node) {
    const program_op *op = graph->first;
    while (op && op != node) {
        op = op->next;
    }
    return op != NULL;
}

/* A node depends on older ones alone, so that the order of adding is one that is allowed. */
cuda_error program_graph_node(void **node, cuda_graph graph, void *const *behind, size_t count,
                              const program_op *op) {
    tma_program_lock();
    int is_right = node && is_graph(graph, 0) && (behind || !count);
    for (size_t i = 0; is_right && i < count; i++) {
        is_right = has_node(graph, behind[i]);
    }
    program_op **const place = is_right ? graph->end : NULL;
    const cuda_error error = is_right ? program_graph_add(graph, op) : CUDA_INVALID_VALUE;
    if (error == CUDA_SUCCESS) {
        *node = *place;
    }
    tma_program_unlock();
    return error;
}

cuda_error tma_program_node_copy(const program_node *at, const program_copy *copy) {
    const program_op op = {.kind = OP_COPY, .copy = *copy};
    return program_graph_node(at->node, at->graph, at->behind, at->count, &op);
}

cuda_error tma_program_node_set(const program_node *at, const program_set *set) {
    const program_op op = {.kind = OP_SET, .set = *set};
    return program_graph_node(at->node, at->graph, at->behind, at->count, &op);
}

cuda_error tma_program_node_call(const program_node *at, program_host_call *call, void *context) {
    const program_op op = {.kind = OP_CALL, .call = call, .context = context};
    return call ? program_graph_node(at->node, at->graph, at->behind, at->count, &op)
                : CUDA_INVALID_VALUE;
}

cuda_error program_exec_copy(cuda_graph *copy, cuda_graph_exec exec) {
    cuda_graph graph = (cuda_graph)exec;
    tma_program_lock();
    cuda_error error = is_graph(graph, 1) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    if (error == CUDA_SUCCESS) {
        *copy = empty(1);
        error = *copy ? add_all(*copy, graph) : CUDA_MEMORY_ALLOCATION;
    }
    tma_program_unlock();
    return error;
}

program_op *program_graph_first(const struct CUgraph_st *graph) {
    return graph->first;
}
