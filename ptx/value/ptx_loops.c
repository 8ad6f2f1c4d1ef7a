/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops: a way back to a block that dominates it makes one, and what leads to that way without the
 * block is in it. Inner ones first; a loop that was found is walked over as one block, so that the
 * work is in proportion to the ways.
 */
#include "ptx_graph.h"

typedef struct finder {
    ptx_graph *g;
    uint32_t *around; /* by loop: the one that it was found to be in, shortened as it is followed */
    uint32_t *todo;
    uint32_t todos;
} finder;

/* The outermost loop around a block as far as known, or PTX_NONE. */
static uint32_t outermost(finder *f, uint32_t block) {
    uint32_t loop = f->g->node[block].loop;
    if (loop == PTX_NONE) {
        return PTX_NONE;
    }
    uint32_t top = loop;
    while (f->around[top] != PTX_NONE) {
        top = f->around[top];
    }
    while (loop != top) {
        const uint32_t next = f->around[loop];
        f->around[loop] = top;
        loop = next;
    }
    return top;
}

/* A block that leads to a way back belongs to the loop, and so does the loop that it is in. */
static void include(finder *f, uint32_t loop, uint32_t block) {
    ptx_graph *g = f->g;
    const uint32_t inner = outermost(f, block);
    if (g->node[block].order == PTX_NONE || inner == loop) {
        return;
    }
    if (inner == PTX_NONE) {
        g->node[block].loop = loop;
    } else {
        g->loop[inner].parent = loop;
        f->around[inner] = loop;
        block = g->loop[inner].head;
    }
    if (block != g->loop[loop].head) {
        f->todo[f->todos++] = block;
    }
}

static void fill(finder *f, uint32_t loop) {
    ptx_graph *g = f->g;
    const uint32_t head = g->loop[loop].head;
    g->node[head].loop = loop;
    for (uint32_t i = 0; i < g->node[head].ins; i++) {
        const uint32_t from = g->in[g->node[head].first_in + i];
        if (from != head && ptx_dominates(g, head, from)) {
            include(f, loop, from);
        }
    }
    while (f->todos) {
        const ptx_node *node = &g->node[f->todo[--f->todos]];
        for (uint32_t i = 0; i < node->ins; i++) {
            include(f, loop, g->in[node->first_in + i]);
        }
    }
}

static int is_head(const ptx_graph *g, uint32_t block) {
    for (uint32_t i = 0; i < g->node[block].ins; i++) {
        if (ptx_dominates(g, block, g->in[g->node[block].first_in + i])) {
            return 1;
        }
    }
    return 0;
}

static void find_tangles(ptx_graph *g) {
    for (uint32_t i = 0; i < g->reached && !g->is_tangled; i++) {
        const ptx_node *node = &g->node[g->ordered[i]];
        for (uint32_t k = 0; k < node->ins; k++) {
            const uint32_t from = g->in[node->first_in + k];
            g->is_tangled |= g->node[from].order != PTX_NONE && g->node[from].order >= i &&
                             !ptx_dominates(g, g->ordered[i], from);
        }
    }
}

/* So that whether one loop is in another is asked at once, and where its blocks end; `next` is
 * overwritten. The outer ones
 * have higher numbers. */
static void take_places(ptx_graph *g, uint32_t *next) {
    uint32_t outermost = 0;
    for (uint32_t i = 0; i < g->reached; i++) {
        const uint32_t loop = g->node[g->ordered[i]].loop;
        if (loop != PTX_NONE) {
            g->loop[loop].end = i + 1;
        }
    }
    for (uint32_t i = 0; i < g->loops; i++) {
        const ptx_loop *inner = &g->loop[i];
        ptx_loop *outer = inner->parent == PTX_NONE ? NULL : &g->loop[inner->parent];
        if (outer) {
            outer->inside += inner->inside;
            outer->end = outer->end > inner->end ? outer->end : inner->end;
        }
    }
    for (uint32_t i = g->loops; i-- > 0;) {
        const uint32_t parent = g->loop[i].parent;
        uint32_t *place = parent == PTX_NONE ? &outermost : &next[parent];
        g->loop[i].place = *place;
        next[i] = *place + 1;
        *place += g->loop[i].inside;
    }
}

int ptx_loops(ptx_graph *g) {
    finder f = {.g = g};
    for (uint32_t i = g->reached; i-- > 0;) {
        if (is_head(g, g->ordered[i])) {
            PTX_APPEND(g, loop, loops, (ptx_loop){g->ordered[i], PTX_NONE, 1, 0, 1, 0});
        }
    }
    f.around = ptx_memory_take(g->memory, (size_t)g->loops + 1, sizeof(*f.around));
    f.todo = ptx_memory_take(g->memory, (size_t)g->nodes + 1, sizeof(*f.todo));
    if (!f.around || !f.todo || g->memory->failed) {
        return -1;
    }
    for (uint32_t i = 0; i < g->loops; i++) {
        f.around[i] = PTX_NONE;
    }
    for (uint32_t i = 0; i < g->loops; i++) {
        fill(&f, i);
    }
    for (uint32_t i = g->loops; i-- > 0;) { /* the outer ones have higher numbers */
        const uint32_t parent = g->loop[i].parent;
        g->loop[i].depth = parent == PTX_NONE ? 1 : g->loop[parent].depth + 1;
    }
    take_places(g, f.around);
    find_tangles(g);
    return 0;
}

int ptx_loop_in_loop(const ptx_graph *g, uint32_t inner, uint32_t outer) {
    return inner != PTX_NONE && outer != PTX_NONE &&
           g->loop[inner].place - g->loop[outer].place < g->loop[outer].inside;
}

int ptx_block_in_loop(const ptx_graph *g, uint32_t block, uint32_t loop) {
    return ptx_loop_in_loop(g, g->node[block].loop, loop);
}

ptx_way ptx_way_of(const ptx_graph *g, uint32_t from, uint32_t to, uint32_t *loop) {
    *loop = PTX_NONE;
    if (g->node[to].order > g->node[from].order) {
        return PTX_WAY_ON;
    }
    if (!ptx_dominates(g, to, from)) {
        return PTX_WAY_TANGLED;
    }
    *loop = g->node[to].loop;
    return PTX_WAY_BACK;
}
