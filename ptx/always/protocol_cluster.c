/* SPDX-License-Identifier: Apache-2.0
 *
 * exit: a CTA of a cluster ends while others write into it or signal it; and expect-missing of a
 * multicast: CTAs receive that do not expect.
 */
#include "protocol_rules.h"

/* --- the CTA's rank --- */

static int is_rank(const ptx_protocol *p, ptx_value value) {
    const ptx_form *f = &p->v->forms.form[value];
    const ptx_atom *a = f->terms == 1 ? &p->v->forms.atom[f->term[0].atom] : NULL;
    return value != PTX_UNKNOWN && a && a->kind == PTX_ATOM_SPECIAL && !f->number &&
           f->term[0].times == 1 && a->a == PTX_SPECIAL_CLUSTER_CTARANK;
}

/* The ranks, one bit each, of the CTAs that run an act, as far as equalities with %cluster_ctarank
 * say. */
static uint32_t ranks_by(const ptx_protocol *p, const ptx_act *act) {
    ptx_guard_walk at = {0};
    uint32_t ranks = UINT32_MAX;
    for (ptx_condition c; ptx_act_condition(p, act, &at, &c);) {
        if (c.is_equal && c.number < 32 && is_rank(p, c.key)) {
            const uint32_t one = UINT32_C(1) << c.number;
            ranks &= c.holds ? one : ~one;
        }
    }
    return ranks;
}

static uint32_t ranks_running(const ptx_protocol *p, const ptx_act *act) {
    return p->ranks[act - p->act];
}

/* Of the CTAs whose barrier an act is on; by mapa: any. */
static uint32_t ranks_of(const ptx_protocol *p, const ptx_act *act) {
    return act->traits & PTX_TO_PEER ? UINT32_MAX : ranks_running(p, act);
}

/* Whether mapa leads an act to CTA 0, which alone runs it. */
static int is_first_s_own(const ptx_protocol *p, const ptx_act *a) {
    return a->traits & PTX_TO_FIRST && ranks_running(p, a) == 1;
}

/* Of all acts of a kind on an act's barrier; *may: some barrier is perhaps the same. */
static uint32_t ranks_on(const ptx_protocol *p, const ptx_act *act, ptx_act_kind kind, int *may) {
    uint32_t ranks = 0;
    for (ptx_meeting m = ptx_meeting_of(p, act); ptx_meeting_next(&m);) {
        const ptx_act *a = m.act;
        if (a->kind == kind) {
            const ptx_alike alike = ptx_barriers_alike(p, act, a);
            *may |= alike == PTX_MAYBE;
            ranks |= alike == PTX_DIFFERENT ? 0 : ranks_of(p, a);
        }
    }
    return ranks;
}

static int lowest(uint32_t bits) {
    int i = 0;
    while (!(bits >> i & 1)) {
        i++;
    }
    return i;
}

/* --- a multicast that some CTAs do not expect --- */

/* The CTAs that a multicast brings bytes to: its mask; or, where that hangs on the rank, those of
 * all ranks that run it. 0: not known. */
static uint32_t ranks_receiving(const ptx_protocol *p, const ptx_act *copy) {
    const uint32_t ctas = ptx_head_product(p, ".reqnctapercluster");
    const uint32_t running = ranks_running(p, copy);
    ptx_held held = {.atom = ptx_special_atom(p->v, PTX_SPECIAL_CLUSTER_CTARANK)};
    uint32_t all = 0;
    uint64_t mask = 0;
    if (ptx_value_number(p->v, copy->mask, &mask)) {
        return (uint32_t)mask & 0xFFFF;
    }
    for (uint32_t rank = 0; held.atom != PTX_NONE && ctas <= 16 && rank < ctas; rank++) {
        ptx_first t = {.p = p, .around = PTX_NONE, .variable = PTX_NONE};
        held.number = rank;
        t.given = &held;
        t.givens = 1;
        if (copy->mask == PTX_UNKNOWN || !ptx_value_first(&t, copy->mask, &mask) || t.by_thread) {
            return 0;
        }
        all |= running >> rank & 1 ? (uint32_t)mask & ((UINT32_C(1) << ctas) - 1) : 0;
    }
    return all;
}

/* A mask with CTAs that the kernel's cluster does not have. */
static void check_mask(ptx_protocol *p, const ptx_act *copy) {
    const uint32_t ctas = ptx_head_product(p, ".reqnctapercluster");
    const uint32_t row = p->v->g->step[copy->step].row;
    uint64_t mask = 0;
    if (ctas && ctas < 16 && ptx_value_number(p->v, copy->mask, &mask) && (mask & 0xFFFF) >> ctas) {
        const uint32_t beyond = (uint32_t)(mask & 0xFFFF) >> ctas << ctas;
        ptx_find(p->r, ptx_site_at(p->r, row), row, tma_rule_of(TMA_RULE_MULTICAST_CLUSTER)->name,
                 1,
                 "ctaMask 0x%x names CTA %d, and the cluster has %u (.reqnctapercluster): the "
                 "kernel dies there",
                 (unsigned)mask, lowest(beyond), (unsigned)ctas);
    }
}

