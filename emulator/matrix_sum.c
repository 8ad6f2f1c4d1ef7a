/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix_sum.h"

#include <string.h>

#include "tma/detail/assert.h"

#define NO_EXPONENT (-10000) /* of a zero, which has no say in the largest exponent */
#define LEAST_F32   (-133)   /* the common exponent is never smaller, of f32 and of f16 sums */
#define LEAST_F16   (-21)

typedef struct format {
    int exponent_bit, mantissa_bit;
} format;

static format format_of(uint32_t type) {
    switch (type) {
    case EMU_F16:
        return (format){5, 10};
    case EMU_BF16:
        return (format){8, 7};
    case EMU_TF32:
        return (format){8, 10};
    case EMU_E4M3:
        return (format){4, 3};
    case EMU_E5M2:
        return (format){5, 2};
    default:
        return (format){8, 23};
    }
}

static double from_bits(uint64_t bits) {
    double d;
    memcpy(&d, &bits, sizeof(d));
    return d;
}

static uint64_t to_bits(double d) {
    uint64_t bits;
    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

#define DOUBLE_BIAS     1023
#define DOUBLE_MANTISSA 52
#define DOUBLE_INFINITY (UINT64_C(0x7ff) << DOUBLE_MANTISSA)
#define DOUBLE_NAN      (DOUBLE_INFINITY | 1)

static double power_of_2(int exponent) {
    TMA_ASSERT(exponent > -DOUBLE_BIAS && exponent <= DOUBLE_BIAS);
    return from_bits((uint64_t)(exponent + DOUBLE_BIAS) << DOUBLE_MANTISSA);
}

/* A number as a double, which is exact; its exponent as the format writes it. */
static double decode(uint32_t type, uint32_t bits, int16_t *exponent) {
    const format f = format_of(type);
    if (type == EMU_TF32) {
        bits >>= 13; /* which nobody looks at */
    }
    const int bias = (1 << (f.exponent_bit - 1)) - 1, most = (1 << f.exponent_bit) - 1;
    const uint32_t mantissa = bits & ((1U << f.mantissa_bit) - 1);
    const int e = (int)(bits >> f.mantissa_bit) & most;
    const uint64_t sign = (uint64_t)(bits >> (f.exponent_bit + f.mantissa_bit) & 1) << 63;
    const uint64_t places = (uint64_t)mantissa << (DOUBLE_MANTISSA - f.mantissa_bit);
    *exponent = (int16_t)((e ? e : 1) - bias);
    if (type == EMU_E4M3 ? e == most && mantissa == 7 : e == most) {
        const int is_nan = type == EMU_E4M3 || mantissa;
        *exponent = NO_EXPONENT;
        return from_bits(sign | (is_nan ? DOUBLE_NAN : DOUBLE_INFINITY));
    }
    if (!e) {
        const double v = (double)mantissa * power_of_2(1 - bias - f.mantissa_bit);
        *exponent = mantissa ? *exponent : (int16_t)NO_EXPONENT;
        return from_bits(sign | to_bits(v));
    }
    return from_bits(sign | (uint64_t)(e - bias + DOUBLE_BIAS) << DOUBLE_MANTISSA | places);
}

static int is_special(double d) {
    return (to_bits(d) & DOUBLE_INFINITY) == DOUBLE_INFINITY;
}

static uint32_t element_at(uint32_t type, const uint8_t *bytes, uint32_t index) {
    uint32_t v = 0;
    const uint32_t size_B = emu_type_of(type)->bits / 8u;
    memcpy(&v, bytes + (size_t)index * size_B, size_B);
    return v;
}

static int32_t integer_at(uint32_t type, const uint8_t *bytes, uint32_t index) {
    switch (type) {
    case EMU_S8:
        return (int8_t)bytes[index];
    case EMU_U8:
        return bytes[index];
    default: {
        const int32_t v = bytes[index / 2] >> (index % 2 * 4) & 15;
        return type == EMU_S4 && v >= 8 ? v - 16 : v;
    }
    }
}

static int is_float(const matrix_form *form) {
    return form->d != EMU_S32;
}

/* ---- rows of A ---- */

static void prepare_floats(matrix_a *a, const matrix_form *form, uint32_t row) {
    double *value = a->of.f.value[row];
    int16_t *exponent = a->of.f.exponent[row];
    const uint8_t *bytes = a->bytes + (size_t)row * MATRIX_ROW_B;
    a->is_special[row] = 0;
    for (uint32_t i = 0; i < form->k_a; i++) {
        value[i] = decode(form->a, element_at(form->a, bytes, i), &exponent[i]);
        if (is_special(value[i])) {
            a->is_special[row] = 1;
            value[i] = 0;
        }
        if (form->negates) {
            value[i] = -value[i];
        }
    }
}

void matrix_prepare(matrix_a *a, const matrix_form *form, const uint8_t *bytes, uint32_t rows,
                    const uint8_t (*index)[MATRIX_K]) {
    TMA_ASSERT(rows <= MATRIX_ROWS && (form->a == EMU_B1 || form->k_a <= MATRIX_K));
    a->rows = rows;
    a->bytes = bytes;
    for (uint32_t row = 0; row < rows && form->a != EMU_B1; row++) {
        for (uint32_t i = 0; i < form->k_a; i++) {
            a->index[row][i] = index ? index[row][i] : (uint8_t)i;
            if (!is_float(form)) {
                a->of.number[row][i] = integer_at(form->a, bytes + (size_t)row * MATRIX_ROW_B, i);
            }
        }
        if (is_float(form)) {
            prepare_floats(a, form, row);
        }
    }
}

/* ---- floating-point sums ---- */

typedef struct columns {
    double value[MATRIX_K_FULL][MATRIX_COLUMNS];
    int16_t exponent[MATRIX_K_FULL][MATRIX_COLUMNS];
    uint8_t is_special[MATRIX_COLUMNS];
    const uint8_t *bytes;
    uint32_t step_B;
} columns;

static void prepare_columns(columns *b, const matrix_form *form, const uint8_t *bytes,
                            uint32_t step_B) {
    memset(b->is_special, 0, sizeof(b->is_special));
    b->bytes = bytes;
    b->step_B = step_B;
    for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
        const uint8_t *column = bytes + (size_t)n * step_B;
        for (uint32_t k = 0; k < form->k; k++) {
            double v = decode(form->b, element_at(form->b, column, k), &b->exponent[k][n]);
            if (is_special(v)) {
                b->is_special[n] = 1;
                v = 0;
            }
            b->value[k][n] = v;
        }
    }
}

