/* SPDX-License-Identifier: Apache-2.0
 *
 * Ways from the edit of a map to its use.
 *
 * 64 edits at a time go along all ways at once, one bit each, until nothing changes: an acquire
 * that may be on a map ends its bit, a use of the same map is a finding. Over a loop's way back a
 * map that each turn makes anew is another one; a map that steps with the turns goes on as what it
 * is to the next turn, once.
 */
#include <string.h>

#include "ptx_ways.h"

#define BITS 64

/* An edit whose uses are looked for: behind its event, or from the head of a loop on. */
typedef struct source {
    uint32_t edit; /* event */
    uint32_t node;
    ptx_value map;
    uint8_t is_turned; /* begins at the node's begin */
    uint8_t is_spent;  /* another one goes on with it */
} source;

typedef struct walk {
    ptx_memory *memory;
    ptx_report *r;
    ptx_values *v;
    ptx_ways ways;
    source *source;
    uint32_t sources;
    uint32_t first, end;   /* those that go now */
    uint64_t *in;          /* by block: bits that come in, */
    uint64_t *begins;      /* by event: and that begin behind it, */
    uint64_t *same;        /* by value: and whose map it is, */
    uint64_t *possible;    /* by class: and whose maps, of other classes, may be one of it */
    uint32_t *possible_of; /* the turn, + 1, that `possible` is of */
    uint8_t *is_open;      /* by block */
    uint32_t *use;         /* by edit: the first event that uses it with no fence before it */
    uint32_t *event_of;    /* by step, or PTX_NONE */
    uint32_t turn;
    size_t values; /* that the arrays have room for */
    ptx_value_set acquired, copied, taken, said;
    int releases;
} walk;

/* The sources of now whose map an acquire may be on. */
static uint64_t possible_maps(walk *w, ptx_value map) {
    const ptx_value class = ptx_ways_class(w->v, map);
    if (map == PTX_UNKNOWN) {
        return UINT64_MAX;
    }
    if (w->possible_of[class] != w->turn + 1) {
        w->possible_of[class] = w->turn + 1;
        w->possible[class] = 0;
        for (uint32_t i = w->first; i < w->end; i++) {
            const ptx_value other = ptx_ways_class(w->v, w->source[i].map);
            w->possible[class] |=
                (uint64_t)(other != class && !ptx_classes_apart(w->v, class, other))
                << (i - w->first);
        }
    }
    return w->possible[class] | w->same[map];
}

static void note_uses(walk *w, uint32_t event, uint64_t used) {
    for (uint32_t k = 0; used; k++, used >>= 1) {
        if (used & 1) {
            uint32_t *use = &w->use[w->source[w->first + k].edit];
            *use = *use == PTX_NONE || event < *use ? event : *use;
        }
    }
}

static uint64_t past_event(walk *w, uint32_t i, uint64_t bits) {
    const ptx_event *e = &w->ways.event[i];
    if (e->kind == PTX_EVENT_CALL) {
        w->r->calls += bits != 0;
        return 0;
    }
    if (e->kind == PTX_EVENT_ACQUIRE && bits) {
        bits &= ~possible_maps(w, e->map);
    }
    if (e->kind == PTX_EVENT_USE && e->map != PTX_UNKNOWN) {
        note_uses(w, i, bits & w->same[e->map]);
        bits &= ~w->same[e->map];
    }
    return bits | w->begins[i];
}

/* What goes on over a loop's way back. */
static uint64_t past_back(walk *w, uint32_t from, uint32_t to, uint64_t bits) {
    uint64_t on = 0;
    for (uint32_t i = w->first; i < w->end; i++) {
        const uint64_t bit = UINT64_C(1) << (i - w->first);
        if (!(bits & bit)) {
            continue;
        }
        const source s = w->source[i];
        const ptx_value map = ptx_value_over(w->v, s.map, from, to);
        if (map == s.map) {
            on |= bit;
        } else if (map != PTX_UNKNOWN && map < w->values && !s.is_turned && !s.is_spent) {
            w->source[i].is_spent = 1;
            PTX_APPEND(w, source, sources, (source){s.edit, to, map, 1, 0});
        }
    }
    return on;
}

