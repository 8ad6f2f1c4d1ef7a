/* SPDX-License-Identifier: Apache-2.0
 *
 * Text on its way out, held against snprintf: every conversion that the header names, every size of
 * buffer, and the function that takes pieces.
 */
#include "support/testing.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tma/text.h"

static void expect_same(const char *expected, const char *got, size_t size, const tma_out *out) {
    char cut[256];
    snprintf(cut, size ? size : 1, "%s", expected);
    assert_int_equal(out->length, strlen(expected));
    assert_true(size == 0 || strcmp(got, cut) == 0);
    assert_int_equal(got[size], '#');
}

/* The same through tma_putf() and snprintf(), into buffers of every size. */
#define EXPECT_AS_PRINTF(...)                                                                      \
    do {                                                                                           \
        char expected[256];                                                                        \
        char got[256];                                                                             \
        snprintf(expected, sizeof(expected), __VA_ARGS__);                                         \
        for (size_t size = 0; size <= strlen(expected) + 2; size++) {                              \
            memset(got, '#', sizeof(got));                                                         \
            tma_out out = tma_out_into(got, size);                                                 \
            tma_putf(&out, __VA_ARGS__);                                                           \
            expect_same(expected, got, size, &out);                                                \
        }                                                                                          \
    } while (0)

static void text_is_printfs(void **state) {
    (void)state;
    EXPECT_AS_PRINTF("plain");
    EXPECT_AS_PRINTF("%s|%10s|%-10s|%.3s|%.*s", "one", "two", "three", "fourth", 2, "fifth");
    EXPECT_AS_PRINTF("%c%c%3c%-3c|", 'a', 'b', 'c', 'd');
    EXPECT_AS_PRINTF("100%% %u%%", 7u);
}

static void numbers_are_printfs(void **state) {
    (void)state;
    EXPECT_AS_PRINTF("%u %u %5u %-5u| %05u", 0u, UINT_MAX, 42u, 42u, 42u);
    EXPECT_AS_PRINTF("%d %d %d %5d %-5d|", 0, INT_MAX, INT_MIN, -42, -42);
    EXPECT_AS_PRINTF("%x %08x %zx", 0xabcu, 0xabcu, (size_t)0xdef);
    EXPECT_AS_PRINTF("%" PRIu64 " %" PRId64 " %" PRIx64, UINT64_MAX, INT64_MIN, UINT64_MAX);
}

static void long_numbers_are_printfs(void **state) {
    (void)state;
    EXPECT_AS_PRINTF("%016" PRIx64 "|%*s|%zu", UINT64_C(0x1234), 7, "", (size_t)-1);
    EXPECT_AS_PRINTF("%llu %lld %lu %ld", ULLONG_MAX, LLONG_MIN, ULONG_MAX, LONG_MIN);
}

static void sixty_four_bits_have_letters(void **state) {
    char text[80];
    (void)state;
    tma_out out = tma_out_into(text, sizeof(text));
    tma_putf(&out, "%" TMA_U64 " %" TMA_D64 " %" TMA_X64, UINT64_MAX, INT64_MIN, UINT64_MAX);
    assert_string_equal(text, "18446744073709551615 -9223372036854775808 ffffffffffffffff");
}

static void collect(void *context, const char *text, size_t length) {
    strncat(context, text, length);
}

static void pieces_are_handed_on(void **state) {
    char text[80] = "";
    (void)state;
    tma_out out = tma_out_to(collect, text);
    tma_put(&out, "a");
    tma_putf(&out, "-%03u-", 7u);
    tma_put_bytes(&out, "bcd", 2);
    tma_put_hex_bytes(&out, "\x00\xff\x1e", 3);
    assert_string_equal(text, "a-007-bc00ff1e");
    assert_int_equal(out.length, strlen(text));
}

static void text_for_terminals(void **state) {
    static const struct {
        const char *text, *put;
    } cases[] = {
        {"plain ~", "plain ~"},
        {"a\tb\n", "a\\x09b\\x0a"},
        {"\x1f\x7f\x7e", "\\x1f\\x7f~"},
        {"\x80\xBF\xC0\xC1\xF5", "\\x80\\xbf\\xc0\\xc1\\xf5"},
        {"\xC2\x9F\xC2\xA0", "\\xc2\\x9f\xC2\xA0"},
        {"\xDF\xBF|\xE0\xA0\x80|\xEF\xBF\xBF", "\xDF\xBF|\xE0\xA0\x80|\xEF\xBF\xBF"},
        {"\xF0\x9F\x98\x80|\xF4\x8F\xBF\xBF", "\xF0\x9F\x98\x80|\xF4\x8F\xBF\xBF"},
        {"\xC3", "\\xc3"},
        {"\xC3(", "\\xc3("},
        {"\xE2\x82", "\\xe2\\x82"},
        {"\xE2\x82(", "\\xe2\\x82("},
        {"\xF0\x9F\x98", "\\xf0\\x9f\\x98"},
        {"x\x01y\x02z", "x\\x01y\\x02z"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[80];
        tma_out out = tma_out_into(text, sizeof(text));
        tma_put_printable(&out, cases[i].text, strlen(cases[i].text));
        assert_string_equal(text, cases[i].put);
        assert_int_equal(out.length, strlen(text));
    }
}

static void messages_are_cut_not_overrun(void **state) {
    char longer[3 * TMA_ERROR_SIZE];
    tma_error error;
    (void)state;
    memset(longer, 'x', sizeof(longer));
    longer[sizeof(longer) - 1] = 0;
    assert_int_equal(tma_fail(&error, "%s has %u", "box", 3u), -1);
    assert_string_equal(error.text, "box has 3");
    assert_true(error.at == TMA_NOWHERE);
    assert_int_equal(tma_fail_more(&error, ", or %d", -1), -1);
    assert_string_equal(error.text, "box has 3, or -1");
    assert_int_equal(tma_fail_at(&error, 12, "%s", longer), -1);
    assert_int_equal(error.at, 12);
    assert_int_equal(strlen(error.text), TMA_ERROR_SIZE - 1);
    tma_fail_more(&error, "more");
    assert_int_equal(strlen(error.text), TMA_ERROR_SIZE - 1);
    assert_int_equal(tma_fail(NULL, "lost"), -1);
    assert_int_equal(tma_fail_more(NULL, "lost"), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_printfs),
        cmocka_unit_test(numbers_are_printfs),
        cmocka_unit_test(long_numbers_are_printfs),
        cmocka_unit_test(sixty_four_bits_have_letters),
        cmocka_unit_test(text_for_terminals),
        cmocka_unit_test(pieces_are_handed_on),
        cmocka_unit_test(messages_are_cut_not_overrun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
