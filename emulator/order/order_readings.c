/* SPDX-License-Identifier: Apache-2.0
 *
 * What documents leave open: scopes that are written, whether that warps meet at a wgmma orders
 * what they did before, and whether commits arrive in their order (emulate_readings.def).
 */
#include "order_state.h"
#include "places.h"
#include "run_report.h"
#include "tma/ptx.h"

static int is_taken(const emu_machine *m, tma_emulate_reading reading) {
    return (int)(m->launch->readings >> reading & 1);
}

/* ---- scopes ---- */

void order_scope_note(order_flag_row *row, const emu_warp *w, const emu_instruction *in,
                      uint32_t lane) {
    row->released = (order_released){.in = in,
                                     .cta = (uint32_t)w->cta->index,
                                     .cluster = w->cta->cluster->first,
                                     .thread = w->index * EMU_LANES + lane};
}

int order_scope_is_strict(const emu_machine *m) {
    return is_taken(m, TMA_EMULATE_READING_SCOPE_STRICT);
}

int order_has_commits(const emu_machine *m) {
    return !is_taken(m, TMA_EMULATE_READING_COMMIT_ORDER_NONE);
}

/* A scope that is left out holds both threads. */
static int is_narrow(const emu_instruction *in, const order_released *from, const emu_cta *to) {
    return (in->scope == TMA_PTX_SCOPE_CTA && from->cta != to->index) ||
           (in->scope == TMA_PTX_SCOPE_CLUSTER && from->cluster != to->cluster->first);
}

int order_by_narrow_alone(const order_actor *a, const order_entry *e) {
    const order_clock *strict = a->know ? a->know->clock[ORDER_STRICT] : 0;
    if (!strict || e->flags & ORDER_IS_ASYNC) {
        return 0;
    }
    order_know known = {.clock = {[ORDER_HAPPENED] = (order_clock *)strict,
                                  [ORDER_INITS] = a->know->clock[ORDER_INITS],
                                  [ORDER_SHARED] = a->know->clock[ORDER_SHARED],
                                  [ORDER_OWN] = a->know->clock[ORDER_OWN]}};
    order_actor one = *a;
    one.know = &known;
    return !order_is_before(&one, e);
}

void order_scope_judge(const order_flag_row *row, const emu_warp *w, const emu_instruction *in,
                       uint32_t lane, const emu_place *place, uint32_t size_B) {
    const order_released *from = &row->released;
    if (!from->in || (!is_narrow(from->in, from, w->cta) && !is_narrow(in, from, w->cta))) {
        return;
    }
    const uint64_t address =
        place->space == EMU_SHARED_CTA ? emu_shared_address(place->cta, place->at) : place->at;
    const emu_who later = {.in = in,
                           .cta = w->cta->index,
                           .thread = w->index * EMU_LANES + lane,
                           .proxy = "generic",
                           .what = "acquiring read",
                           .space = place->space,
                           .address = address,
                           .size_B = size_B};
    const emu_who earlier = {.in = from->in,
                             .cta = from->cta,
                             .thread = from->thread,
                             .proxy = "generic",
                             .what = "releasing write",
                             .space = place->space,
                             .address = address,
                             .size_B = size_B};
    emu_report(
        w->machine, TMA_EMULATE_RULE_SCOPE, is_taken(w->machine, TMA_EMULATE_READING_SCOPE_STRICT),
        &later, &earlier,
        is_narrow(from->in, from, w->cta)
            ? "the scope that the release is written with does not hold the acquiring thread"
            : "the scope that the acquire is written with does not hold the releasing thread",
        "a scope that holds both threads: .cluster, .gpu or .sys");
}

static int is_flag(const emu_instruction *in) {
    return in->op == EMU_OP_LD || in->op == EMU_OP_ST || in->op == EMU_OP_ATOM ||
           in->op == EMU_OP_RED;
}

/* The reductions of a copy are relaxed, each by itself: .gpu, red.async's .cluster. Whose scope has
 * to hold the copy holds the thread that issued it. */
static int is_reduction(const emu_instruction *in) {
    return in->op == EMU_OP_CP_REDUCE_BULK || in->op == EMU_OP_CP_REDUCE_TENSOR ||
           in->op == EMU_OP_RED_ASYNC;
}

static uint32_t issuer_of(const order_actor *a, const order_entry *e) {
    return e->flags & ORDER_IS_ASYNC ? order_op_of(a->state, e->op)->cta : e->cta;
}

