/* SPDX-License-Identifier: Apache-2.0
 *
 * What the driver says of kernels, by both of their handles.
 */
#include "libcuda_calls.h"
#include "libcuda_handles.h"

int libcuda_is_module(const program_module *m) {
    tma_program_lock();
    const int is = tma_program_is_module(m);
    tma_program_unlock();
    return is;
}

program_kernel *libcuda_kernel(void *handle) {
    return tma_program_is_kernel(handle) ? handle : NULL;
}

uint32_t cuFuncGetAttribute(int *pi, uint32_t attrib, struct CUfunc_st *hfunc) {
    const uint32_t error = libcuda_state();
    program_kernel *k = libcuda_kernel(hfunc);
    return error != CUDA_SUCCESS ? error
           : k                   ? libcuda_result(tma_program_kernel_get(pi, attrib, k))
                                 : CUDA_INVALID_RESOURCE_HANDLE;
}

uint32_t cuFuncSetAttribute(struct CUfunc_st *hfunc, uint32_t attrib, int value) {
    const uint32_t error = libcuda_state();
    program_kernel *k = libcuda_kernel(hfunc);
    return error != CUDA_SUCCESS ? error
           : k                   ? libcuda_result(tma_program_kernel_set(k, attrib, value))
                                 : CUDA_INVALID_RESOURCE_HANDLE;
}

uint32_t cuFuncSetCacheConfig(struct CUfunc_st *hfunc, uint32_t config) {
    (void)config;
    const uint32_t error = libcuda_state();
    return error != CUDA_SUCCESS   ? error
           : libcuda_kernel(hfunc) ? CUDA_SUCCESS
                                   : CUDA_INVALID_RESOURCE_HANDLE;
}

uint32_t cuFuncGetModule(struct CUmod_st **hmod, struct CUfunc_st *hfunc) {
    const program_kernel *k = libcuda_kernel(hfunc);
    if (!hmod || !k) {
        return hmod ? CUDA_INVALID_RESOURCE_HANDLE : CUDA_INVALID_VALUE;
    }
    *hmod = (struct CUmod_st *)k->module;
    return libcuda_state();
}

uint32_t cuFuncGetName(const char **name, struct CUfunc_st *hfunc) {
    const program_kernel *k = libcuda_kernel(hfunc);
    if (!name || !k) {
        return name ? CUDA_INVALID_RESOURCE_HANDLE : CUDA_INVALID_VALUE;
    }
    *name = k->name;
    return libcuda_state();
}

uint32_t cuFuncGetParamInfo(struct CUfunc_st *func, size_t paramIndex, size_t *paramOffset,
                            size_t *paramSize) {
    cuda_error error = CUDA_SUCCESS;
    tma_emulate_parameter p;
    program_kernel *k = libcuda_kernel(func);
    if (!k || !paramOffset) {
        return k ? CUDA_INVALID_VALUE : CUDA_INVALID_RESOURCE_HANDLE;
    }
    const tma_emulator *emulator = tma_program_emulator(k->module, &error);
    if (!emulator || !tma_emulator_parameter_at(emulator, k->name, paramIndex, &p)) {
        return emulator ? CUDA_INVALID_VALUE : libcuda_result(error);
    }
    *paramOffset = p.offset_B;
    if (paramSize) {
        *paramSize = p.size_B;
    }
    return libcuda_state();
}

/* ---- by the other handle ---- */

uint32_t cuKernelGetFunction(struct CUfunc_st **pFunc, struct CUkern_st *kernel) {
    const uint32_t error = libcuda_state();
    if (error != CUDA_SUCCESS || !pFunc || !libcuda_kernel(kernel)) {
        return error != CUDA_SUCCESS ? error
               : pFunc               ? CUDA_INVALID_RESOURCE_HANDLE
                                     : CUDA_INVALID_VALUE;
    }
    *pFunc = (struct CUfunc_st *)kernel;
    return CUDA_SUCCESS;
}

uint32_t cuKernelGetAttribute(int *pi, uint32_t attrib, struct CUkern_st *kernel, int dev) {
    return dev ? CUDA_INVALID_DEVICE : cuFuncGetAttribute(pi, attrib, (struct CUfunc_st *)kernel);
}

uint32_t cuKernelSetAttribute(uint32_t attrib, int val, struct CUkern_st *kernel, int dev) {
    return dev ? CUDA_INVALID_DEVICE : cuFuncSetAttribute((struct CUfunc_st *)kernel, attrib, val);
}

uint32_t cuKernelGetName(const char **name, struct CUkern_st *hfunc) {
    return cuFuncGetName(name, (struct CUfunc_st *)hfunc);
}

uint32_t cuKernelGetParamInfo(struct CUkern_st *kernel, size_t paramIndex, size_t *paramOffset,
                              size_t *paramSize) {
    return cuFuncGetParamInfo((struct CUfunc_st *)kernel, paramIndex, paramOffset, paramSize);
}
