/* SPDX-License-Identifier: Apache-2.0
 *
 * Values in words: "[p+8] + 16 * %tid.x - 4".
 */
#ifndef PTX_PTX_VALUE_TEXT_H
#define PTX_PTX_VALUE_TEXT_H

#include "ptx_values.h"
#include "tma/text.h"

void ptx_value_put(tma_out *out, const ptx_values *v, ptx_value value);

#endif
