/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads whose ways do not meet: one writes shared memory, another one gives it to a bulk store;
 * one gives a stage back, and reads it behind that. proxy-store, store-reuse and proxy-load, all of
 * it "may": in which order barriers let them come is not known.
 */
#include <string.h>

#include "protocol_shapes.h"

typedef struct parter {
    ptx_protocol *p;
    uint8_t *fenced;  /* by block: it leads to a fence.proxy.async */
    uint8_t *signals; /* by block: it leads to what others wait for */
    uint8_t *leads;   /* by block: it leads to the store */
    uint32_t *todo;
} parter;

static int is_signal(const ptx_act *a) {
    return a->kind == PTX_ACT_SYNC || a->kind == PTX_ACT_ARRIVE ||
           (a->kind == PTX_ACT_EXPECT && !(a->traits & PTX_ONLY_BYTES));
}

/* Whether both are in the same bytes, for the first thread, each in the first turn of its loops; as
 * far as that hangs on the window of shared memory, with it at a multiple of 2^24. */
static int overlaps(const ptx_protocol *p, const ptx_act *write, const ptx_act *store) {
    if (store->kind == PTX_ACT_FETCH) {
        return ptx_acts_meet_first(p, write, store) && ptx_fetch_is_beside_loads(p, store);
    }
    ptx_first t = {.p = p, .around = PTX_NONE, .variable = PTX_NONE};
    t.thread = ptx_act_thread(p, write);
    t.follows = 1;
    const uint32_t variable = ptx_shared_variable(p->v, store->at);
    uint64_t first = 0;
    if (variable == PTX_NONE || variable != ptx_shared_variable(p->v, write->at)) {
        return 0;
    }
    const ptx_value apart = ptx_form_sum(&p->v->forms, write->at, store->at, UINT64_MAX);
    if (apart == PTX_UNKNOWN || !ptx_value_first(&t, apart, &first)) {
        return ptx_acts_meet_first(p, write, store);
    }
    const int64_t away = (int32_t)(uint32_t)first;
    return away > -(int64_t)write->bytes_B &&
           away < (store->bytes_B ? (int64_t)store->bytes_B : PTX_LEAST_COPY_B);
}

/* A write that no way leads from to the store, nor to a fence, and whose thread tells others of it;
 * the store's thread comes past no fence. */
static const ptx_act *bare_write(const parter *r, const ptx_act *store) {
    const ptx_protocol *p = r->p;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind == PTX_ACT_FENCE_ASYNC && r->leads[ptx_act_block(p, a)]) {
            return NULL;
        }
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const uint32_t block = ptx_act_block(p, a);
        if (a->kind == PTX_ACT_WRITE && !r->leads[block] && !r->fenced[block] &&
            r->signals[block] && overlaps(p, a, store)) {
            return a;
        }
    }
    return NULL;
}

static int check_bare(const parter *r, const ptx_act *store) {
    const ptx_act *write = bare_write(r, store);
    if (write) {
        const int line = ptx_act_line(r->p, write);
        ptx_protocol_say(r->p, PTX_RULE_PROXY_STORE, 0, store, write,
                         "may read shared memory as it was before line %d writes it in other "
                         "threads: no fence.proxy.async stands on a way from there on, nor before "
                         "this %s (in which order barriers let them come is not known). Put "
                         "fence.proxy.async.shared::cta behind line %d, before what this thread "
                         "waits for",
                         line, store->kind == PTX_ACT_FETCH ? "product" : "copy", line);
    }
    return write != NULL;
}

/* --- given back before the store has read it --- */

enum { IN_FLIGHT, WAITED, APART_PLANES };

typedef struct apart_context {
    const parter *r;
    uint32_t arrive[64]; /* + 1 */
} apart_context;

