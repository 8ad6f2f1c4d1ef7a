/* SPDX-License-Identifier: Apache-2.0
 *
 * The writing half of encode, for specs whose numbers are known to fit.
 */
#ifndef TMA_MAP_WRITE_H
#define TMA_MAP_WRITE_H

#include "tma/map.h"

/* box_B is word 16, as it is without readings (tma_target.readings). */
void tma_write_map(uint8_t *map, const tma_spec *spec, const tma_arch_row *arch, uint32_t driver,
                   uint32_t box_B, uint32_t readings);

/* map_readings.c: the words that hang on disputed questions, as the target reads these. */
void tma_write_readings(uint8_t *map, const tma_spec *spec, const tma_arch_row *arch,
                        uint32_t readings);

/* map_class.c. Bit 21. Public sources say two things: drivers up to 13.1 look at the number of
 * elements, later ones at the memory that the tensor spans (release notes of driver 595.71.05:
 * small tensors that are not dense were marked large; the CuTe DSL 4.7.0 agrees). Neither was seen
 * by this project. */
int tma_is_large(const tma_spec *spec, uint32_t driver);
void tma_put_large(uint8_t *map, int large);

#endif
