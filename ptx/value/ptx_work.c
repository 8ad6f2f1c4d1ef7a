/* SPDX-License-Identifier: Apache-2.0
 *
 * What an instruction gives of its operands: a number of numbers, a product, a comparison.
 */
#include "ptx_work.h"
#include "ptx_calculate.h"
#include "ptx_operand_value.h"

ptx_value ptx_work_arg(const ptx_work *w, uint32_t i, uint32_t bits) {
    return i < w->c->args
               ? ptx_arg_value(w->v, w->step, &w->v->g->codes->arg[w->c->first_arg + i], bits)
               : PTX_UNKNOWN;
}

ptx_value ptx_work_operation(const ptx_work *w, uint32_t bits) {
    ptx_value of[PTX_MOST_CALCULATED];
    uint64_t number[PTX_MOST_CALCULATED];
    uint64_t out = 0;
    const uint32_t count = w->c->args;
    int are_numbers = w->c->op != PTX_OP_SETP;
    if (count > PTX_MOST_CALCULATED || !count) {
        return PTX_UNKNOWN;
    }
    for (uint32_t i = 0; i < count; i++) {
        of[i] = ptx_work_arg(w, i, 64);
        are_numbers = ptx_form_is_number(w->f, of[i], &number[i]) && are_numbers;
    }
    if (are_numbers &&
        ptx_calculate(w->c, w->v->g->codes->opcode[w->c->name], number, count, &out)) {
        return ptx_form_number(w->f, out, bits);
    }
    return ptx_form_operation(w->f, w->c->name, bits, of, count);
}

int ptx_work_has(const ptx_work *w, const char *qualifier) {
    return ptx_opcode_has(w->v->g->codes->opcode[w->c->name], qualifier);
}

int ptx_work_is_plain(const ptx_work *w) {
    return !ptx_work_has(w, "sat") && !ptx_work_has(w, "relu");
}

ptx_value ptx_work_product(const ptx_work *w, int is_wide) {
    const uint32_t bits = is_wide ? 2u * w->c->bits : w->c->bits;
    uint64_t number = 0;
    ptx_value of[2];
    const int is_mad = w->c->op == PTX_OP_MAD || w->c->op == PTX_OP_MAD_WIDE;
    if (bits > 64 || w->c->args != 2u + is_mad) { /* mul.wide.s64 is none of PTX */
        return PTX_UNKNOWN;
    }
    for (uint32_t i = 0; i < 2; i++) {
        of[i] = ptx_form_extend(w->f, ptx_work_arg(w, i, w->c->bits), bits, w->c->is_signed);
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (ptx_form_is_number(w->f, of[i], &number)) {
            return ptx_form_times(w->f, of[1 - i], number);
        }
    }
    const ptx_value sorted[2] = {of[of[0] > of[1]], of[of[0] <= of[1]]};
    return ptx_form_operation(w->f, PTX_DO_PRODUCT, bits, sorted, 2);
}

/* The comparison of two values that are not both numbers. */
static ptx_value compares_with(const ptx_work *w, uint32_t bits) {
    const ptx_value of[2] = {ptx_work_arg(w, 0, bits ? bits : 64),
                             ptx_work_arg(w, 1, bits ? bits : 64)};
    return w->c->args < 2 ? PTX_UNKNOWN : ptx_form_operation(w->f, w->c->name, 1, of, 2);
}

/* setp.lt.s32 p, a, b; whether the comparison holds. */
static ptx_value comparison(const ptx_work *w) {
    static const char *const words[] = {"eq", "ne", "lt", "lo", "le", "ls", "gt", "hi", "ge", "hs"};
    const uint32_t bits = w->c->bits;
    uint64_t x = 0;
    uint64_t y = 0;
    uint32_t which = 0;
    if (!bits || w->c->args < 2 || !ptx_form_is_number(w->f, ptx_work_arg(w, 0, bits), &x) ||
        !ptx_form_is_number(w->f, ptx_work_arg(w, 1, bits), &y)) {
        return compares_with(w, bits);
    }
    while (which < sizeof(words) / sizeof(words[0]) && !ptx_work_has(w, words[which])) {
        which++;
    }
    const uint64_t sign = w->c->is_signed ? UINT64_C(1) << (bits - 1) : 0;
    const int order = (x ^ sign) < (y ^ sign) ? -1 : x != y; /* of those with signs, too */
    const int is[] = {!order, order != 0, order<0, order <= 0, order> 0, order >= 0};
    const uint32_t row = which < 2 ? which : 2 + (which - 2) / 2;
    return which < sizeof(words) / sizeof(words[0]) ? ptx_form_number(w->f, (uint64_t)is[row], 1)
                                                    : compares_with(w, bits);
}

ptx_value ptx_work_compared(const ptx_work *w, uint32_t which) {
    ptx_value is = comparison(w);
    if (which) { /* q */
        is = ptx_form_sum(w->f, ptx_form_number(w->f, 1, 1), is, 1);
    }
    if (w->c->args == 2) {
        return is;
    }
    const ptx_value with = w->c->args == 3 ? ptx_work_arg(w, 2, 1) : PTX_UNKNOWN;
    uint64_t number = 0;
    if (ptx_work_has(w, "xor")) {
        return ptx_form_sum(w->f, is, with, 1);
    }
    const uint64_t keeps = ptx_work_has(w, "and"); /* and 1, or 0 */
    if (ptx_form_is_number(w->f, with, &number)) {
        return number == keeps ? is : with;
    }
    if (ptx_form_is_number(w->f, is, &number)) {
        return number == keeps ? with : is;
    }
    return which ? PTX_UNKNOWN : ptx_work_operation(w, 1);
}
