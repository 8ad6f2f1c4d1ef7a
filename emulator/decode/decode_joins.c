/* SPDX-License-Identifier: Apache-2.0
 *
 * Where lanes that part at a branch meet again: the immediate post-dominator of its block (Cooper,
 * Harvey, Kennedy: A Simple, Fast Dominance Algorithm, on the graph turned round).
 *
 * Lanes that trap or exit at once meet nobody: where there is another way, theirs does not count.
 * Loops without an end
 * lead to the function's end, so that a join is always one that every way comes through.
 */
#include <string.h>

#include "decode.h"
#include "tma/detail/assert.h"

#define NONE UINT32_MAX

typedef struct block {
    uint32_t first, end; /* instructions */
    uint32_t first_out, outs;
    uint32_t order;  /* in the graph turned round, from 1; 0: no way to the end */
    uint32_t join;   /* block */
    uint32_t live;   /* ways out that do not die */
    uint8_t is_dead; /* every way from it traps */
    uint8_t is_exit; /* its lanes exit at once */
    uint8_t is_seen;
} block;

typedef struct graph {
    decode *d;
    const emu_function *f;
    uint32_t *of; /* by instruction from f->first: its block */
    block *block;
    uint32_t blocks; /* the last is the function's end */
    uint32_t *out, outs;
    uint32_t *in, *first_in; /* blocks + 1 */
    uint32_t *list, *stack;
    uint32_t listed;
} graph;

static uint8_t flow_at(const graph *g, uint32_t at) {
    return g->d->flow[at];
}

static int is_guarded(const graph *g, uint32_t at) {
    return g->d->p->code[at].guard != EMU_NO_GUARD;
}

/* A branch that is executed has one label, or one list of them: count_ways(). One that is not ends
 * the run, as a trap does. */
static int has_labels(const graph *g, uint32_t at) {
    return (flow_at(g, at) == DECODE_BRA || flow_at(g, at) == DECODE_BRX) &&
           g->d->p->code[at].op != EMU_OP_UNKNOWN;
}

static int ends_block(const graph *g, uint32_t at) {
    return flow_at(g, at) != DECODE_ON && flow_at(g, at) != DECODE_CALL;
}

/* ---- blocks ---- */

static void mark_targets(const graph *g, uint8_t *leader, const emu_instruction *in) {
    const emu_program *p = g->d->p;
    for (uint32_t i = 0; i < in->operands; i++) {
        const emu_operand *o = &in->operand[i];
        if (o->kind == EMU_LABEL) {
            leader[o->number - g->f->first] = 1;
        }
        for (uint32_t k = 0; o->kind == EMU_VECTOR && k < o->count; k++) {
            if (p->operand[o->first + k].kind == EMU_LABEL) {
                leader[p->operand[o->first + k].number - g->f->first] = 1;
            }
        }
    }
}

static int take_blocks(graph *g) {
    const uint32_t count = g->f->end + 1 - g->f->first;
    uint8_t *leader = ptx_memory_take(g->d->memory, count + 1, 1);
    g->of = ptx_memory_take(g->d->memory, count, sizeof(*g->of));
    g->block = ptx_memory_take(g->d->memory, count + 1, sizeof(*g->block));
    if (!leader || !g->of || !g->block) {
        return -1;
    }
    leader[count - 1] = 1;
    for (uint32_t at = g->f->first; at < g->f->end; at++) {
        if (ends_block(g, at)) {
            leader[at + 1 - g->f->first] = 1;
        }
        if (has_labels(g, at)) {
            mark_targets(g, leader, &g->d->p->code[at]);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!i || leader[i]) {
            g->block[g->blocks++].first = g->f->first + i;
        }
        g->of[i] = g->blocks - 1;
        g->block[g->blocks - 1].end = g->f->first + i + 1;
    }
    return 0;
}

/* ---- ways ---- */

static void add_way(graph *g, uint32_t from, uint32_t to) {
    g->out[g->outs++] = to;
    g->block[from].outs++;
}

