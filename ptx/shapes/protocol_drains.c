/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrivals that nobody waits for (proxy-load, store-reuse, wait-missing), and stages waited for one
 * after the other of which one is left out (wait-missing). All of it is "may".
 */
#include "protocol_shapes.h"

typedef struct drainer {
    ptx_protocol *p;
    const uint8_t *class_of; /* by act: + 1 */
    uint32_t classes;
} drainer;

/* A wait to the end for barriers of a class. */
static int is_wait_of(const drainer *r, uint32_t act, uint32_t class) {
    return r->p->act[act].kind == PTX_ACT_AWAIT && r->p->act[act].traits & PTX_SPINS &&
           r->class_of[act] == class;
}

/* --- arrivals that nobody waits for --- */

/* Whether nothing of the kernel waits for barriers of a class, nor can another CTA's. */
static int is_never_awaited(const drainer *r, uint32_t class) {
    for (uint32_t i = 0; i < r->p->acts; i++) {
        const ptx_act *a = &r->p->act[i];
        const int is_of = r->class_of[i] == class;
        if ((a->kind == PTX_ACT_AWAIT && (is_of || ptx_is_vague(r->p, a))) ||
            (is_of && (a->kind == PTX_ACT_REMOTE || a->traits & PTX_TO_PEER))) {
            return 0;
        }
    }
    return 1;
}

/* tcgen05.commit on a barrier of this CTA alone. */
static int is_commit(const ptx_protocol *p, const ptx_act *a) {
    const tma_ptx_span name = ptx_step_opcode(p->v->g, a->step);
    return ptx_begins(name, "tcgen05.commit.") && !ptx_opcode_has(name, "multicast::cluster") &&
           !(a->traits & (PTX_TO_PEER | PTX_OF_PAIR));
}

/* An arrival in each turn of a loop, or a copy to a stage that is not known, on a barrier of this
 * kernel that no one waits for. */
static const ptx_act *unanswered(const drainer *r, uint32_t class) {
    ptx_protocol *p = r->p;
    const ptx_act *arrive = NULL;
    for (uint32_t i = 0; i < p->acts && is_never_awaited(r, class); i++) {
        const ptx_act *a = &p->act[i];
        const uint32_t loop = ptx_act_loop(p, a);
        if (r->class_of[i] != class) {
            continue;
        }
        if (ptx_is_vague(p, a)) {
            return NULL;
        }
        if (a->kind == PTX_ACT_LOAD) { /* protocol_barrier.c looks at those that are known */
            return a->reach.base == PTX_UNKNOWN ? a : NULL;
        }
        if (a->kind == PTX_ACT_ARRIVE && !arrive &&
            (loop == PTX_NONE ? is_commit(p, a)
                              : ptx_is_in_each_turn(p, ptx_act_block(p, a), loop) &&
                                    !ptx_loop_turns(p, loop, ptx_act_block(p, a)))) {
            arrive = a;
        }
    }
    return arrive;
}

/* Whether an act of the same turn as an arrival, before it, may be of its thread. */
static int is_before(const ptx_protocol *p, const ptx_act *a, const ptx_act *arrive) {
    const ptx_graph *g = p->v->g;
    const uint32_t loop = ptx_act_loop(p, arrive);
    const uint32_t x = ptx_act_block(p, a);
    const uint32_t y = ptx_act_block(p, arrive);
    return ptx_block_in_loop(g, x, loop) && !ptx_acts_exclude(p, a, arrive) &&
           (x == y ? a < arrive : g->node[x].order < g->node[y].order);
}

/* Whether another act in a loop is in the same variable, of threads that do not run the first. */
static int is_used_by_others(const ptx_protocol *p, ptx_value at, const ptx_act *of,
                             ptx_act_kind kind) {
    const uint32_t variable = ptx_shared_variable(p->v, at);
    for (uint32_t i = 0; variable != PTX_NONE && i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind == kind && ptx_act_loop(p, a) != PTX_NONE && ptx_acts_exclude(p, a, of) &&
            ptx_shared_variable(p->v, a->at) == variable) {
            return 1;
        }
    }
    return 0;
}

