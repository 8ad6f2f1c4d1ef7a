/* SPDX-License-Identifier: Apache-2.0
 *
 * Ramps.
 */
#include "ramp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tma/type_traits.h"
#include "tma/walk.h"

typedef struct number_form {
    uint32_t bits;
    uint32_t mantissa; /* 0: an integer */
    uint32_t exact;    /* bits of the numbers that the type has, and the modulus */
} number_form;

#define TF32_EXACT 11

static const number_form forms[] = {
#define TMA_DTYPE_ROWS(id, name, cuda, ptx, imm, stored, evidence, bits, mantissa, traits, ...)    \
    [TMA_DTYPE_##id] = {bits, mantissa,                                                            \
                        (traits)&TMA_TRAIT_TF32     ? TF32_EXACT                                   \
                        : (mantissa)                ? (mantissa) + 1                               \
                        : (traits)&TMA_TRAIT_SIGNED ? (bits)-1                                     \
                                                    : (bits)},
#include "tma/enums.def"
};

const char *ramp_modulus(uint32_t dtype, char buffer[32]) {
    const uint32_t bits = forms[dtype].exact;
    buffer[0] = 0;
    if (bits < 63) {
        snprintf(buffer, 32, " modulo %" PRIu64, UINT64_C(1) << bits);
    }
    return buffer;
}

/* A number that the form has, as IEEE 754 has it. */
static uint64_t float_bits(uint64_t number, const number_form *form) {
    const uint64_t bias = (UINT64_C(1) << (form->bits - form->mantissa - 2)) - 1;
    uint32_t exponent = 0;
    while (number >> exponent > 1) {
        exponent++;
    }
    return number ? ((exponent + bias) << form->mantissa) +
                        ((number << (form->mantissa - exponent)) - (UINT64_C(1) << form->mantissa))
                  : 0;
}

static uint64_t element(const number_form *form, uint64_t index) {
    const uint64_t number = form->exact < 64 ? index & ((UINT64_C(1) << form->exact) - 1) : index;
    return form->mantissa ? float_bits(number, form) : number;
}

/* Elements of 4 and 6 bits, one behind the other. */
static void fill_packed(uint8_t *to, const number_form *form, uint64_t first, uint64_t count) {
    uint64_t held = 0;
    uint32_t held_bits = 0;
    for (uint64_t i = 0; i < count; i++) {
        held |= element(form, first + i) << held_bits;
        held_bits += form->bits;
        for (; held_bits >= 8; held_bits -= 8, held >>= 8) {
            *to++ = (uint8_t)held;
        }
    }
    if (held_bits) {
        *to = (uint8_t)held;
    }
}

void ramp_fill(uint8_t *to, uint32_t dtype, uint64_t first, uint64_t count) {
    const number_form form = forms[dtype];
    const uint32_t bits = form.bits;
    const uint32_t again = form.exact; /* after 2^again elements it is the same */
    if (bits % 8) {
        fill_packed(to, &form, first, count);
        return;
    }
    const uint64_t fresh = again < 32 && count >> again ? UINT64_C(1) << again : count;
    for (uint64_t i = 0; i < fresh; i++) {
        const uint64_t value = element(&form, first + i);
        for (uint32_t k = 0; k < bits; k += 8) {
            *to++ = (uint8_t)(value >> k);
        }
    }
    const uint64_t size_B = count * (bits / 8);
    for (uint64_t done_B = fresh * (bits / 8); done_B < size_B;) {
        const uint64_t more_B = size_B - done_B < done_B ? size_B - done_B : done_B;
        memcpy(to, to - done_B, (size_t)more_B);
        to += more_B;
        done_B += more_B;
    }
}

/* Elements of the innermost dimension. */
static uint64_t row_el(const tma_spec *spec) {
    const uint32_t unit_bit = 128 * spec->interleave;
    return unit_bit ? spec->dim_el[0] * (unit_bit / tma_dtype_bits(spec->dtype)) : spec->dim_el[0];
}

typedef struct part_filler {
    tensor *part;
    const tma_spec *spec;
} part_filler;

static int fill_run(void *context, const tma_run *run) {
    const part_filler *f = context;
    const uint32_t bits = tma_dtype_bits(f->spec->dtype);
    uint64_t index = 0;
    if (run->kind != TMA_RUN_INSIDE) {
        return 0;
    }
    for (uint32_t i = run->rank; i-- > 1;) {
        index = index * f->spec->dim_el[i] + (uint64_t)run->coord[i];
    }
    const uint64_t unit_el = row_el(f->spec) / f->spec->dim_el[0];
    index = index * row_el(f->spec) + (uint64_t)run->coord[0] * unit_el;
    ramp_fill(tensor_at(f->part, run->address, run->global_length_B), f->spec->dtype, index,
              (uint64_t)run->global_length_B * 8 / bits);
    return 0;
}

void ramp_part(tensor *part, const tma_spec *spec, const tma_plan *plan, const tma_position *at) {
    part_filler filler = {part, spec};
    tma_walk_rows(plan, at, fill_run, &filler);
}

void ramp_row(uint8_t *to, const tma_spec *spec, uint64_t row) {
    const uint64_t count = row_el(spec);
    ramp_fill(to, spec->dtype, row * count, count);
}

static void lay_row(void *context, uint64_t row, uint8_t *at) {
    ramp_row(at, context, row);
}

void ramp_whole(const tensor *whole, tma_spec *spec) {
    tensor_each_row(whole, spec, lay_row, spec);
}
