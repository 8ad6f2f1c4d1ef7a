/* SPDX-License-Identifier: Apache-2.0
 *
 * One step under evaluation, and what its instruction gives of its operands.
 */
#ifndef PTX_WORK_H
#define PTX_WORK_H

#include "ptx_operand_value.h"

typedef void (*ptx_assign)(ptx_values *v, uint32_t place, ptx_value value);

typedef struct ptx_work {
    ptx_values *v;
    ptx_forms *f;
    const ptx_step *step;
    uint32_t index; /* of the step */
    const ptx_code *c;
    ptx_assign assign;
} ptx_work;

ptx_value ptx_work_arg(const ptx_work *w, uint32_t i, uint32_t bits);

int ptx_work_has(const ptx_work *w, const char *qualifier);

/* Not .sat, min.relu. add.cc gives a sum, and a carry beside it. */
int ptx_work_is_plain(const ptx_work *w);

/* What an instruction gives of its operands alone: a number of numbers. */
ptx_value ptx_work_operation(const ptx_work *w, uint32_t bits);

/* In as many bits as the operands have, or in twice as many. */
ptx_value ptx_work_product(const ptx_work *w, int is_wide);

/* setp.lt.and.s32 p|q, a, b, c; */
ptx_value ptx_work_compared(const ptx_work *w, uint32_t which);

#endif
