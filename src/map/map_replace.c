/* SPDX-License-Identifier: Apache-2.0
 *
 * Editing the 128 bytes: tensormap.replace field by field, and cuTensorMapReplaceAddress.
 */
#include "finding.h"
#include "map_layout.h"
#include "map_read.h"
#include "tma/detail/assert.h"
#include "tma/detail/conditions.h"
#include "tma/map.h"
#include "traits.h"

static const tma_replace_row rows[TMA_REPLACE_FIELDS] = {
#define ROW(id, name, ordinals, min, max, value, evidence)                                         \
    [TMA_REPLACE_##id] = {name, ordinals, max, value, evidence, min},
#include "replace_rows.def"
};

const tma_replace_row *tma_replace_row_of(uint32_t field) {
    return field < TMA_REPLACE_FIELDS ? &rows[field] : NULL;
}

tma_status tma_replace_address(uint8_t *map, uint64_t address, tma_finding *why) {
    const uint16_t sm = tma_arch_of(NULL)->sm;
    tma_decoded decoded;
    if (!map) {
        return tma_null_fault(why, TMA_ARG_MAP);
    }
    if (address == 0) {
        return tma_stop_as(TMA_REFUSED, why, sm, TMA_RULE_REPLACE_ADDRESS_NULL, -1, 0, NOT(0));
    }
    if (address % TMA_VALUE(ALIGN)) {
        return tma_stop_as(
            TMA_REFUSED, why, sm, TMA_RULE_ADDRESS_ALIGN, -1, address,
            BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_ADDRESS, address, TMA_VALUE(ALIGN)));
    }
    if (address >= TMA_VALUE(ADDRESS)) {
        return tma_stop_as(TMA_REFUSED, why, sm, TMA_RULE_ADDRESS_LIMIT, -1, address,
                           BAD(TMA_MUST_BE_BELOW, TMA_UNIT_ADDRESS, address, TMA_VALUE(ADDRESS)));
    }
    tma_read_map(&decoded, map);
    if (tma_off_padded(address, tma_type_of(decoded.spec.dtype))) {
        return tma_stop_as(
            TMA_REFUSED, why, sm, TMA_RULE_ADDRESS_ALIGN_PACKED, -1, address,
            BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_ADDRESS, address, TMA_VALUE(ALIGN_32B)));
    }
    tma_store64(map + TMA_AT_ADDRESS / 8, address);
    return TMA_OK;
}

static void replace_at(uint8_t *map, uint32_t at, uint32_t width, uint32_t value) {
    uint8_t *word = map + (size_t)4 * (at / 32);
    TMA_ASSERT(at / 32 < TMA_MAP_WORDS && at % 32 + width <= 32);
    const uint32_t mask = (uint32_t)(((UINT64_C(1) << width) - 1) << at % 32);
    tma_store32(word, (tma_load32(word) & ~mask) | (value << at % 32 & mask));
}

/* Entry i of a field; an entry behind an array's last lies where it would if there were one. */
#define REPLACE(id, i, value) replace_at(map, TMA_AT(id, i), TMA_WIDTH_##id, (uint32_t)(value))

static void replace_stride(uint8_t *map, uint32_t ordinal, uint64_t units) {
    REPLACE(STRIDE, ordinal, units);
    REPLACE(HIGH, ordinal, units >> TMA_WIDTH_STRIDE);
}

/* The first row of an enumeration that has PTX's number; the fields' immediates all have one. */
static const tma_enum_row *row_of(tma_enum_kind kind, uint32_t immediate) {
    size_t i = 0;
    while (tma_enum_at(kind, i)->ptx != (int32_t)immediate) {
        i++;
        TMA_ASSERT(tma_enum_at(kind, i));
    }
    return tma_enum_at(kind, i);
}

/* A TF32 type is another type's code and the flag, which the others leave as it was. */
static void replace_elemtype(uint8_t *map, uint32_t immediate) {
    const tma_enum_row *row = row_of(TMA_ENUM_DTYPE, immediate);
    REPLACE(ELEMENT, 0, row->stored);
    if (tma_type_has((uint32_t)row->driver, TMA_TRAIT_TF32)) {
        REPLACE(TF32, 0, 1);
    }
}

static void replace_swizzle_mode(uint8_t *map, const tma_edit *e) {
    const tma_enum_row *row = row_of(TMA_ENUM_SWIZZLE, (uint32_t)e->value);
    REPLACE(SWIZZLE, 0, row->stored);
    if (tma_toolchain_has(e->toolchain, TMA_TOOLCHAIN_SWIZZLE_WRITES_96B)) {
        REPLACE(SWIZZLE_96B, 0, row->driver == TMA_SWIZZLE_96B);
    }
}

/* The class that PTX 9.5 names beside the address, or that the compiler gives. */
static void replace_address_field(uint8_t *map, const tma_edit *e) {
    const uint32_t named =
        e->flags & (TMA_REPLACE_ALLOC_SMALL | TMA_REPLACE_ALLOC_LARGE | TMA_REPLACE_ALLOC_SAME);
    tma_store64(map + TMA_AT_ADDRESS / 8, e->value);
    if (named ? named != TMA_REPLACE_ALLOC_SAME
              : tma_toolchain_has(e->toolchain, TMA_TOOLCHAIN_ADDRESS_MAKES_SMALL)) {
        REPLACE(BIT21, 0, named == TMA_REPLACE_ALLOC_LARGE);
    }
}

