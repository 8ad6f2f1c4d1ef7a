/* SPDX-License-Identifier: Apache-2.0
 *
 * One stored field of a map as a person reads it.
 */
#ifndef CLI_FIELD_VIEW_H
#define CLI_FIELD_VIEW_H

#include <stddef.h>

#include "tma/map.h"

/* Whether the field means something in this map: its kind and rank have it. */
int field_is_live(const tma_field_row *row, const tma_decoded *decoded);

/* The same, or it should be 0 and is not. */
int field_is_shown(const tma_field_row *row, const tma_decoded *decoded, const void *map);

/* What the bits mean: "64", "512 x 16 B", "10 (bfloat16)", "-3". */
void field_value(const tma_field_row *row, const tma_decoded *decoded, const void *map, char *text,
                 size_t size);

/* "[10:7]", "[16]", "[63:0]". */
void field_bits(const tma_field_row *row, char *text, size_t size);

#endif
