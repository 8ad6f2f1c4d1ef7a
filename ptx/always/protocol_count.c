/* SPDX-License-Identifier: Apache-2.0
 *
 * arrive-missing: a phase takes more arrivals than can come.
 *
 * What can come is counted upwards: each arrival once a phase in as many threads as may run it. An
 * arrival in a loop comes once a phase if each turn waits for the barrier too, or for one on which
 * another loop arrives that waits for this one in each turn; else as often as the loop turns, where
 * that is known.
 */
#include "protocol_rules.h"

#define MOST_THREADS 1024
#define WARP         32

typedef struct count {
    ptx_protocol *p;
    const ptx_act *wait;
    const ptx_act *init;
    const ptx_act *last; /* of the arrivals */
    uint64_t needed, most;
    int is_proved;
    int is_open; /* something else may arrive */
    int drops;   /* some arrivals take one off all later phases */
    int phases;  /* some are counted once a phase */
} count;

/* --- threads --- */

static uint64_t threads_of_cta(const ptx_protocol *p) {
    const uint32_t exact = ptx_head_product(p, ".reqntid");
    const uint32_t most = ptx_head_product(p, ".maxntid");
    return exact ? exact : most && most < MOST_THREADS ? most : MOST_THREADS;
}

static int is_special(const ptx_protocol *p, ptx_value value, const char *name) {
    const ptx_form *f = &p->v->forms.form[value];
    const ptx_atom *a = f->terms == 1 ? &p->v->forms.atom[f->term[0].atom] : NULL;
    return value != PTX_UNKNOWN && a && a->kind == PTX_ATOM_SPECIAL && f->term[0].times == 1 &&
           !f->number && ptx_is_text(ptx_span(ptx_special_name(a->a)), name);
}

/* %tid.x / 32. */
static int is_warp(const ptx_protocol *p, ptx_value value) {
    const ptx_form *f = &p->v->forms.form[value];
    const ptx_atom *a = f->terms == 1 ? &p->v->forms.atom[f->term[0].atom] : NULL;
    uint64_t by = 0;
    return value != PTX_UNKNOWN && a && ptx_begins(ptx_atom_opcode(p->v, a), "shr.") &&
           is_special(p, a->b, "%tid.x") && ptx_value_number(p->v, a->c, &by) && by == 5;
}

/* How many threads run an act at most, in a CTA of one dimension. */
static uint64_t threads_of(const ptx_protocol *p, const ptx_act *act) {
    uint64_t most = threads_of_cta(p);
    int one_a_warp = 0;
    int one_warp = 0;
    ptx_guard_walk at = {0};
    for (ptx_condition c; ptx_act_condition(p, act, &at, &c);) {
        const int equals = c.is_equal && c.holds;
        if (equals && is_special(p, c.key, "%tid.x")) {
            return 1;
        }
        one_a_warp |= ptx_condition_hangs(p, &c) == PTX_HANGS_ONE_THREAD;
        one_warp |= equals && is_warp(p, c.key);
    }
    most = one_warp && most > WARP ? WARP : most;
    const uint64_t ways = one_a_warp ? (most + WARP - 1) / WARP : most;
    const uint64_t some = ptx_act_threads(p, act, (uint32_t)threads_of_cta(p), one_a_warp);
    return some && some < ways ? some : ways;
}

/* Whether an act is on another barrier in each thread. */
static int is_by_thread(const ptx_protocol *p, const ptx_act *a) {
    ptx_first t = {.p = p, .around = PTX_NONE, .variable = ptx_shared_variable(p->v, a->barrier)};
    uint64_t at = 0;
    return ptx_value_first(&t, a->barrier, &at) && t.by_thread;
}

/* Whether the CTA has one dimension: a kernel that looks at no other one and initialises the
 * barrier in one thread, or one in each, would initialise it several times. */
static int is_flat(const ptx_protocol *p, const ptx_act *init) {
    const ptx_forms *f = &p->v->forms;
    const uint32_t whole = ptx_codes_name(p->v->g->codes, ptx_span("%tid"));
    for (uint32_t i = 0; i < f->atoms; i++) {
        const ptx_atom *a = &f->atom[i];
        const char *name = a->kind == PTX_ATOM_SPECIAL ? ptx_special_name(a->a) : "";
        if ((a->kind == PTX_ATOM_NAMED && a->a == whole) || ptx_is_text(ptx_span(name), "%tid.y") ||
            ptx_is_text(ptx_span(name), "%tid.z")) {
            return 0;
        }
    }
    return threads_of(p, init) == 1 || is_by_thread(p, init);
}

/* --- arrivals --- */

static int has_word(const ptx_protocol *p, const ptx_act *a, const char *first, const char *word) {
    const tma_ptx_parts parts = {.opcode = ptx_step_opcode(p->v->g, a->step)};
    return tma_ptx_is(&parts, first, word);
}

