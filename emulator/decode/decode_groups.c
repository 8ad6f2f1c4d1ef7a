/* SPDX-License-Identifier: Apache-2.0
 *
 * Commits of nothing: no path to them has a bulk copy or a wgmma of their kind after the commit
 * before; to one of tcgen05, which tells of all before it, none at all. (Groups of cp.async are
 * left out: pipelines commit empty ones to keep the count.)
 */
#include "decode.h"

#define BULK   1u
#define WGMMA  2u
#define TENSOR 4u
#define ALL    (BULK | WGMMA | TENSOR)
#define NEVER  8u /* no path was found yet */

typedef struct groups {
    decode *d;
    const emu_function *f;
    uint8_t *open;   /* by instruction from f->first: kinds that may have work before it */
    uint32_t *stack; /* instructions to go on from */
    uint8_t *is_stacked;
    uint32_t stacked;
} groups;

/* Kinds that may have uncommitted work after an instruction. */
static uint8_t after(const emu_instruction *in, uint8_t flow, uint8_t open) {
    const uint8_t kept = in->guard == EMU_NO_GUARD ? 0 : open;
    switch (in->op) {
    case EMU_OP_CP_BULK:
    case EMU_OP_CP_REDUCE_BULK:
    case EMU_OP_CP_TENSOR:
    case EMU_OP_CP_REDUCE_TENSOR:
        return emu_flag(in, EMU_FLAG_COMPLETE_TX_BYTES) ? open : (uint8_t)(open | BULK);
    case EMU_OP_WGMMA:
        return open | WGMMA;
    case EMU_OP_TCGEN05_MMA:
    case EMU_OP_TCGEN05_CP:
    case EMU_OP_TCGEN05_SHIFT:
        return open | TENSOR;
    case EMU_OP_CP_BULK_COMMIT:
        return (uint8_t)((open & ~BULK) | (kept & BULK));
    case EMU_OP_WGMMA_COMMIT:
        return (uint8_t)((open & ~WGMMA) | (kept & WGMMA));
    case EMU_OP_UNKNOWN:
        return ALL;
    default:
        return flow == DECODE_CALL ? ALL : open;
    }
}

static void comes_to(groups *g, uint32_t at, uint8_t open) {
    uint8_t *there = &g->open[at - g->f->first];
    const uint8_t both = (uint8_t)((*there | open) & ALL);
    if (*there == both) {
        return;
    }
    *there = both;
    if (!g->is_stacked[at - g->f->first]) {
        g->is_stacked[at - g->f->first] = 1;
        g->stack[g->stacked++] = at;
    }
}

static void comes_to_labels(groups *g, const emu_instruction *in, uint8_t open) {
    const emu_program *p = g->d->p;
    for (uint32_t i = 0; i < in->operands; i++) {
        const emu_operand *o = &in->operand[i];
        if (o->kind == EMU_LABEL) {
            comes_to(g, (uint32_t)o->number, open);
        }
        for (uint32_t k = 0; o->kind == EMU_VECTOR && k < o->count; k++) {
            const emu_operand *label = &p->operand[o->first + k];
            if (label->kind == EMU_LABEL) {
                comes_to(g, (uint32_t)label->number, open);
            }
        }
    }
}

static void go_on(groups *g, uint32_t at) {
    const emu_instruction *in = &g->d->p->code[at];
    const uint8_t flow = g->d->flow[at];
    const uint8_t open = after(in, flow, g->open[at - g->f->first]);
    if (flow == DECODE_BRA || flow == DECODE_BRX) {
        comes_to_labels(g, in, open);
    }
    const int goes_on = flow == DECODE_ON || flow == DECODE_CALL || in->guard != EMU_NO_GUARD;
    if (goes_on && at < g->f->end) {
        comes_to(g, at + 1, open);
    }
}

static void mark(groups *g) {
    for (uint32_t at = g->f->first; at < g->f->end; at++) {
        emu_instruction *in = &g->d->p->code[at];
        const uint8_t kind = in->op == EMU_OP_CP_BULK_COMMIT   ? BULK
                             : in->op == EMU_OP_WGMMA_COMMIT   ? WGMMA
                             : in->op == EMU_OP_TCGEN05_COMMIT ? TENSOR
                                                               : 0;
        in->commits_nothing = kind && !(g->open[at - g->f->first] & (kind | NEVER));
    }
}

void decode_groups(decode *d, uint32_t function) {
    const ptx_mark before = ptx_memory_mark(d->memory);
    groups g = {.d = d, .f = &d->p->function[function]};
    const uint32_t count = g.f->end + 1 - g.f->first;
    g.open = ptx_memory_take(d->memory, count, 1);
    g.is_stacked = ptx_memory_take(d->memory, count, 1);
    g.stack = ptx_memory_take(d->memory, count, sizeof(*g.stack));
    if (g.open && g.is_stacked && g.stack) {
        for (uint32_t i = 0; i < count; i++) {
            g.open[i] = NEVER;
        }
        comes_to(&g, g.f->first, g.f->is_entry ? 0 : ALL); /* callers may have work under way */
        while (g.stacked) {
            const uint32_t at = g.stack[--g.stacked];
            g.is_stacked[at - g.f->first] = 0;
            go_on(&g, at);
        }
        mark(&g);
    }
    ptx_memory_back(d->memory, before);
}
