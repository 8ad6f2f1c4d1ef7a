/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers in the driver's place.
 */
#ifndef SHIM_STAND_IN_H
#define SHIM_STAND_IN_H

#include "encode_call.h"

/* CUDA_SUCCESS with the map written, or CUDA_ERROR_INVALID_VALUE with the map as it was. */
shim_result stand_in_encode(const struct encode_call *call, void *map);
shim_result stand_in_replace(void *map, const void *address);

#endif