static void add_labels(graph *g, uint32_t from, const emu_instruction *in) {
    const emu_program *p = g->d->p;
    for (uint32_t i = 0; i < in->operands; i++) {
        const emu_operand *o = &in->operand[i];
        if (o->kind == EMU_LABEL) {
            add_way(g, from, g->of[o->number - g->f->first]);
        }
        for (uint32_t k = 0; o->kind == EMU_VECTOR && k < o->count; k++) {
            if (p->operand[o->first + k].kind == EMU_LABEL) {
                add_way(g, from, g->of[p->operand[o->first + k].number - g->f->first]);
            }
        }
    }
}

/* Whether a block that ends in an exit does nothing but numbers before: its lanes wait for nobody.
 */
static uint8_t dies_at_once(const graph *g, const block *b) {
    for (uint32_t at = b->first; at + 1 < b->end; at++) {
        if (!g->d->p->code[at].pure) {
            return 0;
        }
    }
    return 1;
}

static void take_ways_of(graph *g, uint32_t i) {
    block *b = &g->block[i];
    const uint32_t last = b->end - 1;
    const uint8_t flow = flow_at(g, last);
    const uint32_t end = g->blocks - 1;
    const int leaves = flow == DECODE_EXIT || (flow == DECODE_RET && g->f->is_entry);
    b->first_out = g->outs;
    if (i == end) {
        return;
    }
    if (has_labels(g, last)) {
        add_labels(g, i, &g->d->p->code[last]);
    } else if (flow == DECODE_RET && !g->f->is_entry) {
        add_way(g, i, end);
    } else if (leaves && !is_guarded(g, last)) {
        b->is_exit = dies_at_once(g, b);
        add_way(g, i, end);
    }
    if (!ends_block(g, last) || is_guarded(g, last)) {
        add_way(g, i, i + 1);
    }
}

static uint32_t count_ways(const graph *g) {
    uint32_t count = 2 * g->blocks;
    for (uint32_t at = g->f->first; at < g->f->end; at++) {
        const emu_instruction *in = &g->d->p->code[at];
        count += flow_at(g, at) == DECODE_BRX ? in->operand[1].count : 0;
    }
    return count;
}

static int take_ways(graph *g) {
    const uint32_t count = count_ways(g);
    g->out = ptx_memory_take(g->d->memory, count, sizeof(*g->out));
    g->in = ptx_memory_take(g->d->memory, count, sizeof(*g->in));
    g->first_in = ptx_memory_take(g->d->memory, g->blocks + 2, sizeof(*g->first_in));
    g->list = ptx_memory_take(g->d->memory, g->blocks + 1, sizeof(*g->list));
    g->stack = ptx_memory_take(g->d->memory, 2 * (size_t)g->blocks + 2, sizeof(*g->stack));
    if (!g->out || !g->in || !g->first_in || !g->list || !g->stack) {
        return -1;
    }
    for (uint32_t i = 0; i < g->blocks; i++) {
        take_ways_of(g, i);
    }
    TMA_ASSERT(g->outs <= count);
    return 0;
}

/* The ways turned round: block b's are in[first_in[b]] to in[first_in[b + 1]]. */
static void turn_round(graph *g) {
    memset(g->first_in, 0, (g->blocks + 2) * sizeof(*g->first_in));
    for (uint32_t i = 0; i < g->blocks; i++) {
        for (uint32_t k = 0; k < g->block[i].outs; k++) {
            g->first_in[g->out[g->block[i].first_out + k] + 2]++;
        }
    }
    for (uint32_t i = 2; i < g->blocks + 2; i++) {
        g->first_in[i] += g->first_in[i - 1];
    }
    for (uint32_t i = 0; i < g->blocks; i++) {
        for (uint32_t k = 0; k < g->block[i].outs; k++) {
            g->in[g->first_in[g->out[g->block[i].first_out + k] + 1]++] = i;
        }
    }
}

/* Blocks from which every way traps. */
static void bury(graph *g) {
    uint32_t stacked = 0;
    for (uint32_t i = 0; i + 1 < g->blocks; i++) {
        g->block[i].live = g->block[i].outs;
        if (!g->block[i].live) {
            g->block[i].is_dead = 1;
            g->stack[stacked++] = i;
        }
    }
    while (stacked) {
        const uint32_t i = g->stack[--stacked];
        for (uint32_t k = g->first_in[i]; k < g->first_in[i + 1]; k++) {
            block *before = &g->block[g->in[k]];
            if (!--before->live && !before->is_dead) {
                before->is_dead = 1;
                g->stack[stacked++] = g->in[k];
            }
        }
    }
}

