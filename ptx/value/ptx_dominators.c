/* SPDX-License-Identifier: Apache-2.0
 *
 * Dominators, by Lengauer and Tarjan's algorithm (1979) with simple linking: for E ways, E log E
 * steps, and no deeper than the text (nothing calls itself).
 */
#include "ptx_dominators.h"
#include "ptx_graph.h"

typedef struct tree {
    const ptx_edges *e;
    uint32_t *vertex; /* blocks in the order of a walk into the depth */
    uint32_t *number; /* by block, from 1; 0: not reached */
    uint32_t *parent; /* the rest by number */
    uint32_t *semi, *label, *ancestor, *dominator, *bucket, *next, *stack;
    uint32_t count;
} tree;

static int take_arrays(tree *t, ptx_memory *memory) {
    const size_t size = (size_t)t->e->nodes + 2;
    uint32_t **const arrays[] = {&t->vertex,   &t->number,    &t->parent, &t->semi, &t->label,
                                 &t->ancestor, &t->dominator, &t->bucket, &t->next, &t->stack};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        *arrays[i] = ptx_memory_take(memory, size, sizeof(uint32_t));
        if (!*arrays[i]) {
            return -1;
        }
    }
    return 0;
}

static void reach(tree *t, uint32_t node, uint32_t parent) {
    t->number[node] = ++t->count;
    t->vertex[t->count] = node;
    t->parent[t->count] = parent;
    t->semi[t->count] = t->count;
    t->label[t->count] = t->count;
}

static void walk(tree *t) {
    const ptx_edges *e = t->e;
    uint32_t depth = 0;
    reach(t, e->root, 0);
    t->stack[depth++] = e->root;
    while (depth) {
        const uint32_t i = t->stack[depth - 1];
        if (e->first_out[i] + t->next[i] < e->first_out[i + 1]) {
            const uint32_t to = e->out[e->first_out[i] + t->next[i]++];
            if (!t->number[to]) {
                reach(t, to, t->number[i]);
                t->stack[depth++] = to;
            }
        } else {
            depth--;
        }
    }
}

/* The number with the smallest semidominator on the way up from v. */
static uint32_t evaluate(tree *t, uint32_t v) {
    uint32_t depth = 0;
    if (!t->ancestor[v]) {
        return v;
    }
    for (uint32_t i = v; t->ancestor[t->ancestor[i]]; i = t->ancestor[i]) {
        t->stack[depth++] = i;
    }
    while (depth) {
        const uint32_t i = t->stack[--depth];
        const uint32_t above = t->ancestor[i];
        if (t->semi[t->label[above]] < t->semi[t->label[i]]) {
            t->label[i] = t->label[above];
        }
        t->ancestor[i] = t->ancestor[above];
    }
    return t->label[v];
}

static void link_all(tree *t) {
    const ptx_edges *e = t->e;
    uint32_t *next = t->next; /* of buckets, from here on */
    for (uint32_t i = 0; i <= e->nodes; i++) {
        next[i] = 0;
    }
    for (uint32_t w = t->count; w > 1; w--) {
        const uint32_t node = t->vertex[w];
        for (uint32_t k = e->first_in[node]; k < e->first_in[node + 1]; k++) {
            const uint32_t v = t->number[e->in[k]];
            const uint32_t u = v ? evaluate(t, v) : 0;
            if (u && t->semi[u] < t->semi[w]) {
                t->semi[w] = t->semi[u];
            }
        }
        next[w] = t->bucket[t->semi[w]];
        t->bucket[t->semi[w]] = w;
        const uint32_t p = t->parent[w];
        t->ancestor[w] = p;
        for (uint32_t v = t->bucket[p]; v; v = next[v]) {
            const uint32_t u = evaluate(t, v);
            t->dominator[v] = t->semi[u] < t->semi[v] ? u : p;
        }
        t->bucket[p] = 0;
    }
    for (uint32_t w = 2; w <= t->count; w++) {
        if (t->dominator[w] != t->semi[w]) {
            t->dominator[w] = t->dominator[t->dominator[w]];
        }
    }
}

/* enter and leave: where a walk through the tree of dominators comes to a block, and leaves it. */
static int number_tree(ptx_graph *g) {
    uint32_t *size = ptx_memory_take(g->memory, (size_t)g->nodes + 1, sizeof(*size));
    uint32_t *used = ptx_memory_take(g->memory, (size_t)g->nodes + 1, sizeof(*used));
    if (!size || !used) {
        return -1;
    }
    for (uint32_t i = g->reached; i-- > 0;) {
        const uint32_t node = g->ordered[i];
        size[node]++;
        if (i) {
            size[g->node[node].dominator] += size[node];
        }
    }
    for (uint32_t i = 0; i < g->reached; i++) {
        const uint32_t node = g->ordered[i];
        const uint32_t above = g->node[node].dominator;
        g->node[node].enter = i ? g->node[above].enter + 1 + used[above] : 0;
        g->node[node].leave = g->node[node].enter + size[node] - 1;
        if (i) {
            used[above] += size[node];
        }
    }
    return 0;
}

int ptx_dominators_of(ptx_memory *memory, const ptx_edges *e, uint32_t *dominator) {
    tree t = {.e = e};
    if (take_arrays(&t, memory)) {
        return -1;
    }
    walk(&t);
    link_all(&t);
    for (uint32_t i = 0; i < e->nodes; i++) {
        const uint32_t w = t.number[i];
        dominator[i] = !w ? PTX_NONE : w == 1 ? e->root : t.vertex[t.dominator[w]];
    }
    return 0;
}

int ptx_dominators(ptx_graph *g) {
    const size_t size = (size_t)g->nodes + 1;
    uint32_t *first_out = ptx_memory_take(g->memory, size, sizeof(*first_out));
    uint32_t *first_in = ptx_memory_take(g->memory, size, sizeof(*first_in));
    uint32_t *dominator = ptx_memory_take(g->memory, size, sizeof(*dominator));
    if (!first_out || !first_in || !dominator) {
        return -1;
    }
    for (uint32_t i = 0; i < g->nodes; i++) {
        first_out[i + 1] = g->node[i].first_out + g->node[i].outs;
        first_in[i + 1] = g->node[i].first_in + g->node[i].ins;
    }
    const ptx_edges e = {g->nodes, 0, first_out, g->out, first_in, g->in};
    if (ptx_dominators_of(g->memory, &e, dominator)) {
        return -1;
    }
    for (uint32_t i = 0; i < g->nodes; i++) {
        if (dominator[i] == PTX_NONE) { /* dominated by none but itself */
            g->node[i].enter = PTX_NONE;
            g->node[i].leave = PTX_NONE;
        } else {
            g->node[i].dominator = dominator[i];
        }
    }
    return number_tree(g);
}
