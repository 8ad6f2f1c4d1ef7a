/* SPDX-License-Identifier: Apache-2.0
 *
 * libc's dlsym and dlopen, by way of dlvsym, which nobody interposes here. Found on the first call,
 * whenever that is: other libraries look things up before this one's constructors could run. libc
 * is the next library that has them or, where a library of the program's brought this one, an
 * earlier one, thus the first.
 */
#include "libc_lookups.h"

#include <dlfcn.h>
#include <features.h>
#include <stdatomic.h>
#include <stddef.h>

/* The version has to be one that libc has. Since 2.34 the functions live in libc itself; a library
 * built there runs there and later only, so that version is always present. */
#if __GLIBC_PREREQ(2, 34)
#define LIBC_VERSION "GLIBC_2.34"
#elif defined(__x86_64__)
#define LIBC_VERSION "GLIBC_2.2.5"
#else
#define LIBC_VERSION "GLIBC_2.17"
#endif

static void *found(_Atomic(void *) *cache, const char *name) {
    void *address = atomic_load_explicit(cache, memory_order_acquire);
    if (!address) {
        address = dlvsym(RTLD_NEXT, name, LIBC_VERSION);
        address = address ? address : dlvsym(RTLD_DEFAULT, name, LIBC_VERSION);
        atomic_store_explicit(cache, address, memory_order_release);
    }
    return address;
}

shim_dlsym_call *libc_dlsym(void) {
    static _Atomic(void *) cache;
    union {
        void *address;
        shim_dlsym_call *call;
    } as = {found(&cache, "dlsym")};
    return as.call;
}

shim_dlopen_call *libc_dlopen(void) {
    static _Atomic(void *) cache;
    union {
        void *address;
        shim_dlopen_call *call;
    } as = {found(&cache, "dlopen")};
    return as.call;
}
