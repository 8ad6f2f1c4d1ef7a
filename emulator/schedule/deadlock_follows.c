/* SPDX-License-Identifier: Apache-2.0
 *
 * Which groups wait because of another one, as far as this is asked:
 *   at the same mbarrier: it is the same wait;
 *   at a named barrier, the cluster's barrier, or where lanes come together: all threads that have
 *   not come and have not exited wait with the cause;
 *   at an mbarrier whose phase has not begun, where the cause's has, or the cause is lanes that do
 *   not come together: the cause's threads have an instruction that tells an mbarrier still before
 *   them.
 * Whether that instruction tells the same mbarrier, and whether held threads can come to a named
 * barrier, is not asked. All else stays a cause of its own.
 */
#include "async.h"
#include "deadlock_groups.h"
#include "heap.h"

#define MOST_GROUPS 96 /* of a cluster: of more each is told by itself */

typedef struct search {
    emu_machine *m;
    emu_waiting *group; /* of one cluster */
    uint32_t groups, base;
    uint8_t *seen; /* by instruction; null: no memory */
} search;

/* ---- what is still before threads ---- */

static int tells(const emu_instruction *in) {
    switch (in->op) {
    case EMU_OP_MBARRIER_ARRIVE:
    case EMU_OP_MBARRIER_ARRIVE_DROP:
    case EMU_OP_MBARRIER_EXPECT_TX:
    case EMU_OP_MBARRIER_COMPLETE_TX:
    case EMU_OP_CP_ASYNC_MBARRIER:
    case EMU_OP_CP_BULK:
    case EMU_OP_CP_TENSOR:
    case EMU_OP_ST_ASYNC:
    case EMU_OP_RED_ASYNC:
    case EMU_OP_TRY_CANCEL:
    case EMU_OP_TCGEN05_COMMIT:
        return 1;
    default:
        return 0;
    }
}

/* Marks an instruction to be looked at; it is behind `at` or was marked before: else one round
 * more is needed. */
static int mark(search *s, int64_t to, uint32_t at) {
    if (to < 0 || to >= s->m->program->instructions || s->seen[to]) {
        return 0;
    }
    s->seen[to] = 1;
    return to <= at;
}

/* Where the callers of a function go on. */
static int mark_callers(search *s, uint32_t function, uint32_t at) {
    const emu_program *p = s->m->program;
    int again = 0;
    for (uint32_t i = 0; i < p->instructions; i++) {
        const emu_operand *to = &p->code[i].operand[1];
        if (p->code[i].op == EMU_OP_CALL && to->kind == EMU_FUNCTION && to->number == function) {
            again |= mark(s, i + 1, at);
        }
    }
    return again;
}

/* Marks what may come after an instruction. */
static int mark_next(search *s, uint32_t at) {
    const emu_program *p = s->m->program;
    const emu_instruction *in = &p->code[at];
    const int ends = in->op == EMU_OP_RET || at == p->function[in->function].end;
    int again = 0;
    for (uint32_t i = 0; i < in->operands; i++) {
        const emu_operand *o = &in->operand[i];
        again |= o->kind == EMU_LABEL ? mark(s, o->number, at) : 0;
        again |= o->kind == EMU_FUNCTION && in->op == EMU_OP_CALL
                     ? mark(s, p->function[o->number].first, at)
                     : 0;
        for (uint32_t k = 0; o->kind == EMU_VECTOR && in->op == EMU_OP_BRX && k < o->count; k++) {
            again |= mark(s, p->operand[o->first + k].number, at);
        }
    }
    if (ends && !p->function[in->function].is_entry) {
        again |= mark_callers(s, in->function, at);
    }
    const int leaves = ends || in->op == EMU_OP_EXIT || in->op == EMU_OP_BRA ||
                       in->op == EMU_OP_BRX || in->op == EMU_OP_TRAP;
    return again | (leaves && in->guard == EMU_NO_GUARD ? 0 : mark(s, (int64_t)at + 1, at));
}

/* Whether threads that wait at an instruction may still come to one that tells an mbarrier. */
static int may_tell(search *s, const emu_instruction *from) {
    const emu_program *p = s->m->program;
    const uint32_t first = (uint32_t)(from - p->code);
    int again = 1;
    for (uint32_t i = 0; s->seen && i < p->instructions; i++) {
        s->seen[i] = i == first;
    }
    while (s->seen && again) {
        again = 0;
        for (uint32_t i = 0; i < p->instructions; i++) {
            if (s->seen[i] && tells(&p->code[i])) {
                return 1;
            }
            again |= s->seen[i] ? mark_next(s, i) : 0;
        }
    }
    return 0;
}

/* ---- who holds whom ---- */

