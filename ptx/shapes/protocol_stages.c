/* SPDX-License-Identifier: Apache-2.0
 *
 * Rings that a loop goes round in one turn, with barriers of their own for each stage: one stage is
 * not waited for.
 */
#include "protocol_shapes.h"

#define LEAST_WITH 2 /* stages that show how far the barriers of one stand apart */

int ptx_loop_is_said(const ptx_protocol *p, ptx_rule rule, uint32_t loop) {
    const char *name = ptx_rule_at(rule)->name;
    for (uint32_t i = 0; i < p->r->findings; i++) {
        const ptx_finding *f = &p->r->finding[i];
        for (uint32_t k = 0; f->rule == name && k < p->acts; k++) {
            const ptx_step *step = &p->v->g->step[p->act[k].step];
            if (step->row == f->row && ptx_block_in_loop(p->v->g, step->block, loop)) {
                return 1;
            }
        }
    }
    return 0;
}

/* Whether an act is on a barrier that stays, and in a loop in each turn. */
static int is_stage(const ptx_protocol *p, const ptx_act *a, uint32_t loop) {
    return a->reach.base != PTX_UNKNOWN && !a->reach.step && ptx_act_loop(p, a) == loop &&
           ptx_is_in_each_turn(p, p->v->g->step[a->step].block, loop);
}

/* Whether a wait in a loop stands as far from a barrier as `wait` does from `of`. */
static int waits_at(const ptx_protocol *p, const ptx_act *use, uint32_t loop, const ptx_act *wait,
                    const ptx_act *of) {
    const int64_t apart = wait->reach.low - of->reach.low;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind == PTX_ACT_AWAIT && a->traits & PTX_SPINS && ptx_act_loop(p, a) == loop &&
            a->reach.base == wait->reach.base && use->reach.base == of->reach.base &&
            !a->reach.step && a->reach.low == use->reach.low + apart) {
            return 1;
        }
    }
    return 0;
}

typedef struct stages {
    uint32_t with, without; /* a wait so far from them */
    const ptx_act *lacks;
} stages;

/* Whether an act is the first of its kind on its stage's barrier. */
static int is_new_stage(const ptx_protocol *p, uint32_t act, uint32_t loop) {
    const ptx_act *a = &p->act[act];
    int is = is_stage(p, a, loop);
    for (uint32_t k = 0; k < act && is; k++) {
        is = p->act[k].kind != a->kind || p->act[k].barrier != a->barrier ||
             !is_stage(p, &p->act[k], loop);
    }
    return is;
}

static stages count_stages(const ptx_protocol *p, uint32_t loop, const ptx_act *wait,
                           const ptx_act *of) {
    stages s = {0};
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind != of->kind || !is_new_stage(p, i, loop)) {
            continue;
        }
        if (waits_at(p, a, loop, wait, of)) {
            s.with++;
        } else {
            s.without++;
            s.lacks = a;
        }
    }
    return s;
}

/* How many barriers beside a use's a loop waits for. */
static uint32_t count_waits(const ptx_protocol *p, uint32_t loop, const ptx_act *use) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        count += a->kind == PTX_ACT_AWAIT && a->reach.base == use->reach.base &&
                 is_new_stage(p, i, loop);
    }
    return count;
}

/* --- a loop that a compiler unrolled: it comes to each stage more than once in a turn --- */

typedef struct tally {
    uint32_t uses, waits;
} tally;

/* How often a turn uses a stage, and how often it waits for its barrier. */
static tally tally_of(const ptx_protocol *p, uint32_t loop, const ptx_act *use, int64_t apart,
                      ptx_value waits) {
    tally t = {0};
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        t.uses += a->kind == use->kind && a->barrier == use->barrier && is_stage(p, a, loop);
        t.waits += a->kind == PTX_ACT_AWAIT && a->traits & PTX_SPINS && a->reach.base == waits &&
                   a->reach.low == use->reach.low + apart && is_stage(p, a, loop);
    }
    return t;
}

typedef struct tallies {
    tally most, least;
    const ptx_act *lacks;
    uint32_t with, without; /* as the most; otherwise */
} tallies;

