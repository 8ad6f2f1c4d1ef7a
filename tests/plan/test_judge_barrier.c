/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a barrier was ever initialised: what PTX says of it, the instructions of the check run on
 * a barrier's word (tma/barrier.h), and the record's words.
 */
#include "support/testing.h"

#include "support/gen/random.h"
#include "support/ptx_thread.h"
#include <tma/barrier.h>
#include <tma/judge.h>
#include <tma/judge_record.h>
#include <tma/ptx_check.h>

#define AT         0x408u
#define MOST_ASKED 64

static int read_expect(tma_ptx_statement *s, const char *text) {
    tma_ptx_reader reader = tma_ptx_reader_of(text, strlen(text));
    tma_ptx_piece piece;
    tma_ptx_parts parts;
    assert_true(tma_ptx_next(&reader, &piece));
    assert_int_equal(tma_ptx_split(&parts, &piece), 0);
    return tma_ptx_expect_of(s, &parts);
}

static void how_ptx_says_them(void **state) {
    static const struct {
        const char *text, *barrier;
        int64_t added;
    } cases[] = {
        {"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 4096;", "%r3", 0},
        {"@%p4 mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %d1, [%r3+8], %r2;", "%r3", 8},
        {"mbarrier.arrive_drop.expect_tx.shared.b64 _, [bar], 16;", "bar", 0},
        {"@!%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3], %r2;", "%r3", 0},
        {"mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r3], %r2;", NULL, 0},
        {"mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r3], 16;", NULL, 0},
        {"mbarrier.arrive.expect_tx.release.cta.b64 _, [%d3], 16;", NULL, 0},
        {"mbarrier.arrive.shared::cta.b64 _, [%r3];", NULL, 0},
        {"mbarrier.complete_tx.shared::cta.b64 [%r3], 16;", NULL, 0},
        {"mbarrier.init.shared::cta.b64 [%r3], 16;", NULL, 0},
        {"mbarrier.arrive.expect_tx.shared::cta.b64 _, %r3, 16;", NULL, 0},
        {"cp.async.bulk.commit_group;", NULL, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        tma_ptx_statement s;
        const int is = read_expect(&s, cases[i].text);
        if (is != (cases[i].barrier != NULL)) {
            fail_msg("%s: %d", cases[i].text, is);
        }
        if (is) {
            assert_int_equal(s.in.mode, TMA_JUDGE_BARRIER);
            assert_int_equal(s.barrier.value, cases[i].added);
            assert_int_equal(s.barrier.length, strlen(cases[i].barrier));
            assert_memory_equal(s.barrier.name, cases[i].barrier, s.barrier.length);
            assert_int_equal(s.guard.length != 0, cases[i].text[0] == '@');
            assert_int_equal(s.negated, cases[i].text[1] == '!');
        }
    }
}

/* --- the instructions --- */

struct machine {
    struct ptx_thread thread;
    tma_barrier barrier;
    unsigned looked;
    uint32_t others_B; /* which another thread expects after the first look */
};

static void barrier_line(struct machine *m, const char *line) {
    unsigned bytes_B = 0;
    if (strncmp(line, "@%libtma_p ", 11) == 0) {
        if (!ptx_thread_get(&m->thread, "%libtma_p")) {
            return;
        }
        line += 11;
    }
    if (sscanf(line, "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%%libtma_b], %u;",
               &bytes_B) == 1) {
        assert_int_equal(tma_barrier_apply(&m->barrier, TMA_BARRIER_COMPLETE, 0, bytes_B), 0);
        return;
    }
    if (sscanf(line, "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%%libtma_b], %u;",
               &bytes_B) == 1) {
        assert_int_equal(tma_barrier_apply(&m->barrier, TMA_BARRIER_EXPECT, 0, bytes_B), 0);
        return;
    }
    assert_string_equal(line, "mbarrier.arrive.shared.b64 %libtma_map, [%libtma_b], %libtma_w0;");
    assert_int_equal(ptx_thread_get(&m->thread, "%libtma_w0"), 0);
    assert_int_equal(ptx_thread_get(&m->thread, "%libtma_b"), AT);
    ptx_thread_set(&m->thread, "%libtma_map",
                   tma_barrier_word(&m->barrier) & ~UINT64_C(0xFFFFFFFF));
    if (!m->looked++ && m->others_B) {
        assert_int_equal(tma_barrier_apply(&m->barrier, TMA_BARRIER_EXPECT, 0, m->others_B), 0);
    }
}

/* Whether it comes to what ends the kernel. */
static int ends(struct machine *m, const char *guard, uint32_t on_fault) {
    static char written[1 << 13];
    char text[128];
    tma_ptx_statement s;
    tma_ptx_check check = {.statement = &s,
                           .version = 86,
                           .barrier_bits = 32,
                           .pass = TMA_PTX_CHECK_NO_PASS,
                           .next = TMA_PTX_CHECK_LAST,
                           .inlined = on_fault == TMA_PTX_CHECK_RECORD ? 0 : TMA_PTX_CHECK_CALLED,
                           .on_fault = on_fault};
    tma_out out = tma_out_into(written, sizeof(written));
    snprintf(text, sizeof(text), "%smbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r3], 16;",
             guard);
    assert_true(read_expect(&s, text));
    tma_ptx_check_put_check(&out, &check);
    assert_true(out.length < sizeof(written));
    m->looked = 0;
    char *next = NULL;
    for (char *line = written; line; line = next) {
        next = strchr(line, '\n');
        if (next) {
            *next++ = 0;
        }
        if (strncmp(line, "bra $libtma_cold_0;", 19) == 0 || strncmp(line, "call ", 5) == 0) {
            return 1;
        }
        if (strcmp(line, "@!%libtma_go bra $libtma_0;") == 0) {
            if (!ptx_thread_get(&m->thread, "%libtma_go")) {
                return 0;
            }
        } else if (strcmp(line, "@%libtma_p bra $libtma_0;") == 0) {
            if (ptx_thread_get(&m->thread, "%libtma_p")) {
                return 0;
            }
        } else if (strstr(line, "mbarrier.")) {
            barrier_line(m, line);
        } else {
            ptx_thread_run(&m->thread, line);
        }
    }
    fail_msg("the check has no end");
    return 0;
}

static void begin(struct machine *m, uint64_t word) {
    memset(m, 0, sizeof(*m));
    tma_barrier_read(&m->barrier, word);
    ptx_thread_set(&m->thread, "%r3", AT);
    ptx_thread_set(&m->thread, "%total_smem_size", 232448);
    ptx_thread_set(&m->thread, "%aggr_smem_size", 232448);
    ptx_thread_set(&m->thread, "%libtma_asked", 0);
    ptx_thread_set(&m->thread, "%libtma_w1", 0);
    ptx_thread_set(&m->thread, "libtma_at", 0);
    ptx_thread_set(&m->thread, "libtma_checker_site_0", 0);
}

static void words_that_no_init_made(void **state) {
    static const uint32_t ways[] = {TMA_PTX_CHECK_RECORD, TMA_PTX_CHECK_ASSERT};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        struct machine m;
        begin(&m, 0);
        assert_int_equal(ends(&m, "", ways[i]), 1);
        assert_int_equal(m.looked, 3);
        begin(&m, UINT64_C(1) << 63);
        assert_int_equal(ends(&m, "", ways[i]), 1);
        begin(&m, 0x1ffffe); /* a count, and nothing else: no phase is open */
        assert_int_equal(ends(&m, "", ways[i]), 1);
    }
}

