/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of errors, and the driver's own word for others.
 */
#include "driver_errors.h"

#include <stddef.h>

#include "real_driver.h"

static const struct {
    shim_result number;
    struct driver_error error;
} errors[] = {
    {SHIM_ERROR_INVALID_VALUE, {"CUDA_ERROR_INVALID_VALUE", "", 0}},
#define SHIM_ERROR(name, value, older, meaning) {value, {"CUDA_ERROR_" #name, meaning, older}},
#include "driver_errors.def"
#undef SHIM_ERROR
};

struct driver_error driver_error_of(shim_result number) {
    struct driver_error error = {"no name known", "", 0};
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        if (errors[i].number == number) {
            return errors[i].error;
        }
    }
    shim_error_name_call *ask = (shim_error_name_call *)real_function(AT_cuGetErrorName);
    const char *name = NULL;
    if (ask && ask(number, &name) == SHIM_SUCCESS && name) {
        error.name = name;
    }
    return error;
}
