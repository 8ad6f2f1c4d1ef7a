/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of errors, and the driver's own word for others.
 */
#include "driver_errors.h"

#include <stddef.h>

#include "real_driver.h"

enum about { ARGUMENTS = 0, CONTEXT = 0, DEVICE = 0, OLDER = 1 };

static const struct {
    shim_result number;
    struct driver_error error;
} errors[] = {
#define DRIVER_CODE(name, number, about, words, meaning)                                           \
    {number, {"CUDA_ERROR_" #name, words, meaning, about}},
#define DRIVER_CODE_NAME(name, number) {number, {"CUDA_ERROR_" #name, "", "", CONTEXT}},
#include <tma/driver_codes.def>
#undef DRIVER_CODE
};

const struct driver_error *driver_error_known(shim_result number) {
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        if (errors[i].number == number) {
            return &errors[i].error;
        }
    }
    return NULL;
}

struct driver_error driver_error_of(shim_result number) {
    const struct driver_error *known = driver_error_known(number);
    struct driver_error error = {"no name known", "", "", 0};
    if (known) {
        return *known;
    }
    shim_error_text_call *ask = (shim_error_text_call *)real_function(AT_cuGetErrorName);
    const char *name = NULL;
    if (ask && ask(number, &name) == SHIM_SUCCESS && name) {
        error.name = name;
    }
    return error;
}