static void pass_apart(ptx_flood *f, uint32_t act, uint64_t *plane) {
    const ptx_act *a = &f->p->act[act];
    if (a->kind == PTX_ACT_WAIT_GROUP) {
        ptx_flood_move(f, plane, IN_FLIGHT, WAITED, UINT64_MAX);
    } else if (a->kind == PTX_ACT_CALL) {
        memset(plane, 0, 2 * (size_t)f->planes * sizeof(*plane));
    }
}

static void hit_apart(ptx_flood *f, uint32_t act, const uint64_t *plane) {
    apart_context *c = f->context;
    const ptx_act *a = &f->p->act[act];
    const uint64_t bits = plane[IN_FLIGHT] & ~ptx_flood_bits(f, plane, WAITED);
    for (uint32_t i = 0; a->kind == PTX_ACT_ARRIVE && i < f->seeds; i++) {
        c->arrive[i] = bits >> i & 1 ? act + 1 : c->arrive[i];
    }
}

static void begin_apart(ptx_flood *f) {
    apart_context *c = f->context;
    memset(c->arrive, 0, sizeof(c->arrive));
}

/* The block that all ways to an act come past, without the loops around it that another act is not
 * in. */
static uint32_t block_before_loops(const ptx_protocol *p, const ptx_act *act,
                                   const ptx_act *other) {
    const ptx_graph *g = p->v->g;
    uint32_t block = ptx_act_block(p, act);
    uint32_t loop = g->node[block].loop;
    while (loop != PTX_NONE && !ptx_block_in_loop(g, ptx_act_block(p, other), loop)) {
        block = g->loop[loop].head;
        loop = g->loop[loop].parent;
    }
    return block;
}

/* Whether the store's own threads write: all ways to the store come past the write or its loops, or
 * those that come to the write have come past where the store's thread is chosen. protocol_reuse.c
 * judges it. */
static int is_own_write(const ptx_protocol *p, const ptx_act *write, const ptx_act *store) {
    const ptx_graph *g = p->v->g;
    const uint32_t chosen = g->node[ptx_act_block(p, store)].dominator;
    return ptx_dominates(g, block_before_loops(p, write, store), ptx_act_block(p, store)) ||
           (ptx_dominates(g, chosen, ptx_act_block(p, write)) &&
            !ptx_acts_exclude(p, write, store));
}

/* A write of other threads behind a wait for an arrival. */
static const ptx_act *write_behind(const ptx_protocol *p, const ptx_act *arrive,
                                   const ptx_act *store) {
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *wait = &p->act[i];
        if (wait->kind != PTX_ACT_AWAIT || arrive->barrier == PTX_UNKNOWN ||
            ptx_barriers_alike(p, wait, arrive) == PTX_DIFFERENT) {
            continue;
        }
        for (uint32_t k = 0; k < p->acts; k++) {
            const ptx_act *write = &p->act[k];
            if (write->kind == PTX_ACT_WRITE && ptx_act_block(p, wait) != ptx_act_block(p, write) &&
                !is_own_write(p, write, store) &&
                ptx_dominates(p->v->g, ptx_act_block(p, wait), ptx_act_block(p, write)) &&
                overlaps(p, write, store) && !ptx_acts_share_thread(p, write, store)) {
                return write;
            }
        }
    }
    return NULL;
}

static void end_apart(ptx_flood *f) {
    const apart_context *c = f->context;
    for (uint32_t i = 0; i < f->seeds; i++) {
        const ptx_act *store = &f->p->act[f->seed[i]];
        const ptx_act *arrive = c->arrive[i] ? &f->p->act[c->arrive[i] - 1] : NULL;
        const ptx_act *write = arrive ? write_behind(f->p, arrive, store) : NULL;
        if (write) {
            const int line = ptx_act_line(f->p, arrive);
            ptx_protocol_say(f->p, PTX_RULE_STORE_REUSE, 0, store, write,
                             "line %d writes shared memory that this copy may still read: its "
                             "thread waits for the arrival at line %d, which comes with no "
                             "cp.async.bulk.wait_group before it (whether it is the same stage is "
                             "not known). Put cp.async.bulk.wait_group.read before line %d",
                             ptx_act_line(f->p, write), line, line);
        }
    }
}

