/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that an mbarrier expects beside those that the copies behind it move.
 */
#include <string.h>

#include "ptx_sites.h"
#include "ptx_ways.h"

/* The barrier's last expectation in straight-line code. */
typedef struct expectation {
    uint32_t row;  /* PTX_NONE: none */
    uint32_t copy; /* row of the last one behind it */
    ptx_value barrier, guard;
    int negated;
    int arrives;
    int has_bytes;
    uint64_t bytes_B;
    uint64_t moved_B;
    uint32_t copies;
    int at_most; /* moved_B: of some copy it is only known where its variable ends */
    int open;    /* a copy of whose bytes nothing is known */
} expectation;

/* Barriers, as keys. */
typedef struct barriers {
    ptx_memory *memory;
    ptx_value *key;
    uint32_t keys;
} barriers;

/* What does not agree in straight-line code, and what stands elsewhere in the kernel that may be
 * of the same phase: copies with no expectation before them, expectations with no copy behind
 * them. */
typedef struct all {
    ptx_report *r;
    ptx_values *v;
    ptx_memory *memory;
    expectation *wrong;
    uint32_t wrongs;
    barriers copies, expects;
} all;

/* A barrier's address, without its number where that changes with a loop: two turns may have the
 * same. */
static ptx_value key_of(ptx_values *v, ptx_value barrier) {
    int64_t added = 0;
    const ptx_value bare = ptx_form_cut(&v->forms, ptx_value_bare(v, barrier), 32);
    const ptx_atom *base = ptx_value_base(v, bare, &added);
    return base && base->kind == PTX_ATOM_ADDRESS ? bare : ptx_ways_class(v, bare);
}

static void add_key(all *a, barriers *of, ptx_value barrier) {
    const ptx_value key = key_of(a->v, barrier);
    ptx_ways_class(a->v, key); /* made before there are sets */
    PTX_APPEND(of, key, keys, key);
}

static void finish(all *a, expectation *e) {
    if (e->row != PTX_NONE && !e->copies) {
        add_key(a, &a->expects, e->barrier);
    } else if (e->row != PTX_NONE && e->has_bytes && !e->open &&
               (e->at_most ? e->moved_B < e->bytes_B : e->moved_B != e->bytes_B)) {
        key_of(a->v, e->barrier);
        PTX_APPEND(a, wrong, wrongs, *e);
    }
    *e = (expectation){.row = PTX_NONE};
}

static void say(ptx_report *r, const expectation *e) {
    if (e->at_most) {
        ptx_break(r, PTX_NONE, e->row, PTX_RULE_EXPECT,
                  "expects %" TMA_U64 " B, and %u cop%s after it on this barrier can move %" TMA_U64
                  " B at most: there the variable in shared memory ends. Expect what is moved "
                  "(tma plan says it)",
                  e->bytes_B, e->copies, e->copies == 1 ? "y" : "ies", e->moved_B);
        ptx_finding_with(r, e->copy);
        return;
    }
    ptx_break(r, PTX_NONE, e->row, PTX_RULE_EXPECT,
              "expects %" TMA_U64 " B, %u cop%s after it on this barrier move%s "
              "%" TMA_U64 " B. Expect %" TMA_U64 " B",
              e->bytes_B, e->copies, e->copies == 1 ? "y" : "ies", e->copies == 1 ? "s" : "",
              e->moved_B, e->moved_B);
    ptx_finding_with(r, e->copy);
}

/* The predicate that a step is under; PTX_UNKNOWN: under none, or under one that holds, or, where
 * *open becomes 1, that is not known. */
static ptx_value guard_of(const ptx_values *v, const ptx_step *step, int *negated, int *open) {
    const ptx_code *c = &v->g->codes->code[step->row];
    const int is_under = c->guarded && ptx_value_guard(v, step) != 1;
    const uint32_t first_ref = v->g->rows->row[step->row].first_ref;
    const ptx_value guard = is_under && c->guard != PTX_NONE
                                ? v->use[step->first_use + (c->guard - first_ref)]
                                : PTX_UNKNOWN;
    *negated = is_under && c->negated;
    *open |= is_under && guard == PTX_UNKNOWN;
    return guard;
}

/* mbarrier.arrive.expect_tx{...} state, [barrier], bytes; mbarrier.expect_tx{...} [barrier], bytes
 */
