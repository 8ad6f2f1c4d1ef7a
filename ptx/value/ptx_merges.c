/* SPDX-License-Identifier: Apache-2.0
 *
 * Where ways bring different values of a place together: at the blocks where the dominance of its
 * assignments ends, and of what is assigned there again (Cytron et al., 1991). Only of places that
 * are read where no assignment of theirs is sure to come before in the same block.
 */
#include <string.h>

#include "ptx_values.h"

typedef struct pair {
    uint32_t block;
    uint32_t next;
} pair;

typedef struct placer {
    ptx_memory *memory;
    ptx_values *v;
    const ptx_graph *g;
    uint32_t *last_def; /* by place: the last pair in defs */
    pair *def;          /* blocks that assign a place */
    uint32_t defs;
    uint32_t *stamp;     /* by place: the block, + 1, that assigned it last */
    uint8_t *exposed;    /* by place */
    uint32_t *last_edge; /* by block: the last pair in ends */
    pair *end;           /* blocks where a block's dominance ends */
    uint32_t ends;
    uint32_t *merged; /* by block: the place, + 1, that has a merge there */
    uint32_t *todo;
    uint64_t budget;
    uint32_t block; /* of the step that is looked at */
} placer;

/* --- assignments and uses --- */

static void take_def(void *context, uint32_t place) {
    placer *p = context;
    const uint32_t last = p->last_def[place];
    p->stamp[place] = p->block + 1;
    if (last == PTX_NONE || p->def[last].block != p->block) {
        const uint32_t at = p->defs;
        PTX_APPEND(p, def, defs, (pair){p->block, last});
        p->last_def[place] = p->defs > at ? at : last;
    }
}

static uint32_t place_in(const ptx_graph *g, uint32_t context, uint32_t place) {
    const ptx_context *c = &g->context[context];
    return c->first_place + (place - g->rows->function[c->function].first_place);
}

/* A value that comes from before the block; of a place with one assignment that counts where that
 * one does not dominate the block. */
static void take_use(placer *p, uint32_t place) {
    const uint32_t last = p->last_def[place];
    if (p->stamp[place] == p->block + 1 || last == PTX_NONE) {
        return;
    }
    if (p->def[last].next != PTX_NONE || p->def[last].block == p->block ||
        !ptx_dominates(p->g, p->def[last].block, p->block)) {
        p->exposed[place] = 1;
    }
}

/* The places that an instruction reads: of the names that it assigns only what a guard may keep. */
static void take_uses(placer *p, const ptx_step *step) {
    const ptx_rows *rows = p->g->rows;
    const ptx_code *c = &p->g->codes->code[step->row];
    const ptx_row *row = &rows->row[step->row];
    const uint32_t context =
        step->kind == PTX_STEP_ROW ? step->context : p->g->context[step->context].parent;
    uint32_t assigned = c->guarded ? 0 : c->defs;
    for (uint32_t i = row->first_ref; i < row->first_ref + row->refs; i++) {
        const uint32_t place = rows->ref[i].place;
        if (place == PTX_NONE) {
            continue;
        }
        if (assigned && i != c->guard) {
            assigned--;
            continue;
        }
        take_use(p, place_in(p->g, context, place));
    }
}

/* A call reads what its .params hold, and a function's body what it returns. */
static void take_call_uses(placer *p, const ptx_step *step) {
    const ptx_graph *g = p->g;
    const ptx_rows *rows = g->rows;
    const ptx_row *row = &rows->row[step->row];
    const ptx_context *context = &g->context[step->context];
    for (uint32_t i = row->first_ref;
         step->kind == PTX_STEP_ENTER && i < row->first_ref + row->refs; i++) {
        const ptx_symbol *s =
            rows->ref[i].symbol == PTX_NONE ? NULL : &rows->symbol[rows->ref[i].symbol];
        for (uint32_t k = s && s->kind == PTX_IS_VARIABLE ? s->slot : PTX_NONE; k != PTX_NONE;
             k = rows->place[k].before) {
            take_use(p, place_in(g, context->parent, k));
        }
    }
    const ptx_function *f = &rows->function[context->function];
    for (uint32_t i = f->returns; step->kind == PTX_STEP_LEAVE && i < f->first_parameter; i++) {
        for (uint32_t k = rows->symbol[i].slot; k != PTX_NONE; k = rows->place[k].before) {
            take_use(p, place_in(g, step->context, k));
        }
    }
}

static void take_lane(void *context, uint32_t place) {
    take_use(context, place);
}

static void scan(placer *p, int uses) {
    const ptx_graph *g = p->g;
    memset(p->stamp, 0, ((size_t)g->places + 1) * sizeof(*p->stamp));
    for (uint32_t i = 0; i < g->reached; i++) {
        p->block = g->ordered[i];
        for (uint32_t k = g->node[p->block].first; k < g->node[p->block].end; k++) {
            const ptx_step *step = &g->step[k];
            if (uses) {
                take_uses(p, step);
                ptx_step_lanes(g, step, take_lane, p);
                if (step->kind != PTX_STEP_ROW) {
                    take_call_uses(p, step);
                }
            }
            ptx_step_places(p->v, step, take_def, p);
        }
    }
}

