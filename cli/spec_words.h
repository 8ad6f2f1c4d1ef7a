/* SPDX-License-Identifier: Apache-2.0
 *
 * A spec in the command line's words, as spec_args.c reads them back.
 */
#ifndef CLI_SPEC_WORDS_H
#define CLI_SPEC_WORDS_H

#include <stdio.h>

#include "tma/spec.h"

/* " --api tiled --dtype bfloat16 ... --fill none", every argument of the call. */
void spec_words(FILE *out, const tma_spec *spec);

/* How many entries of each array the call looks at, at most what a spec holds. */
uint32_t spec_dims(const tma_spec *spec);
uint32_t spec_strides(const tma_spec *spec);
uint32_t spec_corners(const tma_spec *spec);

#endif
