/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of NVRTC and nvJitLink that hand machine code out. The program gets what it asked for;
 * which PTX the code was made of is kept (compiled_code.h).
 */
#ifndef SHIM_COMPILER_CALLS_H
#define SHIM_COMPILER_CALLS_H

#include "driver_abi.h"

struct nvrtc_program; /* what nvrtcProgram and nvJitLinkHandle point to */
struct nvJitLink;
typedef int shim_nvrtc_size_call(struct nvrtc_program *prog, size_t *size);
typedef int shim_nvrtc_get_call(struct nvrtc_program *prog, char *to);
typedef int shim_link_data_call(struct nvJitLink *handle, uint32_t inputType, const void *data,
                                size_t size, const char *name);
typedef int shim_link_file_call(struct nvJitLink *handle, uint32_t inputType, const char *fileName);
typedef int shim_link_size_call(struct nvJitLink *handle, size_t *size);
typedef int shim_link_get_call(struct nvJitLink *handle, void *to);
typedef int shim_link_destroy_call(struct nvJitLink **handle);

SHIM_EXPORT shim_nvrtc_get_call nvrtcGetCUBIN;
SHIM_EXPORT shim_link_data_call nvJitLinkAddData;
SHIM_EXPORT shim_link_file_call nvJitLinkAddFile;
SHIM_EXPORT shim_link_get_call nvJitLinkGetLinkedCubin;
SHIM_EXPORT shim_link_destroy_call nvJitLinkDestroy;
#define SHIM_LINKER(release)                                                                       \
    SHIM_EXPORT shim_link_data_call __nvJitLinkAddData_##release;                                  \
    SHIM_EXPORT shim_link_file_call __nvJitLinkAddFile_##release;                                  \
    SHIM_EXPORT shim_link_get_call __nvJitLinkGetLinkedCubin_##release;                            \
    SHIM_EXPORT shim_link_destroy_call __nvJitLinkDestroy_##release;
#include "compilers.def"
#undef SHIM_LINKER

/* Most look-ups end here, and in the caller's file: the sanitizers' own, before they can be used.
 */
static inline int compiler_call_may_be(const char *name) {
    name += name[0] == '_' && name[1] == '_' ? 2 : 0;
    return name[0] == 'n' && name[1] == 'v';
}

/* Ours, in the place of what a look-up of this name finds, which is remembered; null where that
 * stays. */
void *compiler_call_instead_of(void *handle, const char *name);

#endif
