/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses of threads and of asynchronous operations; what an operation's completion tells.
 */
#include <string.h>

#include "order_state.h"
#include "run_report.h"
#include "run_watch.h"

static uint32_t in_of(const order_state *s, const emu_instruction *in) {
    return (uint32_t)(in - s->machine->program->code);
}

static uint32_t next_time(order_state *s, order_warp_state *w, const emu_instruction *in) {
    order_times *times = &w->times[in_of(s, in)];
    times->count += times->count < UINT32_MAX;
    if (times->behind != w->answered) {
        times->before = times->behind;
        times->behind = w->answered;
    }
    return times->count;
}

static uint8_t flags_of(order_kind kind, int strong) {
    return (
        uint8_t)((kind != ORDER_READ ? ORDER_IS_WRITE : 0) |
                 (kind == ORDER_ATOMIC ? ORDER_IS_ATOMIC : 0) |
                 (kind == ORDER_INIT ? ORDER_IS_INIT : 0) |
                 ((strong && kind != ORDER_INIT) || kind == ORDER_ATOMIC ? ORDER_IS_STRONG : 0));
}

/* Lanes in shared memory of other CTAs. */
static void guests_come(emu_warp *warp, order_actor *a, uint32_t mask,
                        const emu_place place[EMU_LANES]) {
    EMU_FOR_LANES(l, mask) {
        if (place[l].space == EMU_SHARED_CTA && place[l].cta != warp->cta) {
            a->place = &place[l];
            a->entry.epoch = ((order_warp_state *)warp->order)->epoch[l];
            order_guest_comes(a->state, warp, l, a);
        }
    }
}

/* Whether a row of a whole warp is one that shadow_rows.c takes. */
static int is_shadow_row(const order_warp_state *w, const emu_place *first, uint32_t size_B) {
    const uintptr_t know = (uintptr_t)w->know[0];
    uintptr_t other = 0;
    uint32_t apart = 0;
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        other |= (uintptr_t)w->know[l] ^ know;
    }
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        apart |= w->epoch[l] ^ w->epoch[0];
    }
    return !other && !apart && !(first->at % 128) && (size_B == 4 || size_B == 8 || size_B == 16) &&
           (first->space == EMU_GLOBAL || first->space == EMU_SHARED_CTA);
}

/* Lanes in memory that threads share. */
static uint32_t reached(uint32_t mask, const emu_place place[EMU_LANES]) {
    uint32_t lanes = 0;
    EMU_FOR_LANES(l, mask) {
        lanes |= (uint32_t)(place[l].space == EMU_GLOBAL || place[l].space == EMU_SHARED_CTA) << l;
    }
    return lanes;
}

/* Lanes that reach what the first of `rest` reaches, and know the same. */
static uint32_t alike(const order_warp_state *w, uint32_t rest, const emu_place place[EMU_LANES]) {
    const uint32_t first = (uint32_t)__builtin_ctz(rest);
    uint32_t same = 0;
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        same |= (uint32_t)(place[l].at == place[first].at && place[l].space == place[first].space &&
                           place[l].cta == place[first].cta && w->know[l] == w->know[first] &&
                           w->epoch[l] == w->epoch[first])
                << l;
    }
    return same & rest;
}

/* Reads of tables, atomics that count: lanes of the same bytes are told at once. Those that are
 * left have bytes of their own, or are to be judged one by one. */
static uint32_t tell_alike(order_actor *a, const order_warp_state *w, uint32_t mask,
                           const emu_place place[EMU_LANES], uint32_t size_B) {
    uint32_t left = 0;
    for (uint32_t rest = mask, group; rest; rest &= ~group) {
        const uint32_t first = (uint32_t)__builtin_ctz(rest);
        group = alike(w, rest, place);
        if (!(group & (group - 1))) {
            return left | rest;
        }
        a->place = &place[first];
        a->know = w->know[first];
        a->own_cta = order_know_of_cta(a->know, a->entry.cta);
        a->entry.lanes = group;
        a->entry.epoch = w->epoch[first];
        left |= order_shadow_alike(a, place[first].at, size_B) ? 0 : group;
    }
    return left;
}

