/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls, and jumps through a table of labels.
 */
#include "decode.h"
#include "ptx_constant.h"

/* (a, b): the inside; or nothing. */
static int take_parentheses(tma_ptx_span text, tma_ptx_span *list) {
    ptx_skip_blanks(&text);
    if (text.length < 2 || text.at[0] != '(') {
        return 0;
    }
    *list = (tma_ptx_span){text.at + 1, text.length - 2};
    ptx_skip_blanks(list);
    return 1;
}

/* What the i-th parameter of a function that is known is; of others what fits a number. */
static uint32_t parameter_type(const decode *d, const emu_operand *callee, uint32_t i) {
    if (callee->kind == EMU_FUNCTION) {
        const emu_function *f = &d->p->function[callee->number];
        if (i < f->parameters) {
            const emu_variable *v = &d->p->variable[d->p->parameter[f->first_parameter + i]];
            return v->size_B == 8 ? EMU_B64 : EMU_B32;
        }
    }
    return EMU_B32;
}

static emu_operand arguments(decode *d, const emu_instruction *in, const emu_operand *callee,
                             tma_ptx_span list) {
    emu_operand all = {.kind = EMU_VECTOR, .variable = EMU_NONE, .first = d->p->all_operands};
    while (list.length) {
        const tma_ptx_span one = decode_cut(&list);
        const emu_operand o = decode_operand(d, in, one, parameter_type(d, callee, all.count));
        PTX_APPEND(d->p, operand, all_operands, o);
        all.count++;
    }
    return all;
}

void decode_call(decode *d, emu_instruction *in, const tma_ptx_parts *parts) {
    tma_ptx_span list = {"", 0};
    uint32_t at = 0;
    if (parts->count && take_parentheses(parts->operand[0], &list)) {
        at = 1;
    }
    in->operands = 3;
    in->operand[0] = decode_list(d, in, list, EMU_B32);
    if (at >= parts->count) {
        d->why = DECODE_NO_OPERAND;
        return;
    }
    in->operand[1] = decode_operand(d, in, parts->operand[at], EMU_B64);
    list.length = 0;
    if (at + 1 < parts->count) {
        take_parentheses(parts->operand[at + 1], &list);
    }
    in->operand[2] = arguments(d, in, &in->operand[1], list);
}

/* The row behind a label that is a directive, as ".branchtargets L1, L2;". */
void decode_brx(decode *d, emu_instruction *in, const tma_ptx_parts *parts) {
    static const char WORD[] = ".branchtargets";
    in->operands = 2;
    if (parts->count != 2) {
        d->why = DECODE_NO_OPERAND;
        return;
    }
    in->operand[0] = decode_operand(d, in, parts->operand[0], EMU_U32);
    const emu_operand table = decode_operand(d, in, parts->operand[1], EMU_U32);
    const uint32_t row = table.kind == EMU_LABEL ? (uint32_t)table.number + 1 : d->rows->rows;
    if (row >= d->rows->rows) {
        d->why = DECODE_NO_OPERAND;
        return;
    }
    const tma_ptx_piece *piece = &d->rows->row[row].piece;
    tma_ptx_span list = {piece->at, piece->size};
    if (!ptx_begins(list, WORD)) {
        d->why = DECODE_NO_OPERAND;
        return;
    }
    list.at += sizeof(WORD) - 1;
    list.length -= sizeof(WORD) - 1;
    list.length = text_until(list.at, list.length, ';');
    emu_operand all = {.kind = EMU_VECTOR, .variable = EMU_NONE, .first = d->p->all_operands};
    for (ptx_skip_blanks(&list); list.length; all.count++) {
        const tma_ptx_span name = decode_cut(&list);
        const uint32_t label = ptx_label_named(&d->functions, d->row, name);
        const emu_operand o = {.kind = label == PTX_NONE ? EMU_ABSENT : EMU_LABEL,
                               .variable = EMU_NONE,
                               .number = label};
        if (label == PTX_NONE) {
            decode_no_name(d, name);
        }
        PTX_APPEND(d->p, operand, all_operands, o);
    }
    in->operand[1] = all;
}
