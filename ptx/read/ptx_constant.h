/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions of constants, as ptxas computes them: in 64 bits, wrapping, signed or not.
 */
#ifndef PTX_PTX_CONSTANT_H
#define PTX_PTX_CONSTANT_H

#include "tma/ptx_file.h"

/* Whether a span is such an expression, and what it comes to. */
int ptx_constant(tma_ptx_span span, int64_t *value);

/* The expression that a span begins with; what is behind it is left in *span. */
int ptx_constant_take(tma_ptx_span *span, int64_t *value);

/* Past blanks, comments and backslashes at a line's end. */
void ptx_skip_blanks(tma_ptx_span *span);

#endif
