/* SPDX-License-Identifier: Apache-2.0
 *
 * NVRTC and nvJitLink in one library, pretended: the machine code is the file of PRETEND_CUBIN, its
 * PTX that of PRETEND_PTX. A link's handle is any pointer. The call of PRETEND_FAILS fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver_abi.h"

struct nvrtc_program;
struct nvJitLink;

static size_t file(const char *variable, char *to) {
    const char *path = getenv(variable);
    FILE *from = path ? fopen(path, "rb") : NULL;
    char piece[4096];
    size_t size = 0;
    for (size_t n; from && (n = fread(piece, 1, sizeof(piece), from)) > 0; size += n) {
        if (to) {
            memcpy(to + size, piece, n);
        }
    }
    if (from) {
        fclose(from);
    }
    return size;
}

static int answer(const char *name) {
    const char *fails = getenv("PRETEND_FAILS");
    return fails && strcmp(fails, name) == 0 ? 5 : 0;
}

#define SIZE_CALL(name, handle, variable, more)                                                    \
    SHIM_EXPORT int name(struct handle *of, size_t *size);                                         \
    int name(struct handle *of, size_t *size) {                                                    \
        (void)of;                                                                                  \
        *size = file(variable, NULL) + (more);                                                     \
        return answer(#name);                                                                      \
    }
/* `to`: a declaration. */
#define GET_CALL(name, handle, to, variable, text)                                                 \
    SHIM_EXPORT int name(struct handle *of, to);                                                   \
    int name(struct handle *of, to) {                                                              \
        const size_t size = file(variable, (char *)bytes);                                         \
        (void)of;                                                                                  \
        if (text) {                                                                                \
            ((char *)bytes)[size] = 0;                                                             \
        }                                                                                          \
        return answer(#name);                                                                      \
    }
SIZE_CALL(nvrtcGetCUBINSize, nvrtc_program, "PRETEND_CUBIN", 0)
SIZE_CALL(nvrtcGetPTXSize, nvrtc_program, "PRETEND_PTX", 1)
SIZE_CALL(nvJitLinkGetLinkedCubinSize, nvJitLink, "PRETEND_CUBIN", 0)
GET_CALL(nvrtcGetCUBIN, nvrtc_program, char *bytes, "PRETEND_CUBIN", 0)
GET_CALL(nvrtcGetPTX, nvrtc_program, char *bytes, "PRETEND_PTX", 1)
GET_CALL(nvJitLinkGetLinkedCubin, nvJitLink, void *bytes, "PRETEND_CUBIN", 0)
SIZE_CALL(__nvJitLinkGetLinkedCubinSize_13_0, nvJitLink, "PRETEND_CUBIN", 0)
GET_CALL(__nvJitLinkGetLinkedCubin_13_0, nvJitLink, void *bytes, "PRETEND_CUBIN", 0)

/* By the plain names, and as nvJitLink.h of CUDA 13.0 calls them. */
#define LINK_CALLS(add_data, add_file, destroy)                                                    \
    SHIM_EXPORT int add_data(struct nvJitLink *handle, uint32_t kind, const void *data,            \
                             size_t size, const char *name);                                       \
    int add_data(struct nvJitLink *handle, uint32_t kind, const void *data, size_t size,           \
                 const char *name) {                                                               \
        return !handle || !kind || !data || !size || !name;                                        \
    }                                                                                              \
    SHIM_EXPORT int add_file(struct nvJitLink *handle, uint32_t kind, const char *name);           \
    int add_file(struct nvJitLink *handle, uint32_t kind, const char *name) {                      \
        return !handle || !kind || !name;                                                          \
    }                                                                                              \
    SHIM_EXPORT int destroy(struct nvJitLink **handle);                                            \
    int destroy(struct nvJitLink **handle) {                                                       \
        *handle = NULL;                                                                            \
        return 0;                                                                                  \
    }
LINK_CALLS(nvJitLinkAddData, nvJitLinkAddFile, nvJitLinkDestroy)
LINK_CALLS(__nvJitLinkAddData_13_0, __nvJitLinkAddFile_13_0, __nvJitLinkDestroy_13_0)
