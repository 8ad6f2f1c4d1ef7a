/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk against plain nested loops, byte for byte and in order, and the report against the walk.
 */
#include "support/testing.h"

#include "support/gen/gen_copy.h"
#include "support/plain/plain_copy.h"
#include <tma/walk.h>

#define SPECS_PER_COPY 100 /* a copy is as much work as so many specs */
#define LEAST_COPIES   200 /* fewer say nothing about how varied they are */
#define SEEN_BYTES     (256u << 10)
#define BEFORE_B       256 /* of shared memory that are looked at before the copy's first line */

static struct {
    uint8_t seen[SEEN_BYTES]; /* shared bytes from the copy's on: how often a run was there */
    unsigned long copies;
    unsigned long trapped;
    unsigned long of_mode[TMA_MODES];
    unsigned long of_kind[4];
    unsigned long whole; /* boxes all inside */
} totals;

struct follower {
    const struct gen_copy *c;
    const tma_plan *plan;
    struct plain_copy plain;
    struct plain_row at_row; /* where the plain loops are */
    uint32_t row;
    uint32_t offset_B;
    int atoms;        /* addresses are swizzled */
    uint64_t sums[4]; /* lengths by kind, in payload bytes */
    uint64_t global_B;
    uint64_t global_first;
    uint64_t global_end;
};

static void blame(const struct gen_copy *c, const char *what) {
    char line[GEN_COPY_LINE_BYTES];
    fail_msg("%s: %s", what, gen_copy_line(c, line));
}

static void demand(const struct follower *f, int holds, const char *what) {
    if (!holds) {
        blame(f->c, what);
    }
}

/* Stores of 6-bit types read a byte an element. */
static int is_six_bit_store(const struct follower *f) {
    return tma_plan_info(f->plan)->bits == 6 && tma_plan_info(f->plan)->op == TMA_OP_STORE;
}

static uint32_t seen_from(const struct follower *f) {
    return f->c->at.shared_address / 128 * 128 - BEFORE_B;
}

/* The plain loops' next byte must be byte i of the run. */
static void same_byte(struct follower *f, const tma_run *run, uint32_t i) {
    if (f->offset_B == f->plain.row_shared_B) {
        f->offset_B = 0;
        f->row++;
    }
    if (f->offset_B == 0) {
        f->at_row = plain_copy_row(&f->plain, f->row);
    }
    const struct plain_byte b = plain_copy_byte(&f->plain, &f->at_row, f->offset_B++);
    demand(f, run->row == b.row && run->offset_B + i == b.offset_B, "out of order");
    demand(f, run->kind == b.kind, "another kind");
    const uint32_t linear = f->c->at.shared_address + b.row * f->plain.pitch_B + b.offset_B;
    demand(f, run->shared_address + i == (f->atoms ? b.shared_address : linear),
           "another shared address");
    if (i == 0) {
        demand(f, memcmp(run->coord, b.coord, sizeof(b.coord)) == 0, "other coordinates");
    }
    if (b.kind == TMA_RUN_INSIDE || b.kind == TMA_RUN_PAST_EDGE) {
        const uint64_t bit = run->address * 8 + (is_six_bit_store(f) ? 6 : 8) * (uint64_t)i;
        demand(f, bit == b.address * 8 + b.bit, "another global address");
    }
    if (f->atoms) {
        const uint32_t at = b.shared_address - seen_from(f);
        demand(f, at < SEEN_BYTES && !totals.seen[at]++, "a shared byte twice, or far away");
    }
}

static int follow(void *context, const tma_run *run) {
    struct follower *f = context;
    const uint32_t global_B = is_six_bit_store(f) ? run->length_B * 6 / 8 : run->length_B;
    demand(f, run->rank == f->c->spec.rank, "another rank");
    demand(f, run->length_B > 0 && run->kind <= TMA_RUN_PADDING, "an empty run");
    if (run->kind != TMA_RUN_PADDING) {
        demand(f, run->global_length_B == global_B, "another global length");
    }
    for (uint32_t i = 0; i < run->length_B; i++) {
        same_byte(f, run, i);
    }
    f->sums[run->kind] += run->kind == TMA_RUN_PADDING ? run->length_B : global_B;
    if (run->kind == TMA_RUN_INSIDE || run->kind == TMA_RUN_PAST_EDGE) {
        f->global_B += global_B;
        f->global_first = run->address < f->global_first ? run->address : f->global_first;
        f->global_end =
            run->address + global_B > f->global_end ? run->address + global_B : f->global_end;
    }
    return 0;
}

