/* SPDX-License-Identifier: Apache-2.0
 *
 * The mbarrier's word: those that an H200's core dumps showed, every word and back, and the
 * operations beside an oracle that works on the word itself, as a counter with carries.
 */
#include "support/testing.h"

#include "support/gen/random.h"
#include <tma/tma.h>

static const struct captured {
    uint64_t word;
    uint32_t count, arrivals, parity;
    int32_t bytes;
} captured[] = {
    /* hangs made on purpose */
    {0x7ffff3f6001ffffa, 3, 2, 0, 0x5000},
    {0x7ffff800001ffffe, 1, 1, 0, 0},
    {0x000003f8001ffffe, 1, 0, 0, 16384},
    {0x7ffff800001ffffc, 2, 1, 0, 0},
    {0x7ffff808001ffffe, 1, 1, 0, -16384},
    {0x7fffe000001ffff8, 4, 4, 0, 0},
    /* arrivals of 2^20 - 2, then one, then one of the next phase */
    {0x8000100000000002, 0xFFFFF, 0xFFFFE, 1, 0},
    {0xfffff000001ffffc, 2, 2, 1, 0},
};

static void captured_words_are_read(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(captured) / sizeof(captured[0]); i++) {
        tma_barrier b;
        tma_barrier_read(&b, captured[i].word);
        assert_int_equal(b.count, captured[i].count);
        assert_int_equal(b.arrivals_missing, captured[i].arrivals);
        assert_int_equal(b.bytes_missing_B, captured[i].bytes);
        assert_int_equal(b.parity, captured[i].parity);
        assert_int_equal(b.error, 0);
        assert_true(tma_barrier_is_likely(captured[i].word));
        assert_true(tma_barrier_waits(&b, captured[i].parity));
        assert_false(tma_barrier_waits(&b, captured[i].parity ^ 1));
    }
}

/* The word of a killed kernel, of a count of 0, and memory that is no barrier. */
static void other_words_are_told_apart(void **state) {
    (void)state;
    tma_barrier b;
    tma_barrier_read(&b, 0x7ffff5fffffffffa);
    assert_int_equal(b.error, 1);
    assert_int_equal(b.arrivals_missing, 2);
    assert_int_equal(b.bytes_missing_B, -0xFFFFF);
    static const uint64_t none[] = {0,
                                    1,
                                    UINT64_MAX,
                                    0x0000040000000000,
                                    0x8000000000000000,
                                    0x3f8000003f800000,
                                    0x1122334455667788,
                                    0x00000000001ffffe};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        assert_false(tma_barrier_is_likely(none[i]));
    }
}

static void every_word_comes_back(void **state) {
    (void)state;
    struct random_source r = {28};
    for (int i = 0; i < 1000000; i++) {
        const uint64_t word = random_u64(&r);
        tma_barrier b;
        tma_barrier_read(&b, word);
        assert_true(tma_barrier_word(&b) == word);
    }
}

static void fields_cover_the_word(void **state) {
    (void)state;
    uint32_t bit = 0;
    size_t i = 0;
    for (const tma_barrier_field *f; (f = tma_barrier_field_at(i)); i++) {
        assert_int_equal(f->bit, bit);
        bit += f->width_bit;
        assert_true(*f->name && *f->meaning && *f->evidence);
    }
    assert_int_equal(bit, 64);
}

static void counts_have_limits(void **state) {
    (void)state;
    tma_barrier b;
    assert_false(tma_barrier_init(&b, 0));
    assert_true(tma_barrier_init(&b, 1));
    assert_true(tma_barrier_init(&b, 0xFFFFF));
    assert_false(tma_barrier_init(&b, 0x100000));
    assert_int_equal(b.count, 0xFFFFF);
}

static tma_barrier_death apply(tma_barrier *b, tma_barrier_operation operation, uint32_t n) {
    return tma_barrier_apply(b, operation, n, n);
}

