/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers in the driver's place.
 */
#ifndef SHIM_STAND_IN_H
#define SHIM_STAND_IN_H

#include "encode_arguments.h"

/* CUDA_SUCCESS with the map written, or CUDA_ERROR_INVALID_VALUE with the map as it was. */
shim_result stand_in_encode(const struct encode_call *call, void *map);
shim_result stand_in_replace(void *map, const void *address);

/* tma_set_allocation_class() for the target of the settings. */
shim_result stand_in_class(void *map, uint32_t allocation_class, uint32_t *in_effect);

#endif
