/* SPDX-License-Identifier: Apache-2.0
 *
 * barrier-init, expect-missing, wait-missing, parity-constant: what happens to mbarriers.
 */
#include <string.h>

#include "ptx_protocol.h"

/* --- what a kernel does to a barrier anywhere --- */

#define MOST_PAIRS UINT64_C(4000000)

/* How an act's barrier is held against those of a kind: the nearest answer. */
static ptx_alike anywhere(const ptx_protocol *p, const ptx_act *act, ptx_act_kind kind) {
    ptx_alike most = PTX_DIFFERENT;
    for (uint32_t i = 0; i < p->acts && most != PTX_EQUAL; i++) {
        if (p->act[i].kind == kind) {
            const ptx_alike one = ptx_barriers_alike(p, act, &p->act[i]);
            most = one > most ? one : most;
        }
    }
    return most;
}

/* Whether what a kernel's own text does to a barrier is all that is done to it. */
static int is_seen_whole(const ptx_protocol *p, const ptx_act *act) {
    return !p->many[PTX_ACT_CALL] && act->barrier != PTX_UNKNOWN &&
           ptx_shared_variable(p->v, act->barrier) != PTX_NONE &&
           anywhere(p, act, PTX_ACT_INIT) == PTX_EQUAL;
}

static int is_first_of_barrier(const ptx_protocol *p, uint32_t act) {
    for (uint32_t i = 0; i < act; i++) {
        if (p->act[i].kind == p->act[act].kind && p->act[i].barrier == p->act[act].barrier) {
            return 0;
        }
    }
    return 1;
}

static void check_copy(ptx_protocol *p, uint32_t i) {
    const ptx_act *copy = &p->act[i];
    if (!is_first_of_barrier(p, i) || !is_seen_whole(p, copy)) {
        return;
    }
    if (anywhere(p, copy, PTX_ACT_EXPECT) == PTX_DIFFERENT) {
        ptx_protocol_say(p, PTX_RULE_EXPECT_MISSING, 1, copy, NULL,
                         "completes bytes on a barrier on which the kernel never expects any: a "
                         "phase ends by its arrivals alone, before the bytes are there. Put "
                         "mbarrier.arrive.expect_tx on it before the copy");
    }
    if (anywhere(p, copy, PTX_ACT_AWAIT) == PTX_DIFFERENT) {
        ptx_protocol_say(p, PTX_RULE_WAIT_MISSING, p->many[PTX_ACT_READ] != 0, copy, NULL,
                         "completes on a barrier that the kernel never waits for: nothing says "
                         "when its bytes are there. Put mbarrier.try_wait.parity in a loop before "
                         "they are read");
    }
}

static void check_expectation(ptx_protocol *p, uint32_t i) {
    const ptx_act *expect = &p->act[i];
    uint64_t bytes_B = 0;
    if (ptx_value_number(p->v, expect->number, &bytes_B) && !bytes_B) {
        return;
    }
    if (is_first_of_barrier(p, i) && is_seen_whole(p, expect) && !p->many[PTX_ACT_REMOTE] &&
        anywhere(p, expect, PTX_ACT_LOAD) == PTX_DIFFERENT && p->many[PTX_ACT_LOAD] &&
        anywhere(p, expect, PTX_ACT_ARRIVE) == PTX_DIFFERENT) {
        ptx_protocol_say(p, PTX_RULE_EXPECT_MISSING, 0, expect, NULL,
                         "expects bytes on a barrier on which no copy of the kernel completes: "
                         "unless another CTA's does, who waits for it waits for ever");
    }
}

/* --- a load's bytes are read before its barrier is waited for --- */

enum { NOT_WAITED, OTHERS, WAITED, WAIT_PLANES };

typedef struct barrier_context {
    uint32_t act[64]; /* + 1 */
    uint32_t other[64];
    int rank[64];
    uint64_t waited;
} barrier_context;

static void begin_barrier(ptx_flood *f) {
    memset(f->context, 0, sizeof(barrier_context));
}