static void past_node(walk *w, uint32_t node) {
    const ptx_graph *g = w->v->g;
    const ptx_node *n = &g->node[node];
    uint64_t bits = w->in[node];
    for (uint32_t i = w->ways.first[node]; i < w->ways.first[node + 1]; i++) {
        bits = past_event(w, i, bits);
    }
    for (uint32_t i = n->first_out; i < n->first_out + n->outs && bits; i++) {
        const uint32_t to = g->out[i];
        uint32_t loop = 0;
        const uint64_t on =
            ptx_way_of(g, node, to, &loop) == PTX_WAY_ON ? bits : past_back(w, node, to, bits);
        if (on & ~w->in[to]) {
            w->in[to] |= on;
            w->is_open[to] = 1;
        }
    }
}

/* Sets, or takes away, what the sources of now need. */
static void set_sources(walk *w, int on) {
    for (uint32_t i = w->first; i < w->end; i++) {
        const source *s = &w->source[i];
        const uint64_t bit = on ? UINT64_C(1) << (i - w->first) : 0;
        w->same[s->map] = on ? w->same[s->map] | bit : 0;
        if (s->is_turned) {
            w->in[s->node] |= bit;
        } else {
            w->begins[s->edit] = bit;
        }
        w->is_open[s->node] = (uint8_t)on;
    }
}

static void go(walk *w) {
    const ptx_graph *g = w->v->g;
    int again = 1;
    memset(w->in, 0, g->nodes * sizeof(*w->in));
    memset(w->is_open, 0, g->nodes);
    set_sources(w, 1);
    while (again && !w->memory->failed) {
        again = 0;
        for (uint32_t i = 0; i < g->reached; i++) {
            const uint32_t node = g->ordered[i];
            if (w->is_open[node]) {
                w->is_open[node] = 0;
                again = 1;
                past_node(w, node);
            }
        }
    }
    set_sources(w, 0);
    w->turn++;
}

/* --- what is said --- */

static int line_of(const walk *w, uint32_t event) {
    const ptx_report *r = w->r;
    return (int)r->rows.row[w->v->g->step[w->ways.event[event].step].row].piece.line;
}

static uint32_t row_of(const walk *w, uint32_t event) {
    return w->v->g->step[w->ways.event[event].step].row;
}

/* Only a kernel is seen whole: who calls a function may publish what it edits, or fence. */
static int is_kernel(const walk *w) {
    return w->v->g->rows->function[w->v->g->root].is_entry;
}

static void check_publishing(walk *w, const ptx_event *e) {
    const ptx_site *s = &w->r->site[e->site];
    const int in_shared = s->s.space == TMA_PTX_SHARED_CTA;
    const int is_generic = s->s.space == TMA_PTX_SPACE_NONE;
    if (w->releases || !is_kernel(w) ||
        ptx_set_may_have(in_shared ? &w->taken : &w->copied, w->v, e->map) ||
        (is_generic && ptx_set_may_have(&w->taken, w->v, e->map))) {
        return;
    }
    ptx_break(w->r, e->site, s->row, PTX_RULE_PUBLISH,
              "the map is edited in %s memory, and the function has no tensormap.cp_fenceproxy %s "
              "it and no fence.proxy.tensormap::generic.release",
              in_shared ? "shared" : "global", in_shared ? "from" : "to");
}

static void say_uses(walk *w) {
    for (uint32_t i = 0; i < w->ways.events; i++) {
        const uint32_t use = w->use[i];
        if (use == PTX_NONE) {
            continue;
        }
        if (ptx_set_may_have(&w->acquired, w->v, w->ways.event[i].map)) {
            w->r->branches++;
            continue;
        }
        ptx_break(w->r, w->ways.event[use].site, row_of(w, use), PTX_RULE_FENCE,
                  "uses a map that line %d edits, and a path leads here with no "
                  "fence.proxy.tensormap::generic.acquire on it. Put "
                  "fence.proxy.tensormap::generic.acquire.gpu [map], 128 before it",
                  line_of(w, i));
        ptx_finding_with(w->r, row_of(w, i));
    }
}

/* --- all of a graph --- */

static void take_event(walk *w, uint32_t i) {
    const ptx_event *e = &w->ways.event[i];
    w->releases |= e->kind == PTX_EVENT_RELEASE;
    if (e->kind == PTX_EVENT_ACQUIRE) {
        ptx_set_add(&w->acquired, w->v, e->map);
    } else if (e->kind == PTX_EVENT_COPY) {
        ptx_set_add(&w->copied, w->v, e->map);
        ptx_set_add(&w->taken, w->v, e->from);
    }
}

