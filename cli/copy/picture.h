/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory as a picture: a line for every 128 bytes that a copy's footprint touches, in it a
 * cell for every 16 bytes, named by the tensor coordinates of its first element.
 */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include <stdio.h>

#include "color.h"
#include "copy_args.h"

#define PICTURE_LINES 32 /* shown if nothing else was asked for */

/* Prints at most `most_lines` lines of 128 bytes, the first and the last ones, for a copy that
 * tma_plan_at() lets run and whose window fits in memory. */
void picture_print(FILE *out, const copy_args *copy, size_t most_lines, const color_set *colors);

#endif
