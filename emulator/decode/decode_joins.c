/* SPDX-License-Identifier: Apache-2.0
 *
 * Where lanes that part at a branch meet again: the immediate post-dominator of its block, which is
 * the dominator in the graph turned round (ptx_dominators.h).
 *
 * Lanes that trap or exit at once meet nobody: where there is another way, theirs does not count.
 * Loops without an end lead to the function's end, so that a join is always one that every way
 * comes through.
 */
#include <string.h>

#include "decode.h"
#include "ptx_dominators.h"
#include "tma/detail/assert.h"

typedef struct block {
    uint32_t first, end; /* instructions */
    uint32_t first_out, outs;
    uint32_t live;   /* ways out that do not die */
    uint32_t aside;  /* ways to an exit that do not count, behind the others */
    uint8_t is_dead; /* every way from it traps */
    uint8_t is_exit; /* its lanes exit at once */
    uint8_t is_seen; /* it leads to the end, or to a loop without one that was begun from */
} block;

typedef struct graph {
    decode *d;
    const emu_function *f;
    uint32_t *of; /* by instruction from f->first: its block */
    block *block;
    uint32_t blocks; /* the last is the function's end */
    uint32_t *out, outs;
    uint32_t *in, *first_in; /* blocks + 1 */
    uint32_t *stack;
    uint32_t *join; /* by block: a block, PTX_NONE of what every way from traps */
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
    g->stack = ptx_memory_take(g->d->memory, 2 * (size_t)g->blocks + 2, sizeof(*g->stack));
    if (!g->out || !g->in || !g->first_in || !g->stack) {
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
    memset(g->first_in, 0, ((size_t)g->blocks + 2) * sizeof(*g->first_in));
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

/* ---- post-dominators ---- */

/* Blocks that lead to one. */
static void visit(graph *g, uint32_t root) {
    uint32_t stacked = 0;
    g->stack[stacked++] = root;
    g->block[root].is_seen = 1;
    while (stacked) {
        const uint32_t i = g->stack[--stacked];
        for (uint32_t k = g->first_in[i]; k < g->first_in[i + 1]; k++) {
            block *before = &g->block[g->in[k]];
            if (!before->is_seen && !before->is_dead) {
                before->is_seen = 1;
                g->stack[stacked++] = g->in[k];
            }
        }
    }
}

/* Ways to an exit do not count where there is another way: they go behind those that do. */
static void set_aside(graph *g, block *b) {
    uint32_t *way = &g->out[b->first_out];
    uint32_t others = 0, kept = 0;
    for (uint32_t k = 0; k < b->outs; k++) {
        others += !g->block[way[k]].is_exit && !g->block[way[k]].is_dead;
    }
    for (uint32_t k = 0; k < b->outs && others; k++) {
        const uint32_t to = way[k];
        if (!g->block[to].is_exit) {
            way[k] = way[kept];
            way[kept++] = to;
        }
    }
    b->aside = others ? b->outs - kept : 0;
    b->outs -= b->aside;
}

/* They do count in a loop that has no other end: where its lanes meet would be anywhere else. */
static void drop_exits(graph *g) {
    for (uint32_t i = 0; i < g->blocks; i++) {
        set_aside(g, &g->block[i]);
    }
    turn_round(g);
    visit(g, g->blocks - 1);
    for (uint32_t i = 0; i < g->blocks; i++) {
        block *b = &g->block[i];
        b->outs += b->is_seen ? 0 : b->aside;
        b->is_seen = 0;
    }
    turn_round(g);
}

/* One block of each loop without an end, found from behind, leads to the function's end, too. */
static void lead_to_end(graph *g, uint8_t *leads) {
    visit(g, g->blocks - 1);
    for (uint32_t i = g->blocks; i-- > 0;) {
        if (!g->block[i].is_seen && !g->block[i].is_dead) {
            leads[i] = 1;
            visit(g, i);
        }
    }
}

/* The ways that count, without those to what traps: block b's are out[first[b]] to
 * out[first[b + 1]]. */
static void keep_live(const graph *g, const uint8_t *leads, uint32_t *out, uint32_t *first) {
    uint32_t outs = 0;
    for (uint32_t i = 0; i < g->blocks; i++) {
        block *b = &g->block[i];
        first[i] = outs;
        for (uint32_t k = 0; k < b->outs && !b->is_dead; k++) {
            const uint32_t to = g->out[b->first_out + k];
            if (!g->block[to].is_dead) {
                out[outs++] = to;
            }
        }
        if (leads[i]) {
            out[outs++] = g->blocks - 1;
        }
        b->first_out = first[i];
        b->outs = outs - first[i];
    }
    first[g->blocks] = outs;
}

static int find_joins(graph *g) {
    ptx_memory *const memory = g->d->memory;
    const uint32_t end = g->blocks - 1;
    const size_t ways = (size_t)g->outs + g->blocks; /* at most */
    uint8_t *leads = ptx_memory_take(memory, g->blocks, 1);
    uint32_t *out = ptx_memory_take(memory, ways, sizeof(*out));
    uint32_t *first_out = ptx_memory_take(memory, (size_t)g->blocks + 1, sizeof(*first_out));
    g->join = ptx_memory_take(memory, g->blocks, sizeof(*g->join));
    if (!leads || !out || !first_out || !g->join) {
        return -1;
    }
    g->block[end].is_dead = 0;
    lead_to_end(g, leads);
    keep_live(g, leads, out, first_out);
    g->out = out;
    g->in = ptx_memory_take(memory, ways, sizeof(*g->in));
    if (!g->in) {
        return -1;
    }
    turn_round(g);
    const ptx_edges turned = {g->blocks, end, g->first_in, g->in, first_out, out};
    return ptx_dominators_of(memory, &turned, g->join);
}

void decode_joins(decode *d, uint32_t function) {
    const ptx_mark mark = ptx_memory_mark(d->memory);
    graph g = {.d = d, .f = &d->p->function[function]};
    if (!take_blocks(&g) && !take_ways(&g)) {
        turn_round(&g);
        bury(&g);
        drop_exits(&g);
        const int is_found = !find_joins(&g);
        for (uint32_t i = 0; i < g.blocks && is_found; i++) {
            const uint32_t join = g.join[i];
            d->p->code[g.block[i].end - 1].join = join == PTX_NONE ? g.f->end : g.block[join].first;
        }
    }
    ptx_memory_back(d->memory, mark);
}
