/* SPDX-License-Identifier: Apache-2.0
 *
 * Bulk copies without a map and the barriers of loads: both sides of each limit; how PTX says them;
 * the few instructions before such a copy, run here, against judge_bulk.h; what a record says.
 */
#include "support/gen/random.h"
#include "support/ptx_thread.h"
#include "support/testing.h"
#include "tma/judge.h"
#include "tma/judge_record.h"
#include "tma/ptx_check.h"

#define WINDOW_B 0x8000u

struct copy {
    uint64_t address;
    uint32_t op, size_B, shared, barrier;
};

static void put_operands(tma_judge_at *at, uint64_t address, uint32_t size_B) {
    at->coord[TMA_JUDGE_FAR_LOW] = (int32_t)(uint32_t)address;
    at->coord[TMA_JUDGE_FAR_HIGH] = (int32_t)(uint32_t)(address >> 32);
    at->coord[TMA_JUDGE_SIZE] = (int32_t)size_B;
}

static uint32_t rule_of(const struct copy *c, uint64_t *limit) {
    const tma_judge_site site = {.op = c->op, .mode = TMA_JUDGE_BULK};
    tma_judge_fault fault = {0};
    tma_judge_at at = {.shared_address = c->shared, .window_end = WINDOW_B, .barrier = c->barrier};
    put_operands(&at, c->address, c->size_B);
    assert_int_equal(tma_judge_bulk_far(at.coord), c->address);
    const uint32_t status = tma_judge_copy(&fault, NULL, &site, &at);
    assert_int_equal(status == TMA_OK, fault.rule == 0);
    assert_int_equal(tma_judge_bulk(&fault, &site, &at), fault.rule == 0);
    *limit = fault.limit;
    return fault.rule;
}

#define LOAD  TMA_OP_LOAD
#define STORE TMA_OP_STORE
#define FETCH TMA_OP_PREFETCH
#define NONE  TMA_JUDGE_NO_BARRIER

static void both_sides_of_each_limit(void **state) {
    static const struct {
        struct copy copy;
        uint32_t rule;
        uint64_t limit;
    } cases[] = {
        {{0x7f0000000010, LOAD, 256, 0x400, 0x7ff8}, 0, 0},
        {{0x7f0000000010, LOAD, 0, 0x400, 0x7ff8}, 0, 0},
        {{0x7f0000000010, LOAD, 8, 0x400, 0x7ff8}, TMA_RULE_BULK_SIZE, 16},
        {{0x7f0000000010, STORE, 257, 0x400, NONE}, TMA_RULE_BULK_SIZE, 16},
        {{0x7f0000000010, FETCH, 264, 0, NONE}, TMA_RULE_BULK_SIZE, 16},
        {{0x7f0000000010, LOAD, 272, 0x408, 0}, TMA_RULE_BULK_SHARED_ALIGN, 16},
        {{0x7f0000000010, FETCH, 272, 0x408, 0}, 0, 0},
        {{0x7f0000000010, STORE, 272, 0x410, NONE}, 0, 0},
        {{0x7f0000000008, STORE, 272, 0x410, NONE}, TMA_RULE_BULK_FAR_ALIGN, 16},
        {{0x7f0000000001, FETCH, 16, 0, NONE}, TMA_RULE_BULK_FAR_ALIGN, 16},
        {{0x100000000, STORE, 16, 0x7ff0, NONE}, 0, 0},
        {{0x100000000, STORE, 32, 0x7ff0, NONE}, TMA_RULE_MEMORY_SHARED, WINDOW_B},
        {{0x100000000, STORE, 16, 0x8000, NONE}, TMA_RULE_MEMORY_SHARED, WINDOW_B},
        {{0x100000000, STORE, 16, 0x1007ff0, NONE}, 0, 0},
        {{0x100000000, LOAD, 0xfffffff0, 0x20, 0}, TMA_RULE_MEMORY_SHARED, WINDOW_B},
        {{0x100000000, LOAD, 16, 0x20, 4}, TMA_RULE_BARRIER_ALIGN, 8},
        {{0x100000000, LOAD, 16, 0x20, 9}, TMA_RULE_BARRIER_ALIGN, 8},
        {{0x100000000, STORE, 16, 0x20, 9}, 0, 0},
        {{0x100000000, LOAD, 16, 0x20, 0x8000}, TMA_RULE_BARRIER_MEMORY, WINDOW_B},
        {{0x100000000, LOAD, 16, 0x20, 0x2007ff8}, 0, 0},
        {{0x100000000, LOAD, 16, 0x20, NONE}, 0, 0},
    };
    (void)state;
    unsigned seen[TMA_RULE_LIMIT] = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint64_t limit = 0;
        const uint32_t rule = rule_of(&cases[i].copy, &limit);
        if (rule != cases[i].rule || (rule && limit != cases[i].limit)) {
            fail_msg("case %zu: rule %u, limit %u", i, (unsigned)rule, (unsigned)limit);
        }
        seen[rule]++;
    }
    for (uint32_t rule = TMA_RULE_BULK_SIZE; rule <= TMA_RULE_BARRIER_MEMORY; rule++) {
        assert_true(seen[rule] > 0);
    }
}

