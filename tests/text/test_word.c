/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of 64 bits: which are an mbarrier's or a matrix descriptor's, alone, beside words that name
 * a kind, and in a text; and how few of any others are taken for one.
 */
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

#include "support/gen/random.h"
#include "tma/word.h"

#define BARRIER (1u << TMA_WORD_BARRIER)
#define WGMMA   (1u << TMA_WORD_WGMMA)
#define TCGEN05 (1u << TMA_WORD_TCGEN05)

static const struct {
    uint64_t word;
    uint32_t kinds;
    const char *says; /* of the lowest kind */
} known[] = {
    {0x000003f8001ffffe, BARRIER,
     "16384 B missing and no arrival; phase parity 0 is open: a wait for parity 0 waits, one for "
     "parity 1 does not"},
    {0x7ffff808001ffffe, BARRIER, NULL}, /* captured on an H200: tests/map/test_barrier.c */
    {0x4000004000010040, WGMMA,
     "start 0x400, leading 16 B, stride 1024 B, base offset 0, swizzle 128B"},
    {0x4000404000010040, TCGEN05, /* version 1 */
     "start 0x400, leading 16 B, stride 1024 B, base offset 0, swizzle 128B"},
    {0x0000004000010040, 0, NULL}, /* no swizzle */
    {0x4000004000018040, 0, NULL}, /* a bit that no field has */
    {0x4000000000000040, 0, NULL}, /* no offset */
    {0x40003fff00010040, 0, NULL}, /* an offset beyond shared memory */
    {0x7ffd3ad8c300, 0, NULL},     /* addresses */
    {0x7f1e4a000000, 0, NULL},
    {0x302000000, 0, NULL},
    {0x1fffffffe, 0, NULL}, /* all arrivals there and more bytes than expected */
    {0x6ffffffe, 0, NULL},
    {0, 0, NULL},
    {UINT64_MAX, 0, NULL},
    {0x7ffff5fffffffffa, 0, NULL}, /* a barrier of a killed kernel */
};

static void known_words(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        char says[256] = "";
        tma_out out = tma_out_into(says, sizeof(says));
        assert_int_equal(tma_word_kinds(known[i].word), known[i].kinds);
        for (uint32_t kind = TMA_WORD_KINDS; kind-- > 0 && known[i].says;) {
            if (known[i].kinds >> kind & 1) {
                tma_word_put(&out, known[i].word, kind);
                assert_string_equal(says, known[i].says);
            }
        }
    }
}

static uint32_t near(uint64_t word, const char *text) {
    return tma_word_kinds_near(word, text, strlen(text));
}

static void words_beside_a_word(void **state) {
    (void)state;
    assert_int_equal(near(0x0000004000010040, "smem_desc ="), WGMMA);
    assert_int_equal(near(0x0000004000010040, "TMA Desc Addr:"), 0);
    assert_int_equal(near(0x302000000, "tensor map desc ="), 0);
    assert_int_equal(near(0x0000004000010040, "mbarrier"), BARRIER);
    assert_int_equal(near(0x4000004000010040, "MBAR"), BARRIER);
    assert_int_equal(near(0x000003f8001ffffe, "descriptor"), 0);
    assert_int_equal(near(0x000003f8001ffffe, "barrier and descriptor"), BARRIER);
    assert_int_equal(tma_word_kinds_near(0x000003f8001ffffe, NULL, 0), BARRIER);
}

static void note(void *context, const tma_word *found) {
    char *to = context;
    snprintf(to + strlen(to), 64, "%zu:%llx ", found->line, (unsigned long long)found->word);
}

static void words_in_a_text(void **state) {
    (void)state;
    static const char text[] = "a 0x000003f8001ffffe,0x4000004000010040ULL\n0x000003f8001ffffe_x "
                               "x0x000003f8001ffffe 0x0000000003f8001ffffe 0x001ffffe\n\n"
                               "(0X3F8001FFFFE)0x";
    char found[512] = "";
    assert_int_equal(tma_word_read(text, sizeof(text) - 1, note, found), 3);
    assert_string_equal(found, "1:3f8001ffffe 1:4000004000010040 4:3f8001ffffe ");
    assert_int_equal(tma_word_read(text, 0, note, found), 0);
    assert_int_equal(tma_word_read(NULL, 9, note, found), 0);
}

static void few_random_words_pass(void **state) {
    (void)state;
    struct random_source r = {32};
    size_t passed = 0;
    for (int i = 0; i < 1000000; i++) {
        passed += tma_word_kinds(random_u64(&r)) != 0;
    }
    assert_in_range(passed, 1, 40); /* 14 are to be expected */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_words),
        cmocka_unit_test(words_beside_a_word),
        cmocka_unit_test(words_in_a_text),
        cmocka_unit_test(few_random_words_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