/* The report counts what the walk visited. */
static void same_report(const struct follower *f, const tma_report_result *r) {
    const int load =
        tma_plan_info(f->plan)->op == TMA_OP_LOAD || tma_plan_info(f->plan)->op == TMA_OP_PREFETCH;
    const uint64_t outside_B = f->sums[TMA_RUN_OUTSIDE];
    const uint64_t all_B = f->sums[TMA_RUN_INSIDE] + outside_B + f->sums[TMA_RUN_PAST_EDGE];
    demand(f, r->rows == f->plain.rows, "report: rows");
    demand(f, r->tx_B == all_B, "report: bytes counted are not the runs summed");
    demand(f, r->inside_B == f->sums[TMA_RUN_INSIDE], "report: inside");
    demand(f, r->past_edge_B == f->sums[TMA_RUN_PAST_EDGE], "report: past the edge");
    demand(f, r->fill_B == (load ? outside_B : 0), "report: filled");
    demand(f, r->dropped_B == (load ? 0 : outside_B), "report: dropped");
    demand(f, r->global_B == f->global_B, "report: global bytes");
    demand(f, r->global_first == (f->global_B ? f->global_first : 0), "report: first address");
    demand(f, r->global_end == f->global_end, "report: end of the addresses");
}

/* Nothing beyond the footprint; all of each row was seen, once. */
static void within_footprint(const struct follower *f, const tma_report_result *r) {
    const uint32_t skew = f->c->at.shared_address % 128;
    const uint32_t end = (uint32_t)(BEFORE_B + skew + r->footprint_B);
    uint32_t bytes = 0;
    assert_true(end + BEFORE_B <= SEEN_BYTES);
    for (uint32_t i = 0; i < end + BEFORE_B; i++) {
        demand(f, !totals.seen[i] || (i >= BEFORE_B && i < end), "a byte beyond the footprint");
        bytes += totals.seen[i];
        totals.seen[i] = 0;
    }
    demand(f, bytes == f->plain.rows * f->plain.row_shared_B, "not all bytes seen");
}

static void walk_one(const struct gen_copy *c, const tma_plan *plan, int atoms) {
    tma_report_result report;
    struct follower f = {.c = c, .plan = plan, .global_first = UINT64_MAX};
    f.atoms = atoms && tma_plan_info(plan)->op != TMA_OP_PREFETCH; /* which has no shared memory */
    f.plain = plain_copy_of(&c->spec, &c->instruction, &c->at);
    const int answer =
        atoms ? tma_walk(plan, &c->at, follow, &f) : tma_walk_rows(plan, &c->at, follow, &f);
    demand(&f, answer == 0, "the walk ended early");
    demand(&f, f.row + 1 == f.plain.rows && f.offset_B == f.plain.row_shared_B, "rows are missing");
    demand(&f, tma_plan_report(&report, plan, &c->at, NULL) == TMA_OK, "no report");
    same_report(&f, &report);
    totals.whole += atoms && report.inside_B == report.tx_B;
    if (f.atoms) {
        within_footprint(&f, &report);
    }
    for (int kind = 0; kind < 4; kind++) {
        totals.of_kind[kind] += f.sums[kind] != 0;
    }
}

/* Pulled in portions of any size, the cursor moved about between the calls: the same runs, and
 * their shares of the barrier's count are all of it. */
static void pull_one(const struct gen_copy *c, const tma_plan *plan, uint32_t portion) {
    tma_run runs[17];
    tma_cursor moved;
    tma_cursor cursor = {{0}};
    tma_report_result report;
    size_t count = 0;
    uint64_t barrier_B = 0;
    struct follower f = {.c = c, .plan = plan, .global_first = UINT64_MAX};
    f.atoms = tma_plan_info(plan)->op != TMA_OP_PREFETCH;
    f.plain = plain_copy_of(&c->spec, &c->instruction, &c->at);
    do {
        moved = cursor;
        memset(&cursor, 0xA5, sizeof(cursor));
        demand(&f, tma_runs(runs, portion, &count, &moved, plan, &c->at, NULL) == TMA_OK,
               "no runs");
        demand(&f, count <= portion, "more than there is room for");
        for (size_t i = 0; i < count; i++) {
            follow(&f, &runs[i]);
            barrier_B += runs[i].barrier_B;
        }
        cursor = moved;
    } while (count == portion);
    demand(&f, tma_runs(runs, portion, &count, &cursor, plan, &c->at, NULL) == TMA_OK && !count,
           "runs behind the last");
    demand(&f, f.row + 1 == f.plain.rows && f.offset_B == f.plain.row_shared_B, "rows are missing");
    demand(&f, tma_plan_report(&report, plan, &c->at, NULL) == TMA_OK, "no report");
    demand(&f, barrier_B == (c->instruction.op == TMA_OP_LOAD ? report.tx_B : 0),
           "shares that are not the barrier's count");
    memset(totals.seen, 0, sizeof(totals.seen));
}

