/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's own calls, found in libcuda.so.1 when the program runs: nothing of CUDA is needed to
 * build this.
 */
#ifndef HARDWARE_DRIVER_H
#define HARDWARE_DRIVER_H

#include <stdint.h>
#include <tma/map.h>

/* Loads the library (null: libcuda.so.1). Returns null, or what is missing. */
const char *driver_open(const char *path);

/* cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col or cuTensorMapEncodeIm2colWide, as the spec says:
 * the CUresult. The spec's api must be one of the three. */
int driver_encode(tma_map *map, const tma_spec *spec);

/* cuTensorMapReplaceAddress. */
int driver_replace_address(tma_map *map, uint64_t address);

/* Whether the driver has cuTensorMapEncodeIm2colWide (CUDA 12.8 and later). */
int driver_has_wide(void);

/* cuDriverGetVersion; 0 where the library has none. */
uint32_t driver_version(void);

#endif
