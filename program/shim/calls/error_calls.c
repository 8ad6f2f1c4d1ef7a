/* SPDX-License-Identifier: Apache-2.0
 *
 * cuGetErrorName and cuGetErrorString: the driver's own where there is one, else the table's.
 */
#include <stddef.h>

#include "driver_errors.h"
#include "real_driver.h"

static shim_result answer(enum shim_symbol call, shim_result error, const char **text) {
    shim_error_text_call *real = (shim_error_text_call *)real_function(call);
    if (real) {
        return real(error, text);
    }
    const struct driver_error *known = driver_error_known(error);
    if (!text) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    *text = NULL;
    if (error == SHIM_SUCCESS) {
        *text = call == AT_cuGetErrorName ? "CUDA_SUCCESS" : "no error";
    } else if (known && (call == AT_cuGetErrorName || *known->words)) {
        *text = call == AT_cuGetErrorName ? known->name : known->words;
    }
    return *text ? SHIM_SUCCESS : SHIM_ERROR_INVALID_VALUE;
}

SHIM_EXPORT shim_result cuGetErrorName(shim_result error, const char **pStr) {
    return answer(AT_cuGetErrorName, error, pStr);
}

SHIM_EXPORT shim_result cuGetErrorString(shim_result error, const char **pStr) {
    return answer(AT_cuGetErrorString, error, pStr);
}
