/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver behind this library. No locks: loading a library takes the loader's lock and runs its
 * constructors, which may call back here, so a lock of ours around it could wait for ever. Threads
 * that come together find the same answers.
 */
#include "real_driver.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "libc_lookups.h"
#include "own_work.h"

#define DRIVER_FILE "libcuda.so.1"

static const shim_function own[] = {
#define SHIM_CALL(name, type, since) (shim_function)(name),
#define SHIM_ASKED(name, type)       NULL,
#include "symbols.def"
};

union pointer {
    void *address;
    shim_function function;
};

static _Thread_local __attribute__((tls_model("initial-exec"))) int loading;

void *own_address(enum shim_symbol which) {
    const union pointer p = {.function = own[which]};
    return p.address;
}

enum shim_symbol own_symbol(const char *name) {
    if (name[0] == 'c' && name[1] == 'u') { /* most look-ups end here */
        for (unsigned i = 0; i < SHIM_SYMBOLS; i++) {
            if (own[i] && !strcmp(symbol_name((enum shim_symbol)i), name)) {
                return (enum shim_symbol)i;
            }
        }
    }
    return SHIM_SYMBOLS;
}

/* This library under the driver's name (stand-in/libcuda.so.1) is no driver. */
static void *unless_own(void *handle) {
    if (handle && libc_dlsym()(handle, symbol_name(AT_cuTensorMapEncodeTiled)) ==
                      own_address(AT_cuTensorMapEncodeTiled)) {
        dlclose(handle);
        return NULL;
    }
    return handle;
}

static void *look_for_driver(void) {
    static atomic_int absent; /* set when the search is over: who comes meanwhile searches too */
    const struct own_work work = own_work_begin();
    void *handle = unless_own(libc_dlopen()(DRIVER_FILE, RTLD_LAZY | RTLD_NOLOAD));
    if (!handle && !atomic_load(&absent)) {
        handle = unless_own(libc_dlopen()(DRIVER_FILE, RTLD_LAZY));
        atomic_store(&absent, !handle);
    }
    dlerror(); /* a program must not find our failures in its own dlerror() */
    own_work_end(&work);
    return handle;
}

int real_driver_is_loading(void) {
    return loading;
}

void *real_driver(void) {
    static _Atomic(void *) cache;
    void *handle = atomic_load_explicit(&cache, memory_order_acquire);
    if (!handle && !loading) {
        loading = 1;
        handle = look_for_driver();
        loading = 0;
        if (handle) {
            atomic_store_explicit(&cache, handle, memory_order_release);
        }
    }
    return handle;
}

shim_function real_function(enum shim_symbol which) {
    static _Atomic(void *) cache[SHIM_SYMBOLS];
    union pointer p = {atomic_load_explicit(&cache[which], memory_order_acquire)};
    void *driver = p.address ? NULL : real_driver();
    if (driver) {
        p.address = libc_dlsym()(driver, symbol_name(which));
        atomic_store_explicit(&cache[which], p.address, memory_order_release);
    }
    return p.function;
}

void *own_handle(int flags) {
    Dl_info info;
    if (!dladdr(own_address(AT_cuTensorMapEncodeTiled), &info)) {
        return NULL;
    }
    return libc_dlopen()(info.dli_fname, flags | RTLD_NOLOAD);
}
