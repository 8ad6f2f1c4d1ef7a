/* SPDX-License-Identifier: Apache-2.0
 *
 * store-reuse: shared memory that a bulk store still reads is written again, or the CTA ends.
 */
#include <string.h>

#include "ptx_protocol.h"

/* Forwards from the store: not committed, committed with so many groups behind it, waited for. */
enum { OPEN_GROUP, GROUP, LAST_GROUP = GROUP + 7, WAITED, PLANES };

typedef struct reuse_context {
    uint64_t waited;             /* on some way */
    uint32_t write[64], end[64]; /* acts + 1 */
    uint8_t is_proved[64];
} reuse_context;

static void pass_wait(ptx_flood *f, const ptx_act *a, uint64_t *plane) {
    reuse_context *c = f->context;
    uint64_t allowed = 0;
    const uint64_t sure = ptx_flood_surely(f, a);
    if (!ptx_value_number(f->p->v, a->number, &allowed)) {
        allowed = 0;
    }
    for (uint32_t k = GROUP; k <= LAST_GROUP; k++) {
        if (k - GROUP >= allowed || k == LAST_GROUP) {
            const uint64_t bits = ptx_flood_bits(f, plane, k);
            c->waited |= bits;
            for (uint32_t i = 0; i < 2 * f->planes; i += f->planes) {
                plane[i + WAITED] |= plane[i + k];
                plane[i + k] &= ~sure;
            }
        }
    }
}

static void pass_reuse(ptx_flood *f, uint32_t act, uint64_t *plane) {
    const ptx_act *a = &f->p->act[act];
    if (a->kind == PTX_ACT_COMMIT) {
        for (uint32_t k = LAST_GROUP; k > GROUP; k--) {
            ptx_flood_move(f, plane, k - 1, k, UINT64_MAX);
        }
        ptx_flood_move(f, plane, OPEN_GROUP, GROUP, UINT64_MAX);
    } else if (a->kind == PTX_ACT_WAIT_GROUP) {
        pass_wait(f, a, plane);
    } else if (a->kind == PTX_ACT_CALL) {
        memset(plane, 0, 2 * (size_t)f->planes * sizeof(*plane));
    }
}

static uint64_t in_flight(const ptx_flood *f, const uint64_t *plane, int turned) {
    uint64_t bits = 0;
    for (uint32_t k = OPEN_GROUP; k <= LAST_GROUP; k++) {
        bits |= plane[k] | (turned ? plane[f->planes + k] : 0);
    }
    return bits;
}

static void hit_reuse(ptx_flood *f, uint32_t act, const uint64_t *plane) {
    reuse_context *c = f->context;
    const ptx_act *a = &f->p->act[act];
    const int writes = a->kind == PTX_ACT_WRITE || a->kind == PTX_ACT_LOAD;
    if (!writes && a->kind != PTX_ACT_END) {
        return;
    }
    const uint64_t bits = in_flight(f, plane, 1) & ~ptx_flood_bits(f, plane, WAITED);
    const uint64_t same = in_flight(f, plane, 0);
    for (uint32_t i = 0; i < f->seeds; i++) {
        if (!(bits >> i & 1)) {
            continue;
        }
        if (!writes) {
            c->end[i] = act + 1;
            continue;
        }
        const ptx_overlap overlap = ptx_acts_overlap(f->p, a, &f->p->act[f->seed[i]]);
        const int is_proved = overlap == PTX_OVERLAPS && (same >> i & 1);
        if ((is_proved && !c->is_proved[i]) ||
            (overlap != PTX_APART && a->kind == PTX_ACT_WRITE && !c->write[i])) {
            c->write[i] = act + 1;
            c->is_proved[i] = (uint8_t)is_proved;
        }
    }
}

static void begin_reuse(ptx_flood *f) {
    memset(f->context, 0, sizeof(reuse_context));
}

static void say_reuse(ptx_flood *f, uint32_t bit, const reuse_context *c) {
    ptx_protocol *p = f->p;
    const ptx_act *copy = &p->act[f->seed[bit]];
    const int never = !(c->waited >> bit & 1);
    if (c->write[bit] && (c->is_proved[bit] || never)) {
        const ptx_act *write = &p->act[c->write[bit] - 1];
        ptx_protocol_say(
            p, PTX_RULE_STORE_REUSE, c->is_proved[bit], copy, write,
            "line %d writes shared memory that this copy %s: no cp.async.bulk.wait_group that "
            "covers its group stands on %s from here to there%s. Put "
            "cp.async.bulk.wait_group.read before line %d, in the thread that commits, and a "
            "barrier behind it",
            ptx_act_line(p, write), c->is_proved[bit] ? "still reads" : "may still read",
            c->is_proved[bit] ? "any way" : "a way",
            c->is_proved[bit] ? "" : " (whether the bytes are the same is not known)",
            ptx_act_line(p, write));
    } else if (c->end[bit] && never && p->many[PTX_ACT_COMMIT]) {
        const ptx_act *end = &p->act[c->end[bit] - 1];
        ptx_protocol_say(p, PTX_RULE_STORE_REUSE, 0, copy, end,
                         "the CTA may end at line %d while this copy still reads its shared "
                         "memory: no cp.async.bulk.wait_group stands on a way from here to there. "
                         "Put cp.async.bulk.wait_group.read 0 before the end, in the thread that "
                         "commits",
                         ptx_act_line(p, end));
    }
}

static void end_reuse(ptx_flood *f) {
    const reuse_context *c = f->context;
    for (uint32_t i = 0; i < f->seeds; i++) {
        say_reuse(f, i, c);
    }
}

void ptx_reuse_check(ptx_protocol *p) {
    reuse_context c;
    ptx_flood f = {.planes = PLANES,
                   .crossed = PLANES,
                   .stays_own = 1,
                   .pass = pass_reuse,
                   .hit = hit_reuse,
                   .context = &c};
    if (p->many[PTX_ACT_STORE] && !ptx_flood_begin(&f, p)) {
        ptx_flood_all(&f, PTX_ACT_STORE, begin_reuse, end_reuse);
    }
}
