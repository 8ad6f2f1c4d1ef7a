/* SPDX-License-Identifier: Apache-2.0
 *
 * Products with scaled blocks, as MMA-Sim reports them of a B200 and of an RTX 50. mxf8f6f4: the
 * exponents of the scale factors are added to each product's, then one sum cut at 25 places. mxf4
 * and mxf4nvf4: 16 products are one exact term, times both significands of the scale factors; cut
 * at 35 places.
 */
#include "matrix_scaled.h"

#include "compute_number.h"

#define FLOOR_EXPONENT (-133) /* as an H200 has it for f32 sums */
#define PLACES_8       25
#define PLACES_4       35
#define GROUP_EL       16 /* of 4 bits: one term */
#define TERMS          33 /* 32 products, and C */
#define NAN_BITS       UINT32_C(0x7fffffff)
#define INFINITY_BITS  UINT32_C(0x7f800000)

/* number x 2^exponent; the exponent that says what is cut is `counts`. */
typedef struct term {
    int64_t number;
    int exponent, counts;
} term;

typedef struct sum {
    term of[TERMS];
    uint32_t terms;
    uint8_t is_nan, is_plus, is_minus; /* infinities by sign */
} sum;

/* A number as integer x 2^exponent; counts: its format's exponent. 0: infinity or NaN. */
static int decode(uint32_t type, uint32_t code, term *out, int *is_nan) {
    const int is_e5m2 = type == EMU_E5M2, mantissa_bit = is_e5m2 ? 2 : 3;
    const int bias = is_e5m2 ? 15 : 7;
    const uint32_t mantissa = code & ((1u << mantissa_bit) - 1),
                   exponent = code >> mantissa_bit & (is_e5m2 ? 31 : 15);
    const int64_t all = (int64_t)(mantissa | (exponent ? 1u << mantissa_bit : 0));
    out->counts = (int)(exponent ? exponent : 1) - bias;
    out->exponent = out->counts - mantissa_bit;
    out->number = code >> 7 & 1 ? -all : all;
    *is_nan = is_e5m2 ? mantissa != 0 : 1;
    return !(is_e5m2 ? exponent == 31 : (code & 0x7f) == 0x7f);
}

static void add_term(sum *s, int64_t number, int exponent, int counts) {
    if (number) {
        s->of[s->terms++] = (term){number, exponent, counts};
    }
}

static void add_infinity(sum *s, int is_minus) {
    *(is_minus ? &s->is_minus : &s->is_plus) = 1;
}

static void add_c(sum *s, uint32_t bits) {
    const uint32_t exponent = bits >> 23 & 255, mantissa = bits & 0x7fffff;
    const int64_t all = (int64_t)(mantissa | (exponent ? 0x800000u : 0));
    const int counts = (int)(exponent ? exponent : 1) - 127;
    if (exponent == 255 && mantissa) {
        s->is_nan = 1;
    } else if (exponent == 255) {
        add_infinity(s, (int)(bits >> 31));
    } else {
        add_term(s, bits >> 31 ? -all : all, counts - 23, counts);
    }
}

static uint32_t result_of(const sum *s, int places) {
    static const matrix_form F32 = {.d = EMU_F32, .keeps_bit = 23};
    int64_t all = 0;
    int most = FLOOR_EXPONENT;
    if (s->is_nan || (s->is_plus && s->is_minus)) {
        return NAN_BITS;
    }
    if (s->is_plus || s->is_minus) {
        return INFINITY_BITS | (uint32_t)s->is_minus << 31;
    }
    for (uint32_t i = 0; i < s->terms; i++) {
        most = s->of[i].counts > most ? s->of[i].counts : most;
    }
    for (uint32_t i = 0; i < s->terms; i++) {
        const int shift = s->of[i].exponent - (most - places);
        const int64_t n = s->of[i].number, size = n < 0 ? -n : n;
        const int64_t cut = shift >= 0    ? size * (INT64_C(1) << shift)
                            : shift > -63 ? size >> -shift
                                          : 0;
        all += n < 0 ? -cut : cut;
    }
    return matrix_result(&F32, all, most - places);
}

