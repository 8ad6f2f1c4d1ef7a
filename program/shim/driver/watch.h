/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks at the driver's answers, and hands them on as they are.
 */
#ifndef SHIM_WATCH_H
#define SHIM_WATCH_H

#include "class_call.h"
#include "encode_arguments.h"
#include "replace_call.h"

/* They return rc. */
shim_result watch_encoded(const struct encode_call *call, shim_result rc);
shim_result watch_replaced(const struct replace_call *call, shim_result rc);
shim_result watch_classed(const struct class_call *call, shim_result rc);

/* What a call answers that has no driver to go to: CUDA_ERROR_STUB_LIBRARY, or
 * CUDA_ERROR_NOT_SUPPORTED from a driver without the function. Said once. */
shim_result watch_nothing_behind(enum shim_symbol symbol);

#endif
