/* SPDX-License-Identifier: Apache-2.0
 *
 * The reading half of decode: what a map says, without asking whether it is all in order.
 */
#ifndef TMA_MAP_READ_H
#define TMA_MAP_READ_H

#include "tma/map.h"

/* out->spec, kind, bit21, and in out->odd what is odd about word 2; box_B and repeat_B stay as they
 * were. */
void tma_read_map(tma_decoded *out, const uint8_t *map);

/* map_readings.c: the reading that puts this into a word of such a map, as tma_target.readings has
 * it; 0: none does. */
uint32_t tma_reading_of_word(const tma_spec *spec, uint32_t word, uint32_t stored);

/* map_fields.c: whether something is set in what belongs to dimensions beyond the rank. */
int tma_beyond_rank(const uint8_t *map, const tma_decoded *decoded);

#endif