/* A load by a map: its barrier too. */
static void barriers_of_tensor_loads(void **state) {
    (void)state;
    const tma_judge_site site = {.op = TMA_OP_LOAD};
    tma_judge_fault fault = {0};
    tma_judge_at at = {.window_end = WINDOW_B, .barrier = 0x7ff8};
    assert_int_equal(tma_judge_barrier(&fault, &site, &at), 0);
    at.barrier = 0x7ffc;
    assert_int_equal(tma_judge_barrier(&fault, &site, &at), 1);
    assert_int_equal(fault.rule, TMA_RULE_BARRIER_ALIGN);
    assert_int_equal(fault.status, TMA_TRAP);
    at.barrier = 0x8000;
    assert_int_equal(tma_judge_barrier(&fault, &site, &at), 1);
    assert_int_equal(fault.rule, TMA_RULE_BARRIER_MEMORY);
    assert_int_equal(fault.status, TMA_MEMORY);
    at.window_end = 0; /* nobody knows */
    assert_int_equal(tma_judge_barrier(&fault, &site, &at), 0);
}

#define TO_HERE   "shared::cluster.global.mbarrier::complete_tx::bytes"
#define FROM_HERE "global.shared::cta.bulk_group"

static int read_copy(tma_ptx_statement *s, tma_ptx_span *opcode, const char *text,
                     const char **lacks) {
    tma_ptx_reader reader = tma_ptx_reader_of(text, strlen(text));
    tma_ptx_piece piece;
    tma_ptx_parts parts;
    assert_true(tma_ptx_next(&reader, &piece));
    assert_int_equal(tma_ptx_split(&parts, &piece), 0);
    *opcode = parts.opcode;
    return tma_ptx_bulk_of(s, &parts, lacks);
}

