/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's contexts.
 */
#include "libcuda_calls.h"

#define API_VERSION 3020 /* of contexts: cuCtxGetApiVersion */

static uint32_t begin(int dev) {
    const uint32_t state = program_context_state(0);
    return state != CUDA_SUCCESS ? state : dev ? CUDA_INVALID_DEVICE : CUDA_SUCCESS;
}

/* ---- the primary one ---- */

uint32_t cuDevicePrimaryCtxRetain(struct CUctx_st **pctx, int dev) {
    const uint32_t error = begin(dev);
    if (error != CUDA_SUCCESS || !pctx) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    *pctx = program_context_retain();
    return CUDA_SUCCESS;
}

uint32_t cuDevicePrimaryCtxRelease_v2(int dev) {
    const uint32_t error = begin(dev);
    return error != CUDA_SUCCESS ? error : program_context_release(0);
}

uint32_t cuDevicePrimaryCtxReset_v2(int dev) {
    const uint32_t error = begin(dev);
    return error != CUDA_SUCCESS ? error : program_context_release(1);
}

uint32_t cuDevicePrimaryCtxSetFlags_v2(int dev, unsigned flags) {
    const uint32_t error = begin(dev);
    if (error == CUDA_SUCCESS) {
        program_context_flags(flags);
    }
    return error;
}

uint32_t cuDevicePrimaryCtxGetState(int dev, unsigned *flags, int *active) {
    const uint32_t error = begin(dev);
    if (error != CUDA_SUCCESS || !flags || !active) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    *active = program_context_is_active(flags);
    return CUDA_SUCCESS;
}

/* ---- those that the program makes ---- */

uint32_t cuCtxCreate_v2(struct CUctx_st **pctx, unsigned flags, int dev) {
    const uint32_t error = begin(dev);
    if (error != CUDA_SUCCESS || !pctx) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    return program_context_new(pctx, flags);
}

uint32_t cuCtxCreate_v4(struct CUctx_st **pctx, struct CUctxCreateParams_st *ctxCreateParams,
                        unsigned flags, int dev) {
    const struct CUctxCreateParams_st *p = ctxCreateParams;
    if (p && (p->affinity || p->affinities || p->graphics)) {
        tma_program_say_once(
            "cuCtxCreate: no affinity and no graphics are taken in ctxCreateParams");
        return CUDA_NOT_SUPPORTED;
    }
    return cuCtxCreate_v2(pctx, flags, dev);
}

uint32_t cuCtxDestroy_v2(struct CUctx_st *ctx) {
    const uint32_t error = begin(0);
    return error != CUDA_SUCCESS ? error : !ctx ? CUDA_INVALID_VALUE : program_context_free(ctx);
}

/* ---- the thread's stack ---- */

uint32_t cuCtxPushCurrent_v2(struct CUctx_st *ctx) {
    const uint32_t error = begin(0);
    return error != CUDA_SUCCESS ? error : program_context_push(ctx);
}

uint32_t cuCtxPopCurrent_v2(struct CUctx_st **pctx) {
    const uint32_t error = begin(0);
    return error != CUDA_SUCCESS ? error : program_context_pop(pctx);
}

uint32_t cuCtxSetCurrent(struct CUctx_st *ctx) {
    const uint32_t error = begin(0);
    return error != CUDA_SUCCESS ? error : program_context_set(ctx);
}

uint32_t cuCtxGetCurrent(struct CUctx_st **pctx) {
    const uint32_t error = begin(0);
    if (error != CUDA_SUCCESS || !pctx) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    *pctx = program_context_current();
    return CUDA_SUCCESS;
}

uint32_t cuCtxGetDevice(int *device) {
    const uint32_t error = libcuda_state();
    if (error != CUDA_SUCCESS || !device) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    *device = 0;
    return CUDA_SUCCESS;
}

/* A context, or null for the current one. */
static uint32_t ask(struct CUctx_st *context, uint64_t *id, uint32_t *flags) {
    const uint32_t error = context ? begin(0) : libcuda_state();
    return error != CUDA_SUCCESS
               ? error
               : program_context_is(context ? context : program_context_current(), id, flags);
}

uint32_t cuCtxGetFlags(unsigned *flags) {
    uint64_t id = 0;
    return flags ? ask(NULL, &id, flags) : CUDA_INVALID_VALUE;
}

uint32_t cuCtxGetId(struct CUctx_st *ctx, unsigned long long *ctxId) {
    uint64_t id = 0;
    uint32_t flags = 0;
    const uint32_t error = ctxId ? ask(ctx, &id, &flags) : CUDA_INVALID_VALUE;
    if (error == CUDA_SUCCESS) {
        *ctxId = id;
    }
    return error;
}

uint32_t cuCtxGetApiVersion(struct CUctx_st *ctx, unsigned *version) {
    uint64_t id = 0;
    uint32_t flags = 0;
    const uint32_t error = version ? ask(ctx, &id, &flags) : CUDA_INVALID_VALUE;
    if (error == CUDA_SUCCESS) {
        *version = API_VERSION;
    }
    return error;
}

uint32_t cuCtxSynchronize(void) {
    return libcuda_state();
}

uint32_t cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
    const uint32_t error = libcuda_state();
    if (error == CUDA_SUCCESS && leastPriority) {
        *leastPriority = 0;
    }
    if (error == CUDA_SUCCESS && greatestPriority) {
        *greatestPriority = PROGRAM_GREATEST_PRIORITY;
    }
    return error;
}
