/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions of constants, computed by the compiler of this test. Where C's types are others than
 * PTX's 64 bits, the number is typed in (ptxas's own: tests/ptx_oracle/test_ptx_constants.py).
 */
#include "support/testing.h"

#include <string.h>

#include "ptx_constant.h"

#define IS(expression)                                                                             \
    { #expression, (expression) }

static const struct {
    const char *text;
    int64_t is;
} rows[] = {
    IS(7),
    IS(0x1F),
    IS(017),
    IS(-3),
    IS(~5),
    IS(!5),
    IS(!0),
    IS(+4),
    IS(2 + 3 * 4),
    IS((2 + 3) * 4),
    IS(20 - 3 - 4),
    IS(-7 / 2),
    IS(100 / 7 / 2),
    IS(1 << 5),
    IS(1024 >> 3),
    IS(-16 >> 2),
    IS(3 < 5),
    IS(5 < 3),
    IS(5 < 5),
    IS(3 <= 5),
    IS(5 <= 3),
    IS(5 <= 5),
    IS(3 > 5),
    IS(5 > 3),
    IS(5 > 5),
    IS(3 >= 5),
    IS(5 >= 3),
    IS(5 >= 5),
    IS(-1 < 1),
    IS(3 == 3),
    IS(3 == 4),
    IS(3 != 3),
    IS(3 != 4),
    IS(12 & 10),
    IS(12 | 10),
    IS(12 ^ 10),
    IS(2 && 0),
    IS(2 && 3),
    IS(0 || 0),
    IS(0 || 4),
    IS(1 ? 8 : 9),
    IS(0 ? 8 : 9),
    IS(0   ? 1
       : 0 ? 2
           : 3),
    IS(1 + 2 << 3),
    IS(6 & 3 == 3),
    IS(1 | 2 ^ 3 & 6),
    IS(1 || 0 && 0),
    {"-7 % 3", 0}, /* of unsigned numbers */
    {"7 % -3", 7},
    {"23 % 9", 5},
    {"1 << 40", INT64_C(1) << 40},
    {"1 << 64", 1},
    {"-1 < 1U", 0},
    {"0U - 1 > 5", 1},
    {"-1 / 2U", INT64_MAX},
    {"-16U >> 60", 15},
    {"0xFFFFFFFFFFFFFFFF", -1},
    {"0xFFFFFFFFFFFFFFF0", -16}, /* 64 bits and no more */
    {"0x10000000000000005", -1}, /* more, and not decimal: all are set */
    {"02000000000000000000005", -1},
    {"0b10000000000000000000000000000000000000000000000000000000000000101", -1},
    {"18446744073709551615", -1},
    {"18446744073709551621", 5},         /* decimal: it wraps, */
    {"18446744073709551616 - 1 > 0", 1}, /* and is unsigned */
    {"0x8000000000000000 > 1", 1},
    {"0x7FFFFFFFFFFFFFFF - 0x7FFFFFFFFFFFFFFF - 1 < 0", 1},
    {"0b101", 5},
};

static void as_the_compiler_computes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int64_t value = 0;
        const tma_ptx_span span = {rows[i].text, strlen(rows[i].text)};
        if (!ptx_constant(span, &value) || value != rows[i].is) {
            fail_msg("%s is %lld, not %lld", rows[i].text, (long long)rows[i].is, (long long)value);
        }
    }
}

static void what_is_none(void **state) {
    (void)state;
    static const char *const none[] = {"",      "1 +", "(1",  "1)", "1 / 0",
                                       "1 % 0", "a",   "1 2", "0x", "1 ? 2"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        int64_t value = 0;
        const tma_ptx_span span = {none[i], strlen(none[i])};
        if (ptx_constant(span, &value)) {
            fail_msg("'%s' is taken for %lld", none[i], (long long)value);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_compiler_computes),
        cmocka_unit_test(what_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
