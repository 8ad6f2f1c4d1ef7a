/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix_sum.h"

#include <math.h>
#include <string.h>

#include "compute.h"
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

/* ---- numbers made ready ---- */

/* Elements as they lie: eight of a row, or one each of eight columns. */
MATRIX_INLINE void take_raw(uint32_t type, const uint8_t *bytes, size_t step_B, uint32_t count,
                            uint32_t raw[MATRIX_COLUMNS]) {
    const uint32_t size_B = emu_type_of(type)->bits / 8u;
    uint16_t half;
    for (uint32_t n = 0; n < MATRIX_COLUMNS; n++, bytes += step_B) {
        if (n >= count) {
            raw[n] = 0;
        } else if (size_B == 2) {
            memcpy(&half, bytes, sizeof(half));
            raw[n] = half;
        } else if (size_B == 1) {
            raw[n] = *bytes;
        } else {
            memcpy(&raw[n], bytes, sizeof(raw[n]));
        }
    }
}

MATRIX_INLINE matrix_floats eight_of(float x) { /* s390x computes with scalars as doubles */
    return (matrix_floats)((matrix_words){0} | (int32_t)compute_bits_of(x));
}

/* decode() of eight numbers. Infinities and NaNs are left as zeros, and told. */
MATRIX_INLINE matrix_words unpack(uint32_t type, const uint32_t raw[MATRIX_COLUMNS],
                                  float significand[MATRIX_COLUMNS],
                                  int16_t exponent[MATRIX_COLUMNS]) {
    const format f = format_of(type);
    const int bias = (1 << (f.exponent_bit - 1)) - 1, most = (1 << f.exponent_bit) - 1;
    const int is_e4m3 = type == EMU_E4M3, whole = 1 << f.mantissa_bit;
    matrix_words bits;
    memcpy(&bits, raw, sizeof(bits));
    bits = type == EMU_TF32 ? bits >> 13 : bits;
    const matrix_words e = bits >> f.mantissa_bit & most, mantissa = bits & (whole - 1);
    const matrix_words is_special = (e == most) & (is_e4m3 ? mantissa == whole - 1 : mantissa >= 0);
    const matrix_words all = (mantissa | ((e != 0) & whole)) & ~is_special;
    const matrix_words size = (matrix_words)(__builtin_convertvector(all, matrix_floats) *
                                             eight_of((float)power_of_2(-f.mantissa_bit)));
    const matrix_words signs = bits << (31 - f.exponent_bit - f.mantissa_bit) & INT32_MIN;
    const matrix_words is_zero = all == 0, written = e - (e == 0) - bias;
    const matrix_words signed_size = size | signs;
    const matrix_exponents exponents =
        __builtin_convertvector((written & ~is_zero) | (is_zero & NO_EXPONENT), matrix_exponents);
    memcpy(significand, &signed_size, sizeof(signed_size));
    memcpy(exponent, &exponents, sizeof(exponents));
    return is_special;
}

/* The exponents of a row or column reach so far that a product of two numbers, each in units of its
 * own row's or column's largest, is exact as a float, and so is the power of 2 behind it. */
#define NARROW 50

MATRIX_INLINE matrix_exponents least_of(matrix_exponents e, matrix_exponents least) {
    const matrix_exponents is_number = e > NO_EXPONENT;
    return matrix_smaller(least, (e & is_number) | ~(is_number | INT16_MIN));
}

