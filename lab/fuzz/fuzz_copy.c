/* SPDX-License-Identifier: Apache-2.0
 *
 * Any 128 bytes, any instruction, any coordinates, any memory sizes: nothing crashes, nothing is
 * touched that was not given, every path does what the reference does, and walk, report and costs
 * agree with it. Buffers are heap blocks of exactly their size, for AddressSanitizer to watch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_copy_input.h"
#include "fuzz_said.h"
#include <tma/copy.h>
#include <tma/cost.h>
#include <tma/walk.h>

#define ROWS_WALKED 4096 /* copies of more rows are not walked: that takes as long as they are */

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "fuzz_copy.c:%d: %s\n", __LINE__, #holds);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Memory given to a copy, what it held, and which bytes the walk says may change. */
struct block {
    uint8_t *bytes;
    uint8_t *before;
    uint8_t *after; /* what the reference left */
    uint8_t *may_change;
    size_t size_B;
};

struct trial {
    struct fuzz_copy_input in;
    tma_plan plan;
    tma_range ranges[FUZZ_RANGES];
    tma_global global;
    tma_window window;
    struct block blocks[FUZZ_RANGES + 1]; /* the last is the window */
    uint64_t sums[4];
    uint64_t global_B;
};

static void *allocate(size_t size_B) {
    void *bytes = malloc(size_B ? size_B : 1);
    CHECK(bytes);
    return bytes;
}

static void block_make(struct block *b, size_t size_B, uint64_t *seed) {
    b->size_B = size_B;
    b->bytes = allocate(size_B);
    b->before = allocate(size_B);
    b->after = allocate(size_B);
    b->may_change = allocate(size_B);
    memset(b->may_change, 0, size_B);
    for (size_t i = 0; i < size_B; i += sizeof(*seed)) {
        *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        const uint64_t word = *seed ^ *seed >> 29;
        memcpy(b->before + i, &word, size_B - i < sizeof(word) ? size_B - i : sizeof(word));
    }
    memcpy(b->bytes, b->before, size_B);
}

static void block_free(struct block *b) {
    free(b->bytes);
    free(b->before);
    free(b->after);
    free(b->may_change);
}

static void memory_make(struct trial *t) {
    uint64_t seed = t->in.seed;
    for (uint32_t i = 0; i < t->in.ranges; i++) {
        block_make(&t->blocks[i], t->in.range_B[i], &seed);
        t->ranges[i] = (tma_range){.address = t->in.range_address[i],
                                   .size_B = t->in.range_B[i],
                                   .host = t->blocks[i].bytes};
    }
    block_make(&t->blocks[FUZZ_RANGES], t->in.window_B, &seed);
    t->global = (tma_global){.ranges = t->ranges, .count = t->in.ranges};
    t->window = (tma_window){.address = t->in.window_address,
                             .size_B = t->in.window_B,
                             .host = t->blocks[FUZZ_RANGES].bytes};
}

static void memory_free(struct trial *t) {
    for (uint32_t i = 0; i < t->in.ranges; i++) {
        block_free(&t->blocks[i]);
    }
    block_free(&t->blocks[FUZZ_RANGES]);
}

/* A finding can be read. */
static void check_finding(const tma_finding *why) {
    char text[600];
    CHECK(tma_rule_of(why->rule) != NULL);
    CHECK(tma_finding_text(text, sizeof(text), why) > 0);
    CHECK(tma_trap_name(why));
    fuzz_said_text(text);
    fuzz_said_text(tma_trap_name(why));
}

static void mark(struct trial *t, const tma_run *run) {
    const int load = tma_plan_info(&t->plan)->op == TMA_OP_LOAD;
    const int writes_window = load && run->kind != TMA_RUN_PADDING;
    const int writes_global =
        !load && (run->kind == TMA_RUN_INSIDE || run->kind == TMA_RUN_PAST_EDGE);
    for (uint32_t i = 0; i < run->length_B && writes_window; i++) {
        const uint64_t at = (uint64_t)run->shared_address + i - t->in.window_address;
        if (at < t->in.window_B) {
            t->blocks[FUZZ_RANGES].may_change[at] = 1;
        }
    }
    for (uint32_t i = 0; i < run->global_length_B && writes_global; i++) {
        for (uint32_t k = 0; k < t->in.ranges; k++) {
            const uint64_t at = run->address + i - t->in.range_address[k];
            if (at < t->in.range_B[k]) {
                t->blocks[k].may_change[at] = 1;
            }
        }
    }
}

static int visit(void *context, const tma_run *run) {
    struct trial *t = context;
    CHECK(run->kind <= TMA_RUN_PADDING && run->length_B > 0 &&
          run->rank == tma_plan_info(&t->plan)->rank);
    CHECK(run->offset_B + run->length_B <= tma_plan_info(&t->plan)->row_shared_B);
    t->sums[run->kind] += run->kind == TMA_RUN_PADDING ? run->length_B : run->global_length_B;
    if (run->kind == TMA_RUN_INSIDE || run->kind == TMA_RUN_PAST_EDGE) {
        t->global_B += run->global_length_B;
    }
    mark(t, run);
    return 0;
}