/* The largest exponent of the products of a row with each column. */
static void largest_exponents(const matrix_a *a, const columns *b, uint32_t row, uint32_t count,
                              int16_t largest[MATRIX_COLUMNS]) {
    int16_t most[MATRIX_COLUMNS];
    for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
        most[n] = 2 * NO_EXPONENT;
    }
    for (uint32_t i = 0; i < count; i++) {
        const int16_t e = a->of.f.exponent[row][i];
        const int16_t *other = b->exponent[a->index[row][i]];
        for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
            const int16_t sum = (int16_t)(e + other[n]);
            most[n] = sum > most[n] ? sum : most[n];
        }
    }
    memcpy(largest, most, sizeof(most));
}

/* Terms in units of the last place that is kept, cut towards zero: each below 2^27, so that 16 of
 * them (32 below 2^15) fit. */
static void add_products(const matrix_a *a, const columns *b, uint32_t row, uint32_t count,
                         const double scale[MATRIX_COLUMNS], int32_t sum[MATRIX_COLUMNS]) {
    int32_t all[MATRIX_COLUMNS] = {0};
    double unit[MATRIX_COLUMNS];
    memcpy(unit, scale, sizeof(unit));
    for (uint32_t i = 0; i < count; i++) {
        const double x = a->of.f.value[row][i];
        const double *y = b->value[a->index[row][i]];
        for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
            all[n] += (int32_t)(x * y[n] * unit[n]);
        }
    }
    memcpy(sum, all, sizeof(all));
}

/* number x 2^exponent as f32, cut towards zero, or as f16, to nearest even. What is cut to nothing
 * is +0. */
static uint32_t result_of(const matrix_form *form, int64_t number, int exponent) {
    const int is_f16 = form->d == EMU_F16;
    const format f = is_f16 ? (format){5, 10} : (format){8, 23};
    const int most = (1 << (f.exponent_bit - 1)) - 1, least = 1 - most;
    const uint32_t sign = number < 0 ? 1U << (f.exponent_bit + f.mantissa_bit) : 0;
    const uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    if (!size) {
        return 0;
    }
    int e = 63 - __builtin_clzll(size) + exponent;
    e = e < least ? least : e;
    const int drop = e - f.mantissa_bit - exponent; /* bits under the last that is kept */
    uint64_t m = drop <= 0 ? size << -drop : drop > 62 ? 0 : size >> drop;
    if (is_f16 && drop > 0 && drop <= 62) {
        const uint64_t rest = size & ((UINT64_C(1) << drop) - 1), half = UINT64_C(1) << (drop - 1);
        m += rest > half || (rest == half && (m & 1));
    }
    if (!is_f16) {
        m &= ~((UINT64_C(1) << (f.mantissa_bit - form->keeps_bit)) - 1);
    }
    if (m >> (f.mantissa_bit + 1)) {
        m >>= 1;
        e++;
    }
    if (!m) {
        return 0;
    }
    if (e > most) {
        return sign | ((1U << f.exponent_bit) - 1) << f.mantissa_bit;
    }
    const uint32_t field = m >> f.mantissa_bit ? (uint32_t)(e - least + 1) : 0;
    return sign | field << f.mantissa_bit | (uint32_t)(m & ((1U << f.mantissa_bit) - 1));
}

