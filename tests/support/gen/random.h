/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers that are the same on every machine and in every run: splitmix64.
 */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <tma/pattern.h>

struct random_source {
    uint64_t state;
};

static inline uint64_t random_u64(struct random_source *r) {
    const uint64_t number = tma_scramble(r->state);
    r->state += UINT64_C(0x9E3779B97F4A7C15);
    return number;
}

/* 0 to limit - 1; 0 for a limit of 0. */
static inline uint64_t random_below(struct random_source *r, uint64_t limit) {
    return limit ? random_u64(r) % limit : 0;
}

static inline uint32_t random_in(struct random_source *r, uint32_t least, uint32_t most) {
    return least + (uint32_t)random_below(r, (uint64_t)most - least + 1);
}

static inline int random_one_in(struct random_source *r, uint32_t n) {
    return random_below(r, n) == 0;
}

/* A number of any length: 1 to `bits` bits, each length equally often. */
static inline uint64_t random_length(struct random_source *r, uint32_t bits) {
    return random_u64(r) >> (64 - random_in(r, 1, bits));
}

#endif