static void take_edit(walk *w, uint32_t i) {
    const ptx_event *e = &w->ways.event[i];
    const int is_replace = e->kind == PTX_EVENT_EDIT;
    const int is_said = is_replace && ptx_set_has(&w->said, e->map);
    const int in_shared =
        is_replace && w->r->site[e->site].s.space == TMA_PTX_SHARED_CTA; /* copies cannot use it */
    if (is_replace && !is_said) {
        ptx_set_add(&w->said, w->v, e->map); /* one word about a map is enough */
        check_publishing(w, e);
    }
    if ((is_replace ? !is_said && !in_shared : e->kind == PTX_EVENT_COPY) &&
        e->map != PTX_UNKNOWN) {
        PTX_APPEND(w, source, sources, (source){i, w->v->g->step[e->step].block, e->map, 0, 0});
    }
}

static int take_arrays(walk *w) {
    const ptx_graph *g = w->v->g;
    const size_t values = w->values = 2 * (size_t)w->v->forms.forms + 64;
    w->in = ptx_memory_take(w->memory, (size_t)g->nodes + 1, sizeof(*w->in));
    w->is_open = ptx_memory_take(w->memory, (size_t)g->nodes + 1, 1);
    w->begins = ptx_memory_take(w->memory, (size_t)w->ways.events + 1, sizeof(*w->begins));
    w->use = ptx_memory_take(w->memory, (size_t)w->ways.events + 1, sizeof(*w->use));
    w->event_of = ptx_memory_take(w->memory, (size_t)g->steps + 1, sizeof(*w->event_of));
    w->same = ptx_memory_take(w->memory, values, sizeof(*w->same));
    w->possible = ptx_memory_take(w->memory, values, sizeof(*w->possible));
    w->possible_of = ptx_memory_take(w->memory, values, sizeof(*w->possible_of));
    if (w->memory->failed) {
        return -1;
    }
    memset(w->use, 0xFF, ((size_t)w->ways.events + 1) * sizeof(*w->use));
    return ptx_set_begin(&w->acquired, w->memory, w->v) ||
                   ptx_set_begin(&w->copied, w->memory, w->v) ||
                   ptx_set_begin(&w->taken, w->memory, w->v) ||
                   ptx_set_begin(&w->said, w->memory, w->v)
               ? -1
               : 0;
}

static void check_edits(walk *w) {
    memset(w->event_of, 0xFF, ((size_t)w->v->g->steps + 1) * sizeof(*w->event_of));
    for (uint32_t i = 0; i < w->ways.events; i++) {
        w->event_of[w->ways.event[i].step] = i;
        take_event(w, i);
    }
    for (uint32_t step = 0; step < w->v->g->steps; step++) { /* in the order of the text */
        const uint32_t i = w->event_of[step];
        const ptx_event_kind kind = i == PTX_NONE ? PTX_EVENT_CALL : w->ways.event[i].kind;
        if (kind == PTX_EVENT_EDIT || kind == PTX_EVENT_COPY) {
            take_edit(w, i);
        }
    }
    for (w->first = 0; w->first < w->sources && !w->memory->failed; w->first = w->end) {
        w->end = w->sources - w->first > BITS ? w->first + BITS : w->sources;
        go(w);
    }
    say_uses(w);
}

void ptx_paths_check(ptx_report *r, ptx_values *v) {
    walk w = {.memory = v->memory, .r = r, .v = v};
    int edits = 0;
    if (ptx_ways_make(&w.ways, v->memory, r, v)) {
        r->memory->failed = 1;
        return;
    }
    for (uint32_t i = 0; i < w.ways.events; i++) {
        const ptx_event *e = &w.ways.event[i];
        edits |= e->kind == PTX_EVENT_EDIT || e->kind == PTX_EVENT_COPY;
        ptx_ways_class(v, e->map); /* no value is new from here on but those of other turns */
        ptx_ways_class(v, e->from);
    }
    if (!edits) {
        return;
    }
    if (!take_arrays(&w)) {
        check_edits(&w);
    }
    r->memory->failed |= w.memory->failed;
}
