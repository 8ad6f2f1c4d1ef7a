/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's calls that give kernels' handles and launch them. They are passed on as they came;
 * tma capture keeps what a launch was.
 */
#include "captured_kernels.h"
#include "captured_launch.h"
#include "careful_read.h"
#include "own_work.h"
#include "real_driver.h"
#include "settings.h"
#include "watch.h"

#define WRITTEN(rc, to) ((rc) == SHIM_SUCCESS && (to) ? *(to) : NULL)

SHIM_EXPORT shim_result cuModuleGetFunction(struct CUfunc_st **hfunc, struct CUmod_st *hmod,
                                            const char *name) {
    shim_module_function_call *real =
        (shim_module_function_call *)real_function(AT_cuModuleGetFunction);
    if (!real) {
        return watch_nothing_behind(AT_cuModuleGetFunction);
    }
    const shim_result rc = real(hfunc, hmod, name);
    if (settings()->capture) {
        const struct own_work work = own_work_begin();
        captured_kernels_found(hmod, WRITTEN(rc, hfunc), name);
        own_work_end(&work);
    }
    return rc;
}

SHIM_EXPORT shim_result cuKernelGetFunction(struct CUfunc_st **pFunc, struct CUkern_st *kernel) {
    shim_kernel_function_call *real =
        (shim_kernel_function_call *)real_function(AT_cuKernelGetFunction);
    if (!real) {
        return watch_nothing_behind(AT_cuKernelGetFunction);
    }
    const shim_result rc = real(pFunc, kernel);
    if (settings()->capture) {
        const struct own_work work = own_work_begin();
        captured_kernels_same(WRITTEN(rc, pFunc), kernel);
        own_work_end(&work);
    }
    return rc;
}

/* The stream of a thread's own is another than null there. */
static struct CUstream_st *stream_of(enum shim_symbol which, struct CUstream_st *stream) {
    const int is_own = which == AT_cuLaunchKernel_ptsz || which == AT_cuLaunchKernelEx_ptsz ||
                       which == AT_cuLaunchCooperativeKernel_ptsz;
    return is_own && !stream ? SHIM_STREAM_PER_THREAD : stream;
}

static int is_awaited(const struct CUfunc_st *function) {
    return settings()->capture && captured_launch_is_awaited(function);
}

static void capture(const struct launch_call *call) {
    if (is_awaited(call->function)) {
        captured_launch(call);
    }
}

#define LAUNCH_CALL(name)                                                                          \
    SHIM_EXPORT shim_result name(struct CUfunc_st *f, unsigned gridDimX, unsigned gridDimY,        \
                                 unsigned gridDimZ, unsigned blockDimX, unsigned blockDimY,        \
                                 unsigned blockDimZ, unsigned sharedMemBytes,                      \
                                 struct CUstream_st *hStream, void **kernelParams, void **extra) { \
        const struct launch_call call = {.function = f,                                            \
                                         .grid = {gridDimX, gridDimY, gridDimZ},                   \
                                         .block = {blockDimX, blockDimY, blockDimZ},               \
                                         .shared_B = sharedMemBytes,                               \
                                         .stream = stream_of(AT_##name, hStream),                  \
                                         .params = kernelParams,                                   \
                                         .extra = extra};                                          \
        shim_launch_call *real = (shim_launch_call *)real_function(AT_##name);                     \
        if (!real) {                                                                               \
            return watch_nothing_behind(AT_##name);                                                \
        }                                                                                          \
        capture(&call);                                                                            \
        return real(f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ,              \
                    sharedMemBytes, hStream, kernelParams, extra);                                 \
    }
LAUNCH_CALL(cuLaunchKernel)
LAUNCH_CALL(cuLaunchKernel_ptsz)

static void capture_with(enum shim_symbol which, const struct CUlaunchConfig_st *config,
                         struct CUfunc_st *f, void **params, void **extra) {
    shim_launch_config c;
    if (!is_awaited(f) || read_carefully(&c, config, sizeof(c))) {
        return;
    }
    const struct launch_call call = {.function = f,
                                     .grid = {c.grid[0], c.grid[1], c.grid[2]},
                                     .block = {c.block[0], c.block[1], c.block[2]},
                                     .shared_B = c.shared_B,
                                     .stream = stream_of(which, c.stream),
                                     .attribute = c.attribute,
                                     .attributes = c.attributes,
                                     .params = params,
                                     .extra = extra};
    captured_launch(&call);
}

#define LAUNCH_EX_CALL(name)                                                                       \
    SHIM_EXPORT shim_result name(const struct CUlaunchConfig_st *config, struct CUfunc_st *f,      \
                                 void **kernelParams, void **extra) {                              \
        shim_launch_ex_call *real = (shim_launch_ex_call *)real_function(AT_##name);               \
        if (!real) {                                                                               \
            return watch_nothing_behind(AT_##name);                                                \
        }                                                                                          \
        capture_with(AT_##name, config, f, kernelParams, extra);                                   \
        return real(config, f, kernelParams, extra);                                               \
    }
LAUNCH_EX_CALL(cuLaunchKernelEx)
LAUNCH_EX_CALL(cuLaunchKernelEx_ptsz)

#define COOPERATIVE_CALL(name)                                                                     \
    SHIM_EXPORT shim_result name(struct CUfunc_st *f, unsigned gridDimX, unsigned gridDimY,        \
                                 unsigned gridDimZ, unsigned blockDimX, unsigned blockDimY,        \
                                 unsigned blockDimZ, unsigned sharedMemBytes,                      \
                                 struct CUstream_st *hStream, void **kernelParams) {               \
        static const shim_launch_attribute together = {.id = SHIM_LAUNCH_COOPERATIVE,              \
                                                       .value = {.cluster = {1}}};                 \
        const struct launch_call call = {.function = f,                                            \
                                         .grid = {gridDimX, gridDimY, gridDimZ},                   \
                                         .block = {blockDimX, blockDimY, blockDimZ},               \
                                         .shared_B = sharedMemBytes,                               \
                                         .stream = stream_of(AT_##name, hStream),                  \
                                         .attribute = &together,                                   \
                                         .attributes = 1,                                          \
                                         .params = kernelParams};                                  \
        shim_cooperative_call *real = (shim_cooperative_call *)real_function(AT_##name);           \
        if (!real) {                                                                               \
            return watch_nothing_behind(AT_##name);                                                \
        }                                                                                          \
        capture(&call);                                                                            \
        return real(f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ,              \
                    sharedMemBytes, hStream, kernelParams);                                        \
    }
COOPERATIVE_CALL(cuLaunchCooperativeKernel)
COOPERATIVE_CALL(cuLaunchCooperativeKernel_ptsz)
