/* SPDX-License-Identifier: Apache-2.0
 *
 * The system's look-ups, for what the shim's reader of fatbinaries asks.
 */
#include <dlfcn.h>

#include "libc_lookups.h"

shim_dlsym_call *libc_dlsym(void) {
    return dlsym;
}

shim_dlopen_call *libc_dlopen(void) {
    return dlopen;
}