/* Where infinities or NaNs are among the terms: 1, and what comes of them. */
static int is_decided(const matrix_a *a, const columns *b, const matrix_form *form, uint32_t row,
                      uint32_t n, double c, uint32_t *result) {
    double sum = c;
    int16_t exponent;
    for (uint32_t i = 0; i < form->k_a; i++) {
        const uint32_t k = a->index[row][i];
        const double x = decode(
            form->a, element_at(form->a, a->bytes + (size_t)row * MATRIX_ROW_B, i), &exponent);
        const double y =
            decode(form->b, element_at(form->b, b->bytes + (size_t)n * b->step_B, k), &exponent);
        sum += form->negates ? -x * y : x * y;
    }
    const uint64_t bits = to_bits(sum);
    if (!is_special(sum)) {
        return 0;
    }
    const format f = form->d == EMU_F16 ? (format){5, 10} : (format){8, 23};
    const uint32_t infinity = ((1U << f.exponent_bit) - 1) << f.mantissa_bit;
    const uint32_t sign = 1U << (f.exponent_bit + f.mantissa_bit);
    *result = (bits & (UINT64_MAX >> 1)) > DOUBLE_INFINITY ? sign - 1
              : bits >> 63                                 ? sign | infinity
                                                           : infinity;
    return 1;
}

static void multiply_row(const matrix_a *a, const columns *b, const matrix_form *form, uint32_t row,
                         uint32_t c[MATRIX_COLUMNS]) {
    const int least = form->d == EMU_F16 ? LEAST_F16 : LEAST_F32;
    int16_t largest[MATRIX_COLUMNS], own[MATRIX_COLUMNS];
    double addend[MATRIX_COLUMNS], scale[MATRIX_COLUMNS];
    int32_t sum[MATRIX_COLUMNS];
    largest_exponents(a, b, row, form->k_a, largest);
    for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
        addend[n] = decode(form->d, c[n], &own[n]);
        largest[n] = own[n] > largest[n] ? own[n] : largest[n];
        largest[n] = largest[n] < least ? (int16_t)least : largest[n];
        scale[n] = power_of_2(form->places - largest[n]);
    }
    add_products(a, b, row, form->k_a, scale, sum);
    for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
        const int special = is_special(addend[n]);
        if ((special || a->is_special[row] || b->is_special[n]) &&
            is_decided(a, b, form, row, n, addend[n], &c[n])) {
            continue;
        }
        const int64_t more = special ? 0 : (int64_t)(addend[n] * scale[n]);
        c[n] = result_of(form, sum[n] + more, largest[n] - form->places);
    }
}

/* ---- integer sums ---- */

static uint32_t wrap_or_clamp(const matrix_form *form, int64_t sum) {
    if (form->saturates) {
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    }
    return (uint32_t)sum;
}

static void multiply_integers(const matrix_a *a, const matrix_form *form, const uint8_t *b,
                              uint32_t step_B, uint32_t (*c)[MATRIX_COLUMNS]) {
    int32_t y[MATRIX_K_FULL][MATRIX_COLUMNS];
    for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
        for (uint32_t k = 0; k < form->k; k++) {
            y[k][n] = integer_at(form->b, b + (size_t)n * step_B, k);
        }
    }
    for (uint32_t row = 0; row < a->rows; row++) {
        int32_t sum[MATRIX_COLUMNS] = {0};
        for (uint32_t i = 0; i < form->k_a; i++) {
            const int32_t x = a->of.number[row][i], *other = y[a->index[row][i]];
            for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
                sum[n] += x * other[n];
            }
        }
        for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
            c[row][n] = wrap_or_clamp(form, (int64_t)(int32_t)c[row][n] + sum[n]);
        }
    }
}

static void multiply_bits(const matrix_a *a, const matrix_form *form, const uint8_t *b,
                          uint32_t step_B, uint32_t (*c)[MATRIX_COLUMNS]) {
    for (uint32_t row = 0; row < a->rows; row++) {
        for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
            for (uint32_t i = 0; i < form->k / 8; i += 8) {
                uint64_t x, y;
                memcpy(&x, a->bytes + (size_t)row * MATRIX_ROW_B + i, sizeof(x));
                memcpy(&y, b + (size_t)n * step_B + i, sizeof(y));
                c[row][n] += (uint32_t)__builtin_popcountll(form->is_xor ? x ^ y : x & y);
            }
        }
    }
}

void matrix_multiply(const matrix_a *a, const matrix_form *form, const uint8_t *b,
                     uint32_t b_step_B, uint32_t (*c)[MATRIX_COLUMNS]) {
    columns prepared;
    if (form->a == EMU_B1) {
        multiply_bits(a, form, b, b_step_B, c);
    } else if (!is_float(form)) {
        multiply_integers(a, form, b, b_step_B, c);
    } else {
        prepare_columns(&prepared, form, b, b_step_B);
        for (uint32_t row = 0; row < a->rows; row++) {
            multiply_row(a, &prepared, form, row, c[row]);
        }
    }
}
