/* SPDX-License-Identifier: Apache-2.0
 *
 * The writing half of encode, for specs whose numbers are known to fit.
 */
#ifndef TMA_MAP_WRITE_H
#define TMA_MAP_WRITE_H

#include "tma/map.h"

/* box_B is word 16. */
void tma_write_map(uint8_t *map, const tma_spec *spec, const tma_arch_row *arch, uint32_t driver,
                   uint32_t box_B);

#endif
