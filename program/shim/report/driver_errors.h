/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's error numbers in words.
 */
#ifndef SHIM_DRIVER_ERRORS_H
#define SHIM_DRIVER_ERRORS_H

#include "driver_abi.h"

struct driver_error {
    const char *name;    /* "CUDA_ERROR_ILLEGAL_ADDRESS" */
    const char *words;   /* cuGetErrorString's; "" where not known */
    const char *meaning; /* "" where nothing is known */
    int older;           /* happened before the call that answers it */
};

/* The row of the table, or null. */
const struct driver_error *driver_error_known(shim_result number);

/* Of any number; the names of those that are not in the table are asked of the driver. */
struct driver_error driver_error_of(shim_result number);

#endif
