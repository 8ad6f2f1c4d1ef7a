/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's calls that bring kernels. They are passed on, in either mode: who stands in has no
 * kernels of its own. PTX goes in with checks where that is asked for (checked_image.h).
 */

#include "capped_image.h"
#include "captured_kernels.h"
#include "checked_image.h"
#include "loaded_kernels.h"
#include "map_memory.h"
#include "own_work.h"
#include "real_driver.h"
#include "record.h"
#include "settings.h"
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
        map_memory_look(rc);
        own_work_end(&work);
    }
    return rc;
}

/* What the driver wrote; a pointer that it did not follow is not followed here. */
#define WRITTEN(rc, to) ((rc) == SHIM_SUCCESS && (to) ? *(to) : NULL)

/* One call that loads, with all that it may be given. */
struct load_call {
    enum shim_symbol call;
    const void *image; /* or a file's name */
    struct CUmod_st **module;
    struct CUlib_st **library;
    uint32_t *jit; /* options of the compiler */
    void **jit_value;
    unsigned jits;
    uint32_t *option; /* of a library */
    void **option_value;
    unsigned options;
};

static int takes_file(const struct load_call *c) {
    return c->call == AT_cuModuleLoad || c->call == AT_cuLibraryLoadFromFile;
}

/* The call that takes a text where the program's own takes a file. */
static enum shim_symbol call_for(const struct load_call *c, const char *text) {
    if (!text) {
        return c->call;
    }
    return c->call == AT_cuModuleLoad            ? AT_cuModuleLoadData
           : c->call == AT_cuLibraryLoadFromFile ? AT_cuLibraryLoadData
                                                 : c->call;
}

/* A text in the place of the program's image; with null, that. */
static shim_result load_one(const struct load_call *c, const char *text, struct CUmod_st **module,
                            struct CUlib_st **library) {
    const void *image = text ? text : c->image;
    const enum shim_symbol call = call_for(c, text);
    const shim_function real = real_function(call);
    switch (call) {
    case AT_cuModuleLoad:
        return ((shim_module_file_call *)real)(module, image);
    case AT_cuModuleLoadDataEx:
        return ((shim_module_data_ex_call *)real)(module, image, c->jits, c->jit, c->jit_value);
    case AT_cuLibraryLoadData:
        return ((shim_library_data_call *)real)(library, image, c->jit, c->jit_value, c->jits,
                                                c->option, c->option_value, c->options);
    case AT_cuLibraryLoadFromFile:
        return ((shim_library_file_call *)real)(library, image, c->jit, c->jit_value, c->jits,
                                                c->option, c->option_value, c->options);
    default: /* cuModuleLoadData, cuModuleLoadFatBinary */
        return ((shim_module_data_call *)real)(module, image);
    }
}

/* Once more, for capped_image(). */
struct again {
    const struct load_call *call;
    struct checked_image *image;
};

static shim_result load_again(const void *context, const char *text, struct loaded_kernels *to) {
    const struct again *again = context;
    checked_image_again(again->image);
    return load_one(again->call, text, &to->module, &to->library);
}

/* The image with checks is in the driver. */
static shim_result cap(const struct load_call *c, struct checked_image *checked) {
    const struct again again = {c, checked};
    const struct image_load load = {load_again, &again};
    struct loaded_kernels loaded = {c->module ? *c->module : NULL, c->library ? *c->library : NULL};
    if (!loaded.module && !loaded.library) {
        return SHIM_SUCCESS;
    }
    const shim_result rc = capped_image(checked, &load, &loaded);
    if (rc == SHIM_SUCCESS && c->module) {
        *c->module = loaded.module;
    } else if (rc == SHIM_SUCCESS && c->library) {
        *c->library = loaded.library;
    }
    return rc;
}

static void keep_for_capture(const struct load_call *c, shim_result rc) {
    const void *module = WRITTEN(rc, c->module), *library = WRITTEN(rc, c->library);
    if (!settings()->capture) {
        return;
    }
    const struct own_work work = own_work_begin();
    if (takes_file(c)) {
        captured_kernels_loaded_file(c->image, module ? module : library);
    } else {
        captured_kernels_loaded(c->image, module ? module : library);
    }
    own_work_end(&work);
}

