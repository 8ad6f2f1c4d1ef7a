/* SPDX-License-Identifier: Apache-2.0
 *
 * What a load's barrier reports of the data that it copies: PTX 9.4, 9.7.10.28.1.3.
 */
#include <string.h>

#include "memory.h"
#include "tma/copy.h"
#include "tma/walk.h"

#define CHUNK_B 16u

typedef struct inspector {
    const tma_global *global;
    const tma_inspection *asks;
    int is_4_bit; /* the map's elements */
    uint32_t answer;
} inspector;

static void found(inspector *x, tma_inspect_answer answer) {
    if (x->answer == TMA_REPORTS_NOT || answer == TMA_REPORTS) {
        x->answer = (uint32_t)answer;
    }
}

/* How many elements of these bytes are the pattern. */
static uint32_t matches(const uint8_t *bytes, uint32_t size_B, const tma_inspection *asks) {
    const uint32_t bits = asks->bits;
    uint32_t count = 0;
    for (uint32_t at = 0; at < size_B * 8; at += bits) {
        uint32_t value = 0;
        for (uint32_t i = 0; i < bits; i += 4) { /* by nibbles, the lowest first */
            const uint32_t nibble = bytes[(at + i) / 8] >> (at + i) % 8 & 15u;
            value |= nibble << i;
        }
        count += value == asks->pattern;
    }
    return count;
}

/* One look: a chunk's sampled element is any of its elements, for nobody says which. Bytes of the
 * chunk that the caller has not may hold the pattern too. */
static void look_at_chunk(inspector *x, uint64_t address) {
    const uint32_t all = CHUNK_B * 8 / x->asks->bits;
    uint8_t bytes[CHUNK_B];
    int whole = 1;
    memset(bytes, 0, sizeof(bytes)); /* no pattern */
    for (uint32_t i = 0; i < CHUNK_B; i++) {
        const uint8_t *byte = tma_host(x->global, 0, address + i, 1);
        whole &= byte != NULL;
        bytes[i] = byte ? *byte : 0;
    }
    const uint32_t count = matches(bytes, CHUNK_B, x->asks);
    if (count == all) {
        found(x, TMA_REPORTS);
    } else if (count || !whole) {
        found(x, TMA_REPORTS_MAYBE);
    }
}

/* Of 4-bit types the documents do not say whether one nibble is enough. */
static void look_at_byte(inspector *x, uint64_t address) {
    const uint8_t *byte = tma_host(x->global, 0, address, 1);
    if (!byte) {
        return; /* the copy itself would have failed */
    }
    if (*byte == x->asks->pattern) {
        found(x, TMA_REPORTS);
    } else if (x->is_4_bit && ((*byte & 0xF) == 0xF || *byte >> 4 == 0xF)) {
        found(x, TMA_REPORTS_MAYBE);
    }
}

static int look(void *context, const tma_run *run) {
    inspector *x = context;
    const uint64_t step_B = x->asks->granule_B;
    if (run->kind != TMA_RUN_INSIDE) {
        return 0;
    }
    for (uint64_t done_B = 0; done_B < run->global_length_B; done_B += step_B) {
        if (step_B == CHUNK_B) {
            look_at_chunk(x, (run->address + done_B) / CHUNK_B * CHUNK_B);
        } else {
            look_at_byte(x, run->address + done_B);
        }
    }
    return x->answer == TMA_REPORTS;
}

tma_status tma_inspect(uint32_t *answer, const tma_plan *plan, const tma_position *at,
                       const tma_global *global, tma_finding *why) {
    if (!answer || !plan || !at || !global) {
        return tma_null_fault(why, !answer ? TMA_ARG_OUT
                                   : !plan ? TMA_ARG_PLAN
                                   : !at   ? TMA_ARG_POSITION
                                           : TMA_ARG_GLOBAL);
    }
    inspector x = {.global = global,
                   .asks = tma_inspection_of(plan->inspection),
                   .is_4_bit = plan->bits == 4,
                   .answer = TMA_REPORTS_NOT};
    const tma_status status = tma_plan_at(plan, at, why);
    if (status == TMA_OK && x.asks && x.asks->bits) {
        (void)tma_walk_rows(plan, at, look, &x);
    }
    if (status == TMA_OK) {
        *answer = x.answer;
    }
    return status;
}