/* The third operand of mbarrier.arrive; 1 where there is none. 0: not known. */
static uint64_t operand_of(const ptx_protocol *p, const ptx_act *a) {
    const ptx_step *step = &p->v->g->step[a->step];
    tma_ptx_parts parts;
    uint64_t number = 0;
    if (tma_ptx_split(&parts, &p->v->g->rows->row[step->row].piece) || parts.count > 3) {
        return 0;
    }
    if (parts.count < 3) {
        return 1;
    }
    const ptx_value value = ptx_value_of_text(p->v, step, parts.operand[2]);
    return ptx_value_number(p->v, value, &number) ? number & UINT32_MAX : 0;
}

/* How many arrivals an act is, in one thread. 0: it is none; UINT64_MAX: not known. */
static uint64_t arrivals_of(const ptx_protocol *p, const ptx_act *a) {
    const int expects = a->kind == PTX_ACT_EXPECT && !(a->traits & PTX_ONLY_BYTES);
    if (!expects && (a->kind != PTX_ACT_ARRIVE || has_word(p, a, "mbarrier", "complete_tx"))) {
        return 0;
    }
    if (a->traits & PTX_TO_PEER || has_word(p, a, "cp", NULL) ||
        has_word(p, a, "tcgen05", "multicast::cluster") ||
        has_word(p, a, "tcgen05", "cta_group::2")) {
        return UINT64_MAX;
    }
    if (expects || has_word(p, a, "tcgen05", NULL)) {
        return 1;
    }
    const uint64_t many = operand_of(p, a);
    return many ? many : UINT64_MAX;
}

/* --- phases --- */

/* One barrier, or the same ring of them. */
static int is_on(const ptx_protocol *p, const ptx_act *a, const ptx_act *b) {
    return ptx_barriers_alike(p, a, b) == PTX_EQUAL ||
           (a->reach.base != PTX_UNKNOWN && a->reach.base == b->reach.base && a->reach.step &&
            a->reach.step == b->reach.step && a->reach.low == b->reach.low &&
            a->reach.high == b->reach.high);
}

/* Whether a wait waits to the end, or is a try that such a one follows where it did not succeed. */
static int waits_to_end(const ptx_protocol *p, const ptx_act *wait) {
    for (ptx_meeting m = ptx_meeting_of(p, wait); ptx_meeting_next(&m);) {
        const ptx_act *a = m.act;
        if (!(wait->traits & PTX_SPINS) && a->kind == PTX_ACT_AWAIT && a->traits & PTX_SPINS &&
            a->barrier == wait->barrier && a->number == wait->number &&
            ptx_dominates(p->v->g, p->v->g->step[wait->step].block, p->v->g->step[a->step].block)) {
            return 1;
        }
    }
    return wait->traits & PTX_SPINS;
}

/* Whether each turn of a loop waits to the end for a barrier or its ring. */
static int waits_each_turn(const ptx_protocol *p, const ptx_act *on, uint32_t loop) {
    for (ptx_meeting m = ptx_meeting_of(p, on); ptx_meeting_next(&m);) {
        const ptx_act *a = m.act;
        if (a->kind == PTX_ACT_AWAIT && ptx_act_loop(p, a) == loop && is_on(p, a, on) &&
            waits_to_end(p, a) && ptx_is_in_each_turn(p, p->v->g->step[a->step].block, loop)) {
            return 1;
        }
    }
    return 0;
}

/* Whether a loop waits in each turn for another barrier, on which each turn of a loop arrives that
 * waits for this one. */
static int is_answered(const ptx_protocol *p, const ptx_act *on, uint32_t loop) {
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const uint32_t other = ptx_act_loop(p, a);
        if (arrivals_of(p, a) && other != PTX_NONE && other != loop && !is_on(p, a, on) &&
            waits_each_turn(p, a, loop) && waits_each_turn(p, on, other)) {
            return 1;
        }
    }
    return 0;
}

/* How often a loop turns at most, with all those around it. 0: not known. */
static uint64_t turns_of(const ptx_protocol *p, uint32_t loop) {
    uint64_t all = 1;
    for (; loop != PTX_NONE && all && all <= UINT32_MAX; loop = p->v->g->loop[loop].parent) {
        const ptx_atom turn = {.kind = PTX_ATOM_TURN, .bits = 64, .a = loop, .loop = loop};
        const uint32_t atom = ptx_atom_find(&p->v->forms, &turn);
        int64_t low = 0;
        int64_t high = 0; /* how often it goes back */
        const int is_known = atom != PTX_NONE &&
                             ptx_value_range(p, ptx_form_atom(&p->v->forms, atom, 64), &low, &high);
        all *= is_known ? (uint64_t)high + 1 : 0;
    }
    return all <= UINT32_MAX ? all : 0;
}

/* Whether an arrival stands behind the end of the first phase in its own thread. */
static int is_later(const count *c, const ptx_act *a) {
    const ptx_protocol *p = c->p;
    const uint32_t from = ptx_act_block(p, c->wait);
    const uint32_t to = ptx_act_block(p, a);
    return ptx_wait_blocks(p, c->wait) == PTX_WAIT_BLOCKS_AT_ONCE && c->wait->traits & PTX_SPINS &&
           ptx_act_loop(p, c->wait) == PTX_NONE && from != to && ptx_dominates(p->v->g, from, to);
}

