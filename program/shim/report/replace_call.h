/* SPDX-License-Identifier: Apache-2.0
 *
 * cuTensorMapReplaceAddress: one call, and what is said about it.
 */
#ifndef SHIM_REPLACE_CALL_H
#define SHIM_REPLACE_CALL_H

#include "judged_target.h"
#include "real_driver.h"
#include "tma/map.h"

struct replace_call {
    const void *map; /* tensorMap */
    int readable;    /* whether it points to a map's bytes */
    uint64_t address;
    tma_map before; /* what it held; zeros if unreadable */
};

struct replace_call replace_call_begin(const void *map, const void *address);

/* Whether the driver takes an address that kills copies of this map: interleave 32B asks for a
 * multiple of 32 bytes. */
int replace_call_kills(const struct replace_call *call);

/* Says why the call was refused, or how `after`, what the map holds now (null: not to be
 * read), differs from `ours` (null: libtma refuses). */
void report_replace(const struct replace_call *call, shim_result rc, const tma_map *ours,
                    const uint8_t *after, const struct judged_target *target);

#endif