static void tell_lanes(order_actor *a, const order_warp_state *w, uint32_t mask, order_alike same,
                       const emu_place place[EMU_LANES], uint32_t size_B) {
    EMU_FOR_LANES(l, mask) {
        if (w->know[l] != a->know) {
            a->know = w->know[l];
            a->own_cta = order_know_of_cta(a->know, a->entry.cta);
        }
        a->place = &place[l];
        a->entry.lanes = 1u << l;
        a->entry.epoch = w->epoch[l];
        a->is_there = same.before >> l & 1;
        a->is_alike = same.lanes >> l & 1;
        order_shadow_thread(a, place[l].at, size_B);
    }
}

static uint8_t size_log2(uint32_t size_B) {
    return size_B && size_B <= 32 && !(size_B & (size_B - 1)) ? (uint8_t)__builtin_ctz(size_B)
                                                              : ORDER_NO_SIZE;
}

static order_actor actor_of(const emu_warp *warp, const emu_instruction *in, uint8_t flags,
                            uint32_t size_B) {
    order_state *s = order_of(warp->machine);
    order_warp_state *w = warp->order;
    order_actor a = {.state = s, .proxy = ORDER_GENERIC, .size_B = size_B, .know = w->know[0]};
    a.is_apart = (uint8_t)emu_flag(in, EMU_FLAG_NC);
    a.entry.cta = (uint32_t)warp->cta->index;
    a.entry.warp = (uint8_t)warp->index;
    a.entry.size_log2 = size_log2(size_B);
    a.entry.flags = flags;
    a.entry.in = in_of(s, in);
    a.entry.iteration = next_time(s, w, in);
    a.entry.epoch = w->epoch[0];
    a.own_cta = order_know_of_cta(a.know, a.entry.cta);
    return a;
}

static void access_lanes(emu_warp *warp, const emu_instruction *in, uint32_t mask, order_alike same,
                         uint8_t flags, const emu_place place[EMU_LANES], uint32_t size_B) {
    if (order_of(warp->machine)) {
        order_actor a = actor_of(warp, in, flags, size_B);
        const uint32_t told = reached(mask, place);
        tell_lanes(&a, warp->order,
                   order_is_crowds(&a.entry) ? tell_alike(&a, warp->order, told, place, size_B)
                                             : told,
                   same, place, size_B);
        if (warp->cta->cluster->ctas > 1) {
            guests_come(warp, &a, mask, place);
        }
    }
}

void order_access(emu_warp *w, const emu_instruction *in, uint32_t mask, order_kind kind,
                  int strong, const emu_place place[EMU_LANES], uint32_t size_B) {
    access_lanes(w, in, mask, (order_alike){0, 0}, flags_of(kind, strong), place, size_B);
}

void order_at_barrier(emu_warp *w, const emu_instruction *in, uint32_t mask,
                      const emu_place place[EMU_LANES], const uint64_t phase[EMU_LANES],
                      uint32_t size_B) {
    order_warp_state *state = w->order;
    if (order_of(w->machine)) {
        state->phase = phase;
        order_access(w, in, mask, ORDER_ATOMIC, 1, place, size_B);
        state->phase = NULL;
        state->at_barrier |= mask;
    }
}

void order_store(emu_warp *w, const emu_instruction *in, uint32_t mask, order_alike same,
                 int strong, const emu_place place[EMU_LANES], uint32_t size_B) {
    access_lanes(w, in, mask, same, flags_of(ORDER_WRITE, strong), place, size_B);
}

static void places_of_row(const emu_place *first, uint32_t size_B, emu_place place[EMU_LANES]) {
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        place[l] = emu_place_behind(first, (uint64_t)l * size_B);
    }
}

void order_row(emu_warp *w, const emu_instruction *in, int writes, uint32_t same,
               const emu_place *first, uint32_t size_B) {
    const uint8_t flags = writes ? ORDER_IS_WRITE : 0;
    emu_place place[EMU_LANES];
    if (!order_of(w->machine)) {
        return;
    }
    if (!is_shadow_row(w->order, first, size_B)) {
        places_of_row(first, size_B, place);
        access_lanes(w, in, UINT32_MAX, (order_alike){same, 0}, flags, place, size_B);
        return;
    }
    order_actor a = actor_of(w, in, flags, size_B);
    order_shadow_rows(&a, first, size_B, same);
    if (first->space == EMU_SHARED_CTA && first->cta != w->cta) {
        places_of_row(first, size_B, place);
        guests_come(w, &a, UINT32_MAX, place);
    }
}

