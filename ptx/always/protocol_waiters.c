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

/* By block: whether a thread comes there that has passed no wait for a copy's barrier. */
static const uint8_t *past_no_wait(const ptx_protocol *p, const ptx_act *copy) {
    const ptx_graph *g = p->v->g;
    uint8_t *is = ptx_memory_take(p->memory, (size_t)g->nodes + 1, 2);
    uint8_t *waits = is ? is + g->nodes : NULL;
    for (uint32_t i = 0; is && i < p->acts; i++) {
        waits[g->step[p->act[i].step].block] |= (uint8_t)ptx_is_wait_for(p, &p->act[i], copy);
    }
    for (int again = is != NULL && g->reached; again;) {
        again = 0;
        is[g->ordered[0]] = 1;
        for (uint32_t i = 0; i < g->reached; i++) {
            const uint32_t block = g->ordered[i];
            const ptx_node *n = &g->node[block];
            for (uint32_t k = 0; is[block] && !waits[block] && k < n->outs; k++) {
                const uint32_t to = g->out[n->first_out + k];
                again |= !is[to] && g->node[to].order <= i;
                is[to] = 1;
            }
        }
    }
    return is;
}

/* Whether threads meet at an act; those of a warp alone, too. */
static int meets(const ptx_act *a, int with_warps) {
    return a->kind == PTX_ACT_CALL || (with_warps && a->kind == PTX_ACT_WARP) ||
           (a->kind == PTX_ACT_SYNC && !(a->traits & PTX_GOES_ON) &&
            (with_warps || !(a->traits & PTX_OF_WARP)));
}

/* By block: whether a barrier of threads stands somewhere behind a wait for a copy's barrier, and
 * before it. NULL: all threads wait. */
static const uint8_t *behind_limited(const ptx_protocol *p, const ptx_act *copy, int with_warps,
                                     int *least) {
    uint8_t *from = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    const ptx_act *wait = NULL;
    for (uint32_t i = 0; from && i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (ptx_is_wait_for(p, a, copy)) {
            const int limited = ptx_act_is_limited(p, a);
            from[i] = 1;
            wait = a;
            *least = limited < *least ? limited : *least;
            if (!limited) {
                return NULL;
            }
        }
    }
    const uint8_t *waited = from && wait ? ptx_blocks_behind(p, from) : NULL;
    for (uint32_t i = 0; waited && i < p->acts; i++) {
        from[i] = (uint8_t)(meets(&p->act[i], with_warps) ||
                            (p->act[i].kind == PTX_ACT_AWAIT &&
                             ptx_barriers_alike(p, &p->act[i], copy) == PTX_DIFFERENT));
        from[i] &=
            waited[p->v->g->step[p->act[i].step].block] || ptx_acts_exclude(p, &p->act[i], wait);
    }
    return waited ? ptx_blocks_behind(p, from) : NULL;
}

/* What comes out of a block that `now` comes into; at[]: what comes to its acts. */
static uint8_t past_block(const ptx_protocol *p, const ptx_act *copy, uint32_t block, uint8_t now,
                          int with_warps, uint8_t *at) {
    for (uint32_t k = p->first[block]; k < p->first[block + 1]; k++) {
        const ptx_act *a = &p->act[k];
        at[k] |= now;
        if (ptx_is_wait_for(p, a, copy)) {
            now = 1;
        } else if (meets(a, with_warps) || a->kind == PTX_ACT_AWAIT) {
            now = now ? 2 : 0;
        }
    }
    return now;
}

/* By act: 1 where a way comes from a wait for a copy's barrier past no barrier of threads and no
 * other wait, 2 where it comes past one; 3 both. */
static uint8_t *ways_from_wait(const ptx_protocol *p, const ptx_act *copy, int with_warps) {
    const ptx_graph *g = p->v->g;
    uint8_t *in = ptx_memory_take(p->memory, (size_t)g->nodes + p->acts + 1, 1);
    uint8_t *at = in ? in + g->nodes : NULL;
    const ptx_act *wait = NULL;
    for (uint32_t i = 0; i < p->acts && !wait; i++) {
        wait = ptx_is_wait_for(p, &p->act[i], copy) ? &p->act[i] : NULL;
    }
    for (int again = in != NULL && wait != NULL; again;) {
        again = 0;
        for (uint32_t i = 0; i < g->reached; i++) {
            const uint32_t block = g->ordered[i];
            const ptx_node *n = &g->node[block];
            const uint8_t now = past_block(p, copy, block, in[block], with_warps, at);
            for (uint32_t k = 0; now && k < n->outs; k++) {
                const uint32_t to = g->out[n->first_out + k];
                if ((now & ~in[to]) && ptx_act_takes_way(p, wait, block, k)) {
                    in[to] |= now;
                    again = 1;
                }
            }
        }
    }
    return at;
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

/* Whether threads meet in a read's own block, before it. */
static int met_in_block(const ptx_protocol *p, uint32_t read, int with_warps) {
    int met = 0;
    for (uint32_t k = p->first[p->v->g->step[p->act[read].step].block]; k < read; k++) {
        met |= meets(&p->act[k], with_warps);
    }
    return met;
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
    for (uint32_t i = 0; i < p->acts; i++) {
        waits[i] = (uint8_t)ptx_is_wait_for(p, &p->act[i], copy);
    }
    return ptx_act_passes_by(p, read, waits);
}

/* 1: it is said */
static int check_limited_by(ptx_protocol *p, const ptx_act *copy, int with_warps) {
    int least = 2;
    const uint8_t *synced = behind_limited(p, copy, with_warps, &least);
    const uint8_t *bare = synced && least < 2 ? past_no_wait(p, copy) : NULL;
    const uint8_t *ways = synced ? ways_from_wait(p, copy, with_warps) : NULL;
    uint8_t *waits = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    for (uint32_t i = 0; ways && waits && (least == 2 || (bare && with_warps)) && i < p->acts;
         i++) {
        const ptx_act *read = &p->act[i];
        const uint32_t block = p->v->g->step[read->step].block;
        if (read->kind == PTX_ACT_READ &&
            (ways[i] == 1 || (!synced[block] && !met_in_block(p, i, with_warps))) &&
            !ptx_is_signalled(p, read) && (with_warps || ptx_act_is_of_all(p, read)) &&
            (least == 2 ? ptx_act_is_limited(p, read) < 2
                        : bare[block] && (!ptx_act_is_limited(p, read) ||
                                          comes_unwaited(p, copy, read, waits))) &&
            is_of_copy(p, read, copy, least)) {
            say_limited(p, copy, read, !with_warps ? BY_ONE_IN_ITS_WARP : (ptx_waiter)(least == 2));
            return 1;
        }
    }
    return 0;
}

/* Whether a thread of each warp waits, for its own warp. */
static int waits_in_each_warp(const ptx_protocol *p, const ptx_act *copy) {
    for (uint32_t i = 0; i < p->acts; i++) {
        if (ptx_is_wait_for(p, &p->act[i], copy) && ptx_act_is_of_each_warp(p, &p->act[i])) {
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
