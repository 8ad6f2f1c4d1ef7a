/* SPDX-License-Identifier: Apache-2.0
 *
 * A module decoded: functions and variables, then instruction by instruction, then what needs all
 * of them: labels, joins, what kernels name.
 */
#include "decode.h"

#include "tma/text.h"

/* ---- instructions ---- */

static void take_guard(decode *d, emu_instruction *in, const tma_ptx_parts *parts) {
    if (!parts->guard.length) {
        return;
    }
    const ptx_ref *ref = ptx_rows_ref(d->rows, d->row, parts->guard.at);
    if (!ref || ref->place == PTX_NONE) {
        decode_no_name(d, parts->guard);
        return;
    }
    if (d->rows->symbol[ref->symbol].kind == PTX_IS_VARIABLE ||
        d->rows->symbol[ref->symbol].lanes ||
        decode_type_of(d->rows->symbol[ref->symbol].type) != EMU_PRED) {
        d->why = DECODE_NO_OPERAND;
        return;
    }
    in->guard = d->slot_of_place[ref->place];
    in->guard_negated = parts->negated != 0;
}

static void take_statement(decode *d, emu_instruction *in) {
    const tma_ptx_piece *piece = &d->rows->row[d->row].piece;
    tma_ptx_statement statement;
    if (tma_ptx_parse(&statement, piece->at, piece->size, NULL) != TMA_OK) {
        d->why = DECODE_NO_STATEMENT;
    } else if (statement.kind != TMA_PTX_OTHER) {
        in->statement = d->p->statements;
        PTX_APPEND(d->p, statement, statements, statement);
    }
}

static void take_instruction(decode *d) {
    tma_ptx_parts parts;
    d->why = DECODE_EXECUTED;
    d->unread.length = 0;
    d->used_slots = d->fixed_slots;
    if (tma_ptx_split(&parts, &d->rows->row[d->row].piece) ||
        !(d->now = decode_opcode_of(d, parts.opcode))) {
        return;
    }
    emu_instruction in = d->now->in;
    take_guard(d, &in, &parts);
    if (d->now->has_statement) {
        take_statement(d, &in);
    }
    if (d->now->flow == DECODE_CALL) {
        decode_call(d, &in, &parts);
    } else if (d->now->flow == DECODE_BRX) {
        decode_brx(d, &in, &parts);
    } else {
        decode_operands(d, &in, &parts);
    }
    decode_add(d, d->now, in);
    emu_function *f = &d->p->function[d->function];
    f->slots = d->used_slots > f->slots ? d->used_slots : f->slots;
}

/* The return that every function has behind its last instruction. */
static void add_return(decode *d, const ptx_function *from) {
    d->row = from->end ? from->end - 1 : 0;
    d->why = DECODE_EXECUTED;
    const decode_opcode *ret = decode_opcode_of(d, ptx_span("ret"));
    if (ret) {
        decode_add(d, ret, ret->in);
    }
}

static void take_function(decode *d, uint32_t function) {
    const ptx_function *from = &d->rows->function[function];
    emu_function *f = &d->p->function[function];
    if (from->first == from->end) {
        return;
    }
    d->function = function;
    d->fixed_slots = f->slots;
    f->first = d->p->instructions;
    for (d->row = from->first; d->row < from->end && !d->memory->failed; d->row++) {
        d->at_row[d->row] = d->p->instructions;
        if (d->rows->row[d->row].piece.kind == TMA_PTX_PIECE_INSTRUCTION) {
            take_instruction(d);
        }
    }
    f->end = d->p->instructions;
    add_return(d, from);
}

static void settle_label(const decode *d, emu_operand *o) {
    if (o->kind == EMU_LABEL) {
        o->number = d->at_row[o->number];
    }
}

static void settle_labels(decode *d) {
    for (uint32_t i = 0; i < d->p->instructions; i++) {
        for (uint32_t k = 0; k < d->p->code[i].operands; k++) {
            settle_label(d, &d->p->code[i].operand[k]);
        }
    }
    for (uint32_t i = 0; i < d->p->all_operands; i++) {
        settle_label(d, &d->p->operand[i]);
    }
}

static int is_ptx(const ptx_rows *rows) {
    for (uint32_t i = 0; i < rows->functions; i++) {
        if (rows->function[i].first < rows->function[i].end) {
            return 1;
        }
    }
    return 0;
}

static int take_module(decode *d, tma_error *error) {
    d->at_row = ptx_memory_take(d->memory, d->rows->rows + 1u, sizeof(*d->at_row));
    if (!d->at_row || decode_variables(d, error) || decode_functions(d)) {
        return -1;
    }
    for (uint32_t i = 0; i < d->p->functions && !d->memory->failed; i++) {
        take_function(d, i);
    }
    if (d->memory->failed) {
        return -1;
    }
    settle_labels(d);
    for (uint32_t i = 0; i < d->p->functions && !d->memory->failed; i++) {
        if (d->p->function[i].is_defined) {
            decode_joins(d, i);
            decode_groups(d, i);
        }
    }
    decode_used(d);
    return d->memory->failed ? -1 : 0;
}

int emu_decode(emu_program *out, ptx_memory *memory, const char *text, size_t size,
               tma_error *error) {
    *out = (emu_program){.memory = memory};
    decode d = {.p = out, .memory = memory, .rows = &out->rows, .text_end = text + size};
    if (error) {
        error->text[0] = 0;
    }
    int failed = ptx_rows_read(&out->rows, memory, text, size) ||
                 ptx_functions_read(&d.functions, memory, &out->rows);
    if (!failed && !is_ptx(&out->rows)) {
        return tma_fail(error, "this is no PTX: no function has a body (" PTX_HOW_MADE ")");
    }
    failed = failed || take_module(&d, error);
    if (failed && error && !error->text[0]) {
        tma_fail(error, "there is no memory for this PTX");
    }
    return failed ? -1 : 0;
}
