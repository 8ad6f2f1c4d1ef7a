/* SPDX-License-Identifier: Apache-2.0
 *
 * The specs that driver and library are asked about, by seed and number.
 */
#ifndef HARDWARE_RANDOM_SPECS_H
#define HARDWARE_RANDOM_SPECS_H

#include "support/gen/random.h"
#include <tma/spec.h>

/* A source of random numbers that belongs to one case: the same for every number of threads. */
struct random_source case_source(uint64_t seed, uint64_t number);

/* About half of them are refused; limits are favoured. Its api is one of the three. */
tma_spec encode_case(struct random_source *r, const tma_target *target);

/* What a map's address is replaced by: most of them such as a map may have. */
uint64_t replaced_address(struct random_source *r);

#endif
