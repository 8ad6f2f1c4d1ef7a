/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of copy_features.def.
 */
#include "copy_features.h"

static const struct {
    const char *name;
    int special;
} features[] = {
#define FEATURE(id, name, special, condition) {name, special},
#include "copy_features.def"
};

const char *feature_name(unsigned feature) {
    return features[feature].name;
}

uint32_t features_of(const struct copy_case *c) {
    const int prefetch = c->in.op == TMA_OP_PREFETCH;
    const int load = c->in.op == TMA_OP_LOAD;
    const int out = !load && !prefetch;
    uint32_t set = 0;
#define FEATURE(id, name, special, condition)                                                      \
    if (condition) {                                                                               \
        set |= UINT32_C(1) << FEATURE_##id;                                                        \
    }
#include "copy_features.def"
    return set;
}

int feature_is_alone(const struct copy_case *copy, unsigned feature) {
    const uint32_t set = features_of(copy);
    for (unsigned i = 0; i < FEATURES; i++) {
        if (i != feature && features[i].special && set >> i & 1) {
            return 0;
        }
    }
    return set >> feature & 1;
}