static void how_ptx_says_them(void **state) {
    static const struct {
        const char *text;
        int is_copy, is_left;
        uint32_t op;
        const char *far, *shared;
    } cases[] = {
        {"cp.async.bulk." TO_HERE " [%r1], [%d1], %r2, [%r3];", 1, 0, LOAD, "%d1", "%r1"},
        {"@!%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint "
         "[%r1], "
         "[%d1+16], 64, [%r3], %d2;",
         1, 0, LOAD, "%d1", "%r1"},
        {"cp.async.bulk." TO_HERE ".multicast::cluster [%r1], [%d1], %r2, [%r3], %h1;", 1, 0, LOAD,
         "%d1", "%r1"},
        {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], 16, "
         "[%r3];",
         1, 0, LOAD, "%r1", "%r2"},
        {"cp.async.bulk." FROM_HERE " [%d1], [%r1], %r2;", 1, 0, STORE, "%d1", "%r1"},
        {"cp.async.bulk." FROM_HERE ".cp_mask [%d1], [%r1], %r2, %h1;", 1, 0, STORE, "%d1", "%r1"},
        {"cp.reduce.async.bulk." FROM_HERE ".add.noftz.bf16 [%d1], [%r1], 32;", 1, 0, STORE, "%d1",
         "%r1"},
        {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.inc.u32 "
         "[%r1], [%r2], 16, [%r3];",
         1, 0, LOAD, "%r1", "%r2"},
        {"cp.async.bulk.prefetch.L2.global [%d1], %r2;", 1, 0, FETCH, "%d1", NULL},
        {"cp.async.bulk." TO_HERE ".ignore_oob [%r1], [%d1], %r2, [%r3], %r4, %r5;", 1, 1, LOAD,
         NULL, NULL},
        {"cp.async.bulk." FROM_HERE " [%d1], [%r1], 4*4;", 1, 1, STORE, NULL, NULL},
        {"cp.async.bulk." FROM_HERE " [4096], [%r1], 16;", 1, 1, STORE, NULL, NULL},
        {"cp.async.bulk.tensor.1d." FROM_HERE " [%d1, {0}], [%r6];", 0, 0, 0, NULL, NULL},
        {"cp.async.bulk.commit_group;", 0, 0, 0, NULL, NULL},
        {"cp.async.bulk.wait_group.read 0;", 0, 0, 0, NULL, NULL},
        {"cp.async.ca.shared.global [%r1], [%d1], 16;", 0, 0, 0, NULL, NULL},
        {"st.bulk.weak.shared::cta [%r1], 64, 0;", 0, 0, 0, NULL, NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *lacks = NULL;
        tma_ptx_span opcode;
        tma_ptx_statement s;
        const int is_copy = read_copy(&s, &opcode, cases[i].text, &lacks);
        if (is_copy != cases[i].is_copy || (lacks != NULL) != cases[i].is_left) {
            fail_msg("%s: %d, %s", cases[i].text, is_copy, lacks ? lacks : "not left");
        }
        if (cases[i].far) {
            assert_int_equal(s.in.op, cases[i].op);
            assert_memory_equal(s.map.name, cases[i].far, s.map.length);
        }
        if (cases[i].shared) {
            assert_memory_equal(s.shared.name, cases[i].shared, s.shared.length);
        }
    }
}

/* Whether the check before a copy lets it pass. */
static int passes(const char *text, uint32_t on_fault, const struct copy *c, uint32_t window_B) {
    static char written[1 << 14];
    tma_ptx_statement s;
    tma_ptx_check check = {.statement = &s,
                           .version = 86,
                           .shared_bits = 32,
                           .barrier_bits = 32,
                           .far_bits = 64,
                           .pass = TMA_PTX_CHECK_NO_PASS,
                           .next = TMA_PTX_CHECK_LAST,
                           .on_fault = on_fault};
    const char *lacks = NULL;
    struct ptx_thread t = {.count = 0};
    tma_out out = tma_out_into(written, sizeof(written));
    assert_true(read_copy(&s, &check.opcode, text, &lacks) && !lacks);
    check.inlined = on_fault == TMA_PTX_CHECK_RECORD ? 0 : TMA_PTX_CHECK_CALLED;
    ptx_thread_set(&t, "%d1", c->address);
    ptx_thread_set(&t, "%r1", c->shared);
    ptx_thread_set(&t, "%r2", c->size_B);
    ptx_thread_set(&t, "%r3", c->barrier);
    ptx_thread_set(&t, "%aggr_smem_size", window_B);
    ptx_thread_set(&t, "libtma_at", 0);
    ptx_thread_set(&t, "libtma_checker_site_0", 0);
    tma_ptx_check_put_check(&out, &check);
    assert_true(out.length < sizeof(written));
    return !ptx_thread_run(&t, written);
}