static void check_given_back(const parter *r) {
    apart_context c = {.r = r};
    ptx_flood f = ptx_flood_of(APART_PLANES, pass_apart, hit_apart, &c, 0);
    f.begin = begin_apart;
    f.stays_own = 1;
    if (r->p->many[PTX_ACT_ARRIVE] && r->p->many[PTX_ACT_AWAIT] && !ptx_flood_begin(&f, r->p)) {
        ptx_flood_all(&f, PTX_ACT_STORE, end_apart);
    }
}

/* --- a stage given back, and read behind that --- */

/* Whether `b` comes behind `a` in the same turn of their loop. */
static int is_behind(const ptx_protocol *p, const ptx_act *b, const ptx_act *a) {
    const uint32_t x = ptx_act_block(p, a);
    const uint32_t y = ptx_act_block(p, b);
    return x == y ? a < b : ptx_dominates(p->v->g, x, y);
}

/* The last wait before a load, for a barrier that it does not complete on itself. */
static const ptx_act *waited_before(const ptx_protocol *p, const ptx_act *load) {
    const ptx_act *last = NULL;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind == PTX_ACT_AWAIT && is_behind(p, load, a) && (!last || is_behind(p, a, last))) {
            last = a;
        }
    }
    return last && ptx_barriers_alike(p, last, load) == PTX_DIFFERENT ? last : NULL;
}

/* Whether two acts are on one barrier, at least in the first turns of their loops. */
static int is_same_at_first(const ptx_protocol *p, const ptx_act *a, const ptx_act *b) {
    ptx_first t = {.p = p, .around = PTX_NONE, .variable = PTX_NONE};
    const ptx_alike alike = ptx_barriers_alike(p, a, b);
    const ptx_value apart = alike == PTX_MAYBE
                                ? ptx_form_sum(&p->v->forms, a->barrier, b->barrier, UINT64_MAX)
                                : PTX_UNKNOWN;
    uint64_t first = 0;
    return alike == PTX_EQUAL ||
           (apart != PTX_UNKNOWN && ptx_value_first(&t, apart, &first) && !first && !t.by_thread);
}

/* By block: whether some way leads there in the same turns of all loops. */
static void take_ahead(const ptx_protocol *p, uint32_t from, uint8_t *is) {
    const ptx_graph *g = p->v->g;
    memset(is, 0, g->nodes);
    for (uint32_t i = 0; i < g->reached; i++) {
        const uint32_t block = g->ordered[i];
        const ptx_node *n = &g->node[block];
        for (uint32_t k = 0; (is[block] || block == from) && k < n->outs; k++) {
            uint32_t loop = 0;
            const uint32_t to = g->out[n->first_out + k];
            is[to] |= ptx_way_of(g, block, to, &loop) == PTX_WAY_ON;
        }
    }
}

/* Whether an act stands behind another one in each turn of their loop: also where that one is under
 * a condition of its own (a thread of a warp arrives, all read). */
static int is_past(const ptx_protocol *p, const ptx_act *act, const ptx_act *from,
                   const uint8_t *ahead) {
    const ptx_graph *g = p->v->g;
    const uint32_t x = ptx_act_block(p, from);
    const uint32_t y = ptx_act_block(p, act);
    const ptx_node *n = &g->node[x];
    return is_behind(p, act, from) || (x != y && ahead[y] && n->loop == g->node[y].loop &&
                                       n->ins == 1 && ptx_dominates(g, g->in[n->first_in], y));
}

/* Whether an act stands between two others, also under a condition of its own (the first of the
 * turns waits). */
static int is_between(const ptx_protocol *p, const ptx_act *a, const ptx_act *from,
                      const ptx_act *to, const uint8_t *ahead) {
    const ptx_graph *g = p->v->g;
    const uint32_t block = ptx_act_block(p, a);
    return (is_behind(p, a, from) || ahead[block]) &&
           (is_behind(p, to, a) || g->node[block].order < g->node[ptx_act_block(p, to)].order);
}