/* --- where dominance ends --- */

/* Notes that a block's dominance ends at another; 0: that was noted before. */
static int add_end(placer *p, uint32_t at, uint32_t block) {
    const uint32_t last = p->last_edge[at];
    if (p->end && last != PTX_NONE && p->end[last].block == block) {
        return 0;
    }
    const uint32_t one = p->ends;
    PTX_APPEND(p, end, ends, (pair){block, last});
    p->last_edge[at] = p->ends > one ? one : last;
    p->budget--;
    return 1;
}

/* Of a block before `block`, and of those that dominate it, the dominance ends there, up to the one
 * that dominates both. */
static void end_from(placer *p, uint32_t at, uint32_t block) {
    const ptx_graph *g = p->g;
    const int is_first = block == g->ordered[0];
    const uint32_t stop = is_first ? PTX_NONE : g->node[block].dominator;
    while (g->node[at].order != PTX_NONE && p->budget && at != stop && add_end(p, at, block) &&
           at != g->node[at].dominator) {
        at = g->node[at].dominator;
    }
}

static void find_ends(placer *p) {
    const ptx_graph *g = p->g;
    for (uint32_t i = 0; i < g->reached; i++) {
        const ptx_node *node = &g->node[g->ordered[i]];
        const uint32_t ins = node->ins > 1 || i == 0 ? node->ins : 0;
        for (uint32_t k = 0; k < ins; k++) {
            end_from(p, g->in[node->first_in + k], g->ordered[i]);
        }
    }
}

static void add_merge(placer *p, uint32_t block, uint32_t place) {
    ptx_values *v = p->v;
    const uint32_t ins = p->g->node[block].ins;
    p->budget -= ins < p->budget ? ins : p->budget;
    PTX_APPEND(
        v, merge, merges,
        (ptx_merge){
            .node = block, .place = place, .next = v->first_merge[block], .first_arg = v->args});
    if (!p->memory->failed) {
        v->first_merge[block] = v->merges - 1;
        v->args += ins;
    }
}

static void place_merges(placer *p, uint32_t place) {
    uint32_t todos = 0;
    const uint32_t merges = p->v->merges;
    const uint32_t first = p->todo && p->def ? p->last_def[place] : PTX_NONE;
    for (uint32_t i = first; i != PTX_NONE; i = p->def[i].next) {
        p->todo[todos++] = p->def[i].block;
    }
    while (todos && p->budget) {
        const uint32_t block = p->todo[--todos];
        for (uint32_t i = p->last_edge[block]; p->end && i != PTX_NONE && p->budget;
             i = p->end[i].next) {
            const uint32_t to = p->end[i].block;
            p->budget--;
            if (p->merged[to] != place + 1) {
                p->merged[to] = place + 1;
                add_merge(p, to, place);
                p->todo[todos++] = to;
            }
        }
    }
    if (!p->budget) { /* half of its merges are worse than none */
        p->v->lost[place] = 1;
        p->v->lost_places++;
        for (; p->v->merges > merges; p->v->merges--) {
            const ptx_merge *m = &p->v->merge[p->v->merges - 1];
            p->v->first_merge[m->node] = m->next;
            p->v->args = m->first_arg;
        }
    }
}

static int take_arrays(placer *p) {
    const size_t places = (size_t)p->g->places + 1;
    const size_t nodes = (size_t)p->g->nodes + 1;
    p->last_def = ptx_memory_take(p->memory, places, sizeof(*p->last_def));
    p->stamp = ptx_memory_take(p->memory, places, sizeof(*p->stamp));
    p->exposed = ptx_memory_take(p->memory, places, 1);
    p->last_edge = ptx_memory_take(p->memory, nodes, sizeof(*p->last_edge));
    p->merged = ptx_memory_take(p->memory, nodes, sizeof(*p->merged));
    p->todo = ptx_memory_take(p->memory, 2 * nodes, sizeof(*p->todo));
    if (p->memory->failed) {
        return -1;
    }
    memset(p->last_def, 0xFF, places * sizeof(*p->last_def));
    memset(p->last_edge, 0xFF, nodes * sizeof(*p->last_edge));
    return 0;
}

int ptx_merges_make(ptx_values *v) {
    placer p = {.memory = v->memory, .v = v, .g = v->g};
    p.budget = (uint64_t)PTX_MERGES_A_STEP * ((uint64_t)v->g->steps + v->g->edges) + 10000;
    p.budget = p.budget < PTX_MOST_MERGES ? p.budget : PTX_MOST_MERGES;
    if (take_arrays(&p)) {
        return -1;
    }
    scan(&p, 0);
    scan(&p, 1);
    find_ends(&p);
    for (uint32_t place = 0; place < v->g->places && !p.memory->failed; place++) {
        if (p.exposed[place]) {
            place_merges(&p, place);
        }
    }
    v->arg = ptx_memory_take(v->memory, (size_t)v->args + 1, sizeof(*v->arg));
    return v->memory->failed ? -1 : 0;
}
