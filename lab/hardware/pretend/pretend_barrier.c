/* SPDX-License-Identifier: Apache-2.0
 *
 * mbarriers without a GPU: three numbers each, counted upwards, in place of the word's fields.
 */
#include <stdlib.h>
#include <string.h>

#include "device_barrier.h"

#define LIMIT_B (INT64_C(1) << 20)

struct counts {
    int64_t count, arrived, expected_B, came_B;
    uint64_t phases;
};

static struct counts *ends; /* of the last call */

static int lies(const char *about) {
    const char *said = getenv("PRETEND");
    return said && strcmp(said, about) == 0;
}

static uint64_t word_of(const struct counts *c) {
    const uint64_t mask20 = (UINT64_C(1) << 20) - 1, mask21 = (UINT64_C(1) << 21) - 1;
    return (c->phases & 1) << 63 | ((uint64_t)(c->arrived - c->count) & mask20) << 43 |
           ((uint64_t)(c->came_B - c->expected_B) & mask21) << 21 |
           ((uint64_t)-c->count & mask20) << 1;
}

/* 0 where it kills. */
static int add(struct counts *c, int64_t arrivals, int64_t drops, int64_t expected_B,
               int64_t came_B) {
    const int64_t surplus = c->came_B + came_B - c->expected_B - expected_B;
    if (surplus < -LIMIT_B || surplus >= LIMIT_B || c->arrived + arrivals > c->count) {
        return 0;
    }
    c->arrived += arrivals - drops; /* of a count that is smaller by as many */
    c->count -= drops;
    c->expected_B += expected_B;
    c->came_B += came_B;
    if (surplus == 0 && c->arrived == c->count) {
        c->phases++;
        c->arrived = c->expected_B = c->came_B = 0;
    }
    return 1;
}

static int step(struct counts *c, const struct device_barrier_step *s) {
    const int64_t n = s->count, bytes = s->bytes_B;
    if (lies("barrier-die") && s->operation == DEVICE_BARRIER_COPY && bytes == 48) {
        return 0;
    }
    switch (s->operation) {
    case TMA_BARRIER_ARRIVE:
    case TMA_BARRIER_ARRIVE_NO_COMPLETE:
        return add(c, n, 0, 0, 0);
    case TMA_BARRIER_ARRIVE_DROP:
    case TMA_BARRIER_ARRIVE_DROP_NO_COMPLETE:
        return add(c, n, n, 0, 0);
    case TMA_BARRIER_ARRIVE_EXPECT:
        return add(c, n, 0, bytes, 0);
    case TMA_BARRIER_ARRIVE_DROP_EXPECT:
        return add(c, n, n, bytes, 0);
    case TMA_BARRIER_EXPECT:
        return add(c, 0, 0, bytes, 0);
    case TMA_BARRIER_COMPLETE:
    case DEVICE_BARRIER_COPY:
        return add(c, 0, 0, 0, bytes);
    case DEVICE_BARRIER_ASYNC_NOINC:
        return add(c, 1, 0, 0, 0);
    default:
        *c = (struct counts){.count = n};
        return 1;
    }
}

const char *device_barriers(const struct device_barrier_step *steps, const uint64_t *firsts,
                            size_t barriers, int stays, struct device_barrier_seen *seen) {
    (void)stays;
    free(ends);
    ends = calloc(barriers, sizeof(*ends));
    if (!ends) {
        return "cudaErrorMemoryAllocation";
    }
    for (size_t b = 0; b < barriers; b++) {
        for (uint64_t i = firsts[b]; i < firsts[b + 1]; i++) {
            const uint64_t before = word_of(&ends[b]);
            if (!step(&ends[b], &steps[i]) && !lies("barrier-live")) {
                return lies("barrier-name") ? "cudaErrorUnknown" : "cudaErrorLaunchFailure";
            }
            seen[i].loaded = 0;
            seen[i].before =
                steps[i].operation <= TMA_BARRIER_ARRIVE_DROP_EXPECT ? (uint32_t)(before >> 32) : 0;
            seen[i].done = ends[b].phases & 1 ? 1 : 2;
            seen[i].done ^= lies("barrier-wait") && b % 100 == 7 && i == firsts[b] ? 3 : 0;
            seen[i].before ^= lies("barrier-state") && b % 100 == 7 && i == firsts[b];
        }
    }
    return NULL;
}

const char *device_barriers_end(void) {
    return NULL;
}

const char *device_barrier_words(uint64_t *words, size_t barriers) {
    for (size_t b = 0; b < barriers; b++) {
        words[b] = word_of(&ends[b]) ^ (lies("barrier-word") && b % 100 == 7 ? 2 : 0);
    }
    return lies("barrier-dump") ? "no core dump was written" : NULL;
}