/* Whether a wait for a load's barrier stands between; `alike`: as far as that is known at least. */
static int is_waited_for(const ptx_protocol *p, const ptx_act *load, const ptx_act *from,
                         const ptx_act *to, const uint8_t *ahead, ptx_alike alike) {
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind == PTX_ACT_AWAIT && is_between(p, a, from, to, ahead) &&
            ptx_barriers_alike(p, a, load) >= alike) {
            return 1;
        }
    }
    return 0;
}

/* Whether a load brings what is read, for a thread that reads: in the first turns of loops, or in
 * one of those that its own loop is known to have. */
static int brings(ptx_protocol *p, const ptx_act *load, const ptx_act *read) {
    const ptx_form f = p->v->forms.form[load->at];
    const uint32_t loop = ptx_act_loop(p, load);
    ptx_first t = {.p = p, .around = PTX_NONE, .variable = PTX_NONE};
    int64_t step_B = 0;
    uint64_t first = 0;
    for (uint32_t i = 0; loop != PTX_NONE && load->at != PTX_UNKNOWN && i < f.terms; i++) {
        const ptx_atom *a = &p->v->forms.atom[f.term[i].atom];
        step_B = a->kind == PTX_ATOM_TURN && a->loop == loop
                     ? ptx_with_sign(f.term[i].times, f.bits)
                     : step_B;
    }
    const int64_t turns = step_B > 0 ? ptx_loop_turns(p, loop, ptx_act_block(p, load)) : 0;
    const ptx_value apart =
        turns ? ptx_form_sum(&p->v->forms, read->at, load->at, UINT64_MAX) : (ptx_value)PTX_UNKNOWN;
    t.thread = ptx_act_thread(p, read);
    t.follows = 1;
    if (apart == PTX_UNKNOWN || !ptx_value_first(&t, apart, &first)) {
        return overlaps(p, read, load);
    }
    const int64_t away = (int32_t)(uint32_t)first;
    return away >= 0 && away < step_B * turns &&
           away % step_B < (load->bytes_B ? (int64_t)load->bytes_B : PTX_LEAST_COPY_B);
}

/* Whether another load brings what is read, and a wait for that one stands between: the stage is
 * another's by then. */
static int is_brought_anew(ptx_protocol *p, const ptx_act *load, const ptx_act *from,
                           const ptx_act *read, const uint8_t *ahead) {
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *other = &p->act[i];
        if (other->kind == PTX_ACT_LOAD && ptx_barriers_alike(p, other, load) == PTX_DIFFERENT &&
            is_waited_for(p, other, from, read, ahead, PTX_EQUAL) && brings(p, other, read)) {
            return 1;
        }
    }
    return 0;
}

/* A read of what a load brings, behind an arrival that gives it back. */
static const ptx_act *read_behind(ptx_protocol *p, const ptx_act *load, const ptx_act *back,
                                  uint8_t *ahead) {
    take_ahead(p, ptx_act_block(p, back), ahead);
    for (uint32_t k = 0; k < p->acts; k++) {
        const ptx_act *read = &p->act[k];
        if (read->kind == PTX_ACT_READ && is_past(p, read, back, ahead) &&
            overlaps(p, read, load) && !is_waited_for(p, load, back, read, ahead, PTX_MAYBE) &&
            !is_brought_anew(p, load, back, read, ahead)) {
            return read;
        }
    }
    return NULL;
}

