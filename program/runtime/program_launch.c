/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch as a call makes it: its sizes judged, its parameters laid out, then run.
 */
#include <stdlib.h>
#include <string.h>

#include "program_graphs.h"

#define NON_PORTABLE_CLUSTER 16
#define PORTABLE_CLUSTER     8

static int is_within(const uint32_t size[3], int x, int y, int z) {
    return size[0] && size[1] && size[2] && size[0] <= (uint32_t)x && size[1] <= (uint32_t)y &&
           size[2] <= (uint32_t)z;
}

/* A cluster that the launch gives; the kernel's own is judged when it is run. */
static int is_cluster(const program_kernel *k, const program_launch *how) {
    const uint32_t *c = how->cluster;
    if (!c[0] && !c[1] && !c[2]) {
        return 1;
    }
    const int most = k->may_be_large_cluster ? NON_PORTABLE_CLUSTER : PORTABLE_CLUSTER;
    return is_within(c, most, most, most) && c[0] * c[1] * c[2] <= (uint32_t)most &&
           how->grid[0] % c[0] == 0 && how->grid[1] % c[1] == 0 && how->grid[2] % c[2] == 0;
}

static cuda_error judge(const program_kernel *k, const program_launch *how) {
    const uint32_t *b = how->block;
    const size_t most_B = k->dynamic_shared_most_B ? (size_t)k->dynamic_shared_most_B
                                                   : (size_t)PROGRAM_ATTRIBUTE(BLOCK_SHARED_B);
    if (!is_within(how->grid, PROGRAM_ATTRIBUTE(GRID_X), PROGRAM_ATTRIBUTE(GRID_Y),
                   PROGRAM_ATTRIBUTE(GRID_Z)) ||
        !is_within(b, PROGRAM_ATTRIBUTE(BLOCK_X), PROGRAM_ATTRIBUTE(BLOCK_Y),
                   PROGRAM_ATTRIBUTE(BLOCK_Z)) ||
        b[0] * b[1] * b[2] > (uint32_t)PROGRAM_ATTRIBUTE(BLOCK_THREADS)) {
        return CUDA_INVALID_CONFIGURATION;
    }
    if (!is_cluster(k, how)) {
        return CUDA_INVALID_CLUSTER;
    }
    return how->dynamic_shared_B > most_B ? CUDA_INVALID_VALUE : CUDA_SUCCESS;
}

#define MOST_PARAMS_B 32764 /* as the driver takes them */

/* Up to where the parameters reach; 0 where one is missing. */
static size_t lay_out(uint8_t *to, const tma_emulator *emulator, const char *kernel,
                      const program_launch *how, size_t *declared_B) {
    tma_emulate_parameter p;
    size_t end_B = 0;
    for (size_t i = 0; tma_emulator_parameter_at(emulator, kernel, i, &p); i++) {
        const size_t ends_B = (size_t)p.offset_B + p.size_B;
        end_B = ends_B > end_B ? ends_B : end_B;
        if (to && how->args) {
            if (!how->args[i]) {
                return 0;
            }
            memcpy(to + p.offset_B, how->args[i], p.size_B);
        }
    }
    *declared_B = end_B;
    return end_B;
}

/* The launch with all its parameters in memory of its own: free(params). */
static cuda_error take_params(program_op *op, const program_launch *how) {
    cuda_error error = CUDA_SUCCESS;
    size_t params_B = 0, laid_B = 0;
    program_kernel *k = op->kernel;
    const tma_emulator *emulator = tma_program_emulator(k->module, &error);
    if (!emulator) {
        tma_program_report("none", 0, 0, 1);
        return error;
    }
    lay_out(NULL, emulator, k->name, how, &params_B);
    if (params_B > MOST_PARAMS_B) {
        return CUDA_INVALID_VALUE;
    }
    op->params = calloc(1, params_B + 1);
    if (!op->params) {
        return CUDA_MEMORY_ALLOCATION;
    }
    if (how->params && how->params_B >= params_B) {
        memcpy(op->params, how->params, params_B);
    } else if (params_B && (!how->args || !lay_out(op->params, emulator, k->name, how, &laid_B))) {
        return CUDA_INVALID_VALUE;
    }
    op->launch = *how;
    op->launch.args = NULL;
    op->launch.params = op->params;
    op->launch.params_B = params_B;
    return CUDA_SUCCESS;
}

/* free(op->params), also where it is refused. */
static cuda_error make_op(program_op *op, const program_launch *how) {
    cuda_error error = tma_program_died();
    if (error == CUDA_SUCCESS) {
        tma_program_lock();
        error = judge(op->kernel, how);
        error = error == CUDA_SUCCESS ? take_params(op, how) : error;
        tma_program_unlock();
    }
    return error == CUDA_SUCCESS && how->cooperative ? tma_program_fits(op->kernel, how) : error;
}

cuda_error tma_program_launch(cuda_stream stream, program_kernel *k, const program_launch *how) {
    program_op op = {.kind = OP_LAUNCH, .kernel = k};
    cuda_error error = make_op(&op, how);
    error = error == CUDA_SUCCESS ? program_do(stream, &op) : error;
    free(op.params);
    return error;
}

cuda_error tma_program_node_launch(const program_node *at, program_kernel *k,
                                   const program_launch *how) {
    program_op op = {.kind = OP_LAUNCH, .kernel = k};
    cuda_error error = make_op(&op, how);
    if (error == CUDA_SUCCESS) {
        error = program_graph_node(at->node, at->graph, at->behind, at->count, &op);
    }
    free(op.params);
    return error;
}
