/* SPDX-License-Identifier: Apache-2.0
 *
 * Each function of libtma with arguments that are null, garbage, or lie in one another: no call
 * crashes, waits or writes outside the block that all arguments lie in.
 */
#include "fuzz_calls_input.h"

#include <tma/judge_record.h>

#define BLOCK_B   2048
#define MOST_RUNS 4096

static int f_visit(void *context, const tma_run *run) {
    struct fuzz *f = context;
    DEMAND(run->length_B > 0);
    return ++f->runs > MOST_RUNS; /* a long copy is left */
}

/* Global memory in the first half of the block, shared memory in the second: other arguments may
 * lie in either, but they not in one another. */
static void *f_half(struct fuzz *f, size_t size_B, int second) {
    const size_t half_B = (f->block_B - f->tail_B) / 2;
    const uint64_t where = f_number(f, 2);
    const size_t at = where / 8 % (half_B - size_B + 1);
    return where % 8 == 0 ? NULL : f->block + (second ? half_B : 0) + at;
}

static const tma_global *f_global(struct fuzz *f) {
    const uint64_t how = f_number(f, 1);
    f->range = (tma_range){.address = tma_plan_info(&f->plan)->address + f_number(f, 1),
                           .size_B = f_number(f, 2) % (BLOCK_B / 2)};
    f->range.host = f_half(f, f->range.size_B, 0);
    f->global = (tma_global){.ranges = how % 8 == 1 ? NULL : &f->range, .count = how % 8 > 1};
    return how % 8 ? &f->global : NULL;
}

static const tma_window *f_window(struct fuzz *f) {
    f->window =
        (tma_window){.address = (uint32_t)f_any(f), .size_B = f_number(f, 2) % (BLOCK_B / 2)};
    f->window.host = f_half(f, f->window.size_B, 1);
    return f_number(f, 1) % 8 ? &f->window : NULL;
}

/* Copies that were placed, and none of them, and more than there may be. */
static const tma_mma_tile *f_tile(struct fuzz *f) {
    const tma_mma_tile *tile = IN(tma_mma_tile);
    if (!tile) {
        return NULL;
    }
    f->tile = *tile;
    f->tile.placed = f_number(f, 1) % 8 ? f->placed : NULL;
    f->tile.placed_count = f_number(f, 1) % 4 ? 0 : (uint32_t)f_any(f) % (TMA_MMA_PLACED + 2);
    for (uint32_t i = 0; i < f->tile.placed_count && i < TMA_MMA_PLACED; i++) {
        f->placed[i] =
            (tma_mma_placed){.spec = SPEC, .shared_address = N32, .mn = N32 % 512, .k = N32 % 512};
    }
    return &f->tile;
}

#define CURSOR (f_number(f, 1) % 8 ? &f->cursor : NULL)
#define GLOBAL f_global(f)
#define WINDOW f_window(f)

#define FUZZ_CALL(function, call)                                                                  \
    static uint64_t call_##function(struct fuzz *f) {                                              \
        (void)f;                                                                                   \
        return call;                                                                               \
    }
#include "fuzz_calls.def"

static const fuzz_call calls[] = {
#define FUZZ_CALL(function, call) call_##function,
#include "fuzz_calls.def"
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    f_run(data, size, BLOCK_B, 0, calls, sizeof(calls) / sizeof(calls[0]));
    return 0;
}
