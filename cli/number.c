/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers.
 */
#include "number.h"

#include <inttypes.h>

static int digit_of(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 16;
}

enum number_status number_digits(const char *text, size_t length, uint64_t *out) {
    const int is_hex = length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const uint64_t base = is_hex ? 16 : 10;
    uint64_t value = 0;
    int too_big = 0;
    *out = 0;
    if (length == 0) {
        return NUMBER_MALFORMED;
    }
    for (size_t i = is_hex ? 2 : 0; i < length; i++) {
        const uint64_t digit = (uint64_t)digit_of(text[i]);
        if (digit >= base) {
            return NUMBER_MALFORMED;
        }
        too_big |= value > (UINT64_MAX - digit) / base;
        value = value * base + digit;
    }
    *out = too_big ? UINT64_MAX : value;
    return too_big ? NUMBER_TOO_BIG : NUMBER_OK;
}

int number_case(const char *text, size_t length, uint64_t *out) {
    const size_t sign = length > 0 && *text == '-';
    if (number_digits(text + sign, length - sign, out) == NUMBER_MALFORMED ||
        (sign && *out > UINT64_C(1) << 63)) {
        return -1;
    }
    *out = sign ? 0 - *out : *out;
    return 0;
}

static enum number_status power_of_two(const char *text, size_t length, uint64_t *out) {
    uint64_t exponent = 0;
    const enum number_status status = number_digits(text + 2, length - 2, &exponent);
    if (status == NUMBER_MALFORMED) {
        return status;
    }
    *out = exponent < 64 ? UINT64_C(1) << exponent : UINT64_MAX;
    return exponent < 64 ? NUMBER_OK : NUMBER_TOO_BIG;
}

/* Of a long text, so much is shown. */
static int shown(size_t length) {
    return (int)(length > 80 ? 80 : length);
}

int number_u64(const char *text, size_t length, const char *what, uint64_t *out, cli_error *error) {
    const int is_power = length > 2 && text[0] == '2' && text[1] == '^';
    switch (is_power ? power_of_two(text, length, out) : number_digits(text, length, out)) {
    case NUMBER_OK:
        return 0;
    case NUMBER_TOO_BIG:
        return cli_fail(error, "%s: '%.*s' does not fit in 64 bits", what, shown(length), text);
    default:
        return cli_fail(error,
                        "%s: '%.*s' is not a number: decimal, hexadecimal (0x10) or a power of "
                        "two (2^32)",
                        what, shown(length), text);
    }
}

int number_i32(const char *text, size_t length, const char *what, int32_t *out, cli_error *error) {
    const int is_negative = length > 1 && text[0] == '-';
    uint64_t magnitude = 0;
    if (number_u64(text + is_negative, length - (size_t)is_negative, what, &magnitude, error)) {
        return -1;
    }
    if (magnitude > (uint64_t)INT32_MAX + (uint64_t)is_negative) {
        return cli_fail(error, "%s: %.*s is outside the %" PRId32 " to %" PRId32 " of 32 bits",
                        what, shown(length), text, INT32_MIN, INT32_MAX);
    }
    *out = is_negative ? (int32_t) - (int64_t)magnitude : (int32_t)magnitude;
    return 0;
}
