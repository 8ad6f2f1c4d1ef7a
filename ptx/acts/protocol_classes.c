/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers that may be one, taken together, so that the index of a stage need not be known.
 */
#include "ptx_protocol.h"

#define NAMED_BARRIERS 16

static int is_on_barrier(const ptx_act *a) {
    return a->kind == PTX_ACT_LOAD || a->kind == PTX_ACT_EXPECT || a->kind == PTX_ACT_ARRIVE ||
           a->kind == PTX_ACT_AWAIT || a->kind == PTX_ACT_REMOTE;
}

int ptx_is_vague(const ptx_protocol *p, const ptx_act *a) {
    const uint32_t variable = ptx_shared_variable(p->v, a->barrier);
    return variable == PTX_NONE ||
           (a->reach.base == PTX_UNKNOWN && p->v->g->rows->variable[variable].is_extern);
}

/* Whether two acts may be on one barrier. Of two that are vague: the same number is added. */
static int may_be_one(const ptx_protocol *p, const ptx_act *a, const ptx_act *b) {
    const ptx_alike alike = ptx_barriers_alike(p, a, b);
    const int vague = ptx_is_vague(p, a) + ptx_is_vague(p, b);
    return alike == PTX_EQUAL ||
           (alike == PTX_MAYBE &&
            (!vague || (vague == 2 && p->v->forms.form[a->barrier].number ==
                                          p->v->forms.form[b->barrier].number)));
}

/* The class of an act among those before it; those that it joins become one. 0: a new one. */
static uint8_t join(const ptx_protocol *p, uint8_t *of, uint32_t act) {
    uint8_t is = 0;
    for (uint32_t k = 0; k < act; k++) {
        const uint8_t other = of[k];
        if (!other || other == is || !may_be_one(p, &p->act[act], &p->act[k])) {
            continue;
        }
        is = is ? is : other;
        for (uint32_t n = 0; other != is && n < act; n++) {
            of[n] = of[n] == other ? is : of[n];
        }
    }
    return is;
}

uint8_t *ptx_classes_of(const ptx_protocol *p, uint32_t *classes) {
    const uint64_t asked = (uint64_t)p->many[PTX_ACT_LOAD] + p->many[PTX_ACT_EXPECT] +
                           p->many[PTX_ACT_ARRIVE] + p->many[PTX_ACT_AWAIT];
    *classes = 0;
    if (p->many[PTX_ACT_CALL] || !ptx_can_judge(p, PTX_BUDGET_CLASSES, asked * p->acts)) {
        return NULL;
    }
    uint8_t *of = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    for (uint32_t i = 0; of && i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (is_on_barrier(a) && ptx_shared_variable(p->v, a->barrier) != PTX_NONE) {
            of[i] = join(p, of, i);
            if (!of[i] && *classes == PTX_MOST_CLASSES) {
                ptx_leave_unjudged(p->r, p->v->g->root, PTX_BUDGET_CLASSES);
            } else if (!of[i]) {
                of[i] = (uint8_t)++ * classes;
            }
        }
    }
    return of;
}

uint32_t ptx_sync_names(const ptx_protocol *p, const ptx_act *sync) {
    uint64_t name = 0;
    if (sync->kind != PTX_ACT_SYNC || sync->traits & (PTX_OF_WARP | PTX_OF_MEMORY) ||
        ptx_begins(ptx_step_opcode(p->v->g, sync->step), "barrier.cluster.")) {
        return 0;
    }
    return ptx_value_number(p->v, sync->number, &name) && name < NAMED_BARRIERS
               ? UINT32_C(1) << name
               : (UINT32_C(1) << NAMED_BARRIERS) - 1;
}

int ptx_loop_is_told(const ptx_protocol *p, uint32_t loop, const uint8_t *ring_of, uint32_t ring) {
    uint32_t told = 0; /* by which of the CTA's barriers */
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const int hears = a->kind == PTX_ACT_SYNC && !(a->traits & (PTX_OF_WARP | PTX_GOES_ON));
        told |= hears && ptx_act_loop(p, a) == loop ? ptx_sync_names(p, a) : 0;
    }
    for (uint32_t i = 0; told && i < p->acts; i++) {
        const uint32_t other = ptx_act_loop(p, &p->act[i]);
        const int waits = p->act[i].kind == PTX_ACT_AWAIT && ring_of[i] == ring;
        for (uint32_t k = 0; waits && other != loop && k < p->acts; k++) {
            const ptx_act *a = &p->act[k];
            if (a->kind == PTX_ACT_SYNC && ptx_act_loop(p, a) == other &&
                ptx_sync_names(p, a) & told) {
                return 1;
            }
        }
    }
    return 0;
}
