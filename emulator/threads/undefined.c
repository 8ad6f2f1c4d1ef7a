/* SPDX-License-Identifier: Apache-2.0 */
#include "undefined.h"

#include "run_report.h"
#include "tma/detail/assert.h"

static int adds_slot(emu_machine *m, const emu_operand *o) {
    int32_t *all = ptx_grow(&m->memory, m->flow_slot, m->flow_slots, sizeof(*all));
    if (!all) {
        return 0;
    }
    m->flow_slot = all;
    all[m->flow_slots++] = o->slot;
    return 1;
}

/* The registers of an operand: how many. Vectors hold no vectors. */
static uint16_t add_operand(emu_machine *m, const emu_operand *o, int addresses) {
    const emu_program *p = m->program;
    uint16_t count = 0;
    if (o->kind == EMU_REGISTER ||
        (addresses && o->kind == EMU_ADDRESS && o->variable == EMU_NONE)) {
        return o->slot >= 0 && adds_slot(m, o);
    }
    for (uint32_t i = 0; o->kind == EMU_VECTOR && i < o->count; i++) {
        const emu_operand *element = &p->operand[o->first + i];
        if (element->kind == EMU_REGISTER && element->slot >= 0) {
            count = (uint16_t)(count + adds_slot(m, element));
        }
    }
    return count;
}

static uint8_t kind_of(const emu_instruction *in) {
    switch (in->op) {
    case EMU_OP_LD:
    case EMU_OP_LDU:
    case EMU_OP_ATOM:
    case EMU_OP_CREATEPOLICY:
    case EMU_OP_LDMATRIX:
    case EMU_OP_MOVMATRIX:
    case EMU_OP_MMA:
    case EMU_OP_MMA_SCALED:
    case EMU_OP_MMA_NARROW:
    case EMU_OP_MMA_COL:
    case EMU_OP_WGMMA:
    case EMU_OP_WMMA_LOAD:
    case EMU_OP_WMMA_MMA:
    case EMU_OP_TCGEN05_LD:
    case EMU_OP_QUERY_CANCEL:
    case EMU_OP_STACKRESTORE:
    case EMU_OP_SHFL: /* what comes from other lanes */
    case EMU_OP_VOTE:
    case EMU_OP_MATCH:
    case EMU_OP_REDUX:
    case EMU_OP_BRA:
    case EMU_OP_RET:
    case EMU_OP_EXIT:
        return EMU_FLOW_NONE;
    case EMU_OP_BRX:
    case EMU_OP_CALL:
        return EMU_FLOW_STEERS;
    case EMU_OP_SELP:
        return EMU_FLOW_SELECTS;
    case EMU_OP_AND:
    case EMU_OP_OR:
        return in->type[0] == EMU_PRED ? EMU_FLOW_DECIDES : EMU_FLOW_PURE;
    default:
        return in->pure ? EMU_FLOW_PURE : EMU_FLOW_WRITES;
    }
}

static emu_flow flow_of(emu_machine *m, const emu_instruction *in) {
    emu_flow flow = {.first = m->flow_slots, .kind = kind_of(in)};
    if (flow.kind == EMU_FLOW_STEERS) {
        flow.sources = add_operand(m, &in->operand[in->op == EMU_OP_CALL], 0);
    } else if (flow.kind != EMU_FLOW_NONE) {
        const uint32_t destinations = in->operands ? 1 : 0;
        if (destinations) {
            flow.destinations = add_operand(m, &in->operand[0], 0);
        }
        flow.destinations = (uint16_t)(flow.destinations + add_operand(m, &in->also, 0));
        for (uint32_t i = 1; flow.kind != EMU_FLOW_WRITES && i < in->operands; i++) {
            flow.sources = (uint16_t)(flow.sources + add_operand(m, &in->operand[i], 1));
        }
    }
    return flow;
}

int emu_undefined_begin(emu_machine *m) {
    const emu_program *p = m->program;
    m->flow = ptx_memory_take(&m->memory, p->instructions + 1u, sizeof(*m->flow));
    for (uint32_t i = 0; m->flow && i < p->instructions; i++) {
        m->flow[i] = flow_of(m, &p->code[i]);
    }
    return m->memory.failed ? -1 : 0;
}

/* selp d, a, b, c: a lane has a's where c is true. */
static uint32_t selected(const emu_warp *w, const emu_instruction *in, const uint32_t *undefined) {
    const emu_operand *a = &in->operand[1], *b = &in->operand[2], *c = &in->operand[3];
    const uint32_t takes = emu_predicate(w, c);
    const uint32_t of_a = a->slot >= 0 ? undefined[a->slot] : 0;
    const uint32_t of_b = b->slot >= 0 ? undefined[b->slot] : 0;
    return (takes & of_a) | (~takes & of_b) | (c->slot >= 0 ? undefined[c->slot] : 0);
}

uint32_t emu_undefined_decided(const emu_warp *w, const emu_instruction *in) {
    const uint32_t *undefined = w->now->frame->undefined;
    uint32_t decided = 0;
    for (uint32_t i = 1; i <= 2; i++) {
        const emu_operand *source = &in->operand[i];
        const uint32_t is = emu_predicate(w, source);
        decided |=
            (in->op == EMU_OP_OR ? is : ~is) & ~(source->slot >= 0 ? undefined[source->slot] : 0);
    }
    return decided;
}

void emu_undefined_flow(emu_warp *w, const emu_instruction *in, uint32_t mask, uint32_t unsure,
                        uint32_t decided) {
    const emu_machine *m = w->machine;
    const emu_flow *flow = &m->flow[in - m->program->code];
    if (!flow->destinations) {
        return;
    }
    uint32_t *undefined = w->now->frame->undefined;
    const int32_t *slot = m->flow_slot + flow->first;
    uint32_t made = unsure;
    if (flow->kind == EMU_FLOW_SELECTS) {
        made |= selected(w, in, undefined);
    }
    const int is_joined = flow->kind == EMU_FLOW_PURE || flow->kind == EMU_FLOW_DECIDES;
    for (uint32_t i = 0; is_joined && i < flow->sources; i++) {
        made |= undefined[slot[flow->destinations + i]] & ~decided;
    }
    const uint32_t changed = mask | unsure;
    for (uint32_t i = 0; i < flow->destinations; i++) {
        undefined[slot[i]] = (undefined[slot[i]] & ~changed) | (made & changed);
    }
}

static void report(emu_warp *w, const emu_instruction *in, uint32_t lanes, const char *what,
                   const char *text) {
    const emu_who who = {.in = in,
                         .cta = w->cta->index,
                         .thread = w->index * EMU_LANES + (uint32_t)__builtin_ctz(lanes),
                         .proxy = "generic",
                         .what = what};
    emu_report(w->machine, TMA_EMULATE_RULE_UNINITIALISED, 1, &who, NULL, text, NULL);
}

void emu_undefined_steers(emu_warp *w, const emu_instruction *in, uint32_t mask, uint32_t unsure) {
    const emu_machine *m = w->machine;
    const uint32_t *undefined = w->now->frame->undefined;
    const emu_flow *flow = &m->flow[in - m->program->code];
    if (unsure && !in->pure) {
        report(w, in, unsure, "guard", "a guard that nobody wrote");
    }
    if (flow->kind == EMU_FLOW_STEERS && flow->sources) {
        const uint32_t where = undefined[m->flow_slot[flow->first]] & mask;
        if (where) {
            report(w, in, where, "target", "a branch or call to a target that nobody wrote");
        }
    }
}
