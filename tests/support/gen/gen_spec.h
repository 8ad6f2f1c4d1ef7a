/* SPDX-License-Identifier: Apache-2.0
 *
 * Random specs and targets for the property tests.
 */
#ifndef TESTS_GEN_SPEC_H
#define TESTS_GEN_SPEC_H

#include "random.h"
#include <tma/map.h>
#include <tma/spec.h>

/* Any architecture that the library knows, with drivers on both sides of every limit. */
tma_target gen_target(struct random_source *r);

/* Meant to be accepted on the target, and nearly always is. Entries that no call looks at are
 * filled with anything. */
tma_spec gen_good_spec(struct random_source *r, const tma_target *target);

/* One that is accepted, with its map. */
tma_spec gen_encoded(struct random_source *r, const tma_target *target, tma_map *map);

/* Puts something into one argument: mostly a value beside a limit, on either side of it. */
void gen_spoil(struct random_source *r, tma_spec *spec);

/* A good one, or one with one to three arguments spoilt: refused about as often as accepted. */
tma_spec gen_spec(struct random_source *r, const tma_target *target);

/* The spec with what no call looks at set to 0; a wide spec becomes the im2col spec that it is
 * encoded as. What decode gives back for an encoded spec. */
tma_spec gen_plain(const tma_spec *spec);

#endif
