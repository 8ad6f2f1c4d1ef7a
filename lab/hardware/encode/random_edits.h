/* SPDX-License-Identifier: Apache-2.0
 *
 * The edits that tensormap.replace and library make, by seed and number.
 */
#ifndef HARDWARE_RANDOM_EDITS_H
#define HARDWARE_RANDOM_EDITS_H

#include <tma/map.h>

#include "device.h"

struct replace_case {
    tma_map before;
    tma_spec spec;
    struct device_edit edit;
    int encoded; /* from spec; else random bytes */
};

/* The case of a number: a field that the target can edit, with a value that its compiler takes. */
void replace_case_make(struct replace_case *c, uint64_t seed, uint64_t number,
                       const tma_target *target);

#endif
