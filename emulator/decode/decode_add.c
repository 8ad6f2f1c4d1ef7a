/* SPDX-License-Identifier: Apache-2.0
 *
 * An instruction added to the program: what runs it, or why nothing does.
 */
#include "control.h"
#include "decode.h"
#include "run_report.h"

static emu_step run_unknown(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    static const char *const WHY[DECODE_WHYS] = {
        [DECODE_EXECUTED] = "",
        [DECODE_NO_ROW] = "the emulator does not have this instruction, or not with these words",
        [DECODE_NO_FORM] = "the emulator does not have this form of the instruction",
        [DECODE_NO_WORD] = "a word of the opcode is not known",
        [DECODE_NO_NAME] = "an operand's name is not declared",
        [DECODE_NO_NUMBER] = "an operand is no number that the instruction takes",
        [DECODE_NO_OPERAND] = "an operand is not understood",
        [DECODE_NO_STATEMENT] = "a tensor instruction that is written wrongly",
    };
    const emu_program *p = w->machine->program;
    char text[160];
    (void)mask;
    for (uint32_t i = 0; i < p->unreads; i++) {
        if (p->unread[i].instruction == (uint32_t)(in - p->code)) {
            const tma_ptx_span word = p->unread[i].word;
            tma_out out = tma_out_into(text, sizeof(text));
            tma_putf(&out, "%s: '%.*s'", WHY[in->why], (int)(word.length < 64 ? word.length : 64),
                     word.at);
            return emu_stop(w->machine, TMA_EMULATE_NOT_EXECUTED, w, in, text);
        }
    }
    return emu_stop(w->machine, TMA_EMULATE_NOT_EXECUTED, w, in, WHY[in->why]);
}

void decode_no_name(decode *d, tma_ptx_span name) {
    d->unread = d->why ? d->unread : name;
    d->why = d->why ? d->why : DECODE_NO_NAME;
}

/* The word that says why it is not executed; length 0: none. */
static tma_ptx_span unread_of(const decode *d, const decode_opcode *o, uint8_t why) {
    switch (why) {
    case DECODE_NO_NAME:
        return d->unread;
    case DECODE_NO_WORD:
        return o->unread;
    case DECODE_NO_ROW:
    case DECODE_NO_FORM:
        return o->text;
    default:
        return (tma_ptx_span){0};
    }
}

/* Before the instruction is added. */
static void note_unread(decode *d, const decode_opcode *o, uint8_t why) {
    const emu_unread unread = {d->p->instructions, unread_of(d, o, why)};
    if (unread.word.length) {
        PTX_APPEND(d->p, unread, unreads, unread);
    }
}

void decode_add(decode *d, const decode_opcode *o, emu_instruction in) {
    const int is_form =
        !d->why && o->choose && decode_has_shape(&in) && decode_has_spaces(d->p, &in);
    in.run = is_form ? o->choose(&in) : NULL;
    in.why = o->why ? o->why : d->why ? d->why : in.run ? DECODE_EXECUTED : DECODE_NO_FORM;
    in.op = !in.run                                       ? EMU_OP_UNKNOWN
            : in.op == EMU_OP_MOV && control_is_time(&in) ? EMU_OP_TIME
                                                          : in.op;
    in.pure = (uint8_t)(in.run && decode_is_pure(in.op));
    in.run = in.run ? in.run : run_unknown;
    in.row = d->row;
    in.function = d->function;
    uint8_t flow = o->flow;
    if (flow == DECODE_CALL && in.operand[1].kind == EMU_FUNCTION &&
        d->p->function[in.operand[1].number].is_no_return) {
        flow = DECODE_TRAP;
    }
    note_unread(d, o, in.why);
    PTX_APPEND(d->p, code, instructions, in);
    PTX_APPEND(d, flow, flows, flow);
}