static tallies all_tallies(const ptx_protocol *p, uint32_t loop, const ptx_act *use,
                           const ptx_act *wait) {
    const int64_t apart = wait->reach.low - use->reach.low;
    tallies all = {.least = {.waits = UINT32_MAX}};
    for (uint32_t turn = 0; turn < 2; turn++) { /* the most is known in the second one */
        for (uint32_t i = 0; i < p->acts; i++) {
            if (p->act[i].kind != use->kind || !is_new_stage(p, i, loop)) {
                continue;
            }
            const tally t = tally_of(p, loop, &p->act[i], apart, wait->reach.base);
            const int is_as_most = t.waits == all.most.waits && t.uses == all.most.uses;
            all.with += turn && is_as_most;
            all.without += turn && !is_as_most;
            all.most = t.waits > all.most.waits ? t : all.most;
            all.lacks = t.waits < all.least.waits ? &p->act[i] : all.lacks;
            all.least = t.waits < all.least.waits ? t : all.least;
        }
    }
    return all;
}

/* Of stages that are used as often, one that is waited for less often than all others. */
static void check_tallies(ptx_protocol *p, uint32_t loop, const ptx_act *use, const ptx_act *wait) {
    const tallies all = all_tallies(p, loop, use, wait);
    const int gives = use->kind == PTX_ACT_ARRIVE;
    if (all.without == 1 && all.with >= LEAST_WITH && all.least.waits &&
        all.least.waits < all.most.waits && all.least.uses == all.most.uses) {
        ptx_protocol_say(p, gives ? PTX_RULE_WAIT_MISSING : PTX_RULE_PROXY_LOAD, 0, all.lacks, wait,
                         "the loop at line %d waits %d times for the %s barrier of %d other "
                         "stages, which it uses as often as this one, and %d for that of this "
                         "one. Put mbarrier.try_wait.parity on it in a loop each time before the "
                         "stage is %s",
                         ptx_loop_line(p, loop), (int)all.most.waits, gives ? "full" : "empty",
                         (int)all.with, (int)all.least.waits, gives ? "read" : "filled");
    }
}

/* All stages but one are waited for in the loop, and no wait is left that may be for that one. */
static void check_stages(ptx_protocol *p, uint32_t loop, const ptx_act *use) {
    const int gives = use->kind == PTX_ACT_ARRIVE;
    const ptx_rule rule = gives ? PTX_RULE_WAIT_MISSING : PTX_RULE_PROXY_LOAD;
    stages best = {.without = UINT32_MAX};
    const ptx_act *by = NULL;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *wait = &p->act[i];
        if (wait->kind == PTX_ACT_AWAIT && ptx_act_loop(p, wait) == loop && !wait->reach.step &&
            wait->reach.base != PTX_UNKNOWN) {
            const stages s = count_stages(p, loop, wait, use);
            by = s.without < best.without ? wait : by;
            best = s.without < best.without ? s : best;
        }
    }
    if (!by || ptx_loop_is_said(p, rule, loop)) {
        return;
    }
    if (!best.without) {
        check_tallies(p, loop, use, by);
    }
    if (best.without == 1 && best.with >= LEAST_WITH && count_waits(p, loop, use) <= best.with) {
        ptx_protocol_say(p, rule, 0, best.lacks, by,
                         "the loop at line %d waits for the %s barrier of %d other stages, and not "
                         "for that of this one. Put mbarrier.try_wait.parity on it in a loop "
                         "before the stage is %s",
                         ptx_loop_line(p, loop), gives ? "full" : "empty", (int)best.with,
                         gives ? "read" : "filled");
    }
}

void ptx_stages_check(ptx_protocol *p) {
    uint32_t last = PTX_NONE;
    const uint64_t asked = (uint64_t)p->acts - p->many[PTX_ACT_READ] - p->many[PTX_ACT_WRITE];
    if (!(p->many[PTX_ACT_LOAD] + p->many[PTX_ACT_ARRIVE]) || !p->v->g->loops ||
        !ptx_can_judge(p, PTX_BUDGET_STAGES, asked)) {
        return;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const uint32_t loop = ptx_act_loop(p, a);
        if (loop != PTX_NONE && loop != last &&
            (a->kind == PTX_ACT_LOAD || a->kind == PTX_ACT_ARRIVE) && is_stage(p, a, loop)) {
            check_stages(p, loop, a);
            last = loop;
        }
    }
}
