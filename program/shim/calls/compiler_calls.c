/* SPDX-License-Identifier: Apache-2.0
 *
 * NVRTC has a program's PTX behind its machine code. nvJitLink has not: what it was given is kept,
 * and where that was one PTX and nothing else, it is the PTX of what comes out.
 */
#include "compiler_calls.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "compiled_code.h"
#include "libc_lookups.h"
#include "linked_inputs.h"
#include "own_work.h"
#include "settings.h"

#define NOT_THERE 11 /* NVRTC_ERROR_INTERNAL_ERROR; of nvJitLink's results as high */
#define INPUT_PTX 2u /* NVJITLINK_INPUT_PTX, and _ANY */
#define INPUT_ANY 10u
#define MOST_B    (UINT64_C(1) << 30)

enum compiler_call {
#define SHIM_COMPILER(name, library) AT_##name,
#define SHIM_LINKER(release)                                                                       \
    AT_AddData_##release, AT_AddFile_##release, AT_GetLinkedCubin_##release, AT_Destroy_##release,
#include "compilers.def"
#undef SHIM_COMPILER
#undef SHIM_LINKER
    COMPILER_CALLS
};

typedef void (*any_function)(void);
static const struct {
    const char *name, *library, *size_name; /* of what it hands out, where it does */
    any_function ours;
} calls[] = {
#define SHIM_COMPILER(name, library) {#name, library, #name "Size", (any_function)(name)},
#define LINKER_CALL(name, release)                                                                 \
    {                                                                                              \
#name "_" #release, "libnvJitLink.so", #name "Size_" #release,                             \
            (any_function)(name##_##release)                                                       \
    }
#define SHIM_LINKER(release)                                                                       \
    LINKER_CALL(__nvJitLinkAddData, release), LINKER_CALL(__nvJitLinkAddFile, release),            \
        LINKER_CALL(__nvJitLinkGetLinkedCubin, release), LINKER_CALL(__nvJitLinkDestroy, release),
#include "compilers.def"
#undef SHIM_COMPILER
#undef SHIM_LINKER
};

union pointer {
    void *address;
    any_function function;
    shim_nvrtc_size_call *nvrtc_size;
    shim_nvrtc_get_call *nvrtc_get;
    shim_link_data_call *link_data;
    shim_link_file_call *link_file;
    shim_link_size_call *link_size;
    shim_link_get_call *link_get;
    shim_link_destroy_call *link_destroy;
};

static _Atomic(void *) real[COMPILER_CALLS];

void *compiler_call_instead_of(void *handle, const char *name) {
    unsigned i = 0;
    while (i < COMPILER_CALLS && strcmp(name, calls[i].name) != 0) {
        i++;
    }
    if (i == COMPILER_CALLS || !settings()->wants_ptx) {
        return NULL;
    }
    const union pointer ours = {.function = calls[i].ours};
    void *natural = libc_dlsym()(handle, name);
    void *before = NULL;
    if (!natural || natural == ours.address) {
        return NULL;
    }
    /* of two libraries of one name the first is ours: a call does not say whose program it has */
    return atomic_compare_exchange_strong(&real[i], &before, natural) || before == natural
               ? ours.address
               : NULL;
}

/* A loaded library whose file's name begins so. */
struct loaded {
    const char *begin;
    char path[4096];
};

static int is_it(struct dl_phdr_info *info, size_t size, void *context) {
    struct loaded *loaded = context;
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    const char *name = slash ? slash + 1 : info->dlpi_name;
    (void)size;
    if (!name || strncmp(name, loaded->begin, strlen(loaded->begin)) != 0 ||
        strlen(info->dlpi_name) >= sizeof(loaded->path)) {
        return 0;
    }
    memcpy(loaded->path, info->dlpi_name, strlen(info->dlpi_name) + 1);
    return 1;
}

/* A library that is loaded, in whichever way. */
static void *library_of(enum compiler_call which) {
    struct loaded loaded = {calls[which].library, ""};
    return dl_iterate_phdr(is_it, &loaded) ? libc_dlopen()(loaded.path, RTLD_LAZY | RTLD_NOLOAD)
                                           : NULL;
}

/* A program that is linked with the library finds ours by the loader. dl_iterate_phdr() holds a
 * lock that glibc does not free in a child of fork(): it is asked only where the program is not
 * linked with the library, but a part of it that was loaded later. */
static union pointer real_call(enum compiler_call which) {
    union pointer p = {atomic_load_explicit(&real[which], memory_order_acquire)};
    if (!p.address) {
        p.address = libc_dlsym()(RTLD_NEXT, calls[which].name);
        void *library = p.address ? NULL : library_of(which);
        if (library) {
            p.address = libc_dlsym()(library, calls[which].name);
        }
        atomic_store_explicit(&real[which], p.address, memory_order_release);
    }
    return p;
}

/* Another function of the library that has this one; looked for once, with the loader's lock. */
static union pointer beside(enum compiler_call which, const char *name, _Atomic(void *) *known) {
    Dl_info info;
    union pointer p = {atomic_load_explicit(known, memory_order_acquire)};
    void *const has = p.address ? NULL : real_call(which).address;
    void *library =
        has && dladdr(has, &info) ? libc_dlopen()(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (library) {
        p.address = libc_dlsym()(library, name);
        dlclose(library);
        atomic_store_explicit(known, p.address, memory_order_release);
    }
    return p;
}

/* The function that says how large is what this one hands out. */
static union pointer size_beside(enum compiler_call which) {
    static _Atomic(void *) known[COMPILER_CALLS];
    return beside(which, calls[which].size_name, &known[which]);
}

static void keep_nvrtc(struct nvrtc_program *prog, const char *cubin) {
    static _Atomic(void *) known[2];
    const union pointer cubin_size = size_beside(AT_nvrtcGetCUBIN);
    const union pointer size = beside(AT_nvrtcGetCUBIN, "nvrtcGetPTXSize", &known[0]);
    const union pointer get = beside(AT_nvrtcGetCUBIN, "nvrtcGetPTX", &known[1]);
    size_t cubin_B = 0;
    size_t text_B = 0;
    if (!cubin_size.address || !size.address || !get.address ||
        cubin_size.nvrtc_size(prog, &cubin_B) || size.nvrtc_size(prog, &text_B) || !text_B ||
        text_B > MOST_B) {
        return;
    }
    char *text = malloc(text_B);
    if (text && !get.nvrtc_get(prog, text)) {
        compiled_code_keep(cubin, cubin_B, text, text_B - 1); /* which counts its 0 */
    }
    free(text);
}

int nvrtcGetCUBIN(struct nvrtc_program *prog, char *cubin) {
    const union pointer p = real_call(AT_nvrtcGetCUBIN);
    const int rc = p.address ? p.nvrtc_get(prog, cubin) : NOT_THERE;
    if (rc == 0 && settings()->wants_ptx) {
        const struct own_work work = own_work_begin();
        keep_nvrtc(prog, cubin);
        own_work_end(&work);
    }
    return rc;
}

/* `data`: of PTX; null for any other input. */
static void add_input(struct nvJitLink *handle, const char *data, size_t size) {
    const struct own_work work = own_work_begin();
    linked_input_add(handle, data, size);
    own_work_end(&work);
}

static int begins_as_text(const char *data, size_t size) {
    return size && (data[0] == '.' || data[0] == '/' || data[0] == '\n' || data[0] == ' ');
}

static int add_data(enum compiler_call which, struct nvJitLink *handle, uint32_t inputType,
                    const void *data, size_t size, const char *name) {
    const union pointer p = real_call(which);
    const int rc = p.address ? p.link_data(handle, inputType, data, size, name) : NOT_THERE;
    if (rc == 0 && settings()->wants_ptx) {
        const int is_ptx =
            inputType == INPUT_PTX || (inputType == INPUT_ANY && begins_as_text(data, size));
        size_t text_B = size;
        while (is_ptx && text_B && ((const char *)data)[text_B - 1] == 0) {
            text_B--;
        }
        add_input(handle, is_ptx ? data : NULL, text_B);
    }
    return rc;
}

static int add_file(enum compiler_call which, struct nvJitLink *handle, uint32_t inputType,
                    const char *fileName) {
    const union pointer p = real_call(which);
    const int rc = p.address ? p.link_file(handle, inputType, fileName) : NOT_THERE;
    if (rc == 0 && settings()->wants_ptx) {
        add_input(handle, NULL, 0);
    }
    return rc;
}

static void keep_linked(enum compiler_call which, struct nvJitLink *handle, const void *cubin) {
    const union pointer size = size_beside(which);
    size_t cubin_B = 0;
    if (!size.address || size.link_size(handle, &cubin_B)) {
        return;
    }
    size_t text_B = 0;
    const char *text = linked_input_only(handle, &text_B);
    if (text) {
        compiled_code_keep(cubin, cubin_B, text, text_B);
    }
}

static int get_cubin(enum compiler_call which, struct nvJitLink *handle, void *cubin) {
    const union pointer p = real_call(which);
    const int rc = p.address ? p.link_get(handle, cubin) : NOT_THERE;
    if (rc == 0 && settings()->wants_ptx) {
        const struct own_work work = own_work_begin();
        keep_linked(which, handle, cubin);
        own_work_end(&work);
    }
    return rc;
}

static int destroy(enum compiler_call which, struct nvJitLink **handle) {
    const union pointer p = real_call(which);
    struct nvJitLink *was = handle ? *handle : NULL;
    if (was && settings()->wants_ptx) {
        linked_inputs_forget(was);
    }
    return p.address ? p.link_destroy(handle) : NOT_THERE;
}

#define LINKER_CALLS(data_name, file_name, get_name, destroy_name, data, file, get, end)           \
    int data_name(struct nvJitLink *handle, uint32_t inputType, const void *bytes, size_t size,    \
                  const char *name) {                                                              \
        return add_data(data, handle, inputType, bytes, size, name);                               \
    }                                                                                              \
    int file_name(struct nvJitLink *handle, uint32_t inputType, const char *fileName) {            \
        return add_file(file, handle, inputType, fileName);                                        \
    }                                                                                              \
    int get_name(struct nvJitLink *handle, void *cubin) {                                          \
        return get_cubin(get, handle, cubin);                                                      \
    }                                                                                              \
    int destroy_name(struct nvJitLink **handle) {                                                  \
        return destroy(end, handle);                                                               \
    }
LINKER_CALLS(nvJitLinkAddData, nvJitLinkAddFile, nvJitLinkGetLinkedCubin, nvJitLinkDestroy,
             AT_nvJitLinkAddData, AT_nvJitLinkAddFile, AT_nvJitLinkGetLinkedCubin,
             AT_nvJitLinkDestroy)
#define SHIM_LINKER(release)                                                                       \
    LINKER_CALLS(__nvJitLinkAddData_##release, __nvJitLinkAddFile_##release,                       \
                 __nvJitLinkGetLinkedCubin_##release, __nvJitLinkDestroy_##release,                \
                 AT_AddData_##release, AT_AddFile_##release, AT_GetLinkedCubin_##release,          \
                 AT_Destroy_##release)
#include "compilers.def"
#undef SHIM_LINKER
