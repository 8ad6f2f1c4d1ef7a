/* SPDX-License-Identifier: Apache-2.0
 *
 * Values in words: "[p+8] + 16 * %tid.x - 4".
 */
#ifndef PTX_PTX_VALUE_TEXT_H
#define PTX_PTX_VALUE_TEXT_H

#include "ptx_values.h"
#include "tma/text.h"

/* A register or .param of a graph. */
void ptx_place_put(tma_out *out, const ptx_values *v, uint32_t place);

/* The line of a block's first step, or of the first that follows. */
size_t ptx_block_line(const ptx_values *v, uint32_t block);

void ptx_value_put(tma_out *out, const ptx_values *v, ptx_value value);

#endif