static order_op *new_op(order_state *s) {
    if (s->ops == s->op_chunks * ORDER_OPS) {
        order_op **chunk = ptx_grow(&s->machine->memory, s->op, s->op_chunks, sizeof(order_op *));
        order_op *ops = ptx_memory_take(&s->machine->memory, ORDER_OPS, sizeof *ops);
        if (!chunk || !ops) {
            return 0;
        }
        s->op = chunk;
        s->op[s->op_chunks++] = ops;
    }
    s->ops++;
    return order_op_of(s, s->ops);
}

/* The component of the group that counts it: accesses of one thread's groups of a kind end in their
 * order. */
static uint32_t group_component(const emu_warp *warp, const emu_async *a) {
    order_warp_state *w = warp->order;
    order_cta_state *c = warp->cta->order;
    uint32_t *component =
        &w->group[a->kind == EMU_ASYNC_TENSOR ? EMU_ASYNC_BULK : a->kind][a->lane];
    if (!*component) {
        *component = c->components;
        c->components += 2; /* its reads, its writes */
    }
    return *component;
}

/* All lanes issue it together. */
static int is_warps(const emu_async *a) {
    return a->kind == EMU_ASYNC_TENSOR_LD || a->kind == EMU_ASYNC_TENSOR_ST;
}

void order_issue(emu_warp *w, emu_async *a) {
    emu_warp *const one[1] = {w};
    order_issue_together(one, 1, a);
}

/* Lanes of one instruction are in the same iteration. */
static uint32_t time_of(order_state *s, const emu_warp *w, const emu_async *a) {
    const order_op *before = s->ops > 1 ? order_op_of(s, s->ops - 1) : 0;
    const int is_same = before && a->first && before->first == a->first && before->in == a->in &&
                        before->cta == w->cta->index && before->thread / EMU_LANES == w->index;
    return is_same ? before->iteration : next_time(s, w->order, a->in);
}

void order_issue_together(emu_warp *const *warp, uint32_t warps, emu_async *a) {
    emu_warp *w = warp[0];
    order_state *s = order_of(w->machine);
    order_op *op = s ? new_op(s) : 0;
    if (!op) {
        return;
    }
    *op = (order_op){.in = a->in,
                     .cta = (uint32_t)w->cta->index,
                     .thread = w->index * EMU_LANES + a->lane,
                     .iteration = time_of(s, w, a),
                     .first = a->first,
                     .is_alike = a->is_alike,
                     .issued = ((order_warp_state *)w->order)->epoch[a->lane],
                     .kind = a->kind,
                     .moment = ++s->moment};
    const order_know *before = ((order_warp_state *)w->order)->know[a->lane];
    op->heard = before ? order_clock_at(before->clock[ORDER_HAPPENED], op->cta, op->thread) : 0;
    order_meeting_begins(warp, warps, op);
    emu_sync together = {0};
    for (uint32_t i = 0; i < warps; i++) {
        order_release(warp[i], warps == 1 && !is_warps(a) ? 1u << a->lane : warp[i]->live,
                      &together);
    }
    op->know = together.know;
    if (a->barrier_cta) {
        op->barrier_cta = (uint32_t)a->barrier_cta->index;
        const order_barrier *b = order_barrier_at(s, a->barrier_cta, a->barrier);
        op->barrier = b ? b->component : 0;
        op->phase = b ? b->phases - b->first + 1 : 0;
    } else {
        op->group = group_component(w, a);
    }
    a->order = (void *)(uintptr_t)s->ops;
    if (a->kind > EMU_ASYNC_WGMMA) {
        order_unproved(s->machine, a->in, "its completion is not among what is proved");
    }
}