static void add(count *c, const ptx_act *a) {
    ptx_protocol *p = c->p;
    uint64_t many = arrivals_of(p, a);
    const uint32_t loop = ptx_act_loop(p, a);
    if (!many || ptx_barriers_alike(p, a, c->wait) == PTX_DIFFERENT || is_later(c, a)) {
        return;
    }
    if (many == UINT64_MAX || !is_on(p, a, c->wait) ||
        (loop != PTX_NONE &&
         ptx_block_in_loop(p->v->g, p->v->g->step[c->init->step].block, loop))) {
        c->is_open = 1;
        return;
    }
    c->drops |= has_word(p, a, "mbarrier", "arrive_drop");
    if (loop != PTX_NONE) {
        const int waits = waits_each_turn(p, a, loop);
        const int once = waits || is_answered(p, a, loop);
        const uint64_t turns = once ? 0 : turns_of(p, loop);
        c->is_open |= !once && !turns;
        c->is_proved &= waits || turns;
        c->phases |= !turns;
        many *= turns ? turns : 1;
    }
    c->is_proved &= !a->reach.step;
    c->most += many * threads_of(p, a);
    c->last = a;
}

/* The count that all initialisations of a barrier, or of its ring, have. */
static int take_needed(count *c) {
    for (ptx_meeting m = ptx_meeting_of(c->p, c->wait); ptx_meeting_next(&m);) {
        const ptx_act *a = m.act;
        uint64_t number = 0;
        if (a->kind != PTX_ACT_INIT || ptx_barriers_alike(c->p, a, c->wait) == PTX_DIFFERENT) {
            continue;
        }
        if (!ptx_value_number(c->p->v, a->number, &number) ||
            (c->init && (number & UINT32_MAX) != c->needed)) {
            return 0;
        }
        c->needed = number & UINT32_MAX;
        c->init = a;
    }
    return c->init && is_flat(c->p, c->init);
}

static void check(ptx_protocol *p, const ptx_act *wait) {
    count c = {.p = p, .wait = wait, .is_proved = 1};
    const int blocks = ptx_wait_blocks(p, wait);
    if (!blocks || !ptx_barrier_is_whole(p, wait) || !take_needed(&c)) {
        return;
    }
    for (ptx_meeting m = ptx_meeting_of(p, wait); ptx_meeting_next(&m);) {
        const ptx_act *a = m.act;
        if (!c.is_open) {
            add(&c, a);
        }
    }
    if (c.is_open || !c.most || c.most >= c.needed || (c.drops && c.phases)) {
        return;
    }
    const int certain = c.is_proved && blocks == PTX_WAIT_BLOCKS_AT_ONCE;
    ptx_protocol_say(
        p, PTX_RULE_ARRIVE_MISSING, certain, wait, c.last,
        "waits for a barrier that line %d initialises for %u arrival%s, and at most %u "
        "come%s in a phase (line %d)%s: it never completes. Initialise it for as many "
        "as arrive, or arrive in more threads",
        ptx_act_line(p, c.init), (unsigned)c.needed, text_plural(c.needed), (unsigned)c.most,
        c.most == 1 ? "s" : "", ptx_act_line(p, c.last),
        certain ? "" : ", if its loop has enough iterations");
}

static uint64_t times(uint64_t a, uint64_t b) {
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Acts that are looked at: for each wait what may be on its barrier; for each of these that arrives
 * in a loop all acts, and what may be on its own barrier and on that of each such arrival. Many
 * acts may be on one barrier and few arrive: then it is all acts, for each wait and two of these.
 */
static uint64_t cost_of(const ptx_protocol *p) {
    uint64_t in_loops = 0;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const int arrives = a->kind == PTX_ACT_ARRIVE || a->kind == PTX_ACT_EXPECT;
        in_loops += arrives && ptx_act_loop(p, a) != PTX_NONE;
    }
    const uint64_t arrivals = p->pairs[PTX_ACT_ARRIVE] + p->pairs[PTX_ACT_EXPECT];
    const uint64_t waits = p->pairs[PTX_ACT_AWAIT];
    const uint64_t many = (uint64_t)p->many[PTX_ACT_ARRIVE] + p->many[PTX_ACT_EXPECT];
    const uint64_t of_all = times(p->many[PTX_ACT_AWAIT] * (many + 1), many * p->acts);
    const uint64_t of_loops = in_loops * p->most_met + arrivals + p->acts;
    const uint64_t met = p->many[PTX_ACT_AWAIT] * (uint64_t)p->v->forms.atoms +
                         times(waits, in_loops ? of_loops : 1);
    return met < of_all ? met : of_all;
}

void ptx_count_check(ptx_protocol *p) {
    if (p->many[PTX_ACT_CALL] || !ptx_can_judge(p, PTX_BUDGET_COUNT, cost_of(p))) {
        return;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        if (p->act[i].kind == PTX_ACT_AWAIT && ptx_is_first_of_barrier(p, i)) {
            check(p, &p->act[i]);
        }
    }
}
