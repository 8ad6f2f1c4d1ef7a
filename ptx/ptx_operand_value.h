/* SPDX-License-Identifier: Apache-2.0
 *
 * What the operands of a step hold, where the step stands (v->now, v->use).
 */
#ifndef PTX_PTX_OPERAND_VALUE_H
#define PTX_PTX_OPERAND_VALUE_H

#include "ptx_constant.h"
#include "ptx_values.h"

/* A place of a function, in one of the contexts that it is called in. */
uint32_t ptx_place_in(const ptx_graph *g, uint32_t context, uint32_t place);

/* What a name of a step's row holds, or its address. */
ptx_value ptx_value_of_ref(ptx_values *v, const ptx_step *step, const ptx_ref *ref);

/* An operand, of that many bits. */
ptx_value ptx_arg_value(ptx_values *v, const ptx_step *step, const ptx_arg *arg, uint32_t bits);

#endif