/* Everything that a CTA's threads know and did. */
static order_know *known_by_all(order_state *s, const emu_cta *cta) {
    order_know *know = 0;
    for (uint32_t i = 0; i < cta->warps; i++) {
        const order_warp_state *w = cta->warp[i].order;
        for (uint32_t l = 0; w && l < EMU_LANES; l++) {
            if (!l || w->know[l] != w->know[l - 1]) {
                order_know_join(&s->clocks, &know, w->know[l]);
            }
        }
    }
    return know;
}

static int is_all_over(const order_state *s, const order_know *know, const emu_cta *cta,
                       uint32_t number, int *writes) {
    const order_op *op = order_op_of(s, number);
    order_actor a = {.state = (order_state *)s, .know = know};
    order_entry e = {.cta = (uint32_t)cta->index, .op = number, .flags = ORDER_IS_ASYNC};
    *writes = op->writes_shared;
    if (op->writes_shared) {
        e.flags |= ORDER_IS_WRITE;
    }
    return order_is_before(&a, &e);
}

/* Operations that touch a CTA's shared memory, but those that its threads know to be over. */
static void list_op(order_state *s, emu_cta *cta, uint32_t number) {
    order_cta_state *c = cta->order;
    if (c->listed == c->list_room) {
        order_know *know = known_by_all(s, cta);
        uint32_t kept = 0;
        int writes;
        for (uint32_t i = 0; i < c->listed; i++) {
            if (!is_all_over(s, know, cta, c->list[i], &writes)) {
                c->list[kept++] = c->list[i];
            }
        }
        c->listed = kept;
        order_know_drop(&s->clocks, know);
    }
    if (2 * c->listed >= c->list_room) {
        const uint32_t room = c->list_room ? 2 * c->list_room : 64;
        uint32_t *list = emu_take(s->machine, room * sizeof *list);
        if (!list) {
            return;
        }
        if (c->listed) {
            memcpy(list, c->list, c->listed * sizeof *list);
        }
        emu_give(s->machine, c->list);
        c->list = list;
        c->list_room = room;
    }
    c->list[c->listed++] = number;
}

/* A copy from shared memory to global memory. */
static int is_store(const order_op *op) {
    return (op->kind == EMU_ASYNC_BULK || op->kind == EMU_ASYNC_TENSOR) && op->group &&
           !op->writes_shared;
}

static void report_at_exit(order_state *s, const order_op *op, int writes) {
    const emu_who who = {.in = op->in,
                         .cta = op->cta,
                         .thread = op->thread,
                         .proxy = op->kind == EMU_ASYNC_CP ? "generic" : "async",
                         .what = writes ? "copy's write" : "copy's read",
                         .space = EMU_SHARED_CTA,
                         .iteration = op->iteration};
    emu_report(s->machine, TMA_EMULATE_RULE_EXIT_EARLY, !is_store(op), &who, 0,
               writes         ? "the CTA ends, and no thread of it waited for the copy "
                                "into its shared memory"
               : is_store(op) ? EMU_STORE_AT_EXIT
                              : "the CTA ends, and no thread of it waited until the copy "
                                "had read its shared memory",
               op->kind == EMU_ASYNC_TCGEN05
                   ? "tcgen05.commit, and a wait for its mbarrier before the CTA's threads exit"
               : writes ? "a wait for the copy's mbarrier phase before the CTA's threads exit"
                        : "cp.async.bulk.wait_group.read 0 in the thread that issued it");
}

void order_cta_exits(emu_cta *cta) {
    order_state *s = order_of(cta->machine);
    order_cta_state *c = cta->order;
    order_know *know = s && c ? known_by_all(s, cta) : 0;
    for (uint32_t i = 0; s && c && i < c->listed; i++) {
        int writes;
        if (!is_all_over(s, know, cta, c->list[i], &writes)) {
            report_at_exit(s, order_op_of(s, c->list[i]), writes);
        }
    }
    if (s && c) {
        order_guests_judge(s, cta, know);
        order_know_drop(&s->clocks, know);
    }
}

