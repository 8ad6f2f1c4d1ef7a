/* SPDX-License-Identifier: Apache-2.0
 *
 * What kernels hold that the driver has loaded.
 */
#include "loaded_kernels.h"

#include "real_driver.h"

shim_result kernels_global(const struct loaded_kernels *kernels, const char *name,
                           uint64_t *address, size_t *size_B) {
    shim_module_global_call *of_module =
        (shim_module_global_call *)real_function(AT_cuModuleGetGlobal_v2);
    shim_library_global_call *of_library =
        (shim_library_global_call *)real_function(AT_cuLibraryGetGlobal);
    if (kernels->module && of_module) {
        return of_module(address, size_B, kernels->module, name);
    }
    if (kernels->library && of_library) {
        return of_library(address, size_B, kernels->library, name);
    }
    return SHIM_ERROR_NOT_SUPPORTED;
}

static shim_result module_use(struct CUmod_st *module, const char *name, int *registers,
                              int *local_B) {
    shim_module_function_call *find =
        (shim_module_function_call *)real_function(AT_cuModuleGetFunction);
    shim_function_attribute_call *ask =
        (shim_function_attribute_call *)real_function(AT_cuFuncGetAttribute);
    struct CUfunc_st *function = NULL;
    if (!find || !ask) {
        return SHIM_ERROR_NOT_SUPPORTED;
    }
    const shim_result rc = find(&function, module, name);
    const shim_result first = rc ? rc : ask(registers, SHIM_FUNCTION_NUM_REGS, function);
    return first ? first : ask(local_B, SHIM_FUNCTION_LOCAL_SIZE_B, function);
}

static shim_result library_use(struct CUlib_st *library, const char *name, int *registers,
                               int *local_B) {
    shim_library_kernel_call *find =
        (shim_library_kernel_call *)real_function(AT_cuLibraryGetKernel);
    shim_kernel_attribute_call *ask =
        (shim_kernel_attribute_call *)real_function(AT_cuKernelGetAttribute);
    shim_device_call *current = (shim_device_call *)real_function(AT_cuCtxGetDevice);
    struct CUkern_st *kernel = NULL;
    int device = 0;
    if (!find || !ask || !current) {
        return SHIM_ERROR_NOT_SUPPORTED;
    }
    shim_result rc = current(&device);
    rc = rc ? rc : find(&kernel, library, name);
    rc = rc ? rc : ask(registers, SHIM_FUNCTION_NUM_REGS, kernel, device);
    return rc ? rc : ask(local_B, SHIM_FUNCTION_LOCAL_SIZE_B, kernel, device);
}

shim_result kernels_use(const struct loaded_kernels *kernels, const char *name, int *registers,
                        int *local_B) {
    return kernels->module ? module_use(kernels->module, name, registers, local_B)
                           : library_use(kernels->library, name, registers, local_B);
}

void kernels_unload(const struct loaded_kernels *kernels) {
    shim_module_unload_call *of_module =
        (shim_module_unload_call *)real_function(AT_cuModuleUnload);
    shim_library_unload_call *of_library =
        (shim_library_unload_call *)real_function(AT_cuLibraryUnload);
    if (kernels->module && of_module) {
        (void)of_module(kernels->module);
    } else if (kernels->library && of_library) {
        (void)of_library(kernels->library);
    }
}
