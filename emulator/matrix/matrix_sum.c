/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix_sum.h"

#include <math.h>
#include <string.h>

#include "float_bits.h"
#include "matrix_vector.h"
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

#define DOUBLE_BIAS     1023
#define DOUBLE_MANTISSA 52
#define FLOAT_BIAS      MATRIX_FLOAT_BIAS
#define FLOAT_MANTISSA  MATRIX_FLOAT_MANTISSA

static double power_of_2(int exponent) {
    TMA_ASSERT(exponent > -DOUBLE_BIAS && exponent <= DOUBLE_BIAS);
    return compute_f64_of((uint64_t)(exponent + DOUBLE_BIAS) << DOUBLE_MANTISSA);
}

/* A number: significand x 2^exponent, the exponent as the format writes it. */
typedef struct number {
    double significand;
    int exponent;
    int is_special; /* an infinity or a NaN, and then the significand is that */
} number;

static number decode(uint32_t type, uint32_t bits) {
    const format f = format_of(type);
    if (type == EMU_TF32) {
        bits >>= 13; /* which nobody looks at */
    }
    const int bias = (1 << (f.exponent_bit - 1)) - 1, most = (1 << f.exponent_bit) - 1;
    const uint32_t mantissa = bits & ((1U << f.mantissa_bit) - 1);
    const int e = (int)(bits >> f.mantissa_bit) & most;
    const int negative = (int)(bits >> (f.exponent_bit + f.mantissa_bit)) & 1;
    if (type == EMU_E4M3 ? e == most && mantissa == 7 : e == most) {
        const double infinity = negative ? -HUGE_VAL : HUGE_VAL;
        const int is_nan = type == EMU_E4M3 || mantissa;
        return (number){is_nan ? infinity - infinity : infinity, NO_EXPONENT, 1};
    }
    const uint32_t all = mantissa | (uint32_t)(e != 0) << f.mantissa_bit;
    const double s = (double)all * power_of_2(-f.mantissa_bit);
    return (number){negative ? -s : s, all ? (e ? e : 1) - bias : NO_EXPONENT, 0};
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
    float *significand = a->of.f.significand[row];
    const uint8_t *bytes = a->bytes + (size_t)row * MATRIX_ROW_B;
    a->is_special[row] = 0;
    for (uint32_t i = 0; i < form->k_a; i++) {
        const number x = decode(form->a, element_at(form->a, bytes, i));
        a->is_special[row] |= (uint8_t)x.is_special;
        a->of.f.exponent[row][i] = (int16_t)x.exponent;
        significand[i] = x.is_special ? 0 : (float)(form->negates ? -x.significand : x.significand);
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
    float significand[MATRIX_K_FULL][MATRIX_COLUMNS];
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
            const number y = decode(form->b, element_at(form->b, column, k));
            b->is_special[n] |= (uint8_t)y.is_special;
            b->significand[k][n] = y.is_special ? 0 : (float)y.significand;
            b->exponent[k][n] = (int16_t)y.exponent;
        }
    }
}

/* Eight numbers of C. */
typedef struct addends {
    float significand[MATRIX_COLUMNS];
    int16_t exponent[MATRIX_COLUMNS];
    uint8_t is_special[MATRIX_COLUMNS];
} addends;

static inline void decode_f32(addends *x, uint32_t n, uint32_t bits) {
    const uint32_t e = bits >> FLOAT_MANTISSA & 0xff,
                   mantissa = bits & ((1u << FLOAT_MANTISSA) - 1);
    const float s = (float)(int32_t)(mantissa | (uint32_t)(e != 0) << FLOAT_MANTISSA);
    const int32_t exponent = (int32_t)(e ? e : 1) - FLOAT_BIAS;
    const int is_number = e != 0xff;
    const float size = is_number ? s * 0x1p-23f : 0;
    x->significand[n] = bits >> 31 ? -size : size;
    x->exponent[n] = (int16_t)(is_number && s > 0 ? exponent : NO_EXPONENT);
    x->is_special[n] = (uint8_t)!is_number;
}

static void decode_addends(addends *x, const matrix_form *form, const uint32_t c[MATRIX_COLUMNS]) {
    for (uint32_t n = 0; n < MATRIX_COLUMNS && form->d == EMU_F32; n++) {
        decode_f32(x, n, c[n]);
    }
    for (uint32_t n = 0; n < MATRIX_COLUMNS && form->d != EMU_F32; n++) {
        const number y = decode(form->d, c[n]);
        x->significand[n] = y.is_special ? 0 : (float)y.significand;
        x->exponent[n] = (int16_t)y.exponent;
        x->is_special[n] = (uint8_t)y.is_special;
    }
}

/* The largest exponent of a row's terms by column. */
static inline matrix_exponents largest_of(const matrix_a *a, const columns *b,
                                          const matrix_form *form, uint32_t row, const addends *c) {
    const int16_t least = form->d == EMU_F16 ? LEAST_F16 : LEAST_F32;
    matrix_exponents e, most = (matrix_exponents){0} + least;
    memcpy(&e, c->exponent, sizeof(e));
    most = matrix_larger(e, most);
    for (uint32_t i = 0; i < form->k_a; i++) {
        memcpy(&e, b->exponent[a->index[row][i]], sizeof(e));
        most = matrix_larger(e + a->of.f.exponent[row][i], most);
    }
    return most;
}