/* What an arrival that nobody waits for says: that its thread's store has read what others write,
 * or that it has read what others load. 0: that is not seen. */
static int check_rests(ptx_protocol *p, const ptx_act *arrive) {
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const ptx_value at = a->kind == PTX_ACT_FETCH ? a->number : a->at;
        const int reads = a->kind == PTX_ACT_READ || a->kind == PTX_ACT_FETCH;
        if ((!reads && a->kind != PTX_ACT_STORE) || !is_before(p, a, arrive) ||
            !is_used_by_others(p, at, arrive, reads ? PTX_ACT_LOAD : PTX_ACT_WRITE)) {
            continue;
        }
        ptx_protocol_say_turns(
            p, ptx_act_loop(p, arrive), reads ? PTX_RULE_PROXY_LOAD : PTX_RULE_STORE_REUSE, 0,
            reads ? arrive : a, NULL,
            "line %d says on a barrier, in each turn of a loop (line %d), that shared "
            "memory is free which %s at line %d, and the kernel never waits for that "
            "barrier: %s may overwrite what is still read (if it comes so soon). Put "
            "mbarrier.try_wait.parity on it in a loop before %s",
            ptx_act_line(p, arrive), ptx_loop_line(p, ptx_act_loop(p, arrive)),
            reads ? "was read" : "a copy has read", ptx_act_line(p, a),
            reads ? "the next load" : "the next write", reads ? "the load" : "the write");
        return 1;
    }
    return 0;
}

static void check_unanswered(const drainer *r, uint32_t class) {
    ptx_protocol *p = r->p;
    const ptx_act *act = unanswered(r, class);
    if (!act || ptx_barrier_anywhere(p, act, PTX_ACT_INIT) == PTX_DIFFERENT) {
        return;
    }
    if (act->kind == PTX_ACT_LOAD) {
        ptx_say_never_awaited(p, act, 0,
                              "completes on one of some barriers that the kernel never waits for "
                              "(which one is not known)");
    } else if (ptx_act_loop(p, act) == PTX_NONE) {
        ptx_protocol_say(p, PTX_RULE_WAIT_MISSING, 0, act, ptx_end_behind(p, act),
                         "says on a barrier that the kernel never waits for that the products "
                         "before it are done: nothing keeps who reads them behind that. Put "
                         "mbarrier.try_wait.parity on it in a loop, and "
                         "tcgen05.fence::after_thread_sync, before tcgen05.ld");
    } else if (!check_rests(p, act)) {
        ptx_protocol_say_turns(
            p, ptx_act_loop(p, act), PTX_RULE_WAIT_MISSING, 0, act, NULL,
            "arrives in each turn of a loop (line %d) on a barrier that the kernel "
            "never waits for: nobody learns of it (what it says is not known). Put "
            "mbarrier.try_wait.parity in a loop before what rests on it",
            ptx_loop_line(p, ptx_act_loop(p, act)));
    }
}

/* --- stages waited for one after the other, and one is left out --- */

/* How many barriers are initialised that an act on one that is not known may be on. */
static uint64_t begun_for(const ptx_protocol *p, const ptx_act *act) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < p->acts; i++) {
        count += p->act[i].kind == PTX_ACT_INIT && !p->act[i].reach.step &&
                 ptx_barriers_alike(p, &p->act[i], act) != PTX_DIFFERENT;
    }
    return count;
}

/* How many barriers a ring has, by the act that goes round it furthest. */
static uint64_t stages_of(const drainer *r, uint32_t class) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < r->p->acts; i++) {
        const ptx_act *a = &r->p->act[i];
        if (r->class_of[i] == class && (a->reach.base == PTX_UNKNOWN || a->reach.step)) {
            const uint64_t stages =
                a->reach.base == PTX_UNKNOWN
                    ? begun_for(r->p, a)
                    : (uint64_t)(a->reach.high - a->reach.low) / a->reach.step + 1;
            most = stages > most ? stages : most;
        }
    }
    return most;
}