MATRIX_INLINE void prepare_floats(matrix_a *a, const matrix_form *form, uint32_t row) {
    float *significand = a->of.f.significand[row], *scaled = a->of.f.scaled[row];
    int16_t *exponent = a->of.f.exponent[row], top = NO_EXPONENT, bottom = INT16_MAX;
    matrix_words is_special = {0};
    for (uint32_t i = 0; i < form->k_a; i += MATRIX_COLUMNS) {
        const uint32_t size_B = emu_type_of(form->a)->bits / 8u;
        uint32_t raw[MATRIX_COLUMNS];
        take_raw(form->a, a->bytes + (size_t)row * MATRIX_ROW_B + (size_t)i * size_B, size_B,
                 form->k_a - i, raw);
        is_special |= unpack(form->a, raw, significand + i, exponent + i);
    }
    for (uint32_t i = 0; i < form->k_a; i++) {
        const int16_t e = exponent[i], low = e > NO_EXPONENT ? e : INT16_MAX;
        top = e > top ? e : top;
        bottom = low < bottom ? low : bottom;
    }
    for (uint32_t i = 0; i < form->k_a; i++) {
        const int32_t field = exponent[i] - top + FLOAT_BIAS;
        significand[i] = form->negates ? -significand[i] : significand[i];
        scaled[i] =
            significand[i] * compute_float_of((uint32_t)(field > 0 ? field : 0) << FLOAT_MANTISSA);
    }
    a->top[row] = top;
    a->is_wide[row] = (uint8_t)(top - bottom > NARROW);
    a->is_special[row] = (uint8_t)matrix_any(is_special);
}

typedef struct columns {
    float significand[MATRIX_K_FULL][MATRIX_COLUMNS];
    float scaled[MATRIX_K_FULL][MATRIX_COLUMNS]; /* in units of 2^top */
    float loud[MATRIX_K_FULL][MATRIX_COLUMNS];   /* with infinities and NaNs, where it has some */
    int16_t exponent[MATRIX_K_FULL][MATRIX_COLUMNS];
    matrix_exponents top; /* a column's largest exponent */
    const uint8_t *bytes;
    uint32_t step_B;
    uint8_t is_wide, is_special, is_loud;
} columns;

MATRIX_INLINE void prepare_columns(columns *b, const matrix_form *form, const uint8_t *bytes,
                                   uint32_t step_B) {
    const uint32_t size_B = emu_type_of(form->b)->bits / 8u;
    matrix_exponents e, top = (matrix_exponents){0} + NO_EXPONENT, bottom = ~top | INT16_MAX;
    matrix_words is_special = {0};
    matrix_floats y;
    b->bytes = bytes;
    b->step_B = step_B;
    for (uint32_t k = 0; k < form->k; k++) {
        uint32_t raw[MATRIX_COLUMNS];
        take_raw(form->b, bytes + (size_t)k * size_B, step_B, MATRIX_COLUMNS, raw);
        is_special |= unpack(form->b, raw, b->significand[k], b->exponent[k]);
        memcpy(&e, b->exponent[k], sizeof(e));
        top = matrix_larger(e, top);
        bottom = least_of(e, bottom);
    }
    for (uint32_t k = 0; k < form->k; k++) {
        memcpy(&e, b->exponent[k], sizeof(e));
        memcpy(&y, b->significand[k], sizeof(y));
        y *= matrix_powers(e - top);
        memcpy(b->scaled[k], &y, sizeof(y));
    }
    b->top = top;
    b->is_wide = (uint8_t)matrix_any(__builtin_convertvector(top - bottom > NARROW, matrix_words));
    b->is_special = (uint8_t)matrix_any(is_special);
    b->is_loud = 0;
}

/* ---- floating-point sums ---- */

/* Eight numbers of C. */
typedef struct addends {
    float significand[MATRIX_COLUMNS];
    int16_t exponent[MATRIX_COLUMNS];
    uint8_t is_special;
} addends;

static void decode_addends(addends *x, const matrix_form *form, const uint32_t c[MATRIX_COLUMNS]) {
    x->is_special = 0;
    for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
        const number y = decode(form->d, c[n]);
        x->significand[n] = y.is_special ? 0 : (float)y.significand;
        x->exponent[n] = (int16_t)y.exponent;
        x->is_special |= (uint8_t)y.is_special;
    }
}

/* Which element of a column the i-th of a row meets. */
MATRIX_INLINE uint32_t meets(const matrix_a *a, int is_sparse, uint32_t row, uint32_t i) {
    return is_sparse ? a->index[row][i] : i;
}

#define AT_ONCE 4 /* elements of a row; forms have a multiple of them */

