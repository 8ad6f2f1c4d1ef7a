/* SPDX-License-Identifier: Apache-2.0
 *
 * built_calls WAY HOW LIBRARY: has machine code from NVRTC (HOW nvrtc) or nvJitLink (link, of
 * the file PRETEND_PTX; link2, of that twice; again, of that by a handle that was used for two
 * before; link13_0, by the names that nvJitLink.h of CUDA 13.0 calls) and gives it to the driver;
 * the functions by dlsym (WAY handle), or by the linker (direct), which links the pretended ones.
 * SOURCE in the environment: real NVRTC compiles that file for sm_90a.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler_calls.h"

#define MOST_B (1 << 20)

typedef int create_call(struct nvrtc_program **prog, const char *source, const char *name, int,
                        const char *const *, const char *const *);
typedef int compile_call(struct nvrtc_program *prog, int count, const char *const *options);

int nvrtcGetCUBINSize(struct nvrtc_program *prog, size_t *size);
int nvJitLinkGetLinkedCubinSize(struct nvJitLink *handle, size_t *size);
int __nvJitLinkGetLinkedCubinSize_13_0(struct nvJitLink *handle, size_t *size);

static shim_nvrtc_get_call *nvrtc_get = nvrtcGetCUBIN;
static shim_nvrtc_size_call *nvrtc_size = nvrtcGetCUBINSize;
static shim_link_data_call *link_data = nvJitLinkAddData;
static shim_link_size_call *link_size = nvJitLinkGetLinkedCubinSize;
static shim_link_get_call *link_get = nvJitLinkGetLinkedCubin;
static shim_link_destroy_call *link_destroy = nvJitLinkDestroy;
static char cubin[MOST_B], text[MOST_B];

static size_t read_file(const char *path) {
    FILE *file = path ? fopen(path, "rb") : NULL;
    const size_t size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file) {
        fclose(file);
    }
    text[size] = 0;
    return size;
}

static void *found(void *library, const char *name) {
    void *address = library ? dlsym(library, name) : NULL;
    if (!address) {
        printf("%s was not found\n", name);
        exit(3);
    }
    return address;
}

static struct nvrtc_program *compiled(void *library, const char *source) {
    static const char *const options[] = {"--gpu-architecture=sm_90a"};
    union {
        void *address;
        create_call *create;
        compile_call *compile;
    } create = {found(library, "nvrtcCreateProgram")},
      compile = {found(library, "nvrtcCompileProgram")};
    struct nvrtc_program *prog = NULL;
    (void)read_file(source);
    if (create.create(&prog, text, "kernel.cu", 0, NULL, NULL) ||
        compile.compile(prog, 1, options)) {
        puts("NVRTC did not compile it");
        exit(3);
    }
    return prog;
}

static void take_13_0(void) {
    link_data = __nvJitLinkAddData_13_0;
    link_size = __nvJitLinkGetLinkedCubinSize_13_0;
    link_get = __nvJitLinkGetLinkedCubin_13_0;
    link_destroy = __nvJitLinkDestroy_13_0;
}

static void find_all(void *library, int is_13_0) {
    union {
        void *address;
        shim_nvrtc_get_call *nvrtc_get;
        shim_nvrtc_size_call *nvrtc_size;
        shim_link_data_call *link_data;
        shim_link_size_call *link_size;
        shim_link_get_call *link_get;
        shim_link_destroy_call *link_destroy;
    } p;
    p.address = found(library, "nvrtcGetCUBIN");
    nvrtc_get = p.nvrtc_get;
    p.address = found(library, "nvrtcGetCUBINSize");
    nvrtc_size = p.nvrtc_size;
    if (getenv("SOURCE")) {
        return;
    }
    p.address = found(library, is_13_0 ? "__nvJitLinkAddData_13_0" : "nvJitLinkAddData");
    link_data = p.link_data;
    p.address = found(library, is_13_0 ? "__nvJitLinkGetLinkedCubinSize_13_0"
                                       : "nvJitLinkGetLinkedCubinSize");
    link_size = p.link_size;
    p.address =
        found(library, is_13_0 ? "__nvJitLinkGetLinkedCubin_13_0" : "nvJitLinkGetLinkedCubin");
    link_get = p.link_get;
    p.address = found(library, is_13_0 ? "__nvJitLinkDestroy_13_0" : "nvJitLinkDestroy");
    link_destroy = p.link_destroy;
}

static int linked(const char *how, size_t *size) {
    int here = 0;
    struct nvJitLink *handle = (struct nvJitLink *)&here;
    struct nvJitLink *same = handle;
    const size_t text_B = read_file(getenv("PRETEND_PTX"));
    const int before = strcmp(how, "again") == 0 ? 2 : 0;
    const int inputs = strcmp(how, "link2") == 0 ? 2 : 1;
    int wrong = 0;
    for (int i = 0; i < before; i++) {
        wrong |= link_data(handle, 2, text, text_B, "before");
    }
    wrong |= before ? link_destroy(&same) : 0;
    for (int i = 0; i < inputs; i++) {
        wrong |= link_data(handle, 2, text, text_B + 1, "kernels");
    }
    wrong |= link_size(handle, size) || link_get(handle, cubin);
    return wrong | link_destroy(&handle);
}

int main(int argc, char **argv) {
    struct CUmod_st *module = NULL;
    struct nvrtc_program *prog = NULL;
    size_t size = 0;
    if (argc != 4) {
        return 2;
    }
    void *library = strcmp(argv[1], "handle") == 0 ? dlopen(argv[3], RTLD_NOW | RTLD_LOCAL) : NULL;
    const int is_13_0 = strcmp(argv[2], "link13_0") == 0;
    if (library) {
        find_all(library, is_13_0);
    } else if (is_13_0) {
        take_13_0();
    }
    if (getenv("SOURCE")) {
        prog = compiled(library, getenv("SOURCE"));
    }
    const int rc = strcmp(argv[2], "nvrtc") == 0 ? nvrtc_size(prog, &size) || nvrtc_get(prog, cubin)
                                                 : linked(argv[2], &size);
    unsigned long long sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum = sum * 31 + (unsigned char)cubin[i];
    }
    printf("compiler %d, %zu B, sum %016llx\n", rc, size, sum);
    printf("driver %u\n", cuModuleLoadData(&module, cubin));
    return 0;
}
