/* SPDX-License-Identifier: Apache-2.0
 *
 * The arguments of one call, as a spec.
 */
#ifndef SHIM_ENCODE_CALL_H
#define SHIM_ENCODE_CALL_H

#include "real_driver.h"
#include "tma/check.h"

/* Arrays are read up to the rank as the driver does, and not at all beyond rank 5. A null array
 * leaves entries that no rule takes. Nothing else of the caller's memory is looked at. */
struct encode_call {
    enum shim_symbol symbol;
    const void *map; /* tensorMap */
    uint32_t nulls;  /* a bit 1 << tma_argument for each array that is null */
    tma_spec spec;
};

/* The part that all three calls have. */
struct encode_call encode_call_begin(enum shim_symbol symbol, const void *map, uint32_t dtype,
                                     uint32_t rank, const void *address, const uint64_t *dim,
                                     const uint64_t *stride, const uint32_t *element_stride);
void encode_call_box(struct encode_call *call, const uint32_t *box);
void encode_call_corners(struct encode_call *call, const int *lower, const int *upper);
void encode_call_column(struct encode_call *call, uint32_t channels, uint32_t pixels);
void encode_call_modes(struct encode_call *call, uint32_t interleave, uint32_t swizzle, uint32_t l2,
                       uint32_t fill);

#endif