static void check_multicast(ptx_protocol *p, const ptx_act *copy) {
    uint64_t number = 0;
    int may = 0;
    if (copy->barrier == PTX_UNKNOWN || copy->traits & PTX_OF_PAIR || p->many[PTX_ACT_CALL]) {
        return;
    }
    const uint32_t mask = ranks_receiving(p, copy);
    const uint32_t expecting = ranks_on(p, copy, PTX_ACT_EXPECT, &may);
    const uint32_t missing = mask & ~expecting;
    if (missing && expecting) {
        ptx_protocol_say_unless(
            p, PTX_RULE_EXPECT_MISSING, !may, may ? PTX_UNLESS_KERNEL : PTX_UNLESS_NONE, copy,
            ptx_on_barrier(p, copy, PTX_ACT_AWAIT),
            "brings bytes to the CTAs of mask 0x%x%s, and CTA %d of the cluster "
            "expects none on %s: its phase ends too early, or never. Put "
            "mbarrier.arrive.expect_tx on it in each CTA that receives",
            (unsigned)mask,
            ptx_value_number(p->v, copy->mask, &number) ? "" : " (of all CTAs' masks)",
            lowest(missing), may ? "a barrier that may be this one" : "this barrier");
    }
}

/* --- exit --- */

static int is_from_outside(const ptx_act *a) {
    return (a->traits & (PTX_TO_PEER | PTX_TO_CLUSTER)) != 0;
}

/* Whether some thread comes to the cluster's barrier after what others take part in, or after a
 * wait: then the CTA stays until all are there. */
static int ends_together(const ptx_protocol *p) {
    uint8_t *from = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    for (uint32_t i = 0; from && i < p->acts; i++) {
        from[i] = p->act[i].kind == PTX_ACT_AWAIT || is_from_outside(&p->act[i]);
    }
    const uint8_t *is = from ? ptx_acts_reached(p, from, NULL, NULL) : NULL;
    for (uint32_t i = 0; is && i < p->acts; i++) {
        if (p->act[i].traits & PTX_OF_CLUSTER && is[i]) {
            return 1;
        }
    }
    return !is;
}

static const char *what_of(const ptx_act *a) {
    return a->kind == PTX_ACT_ARRIVE || a->kind == PTX_ACT_EXPECT ? "arrives on a barrier of"
           : a->kind == PTX_ACT_PEER                              ? "accesses"
                                                                  : "writes into";
}

static void say_never(ptx_protocol *p, const ptx_act *a) {
    ptx_protocol_say(p, PTX_RULE_EXIT, ptx_act_has_others(p, a), a, ptx_end_behind(p, a),
                     "%s shared memory of another CTA, which may have ended: nothing keeps it "
                     "until then, neither a barrier of the cluster nor a wait for what completes "
                     "here. Put barrier.cluster.arrive and barrier.cluster.wait before the end, in "
                     "all threads",
                     what_of(a));
}

static int check_exit(ptx_protocol *p, const ptx_act *a) {
    int may = 0;
    const uint32_t ranks = a->kind == PTX_ACT_PEER || a->barrier == PTX_UNKNOWN
                               ? 0
                               : ranks_on(p, a, PTX_ACT_AWAIT, &may);
    uint64_t mask = UINT32_MAX;
    if (a->traits & PTX_TO_CLUSTER && !ptx_value_number(p->v, a->mask, &mask)) {
        mask = 0; /* it may be for this CTA alone */
    }
    if (a->kind == PTX_ACT_PEER ? !p->many[PTX_ACT_AWAIT]
                                : !ranks && mask && ptx_barrier_is_whole(p, a)) {
        say_never(p, a);
        return 1;
    }
    if (a->kind == PTX_ACT_LOAD && !may && ranks && (uint32_t)mask & ~ranks) {
        ptx_protocol_say(p, PTX_RULE_EXIT, 0, a, ptx_end_behind(p, a),
                         "brings bytes to the CTAs of mask 0x%x, and CTA %d of the cluster does "
                         "not wait for them: it may have ended when they come. Put a wait for the "
                         "barrier there, or barrier.cluster.arrive and barrier.cluster.wait before "
                         "the end, in all threads",
                         (unsigned)(mask & 0xFFFF), lowest((uint32_t)mask & ~ranks));
        return 1;
    }
    return 0;
}

void ptx_cluster_check(ptx_protocol *p) {
    uint32_t outside = 0;
    for (uint32_t i = 0; i < p->acts; i++) {
        outside += (uint32_t)is_from_outside(&p->act[i]);
    }
    if (!outside || !ptx_can_judge(p, PTX_BUDGET_CLUSTER, (uint64_t)outside * p->acts)) {
        return;
    }
    p->ranks = ptx_memory_take(p->memory, (size_t)p->acts + 1, sizeof(*p->ranks));
    for (uint32_t i = 0; p->ranks && i < p->acts; i++) {
        p->ranks[i] = ranks_by(p, &p->act[i]);
    }
    const int together = p->many[PTX_ACT_CALL] || ends_together(p);
    const int of_several = ptx_is_of_several(p);
    uint64_t said = 0; /* kinds: one is enough of each */
    for (uint32_t i = 0; p->ranks && i < p->acts && !p->memory->failed; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind == PTX_ACT_LOAD && a->traits & PTX_TO_CLUSTER) {
            check_mask(p, a);
            check_multicast(p, a);
        }
        const int is_other = (of_several || !(a->traits & PTX_TO_FIRST)) && !is_first_s_own(p, a);
        if (!together && is_other && is_from_outside(a) && !(said >> a->kind & 1) &&
            check_exit(p, a)) {
            said |= UINT64_C(1) << a->kind;
        }
    }
}
