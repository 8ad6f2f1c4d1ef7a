/* SPDX-License-Identifier: Apache-2.0
 *
 * The arguments of one call, as a spec.
 */
#ifndef SHIM_ENCODE_ARGUMENTS_H
#define SHIM_ENCODE_ARGUMENTS_H

#include "real_driver.h"
#include "tma/check.h"

/* How the caller's arrays are read. */
enum encode_reading {
    READ_PLAINLY,  /* bad pointers crash, as they do in the driver */
    READ_CAREFULLY /* a driver may have answered without looking at them */
};

/* Arrays are read up to the rank as the driver does, and not at all beyond rank 5. Nothing else of
 * the caller's memory is looked at. */
struct encode_call {
    enum shim_symbol symbol;
    enum encode_reading reading;
    const void *map;     /* tensorMap */
    uint64_t nulls;      /* a bit 1 << tma_argument for each array that is null */
    uint64_t unreadable; /* likewise, for each whose memory is not there */
    tma_spec spec;
};

/* The part that all three calls have. */
struct encode_call encode_call_begin(enum shim_symbol symbol, enum encode_reading reading,
                                     const void *map, uint32_t dtype, uint32_t rank,
                                     const void *address, const uint64_t *dim,
                                     const uint64_t *stride, const uint32_t *element_stride);
void encode_call_box(struct encode_call *call, const uint32_t *box);
void encode_call_corners(struct encode_call *call, const int *lower, const int *upper);
void encode_call_column(struct encode_call *call, uint32_t channels, uint32_t pixels);
void encode_call_modes(struct encode_call *call, uint32_t interleave, uint32_t swizzle, uint32_t l2,
                       uint32_t fill);

/* libtma's answer for the target: 1 and the map, or 0. The driver refuses null arrays whatever the
 * rank (driver 13.0, H200: null globalStrides at rank 1 as well), which no spec can say. */
int encode_call_accepted(const struct encode_call *call, const tma_target *target, tma_map *made);

#endif
