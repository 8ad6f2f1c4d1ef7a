/* SPDX-License-Identifier: Apache-2.0
 *
 * The array of a tensor, written row by row: no more of it is in memory than what a copy touched.
 */
#ifndef CLI_TENSOR_ROWS_H
#define CLI_TENSOR_ROWS_H

#include "tensor.h"

/* Writes an .npy file ("-": standard output). What `held` holds is written as it is there; the rest
 * is a ramp, or zeros. */
int tensor_write(const char *path, const tensor *held, const tma_spec *spec, int ramp,
                 tma_error *error);

#endif
