/* SPDX-License-Identifier: Apache-2.0
 *
 * dlsym and dlopen, for programs that look the driver's functions up by themselves. Only the names
 * of symbols.def, those of compilers.def and the driver's own file are touched; for all else libc's
 * functions are jumped to, not called: they go by the address that they return to (RTLD_NEXT,
 * RUNPATH), which has to stay the program's. The build compiles this file with -O2, which makes the
 * jumps, and without sanitizers, whose own start comes through here; tests/programs/next_library.c
 * notices if they are calls.
 */
#include <dlfcn.h>
#include <string.h>

#include "compiler_calls.h"
#include "libc_lookups.h"
#include "own_calls.h"
#include "real_driver.h"
#include "settings.h"

#if defined(__has_attribute)
#if __has_attribute(musttail)
#define JUMP __attribute__((musttail)) return
#endif
#endif
#ifndef JUMP
#define JUMP return
#endif

/* Ours, where the natural answer is ours or the driver's. Another library's function of that name
 * stays: it may be a wrapper that comes to us in the end. */
static void *ours_instead_of(void *handle, const char *name) {
    const enum shim_symbol which = own_symbol(name);
    if (which == SHIM_SYMBOLS) {
        return compiler_call_may_be(name) ? compiler_call_instead_of(handle, name) : NULL;
    }
    void *natural = libc_dlsym()(handle, name);
    void *ours = own_address(which);
    if (!natural || natural == ours) {
        return natural;
    }
    void *driver = real_driver(); /* none while it is being loaded */
    return driver && natural == libc_dlsym()(driver, name) ? ours : NULL;
}

/* The driver's file where no driver is: this library. */
static void *own_handle_instead_of(const char *file, int flags) {
    if (!file || (strcmp(file, "libcuda.so.1") != 0 && strcmp(file, "libcuda.so") != 0) ||
        real_driver_is_loading() || mode() != SHIM_STAND_IN || real_driver()) {
        return NULL;
    }
    return own_handle(flags);
}

SHIM_EXPORT void *dlsym(void *restrict handle, const char *restrict name) {
    void *ours = ours_instead_of(handle, name);
    if (ours) {
        return ours;
    }
    JUMP libc_dlsym()(handle, name);
}

SHIM_EXPORT void *dlopen(const char *file, int mode) {
    void *ours = own_handle_instead_of(file, mode);
    if (ours) {
        return ours;
    }
    JUMP libc_dlopen()(file, mode);
}
