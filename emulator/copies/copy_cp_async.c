/* SPDX-License-Identifier: Apache-2.0
 *
 * cp.async: 4, 8 or 16 bytes of a lane from global to shared memory; its groups, and its arrival at
 * an mbarrier.
 */
#include <string.h>

#include "async_copies.h"
#include "heap.h"
#include "order.h"
#include "run_report.h"
#include "sync.h"
#include "words.h"

typedef struct piece {
    emu_async is; /* to: the CTA */
    emu_place source, target;
    uint8_t size_B;
    uint8_t take_B; /* of the source; what follows is zeros */
} piece;

static int complete(emu_machine *m, emu_async *a) {
    const piece *p = (const piece *)a;
    memset(p->target.host, 0, p->size_B);
    if (p->take_B) {
        memcpy(p->target.host, p->source.host, p->take_B);
    }
    emu_now_written(m, &p->target, p->size_B);
    return 0;
}

static void touches(emu_async *a) {
    const piece *p = (const piece *)a;
    if (p->take_B) {
        order_async_access(a, ORDER_READ, ORDER_GENERIC, &p->source, p->take_B);
    }
    order_async_access(a, ORDER_WRITE, ORDER_GENERIC, &p->target, p->size_B);
}

/* [dst], [src], size {, source size or predicate that ignores it} {, policy}. */
static uint32_t taken(const emu_warp *w, const emu_instruction *in, uint32_t lane,
                      uint32_t size_B) {
    if (in->operands < 4u + (uint32_t)emu_flag(in, EMU_FLAG_CACHE_HINT)) {
        return size_B;
    }
    const emu_operand *o = &in->operand[3];
    if (o->type == EMU_PRED) {
        return emu_predicate(w, o) >> lane & 1 ? 0 : size_B;
    }
    return (uint32_t)emu_lane_value(w, o, lane);
}

static int copy_of_lane(emu_warp *w, const emu_instruction *in, uint32_t lane) {
    const uint32_t size_B = (uint32_t)emu_lane_value(w, &in->operand[2], lane);
    const uint32_t take_B = taken(w, in, lane, size_B);
    if (size_B != 4 && size_B != 8 && size_B != 16) {
        emu_stop(w->machine, TMA_EMULATE_TRAP, w, in, "cp.async copies 4, 8 or 16 bytes");
        return -1;
    }
    if (take_B > size_B) {
        emu_stop(w->machine, TMA_EMULATE_TRAP, w, in, "the source size is more than the size");
        return -1;
    }
    piece *p = emu_async_new(w, lane, in, EMU_ASYNC_CP, sizeof(*p));
    if (!p) {
        return -1;
    }
    const uint64_t to = emu_address(w, &in->operand[0], EMU_SHARED_CTA, lane);
    const uint64_t from = emu_address(w, &in->operand[1], EMU_GLOBAL, lane);
    p->size_B = (uint8_t)size_B;
    p->take_B = (uint8_t)take_B;
    if (emu_place_of(w, in, lane, to, size_B, size_B, 1, &p->target) ||
        (take_B && emu_place_of(w, in, lane, from, take_B, 0, 0, &p->source))) {
        emu_give(w->machine, p);
        return -1;
    }
    if (from % size_B) { /* as the target, whatever is taken of it */
        emu_place place;
        emu_place_of(w, in, lane, from, size_B, size_B, 0, &place);
        emu_give(w->machine, p);
        return -1;
    }
    p->is.to = p->target.cta;
    p->is.complete = complete;
    p->is.touches = touches;
    if (emu_group_add(&p->is)) {
        emu_give(w->machine, p);
        return -1;
    }
    return emu_async_issue(&p->is);
}

static emu_step copy(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_issues(w, in, mask);
    EMU_FOR_LANES(lane, mask) {
        if (copy_of_lane(w, in, lane)) {
            return EMU_STOPPED;
        }
    }
    return EMU_NEXT;
}

static emu_step commit_group(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    return emu_group_commit(w, in, mask, EMU_ASYNC_CP);
}

static emu_step wait_group(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const uint32_t pending =
        (uint32_t)emu_lane_value(w, &in->operand[0], (uint32_t)__builtin_ctz(mask));
    return emu_group_wait(w, in, mask, EMU_ASYNC_CP, pending, 0);
}

/* All that was issued, committed or not. */
static emu_step wait_all(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_step step = emu_group_close(w, mask, EMU_ASYNC_CP);
    if (step != EMU_NEXT) {
        return step;
    }
    return emu_group_wait(w, in, mask, EMU_ASYNC_CP, 0, 0);
}

/* ---- cp.async.mbarrier.arrive ---- */

static int is_last(const emu_machine *m, const emu_async *a) {
    for (const emu_async *other = m->async; other && other != a; other = other->next) {
        if (other->kind == EMU_ASYNC_CP && other->warp == a->warp && other->lane == a->lane &&
            !other->barrier_cta) {
            return 0;
        }
    }
    return 1;
}

static int arrives(emu_machine *m, emu_async *a) {
    emu_mbarrier *b = emu_mbarrier_at(a->barrier_cta, a->barrier);
    const emu_sync *copied = emu_group_copied(a->warp, a->lane);
    if (!b) {
        return emu_mbarrier_complete(a); /* it says so */
    }
    if (copied) {
        order_sync_join(m, &b->open, copied);
    }
    if (!a->tx_B) { /* .noinc */
        order_async_done(a, &b->open, 0);
        return emu_mbarrier_apply(a->warp, a->lane, a->in, b, TMA_BARRIER_ARRIVE, 1, 0);
    }
    return emu_mbarrier_complete(a);
}

/* The arrival expects one byte now and completes it when the lane's copies are complete; with
 * .noinc it is an arrival then (barrier.h). */
static emu_step mbarrier_arrive(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const int noinc = emu_flag(in, EMU_FLAG_NOINC);
    EMU_FOR_LANES(lane, mask) {
        emu_place place;
        emu_mbarrier *b = emu_mbarrier_of(w, in, lane, &in->operand[0],
                                          in->spaces ? in->space[0] : EMU_GENERIC, &place);
        emu_async *a = b ? emu_async_new(w, lane, in, EMU_ASYNC_CP, sizeof(*a)) : NULL;
        if (!a) {
            return EMU_STOPPED;
        }
        a->barrier_cta = place.cta;
        a->barrier = (uint32_t)place.at;
        a->tx_B = !noinc;
        a->complete = arrives;
        a->may_complete = is_last;
        a->touches = emu_touches_barrier;
        if (!noinc && emu_mbarrier_apply(w, lane, in, b, TMA_BARRIER_EXPECT, 0, 1)) {
            emu_give(w->machine, a);
            return EMU_STOPPED;
        }
        if (emu_async_issue(a)) {
            return EMU_STOPPED;
        }
    }
    return EMU_NEXT;
}

emu_run emu_choose_cp_async(const emu_instruction *in) {
    switch (in->op) {
    case EMU_OP_CP_ASYNC_COMMIT:
        return commit_group;
    case EMU_OP_CP_ASYNC_WAIT:
        return wait_group;
    case EMU_OP_CP_ASYNC_WAIT_ALL:
        return wait_all;
    case EMU_OP_CP_ASYNC_MBARRIER:
        return mbarrier_arrive;
    default:
        return in->spaces == 2 && in->space[0] == EMU_SHARED_CTA && in->space[1] == EMU_GLOBAL
                   ? copy
                   : NULL;
    }
}