/* The largest exponent of a row's products by column. */
MATRIX_INLINE matrix_exponents largest_of(const matrix_a *a, int is_sparse, const columns *b,
                                          const matrix_form *form, uint32_t row) {
    matrix_exponents e, most = (matrix_exponents){0} + 2 * NO_EXPONENT;
    for (uint32_t i = 0; i < form->k_a; i += AT_ONCE) {
        for (uint32_t j = i; j < i + AT_ONCE; j++) {
            memcpy(&e, b->exponent[meets(a, is_sparse, row, j)], sizeof(e));
            most = matrix_larger(e + a->of.f.exponent[row][j], most);
        }
    }
    return most;
}

#define FITS 16 /* terms below 2^27 that an int32_t has room for */

typedef struct sums {
    matrix_doubles half[2];
} sums;

MATRIX_INLINE void add_words(sums *sum, matrix_words words) {
    matrix_half half[2];
    memcpy(half, &words, sizeof(half));
    sum->half[0] += __builtin_convertvector(half[0], matrix_doubles); /* exact */
    sum->half[1] += __builtin_convertvector(half[1], matrix_doubles);
}

/* The sums of a row's products in units of 2^(most - places). Each term is cut towards zero: below
 * 2^27. The product of two numbers is exact; what is no float any more behind the power of 2 is far
 * below 1. */
MATRIX_INLINE void sum_narrow(const matrix_a *a, int is_sparse, const columns *b,
                              const matrix_form *form, uint32_t row, matrix_exponents base,
                              sums *sum) {
    const matrix_exponents limit = (matrix_exponents){0} + (int16_t)FLOAT_BIAS; /* of zeros */
    const matrix_floats power = matrix_powers(matrix_smaller(base + a->top[row] + b->top, limit));
    matrix_floats y;
    for (uint32_t first = 0; first < form->k_a; first += FITS) {
        matrix_words words = {0};
        for (uint32_t i = first; i < form->k_a && i < first + FITS; i += AT_ONCE) {
            for (uint32_t j = i; j < i + AT_ONCE; j++) {
                memcpy(&y, b->scaled[meets(a, is_sparse, row, j)], sizeof(y));
                words += matrix_cut(y * eight_of(a->of.f.scaled[row][j]) * power);
            }
        }
        add_words(sum, words);
    }
}

/* The same with a power of 2 for each term. */
MATRIX_INLINE void sum_wide(const matrix_a *a, int is_sparse, const columns *b,
                            const matrix_form *form, uint32_t row, matrix_exponents base,
                            sums *sum) {
    matrix_exponents e;
    matrix_floats y;
    for (uint32_t i = 0; i < form->k_a; i++) {
        memcpy(&e, b->exponent[meets(a, is_sparse, row, i)], sizeof(e));
        memcpy(&y, b->significand[meets(a, is_sparse, row, i)], sizeof(y));
        add_words(sum, matrix_cut(y * eight_of(a->of.f.significand[row][i]) *
                                  matrix_powers(e + base + a->of.f.exponent[row][i])));
    }
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

/* Where infinities or NaNs are among the terms: what comes of them, in the columns that they reach.
 * Only whether a finite factor is zero, and its sign, matters then. */
static void decide(const matrix_a *a, columns *b, const matrix_form *form, uint32_t row,
                   const uint32_t c[MATRIX_COLUMNS], uint32_t result[MATRIX_COLUMNS]) {
    const format f = form->d == EMU_F16 ? (format){5, 10} : (format){8, 23};
    const uint32_t infinity = ((1U << f.exponent_bit) - 1) << f.mantissa_bit;
    const uint32_t sign = 1U << (f.exponent_bit + f.mantissa_bit);
    float sum[MATRIX_COLUMNS];
    for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
        for (uint32_t k = 0; k < form->k && !b->is_loud; k++) {
            const uint8_t *column = b->bytes + (size_t)n * b->step_B;
            b->loud[k][n] = (float)decode(form->b, element_at(form->b, column, k)).significand;
        }
        sum[n] = (float)decode(form->d, c[n]).significand;
    }
    b->is_loud = 1;
    for (uint32_t i = 0; i < form->k_a; i++) {
        const uint8_t *own = a->bytes + (size_t)row * MATRIX_ROW_B;
        const float one = (float)decode(form->a, element_at(form->a, own, i)).significand;
        const float x = form->negates ? -one : one, *y = b->loud[meets(a, a->is_sparse, row, i)];
        for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
            sum[n] += x * y[n];
        }
    }
    for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
        if (sum[n] - sum[n] != 0) {
            result[n] = sum[n] != sum[n] ? sign - 1 : sum[n] < 0 ? sign | infinity : infinity;
        }
    }
}