static int check_read_late(ptx_protocol *p, const ptx_act *load, uint8_t *ahead) {
    const ptx_act *wait = waited_before(p, load);
    for (uint32_t i = 0; wait && i < p->acts; i++) {
        const ptx_act *back = &p->act[i];
        if (back->kind != PTX_ACT_ARRIVE || back->barrier == PTX_UNKNOWN ||
            wait->barrier == PTX_UNKNOWN || !is_same_at_first(p, back, wait)) {
            continue;
        }
        const ptx_act *read = read_behind(p, load, back, ahead);
        if (read) {
            ptx_protocol_say(p, PTX_RULE_PROXY_LOAD, 0, back, read,
                             "gives the stage back that line %d fills, and line %d reads it "
                             "behind that: the next load may have overwritten it (if it comes "
                             "so soon). Arrive behind line %d, and behind all other reads of the "
                             "stage",
                             ptx_act_line(p, load), ptx_act_line(p, read), ptx_act_line(p, read));
            return 1;
        }
    }
    return 0;
}

static void check_reads(ptx_protocol *p) {
    const ptx_function *is = &p->v->g->rows->function[p->v->g->root];
    int said = 0;
    for (uint32_t i = 0; i < p->r->findings; i++) { /* protocol_rings.c may have said it */
        const ptx_finding *f = &p->r->finding[i];
        said |= f->rule == ptx_rule_at(PTX_RULE_PROXY_LOAD)->name && f->row >= is->first &&
                f->row < is->end;
    }
    const uint64_t loads = p->many[PTX_ACT_LOAD];
    uint8_t *ahead = ptx_memory_take(p->memory, (size_t)p->v->g->nodes + 1, 1);
    if (!ahead || !ptx_can_judge(p, PTX_BUDGET_APART_READS, loads * p->acts * p->acts) ||
        !ptx_can_judge(p, PTX_BUDGET_APART_READS,
                       loads * p->many[PTX_ACT_ARRIVE] * p->v->g->reached)) {
        return;
    }
    for (uint32_t i = 0; i < p->acts && !said; i++) {
        said = p->act[i].kind == PTX_ACT_LOAD && !(p->act[i].traits & PTX_TO_CLUSTER) &&
               check_read_late(p, &p->act[i], ahead);
    }
}

void ptx_apart_check(ptx_protocol *p) {
    const size_t nodes = (size_t)p->v->g->nodes + 1;
    parter r = {.p = p};
    if (!p->many[PTX_ACT_CALL] && p->many[PTX_ACT_READ] && p->many[PTX_ACT_AWAIT]) {
        check_reads(p);
    }
    if (!(p->many[PTX_ACT_STORE] + p->many[PTX_ACT_FETCH]) || !p->many[PTX_ACT_WRITE] ||
        p->many[PTX_ACT_CALL] || !ptx_can_judge(p, PTX_BUDGET_APART, (uint64_t)p->acts * p->acts)) {
        return;
    }
    r.fenced = ptx_memory_take(p->memory, nodes, 1);
    r.signals = ptx_memory_take(p->memory, nodes, 1);
    r.leads = ptx_memory_take(p->memory, nodes, 1);
    r.todo = ptx_memory_take(p->memory, nodes, sizeof(*r.todo));
    if (!r.fenced || !r.signals || !r.leads || !r.todo) {
        return;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        r.fenced[ptx_act_block(p, &p->act[i])] |= p->act[i].kind == PTX_ACT_FENCE_ASYNC;
        r.signals[ptx_act_block(p, &p->act[i])] |= (uint8_t)is_signal(&p->act[i]);
    }
    ptx_blocks_mark_leading(p, r.fenced, r.todo);
    ptx_blocks_mark_leading(p, r.signals, r.todo);
    int said = 0;
    for (uint32_t i = 0; i < p->acts && !said; i++) {
        if ((p->act[i].kind == PTX_ACT_STORE || p->act[i].kind == PTX_ACT_FETCH) &&
            !ptx_act_is_said(p, &p->act[i], PTX_RULES)) {
            memset(r.leads, 0, nodes);
            r.leads[ptx_act_block(p, &p->act[i])] = 1;
            ptx_blocks_mark_leading(p, r.leads, r.todo);
            said = check_bare(&r, &p->act[i]);
        }
    }
    check_given_back(&r);
}
