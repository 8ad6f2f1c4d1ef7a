/* SPDX-License-Identifier: Apache-2.0
 *
 * tcgen05's instruction descriptor, field by field, out of mma_fields.def.
 */
#include "mma_internal.h"
#include "tma/detail/chars.h"

#define KIND(kind)         (1u << TMA_IDESC_KIND_##kind)
#define TMA_IDESC_PLAIN    (KIND(F16) | KIND(TF32) | KIND(F8F6F4) | KIND(I8))
#define TMA_IDESC_MXF8F6F4 KIND(MXF8F6F4)
#define TMA_IDESC_MXF4     KIND(MXF4)
#define TMA_IDESC_SCALED   (TMA_IDESC_MXF8F6F4 | TMA_IDESC_MXF4)
#define TMA_IDESC_ALL      (TMA_IDESC_PLAIN | TMA_IDESC_SCALED)

static const tma_idesc_field fields[] = {
#define TMA_IDESC_FIELD(kinds, id, name, bit, width, shift, meaning)                               \
    {name, meaning, bit, width, shift, kinds},
#include "tma/mma_fields.def"
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static uint32_t mask_of(tma_idesc_field field) {
    return ((1u << field.width_bit) - 1) << field.bit;
}

tma_idesc_field tma_idesc_field_at(uint32_t kind, size_t index) {
    static const tma_idesc_field none;
    for (size_t i = 0; i < FIELDS && kind < TMA_IDESC_KINDS; i++) {
        if (fields[i].kinds >> kind & 1 && !index--) {
            return fields[i];
        }
    }
    return none;
}

tma_idesc_field tma_idesc_field_find(uint32_t kind, const char *name) {
    for (size_t i = 0;; i++) {
        const tma_idesc_field field = tma_idesc_field_at(kind, i);
        if (!field.name || (name && !text_compare(field.name, name))) {
            return field;
        }
    }
}

uint32_t tma_idesc_read(uint32_t idesc, tma_idesc_field field) {
    return (idesc & mask_of(field)) >> field.bit << field.shift;
}

tma_status tma_idesc_write(uint32_t *idesc, tma_idesc_field field, uint32_t number) {
    const uint32_t stored = number >> field.shift;
    if (!idesc || !field.name || stored << field.shift != number || stored >> field.width_bit) {
        return TMA_INVALID;
    }
    *idesc = (*idesc & ~mask_of(field)) | stored << field.bit;
    return TMA_OK;
}

uint32_t tma_idesc_type(uint32_t kind, uint32_t number) {
    static const struct {
        uint8_t kinds, stored, type;
    } types[] = {
#define TMA_IDESC_TYPE(kinds, stored, type) {kinds, stored, TMA_MMA_TYPE_##type},
#include "tma/mma_fields.def"
    };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]) && kind < TMA_IDESC_KINDS; i++) {
        if (types[i].kinds >> kind & 1 && types[i].stored == number) {
            return types[i].type;
        }
    }
    return TMA_MMA_TYPES;
}

uint32_t tma_idesc_unowned(uint32_t kind) {
    uint32_t owned = 0;
    for (size_t i = 0; tma_idesc_field_at(kind, i).name; i++) {
        owned |= mask_of(tma_idesc_field_at(kind, i));
    }
    return ~owned;
}