/* Results that are normal f32s or 0. */
MATRIX_INLINE void plain_results(const matrix_form *form, const sums *sum, matrix_words most,
                                 uint32_t c[MATRIX_COLUMNS]) {
    const int dropped = DOUBLE_MANTISSA - form->keeps_bit;
    matrix_half e[2];
    memcpy(e, &most, sizeof(e));
    for (uint32_t h = 0; h < 2; h++) {
        const matrix_longs cut = (matrix_longs)sum->half[h] >> dropped << dropped;
        const matrix_longs power =
            (__builtin_convertvector(e[h], matrix_longs) + (DOUBLE_BIAS - form->places))
            << DOUBLE_MANTISSA;
        const matrix_half_floats d = __builtin_convertvector(
            (matrix_doubles)cut * (matrix_doubles)power, matrix_half_floats); /* exact */
        memcpy(c + (size_t)h * MATRIX_COLUMNS / 2, &d, sizeof(d));
    }
}

static void other_results(const matrix_form *form, const sums *sum, const int32_t *most,
                          uint32_t c[MATRIX_COLUMNS]) {
    double all[MATRIX_COLUMNS];
    memcpy(all, sum->half, sizeof(all));
    for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
        c[n] = matrix_result(form, (int64_t)all[n], most[n] - form->places);
    }
}

/* Common exponents with which sums and C's powers are normal f32s; C is no infinity or NaN then,
 * and how a subnormal's exponent is told does not matter. */
#define LEAST_PLAIN(form) ((form)->places - FLOAT_BIAS + 1)
#define MOST_PLAIN        (FLOAT_BIAS - 8)

MATRIX_INLINE matrix_words larger_words(matrix_words a, matrix_words b) {
    const matrix_words is_more = a > b;
    return (a & is_more) | (b & ~is_more);
}