static inline matrix_words cut(matrix_floats x) {
    return __builtin_convertvector(x, matrix_words); /* towards zero */
}

#define FITS 16 /* terms below 2^27 that an int32_t has room for */

static inline void add_words(double sum[MATRIX_COLUMNS], matrix_words low, matrix_words high) {
    for (uint32_t l = 0; l < MATRIX_COLUMNS / 2; l++) {
        sum[l] += (double)low[l]; /* exact */
        sum[MATRIX_COLUMNS / 2 + l] += (double)high[l];
    }
}

/* The sums of a row in units of 2^(most - places). Each term is significands x 2^e, cut towards
 * zero: below 2^27. The product of significands is exact; what is no float any more behind the
 * power of 2 is far below 1. */
static inline void sum_row(const matrix_a *a, const columns *b, const matrix_form *form,
                           uint32_t row, const addends *c, matrix_exponents most,
                           double sum[MATRIX_COLUMNS]) {
    const matrix_exponents base = (int16_t)(form->places + FLOAT_BIAS) - most, zero = {0};
    matrix_words low = {0}, high = {0};
    matrix_exponents e;
    matrix_floats y[2], power[2];
    memset(sum, 0, MATRIX_COLUMNS * sizeof(sum[0]));
    for (uint32_t i = 0; i < form->k_a; i++) {
        const uint32_t k = a->index[row][i];
        if (i && i % FITS == 0) {
            add_words(sum, low, high);
            low = high = (matrix_words){0};
        }
        const float one = a->of.f.significand[row][i];
        const matrix_floats x = {one, one, one, one}; /* s390x computes with scalars as doubles */
        memcpy(&e, b->exponent[k], sizeof(e));
        memcpy(y, b->significand[k], sizeof(y));
        e = matrix_larger(e + (base + a->of.f.exponent[row][i]), zero);
        matrix_powers(e, &power[0], &power[1]);
        low += cut(y[0] * x * power[0]);
        high += cut(y[1] * x * power[1]);
    }
    memcpy(&e, c->exponent, sizeof(e));
    memcpy(y, c->significand, sizeof(y));
    matrix_powers(matrix_larger(e + base, zero), &power[0], &power[1]);
    add_words(sum, low, high);
    add_words(sum, cut(y[0] * power[0]), cut(y[1] * power[1]));
}

uint32_t matrix_result(const matrix_form *form, int64_t number, int exponent) {
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

/* The same where the result is a normal f32, which it nearly always is. */
static inline uint32_t plain_result_of(const matrix_form *form, double number, int exponent) {
    const uint64_t bits = compute_bits_of_f64(number * power_of_2(exponent)); /* exact */
    const int e = (int)(bits >> DOUBLE_MANTISSA & 0x7ff) - DOUBLE_BIAS + FLOAT_BIAS;
    if (form->d != EMU_F32 || e < 1 || e > 2 * FLOAT_BIAS) {
        return matrix_result(form, (int64_t)number, exponent);
    }
    const uint32_t all = (uint32_t)(bits >> (DOUBLE_MANTISSA - FLOAT_MANTISSA));
    const uint32_t mantissa =
        all & ((1U << FLOAT_MANTISSA) - (1U << (FLOAT_MANTISSA - form->keeps_bit)));
    return (uint32_t)(bits >> 63) << 31 | (uint32_t)e << FLOAT_MANTISSA | mantissa;
}

/* Where infinities or NaNs are among the terms: 1, and what comes of them. Only whether a finite
 * factor is zero, and its sign, matters then. */
static int is_decided(const matrix_a *a, const columns *b, const matrix_form *form, uint32_t row,
                      uint32_t n, double c, uint32_t *result) {
    double sum = c;
    for (uint32_t i = 0; i < form->k_a; i++) {
        const uint8_t *own = a->bytes + (size_t)row * MATRIX_ROW_B;
        const uint8_t *column = b->bytes + (size_t)n * b->step_B;
        const double x = decode(form->a, element_at(form->a, own, i)).significand;
        const double y = decode(form->b, element_at(form->b, column, a->index[row][i])).significand;
        sum += form->negates ? -x * y : x * y;
    }
    if (sum - sum == 0) {
        return 0; /* finite */
    }
    const format f = form->d == EMU_F16 ? (format){5, 10} : (format){8, 23};
    const uint32_t infinity = ((1U << f.exponent_bit) - 1) << f.mantissa_bit;
    const uint32_t sign = 1U << (f.exponent_bit + f.mantissa_bit);
    *result = sum != sum ? sign - 1 : sum < 0 ? sign | infinity : infinity;
    return 1;
}

static void multiply_row(const matrix_a *a, const columns *b, const matrix_form *form, uint32_t row,
                         uint32_t c[MATRIX_COLUMNS]) {
    double sum[MATRIX_COLUMNS];
    addends x;
    decode_addends(&x, form, c);
    const matrix_exponents most = largest_of(a, b, form, row, &x);
    sum_row(a, b, form, row, &x, most, sum);
    for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
        if ((a->is_special[row] || b->is_special[n] || x.is_special[n]) &&
            is_decided(a, b, form, row, n, decode(form->d, c[n]).significand, &c[n])) {
            continue;
        }
        c[n] = plain_result_of(form, sum[n], most[n] - form->places);
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
