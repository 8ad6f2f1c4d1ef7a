/* SPDX-License-Identifier: Apache-2.0
 *
 * cuTensorMapSetAllocationClass: one call, and what is said about it.
 */
#ifndef SHIM_CLASS_CALL_H
#define SHIM_CLASS_CALL_H

#include "judged_target.h"
#include "real_driver.h"
#include "tma/map.h"

struct class_call {
    const void *map; /* tensorMap */
    int readable;    /* whether it points to a map's bytes */
    tma_map before;  /* what it held; zeros if unreadable */
    uint32_t allocation_class;
    const uint32_t *in_effect; /* outAllocClass */
};

struct class_call class_call_begin(const void *map, uint32_t allocation_class,
                                   const uint32_t *in_effect);

/* What libtma makes of it for a target. */
struct class_answer {
    int accepted;
    tma_map map;
    uint32_t in_effect;
};
struct class_answer class_call_answer(const struct class_call *call, const tma_target *target);

/* Says why the call was refused, or how the driver's answer differs from `ours`. `after` is what
 * the map holds now, null: not to be read; `out` is *outAllocClass then, null likewise. */
void report_class(const struct class_call *call, shim_result rc, const struct class_answer *ours,
                  const uint8_t *after, const uint32_t *out, const struct judged_target *target);

#endif