static void who_does_not_ask(void **state) {
    (void)state;
    struct machine m;
    begin(&m, 0);
    ptx_thread_set(&m.thread, "%p1", 0);
    assert_int_equal(ends(&m, "@%p1 ", TMA_PTX_CHECK_RECORD), 0);
    assert_int_equal(ends(&m, "@!%p1 ", TMA_PTX_CHECK_RECORD), 1);
    ptx_thread_set(&m.thread, "%p1", 1);
    assert_int_equal(ends(&m, "@!%p1 ", TMA_PTX_CHECK_RECORD), 0);
    assert_int_equal(m.looked, 0);
    begin(&m, tma_barrier_word(&(tma_barrier){.count = 1, .arrivals_missing = 1}));
    for (unsigned i = 0; i < MOST_ASKED; i++) {
        assert_int_equal(ends(&m, "", TMA_PTX_CHECK_RECORD), 0);
        assert_int_equal(m.looked, 1);
    }
    assert_int_equal(ends(&m, "", TMA_PTX_CHECK_RECORD), 0);
    assert_int_equal(m.looked, 0);
}

/* Barriers at any moment of their lives, those above all that lack no arrival. */
static void no_barrier_that_lives(void **state) {
    static const uint32_t bytes_B[] = {1, 16, 2032, 2046, 2047, 2048, 2049, 16384, 1 << 19};
    static const tma_barrier_operation operations[] = {
        TMA_BARRIER_ARRIVE, TMA_BARRIER_EXPECT, TMA_BARRIER_COMPLETE, TMA_BARRIER_ARRIVE_EXPECT};
    (void)state;
    struct random_source r = {2713};
    unsigned without_arrivals = 0;
    unsigned more_than_expected = 0;
    for (unsigned i = 0; i < 20000; i++) {
        tma_barrier b;
        struct machine m;
        assert_true(tma_barrier_init(&b, 1 + (uint32_t)random_below(&r, 3)));
        for (uint64_t steps = random_below(&r, 6); steps; steps--) {
            (void)tma_barrier_apply(&b, operations[random_below(&r, COUNT_OF(operations))], 1,
                                    bytes_B[random_below(&r, COUNT_OF(bytes_B))]);
        }
        const uint64_t word = tma_barrier_word(&b);
        begin(&m, word);
        if (ends(&m, "", TMA_PTX_CHECK_RECORD)) {
            fail_msg("%016llx", (unsigned long long)word);
        }
        assert_true(tma_barrier_word(&m.barrier) == word); /* as it was */
        without_arrivals += !b.arrivals_missing;
        more_than_expected +=
            !b.arrivals_missing && b.bytes_missing_B < 0 && b.bytes_missing_B > -2048;
    }
    assert_true(without_arrivals > 1000 && more_than_expected > 100);
}