/* Mostly one that keeps all rules, near their limits. */
static struct copy random_copy(struct random_source *r, uint32_t op) {
    const uint32_t off = random_below(r, 4) ? 0 : (uint32_t)random_below(r, 16);
    struct copy c = {.address = random_u64(r) << 4 | (random_below(r, 8) ? 0 : 8),
                     .op = op,
                     .size_B = (uint32_t)random_below(r, WINDOW_B / 8) * 16 + off,
                     .shared = (uint32_t)random_below(r, WINDOW_B / 16 + 4) * 16,
                     .barrier = (uint32_t)random_below(r, WINDOW_B / 8 + 4) * 8};
    c.shared += random_below(r, 8) ? 0 : 4;
    c.shared |= random_below(r, 2) ? 0 : 0x01000000u;
    c.barrier += random_below(r, 8) ? 0 : 4;
    c.size_B = random_below(r, 16) ? c.size_B : (uint32_t)random_u64(r) & ~15u;
    return c;
}

static void the_instructions_before_a_copy(void **state) {
    static const struct {
        const char *text;
        uint32_t op;
    } forms[] = {{"cp.async.bulk." TO_HERE " [%r1], [%d1], %r2, [%r3];", LOAD},
                 {"cp.async.bulk." FROM_HERE " [%d1], [%r1], %r2;", STORE},
                 {"cp.async.bulk.prefetch.L2.global [%d1], %r2;", FETCH}};
    (void)state;
    struct random_source r = {2711};
    unsigned kept = 0;
    unsigned broken = 0;
    for (unsigned i = 0; i < 6000; i++) {
        const size_t form = i % COUNT_OF(forms);
        const struct copy c = random_copy(&r, forms[form].op);
        uint64_t limit = 0;
        const int runs = rule_of(&c, &limit) == 0;
        for (uint32_t way = 0; way < 2; way++) {
            const uint32_t on_fault = way ? TMA_PTX_CHECK_RECORD : TMA_PTX_CHECK_ASSERT;
            if (passes(forms[form].text, on_fault, &c, WINDOW_B - 100) != runs) {
                fail_msg("%s: address 0x%llx size %u shared 0x%x barrier 0x%x: %s",
                         forms[form].text, (unsigned long long)c.address, (unsigned)c.size_B,
                         (unsigned)c.shared, (unsigned)c.barrier, runs ? "stopped" : "let through");
            }
        }
        kept += (unsigned)runs;
        broken += (unsigned)!runs;
    }
    assert_true(kept > 1000 && broken > 1000);
}

static void what_a_record_says(void **state) {
    char text[2048];
    tma_judge_record r = {.op = TMA_OP_LOAD,
                          .mode = TMA_JUDGE_BULK,
                          .coord = {0x1010, 0x7f, 264},
                          .shared_address = 0x400,
                          .barrier = 0x8,
                          .window_end = 0x8000,
                          .opcode = "cp.async.bulk.shared::cluster.global"};
    (void)state;
    tma_judge_record_text(text, sizeof(text), &r);
    assert_string_equal(
        text,
        "libtma: bulk-size: size = 264, must be a multiple of 16 B: the size of a bulk copy is "
        "a multiple of 16 bytes; else only the whole units of 16 bytes are moved, and a barrier "
        "that expects the size waits for ever\n"
        "  cp.async.bulk.shared::cluster.global: address 0x7f00001010, size 264 B, shared 0x400, "
        "mbar 0x8\n");
    r.coord[TMA_JUDGE_SIZE] = 256;
    r.barrier = 0xC;
    tma_judge_record_text(text, sizeof(text), &r);
    assert_non_null(strstr(text, "libtma: barrier-align: mbar = 0xc, must be a multiple of 8 B: "));
    r.op = TMA_OP_STORE;
    r.shared_address = 0x8000;
    tma_judge_record_text(text, sizeof(text), &r);
    assert_memory_equal(
        text, "libtma: memory-shared: a byte's shared address = 0x80ff, must be below 0x8000", 77);
    assert_null(strstr(text, "mbar"));
    assert_null(strstr(text, "tma decode"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_of_each_limit),
        cmocka_unit_test(barriers_of_tensor_loads),
        cmocka_unit_test(how_ptx_says_them),
        cmocka_unit_test(the_instructions_before_a_copy),
        cmocka_unit_test(what_a_record_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