static shim_result load(const struct load_call *c) {
    if (!real_function(c->call)) {
        return watch_nothing_behind(c->call);
    }
    struct checked_image checked =
        takes_file(c) ? checked_image_of_file(c->image) : checked_image_of(c->image);
    checked_image_options(&checked, c->jit_value, c->jits);
    checked_image_library(&checked, c->option, c->options);
    checked.unused = checked.text && (!real_function(call_for(c, checked.text)) ||
                                      (takes_file(c) && checked.preserved)); /* no option of it */
    const char *text = checked.unused ? NULL : checked.text;
    shim_result rc = load_one(c, text, c->module, c->library);
    if (text && rc == SHIM_SUCCESS && (c->module || c->library)) {
        rc = cap(c, &checked);
    }
    if (text && checked_image_refused(&checked, rc)) {
        rc = load_one(c, NULL, c->module, c->library);
    }
    checked_image_end(&checked, rc);
    keep_for_capture(c, rc);
    return told(rc, WRITTEN(rc, c->module), WRITTEN(rc, c->library));
}

SHIM_EXPORT shim_result cuModuleLoad(struct CUmod_st **module, const char *fname) {
    const struct load_call call = {.call = AT_cuModuleLoad, .image = fname, .module = module};
    return load(&call);
}

SHIM_EXPORT shim_result cuModuleLoadData(struct CUmod_st **module, const void *image) {
    const struct load_call call = {.call = AT_cuModuleLoadData, .image = image, .module = module};
    return load(&call);
}

SHIM_EXPORT shim_result cuModuleLoadDataEx(struct CUmod_st **module, const void *image,
                                           unsigned numOptions, uint32_t *options,
                                           void **optionValues) {
    const struct load_call call = {.call = AT_cuModuleLoadDataEx,
                                   .image = image,
                                   .module = module,
                                   .jit = options,
                                   .jit_value = optionValues,
                                   .jits = numOptions};
    return load(&call);
}

SHIM_EXPORT shim_result cuModuleLoadFatBinary(struct CUmod_st **module, const void *image) {
    const struct load_call call = {
        .call = AT_cuModuleLoadFatBinary, .image = image, .module = module};
    return load(&call);
}

/* The two calls that make a library take the same, but for where its code is. */
#define LIBRARY_CALL(name, type, code)                                                             \
    SHIM_EXPORT shim_result name(struct CUlib_st **library, type code, uint32_t *jitOptions,       \
                                 void **jitOptionsValues, unsigned numJitOptions,                  \
                                 uint32_t *libraryOptions, void **libraryOptionValues,             \
                                 unsigned numLibraryOptions) {                                     \
        const struct load_call call = {AT_##name,        code,           NULL,                     \
                                       library,          jitOptions,     jitOptionsValues,         \
                                       numJitOptions,    libraryOptions, libraryOptionValues,      \
                                       numLibraryOptions};                                         \
        return load(&call);                                                                        \
    }
LIBRARY_CALL(cuLibraryLoadData, const void *, code)
LIBRARY_CALL(cuLibraryLoadFromFile, const char *, fileName)

SHIM_EXPORT shim_result cuLibraryGetKernel(struct CUkern_st **pKernel, struct CUlib_st *library,
                                           const char *name) {
    shim_library_kernel_call *real =
        (shim_library_kernel_call *)real_function(AT_cuLibraryGetKernel);
    if (!real) {
        return watch_nothing_behind(AT_cuLibraryGetKernel);
    }
    const shim_result rc = real(pKernel, library, name);
    if (settings()->capture) {
        const struct own_work work = own_work_begin();
        captured_kernels_found(library, WRITTEN(rc, pKernel), name);
        own_work_end(&work);
    }
    return told(rc, NULL, library);
}

SHIM_EXPORT shim_result cuLibraryGetModule(struct CUmod_st **pMod, struct CUlib_st *library) {
    shim_library_module_call *real =
        (shim_library_module_call *)real_function(AT_cuLibraryGetModule);
    if (!real) {
        return watch_nothing_behind(AT_cuLibraryGetModule);
    }
    return told(real(pMod, library), NULL, library);
}
