/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's calls that bring kernels. They are passed on, in either mode: who stands in has no
 * kernels of its own.
 */
#include <errno.h>

#include "loaded_kernels.h"
#include "real_driver.h"
#include "watch.h"

static shim_result told(shim_result rc, struct CUmod_st *module, struct CUlib_st *library) {
    if (rc == SHIM_SUCCESS && (module || library)) {
        const int error = errno;
        const struct loaded_kernels kernels = {module, library};
        kernels_loaded(&kernels);
        errno = error;
    }
    return rc;
}

/* What the driver wrote; a pointer that it did not follow is not followed here. */
#define WRITTEN(rc, to) ((rc) == SHIM_SUCCESS && (to) ? *(to) : NULL)

SHIM_EXPORT shim_result cuModuleLoad(struct CUmod_st **module, const char *fname) {
    shim_module_file_call *real = (shim_module_file_call *)real_function(AT_cuModuleLoad);
    if (!real) {
        return watch_nothing_behind(AT_cuModuleLoad);
    }
    const shim_result rc = real(module, fname);
    return told(rc, WRITTEN(rc, module), NULL);
}

SHIM_EXPORT shim_result cuModuleLoadData(struct CUmod_st **module, const void *image) {
    shim_module_data_call *real = (shim_module_data_call *)real_function(AT_cuModuleLoadData);
    if (!real) {
        return watch_nothing_behind(AT_cuModuleLoadData);
    }
    const shim_result rc = real(module, image);
    return told(rc, WRITTEN(rc, module), NULL);
}

SHIM_EXPORT shim_result cuModuleLoadDataEx(struct CUmod_st **module, const void *image,
                                           unsigned numOptions, uint32_t *options,
                                           void **optionValues) {
    shim_module_data_ex_call *real =
        (shim_module_data_ex_call *)real_function(AT_cuModuleLoadDataEx);
    if (!real) {
        return watch_nothing_behind(AT_cuModuleLoadDataEx);
    }
    const shim_result rc = real(module, image, numOptions, options, optionValues);
    return told(rc, WRITTEN(rc, module), NULL);
}

SHIM_EXPORT shim_result cuModuleLoadFatBinary(struct CUmod_st **module, const void *image) {
    shim_module_data_call *real = (shim_module_data_call *)real_function(AT_cuModuleLoadFatBinary);
    if (!real) {
        return watch_nothing_behind(AT_cuModuleLoadFatBinary);
    }
    const shim_result rc = real(module, image);
    return told(rc, WRITTEN(rc, module), NULL);
}

SHIM_EXPORT shim_result cuLibraryLoadData(struct CUlib_st **library, const void *code,
                                          uint32_t *jitOptions, void **jitOptionsValues,
                                          unsigned numJitOptions, uint32_t *libraryOptions,
                                          void **libraryOptionValues, unsigned numLibraryOptions) {
    shim_library_data_call *real = (shim_library_data_call *)real_function(AT_cuLibraryLoadData);
    if (!real) {
        return watch_nothing_behind(AT_cuLibraryLoadData);
    }
    const shim_result rc = real(library, code, jitOptions, jitOptionsValues, numJitOptions,
                                libraryOptions, libraryOptionValues, numLibraryOptions);
    return told(rc, NULL, WRITTEN(rc, library));
}

SHIM_EXPORT shim_result cuLibraryLoadFromFile(struct CUlib_st **library, const char *fileName,
                                              uint32_t *jitOptions, void **jitOptionsValues,
                                              unsigned numJitOptions, uint32_t *libraryOptions,
                                              void **libraryOptionValues,
                                              unsigned numLibraryOptions) {
    shim_library_file_call *real =
        (shim_library_file_call *)real_function(AT_cuLibraryLoadFromFile);
    if (!real) {
        return watch_nothing_behind(AT_cuLibraryLoadFromFile);
    }
    const shim_result rc = real(library, fileName, jitOptions, jitOptionsValues, numJitOptions,
                                libraryOptions, libraryOptionValues, numLibraryOptions);
    return told(rc, NULL, WRITTEN(rc, library));
}

SHIM_EXPORT shim_result cuLibraryGetKernel(struct CUkern_st **pKernel, struct CUlib_st *library,
                                           const char *name) {
    shim_library_kernel_call *real =
        (shim_library_kernel_call *)real_function(AT_cuLibraryGetKernel);
    if (!real) {
        return watch_nothing_behind(AT_cuLibraryGetKernel);
    }
    return told(real(pKernel, library, name), NULL, library);
}

SHIM_EXPORT shim_result cuLibraryGetModule(struct CUmod_st **pMod, struct CUlib_st *library) {
    shim_library_module_call *real =
        (shim_library_module_call *)real_function(AT_cuLibraryGetModule);
    if (!real) {
        return watch_nothing_behind(AT_cuLibraryGetModule);
    }
    return told(real(pMod, library), NULL, library);
}
