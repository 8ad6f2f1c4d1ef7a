/* SPDX-License-Identifier: Apache-2.0
 *
 * What a store or reduction did to the tensor: its rows, and the bytes behind their ends.
 */
#ifndef CLI_CHANGES_H
#define CLI_CHANGES_H

#include <stdio.h>

#include "color.h"
#include "tensor.h"

/* Bytes of the tensor that a copy writes, as they were. */
typedef struct changes changes;

/* Looks at the tensor, which has to stay, before the copy. */
changes *changes_before(const tensor *tensor, const tma_spec *spec, const tma_plan *plan,
                        const tma_position *at);

/* Prints what differs in the same bytes now, at most `most` rows of it, and a warning if there are
 * any behind a row's end. */
void changes_print(FILE *out, const changes *changes, size_t most, const color_set *colors);

void changes_free(changes *changes);

#endif
