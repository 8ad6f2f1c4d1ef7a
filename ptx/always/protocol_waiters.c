/* SPDX-License-Identifier: Apache-2.0
 *
 * wait-missing: some threads wait for a copy, and others read with no barrier behind that wait.
 */
#include "protocol_rules.h"

int ptx_act_is_limited(const ptx_protocol *p, const ptx_act *act) {
    ptx_guard_walk at = {0};
    int is = 0;
    for (ptx_condition c; is < 2 && ptx_act_condition(p, act, &at, &c);) {
        const ptx_hangs on = ptx_condition_hangs(p, &c);
        is = on == PTX_HANGS_ONE_THREAD ? 2 : on == PTX_HANGS_THREAD ? 1 : is;
    }
    return is;
}

/* Whether threads meet at an act; those of a warp alone, too. */
static int meets(const ptx_act *a, int with_warps) {
    return a->kind == PTX_ACT_CALL || (with_warps && a->kind == PTX_ACT_WARP) ||
           (a->kind == PTX_ACT_SYNC && !(a->traits & PTX_GOES_ON) &&
            (with_warps || !(a->traits & PTX_OF_WARP)));
}

/* What is known of who waits for a copy, by act. */
typedef struct waited {
    int least;             /* ptx_act_is_limited() of the waits: the least */
    const uint8_t *bare;   /* a thread comes there that has passed no wait */
    const uint8_t *own;    /* a way from a wait past no barrier of threads and no other wait */
    const uint8_t *met;    /* one from such a barrier that the waiting thread has come to */
    const uint8_t *synced; /* one from a barrier of threads behind a wait, or beside it */
} waited;

/* 0: all threads wait, or none does. */
static int take_waits(const ptx_protocol *p, const ptx_act *copy, int with_warps, waited *w) {
    uint8_t *mark = ptx_memory_take(p->memory, (size_t)p->acts + 1, 5);
    const ptx_act *wait = NULL;
    if (!mark) {
        return 0;
    }
    uint8_t *passes = mark + p->acts, *stops = passes + p->acts;
    uint8_t *meets_own = stops + p->acts, *meets_any = meets_own + p->acts;
    *w = (waited){.least = 2};
    ptx_mark_waits(p, copy, mark);
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        passes[i] = mark[i] && !a->is_guarded;
        stops[i] = meets(a, with_warps) || a->kind == PTX_ACT_AWAIT;
        const int limited = mark[i] ? ptx_act_is_limited(p, a) : 2;
        w->least = limited < w->least ? limited : w->least;
        wait = mark[i] ? a : wait;
    }
    const uint8_t *behind = wait && w->least ? ptx_acts_reached(p, mark, NULL, NULL) : NULL;
    const uint8_t *own = behind ? ptx_acts_reached(p, mark, NULL, wait) : NULL;
    for (uint32_t i = 0; own && i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        meets_own[i] = stops[i] && !mark[i] && own[i];
        meets_any[i] =
            (meets(a, with_warps) || (a->kind == PTX_ACT_AWAIT && a->traits & PTX_SPINS &&
                                      ptx_barriers_alike(p, a, copy) == PTX_DIFFERENT)) &&
            (behind[i] || ptx_acts_exclude(p, a, wait));
    }
    w->bare = own ? ptx_acts_reached(p, NULL, passes, NULL) : NULL;
    w->own = w->bare ? ptx_acts_reached(p, mark, stops, wait) : NULL;
    w->met = w->own ? ptx_acts_reached(p, meets_own, mark, wait) : NULL;
    w->synced = w->met ? ptx_acts_reached(p, meets_any, NULL, NULL) : NULL;
    return w->synced != NULL;
}

/* Who waits where others read. */
typedef enum ptx_waiter { BY_SOME, BY_ONE, BY_ONE_IN_ITS_WARP } ptx_waiter;

