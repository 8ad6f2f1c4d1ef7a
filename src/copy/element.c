/* SPDX-License-Identifier: Apache-2.0
 *
 * What happens to one element: TF32 rounding, reductions. element_reductions.def says who saw it.
 */
#include "tma/element.h"
#include "element_float.h"
#include "traits.h"

static const tma_reduction_row rows[] = {
#define ROW(op, dtype, bulk, rule, evidence)                                                       \
    {TMA_OP_##op, TMA_DTYPE_##dtype, TMA_BULK_##bulk, rule, evidence},
#include "tma/element_reductions.def"
};

size_t tma_reduction_count(void) {
    return sizeof(rows) / sizeof(rows[0]);
}

const tma_reduction_row *tma_reduction_at(size_t index) {
    return index < sizeof(rows) / sizeof(rows[0]) ? &rows[index] : NULL;
}

bool tma_reduction_exists(uint32_t op, uint32_t dtype) {
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].op == op && rows[i].dtype == dtype) {
            return 1;
        }
    }
    return 0;
}

uint32_t tma_round_tf32(uint32_t value) {
    const uint32_t magnitude = value & 0x7FFFFFFF;
    if (magnitude > 0x7F800000) {
        return 0x7FFFE000;
    }
    /* half a unit less one, and one more if the last place kept is odd; infinity stays */
    const uint32_t rounded = magnitude + 0x0FFF + (magnitude >> 13 & 1);
    return (value & 0x80000000) | (rounded & ~UINT32_C(0x1FFF));
}

static tma_format format_of(uint32_t dtype) {
    const tma_type_traits *type = tma_type_of(dtype);
    return (tma_format){(uint8_t)(type->bits - 1 - type->mantissa_bit), type->mantissa_bit};
}

static uint64_t add_float(uint32_t dtype, uint64_t global, uint64_t shared) {
    const tma_format f = format_of(dtype);
    const int ftz = tma_type_has(dtype, TMA_TRAIT_FTZ);
    const uint64_t quiet = tma_format_sign(f) - 1; /* 0x7FFF, 0x7FFFFFFF */
    if (tma_format_is_nan(f, global) || tma_format_is_nan(f, shared)) {
        if (dtype == TMA_DTYPE_FLOAT64) {
            return tma_format_is_nan(f, shared) ? shared : global;
        }
        return quiet;
    }
    if (ftz) {
        global = tma_format_flush(f, global);
        shared = tma_format_flush(f, shared);
    }
    const uint64_t sum = tma_format_add(f, global, shared);
    if (tma_format_is_nan(f, sum)) { /* infinity less infinity */
        return dtype == TMA_DTYPE_FLOAT64 ? UINT64_C(0xFFF8000000000000) : quiet;
    }
    return ftz ? tma_format_flush(f, sum) : sum;
}

static uint64_t pick_float(uint32_t op, uint32_t dtype, uint64_t global, uint64_t shared) {
    const tma_format f = format_of(dtype);
    if (tma_format_is_nan(f, global)) {
        return tma_format_is_nan(f, shared) ? tma_format_sign(f) - 1 : shared;
    }
    if (tma_format_is_nan(f, shared)) {
        return global;
    }
    const int shared_less = tma_format_less(f, shared, global);
    return (op == TMA_OP_MIN) == shared_less ? shared : global;
}

static uint64_t pick_integer(uint32_t op, uint32_t dtype, uint64_t global, uint64_t shared) {
    /* signed order is unsigned order with the sign bit turned */
    const uint64_t sign = UINT64_C(1) << (tma_dtype_bits(dtype) - 1);
    const uint64_t flip = tma_type_has(dtype, TMA_TRAIT_SIGNED) ? sign : 0;
    const int shared_less = (shared ^ flip) < (global ^ flip);
    return (op == TMA_OP_MIN) == shared_less ? shared : global;
}

uint64_t tma_reduce(uint32_t op, uint32_t dtype, uint64_t global, uint64_t shared) {
    const int is_float = tma_type_has(dtype, TMA_TRAIT_FLOAT);
    const uint64_t mask = tma_dtype_bits(dtype) == 32 ? UINT32_MAX : UINT64_MAX;
    if (!tma_reduction_exists(op, dtype)) {
        return global;
    }
    switch (op) {
    case TMA_OP_ADD:
        return is_float ? add_float(dtype, global, shared) : (global + shared) & mask;
    case TMA_OP_MIN:
    case TMA_OP_MAX:
        return is_float ? pick_float(op, dtype, global, shared)
                        : pick_integer(op, dtype, global, shared);
    case TMA_OP_INC:
        return global >= shared ? 0 : global + 1;
    case TMA_OP_DEC:
        return global == 0 || global > shared ? shared : global - 1;
    case TMA_OP_AND:
        return global & shared;
    case TMA_OP_OR:
        return global | shared;
    default:
        return global ^ shared;
    }
}