/* One scale factor: significand x 2^exponent, the significand with 3 fraction bits. 0: NaN. */
static int decode_scale(const matrix_scaling *f, uint32_t byte, int *significand, int *exponent) {
    if (f->is_ue8m0) {
        *significand = 8;
        *exponent = (int)byte - 127;
        return byte != 255;
    }
    const uint32_t mantissa = byte & 7, field = byte >> 3 & 15;
    *significand = (int)(mantissa | (field ? 8u : 0));
    *exponent = (int)(field ? field : 1) - 7;
    return (byte & 0x7f) != 0x7f;
}

/* One row and one column. */
typedef struct line {
    const uint8_t *a, *b, *index;
    uint32_t scale_a, scale_b;
} line;

static uint32_t met_by(const line *l, uint32_t k) {
    return l->index ? l->index[k] : k;
}

static void add_products(sum *s, const matrix_scaling *f, const line *l) {
    int one, e_a, e_b, nan_a, nan_b;
    s->is_nan |= !decode_scale(f, l->scale_a & 255, &one, &e_a);
    s->is_nan |= !decode_scale(f, l->scale_b & 255, &one, &e_b);
    for (uint32_t k = 0; k < f->k; k++) {
        term x, y;
        const int x_is = decode(f->a, l->a[k], &x, &nan_a),
                  y_is = decode(f->b, l->b[met_by(l, k)], &y, &nan_b);
        const int64_t product = (f->negates ? -x.number : x.number) * y.number;
        if (x_is && y_is) {
            add_term(s, product, x.exponent + y.exponent + e_a + e_b,
                     x.counts + y.counts + e_a + e_b);
        } else if ((!x_is && nan_a) || (!y_is && nan_b) || !product) {
            s->is_nan = 1;
        } else {
            add_infinity(s, product < 0);
        }
    }
}

/* e2m1 in halves. */
static int half_of(const uint8_t *bytes, uint32_t k) {
    static const int8_t HALVES[] = {0, 1, 2, 3, 4, 6, 8, 12};
    const uint32_t code = (uint32_t)bytes[k / 2] >> k % 2 * 4;
    return code & 8 ? -HALVES[code & 7] : HALVES[code & 7];
}

static void add_groups(sum *s, const matrix_scaling *f, const line *l) {
    for (uint32_t k = 0; k < f->k; k += GROUP_EL) {
        const uint32_t at = k / (f->k / f->scales) * 8;
        int s_a, s_b, e_a, e_b, dot = 0;
        s->is_nan |= !decode_scale(f, l->scale_a >> at & 255, &s_a, &e_a);
        s->is_nan |= !decode_scale(f, l->scale_b >> at & 255, &s_b, &e_b);
        for (uint32_t i = k; i < k + GROUP_EL; i++) {
            dot += half_of(l->a, i) * half_of(l->b, met_by(l, i));
        }
        add_term(s, (int64_t)(f->negates ? -dot : dot) * s_a * s_b, e_a + e_b - 2 - 6, e_a + e_b);
    }
}

void matrix_scaled(const matrix_scaling *f, const matrix_scaled_operands *o,
                   uint32_t (*c)[MATRIX_COLUMNS]) {
    const int is_4 = f->a == EMU_E2M1;
    for (uint32_t row = 0; row < o->rows; row++) {
        for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
            const line l = {o->a[row], o->b[n], o->index ? o->index[row] : NULL, o->scale_a[row],
                            o->scale_b[n]};
            sum s = {.terms = 0};
            (is_4 ? add_groups : add_products)(&s, f, &l);
            add_c(&s, c[row][n]);
            c[row][n] = result_of(&s, is_4 ? PLACES_4 : PLACES_8);
        }
    }
}

void matrix_list_e4m3(uint32_t type, uint8_t list[MATRIX_CODES]) {
    const compute_format *to = compute_format_of(EMU_E4M3), *from = compute_format_of(type);
    for (uint32_t code = 0; code < 1u << compute_width(from); code++) {
        const compute_number x = compute_read(from, code);
        list[code] = (uint8_t)compute_round(to, &x, EMU_RN, 0, 0);
    }
}