static void pass_wait(ptx_flood *f, uint32_t act, uint64_t *plane) {
    barrier_context *c = f->context;
    const ptx_act *a = &f->p->act[act];
    if (a->kind == PTX_ACT_SYNC) { /* another thread may have waited */
        ptx_flood_move(f, plane, NOT_WAITED, OTHERS, UINT64_MAX);
    } else if (a->kind == PTX_ACT_CALL) {
        memset(plane, 0, 2 * (size_t)f->planes * sizeof(*plane));
    } else if (a->kind == PTX_ACT_AWAIT) {
        for (uint32_t i = 0; i < f->seeds; i++) {
            const uint64_t one = UINT64_C(1) << i;
            if (ptx_barriers_alike(f->p, a, &f->p->act[f->seed[i]]) != PTX_DIFFERENT) {
                ptx_flood_move(f, plane, NOT_WAITED, WAITED, one);
                ptx_flood_move(f, plane, OTHERS, WAITED, one);
                c->waited |= one;
            }
        }
    }
}

static void hit_wait(ptx_flood *f, uint32_t act, const uint64_t *plane) {
    barrier_context *c = f->context;
    const ptx_act *a = &f->p->act[act];
    if (a->kind != PTX_ACT_READ) {
        return;
    }
    const uint64_t waited = ptx_flood_bits(f, plane, WAITED);
    for (uint32_t i = 0; i < f->seeds; i++) {
        const ptx_act *copy = &f->p->act[f->seed[i]];
        const int is_own = (plane[NOT_WAITED] & ~waited) >> i & 1;
        const int is_any = (plane[OTHERS] & ~waited) >> i & 1;
        if ((is_own || is_any) && ptx_acts_overlap(f->p, a, copy) == PTX_OVERLAPS) {
            *(is_own ? &c->act[i] : &c->other[i]) = act + 1;
        }
    }
}

static void end_wait(ptx_flood *f) {
    const barrier_context *c = f->context;
    for (uint32_t i = 0; i < f->seeds; i++) {
        const ptx_act *copy = &f->p->act[f->seed[i]];
        const uint32_t read = c->act[i]                                              ? c->act[i]
                              : anywhere(f->p, copy, PTX_ACT_AWAIT) == PTX_DIFFERENT ? c->other[i]
                                                                                     : 0;
        if (read && copy->barrier != PTX_UNKNOWN) {
            const int line = ptx_act_line(f->p, &f->p->act[read - 1]);
            ptx_protocol_say(f->p, PTX_RULE_WAIT_MISSING, 1, copy, &f->p->act[read - 1],
                             "line %d reads the bytes that this copy brings, and its barrier is "
                             "not waited for on any way from here to there. Put "
                             "mbarrier.try_wait.parity on it in a loop before line %d",
                             line, line);
        }
    }
}

void ptx_await_check(ptx_protocol *p) {
    barrier_context c;
    ptx_flood f = {.planes = WAIT_PLANES,
                   .crossed = WAIT_PLANES,
                   .stays_own = 1,
                   .pass = pass_wait,
                   .hit = hit_wait,
                   .context = &c};
    if ((uint64_t)p->acts * (p->many[PTX_ACT_LOAD] + p->many[PTX_ACT_EXPECT]) > MOST_PAIRS) {
        return;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        if (p->act[i].kind == PTX_ACT_LOAD) {
            check_copy(p, i);
        } else if (p->act[i].kind == PTX_ACT_EXPECT) {
            check_expectation(p, i);
        }
    }
    if (p->many[PTX_ACT_LOAD] && p->many[PTX_ACT_READ] && !ptx_flood_begin(&f, p)) {
        ptx_flood_all(&f, PTX_ACT_LOAD, begin_barrier, end_wait);
    }
}

/* --- used with nothing between it and its initialisation --- */

enum { RAW, ORDERED, SHARED, INIT_PLANES };

static void drop_invalidated(ptx_flood *f, const ptx_act *a, uint64_t *plane) {
    for (uint32_t i = 0; i < f->seeds; i++) {
        if (ptx_barriers_alike(f->p, a, &f->p->act[f->seed[i]]) != PTX_DIFFERENT) {
            ptx_flood_drop(f, plane, UINT64_C(1) << i);
        }
    }
}