/* A phase without arrivals, for which more is expected between two looks; one byte more than came
 * would end it. */
static void one_that_others_use_meanwhile(void **state) {
    (void)state;
    for (uint32_t others_B = 18; others_B < 4096; others_B += 13) {
        struct machine m;
        begin(&m, tma_barrier_word(&(tma_barrier){.count = 1, .bytes_missing_B = -16}));
        m.others_B = others_B;
        assert_int_equal(ends(&m, "", TMA_PTX_CHECK_RECORD), 0);
        assert_int_equal(m.barrier.bytes_missing_B, others_B - 16);
        assert_int_equal(m.barrier.parity, 0);
    }
}

static void what_a_record_says(void **state) {
    char text[2048];
    tma_judge_record r = {.op = TMA_OP_LOAD,
                          .mode = TMA_JUDGE_BARRIER,
                          .barrier = AT,
                          .opcode = "mbarrier.arrive.expect_tx.shared::cta.b64"};
    (void)state;
    tma_judge_record_text(text, sizeof(text), &r);
    assert_memory_equal(
        text,
        "libtma: barrier-uninitialised: mbar = 0x408: an mbarrier is initialised by mbarrier.init",
        88);
    assert_non_null(strstr(text, "\n  mbarrier.arrive.expect_tx.shared::cta.b64: mbar 0x408\n"));
    assert_null(strstr(text, "tma decode"));
    r.coord[TMA_JUDGE_STATE] = 0x7ffff800;
    tma_judge_record_text(text, sizeof(text), &r);
    assert_non_null(strstr(text, "breaks no rule"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(how_ptx_says_them),
        cmocka_unit_test(words_that_no_init_made),
        cmocka_unit_test(who_does_not_ask),
        cmocka_unit_test(no_barrier_that_lives),
        cmocka_unit_test(one_that_others_use_meanwhile),
        cmocka_unit_test(what_a_record_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