/* The wait that follows a wait on all ways behind it, with nothing between; or PTX_NONE. */
static uint32_t next_wait(const drainer *r, uint32_t wait) {
    const ptx_protocol *p = r->p;
    const ptx_graph *g = p->v->g;
    const uint32_t order = g->node[ptx_act_block(p, &p->act[wait])].order;
    uint32_t next = PTX_NONE;
    for (uint32_t i = 0; i < p->acts; i++) {
        const uint32_t at = g->node[ptx_act_block(p, &p->act[i])].order;
        const int is_behind = at > order || (at == order && i > wait);
        const uint32_t best = next == PTX_NONE ? 0 : g->node[ptx_act_block(p, &p->act[next])].order;
        if (is_behind && p->act[i].kind != PTX_ACT_NONE &&
            (next == PTX_NONE || at < best || (at == best && i < next))) {
            next = i;
        }
    }
    return next != PTX_NONE && is_wait_of(r, next, r->class_of[wait]) &&
                   ptx_act_loop(p, &p->act[next]) == ptx_act_loop(p, &p->act[wait]) &&
                   ptx_dominates(g, ptx_act_block(p, &p->act[wait]),
                                 ptx_act_block(p, &p->act[next]))
               ? next
               : PTX_NONE;
}

static int is_work(ptx_act_kind kind) {
    return kind == PTX_ACT_LOAD || kind == PTX_ACT_EXPECT || kind == PTX_ACT_ARRIVE ||
           kind == PTX_ACT_FETCH;
}

/* Whether copies, products or arrivals come behind a wait: then it is for a stage that they need,
 * and not the end of a ring. */
static int goes_on(const drainer *r, uint32_t wait) {
    ptx_protocol *p = r->p;
    uint8_t *from = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    const uint32_t block = ptx_act_block(p, &p->act[wait]);
    if (from) {
        from[wait] = 1;
    }
    const uint8_t *behind = from ? ptx_blocks_behind(p, from) : NULL;
    for (uint32_t i = 0; behind && i < p->acts; i++) {
        const uint32_t at = ptx_act_block(p, &p->act[i]);
        if (is_work(p->act[i].kind) && (behind[at] || (at == block && i > wait))) {
            return 1;
        }
    }
    return !behind;
}

static void check_drain(const drainer *r, uint32_t first) {
    ptx_protocol *p = r->p;
    uint32_t last = first;
    uint64_t waits = 1;
    for (uint32_t next = next_wait(r, last); next != PTX_NONE; next = next_wait(r, last)) {
        last = next;
        waits++;
    }
    if (waits > 1 && waits + 1 == stages_of(r, r->class_of[first]) && !goes_on(r, last)) {
        ptx_protocol_say(p, PTX_RULE_WAIT_MISSING, 0, &p->act[last], &p->act[first],
                         "%d waits stand one behind the other from line %d on, each for another "
                         "stage of a ring of %d: one stage is not waited for (whether it is in use "
                         "is not known). Put mbarrier.try_wait.parity on that stage's barrier in a "
                         "loop, behind line %d",
                         (int)waits, ptx_act_line(p, &p->act[first]), (int)waits + 1,
                         ptx_act_line(p, &p->act[last]));
    }
}

/* Chains of waits, from their first ones on. */
static void check_drains(const drainer *r) {
    for (uint32_t i = 0; i < r->p->acts; i++) {
        int is_first = r->class_of[i] && is_wait_of(r, i, r->class_of[i]);
        for (uint32_t k = 0; k < r->p->acts && is_first; k++) {
            is_first = !(is_wait_of(r, k, r->class_of[i]) && next_wait(r, k) == i);
        }
        if (is_first) {
            check_drain(r, i);
        }
    }
}

void ptx_drains_check(ptx_protocol *p) {
    drainer r = {.p = p};
    if (!p->many[PTX_ACT_ARRIVE] && !p->many[PTX_ACT_AWAIT]) {
        return;
    }
    r.class_of = ptx_classes_of(p, &r.classes);
    for (uint32_t i = 1; r.class_of && i <= r.classes; i++) {
        check_unanswered(&r, i);
    }
    if (r.class_of) {
        check_drains(&r);
    }
}
