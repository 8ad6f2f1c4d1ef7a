/* SPDX-License-Identifier: Apache-2.0
 *
 * A few right and wrong calls, made through whatever functions a program got hold of.
 */
#ifndef SHIM_TESTS_CALL_CASES_H
#define SHIM_TESTS_CALL_CASES_H

#include "cuda_or_mirror.h"

struct driver_calls {
    tiled_call *tiled;
    im2col_call *im2col;
    wide_call *wide;
    replace_call *replace;
};

/* Makes a context of device 0 current, if this is a driver that has contexts. */
void begin_driver(void *driver);

/* Prints a line a call: a name, the CUresult, and a hash of the map where it was written. */
void run_cases(const struct driver_calls *calls);

/* One tiled map of bf16, 4096 x 8192, 128-byte swizzle: the box is 64 wide, or as the caller says.
 */
CUresult encode_matrix(tiled_call *encode, CUtensorMap *map, cuuint32_t width, uintptr_t address);

#endif