static void say_limited(ptx_protocol *p, const ptx_act *copy, const ptx_act *read, ptx_waiter by) {
    static const char *const then[] = {
        ": no barrier of threads follows that wait (whether the CTA has other threads is "
        "not known)",
        ": no barrier of threads follows that wait",
        ": what follows that wait keeps its warp alone together (whether others of the CTA "
        "come there is not known)",
    };
    ptx_protocol_say(p, PTX_RULE_WAIT_MISSING, by == BY_ONE, copy, read,
                     "line %d reads the bytes that this copy brings, in all threads, and %s for "
                     "its barrier%s. Put bar.sync there, or have each thread wait",
                     ptx_act_line(p, read),
                     by == BY_SOME ? "some threads alone wait" : "one thread alone waits",
                     then[by]);
}

int ptx_act_is_of_all(const ptx_protocol *p, const ptx_act *act) {
    ptx_guard_walk at = {0};
    for (ptx_condition c; ptx_act_condition(p, act, &at, &c);) {
        if (ptx_condition_hangs(p, &c) != PTX_HANGS_UNIFORM) {
            return 0;
        }
    }
    return 1;
}

/* Whether copies alone fill what a read may be of: nothing else writes to its variable. */
static int is_loaded_alone(const ptx_protocol *p, const ptx_act *read) {
    const uint32_t variable = ptx_shared_variable(p->v, read->at);
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind == PTX_ACT_WRITE && ptx_shared_variable(p->v, a->at) == variable) {
            return 0;
        }
    }
    return variable != PTX_NONE && !p->many[PTX_ACT_REMOTE] && !p->many[PTX_ACT_PEER];
}

/* Whether a read is of what a copy brings, or, where the stage is not known, of what one does. */
static int is_of_copy(const ptx_protocol *p, const ptx_act *read, const ptx_act *copy, int least) {
    const ptx_overlap is = ptx_acts_overlap(p, read, copy);
    return is == PTX_OVERLAPS || (is == PTX_OPEN && least == 1 && copy->reach.step &&
                                  ptx_act_loop(p, read) != PTX_NONE && is_loaded_alone(p, read));
}

/* Whether threads come to a read of a copy's bytes, and to no wait for them. */
static int comes_unwaited(const ptx_protocol *p, const ptx_act *copy, const ptx_act *read,
                          uint8_t *waits) {
    ptx_mark_waits(p, copy, waits);
    return ptx_act_passes_by(p, read, waits);
}

/* 1: it is said */
static int check_limited_by(ptx_protocol *p, const ptx_act *copy, int with_warps) {
    waited w;
    uint8_t *waits = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    const int is = waits && take_waits(p, copy, with_warps, &w) && (w.least == 2 || with_warps);
    for (uint32_t i = 0; is && i < p->acts; i++) {
        const ptx_act *read = &p->act[i];
        if (read->kind == PTX_ACT_READ && ((w.own[i] && !w.met[i]) || !w.synced[i]) &&
            !ptx_is_signalled(p, read) && (with_warps || ptx_act_is_of_all(p, read)) &&
            (w.least == 2 ? ptx_act_is_limited(p, read) < 2
                          : w.bare[i] && (!ptx_act_is_limited(p, read) ||
                                          comes_unwaited(p, copy, read, waits))) &&
            is_of_copy(p, read, copy, w.least)) {
            say_limited(p, copy, read,
                        !with_warps ? BY_ONE_IN_ITS_WARP : (ptx_waiter)(w.least == 2));
            return 1;
        }
    }
    return 0;
}

/* Whether a thread of each warp waits, for its own warp. */
static int waits_in_each_warp(const ptx_protocol *p, const ptx_act *copy) {
    for (ptx_meeting m = ptx_meeting_of(p, copy); ptx_meeting_next(&m);) {
        const ptx_act *a = m.act;
        if (ptx_is_wait_for(p, a, copy) && ptx_act_is_of_each_warp(p, a)) {
            return 1;
        }
    }
    return 0;
}

void ptx_waiters_of(ptx_protocol *p, const ptx_act *copy) {
    if (!check_limited_by(p, copy, 1) && p->has_warps && !waits_in_each_warp(p, copy)) {
        check_limited_by(p, copy, 0);
    }
}
