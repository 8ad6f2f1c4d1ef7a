/* SPDX-License-Identifier: Apache-2.0
 *
 * What nvcc has a program register before main(): fatbinaries, kernels, variables. Of each
 * fatbinary the PTX that is nearest to sm_90a is executed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulated_program.h"
#include "fat_image.h"

/* NOLINTBEGIN(bugprone-reserved-identifier): names of the runtime */

#define MOST_FILES 64

typedef struct program_module {
    void *fatbinary; /* as it was registered */
    char *ptx;
    tma_emulator *emulator;
    int is_read;
} program_module;

static program_kernel *kernels; /* under the lock, as all of a module */

program_kernel *program_kernel_of(const void *host) {
    program_kernel *k = kernels;
    while (k && k->host != host) {
        k = k->next;
    }
    return k;
}

/* How well a PTX fits an H200: 0 not at all. sm_90a alone has the instructions of sm_90a. */
static unsigned fitness(const char *ptx) {
    const char *target = strstr(ptx, ".target");
    const char *number = target ? strstr(target, "sm_") : NULL;
    const unsigned long arch = number ? strtoul(number + 3, NULL, 10) : 0;
    if (!arch || arch > 90) {
        return 0;
    }
    const char suffix = number[3 + strspn(number + 3, "0123456789")];
    return suffix == 'a' || suffix == 'f' ? (arch == 90 ? 1000 : 0) : (unsigned)arch;
}

static char *text_of(const struct fat_file *file) {
    if (file->unpacked_B) {
        return fat_image_unpacked(file);
    }
    char *text = malloc(file->size_B + 1);
    if (text) {
        memcpy(text, file->at, file->size_B);
        text[file->size_B] = 0;
    }
    return text;
}

static void *take(void *context, size_t size_B) {
    (void)context;
    return malloc(size_B);
}

static void give(void *context, void *memory) {
    (void)context;
    free(memory);
}

static void print(void *context, const char *text, size_t length) {
    (void)context;
    fwrite(text, 1, length, stdout);
}

static void read_ptx(program_module *m) {
    struct fat_file file;
    unsigned best = 0;
    for (unsigned i = 0; i < MOST_FILES && fat_image_file(&file, m->fatbinary, SIZE_MAX, i); i++) {
        char *text = file.is_ptx ? text_of(&file) : NULL;
        const unsigned fits = text ? fitness(text) : 0;
        if (fits > best) {
            free(m->ptx);
            m->ptx = text;
            best = fits;
        } else {
            free(text);
        }
    }
}

static void decode(program_module *m) {
    static const tma_emulate_host host = {.allocate = take, .release = give, .print = print};
    tma_error error;
    read_ptx(m);
    if (!m->ptx) {
        program_say_once("the program has no PTX that an H200 takes: compile it with -gencode "
                         "arch=compute_90a,code=compute_90a");
        return;
    }
    m->emulator = tma_emulator_new(&host, m->ptx, strlen(m->ptx), &error);
    if (!m->emulator) {
        fprintf(stderr, "tma emulate: the program's PTX: %s\n", error.text);
    }
}

tma_emulator *program_emulator(program_kernel *kernel, cuda_error *error) {
    program_module *m = kernel->module;
    if (!m->is_read) {
        m->is_read = 1;
        decode(m);
    }
    *error = m->emulator ? CUDA_SUCCESS : m->ptx ? CUDA_INVALID_PTX : CUDA_NO_KERNEL_IMAGE;
    return m->emulator;
}

/* ---- the calls; names and types are host_runtime.h's ---- */

PROGRAM_API void **__cudaRegisterFatBinary(void *fatCubin);
void **__cudaRegisterFatBinary(void *fatCubin) {
    program_module *m = calloc(1, sizeof(*m));
    if (!m) {
        abort();
    }
    m->fatbinary = fatCubin;
    return (void **)m;
}

PROGRAM_API void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle) {
    (void)handle;
}

PROGRAM_API void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle) {
    program_module *m = (program_module *)handle;
    program_lock();
    for (program_kernel **k = &kernels; *k;) {
        program_kernel *const is = *k;
        if (is->module == m) {
            *k = is->next;
            free(is);
        } else {
            k = &is->next;
        }
    }
    program_unlock();
    tma_emulator_free(m->emulator);
    free(m->ptx);
    free(m);
}

PROGRAM_API char __cudaInitModule(void **handle);
char __cudaInitModule(void **handle) {
    (void)handle;
    return 1;
}

PROGRAM_API void __cudaRegisterFunction(void **handle, const char *host, char *device,
                                        const char *name, int threads, void *tid, void *bid,
                                        void *block, void *grid, int *warp);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid, int *warp) {
    (void)device;
    (void)threads;
    (void)tid;
    (void)bid;
    (void)block;
    (void)grid;
    (void)warp;
    program_kernel *k = calloc(1, sizeof(*k));
    if (!k) {
        abort();
    }
    program_lock();
    *k = (program_kernel){
        .host = host, .name = name, .module = (program_module *)handle, .next = kernels};
    kernels = k;
    program_unlock();
}

PROGRAM_API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
                                   int is_extern, size_t size, int is_constant, int is_global);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern,
                       size_t size, int is_constant, int is_global) {
    (void)handle;
    (void)host;
    (void)device;
    (void)name;
    (void)is_extern;
    (void)size;
    (void)is_constant;
    (void)is_global;
}

/* ---- variables: each launch has them as the PTX initialises them ---- */

static cuda_error no_variables(void) {
    program_say_once("copies to and from __device__ and __constant__ variables are not made: each "
                     "launch has them as they are initialised");
    return program_result(CUDA_NOT_SUPPORTED);
}

PROGRAM_API cuda_error cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count,
                                          size_t offset, uint32_t kind);
cuda_error cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                              uint32_t kind) {
    (void)symbol;
    (void)src;
    (void)count;
    (void)offset;
    (void)kind;
    return no_variables();
}

PROGRAM_API cuda_error cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count,
                                            size_t offset, uint32_t kind);
cuda_error cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                uint32_t kind) {
    (void)dst;
    (void)symbol;
    (void)count;
    (void)offset;
    (void)kind;
    return no_variables();
}

PROGRAM_API cuda_error cudaGetSymbolAddress(void **devPtr, const void *symbol);
cuda_error cudaGetSymbolAddress(void **devPtr, const void *symbol) {
    (void)devPtr;
    (void)symbol;
    return no_variables();
}

/* NOLINTEND(bugprone-reserved-identifier) */