static int stop_at_third(void *context, const tma_run *run) {
    (void)run;
    return ++*(int *)context == 3 ? 42 : 0;
}

static void random_copies(void **state) {
    (void)state;
    struct random_source r = {31};
    const unsigned long asked = spec_count() / SPECS_PER_COPY;
    const unsigned long count = asked > LEAST_COPIES ? asked : LEAST_COPIES;
    for (unsigned long i = 0; i < count; i++) {
        struct gen_copy c;
        tma_plan plan;
        tma_finding why = {0};
        char text[512];
        gen_copy(&r, GEN_ANY, &c);
        if (tma_plan_make(&plan, c.map.bytes, &c.instruction, &c.target, &why) != TMA_OK) {
            tma_finding_text(text, sizeof(text), &why);
            blame(&c, text);
        }
        totals.copies++;
        if (tma_plan_at(&plan, &c.at, NULL) != TMA_OK) {
            int seen = 0;
            totals.trapped++;
            assert_int_equal(tma_walk(&plan, &c.at, stop_at_third, &seen), -1);
            assert_int_equal(seen, 0);
            continue;
        }
        totals.of_mode[c.instruction.mode]++;
        walk_one(&c, &plan, 1);
        walk_one(&c, &plan, 0);
        pull_one(&c, &plan, 1 + (uint32_t)random_below(&r, 17));
    }
}

/* The random copies are worth something: all modes, all kinds of runs, few traps. */
static void copies_were_varied(void **state) {
    (void)state;
    assert_true(totals.trapped * 4 < totals.copies);
    for (int mode = 0; mode < TMA_MODES; mode++) {
        assert_true(totals.of_mode[mode] * 40 > totals.copies);
    }
    for (int kind = 0; kind < 4; kind++) {
        assert_true(totals.of_kind[kind] * 40 > totals.copies);
    }
    assert_true(totals.whole * 10 > totals.copies);
    print_message("%lu copies, %lu trapped, %lu all inside\n", totals.copies, totals.trapped,
                  totals.whole);
}

static void visitor_ends_the_walk(void **state) {
    (void)state;
    struct random_source r = {5};
    struct gen_copy c;
    tma_plan plan;
    int seen = 0;
    do {
        gen_copy(&r, GEN_SMALL, &c);
    } while (tma_plan_make(&plan, c.map.bytes, &c.instruction, &c.target, NULL) != TMA_OK ||
             tma_plan_at(&plan, &c.at, NULL) != TMA_OK || tma_plan_info(&plan)->rows < 3);
    assert_int_equal(tma_walk(&plan, &c.at, stop_at_third, &seen), 42);
    assert_int_equal(seen, 3);
    seen = 0;
    assert_int_equal(tma_walk_rows(&plan, &c.at, stop_at_third, &seen), 42);
    assert_int_equal(seen, 3);
}

static void null_pointers(void **state) {
    (void)state;
    const tma_position at = {.shared_address = 0};
    const tma_plan plan = {{0}};
    int seen = 0;
    tma_cursor cursor = {{0}};
    tma_run run;
    size_t count = 7;
    assert_int_equal(tma_runs(NULL, 1, &count, &cursor, &plan, &at, NULL), TMA_INVALID);
    assert_int_equal(tma_runs(&run, 0, &count, &cursor, &plan, &at, NULL), TMA_INVALID);
    assert_int_equal(tma_runs(&run, 1, NULL, &cursor, &plan, &at, NULL), TMA_INVALID);
    assert_int_equal(tma_runs(&run, 1, &count, NULL, &plan, &at, NULL), TMA_INVALID);
    assert_int_equal(tma_runs(&run, 1, &count, &cursor, NULL, &at, NULL), TMA_INVALID);
    assert_int_equal(tma_runs(&run, 1, &count, &cursor, &plan, NULL, NULL), TMA_INVALID);
    assert_int_equal(count, 7);
    assert_int_equal(tma_walk(NULL, &at, stop_at_third, &seen), -1);
    assert_int_equal(tma_walk(&plan, NULL, stop_at_third, &seen), -1);
    assert_int_equal(tma_walk(&plan, &at, NULL, &seen), -1);
    assert_int_equal(tma_walk_rows(NULL, &at, stop_at_third, &seen), -1);
    assert_int_equal(seen, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_copies),
        cmocka_unit_test(copies_were_varied),
        cmocka_unit_test(visitor_ends_the_walk),
        cmocka_unit_test(null_pointers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