MATRIX_INLINE void multiply_row(const matrix_a *a, int is_sparse, columns *b,
                                const matrix_form *form, uint32_t row, uint32_t c[MATRIX_COLUMNS]) {
    const matrix_exponents products = largest_of(a, is_sparse, b, form, row);
    sums sum = {{{0}}};
    addends x;
    matrix_words bits;
    matrix_floats of_c;
    memcpy(&bits, c, sizeof(bits));
    matrix_words e = (bits >> FLOAT_MANTISSA & 0xff) - FLOAT_BIAS;
    matrix_words most = larger_words(__builtin_convertvector(products, matrix_words), e);
    const int is_plain = form->d == EMU_F32 && !a->is_special[row] && !b->is_special &&
                         !matrix_any((most < LEAST_PLAIN(form)) | (most > MOST_PLAIN));
    if (!is_plain) {
        matrix_exponents exponents;
        decode_addends(&x, form, c);
        memcpy(&exponents, x.exponent, sizeof(exponents));
        exponents = matrix_larger(exponents, products);
        e = (matrix_words){0} + (form->d == EMU_F16 ? LEAST_F16 : LEAST_F32);
        most = larger_words(__builtin_convertvector(exponents, matrix_words), e);
    }
    const matrix_exponents base =
        (int16_t)form->places - __builtin_convertvector(most, matrix_exponents);
    if (a->is_wide[row] || b->is_wide) {
        sum_wide(a, is_sparse, b, form, row, base, &sum);
    } else {
        sum_narrow(a, is_sparse, b, form, row, base, &sum);
    }
    if (is_plain) {
        add_words(&sum, matrix_cut((matrix_floats)bits * matrix_powers(base)));
        plain_results(form, &sum, most, c);
        return;
    }
    uint32_t result[MATRIX_COLUMNS];
    int32_t exponent[MATRIX_COLUMNS];
    matrix_exponents own;
    memcpy(&own, x.exponent, sizeof(own));
    memcpy(&of_c, x.significand, sizeof(of_c));
    memcpy(exponent, &most, sizeof(exponent));
    add_words(&sum, matrix_cut(of_c * matrix_powers(own + base)));
    other_results(form, &sum, exponent, result);
    if (a->is_special[row] || b->is_special || x.is_special) {
        decide(a, b, form, row, c, result);
    }
    memcpy(c, result, sizeof(result));
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
            const int32_t x = a->of.number[row][i], *other = y[meets(a, a->is_sparse, row, i)];
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

MATRIX_INLINE void multiply_all(const matrix_a *a, int is_sparse, const matrix_form *form,
                                const uint8_t *b, uint32_t b_step_B,
                                uint32_t (*c)[MATRIX_COLUMNS]) {
    columns prepared;
    if (form->a == EMU_B1) {
        multiply_bits(a, form, b, b_step_B, c);
    } else if (!is_float(form)) {
        multiply_integers(a, form, b, b_step_B, c);
    } else {
        prepare_columns(&prepared, form, b, b_step_B);
        for (uint32_t row = 0; row < a->rows; row++) {
            multiply_row(a, is_sparse, &prepared, form, row, c[row]);
        }
    }
}

MATRIX_INLINE void prepare_all(matrix_a *a, const matrix_form *form, const uint8_t *bytes,
                               uint32_t rows, const uint8_t (*index)[MATRIX_K]) {
    TMA_ASSERT(rows <= MATRIX_ROWS && (form->a == EMU_B1 || form->k_a <= MATRIX_K));
    TMA_ASSERT(form->k_a % AT_ONCE == 0);
    a->rows = rows;
    a->bytes = bytes;
    a->is_sparse = index != NULL;
    for (uint32_t row = 0; row < rows && form->a != EMU_B1; row++) {
        for (uint32_t i = 0; i < form->k_a && index; i++) {
            a->index[row][i] = index[row][i];
        }
        for (uint32_t i = 0; i < form->k_a && !is_float(form); i++) {
            a->of.number[row][i] = integer_at(form->a, bytes + (size_t)row * MATRIX_ROW_B, i);
        }
        if (is_float(form)) {
            prepare_floats(a, form, row);
        }
    }
}

/* Both once more for wider vectors, which a processor may have and the compiler was not told of. */
#ifdef COMPUTE_TWICE
COMPUTE_TWICE static void multiply_wide(const matrix_a *a, const matrix_form *form,
                                        const uint8_t *b, uint32_t b_step_B,
                                        uint32_t (*c)[MATRIX_COLUMNS]) {
    if (a->is_sparse) {
        multiply_all(a, 1, form, b, b_step_B, c);
    } else {
        multiply_all(a, 0, form, b, b_step_B, c);
    }
}

COMPUTE_TWICE static void prepare_wide(matrix_a *a, const matrix_form *form, const uint8_t *bytes,
                                       uint32_t rows, const uint8_t (*index)[MATRIX_K]) {
    prepare_all(a, form, bytes, rows, index);
}
#endif

void matrix_prepare(matrix_a *a, const matrix_form *form, const uint8_t *bytes, uint32_t rows,
                    const uint8_t (*index)[MATRIX_K]) {
#ifdef COMPUTE_TWICE
    if (__builtin_cpu_supports("avx2")) {
        prepare_wide(a, form, bytes, rows, index);
        return;
    }
#endif
    prepare_all(a, form, bytes, rows, index);
}

void matrix_multiply(const matrix_a *a, const matrix_form *form, const uint8_t *b,
                     uint32_t b_step_B, uint32_t (*c)[MATRIX_COLUMNS]) {
#ifdef COMPUTE_TWICE
    if (__builtin_cpu_supports("avx2")) {
        multiply_wide(a, form, b, b_step_B, c);
        return;
    }
#endif
    multiply_all(a, a->is_sparse, form, b, b_step_B, c);
}
