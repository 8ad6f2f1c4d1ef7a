/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers.
 */
#include "tma/detail/chars.h"
#include "tma/text.h"

tma_number tma_number_of(uint64_t *out, const char *text, size_t length) {
    const int is_hex = length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const uint64_t base = is_hex ? 16 : 10;
    uint64_t value = 0;
    int too_big = 0;
    *out = 0;
    if (length == 0) {
        return TMA_NUMBER_MALFORMED;
    }
    for (size_t i = is_hex ? 2 : 0; i < length; i++) {
        const int digit = text_digit(text[i]);
        if (digit < 0 || (uint64_t)digit >= base) {
            return TMA_NUMBER_MALFORMED;
        }
        too_big |= value > (UINT64_MAX - (uint64_t)digit) / base;
        value = value * base + (uint64_t)digit;
    }
    *out = too_big ? UINT64_MAX : value;
    return too_big ? TMA_NUMBER_TOO_BIG : TMA_NUMBER_OK;
}

static tma_number power_of_two(uint64_t *out, const char *text, size_t length) {
    uint64_t exponent = 0;
    const tma_number status = tma_number_of(&exponent, text + 2, length - 2);
    if (status == TMA_NUMBER_MALFORMED) {
        return status;
    }
    *out = exponent < 64 ? UINT64_C(1) << exponent : UINT64_MAX;
    return exponent < 64 ? TMA_NUMBER_OK : TMA_NUMBER_TOO_BIG;
}

/* "4096x4096" */
static int is_product(const char *text, size_t length) {
    const size_t x = text_until(text, length, 'x');
    uint64_t number;
    return x && x + 1 < length && tma_number_of(&number, text, x) == TMA_NUMBER_OK &&
           text_digit(text[x + 1]) >= 0 && !(x == 1 && text[0] == '0');
}

int tma_read_u64(uint64_t *out, const char *text, size_t length, const char *what,
                 tma_error *error) {
    const int is_power = length > 2 && text[0] == '2' && text[1] == '^';
    uint64_t number = 0;
    if (length > 1 && text[0] == '-' &&
        tma_number_of(&number, text + 1, length - 1) != TMA_NUMBER_MALFORMED) {
        return tma_fail(error, "%s: %.*s is negative, the argument is unsigned", what,
                        text_shown(length), text);
    }
    switch (is_power ? power_of_two(&number, text, length) : tma_number_of(&number, text, length)) {
    case TMA_NUMBER_OK:
        *out = number;
        return 0;
    case TMA_NUMBER_TOO_BIG:
        return tma_fail(error, "%s: '%.*s' overflows the 64 bits of the argument", what,
                        text_shown(length), text);
    default:
        return tma_fail(error,
                        "%s: '%.*s' is not a number: decimal, hexadecimal (0x10) or a power of "
                        "two (2^32)%s",
                        what, text_shown(length), text,
                        is_product(text, length) ? "; sizes have commas between them" : "");
    }
}

int tma_read_u32(uint32_t *out, const char *text, size_t length, uint32_t most, const char *what,
                 tma_error *error) {
    uint64_t number = 0;
    if (tma_read_u64(&number, text, length, what, error)) {
        return -1;
    }
    if (number > most) {
        return tma_fail(error, "%s: %.*s is more than %u", what, text_shown(length), text, most);
    }
    *out = (uint32_t)number;
    return 0;
}

int tma_read_i32(int32_t *out, const char *text, size_t length, const char *what,
                 tma_error *error) {
    const int is_negative = length > 1 && text[0] == '-';
    uint64_t magnitude = 0;
    if (is_negative && text[1] == '-') {
        return tma_fail(error, "%s: '%.*s' is not a number", what, text_shown(length), text);
    }
    if (tma_read_u64(&magnitude, text + is_negative, length - (size_t)is_negative, what, error)) {
        return -1;
    }
    if (magnitude > (uint64_t)INT32_MAX + (uint64_t)is_negative) {
        return tma_fail(error, "%s: %.*s is outside the %d to %d of 32 bits", what,
                        text_shown(length), text, INT32_MIN, INT32_MAX);
    }
    *out = is_negative ? (int32_t) - (int64_t)magnitude : (int32_t)magnitude;
    return 0;
}
