/* SPDX-License-Identifier: Apache-2.0
 *
 * wait-missing: what clusterlaunchcontrol.try_cancel answers is read by a thread that has not
 * waited for it in this turn, though the others who read it have.
 */
#include "protocol_shapes.h"

static int is_request(const ptx_protocol *p, const ptx_act *a) {
    return a->kind == PTX_ACT_REMOTE &&
           ptx_begins(ptx_step_opcode(p->v->g, a->step), "clusterlaunchcontrol.");
}

/* Whether an act reads what a request may have brought. */
static int reads_answer(const ptx_protocol *p, const ptx_act *a, const ptx_act *request) {
    const uint32_t variable = ptx_shared_variable(p->v, request->at);
    if (a->kind != PTX_ACT_READ || variable == PTX_NONE ||
        ptx_shared_variable(p->v, a->at) != variable) {
        return 0;
    }
    const ptx_reach at = ptx_reach_of(p, a->at);
    const ptx_reach to = ptx_reach_of(p, request->at);
    return at.base != PTX_UNKNOWN && at.base == to.base &&
           !ptx_reaches_apart(&at, &to, a->bytes_B, PTX_LEAST_COPY_B);
}

/* The wait for a request's barrier that each turn comes past before a read; PTX_NONE: there is
 * none. *told: a barrier of threads stands there, behind which another one may have waited. */
static uint32_t wait_before(const ptx_protocol *p, uint32_t read, const ptx_act *request,
                            int *told) {
    const ptx_act *r = &p->act[read];
    const uint32_t loop = ptx_act_loop(p, r);
    uint32_t wait = PTX_NONE;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const uint32_t at = ptx_act_block(p, a);
        if (ptx_act_loop(p, a) != loop ||
            !(at == ptx_act_block(p, r) ? i < read
                                        : ptx_dominates(p->v->g, at, ptx_act_block(p, r)))) {
            continue;
        }
        *told |= a->kind == PTX_ACT_SYNC;
        wait = a->kind == PTX_ACT_AWAIT && a->traits & PTX_SPINS &&
                       ptx_barriers_alike(p, a, request) != PTX_DIFFERENT
                   ? i
                   : wait;
    }
    return wait;
}

static void check_request(ptx_protocol *p, const ptx_act *request) {
    const ptx_act *bare = NULL;
    uint32_t bares = 0;
    uint32_t like = PTX_NONE; /* a wait of the others */
    for (uint32_t i = 0; i < p->acts; i++) {
        int told = 0;
        if (!reads_answer(p, &p->act[i], request)) {
            continue;
        }
        const uint32_t wait = wait_before(p, i, request, &told);
        like = wait == PTX_NONE ? like : wait;
        if (wait == PTX_NONE && !told) {
            bare = &p->act[i];
            bares++;
        }
    }
    if (bares == 1 && like != PTX_NONE) {
        ptx_protocol_say(
            p, PTX_RULE_WAIT_MISSING, 0, request, bare,
            "line %d reads what this instruction answers, and its thread has not "
            "waited for the answer's barrier in this turn, as others have who read it "
            "(line %d): it may be the answer before. Put mbarrier.try_wait.parity in a "
            "loop before line %d",
            ptx_act_line(p, bare), ptx_act_line(p, &p->act[like]), ptx_act_line(p, bare));
    }
}

static int has_request(const ptx_protocol *p) {
    int has = 0;
    for (uint32_t i = 0; i < p->acts && !has; i++) {
        has = is_request(p, &p->act[i]);
    }
    return has;
}

void ptx_answers_check(ptx_protocol *p) {
    if (!p->many[PTX_ACT_REMOTE] || !p->many[PTX_ACT_READ] || p->many[PTX_ACT_CALL] ||
        !has_request(p) ||
        !ptx_can_judge(p, PTX_BUDGET_ANSWERS,
                       (uint64_t)p->acts * p->many[PTX_ACT_READ] * p->many[PTX_ACT_REMOTE])) {
        return;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        if (is_request(p, &p->act[i])) {
            check_request(p, &p->act[i]);
        }
    }
}
