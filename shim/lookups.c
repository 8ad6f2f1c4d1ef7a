/* SPDX-License-Identifier: Apache-2.0
 *
 * cuGetProcAddress and its _v2: the driver's answers with our functions in them, or our own.
 */
#include <string.h>

#include "real_driver.h"
#include "settings.h"
#include "stand_in_device.h"

/* Ours for a base name, as a lookup for this CUDA version would give it, or SHIM_SYMBOLS. Names
 * with two signatures are cuGetProcAddress itself and cuMemFree; cuMemFreeAsync has two functions.
 */
static enum shim_symbol symbol_for(const char *name, int version, uint64_t flags) {
    const enum shim_symbol found = own_symbol(name);
    if (found == AT_cuMemFreeAsync && flags & SHIM_LOOKUP_PER_THREAD) {
        return AT_cuMemFreeAsync_ptsz;
    }
    if (found == SHIM_SYMBOLS && !strcmp(name, "cuMemFree") &&
        version >= symbol_since(AT_cuMemFree_v2)) {
        return AT_cuMemFree_v2;
    }
    if (found == AT_cuMemFree_v2 || found == AT_cuMemFreeAsync_ptsz) {
        return SHIM_SYMBOLS; /* no base names */
    }
    if (found == AT_cuGetProcAddress && version >= symbol_since(AT_cuGetProcAddress_v2)) {
        return AT_cuGetProcAddress_v2;
    }
    return found == AT_cuGetProcAddress_v2 ? SHIM_SYMBOLS : found;
}

/* As driver LIBTMA_DRIVER would answer if it had these functions alone: what is not there is a
 * success with a null pointer, and the reason in *status. A negative version is a large one, but
 * not too large. Seen so on an H200 with driver 13.0. */
static shim_result stand_in_lookup(const char *name, void **pfn, int version, uint64_t flags,
                                   shim_lookup_status *status) {
    const int driver = (int)settings()->target.driver;
    if (!name || !pfn || version > driver || flags & ~(uint64_t)SHIM_LOOKUP_FLAGS ||
        settings()->wrong) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    const enum shim_symbol found = symbol_for(name, version, flags);
    *status = SHIM_LOOKUP_SUCCESS;
    const int is_call = found <= AT_cuGetProcAddress_v2; /* else it has to be passed on */
    int since = is_call ? symbol_since(found) : 0;
    void *address = is_call ? own_address(found) : stand_in_device_call(name, &since);
    if (!address || since > driver) {
        *status = SHIM_LOOKUP_NOT_FOUND;
    } else if ((unsigned)since > (unsigned)version) {
        *status = SHIM_LOOKUP_VERSION_NOT_SUFFICIENT;
    }
    *pfn = *status == SHIM_LOOKUP_SUCCESS ? address : NULL;
    return SHIM_SUCCESS;
}

/* The first cuGetProcAddress has no status: it answers an error and leaves the pointer. */
static shim_result stand_in_first_lookup(const char *name, void **pfn, int version,
                                         uint64_t flags) {
    shim_lookup_status status = SHIM_LOOKUP_SUCCESS;
    void *found = NULL;
    const shim_result rc = stand_in_lookup(name, pfn ? &found : NULL, version, flags, &status);
    if (rc == SHIM_SUCCESS && found) {
        *pfn = found;
    }
    return rc == SHIM_SUCCESS && !found ? SHIM_ERROR_NOT_FOUND : rc;
}

/* Who stands in answers for its own calls, and for everything where there is no driver. */
static int answers_itself(const char *name) {
    const enum shim_symbol found = name ? own_symbol(name) : SHIM_SYMBOLS;
    const int is_call = found < AT_cuGetProcAddress;
    return mode() == SHIM_STAND_IN && (is_call || !real_driver());
}

/* The driver's answer, with our function in the place of its own. */
static shim_result ours_instead(const char *name, void **pfn, int version, uint64_t flags,
                                shim_result rc) {
    if (rc == SHIM_SUCCESS && name && pfn && *pfn) {
        const enum shim_symbol found = symbol_for(name, version, flags);
        if (found != SHIM_SYMBOLS) {
            *pfn = own_address(found);
        }
    }
    return rc;
}

SHIM_EXPORT shim_result cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion,
                                         uint64_t flags) {
    if (answers_itself(symbol)) {
        return stand_in_first_lookup(symbol, pfn, cudaVersion, flags);
    }
    shim_lookup_call *real = (shim_lookup_call *)real_function(AT_cuGetProcAddress);
    if (!real) {
        return real_driver() ? SHIM_ERROR_NOT_SUPPORTED : SHIM_ERROR_STUB_LIBRARY;
    }
    return ours_instead(symbol, pfn, cudaVersion, flags, real(symbol, pfn, cudaVersion, flags));
}

SHIM_EXPORT shim_result cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion,
                                            uint64_t flags, shim_lookup_status *symbolStatus) {
    if (answers_itself(symbol)) {
        shim_lookup_status unasked = SHIM_LOOKUP_SUCCESS;
        return stand_in_lookup(symbol, pfn, cudaVersion, flags,
                               symbolStatus ? symbolStatus : &unasked);
    }
    shim_lookup_v2_call *real = (shim_lookup_v2_call *)real_function(AT_cuGetProcAddress_v2);
    if (!real) {
        return real_driver() ? SHIM_ERROR_NOT_SUPPORTED : SHIM_ERROR_STUB_LIBRARY;
    }
    return ours_instead(symbol, pfn, cudaVersion, flags,
                        real(symbol, pfn, cudaVersion, flags, symbolStatus));
}
