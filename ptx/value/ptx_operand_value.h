/* SPDX-License-Identifier: Apache-2.0
 *
 * What the operands of a step hold, where the step stands (v->now, v->use).
 */
#ifndef PTX_PTX_OPERAND_VALUE_H
#define PTX_PTX_OPERAND_VALUE_H

#include "ptx_constant.h"
#include "ptx_values.h"

/* The place of a .param's offset, or of a register (0), in a context; PTX_NONE: it has none. */
uint32_t ptx_place_at(const ptx_graph *g, uint32_t context, const ptx_symbol *s, uint32_t number);
/* The place of a .param that is as far behind its begin, and as wide, as one of another; PTX_NONE:
 * it has none. */
uint32_t ptx_place_alike(const ptx_graph *g, uint32_t context, const ptx_symbol *s,
                         const ptx_place *other);

/* The place of a lane of an instruction that loads from or stores to a call's .param; or PTX_NONE.
 */
uint32_t ptx_slot_lane(const ptx_graph *g, uint32_t context, const ptx_code *c, const ptx_ref *ref,
                       uint32_t lane);

/* Whether it stores to a call's .param or a function's .local. */
int ptx_code_stores(const ptx_code *c);

/* What a name of a step's row holds, or its address. */
ptx_value ptx_value_of_ref(ptx_values *v, const ptx_step *step, const ptx_ref *ref);

/* An operand, of that many bits. */
ptx_value ptx_arg_value(ptx_values *v, const ptx_step *step, const ptx_arg *arg, uint32_t bits);

#endif