static int is_held(const emu_waiting *g, uint32_t cause) {
    return g->cause == cause;
}

static int is_at(const emu_waiting *g, const emu_waiting *like) {
    return g->wait == like->wait && g->number == like->number &&
           (g->cta == like->cta || g->wait == EMU_WAITS_CLUSTER);
}

/* Of the threads that have not come to a barrier: how many are held; 0 where one is not. */
static uint32_t held_threads(const search *s, const emu_waiting *g, uint32_t cause) {
    uint32_t held = 0;
    for (uint32_t i = 0; i < s->groups; i++) {
        const emu_waiting *other = &s->group[i];
        const int counts = g->wait == EMU_WAITS_CLUSTER || other->cta == g->cta;
        if (counts && !is_at(other, g)) {
            if (!is_held(other, cause)) {
                return 0;
            }
            held += other->threads;
        }
    }
    return held;
}

/* Whether the lanes that do not come to where a group's lanes come together are all held. */
static int has_held_lanes(const search *s, const emu_waiting *g, uint32_t cause) {
    for (uint32_t i = 0; i < g->cta->warps; i++) {
        emu_warp *w = &g->cta->warp[i];
        int is_here = 0;
        int is_free = (w->exists & ~w->live) != 0;
        for (const emu_fragment *f = w->fragments; f; f = f->next) {
            const emu_waiting one = emu_wait_of(w, f);
            is_here |= emu_waits_alike(&one, g);
            for (uint32_t k = 0; k < s->groups; k++) {
                is_free |= emu_waits_alike(&one, &s->group[k]) && !emu_waits_alike(&one, g) &&
                           !is_held(&s->group[k], cause);
            }
        }
        if (is_here && is_free) {
            return 0;
        }
    }
    return 1;
}

static int follows(search *s, const emu_waiting *g, uint32_t cause) {
    const emu_waiting *of = &s->group[cause - s->base];
    const int is_sure = of->wait == EMU_WAITS_CONVERGE || emu_is_begun(of);
    uint32_t held, threads;
    switch (g->wait) {
    case EMU_WAITS_MBARRIER:
        return (of->wait == EMU_WAITS_MBARRIER && g->number == of->number) ||
               (is_sure && !emu_is_begun(g) && may_tell(s, of->in));
    case EMU_WAITS_BARRIER:
        held = held_threads(s, g, cause);
        return held && held >= emu_named_missing(g->cta, (uint32_t)g->number, &threads);
    case EMU_WAITS_CLUSTER:
        return held_threads(s, g, cause) != 0;
    case EMU_WAITS_CONVERGE: /* what its lanes would do may be what the cause lacks */
        return has_held_lanes(s, g, cause) && !may_tell(s, g->in);
    default:
        return 0;
    }
}

static void take_followers(search *s, uint32_t at) {
    const uint32_t cause = s->base + at;
    int again = 1;
    s->group[at].cause = cause;
    while (again) {
        again = 0;
        for (uint32_t i = 0; i < s->groups; i++) {
            if (s->group[i].cause == EMU_NO_CAUSE && follows(s, &s->group[i], cause)) {
                s->group[i].cause = cause;
                again = 1;
            }
        }
    }
}

/* What comes first: barriers whose phase has begun, lanes that would tell a barrier and wait for
 * others, other mbarriers, all else. */
static uint32_t rank_of(search *s, const emu_waiting *g) {
    if (g->wait == EMU_WAITS_MBARRIER) {
        return emu_is_begun(g) ? 0 : 2;
    }
    return g->wait == EMU_WAITS_CONVERGE && may_tell(s, g->in) ? 1 : 3;
}

static void look_at_cluster(search *s) {
    for (uint32_t rank = 0; rank < 4; rank++) {
        for (uint32_t i = 0; i < s->groups; i++) {
            if (s->group[i].cause == EMU_NO_CAUSE && rank_of(s, &s->group[i]) == rank) {
                take_followers(s, i);
            }
        }
    }
}

void emu_waiting_causes(emu_machine *m, emu_waiting *group, uint32_t groups) {
    search s = {.m = m, .seen = emu_take(m, m->program->instructions)};
    for (uint32_t i = 0; i < groups; i += s.groups) {
        s.group = &group[i];
        s.base = i;
        s.groups = 0;
        while (i + s.groups < groups && group[i + s.groups].cta->cluster == group[i].cta->cluster) {
            s.groups++;
        }
        if (s.groups <= MOST_GROUPS) {
            look_at_cluster(&s);
        }
    }
    for (uint32_t i = 0; i < groups; i++) {
        group[i].cause = group[i].cause == i ? EMU_NO_CAUSE : group[i].cause;
    }
    emu_give(m, s.seen);
}