static void pass_init(ptx_flood *f, uint32_t act, uint64_t *plane) {
    const ptx_act *a = &f->p->act[act];
    if (a->kind == PTX_ACT_FENCE || a->kind == PTX_ACT_FENCE_ASYNC) {
        ptx_flood_move(f, plane, RAW, ORDERED, UINT64_MAX);
    } else if (a->kind == PTX_ACT_SYNC) {
        ptx_flood_move(f, plane, RAW, SHARED, UINT64_MAX);
        ptx_flood_move(f, plane, ORDERED, SHARED, UINT64_MAX);
    } else if (a->kind == PTX_ACT_CALL) {
        memset(plane, 0, 2 * (size_t)f->planes * sizeof(*plane));
    } else if (a->kind == PTX_ACT_INVAL) {
        drop_invalidated(f, a, plane);
    }
}

/* What an act does wrongly with a barrier that another one initialised. 0: nothing; 1: may; 2 */
static int wrong_use(const ptx_flood *f, uint32_t bit, const ptx_act *a, const uint64_t *plane) {
    const ptx_act *init = &f->p->act[f->seed[bit]];
    const uint64_t shared = ptx_flood_bits(f, plane, SHARED);
    const int is_raw = (plane[RAW] & ~ptx_flood_bits(f, plane, ORDERED) & ~shared) >> bit & 1;
    const int is_alone = ((plane[RAW] | plane[ORDERED]) & ~shared) >> bit & 1;
    if (a->kind == PTX_ACT_LOAD) {
        return is_raw;
    }
    if (a->kind == PTX_ACT_AWAIT) {
        return is_alone && ptx_act_is_elected(f->p, init) && !ptx_act_is_elected(f->p, a) ? 2 : 0;
    }
    return is_alone || plane[SHARED] >> bit & 1 ? 2 : 0;
}

static void hit_init(ptx_flood *f, uint32_t act, const uint64_t *plane) {
    barrier_context *c = f->context;
    const ptx_act *a = &f->p->act[act];
    if (a->kind != PTX_ACT_LOAD && a->kind != PTX_ACT_AWAIT && a->kind != PTX_ACT_INIT) {
        return;
    }
    for (uint32_t i = 0; i < f->seeds; i++) {
        if (ptx_barriers_alike(f->p, a, &f->p->act[f->seed[i]]) == PTX_EQUAL) {
            const int wrong = wrong_use(f, i, a, plane);
            if (wrong > c->rank[i]) {
                c->act[i] = act + 1;
                c->rank[i] = wrong;
            }
        }
    }
}

static void say_init(const ptx_flood *f, const ptx_act *init, const ptx_act *use, uint32_t more) {
    const int line = ptx_act_line(f->p, use);
    char others[64] = "";
    tma_out out = tma_out_into(others, sizeof(others));
    if (more) {
        tma_putf(&out, " (and so with %u more barrier%s)", more, more == 1 ? "" : "s");
    }
    if (use->kind == PTX_ACT_LOAD) {
        ptx_protocol_say(f->p, PTX_RULE_BARRIER_INIT, 0, init, use,
                         "the copy at line %d completes on it%s, and no fence.mbarrier_init, "
                         "fence.proxy.async or barrier stands between: whether the copy may find "
                         "it as it was before is not documented. Put "
                         "fence.mbarrier_init.release.cluster behind the initialisation",
                         line, others);
    } else if (use->kind == PTX_ACT_AWAIT) {
        ptx_protocol_say(f->p, PTX_RULE_BARRIER_INIT, 1, init, use,
                         "other threads wait for it at line %d, and no barrier stands between the "
                         "initialisation, which one thread does, and them. Put bar.sync 0 behind "
                         "it (and fence.mbarrier_init.release.cluster before the first copy)",
                         line);
    } else {
        ptx_protocol_say(f->p, PTX_RULE_BARRIER_INIT, 1, init, use,
                         "line %d initialises it again, and no mbarrier.inval stands between. Put "
                         "mbarrier.inval before the second initialisation, or initialise once",
                         line);
    }
}

static void end_init(ptx_flood *f) {
    const barrier_context *c = f->context;
    uint32_t first = PTX_NONE; /* may is said once */
    uint32_t more = 0;
    for (uint32_t i = 0; i < f->seeds; i++) {
        if (c->rank[i] == 2) {
            say_init(f, &f->p->act[f->seed[i]], &f->p->act[c->act[i] - 1], 0);
        } else if (c->rank[i]) {
            more += first != PTX_NONE;
            first = first == PTX_NONE ? i : first;
        }
    }
    if (first != PTX_NONE) {
        say_init(f, &f->p->act[f->seed[first]], &f->p->act[c->act[first] - 1], more);
    }
}

