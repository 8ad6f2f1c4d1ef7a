/* SPDX-License-Identifier: Apache-2.0
 *
 * cuGetProcAddress and its _v2: the driver's answers with our functions in them, or our own.
 */
#include <string.h>

#include "own_calls.h"
#include "real_driver.h"
#include "settings.h"
#include "stand_in_device.h"

#define MOST_NAME 48 /* longer than any of ours */

/* Ours whose name is this one with an ending. */
static enum shim_symbol with_ending(const char *name, const char *ending) {
    char longer[MOST_NAME + 8];
    const size_t length = strlen(name);
    if (length > MOST_NAME) {
        return SHIM_SYMBOLS;
    }
    for (size_t i = 0; i < length; i++) {
        longer[i] = name[i];
    }
    for (size_t i = 0; i <= strlen(ending); i++) {
        longer[length + i] = ending[i];
    }
    return own_symbol(longer);
}

static int ends_with(const char *name, const char *ending) {
    const size_t length = strlen(name);
    return length > strlen(ending) && !strcmp(name + length - strlen(ending), ending);
}

/* Ours for a base name, as a lookup for this CUDA version would give it, or SHIM_SYMBOLS. Some
 * names have two signatures, the later called _v2, and some another function for a thread's own
 * stream, called _ptsz. */
static enum shim_symbol symbol_for(const char *name, int version, uint64_t flags) {
    if (ends_with(name, "_v2") || ends_with(name, "_ptsz")) {
        return SHIM_SYMBOLS; /* no base names */
    }
    const enum shim_symbol of_thread = with_ending(name, "_ptsz");
    const enum shim_symbol second = with_ending(name, "_v2");
    if (flags & SHIM_LOOKUP_PER_THREAD && of_thread != SHIM_SYMBOLS) {
        return of_thread;
    }
    return second != SHIM_SYMBOLS && version >= symbol_since(second) ? second : own_symbol(name);
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