void order_scope_strong(const order_actor *a, const order_entry *e) {
    emu_machine *m = a->state->machine;
    const emu_instruction *in = &m->program->code[a->entry.in], *other = &m->program->code[e->in];
    const uint32_t here = issuer_of(a, &a->entry), there = issuer_of(a, e);
    if (here == there || a->entry.flags & e->flags & ORDER_IS_ASYNC ||
        !(is_flag(in) || is_reduction(in)) || !(is_flag(other) || is_reduction(other))) {
        return;
    }
    /* A cluster ends as one. */
    const int is_far =
        !m->cta[there] || !m->cta[here] || m->cta[there]->cluster != m->cta[here]->cluster;
    const uint32_t cta = TMA_PTX_SCOPE_CTA, cluster = is_far ? TMA_PTX_SCOPE_CLUSTER : cta;
    if ((in->scope != cta && in->scope != cluster && other->scope != cta &&
         other->scope != cluster) ||
        order_is_before(a, e)) {
        return;
    }
    const emu_who later = order_who_of(a, &a->entry, a->entry.lanes),
                  earlier =
                      order_who_of(a, e, e->flags & ORDER_IS_ASYNC ? 0 : e->lanes & -e->lanes);
    emu_report(m, TMA_EMULATE_RULE_SCOPE, order_scope_is_strict(m), &later, &earlier,
               "the scope that one of the two is written with does not hold the other's thread: "
               "they are not atomic for each other",
               "a scope that holds both threads: .cluster, .gpu or .sys");
}

static emu_who at_barrier(const emu_instruction *in, const char *what, uint32_t cta,
                          uint32_t thread, const emu_place *barrier) {
    return (emu_who){.in = in,
                     .cta = cta,
                     .thread = thread,
                     .proxy = "generic",
                     .what = what,
                     .space = EMU_SHARED_CTA,
                     .address = emu_shared_address(barrier->cta, barrier->at),
                     .size_B = sizeof(uint64_t)};
}

void order_arrives_at(emu_warp *w, const emu_instruction *in, uint32_t lane,
                      const emu_place *barrier) {
    if (!w->machine->ordered || barrier->cta == w->cta || in->scope != TMA_PTX_SCOPE_CTA) {
        return;
    }
    const emu_who who =
        at_barrier(in, "arrival", (uint32_t)w->cta->index, w->index * EMU_LANES + lane, barrier);
    emu_report(w->machine, TMA_EMULATE_RULE_SCOPE, order_scope_is_strict(w->machine), &who, NULL,
               "the arrival is written .cta, and the barrier is another CTA's, whose threads wait "
               "for it",
               "a scope that holds both threads: .cluster");
}

void order_waits_for(emu_warp *w, const emu_instruction *in, uint32_t lane,
                     const emu_place *barrier, const emu_instruction *arrival, uint32_t cta,
                     uint32_t thread) {
    if (!w->machine->ordered || in->scope != TMA_PTX_SCOPE_CTA) {
        return;
    }
    const emu_who later =
        at_barrier(in, "wait", (uint32_t)w->cta->index, w->index * EMU_LANES + lane, barrier);
    const emu_who earlier = at_barrier(arrival, "arrival", cta, thread, barrier);
    emu_report(w->machine, TMA_EMULATE_RULE_SCOPE, order_scope_is_strict(w->machine), &later,
               &earlier, "the wait is written .cta, and a thread of another CTA arrived",
               "a scope that holds both threads: .cluster");
}

/* ---- warps that meet at a wgmma ---- */

void order_meeting_begins(emu_warp *const *warp, uint32_t warps, order_op *op) {
    const emu_machine *m = warp[0]->machine;
    if (warps < 2 || !is_taken(m, TMA_EMULATE_READING_WGMMA_ORDER_NONE)) {
        return;
    }
    for (uint32_t i = 0; i < warps && i < ORDER_MEET; i++) {
        emu_sync alone = {0};
        order_release(warp[i], warp[i]->live, &alone);
        op->alone[i] = alone.know;
    }
}

void order_meeting_ends(order_state *s, order_op *op) {
    for (uint32_t i = 0; i < ORDER_MEET; i++) {
        order_know_drop(&s->clocks, op->alone[i]);
        op->alone[i] = 0;
    }
}

int order_by_meeting_alone(const order_actor *a, const order_entry *e) {
    const order_op *op = a->entry.flags & ORDER_IS_ASYNC ? order_op_of(a->state, a->entry.op) : 0;
    for (uint32_t i = 0; op && op->kind == EMU_ASYNC_WGMMA && i < ORDER_MEET; i++) {
        order_actor one = *a;
        one.know = op->alone[i];
        if (one.know && !order_is_before(&one, e)) {
            return 1;
        }
    }
    return 0;
}
