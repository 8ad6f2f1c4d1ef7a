/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps, blocks and ways of a function and what it calls.
 */
#include "ptx_graph.h"

#include <string.h>

#include "tma/detail/assert.h"
#include "tma/detail/chars.h"

/* A root has at most so many steps for each row of the file, and some. */
#define MOST_A_ROW 4
#define MOST_MORE  100000

typedef struct edge {
    uint32_t from, to;
} edge;

typedef struct builder {
    ptx_memory *memory;
    ptx_graph *g;
    const ptx_functions *functions;
    edge *edge;
    uint32_t edges;
    int inlined;
    int deep;
} builder;

static uint32_t add_node(builder *b) {
    ptx_graph *g = b->g;
    PTX_APPEND(g, node, nodes,
               (ptx_node){.order = PTX_NONE, .dominator = PTX_NONE, .loop = PTX_NONE});
    return g->nodes ? g->nodes - 1 : 0;
}

static void add_edge(builder *b, uint32_t from, uint32_t to) {
    PTX_APPEND(b, edge, edges, (edge){from, to});
}

static void add_step(builder *b, uint32_t node, uint32_t row, uint32_t context, uint8_t kind) {
    ptx_graph *g = b->g;
    if (b->memory->failed) {
        return;
    }
    TMA_ASSERT(node < g->nodes && context < g->contexts);
    if (g->node[node].first == g->node[node].end) {
        g->node[node].first = g->steps;
    }
    TMA_ASSERT(g->node[node].end == g->steps || g->node[node].first == g->steps); /* no gap */
    PTX_APPEND(g, step, steps, (ptx_step){row, context, node, 0, kind});
    g->node[node].end = g->steps;
}

static uint32_t add_context(builder *b, uint32_t function, uint32_t parent, uint32_t row) {
    ptx_graph *g = b->g;
    const ptx_function *f = &g->rows->function[function];
    PTX_APPEND(g, context, contexts, (ptx_context){function, parent, row, g->places});
    g->places += f->end_place - f->first_place;
    return g->contexts ? g->contexts - 1 : 0;
}

/* The function that a call is put in of, or PTX_NONE. */
static uint32_t callee(const builder *b, uint32_t row, uint32_t context) {
    ptx_graph *g = b->g;
    const ptx_code *c = &g->codes->code[row];
    if (!b->inlined || c->args <= c->lanes) {
        return PTX_NONE;
    }
    const ptx_arg *name = &g->codes->arg[c->first_arg + c->lanes];
    if (name->kind != PTX_ARG_NAME) {
        return PTX_NONE;
    }
    const uint32_t own = g->context[context].function;
    const uint32_t found =
        ptx_function_named(b->functions, g->rows->function[own].module, name->name);
    if (found == PTX_NONE) {
        return PTX_NONE;
    }
    const ptx_function *f = &g->rows->function[found];
    const uint64_t most = (uint64_t)MOST_A_ROW * g->rows->rows + MOST_MORE;
    for (uint32_t i = context; i != PTX_NONE; i = g->context[i].parent) {
        if (g->context[i].function == found) {
            return PTX_NONE; /* of itself */
        }
    }
    if (f->is_entry) {
        return PTX_NONE;
    }
    const int has_room =
        b->deep < PTX_MOST_DEEP && (uint64_t)g->steps + (f->end - f->first) <= most;
    g->beyond += !has_room;
    return has_room ? found : PTX_NONE;
}

/* A function that is being put in. */
typedef struct body {
    const ptx_function *f;
    uint32_t context;
    uint32_t node;     /* where the next step goes */
    uint32_t back;     /* the block behind its call, or PTX_NONE */
    uint32_t anywhere; /* a block that leads to all labels, or PTX_NONE */
    uint32_t *label;   /* blocks by label */
    uint32_t *table; /* by label, of those that name a table: the block that leads to its labels */
} body;