static void check_report(struct trial *t) {
    const int load = tma_plan_info(&t->plan)->op == TMA_OP_LOAD ||
                     tma_plan_info(&t->plan)->op == TMA_OP_PREFETCH;
    const uint64_t outside_B = t->sums[TMA_RUN_OUTSIDE];
    tma_report_result r;
    tma_finding why;
    CHECK(tma_plan_report(&r, &t->plan, &t->in.at, &why) == TMA_OK);
    CHECK(r.inside_B == t->sums[TMA_RUN_INSIDE]);
    CHECK(r.past_edge_B == t->sums[TMA_RUN_PAST_EDGE]);
    CHECK(r.fill_B == (load ? outside_B : 0) && r.dropped_B == (load ? 0 : outside_B));
    CHECK(r.tx_B == r.inside_B + r.past_edge_B + outside_B);
    CHECK(r.global_B == t->global_B);
    fuzz_said_number("tx_B", r.tx_B);
    fuzz_said_number("past_edge_B", r.past_edge_B);
}

static void check_costs(const struct trial *t) {
    tma_global_cost global;
    tma_bank_cost banks;
    CHECK(tma_cost_global(&global, &t->plan, &t->in.at) == TMA_OK);
    CHECK(global.bytes_B == t->global_B && global.lines <= global.sectors);
    fuzz_said_number("lines", global.lines);
    fuzz_said_number("sectors", global.sectors);
    for (uint32_t reader = 0; reader < TMA_READERS; reader++) {
        if (tma_cost_banks(&banks, &t->plan, &t->in.at, (tma_reader)reader) == TMA_OK) {
            CHECK(banks.wavefronts >= banks.phases && banks.worst <= 32);
            fuzz_said_number("wavefronts", banks.wavefronts);
            fuzz_said_number("worst", banks.worst);
        }
    }
}

static int row_ends(void *context, const tma_run *run) {
    *(uint64_t *)context += run->length_B;
    return 0;
}

/* All that is told of a copy without memory. */
static void check_told(struct trial *t) {
    uint64_t by_rows_B = 0;
    uint64_t by_atoms_B = 0;
    CHECK(tma_walk(&t->plan, &t->in.at, visit, t) == 0);
    CHECK(tma_walk_rows(&t->plan, &t->in.at, row_ends, &by_rows_B) == 0);
    CHECK(tma_walk(&t->plan, &t->in.at, row_ends, &by_atoms_B) == 0);
    CHECK(by_rows_B == by_atoms_B);
    check_report(t);
    check_costs(t);
}

static void restore(struct trial *t) {
    for (uint32_t i = 0; i <= FUZZ_RANGES; i++) {
        if (t->blocks[i].bytes) {
            memcpy(t->blocks[i].bytes, t->blocks[i].before, t->blocks[i].size_B);
        }
    }
}

static void same_findings(const tma_finding *a, const tma_finding *b) {
    CHECK(a->rule == b->rule && a->index == b->index && a->given == b->given);
    CHECK(a->value == b->value && a->limit == b->limit && a->relation == b->relation);
}

/* Nothing but what the walk visits; nothing at all if the copy was refused. */
static void check_changes(const struct block *b, int may_change, int walked) {
    if (memcmp(b->bytes, b->before, b->size_B) == 0) {
        return;
    }
    CHECK(may_change);
    for (size_t i = 0; i < b->size_B && walked; i++) {
        CHECK(b->bytes[i] == b->before[i] || b->may_change[i]);
    }
}

static tma_status run_reference(struct trial *t, int walked, tma_finding *why) {
    const tma_status status = tma_copy_reference(&t->plan, &t->in.at, &t->global, &t->window, why);
    for (uint32_t i = 0; i <= FUZZ_RANGES; i++) {
        struct block *b = &t->blocks[i];
        if (b->bytes) {
            check_changes(b, status == TMA_OK, walked);
            memcpy(b->after, b->bytes, b->size_B);
        }
    }
    if (status != TMA_OK) {
        check_finding(why);
    }
    return status;
}

static void check_path(struct trial *t, uint32_t path, tma_status wanted, const tma_finding *why) {
    tma_plan forced = t->plan;
    tma_finding other = {0};
    if (tma_plan_set_path(&forced, path) != TMA_OK) {
        return;
    }
    restore(t);
    CHECK(tma_copy_judge(&forced, &t->in.at, &t->global, &t->window, &other) == wanted);
    CHECK(tma_copy(&forced, &t->in.at, &t->global, &t->window, &other) == wanted);
    for (uint32_t i = 0; i <= FUZZ_RANGES; i++) {
        CHECK(!t->blocks[i].size_B ||
              memcmp(t->blocks[i].bytes, t->blocks[i].after, t->blocks[i].size_B) == 0);
    }
    if (wanted != TMA_OK) {
        same_findings(&other, why);
    }
}

static void check_copies(struct trial *t, int walked) {
    tma_finding why = {0};
    const tma_status status = run_reference(t, walked, &why);
    for (uint32_t path = TMA_PATH_PORTABLE; path < TMA_PATHS; path++) {
        check_path(t, path, status, &why);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct trial t;
    tma_finding why = {0};
    memset(&t, 0, sizeof(t));
    fuzz_copy_read(&t.in, data, size);
    const tma_status status =
        tma_plan_make(&t.plan, t.in.map, &t.in.instruction, &t.in.target, &why);
    if (status != TMA_OK) {
        check_finding(&why);
        return 0;
    }
    memory_make(&t);
    const int runs = tma_plan_at(&t.plan, &t.in.at, &why) == TMA_OK;
    const int walked = runs && tma_plan_info(&t.plan)->rows <= ROWS_WALKED &&
                       tma_plan_info(&t.plan)->row_shared_B <= 4096;
    if (walked) {
        check_told(&t);
    } else if (!runs) {
        check_finding(&why);
        CHECK(tma_walk(&t.plan, &t.in.at, visit, &t) == -1);
    }
    check_copies(&t, walked);
    memory_free(&t);
    return 0;
}
