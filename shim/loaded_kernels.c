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