/* Ways to an exit do not count where there is another way. */
static void drop_exits(graph *g) {
    for (uint32_t i = 0; i < g->blocks; i++) {
        block *b = &g->block[i];
        uint32_t others = 0, kept = 0;
        for (uint32_t k = 0; k < b->outs; k++) {
            const block *to = &g->block[g->out[b->first_out + k]];
            others += !to->is_exit && !to->is_dead;
        }
        for (uint32_t k = 0; k < b->outs && others; k++) {
            const uint32_t to = g->out[b->first_out + k];
            g->out[b->first_out + kept] = to;
            kept += !g->block[to].is_exit;
        }
        b->outs = others ? kept : b->outs;
    }
}

/* ---- post-dominators ---- */

/* Blocks that lead to one, in the order in which they are done with. */
static void visit(graph *g, uint32_t root) {
    uint32_t depth = 0;
    uint32_t *const next = g->stack + g->blocks + 1; /* by depth */
    g->stack[depth] = root;
    next[depth++] = g->first_in[root];
    g->block[root].is_seen = 1;
    while (depth) {
        const uint32_t i = g->stack[depth - 1];
        if (next[depth - 1] < g->first_in[i + 1]) {
            const uint32_t before = g->in[next[depth - 1]++];
            if (!g->block[before].is_seen && !g->block[before].is_dead) {
                g->block[before].is_seen = 1;
                g->stack[depth] = before;
                next[depth++] = g->first_in[before];
            }
        } else {
            g->list[g->listed++] = i;
            depth--;
        }
    }
}

static uint32_t meet(const graph *g, uint32_t a, uint32_t b) {
    while (a != b) {
        while (g->block[a].order < g->block[b].order) {
            a = g->block[a].join;
        }
        while (g->block[b].order < g->block[a].order) {
            b = g->block[b].join;
        }
    }
    return a;
}

static uint32_t meet_of_ways(const graph *g, const block *b) {
    uint32_t found = NONE;
    for (uint32_t k = 0; k < b->outs; k++) {
        const uint32_t to = g->out[b->first_out + k];
        if (!g->block[to].is_dead && g->block[to].join != NONE) {
            found = found == NONE ? to : meet(g, to, found);
        }
    }
    return found;
}

static void find_joins(graph *g) {
    const uint32_t end = g->blocks - 1;
    for (uint32_t i = 0; i < g->blocks; i++) {
        g->block[i].join = NONE;
    }
    g->block[end].is_dead = 0;
    /* the ends of loops without one first: the function's end has to be the last of the list */
    uint8_t *root = ptx_memory_take(g->d->memory, g->blocks, 1);
    if (!root) {
        return;
    }
    visit(g, end);
    for (uint32_t i = g->blocks; i-- > 0;) {
        if (!g->block[i].is_seen && !g->block[i].is_dead) {
            root[i] = 1;
            visit(g, i);
        }
    }
    for (uint32_t i = 0; i < g->listed; i++) {
        g->block[g->list[i]].order = i + 1;
    }
    g->block[end].order = g->listed + 1; /* above all roots, which it dominates */
    g->block[end].join = end;
    for (int changed = 1; changed;) {
        changed = 0;
        for (uint32_t i = g->listed; i-- > 0;) {
            const uint32_t at = g->list[i];
            block *b = &g->block[at];
            if (at == end) {
                continue;
            }
            const uint32_t found = root[at] ? end : meet_of_ways(g, b);
            changed |= found != b->join;
            b->join = found;
        }
    }
}

void decode_joins(decode *d, uint32_t function) {
    const ptx_mark mark = ptx_memory_mark(d->memory);
    graph g = {.d = d, .f = &d->p->function[function]};
    if (!take_blocks(&g) && !take_ways(&g)) {
        turn_round(&g);
        bury(&g);
        drop_exits(&g);
        turn_round(&g);
        find_joins(&g);
        for (uint32_t i = 0; i < g.blocks && !d->memory->failed; i++) {
            const block *b = &g.block[i];
            d->p->code[b->end - 1].join = b->join == NONE ? g.f->end : g.block[b->join].first;
        }
    }
    ptx_memory_back(d->memory, mark);
}
