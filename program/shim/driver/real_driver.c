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

union pointer {
    void *address;
    shim_function function;
};

static _Thread_local __attribute__((tls_model("initial-exec"))) int loading;

/* This library, as the loader knows it. */
static int look_at_own(Dl_info *own) {
    const union pointer here = {.function = (shim_function)real_driver};
    return dladdr(here.address, own);
}

/* This library under the driver's name (stand-in/libcuda.so.1) is no driver. */
static void *unless_own(void *handle) {
    void *call = handle ? libc_dlsym()(handle, symbol_name(AT_cuTensorMapEncodeTiled)) : NULL;
    Dl_info its;
    Dl_info own;
    if (call && dladdr(call, &its) && look_at_own(&own) && its.dli_fbase == own.dli_fbase) {
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

uint32_t exchange_capture_mode(uint32_t capture_mode) {
    shim_capture_mode_call *exchange =
        (shim_capture_mode_call *)real_function(AT_cuThreadExchangeStreamCaptureMode);
    if (exchange) {
        (void)exchange(&capture_mode);
    }
    return capture_mode;
}

void *own_handle(int flags) {
    Dl_info own;
    return look_at_own(&own) ? libc_dlopen()(own.dli_fname, flags | RTLD_NOLOAD) : NULL;
}