/* Where a label's row stands among its function's. */
static uint32_t label_index(const builder *b, const body *o, uint32_t row) {
    const ptx_rows *rows = b->g->rows;
    uint32_t low = o->f->first_label;
    uint32_t high = o->f->end_label;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (rows->label[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    TMA_ASSERT(low < o->f->end_label && rows->label[low] == row);
    return low - o->f->first_label;
}

/* The names of "ts: .branchtargets a, b;", of which `at` is the label's row; 0: it is no table. */
static int table_names(const ptx_rows *rows, uint32_t at, tma_ptx_span *names) {
    const char *const word = ".branchtargets";
    const tma_ptx_piece *piece = at + 1 < rows->rows ? &rows->row[at + 1].piece : NULL;
    if (!piece || !ptx_begins((tma_ptx_span){piece->at, piece->size}, word)) {
        return 0;
    }
    *names = (tma_ptx_span){piece->at + text_length(word), piece->size - text_length(word)};
    return 1;
}

/* A way from a block to each label, where a table is not known. */
static void add_anywhere(builder *b, body *o, uint32_t from) {
    if (o->anywhere == PTX_NONE) {
        o->anywhere = add_node(b);
        for (uint32_t i = 0; o->label && i < o->f->end_label - o->f->first_label; i++) {
            add_edge(b, o->anywhere, o->label[i]);
        }
    }
    add_edge(b, from, o->anywhere);
}

/* A way to the labels that a table names. Branches of one table share a block that leads there, so
 * that the ways are not so many as branches times labels. 0: it is not
 * known. */
static int add_targets(builder *b, body *o, uint32_t row) {
    const ptx_rows *rows = b->g->rows;
    const ptx_code *c = &b->g->codes->code[row];
    const ptx_arg *name = c->args ? &b->g->codes->arg[c->first_arg + c->args - 1] : NULL;
    const uint32_t at = name && name->kind == PTX_ARG_NAME
                            ? ptx_label_named(b->functions, row, name->name)
                            : PTX_NONE;
    tma_ptx_span names;
    if (at == PTX_NONE || !table_names(rows, at, &names)) {
        return 0;
    }
    if (!o->table) {
        const size_t labels = (size_t)(o->f->end_label - o->f->first_label);
        o->table = ptx_memory_take(b->memory, labels, sizeof(*o->table));
        if (!o->table) {
            return 0;
        }
        memset(o->table, 0xFF, labels * sizeof(*o->table));
    }
    uint32_t *const table = &o->table[label_index(b, o, at)];
    if (*table == PTX_NONE) {
        *table = add_node(b);
        for (tma_ptx_span one; (one = tma_ptx_next_name(&names)).length;) {
            const uint32_t label = ptx_label_named(b->functions, row, one);
            if (label == PTX_NONE) {
                add_anywhere(b, o, *table);
                break;
            }
            add_edge(b, *table, o->label[label_index(b, o, label)]);
        }
    }
    add_edge(b, o->node, *table);
    return 1;
}

static void add_branch(builder *b, body *o, uint32_t row) {
    const ptx_code *c = &b->g->codes->code[row];
    const ptx_arg *name = c->args ? &b->g->codes->arg[c->first_arg] : NULL;
    const uint32_t label = name && name->kind == PTX_ARG_NAME
                               ? ptx_label_named(b->functions, row, name->name)
                               : PTX_NONE;
    if (label == PTX_NONE) {
        b->g->nowhere++;
    } else {
        add_edge(b, o->node, o->label[label_index(b, o, label)]);
    }
}

/* The next step stands in a block of its own; `follows`: some way leads on to it. */
static void cut(builder *b, body *o, int follows) {
    const uint32_t next = add_node(b);
    if (follows) {
        add_edge(b, o->node, next);
    }
    o->node = next;
}

static void take_body(builder *b, body *o);

// NOLINTBEGIN(misc-no-recursion): at most PTX_MOST_DEEP deep
static void put_in(builder *b, body *o, uint32_t row, uint32_t function) {
    TMA_ASSERT(b->deep < PTX_MOST_DEEP);
    const uint32_t context = add_context(b, function, o->context, row);
    body inner = {.f = &b->g->rows->function[function],
                  .context = context,
                  .back = add_node(b),
                  .anywhere = PTX_NONE};
    const uint32_t behind = add_node(b);
    add_step(b, o->node, row, context, PTX_STEP_ENTER);
    inner.node = add_node(b);
    add_edge(b, o->node, inner.node);
    if (b->g->codes->code[row].guarded) {
        add_edge(b, o->node, behind);
    }
    b->deep++;
    take_body(b, &inner);
    b->deep--;
    add_step(b, inner.back, row, context, PTX_STEP_LEAVE);
    add_edge(b, inner.back, behind);
    o->node = behind;
}

static void take_step(builder *b, body *o, uint32_t row) {
    const ptx_code *c = &b->g->codes->code[row];
    const uint32_t inner = c->op == PTX_OP_CALL ? callee(b, row, o->context) : PTX_NONE;
    if (inner != PTX_NONE) {
        put_in(b, o, row, inner);
        return;
    }
    add_step(b, o->node, row, o->context, PTX_STEP_ROW);
    b->g->opaque += c->op == PTX_OP_CALL;
    if (c->op == PTX_OP_BRANCH) {
        add_branch(b, o, row);
        cut(b, o, c->guarded);
    } else if (c->op == PTX_OP_BRANCH_TABLE) {
        if (!add_targets(b, o, row)) {
            add_anywhere(b, o, o->node);
        }
        cut(b, o, c->guarded);
    } else if (c->op == PTX_OP_RETURN) {
        if (o->back != PTX_NONE) {
            add_edge(b, o->node, o->back);
        }
        cut(b, o, c->guarded);
    } else if (c->op == PTX_OP_EXIT || c->op == PTX_OP_TRAP) {
        cut(b, o, c->guarded);
    }
}

static void take_body(builder *b, body *o) {
    const ptx_rows *rows = b->g->rows;
    const uint32_t labels = o->f->end_label - o->f->first_label;
    uint32_t next_label = 0;
    o->label = ptx_memory_take(b->memory, (size_t)labels + 1, sizeof(*o->label));
    for (uint32_t i = 0; o->label && i < labels; i++) {
        o->label[i] = add_node(b);
    }
    for (uint32_t row = o->f->first; o->label && row < o->f->end && !b->memory->failed; row++) {
        if (rows->row[row].piece.kind == TMA_PTX_PIECE_LABEL) {
            add_edge(b, o->node, o->label[next_label]);
            o->node = o->label[next_label++];
        } else if (rows->row[row].piece.kind == TMA_PTX_PIECE_INSTRUCTION) {
            take_step(b, o, row);
        }
    }
    if (o->back != PTX_NONE) { /* the end of a function is a return */
        add_edge(b, o->node, o->back);
    }
}
// NOLINTEND(misc-no-recursion)

/* --- loops that begin at one block --- */

/* Whether a way leads back to its block at once, or past a block that only comes from there. */
static int is_own_way(const edge *e, const uint32_t *ins, const uint32_t *outs,
                      const uint32_t *before) {
    return e->from == e->to ||
           (ins[e->from] == 1 && outs[e->from] == 1 && before[e->from] == e->to);
}

/* A wait that compilers let a loop begin with: the wait's own loop and the one around it begin at
 * one block. An empty block before it is where the outer one begins. */
static void part_heads(builder *b) {
    ptx_graph *g = b->g;
    const uint32_t nodes = g->nodes;
    const uint32_t edges = b->edges;
    const size_t size = (size_t)nodes + 1;
    uint32_t *ins = ptx_memory_take(b->memory, size, sizeof(*ins));
    uint32_t *outs = ptx_memory_take(b->memory, size, sizeof(*outs));
    uint32_t *before = ptx_memory_take(b->memory, size, sizeof(*before));
    uint32_t *others = ptx_memory_take(b->memory, size, sizeof(*others));
    uint8_t *has_own = ptx_memory_take(b->memory, size, 1);
    if (!ins || !outs || !before || !others || !has_own) {
        return;
    }
    for (uint32_t i = 0; i < edges; i++) {
        outs[b->edge[i].from]++;
        ins[b->edge[i].to]++;
        before[b->edge[i].to] = b->edge[i].from;
    }
    for (uint32_t i = 0; i < edges; i++) {
        const edge *e = &b->edge[i];
        const int is_own = is_own_way(e, ins, outs, before);
        has_own[e->to] |= (uint8_t)is_own;
        others[e->to] += !is_own && (ins[e->from] || !e->from); /* else no way leads there */
    }
    for (uint32_t i = 0; i < nodes; i++) {
        others[i] = has_own[i] && others[i] > 1 ? add_node(b) : PTX_NONE;
    }
    for (uint32_t i = 0; i < edges && !b->memory->failed; i++) {
        edge *e = &b->edge[i];
        if (others[e->to] != PTX_NONE && !is_own_way(e, ins, outs, before)) {
            e->to = others[e->to];
        }
    }
    for (uint32_t i = 0; i < nodes; i++) {
        if (others[i] != PTX_NONE) {
            add_edge(b, others[i], i);
        }
    }
}

/* --- ways, sorted by block --- */

static int sort_edges(builder *b) {
    ptx_graph *g = b->g;
    g->edges = b->edges;
    g->out = ptx_memory_take(b->memory, (size_t)b->edges + 1, sizeof(*g->out));
    g->in = ptx_memory_take(b->memory, (size_t)b->edges + 1, sizeof(*g->in));
    g->out_slot = ptx_memory_take(b->memory, (size_t)b->edges + 1, sizeof(*g->out_slot));
    if (!g->out || !g->in || !g->out_slot) {
        return -1;
    }
    for (uint32_t i = 0; i < b->edges; i++) {
        TMA_ASSERT(b->edge[i].from < g->nodes && b->edge[i].to < g->nodes);
        g->node[b->edge[i].from].outs++;
        g->node[b->edge[i].to].ins++;
    }
    uint32_t outs = 0;
    uint32_t ins = 0;
    for (uint32_t i = 0; i < g->nodes; i++) {
        g->node[i].first_out = outs;
        g->node[i].first_in = ins;
        outs += g->node[i].outs;
        ins += g->node[i].ins;
        g->node[i].outs = 0;
        g->node[i].ins = 0;
    }
    for (uint32_t i = 0; i < b->edges; i++) {
        ptx_node *from = &g->node[b->edge[i].from];
        ptx_node *to = &g->node[b->edge[i].to];
        g->out_slot[from->first_out + from->outs] = to->ins;
        g->out[from->first_out + from->outs++] = b->edge[i].to;
        g->in[to->first_in + to->ins++] = b->edge[i].from;
    }
    return 0;
}

/* Blocks in the order in which a walk through all ways leaves them, the last one first. */
static int order_nodes(ptx_graph *g) {
    uint32_t *stack = ptx_memory_take(g->memory, (size_t)g->nodes + 1, sizeof(*stack));
    uint32_t *next = ptx_memory_take(g->memory, (size_t)g->nodes + 1, sizeof(*next));
    uint8_t *seen = ptx_memory_take(g->memory, (size_t)g->nodes + 1, 1);
    g->ordered = ptx_memory_take(g->memory, (size_t)g->nodes + 1, sizeof(*g->ordered));
    if (!stack || !next || !seen || !g->ordered) {
        return -1;
    }
    uint32_t left = g->nodes;
    uint32_t depth = 1;
    stack[0] = 0;
    seen[0] = 1;
    while (depth) {
        const uint32_t i = stack[depth - 1];
        if (next[i] < g->node[i].outs) {
            const uint32_t to = g->out[g->node[i].first_out + next[i]++];
            if (!seen[to]) {
                seen[to] = 1;
                stack[depth++] = to;
            }
        } else {
            g->ordered[--left] = i;
            depth--;
        }
    }
    g->reached = g->nodes - left;
    g->ordered += left;
    for (uint32_t i = 0; i < g->reached; i++) {
        g->node[g->ordered[i]].order = i;
    }
    return 0;
}

/* What follows from the ways. */
static int find_order(builder *b) {
    ptx_graph *g = b->g;
    return g->memory->failed || sort_edges(b) || order_nodes(g) || ptx_dominators(g) ||
                   ptx_loops(g) || g->memory->failed
               ? -1
               : 0;
}

int ptx_graph_without(ptx_graph *g, const uint8_t *never) {
    builder b = {.memory = g->memory, .g = g};
    for (uint32_t i = 0; i < g->nodes; i++) {
        for (uint32_t k = g->node[i].first_out; k < g->node[i].first_out + g->node[i].outs; k++) {
            if (!never[k]) {
                add_edge(&b, i, g->out[k]);
            }
        }
    }
    for (uint32_t i = 0; i < g->nodes; i++) {
        ptx_node *node = &g->node[i];
        *node = (ptx_node){.first = node->first,
                           .end = node->end,
                           .order = PTX_NONE,
                           .dominator = PTX_NONE,
                           .loop = PTX_NONE};
    }
    g->loops = 0;
    g->is_tangled = 0;
    return find_order(&b);
}

int ptx_graph_make(ptx_graph *g, ptx_memory *memory, const ptx_functions *functions,
                   const ptx_codes *codes, uint32_t function, int inlined) {
    const ptx_rows *rows = codes->rows;
    *g = (ptx_graph){.memory = memory, .rows = rows, .codes = codes, .root = function};
    builder b = {.memory = memory, .g = g, .functions = functions, .inlined = inlined};
    body root = {.f = &rows->function[function], .back = PTX_NONE, .anywhere = PTX_NONE};
    root.context = add_context(&b, function, PTX_NONE, PTX_NONE);
    root.node = add_node(&b);
    if (memory->failed) {
        return -1;
    }
    take_body(&b, &root);
    part_heads(&b);
    return find_order(&b);
}

uint32_t ptx_block_row(const ptx_graph *g, uint32_t block) {
    const ptx_node *n = &g->node[block];
    while (n->first == n->end && n->outs && g->node[g->out[n->first_out]].order > n->order) {
        n = &g->node[g->out[n->first_out]];
    }
    return n->first < n->end ? g->step[n->first].row : PTX_NONE;
}

int ptx_step_is_opaque(const ptx_graph *g, const ptx_step *step) {
    return step->kind == PTX_STEP_ROW && g->codes->code[step->row].op == PTX_OP_CALL;
}

int ptx_dominates(const ptx_graph *g, uint32_t a, uint32_t b) {
    TMA_ASSERT(a < g->nodes && b < g->nodes);
    return g->node[a].enter <= g->node[b].enter && g->node[b].leave <= g->node[a].leave;
}
