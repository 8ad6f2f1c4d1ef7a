/* SPDX-License-Identifier: Apache-2.0
 *
 * cuGetProcAddress and its _v2: the driver's answers with our functions in them, or our own.
 */
#include <string.h>

#include "real_driver.h"
#include "settings.h"

/* Ours for a base name, as a lookup for this CUDA version would give it, or SHIM_SYMBOLS. The one
 * name with two signatures is cuGetProcAddress itself. */
static enum shim_symbol symbol_for(const char *name, int version) {
    const enum shim_symbol found = own_symbol(name);
    if (found == AT_cuGetProcAddress && version >= symbol_since(AT_cuGetProcAddress_v2)) {
        return AT_cuGetProcAddress_v2;
    }
    return found == AT_cuGetProcAddress_v2 ? SHIM_SYMBOLS : found;
}

static shim_result answer(void **pfn, void *address, shim_lookup_status *to,
                          shim_lookup_status status) {
    *pfn = address;
    if (to) {
        *to = status;
    }
    return address ? SHIM_SUCCESS : SHIM_ERROR_NOT_FOUND;
}

/* As driver LIBTMA_DRIVER would answer if it had these functions alone. */
static shim_result stand_in_lookup(const char *name, void **pfn, int version, uint64_t flags,
                                   shim_lookup_status *status) {
    const int driver = (int)settings()->target.driver;
    if (!name || !pfn || version > driver || flags & ~(uint64_t)SHIM_LOOKUP_FLAGS ||
        settings()->wrong) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    const enum shim_symbol found = symbol_for(name, version);
    if (found == SHIM_SYMBOLS || symbol_since(found) > driver) {
        return answer(pfn, NULL, status, SHIM_LOOKUP_NOT_FOUND);
    }
    if (symbol_since(found) > version) {
        return answer(pfn, NULL, status, SHIM_LOOKUP_VERSION_NOT_SUFFICIENT);
    }
    return answer(pfn, own_address(found), status, SHIM_LOOKUP_SUCCESS);
}

/* Who stands in answers for its own four calls, and for everything where there is no driver. */
static int answers_itself(const char *name) {
    const enum shim_symbol found = name ? own_symbol(name) : SHIM_SYMBOLS;
    const int is_call = found < AT_cuGetProcAddress;
    return mode() == SHIM_STAND_IN && (is_call || !real_driver());
}

/* The driver's answer, with our function in the place of its own. */
static shim_result ours_instead(const char *name, void **pfn, int version, shim_result rc) {
    if (rc == SHIM_SUCCESS && name && pfn && *pfn) {
        const enum shim_symbol found = symbol_for(name, version);
        if (found != SHIM_SYMBOLS) {
            *pfn = own_address(found);
        }
    }
    return rc;
}

SHIM_EXPORT shim_result cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion,
                                         uint64_t flags) {
    if (answers_itself(symbol)) {
        return stand_in_lookup(symbol, pfn, cudaVersion, flags, NULL);
    }
    shim_lookup_call *real = (shim_lookup_call *)real_function(AT_cuGetProcAddress);
    if (!real) {
        return real_driver() ? SHIM_ERROR_NOT_SUPPORTED : SHIM_ERROR_STUB_LIBRARY;
    }
    return ours_instead(symbol, pfn, cudaVersion, real(symbol, pfn, cudaVersion, flags));
}

SHIM_EXPORT shim_result cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion,
                                            uint64_t flags, shim_lookup_status *symbolStatus) {
    if (answers_itself(symbol)) {
        return stand_in_lookup(symbol, pfn, cudaVersion, flags, symbolStatus);
    }
    shim_lookup_v2_call *real = (shim_lookup_v2_call *)real_function(AT_cuGetProcAddress_v2);
    if (!real) {
        return real_driver() ? SHIM_ERROR_NOT_SUPPORTED : SHIM_ERROR_STUB_LIBRARY;
    }
    return ours_instead(symbol, pfn, cudaVersion,
                        real(symbol, pfn, cudaVersion, flags, symbolStatus));
}
