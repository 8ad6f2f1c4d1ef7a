/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's modules and libraries, which are the same here: PTX, or a fatbinary that has some.
 */
#include <stdio.h>
#include <stdlib.h>

#include "libcuda_calls.h"
#include "libcuda_handles.h"

enum { JIT_ERROR_LOG = 5, JIT_ERROR_LOG_B = 6 }; /* of CUjit_option */

/* What is wrong with the text goes where the program asked for it, else to standard error. */
static void say(const char *text, unsigned count, const uint32_t *options, void **values) {
    char *log = NULL;
    size_t size_B = 0;
    void **used = NULL;
    for (unsigned i = 0; i < count && options && values; i++) {
        if (options[i] == JIT_ERROR_LOG) {
            log = values[i];
        } else if (options[i] == JIT_ERROR_LOG_B) {
            size_B = (uint32_t)(uintptr_t)values[i];
            used = &values[i];
        }
    }
    if (!log || !size_B) {
        fprintf(stderr, "tma emulate: %s\n", text);
        return;
    }
    const int length = snprintf(log, size_B, "%s", text);
    const size_t most_B = (size_t)length < size_B ? (size_t)length : size_B - 1;
    *used = (void *)(uintptr_t)(most_B + 1); // NOLINT(performance-no-int-to-ptr): as cuda.h has it
}

static uint32_t load(program_module **module, const void *image, size_t size_B, unsigned count,
                     const uint32_t *options, void **values) {
    tma_error why;
    program_module *m = tma_program_module_new(image, size_B);
    if (!m) {
        return CUDA_MEMORY_ALLOCATION;
    }
    const cuda_error error = tma_program_module_read(m, &why);
    if (error != CUDA_SUCCESS) {
        say(why.text, count, options, values);
        tma_program_module_free(m);
        return libcuda_result(error);
    }
    *module = m;
    return CUDA_SUCCESS;
}

/* The whole of a file with a 0 behind it; free() it. Null: there is none that can be read. */
static char *text_of(const char *path, size_t *size_B) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size = -1;
    if (file && !fseek(file, 0, SEEK_END)) {
        size = ftell(file);
        rewind(file);
    }
    if (size >= 0 && (text = calloc(1, (size_t)size + 1)) &&
        fread(text, 1, (size_t)size, file) != (size_t)size) {
        free(text);
        text = NULL;
    }
    *size_B = text ? (size_t)size : 0;
    if (file) {
        fclose(file);
    }
    return text;
}

static uint32_t load_file(program_module **module, const char *path, unsigned count,
                          const uint32_t *options, void **values) {
    size_t size_B = 0;
    char *text = text_of(path, &size_B);
    if (!text) {
        return CUDA_FILE_NOT_FOUND;
    }
    const uint32_t error = load(module, text, size_B, count, options, values);
    free(text); /* a module keeps its PTX */
    return error;
}

/* ---- modules ---- */

uint32_t cuModuleLoadDataEx(struct CUmod_st **module, const void *image, unsigned numOptions,
                            uint32_t *options, void **optionValues) {
    const uint32_t error = libcuda_state();
    program_module *m = NULL;
    if (error != CUDA_SUCCESS || !module || !image) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    const uint32_t loaded = load(&m, image, SIZE_MAX, numOptions, options, optionValues);
    *module = (struct CUmod_st *)m;
    return loaded;
}

uint32_t cuModuleLoadData(struct CUmod_st **module, const void *image) {
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

uint32_t cuModuleLoadFatBinary(struct CUmod_st **module, const void *fatCubin) {
    return cuModuleLoadData(module, fatCubin);
}

uint32_t cuModuleLoad(struct CUmod_st **module, const char *fname) {
    const uint32_t error = libcuda_state();
    program_module *m = NULL;
    if (error != CUDA_SUCCESS || !module || !fname) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    const uint32_t loaded = load_file(&m, fname, 0, NULL, NULL);
    *module = (struct CUmod_st *)m;
    return loaded;
}

static uint32_t unload(program_module *m) {
    const uint32_t error = libcuda_state();
    if (error != CUDA_SUCCESS || !libcuda_is_module(m)) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_RESOURCE_HANDLE;
    }
    tma_program_module_free(m);
    return CUDA_SUCCESS;
}

uint32_t cuModuleUnload(struct CUmod_st *hmod) {
    return unload((program_module *)hmod);
}

uint32_t cuModuleGetLoadingMode(uint32_t *mode) {
    if (!mode) {
        return CUDA_INVALID_VALUE;
    }
    *mode = 1; /* CU_MODULE_EAGER_LOADING */
    return CUDA_SUCCESS;
}

static uint32_t find(program_kernel **kernel, program_module *m, const char *name) {
    const uint32_t error = libcuda_state();
    if (error != CUDA_SUCCESS || !kernel || !name) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    if (!libcuda_is_module(m)) {
        return CUDA_INVALID_RESOURCE_HANDLE;
    }
    *kernel = tma_program_kernel_named(m, name);
    return *kernel ? CUDA_SUCCESS : CUDA_SYMBOL_NOT_FOUND;
}