void ptx_init_check(ptx_protocol *p) {
    barrier_context c;
    ptx_flood f = {.planes = INIT_PLANES,
                   .crossed = INIT_PLANES,
                   .stays_own = 1,
                   .pass = pass_init,
                   .hit = hit_init,
                   .context = &c};
    if (p->many[PTX_ACT_INIT] && p->many[PTX_ACT_LOAD] && !ptx_flood_begin(&f, p)) {
        ptx_flood_all(&f, PTX_ACT_INIT, begin_barrier, end_init);
    }
}

/* --- a wait whose parity never changes --- */

/* What a loop does to the barrier of a wait in it. */
typedef struct turns {
    int expects; /* each turn opens another phase */
    int varies;  /* another parity is waited for, too, or the barrier is made anew */
} turns;

static int is_in(const ptx_protocol *p, const ptx_act *a, uint32_t loop) {
    return ptx_block_in_loop(p->v->g, p->v->g->step[a->step].block, loop);
}

static void look(const ptx_protocol *p, const ptx_act *wait, const ptx_act *a, turns *t) {
    const ptx_alike alike = ptx_barriers_alike(p, wait, a);
    if (alike == PTX_DIFFERENT) {
        return;
    }
    if (a->kind == PTX_ACT_EXPECT || a->kind == PTX_ACT_LOAD) {
        t->expects |= alike == PTX_EQUAL && a->kind == PTX_ACT_EXPECT;
    } else if (a->kind == PTX_ACT_AWAIT) {
        t->varies |= a->number != wait->number;
    } else if (a->kind == PTX_ACT_INIT || a->kind == PTX_ACT_INVAL) {
        t->varies = 1;
    }
}

static int is_constant_in(const ptx_protocol *p, const ptx_act *wait, uint32_t loop) {
    const ptx_form *f = &p->v->forms.form[wait->barrier];
    for (uint32_t i = 0; i < f->terms; i++) {
        const uint32_t made = p->v->forms.atom[f->term[i].atom].loop;
        if (made != PTX_NONE && ptx_loop_in_loop(p->v->g, made, loop)) {
            return 0;
        }
    }
    return wait->barrier != PTX_UNKNOWN;
}

static void check_parity(ptx_protocol *p, const ptx_act *wait) {
    const ptx_graph *g = p->v->g;
    uint64_t parity = 0;
    if (!ptx_value_number(p->v, wait->number, &parity) ||
        ptx_shared_variable(p->v, wait->barrier) == PTX_NONE) {
        return;
    }
    for (uint32_t loop = g->node[g->step[wait->step].block].loop; loop != PTX_NONE;
         loop = g->loop[loop].parent) {
        turns t = {0};
        const ptx_act *expect = NULL;
        for (uint32_t i = 0; i < p->acts; i++) {
            if (p->act[i].barrier != PTX_UNKNOWN && is_in(p, &p->act[i], loop)) {
                look(p, wait, &p->act[i], &t);
                expect = p->act[i].kind == PTX_ACT_EXPECT &&
                                 ptx_barriers_alike(p, wait, &p->act[i]) == PTX_EQUAL
                             ? &p->act[i]
                             : expect;
            }
        }
        if (t.expects && !t.varies && is_constant_in(p, wait, loop)) {
            ptx_protocol_say(p, PTX_RULE_PARITY, 1, wait, expect,
                             "waits for parity %d in each turn of a loop in which line %d opens "
                             "another phase of the same barrier: from the second turn on it does "
                             "not wait, or waits for the wrong phase. Toggle the parity each turn "
                             "(xor 1)",
                             (int)parity, ptx_act_line(p, expect));
            return;
        }
    }
}

void ptx_parity_check(ptx_protocol *p) {
    if ((uint64_t)p->acts * p->many[PTX_ACT_AWAIT] > MOST_PAIRS || p->many[PTX_ACT_CALL]) {
        return;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        if (p->act[i].kind == PTX_ACT_AWAIT) {
            check_parity(p, &p->act[i]);
        }
    }
}