static void begin(all *a, const ptx_step *step, const tma_ptx_parts *p, expectation *e) {
    ptx_values *v = a->v;
    uint64_t bytes_B = 0;
    const int is_read = p->count == 2 || p->count == 3;
    const ptx_value barrier =
        is_read ? ptx_value_of_text(v, step, p->operand[p->count - 2]) : PTX_UNKNOWN;
    const int is_same_phase = e->row != PTX_NONE && (!e->arrives || !e->copies) &&
                              ptx_values_alike(v, e->barrier, barrier) != PTX_DIFFERENT;
    e->open |= is_same_phase;
    finish(a, e);
    a->r->expects++;
    if (!is_read) {
        add_key(a, &a->expects, PTX_UNKNOWN);
        return;
    }
    const ptx_value bytes = ptx_value_of_text(v, step, p->operand[p->count - 1]);
    e->row = step->row;
    e->barrier = barrier;
    e->open = is_same_phase; /* the phase expects what both say */
    e->guard = guard_of(v, step, &e->negated, &e->open);
    e->arrives = tma_ptx_is(p, "mbarrier", "arrive") || tma_ptx_is(p, "mbarrier", "arrive_drop");
    e->has_bytes = ptx_value_number(v, ptx_form_cut(&v->forms, bytes, 32), &bytes_B);
    e->bytes_B = bytes_B;
}

#define ANY_B UINT64_MAX

/* How much fits between a shared address and the end of its variable, or ANY_B. */
static uint64_t room_B(const all *a, ptx_value to) {
    int64_t added = 0;
    const ptx_atom *base = ptx_value_base(a->v, ptx_value_bare(a->v, to), &added);
    const ptx_variable *in =
        base && base->kind == PTX_ATOM_ADDRESS ? &a->r->rows.variable[base->a] : NULL;
    return in && !in->is_extern && in->v.size_B && added >= 0 && (uint64_t)added <= in->v.size_B
               ? in->v.size_B - (uint64_t)added
               : ANY_B;
}

/* A copy of so many bytes, or of at most so many; 0: it is not known to be on the barrier that
 * expects. */
static int add(all *a, expectation *e, const ptx_step *step, ptx_value barrier, int has_bytes,
               uint64_t bytes_B) {
    ptx_values *v = a->v;
    int negated = 0;
    const ptx_value guard = guard_of(v, step, &negated, &e->open);
    const ptx_alike alike =
        e->row == PTX_NONE ? PTX_DIFFERENT : ptx_values_alike(v, e->barrier, barrier);
    if (alike != PTX_EQUAL) {
        add_key(a, &a->copies, barrier);
    }
    if (alike == PTX_EQUAL) {
        e->copies++;
        e->copy = step->row;
        e->moved_B += bytes_B;
        e->at_most |= !has_bytes;
    }
    e->open |= alike != PTX_DIFFERENT && (alike == PTX_MAYBE || bytes_B == ANY_B ||
                                          guard != e->guard || negated != e->negated);
    return alike == PTX_EQUAL;
}

static void add_site(all *a, expectation *e, const ptx_step *step, ptx_site *site) {
    const int is_own = site->s.mask.kind == TMA_PTX_NONE;
    const ptx_value barrier = ptx_value_at(a->v, step, &site->s.barrier);
    const uint64_t bytes_B = !is_own           ? ANY_B
                             : site->has_bytes ? site->bytes_B
                             : site->s.in.cta_group == 2 /* another CTA's bytes come there, too */
                                 ? ANY_B
                                 : room_B(a, ptx_value_at(a->v, step, &site->s.shared));
    if (add(a, e, step, barrier, site->has_bytes, bytes_B) && e->has_bytes) {
        site->expect_row = e->row;
        site->expect_B = e->bytes_B;
    }
}

/* cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], bytes, [barrier]
 */
static void add_bulk(all *a, expectation *e, const ptx_step *step, const tma_ptx_parts *p) {
    const ptx_value barrier = ptx_value_of_text(a->v, step, p->operand[3]);
    const ptx_value bytes = ptx_value_of_text(a->v, step, p->operand[2]);
    uint64_t bytes_B = 0;
    const int has_bytes = ptx_value_number(a->v, ptx_form_cut(&a->v->forms, bytes, 32), &bytes_B);
    if (!has_bytes) {
        add_key(a, &a->copies, barrier); /* they may be of an earlier phase */
    }
    add(a, e, step, barrier, has_bytes,
        has_bytes && !tma_ptx_is(p, "cp", "multicast::cluster") ? bytes_B : ANY_B);
}

/* Which operand is the barrier of what moves bytes, too, or says that they are there; 8: it does
 * not. */
static uint32_t other_barrier(const tma_ptx_parts *p) {
    if (tma_ptx_is(p, "cp", "mbarrier::complete_tx::bytes")) {
        return 3;
    }
    if (tma_ptx_is(p, "st", "async") || tma_ptx_is(p, "red", "async")) {
        return 2;
    }
    return tma_ptx_is(p, "mbarrier", "complete_tx") ? 0 : TMA_PTX_PARTS;
}

