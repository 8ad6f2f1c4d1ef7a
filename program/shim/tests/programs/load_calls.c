/* SPDX-License-Identifier: Apache-2.0
 *
 * load_calls WAY FILE: hands FILE to the driver in every way that it takes kernels, through what
 * dlsym ("handle"), cuGetProcAddress_v2 ("lookup2") or the linker ("direct") finds. errno, what was
 * written, and the file in memory as it is afterwards are printed.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver_abi.h"

#define MOST_FILE_B (1 << 20)
#define KERNEL      "copy"

typedef void any_function(void);

static struct {
    shim_module_file_call *module_file;
    shim_module_data_call *module_data;
    shim_module_data_ex_call *module_data_ex;
    shim_module_data_call *module_fat;
    shim_library_data_call *library_data;
    shim_library_file_call *library_file;
    shim_library_kernel_call *kernel;
    shim_library_module_call *module_of;
} calls = {cuModuleLoad,      cuModuleLoadData,      cuModuleLoadDataEx, cuModuleLoadFatBinary,
           cuLibraryLoadData, cuLibraryLoadFromFile, cuLibraryGetKernel, cuLibraryGetModule};

static any_function *found(const char *way, const char *name) {
    union {
        void *address;
        any_function *function;
        shim_lookup_v2_call *lookup;
    } as = {NULL};
    void *handle = dlopen("libcuda.so.1", RTLD_NOW);
    as.address =
        handle ? dlsym(handle, strcmp(way, "handle") ? "cuGetProcAddress_v2" : name) : NULL;
    if (as.address && strcmp(way, "handle") != 0) {
        as.lookup(name, &as.address, 13000, 0, NULL);
    }
    if (!as.address) {
        printf("%s was not found\n", name);
        exit(1);
    }
    return as.function;
}

static void find_all(const char *way) {
    calls.module_file = (shim_module_file_call *)found(way, "cuModuleLoad");
    calls.module_data = (shim_module_data_call *)found(way, "cuModuleLoadData");
    calls.module_data_ex = (shim_module_data_ex_call *)found(way, "cuModuleLoadDataEx");
    calls.module_fat = (shim_module_data_call *)found(way, "cuModuleLoadFatBinary");
    calls.library_data = (shim_library_data_call *)found(way, "cuLibraryLoadData");
    calls.library_file = (shim_library_file_call *)found(way, "cuLibraryLoadFromFile");
    calls.kernel = (shim_library_kernel_call *)found(way, "cuLibraryGetKernel");
    calls.module_of = (shim_library_module_call *)found(way, "cuLibraryGetModule");
}

static char *image; /* MOST_FILE_B behind it, or its text and no more */

/* The handle is looked at behind the call. */
static void print(const char *name, shim_result rc, const void *handle) {
    const void *written = NULL;
    const int error = errno;
    memcpy(&written, handle, sizeof(written));
    printf("%s %u, errno %d, %s\n", name, rc, error, written ? "a handle" : "none");
    errno = 77;
}

static void load_modules(const char *path) {
    uint32_t options[2] = {3, 4};
    void *values[2] = {image, (void *)16};
    struct CUmod_st *module[4] = {NULL};
    print("cuModuleLoad", calls.module_file(&module[0], path), &module[0]);
    print("cuModuleLoadData", calls.module_data(&module[1], image), &module[1]);
    print("cuModuleLoadDataEx", calls.module_data_ex(&module[2], image, 2, options, values),
          &module[2]);
    print("cuModuleLoadFatBinary", calls.module_fat(&module[3], image), &module[3]);
}

static void load_libraries(const char *path) {
    uint32_t options[1] = {7};
    uint32_t library_options[1] = {1};
    void *values[2] = {(void *)8, (void *)8};
    void *library_values[1] = {(void *)24};
    struct CUlib_st *library[2] = {NULL};
    struct CUkern_st *kernel = NULL;
    struct CUmod_st *module = NULL;
    print("cuLibraryLoadFromFile",
          calls.library_file(&library[0], path, options, values, 1, NULL, NULL, 0), &library[0]);
    print("cuLibraryLoadData",
          calls.library_data(&library[1], image, options, values + 1, 1, library_options,
                             library_values, 1),
          &library[1]);
    if (library[1]) {
        print("cuLibraryGetKernel", calls.kernel(&kernel, library[1], KERNEL), &kernel);
        print("cuLibraryGetModule", calls.module_of(&module, library[1]), &module);
    }
}

/* As much memory, with none behind it. */
static char *at_the_end(size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t pages = (size + page - 1) / page * page;
    char *memory =
        mmap(NULL, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + pages, page, PROT_NONE)) {
        exit(2);
    }
    return memory + pages - size;
}

/* Images that are nowhere, and a text that memory ends. */
static int load_nowhere(void) {
    struct CUmod_st *module = NULL;
    const char text[] = ".version 8.0\n";
    char *cut = at_the_end(sizeof(text) - 1);
    memcpy(cut, text, sizeof(text) - 1);
    const void *const images[] = {(const void *)8, cut, cut + sizeof(text) - 3};
    for (int i = 0; i < 3; i++) {
        errno = 77;
        print("cuModuleLoadData", calls.module_data(&module, images[i]), &module);
    }
    return 0;
}

/* The file, with a 0 behind it. */
static int read_image(const char *path) {
    static char buffer[MOST_FILE_B];
    FILE *file = fopen(path, "rb");
    if (!file) {
        return -1;
    }
    const size_t size = fread(buffer, 1, sizeof(buffer) - 1, file);
    image = getenv("LOAD_EDGES") ? memcpy(at_the_end(size + 1), buffer, size + 1) : buffer;
    fclose(file);
    return 0;
}

int main(int argc, char **argv) {
    const char *file = getenv("LOAD_FILE"); /* for the calls that take one */
    const char *edges = getenv("LOAD_EDGES");
    if (argc != 3 || read_image(argv[2])) {
        fprintf(stderr, "load_calls direct|handle|lookup2 FILE\n");
        return 2;
    }
    if (strcmp(argv[1], "direct") != 0) {
        find_all(argv[1]);
    }
    if (edges && !strcmp(edges, "nowhere")) {
        return load_nowhere();
    }
    char *before = strdup(image);
    errno = 77;
    load_modules(file ? file : argv[2]);
    load_libraries(file ? file : argv[2]);
    printf("image %s\n", !before || strcmp(before, image) != 0 ? "other" : "same");
    free(before);
    return 0;
}