/* What killed an H200's kernel, and its neighbour that did not. */
static void deaths_as_seen(void **state) {
    (void)state;
    tma_barrier b;
    assert_true(tma_barrier_init(&b, 1));
    assert_int_equal(apply(&b, TMA_BARRIER_ARRIVE, 2), TMA_BARRIER_DIES_ARRIVALS);
    assert_int_equal(tma_barrier_apply(&b, TMA_BARRIER_ARRIVE_EXPECT, 1, 0x4000),
                     TMA_BARRIER_LIVES);
    assert_int_equal(tma_barrier_apply(&b, TMA_BARRIER_ARRIVE_EXPECT, 1, 0x4000),
                     TMA_BARRIER_DIES_ARRIVALS);
    assert_int_equal(b.bytes_missing_B, 0x4000);
    assert_true(tma_barrier_init(&b, 2));
    assert_int_equal(apply(&b, TMA_BARRIER_EXPECT, 0xFFFFF), TMA_BARRIER_LIVES);
    assert_int_equal(apply(&b, TMA_BARRIER_EXPECT, 1), TMA_BARRIER_LIVES);
    assert_int_equal(apply(&b, TMA_BARRIER_EXPECT, 1), TMA_BARRIER_DIES_EXPECTED);
    assert_true(tma_barrier_init(&b, 3));
    assert_int_equal(apply(&b, TMA_BARRIER_COMPLETE, 0xFFFFF), TMA_BARRIER_LIVES);
    assert_int_equal(apply(&b, TMA_BARRIER_COMPLETE, 1), TMA_BARRIER_DIES_CAME);
    assert_true(tma_barrier_init(&b, 2)); /* the last thread dropped out */
    assert_int_equal(apply(&b, TMA_BARRIER_ARRIVE_DROP, 2), TMA_BARRIER_LIVES);
    assert_true(tma_barrier_word(&b) == 0x8000000000000000);
    assert_int_equal(apply(&b, TMA_BARRIER_ARRIVE, 1), TMA_BARRIER_DIES_ARRIVALS);
    assert_string_equal(tma_barrier_death_text(TMA_BARRIER_DIES_ARRIVALS),
                        "more arrivals than were missing");
    assert_string_equal(tma_barrier_operation_name(TMA_BARRIER_EXPECT), "mbarrier.expect_tx");
    assert_string_equal(tma_barrier_operation_name(TMA_BARRIER_OPERATIONS), "");
    assert_string_equal(tma_barrier_death_text(TMA_BARRIER_DEATHS), "");
}

/* The unit as a counter: arrivals add upwards into the parity's bit, bytes add in 21 bits. */
static uint64_t counted(uint64_t word, uint64_t arrivals, uint64_t drops, int64_t bytes) {
    const uint64_t tx = UINT64_C(0x1FFFFF) << 21;
    const uint64_t sum = (word & tx) - ((uint64_t)bytes << 21);
    const uint64_t stored = word >> 43 & 0xFFFFF; /* 0: full, the carry waits for the bytes */
    uint64_t pending = (stored ? stored : 0x100000) + arrivals;
    word = (word & ~tx) | (sum & tx);
    word = (word & ~UINT64_C(0x1FFFFE)) | ((word + drops * 2) & UINT64_C(0x1FFFFE));
    if (pending == 0x100000 && !(word & tx)) {
        word ^= UINT64_C(1) << 63;
        pending = word >> 1 & 0xFFFFF;
    }
    return (word & ~(UINT64_C(0xFFFFF) << 43)) | (pending & 0xFFFFF) << 43;
}

static void operations_are_a_counter(void **state) {
    (void)state;
    struct random_source r = {29};
    uint64_t word = 0;
    tma_barrier b = {0};
    for (int i = 0; i < 1000000; i++) {
        if (i % 50 == 0 || b.count == 0) {
            assert_true(tma_barrier_init(&b, 1 + random_below(&r, i & 1 ? 6 : 0xFFFFF)));
            word = tma_barrier_word(&b);
        }
        static const uint32_t arrives[] = {1, 1, 1, 1, 1, 1, 0, 0},
                              drops[] = {0, 0, 1, 1, 0, 1, 0, 0};
        static const int32_t bytes[] = {0, 0, 0, 0, 1, 1, 1, -1};
        const uint32_t operation = random_below(&r, TMA_BARRIER_OPERATIONS);
        const uint32_t n = random_below(&r, b.arrivals_missing + 1);
        const uint32_t more = random_below(&r, 3)     ? random_below(&r, 0x4000)
                              : b.bytes_missing_B > 0 ? (uint32_t)b.bytes_missing_B
                                                      : 0;
        if (tma_barrier_apply(&b, (tma_barrier_operation)operation, n, more) == TMA_BARRIER_LIVES) {
            word = counted(word, arrives[operation] * (uint64_t)n, drops[operation] * (uint64_t)n,
                           bytes[operation] * (int64_t)more);
        }
        assert_true(tma_barrier_word(&b) == word);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captured_words_are_read),  cmocka_unit_test(other_words_are_told_apart),
        cmocka_unit_test(every_word_comes_back),    cmocka_unit_test(fields_cover_the_word),
        cmocka_unit_test(counts_have_limits),       cmocka_unit_test(deaths_as_seen),
        cmocka_unit_test(operations_are_a_counter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
