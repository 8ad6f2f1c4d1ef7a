/* SPDX-License-Identifier: Apache-2.0
 *
 * The features of a copy, as sets: bit i is row i of copy_features.def.
 */
#ifndef HARDWARE_COPY_FEATURES_H
#define HARDWARE_COPY_FEATURES_H

#include "random_copies.h"

enum {
#define FEATURE(id, name, special, condition) FEATURE_##id,
#include "copy_features.def"
    FEATURES
};

const char *feature_name(unsigned feature);

uint32_t features_of(const struct copy_case *copy);

/* Whether the copy has the feature and no other special one: what then kills it, is that. */
int feature_is_alone(const struct copy_case *copy, unsigned feature);

#endif
