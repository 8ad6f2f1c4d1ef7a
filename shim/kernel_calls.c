/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's calls that bring kernels. They are passed on, in either mode: who stands in has no
 * kernels of its own. PTX goes in with checks where that is asked for (checked_image.h).
 */

#include "checked_image.h"
#include "loaded_kernels.h"
#include "own_work.h"
#include "real_driver.h"
#include "record.h"
#include "watch.h"

static shim_result told(shim_result rc, struct CUmod_st *module, struct CUlib_st *library) {
    if (rc == SHIM_SUCCESS && (module || library)) {
        const struct own_work work = own_work_begin();
        const struct loaded_kernels kernels = {module, library};
        record_loaded(&kernels);
        own_work_end(&work);
    } else if (rc != SHIM_SUCCESS) {
        const struct own_work work = own_work_begin();
        record_look();
        own_work_end(&work);
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
    shim_module_data_call *data = (shim_module_data_call *)real_function(AT_cuModuleLoadData);
    struct checked_image checked = checked_image_of_file(fname);
    const int given = !checked.text || !data;
    shim_result rc = given ? real(module, fname) : data(module, checked.text);
    if (!given && checked_image_refused(&checked, rc)) {
        rc = real(module, fname);
    }
    checked_image_end(&checked, rc);
    return told(rc, WRITTEN(rc, module), NULL);
}

/* The two calls that take an image and nothing else. */
static shim_result load_image(enum shim_symbol call, struct CUmod_st **module, const void *image) {
    shim_module_data_call *real = (shim_module_data_call *)real_function(call);
    if (!real) {
        return watch_nothing_behind(call);
    }
    struct checked_image checked = checked_image_of(image);
    shim_result rc = real(module, checked.text ? checked.text : image);
    if (checked_image_refused(&checked, rc)) {
        rc = real(module, image);
    }
    checked_image_end(&checked, rc);
    return told(rc, WRITTEN(rc, module), NULL);
}

SHIM_EXPORT shim_result cuModuleLoadData(struct CUmod_st **module, const void *image) {
    return load_image(AT_cuModuleLoadData, module, image);
}

SHIM_EXPORT shim_result cuModuleLoadDataEx(struct CUmod_st **module, const void *image,
                                           unsigned numOptions, uint32_t *options,
                                           void **optionValues) {
    shim_module_data_ex_call *real =
        (shim_module_data_ex_call *)real_function(AT_cuModuleLoadDataEx);
    if (!real) {
        return watch_nothing_behind(AT_cuModuleLoadDataEx);
    }
    struct checked_image checked = checked_image_of(image);
    checked_image_options(&checked, optionValues, numOptions);
    shim_result rc =
        real(module, checked.text ? checked.text : image, numOptions, options, optionValues);
    if (checked_image_refused(&checked, rc)) {
        rc = real(module, image, numOptions, options, optionValues);
    }
    checked_image_end(&checked, rc);
    return told(rc, WRITTEN(rc, module), NULL);
}

SHIM_EXPORT shim_result cuModuleLoadFatBinary(struct CUmod_st **module, const void *image) {
    return load_image(AT_cuModuleLoadFatBinary, module, image);
}

SHIM_EXPORT shim_result cuLibraryLoadData(struct CUlib_st **library, const void *code,
                                          uint32_t *jitOptions, void **jitOptionsValues,
                                          unsigned numJitOptions, uint32_t *libraryOptions,
                                          void **libraryOptionValues, unsigned numLibraryOptions) {
    shim_library_data_call *real = (shim_library_data_call *)real_function(AT_cuLibraryLoadData);
    if (!real) {
        return watch_nothing_behind(AT_cuLibraryLoadData);
    }
    struct checked_image checked = checked_image_of(code);
    checked_image_options(&checked, jitOptionsValues, numJitOptions);
    checked_image_library(&checked, libraryOptions, numLibraryOptions);
    shim_result rc = real(library, checked.text ? checked.text : code, jitOptions, jitOptionsValues,
                          numJitOptions, libraryOptions, libraryOptionValues, numLibraryOptions);
    if (checked_image_refused(&checked, rc)) {
        rc = real(library, code, jitOptions, jitOptionsValues, numJitOptions, libraryOptions,
                  libraryOptionValues, numLibraryOptions);
    }
    checked_image_end(&checked, rc);
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
    shim_library_data_call *data = (shim_library_data_call *)real_function(AT_cuLibraryLoadData);
    struct checked_image checked = checked_image_of_file(fileName);
    checked_image_options(&checked, jitOptionsValues, numJitOptions);
    checked_image_library(&checked, libraryOptions, numLibraryOptions);
    const int given = !checked.text || !data || checked.preserved; /* no option of this call's */
    shim_result rc = given
                         ? real(library, fileName, jitOptions, jitOptionsValues, numJitOptions,
                                libraryOptions, libraryOptionValues, numLibraryOptions)
                         : data(library, checked.text, jitOptions, jitOptionsValues, numJitOptions,
                                libraryOptions, libraryOptionValues, numLibraryOptions);
    if (!given && checked_image_refused(&checked, rc)) {
        rc = real(library, fileName, jitOptions, jitOptionsValues, numJitOptions, libraryOptions,
                  libraryOptionValues, numLibraryOptions);
    }
    checked_image_end(&checked, rc);
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