static void take(all *a, const ptx_step *step, expectation *e) {
    ptx_report *r = a->r;
    tma_ptx_parts parts;
    const uint32_t i = r->is_site[step->row] ? ptx_site_at(r, step->row) : PTX_NONE;
    if (!ptx_value_guard(a->v, step)) {
        return;
    }
    if (i != PTX_NONE) {
        ptx_site *site = &r->site[i];
        if (site->unread) {
            e->open = 1;
            add_key(a, &a->copies, PTX_UNKNOWN);
        } else if (site->s.kind == TMA_PTX_COPY && site->s.in.op == TMA_OP_LOAD) {
            add_site(a, e, step, site);
        }
        return;
    }
    if (a->v->g->codes->code[step->row].op != PTX_OP_OTHER ||
        tma_ptx_split(&parts, &r->rows.row[step->row].piece)) {
        return;
    }
    const uint32_t at = other_barrier(&parts);
    if (tma_ptx_is(&parts, "mbarrier", "expect_tx")) {
        begin(a, step, &parts, e);
    } else if (at == 3 && parts.count >= 4 && tma_ptx_is(&parts, "cp", "bulk") &&
               tma_ptx_is(&parts, "cp", "global")) {
        add_bulk(a, e, step, &parts);
    } else if (at < TMA_PTX_PARTS) {
        const ptx_value barrier =
            at < parts.count ? ptx_value_of_text(a->v, step, parts.operand[at]) : PTX_UNKNOWN;
        e->open |=
            e->row != PTX_NONE && ptx_values_alike(a->v, e->barrier, barrier) != PTX_DIFFERENT;
        add_key(a, &a->copies, barrier);
    }
}

static void take_node(all *a, const ptx_node *node, expectation *e) {
    const ptx_graph *g = a->v->g;
    for (uint32_t k = node->first; k < node->end; k++) {
        const ptx_step *step = &g->step[k];
        if (step->kind == PTX_STEP_ROW) {
            if (ptx_step_is_opaque(g, step) && !ptx_call_is_harmless(g, step)) {
                e->open = 1;
                finish(a, e);
                add_key(a, &a->copies, PTX_UNKNOWN);
            }
            take(a, step, e);
        }
    }
}

/* Whether one block alone comes before a block. Behind `ret` stands one that no way leads to. */
#define MOST_INS 4
static int has_one_in(const ptx_graph *g, const ptx_node *node) {
    uint32_t ins = 0;
    for (uint32_t i = 0; i < node->ins && node->ins <= MOST_INS; i++) {
        ins += g->node[g->in[node->first_in + i]].order != PTX_NONE;
    }
    return ins == 1;
}

/* The block that follows, where it is the only one, and comes behind this one alone: a call's. */
static uint32_t next_of(const ptx_graph *g, uint32_t node) {
    const ptx_node *n = &g->node[node];
    const uint32_t next = n->outs == 1 && n->order != PTX_NONE ? g->out[n->first_out] : PTX_NONE;
    return next != PTX_NONE && has_one_in(g, &g->node[next]) ? next : PTX_NONE;
}

/* Whether a block is taken with one before it. */
static int is_continued(const ptx_graph *g, uint32_t node) {
    const ptx_node *n = &g->node[node];
    int is = 0;
    for (uint32_t i = 0; i < n->ins && n->ins <= MOST_INS; i++) {
        is |= next_of(g, g->in[n->first_in + i]) == node;
    }
    return is;
}

static int set_of(ptx_value_set *set, all *a, const barriers *of) {
    if (ptx_set_begin(set, a->memory, a->v)) {
        return -1;
    }
    for (uint32_t i = 0; i < of->keys; i++) {
        ptx_set_add(set, a->v, of->key[i]);
    }
    return 0;
}

/* What is wrong, unless something elsewhere may bring the bytes, or expect them. */
static void say_all(all *a) {
    ptx_value_set copies;
    ptx_value_set expects;
    if (!a->wrongs || set_of(&copies, a, &a->copies) || set_of(&expects, a, &a->expects)) {
        return;
    }
    for (uint32_t i = 0; i < a->wrongs; i++) {
        const expectation *e = &a->wrong[i];
        const ptx_value key = key_of(a->v, e->barrier);
        if (!ptx_set_may_have(e->moved_B < e->bytes_B ? &copies : &expects, a->v, key)) {
            say(a->r, e);
        }
    }
}

void ptx_expect_check(ptx_report *r, ptx_values *v) {
    const ptx_graph *g = v->g;
    ptx_memory *memory = &r->work;
    all a = {.r = r,
             .v = v,
             .memory = memory,
             .copies = {.memory = memory},
             .expects = {.memory = memory}};
    for (uint32_t i = 0; i < g->nodes && !memory->failed; i++) {
        expectation e = {.row = PTX_NONE};
        if (g->node[i].order == PTX_NONE || is_continued(g, i)) {
            continue;
        }
        for (uint32_t k = i; k != PTX_NONE; k = next_of(g, k)) {
            take_node(&a, &g->node[k], &e);
        }
        finish(&a, &e);
    }
    say_all(&a);
}