void order_async_access(emu_async *async, order_kind kind, order_proxy proxy,
                        const emu_place *place, uint64_t size_B) {
    order_state *s = order_of(async->warp->machine);
    const int is_tensor = place->space == EMU_TMEM;
    if (!size_B || (place->space != EMU_GLOBAL && place->space != EMU_SHARED_CTA && !is_tensor)) {
        return;
    }
    if (emu_is_watched(async->warp->machine, TMA_EMULATE_ACCESS) && proxy != ORDER_TENSORMAP &&
        !is_tensor) {
        emu_watch_range(async, kind == ORDER_READ || kind == ORDER_ATOMIC, kind != ORDER_READ,
                        place, size_B);
    }
    if (!s || !async->order) {
        return;
    }
    order_op *op = order_op_of(s, (uint32_t)(uintptr_t)async->order);
    order_actor a = {
        .state = s, .know = op->know, .proxy = proxy, .place = place, .size_B = size_B};
    a.entry.cta = place->space != EMU_GLOBAL ? (uint32_t)place->cta->index : op->cta;
    a.entry.flags = (uint8_t)(flags_of(kind, 0) | ORDER_IS_ASYNC);
    a.entry.op = (uint32_t)(uintptr_t)async->order;
    a.entry.in = in_of(s, async->in);
    a.entry.iteration = op->iteration;
    a.entry.bytes = 0xf;
    op->writes_shared |= place->space == EMU_SHARED_CTA && kind != ORDER_READ;
    order_shadow_async(&a, place->at, size_B);
    /* What tcgen05.commit tells comes after the MMAs that it tracks, which are listed. */
    const int is_commit = op->kind == EMU_ASYNC_TCGEN05 && kind == ORDER_ATOMIC;
    if (place->space == EMU_SHARED_CTA && !is_commit &&
        !(op->is_listed && place->cta == op->listed_in)) {
        list_op(s, place->cta, a.entry.op);
        op->is_listed = 1;
        op->listed_in = place->cta;
    }
}

void order_async_done(emu_async *a, emu_sync *sync, int reads_only) {
    order_state *s = order_of(a->warp->machine);
    if (!s || !a->order) {
        return;
    }
    order_op *op = order_op_of(s, (uint32_t)(uintptr_t)a->order);
    order_phase_told(a);
    if (!op->read_epoch) {
        op->read_epoch = ++s->serial;
    }
    if (!reads_only && !op->write_epoch) {
        op->write_epoch = ++s->serial;
    }
    const uint32_t epoch = reads_only ? op->read_epoch : op->write_epoch;
    if (op->kind == EMU_ASYNC_TCGEN05) { /* executed after all that its issuer knew of */
        order_know_join(&s->clocks, (order_know **)&sync->know, op->know);
        if (op->know && s->is_scoped) { /* no document says for which scopes */
            order_clock_join(&s->clocks, (order_clock **)&sync->near_clock,
                             order_know_strict(op->know));
        }
    }
    order_know *know = order_know_own(&s->clocks, sync->know);
    sync->know = know;
    if (!know) {
        return;
    }
    if (op->group) {
        order_clock_raise(&s->clocks, &know->clock[ORDER_HAPPENED], op->cta, op->group,
                          op->read_epoch);
    }
    if (op->group && !reads_only) {
        order_clock_raise(&s->clocks, &know->clock[ORDER_HAPPENED], op->cta, op->group + 1, epoch);
    }
    if (a->barrier_cta) {
        order_clock_raise(&s->clocks, &know->clock[ORDER_HAPPENED], op->barrier_cta, op->barrier,
                          epoch);
        for (uint32_t i = 0; op->know && i < 2; i++) {
            order_clock_join(&s->clocks, &know->clock[ORDER_CAME],
                             op->know->clock[i ? ORDER_CAME : ORDER_HAPPENED]);
        }
    }
}

void order_async_ends(emu_async *a) {
    order_state *s = order_of(a->warp->machine);
    if (s && a->order) {
        order_op *op = order_op_of(s, (uint32_t)(uintptr_t)a->order);
        order_know_drop(&s->clocks, op->know);
        op->know = 0;
        order_meeting_ends(s, op);
        if (!op->read_epoch) {
            op->read_epoch = ++s->serial;
        }
        if (!op->write_epoch) {
            op->write_epoch = ++s->serial;
        }
        a->order = 0;
    }
}
