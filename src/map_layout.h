/* SPDX-License-Identifier: Apache-2.0
 *
 * Where each field of the 128 bytes sits, as constants out of map_fields.def.
 */
#ifndef TMA_MAP_LAYOUT_H
#define TMA_MAP_LAYOUT_H

#include "bytes.h"
#include "tma/spec.h"

enum {
#define FIELD(id, name, scope, form, word, bit, width, meaning, evidence)                          \
    TMA_AT_WORD_##id = (word), TMA_AT_BIT_##id = (bit), TMA_AT_WIDTH_##id = (width),
#include "map_fields.def"
#undef FIELD
};

#define TMA_KIND_TILED  0u
#define TMA_KIND_IM2COL 1u

/* The bits of a field in its word, in place; not for the address. */
#define TMA_MASK(id) ((uint32_t)(((UINT64_C(1) << TMA_AT_WIDTH_##id) - 1) << TMA_AT_BIT_##id))

/* A field's number put in place, or taken out of its word. */
#define TMA_PUT(id, value) (((uint32_t)(value) << TMA_AT_BIT_##id) & TMA_MASK(id))
#define TMA_GET(id, word)  (((word)&TMA_MASK(id)) >> TMA_AT_BIT_##id)

#endif