static uint64_t stride_units(const tma_edit *e) {
    const int by_program = e->flags & TMA_REPLACE_STRIDE_PRE_12_5 ||
                           !tma_toolchain_has(e->toolchain, TMA_TOOLCHAIN_STRIDE_IN_BYTES);
    return by_program ? e->value : e->value >> TMA_STRIDE_SHIFT;
}

static void replace_atomicity(uint8_t *map, const tma_edit *e) {
    REPLACE(ATOMICITY, 0, row_of(TMA_ENUM_ATOMICITY, (uint32_t)e->value)->stored);
    if (!tma_toolchain_has(e->toolchain, TMA_TOOLCHAIN_ATOMICITY_KEEPS_CLASS)) {
        REPLACE(BIT21, 0, 0);
    }
}

static void replace_field(uint8_t *map, const tma_edit *e) {
    const uint32_t ordinal = e->ordinal;
    const uint64_t value = e->value;
    switch ((tma_replace_field)e->field) {
    case TMA_REPLACE_GLOBAL_ADDRESS:
        replace_address_field(map, e);
        break;
    case TMA_REPLACE_RANK:
        REPLACE(RANK, 0, value);
        break;
    case TMA_REPLACE_BOX_DIM:
        REPLACE(BOX, ordinal, value - 1);
        break;
    case TMA_REPLACE_GLOBAL_DIM:
        REPLACE(DIM, ordinal, value - 1);
        break;
    case TMA_REPLACE_GLOBAL_STRIDE:
        replace_stride(map, ordinal, stride_units(e));
        break;
    case TMA_REPLACE_ELEMENT_STRIDE:
        REPLACE(ES, ordinal, value - 1);
        break;
    case TMA_REPLACE_ELEMTYPE:
        replace_elemtype(map, (uint32_t)value);
        break;
    case TMA_REPLACE_INTERLEAVE:
        REPLACE(INTERLEAVE, 0, row_of(TMA_ENUM_INTERLEAVE, (uint32_t)value)->stored);
        break;
    case TMA_REPLACE_SWIZZLE_MODE:
        replace_swizzle_mode(map, e);
        break;
    case TMA_REPLACE_FILL_MODE:
        REPLACE(FILL, 0, row_of(TMA_ENUM_FILL, (uint32_t)value)->stored);
        break;
    case TMA_REPLACE_SWIZZLE_ATOMICITY:
        replace_atomicity(map, e);
        break;
    case TMA_REPLACE_ALLOC_CLASS:
        REPLACE(BIT21, 0, value == TMA_CLASS_LARGE);
        break;
    case TMA_REPLACE_FIELDS:
        break;
    }
}

/* The flags that do not go with the field, or with each other. */
static uint32_t wrong_flags(const tma_edit *e) {
    const uint32_t classes =
        TMA_REPLACE_ALLOC_SMALL | TMA_REPLACE_ALLOC_LARGE | TMA_REPLACE_ALLOC_SAME;
    const uint32_t named = e->flags & classes;
    const uint32_t right =
        TMA_REPLACE_STRIDE_PRE_12_5 | (e->field == TMA_REPLACE_GLOBAL_ADDRESS ? classes : 0);
    return (e->flags & ~right) | (named & (named - 1));
}

/* What ptxas would say of the statement. */
static tma_status check_edit(const tma_edit *e, tma_finding *why) {
    const uint16_t sm = tma_arch_of(NULL)->sm;
    const tma_replace_row *row = tma_replace_row_of(e->field);
    const uint32_t reserved = e->reserved[0] | e->reserved[1] | wrong_flags(e);
    if (!row) {
        return tma_stop(why, sm, TMA_RULE_REPLACE_FIELD, -1, e->field,
                        BAD(TMA_MUST_BE_BELOW, TMA_UNIT_NONE, e->field, TMA_REPLACE_FIELDS));
    }
    if (reserved) {
        return tma_stop(why, sm, TMA_RULE_RESERVED_ZERO, -1, reserved,
                        BAD(TMA_MUST_BE, TMA_UNIT_NONE, reserved, 0));
    }
    if (row->ordinals && e->ordinal >= (uint32_t)row->ordinals) {
        return tma_stop(why, sm, TMA_RULE_REPLACE_ORDINAL, -1, e->ordinal,
                        BAD(TMA_MUST_BE_BELOW, TMA_UNIT_NONE, e->ordinal, row->ordinals));
    }
    if (row->immediate_min >= 0 && e->value < (uint64_t)row->immediate_min) {
        return tma_stop(why, sm, TMA_RULE_REPLACE_IMMEDIATE, -1, e->value,
                        BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_NONE, e->value, row->immediate_min));
    }
    if (row->immediate_max >= 0 && e->value > (uint64_t)row->immediate_max) {
        return tma_stop(why, sm, TMA_RULE_REPLACE_IMMEDIATE, -1, e->value,
                        BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_NONE, e->value, row->immediate_max));
    }
    return TMA_OK;
}

tma_status tma_replace(uint8_t *map, const tma_edit *edit, tma_finding *why) {
    if (!map || !edit) {
        return tma_null_fault(why, map ? TMA_ARG_EDIT : TMA_ARG_MAP);
    }
    const tma_status status = check_edit(edit, why);
    if (status == TMA_OK) {
        replace_field(map, edit);
    }
    return status;
}