uint32_t cuModuleGetFunction(struct CUfunc_st **hfunc, struct CUmod_st *hmod, const char *name) {
    program_kernel *k = NULL;
    const uint32_t error = find(hfunc ? &k : NULL, (program_module *)hmod, name);
    if (error == CUDA_SUCCESS) {
        *hfunc = (struct CUfunc_st *)(void *)k;
    }
    return error;
}

static uint32_t count_kernels(unsigned *count, program_module *m) {
    const uint32_t error = libcuda_state();
    size_t length = 0;
    if (error != CUDA_SUCCESS || !count) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    if (!libcuda_is_module(m)) {
        return CUDA_INVALID_RESOURCE_HANDLE;
    }
    for (*count = 0; tma_program_kernel_at(m, *count, &length); (*count)++) {
    }
    return CUDA_SUCCESS;
}

uint32_t cuModuleGetFunctionCount(unsigned *count, struct CUmod_st *mod) {
    return count_kernels(count, (program_module *)mod);
}

uint32_t cuModuleGetGlobal_v2(device_address *dptr, size_t *bytes, struct CUmod_st *hmod,
                              const char *name) {
    program_module *m = (program_module *)hmod;
    tma_emulate_memory found = {0};
    const uint32_t state = libcuda_state();
    if (state != CUDA_SUCCESS || !name) {
        return state != CUDA_SUCCESS ? state : CUDA_INVALID_VALUE;
    }
    if (!libcuda_is_module(m)) {
        return CUDA_INVALID_RESOURCE_HANDLE;
    }
    const cuda_error error = tma_program_variable_named(m, name, &found);
    if (error == CUDA_SUCCESS && dptr) {
        *dptr = (device_address)found.address;
    }
    if (error == CUDA_SUCCESS && bytes) {
        *bytes = (size_t)found.size_B;
    }
    return libcuda_result(error);
}

/* ---- libraries: a context is not needed to load one ---- */

uint32_t cuLibraryLoadData(struct CUlib_st **library, const void *code, uint32_t *jitOptions,
                           void **jitOptionsValues, unsigned numJitOptions,
                           uint32_t *libraryOptions, void **libraryOptionValues,
                           unsigned numLibraryOptions) {
    (void)libraryOptions;
    (void)libraryOptionValues;
    (void)numLibraryOptions;
    const uint32_t error = program_context_state(0);
    program_module *m = NULL;
    if (error != CUDA_SUCCESS || !library || !code) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    const uint32_t loaded = load(&m, code, SIZE_MAX, numJitOptions, jitOptions, jitOptionsValues);
    *library = (struct CUlib_st *)m;
    return loaded;
}

uint32_t cuLibraryLoadFromFile(struct CUlib_st **library, const char *fileName,
                               uint32_t *jitOptions, void **jitOptionsValues,
                               unsigned numJitOptions, uint32_t *libraryOptions,
                               void **libraryOptionValues, unsigned numLibraryOptions) {
    (void)libraryOptions;
    (void)libraryOptionValues;
    (void)numLibraryOptions;
    const uint32_t error = program_context_state(0);
    program_module *m = NULL;
    if (error != CUDA_SUCCESS || !library || !fileName) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    const uint32_t loaded = load_file(&m, fileName, numJitOptions, jitOptions, jitOptionsValues);
    *library = (struct CUlib_st *)m;
    return loaded;
}

uint32_t cuLibraryUnload(struct CUlib_st *library) {
    return unload((program_module *)library);
}

uint32_t cuLibraryGetKernel(struct CUkern_st **pKernel, struct CUlib_st *library,
                            const char *name) {
    struct CUfunc_st *function = NULL;
    const uint32_t error =
        cuModuleGetFunction(pKernel ? &function : NULL, (struct CUmod_st *)library, name);
    if (error == CUDA_SUCCESS) {
        *pKernel = (struct CUkern_st *)function;
    }
    return error;
}

uint32_t cuLibraryGetKernelCount(unsigned *count, struct CUlib_st *lib) {
    return count_kernels(count, (program_module *)lib);
}

uint32_t cuLibraryGetModule(struct CUmod_st **pMod, struct CUlib_st *library) {
    const uint32_t error = libcuda_state();
    if (error != CUDA_SUCCESS || !pMod) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    *pMod = (struct CUmod_st *)library;
    return libcuda_is_module((program_module *)library) ? CUDA_SUCCESS
                                                        : CUDA_INVALID_RESOURCE_HANDLE;
}

uint32_t cuLibraryGetGlobal(device_address *dptr, size_t *bytes, struct CUlib_st *library,
                            const char *name) {
    return cuModuleGetGlobal_v2(dptr, bytes, (struct CUmod_st *)library, name);
}
