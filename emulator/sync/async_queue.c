/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue of what is under way, in the order of issue.
 */
#include "async.h"

#include <string.h>

#include "heap.h"
#include "order.h"
#include "run_report.h"
#include "run_watch.h"
#include "threads.h"
#include "tma/detail/assert.h"

void *emu_async_new(emu_warp *w, uint32_t lane, const emu_instruction *in, emu_async_kind kind,
                    size_t size_B) {
    TMA_ASSERT(size_B >= sizeof(emu_async));
    emu_async *a = emu_take(w->machine, size_B);
    if (a) {
        a->kind = (uint8_t)kind;
        a->warp = w;
        a->lane = lane;
        a->in = in;
        a->first = in == w->issuer ? w->issues : 0;
        a->is_alike = a->first && w->issues_alike >> lane & 1;
    }
    return a;
}

/* To the end of the queue. -1: no memory, and the run is stopped. */
static int link_piece(emu_machine *m, emu_async *a) {
    if (m->all_drawn == m->drawn_room) {
        const uint32_t room = m->drawn_room ? 2 * m->drawn_room : 16;
        emu_async **more = emu_take(m, room * sizeof(emu_async *));
        if (!more) {
            return -1;
        }
        if (m->drawn) {
            memcpy(more, m->drawn, m->all_drawn * sizeof(emu_async *));
            emu_give(m, m->drawn);
        }
        m->drawn = more;
        m->drawn_room = room;
    }
    a->at = m->all_drawn++;
    m->drawn[a->at] = a;
    a->before = m->async_last;
    *(a->before ? &a->before->next : &m->async) = a;
    m->async_last = a;
    return 0;
}

static void unlink_piece(emu_machine *m, emu_async *a) {
    emu_async *moved = m->drawn[--m->all_drawn];
    m->drawn[a->at] = moved;
    moved->at = a->at;
    *(a->before ? &a->before->next : &m->async) = a->next;
    *(a->next ? &a->next->before : &m->async_last) = a->before;
}

/* The next stage of a piece that may have it; it is gone with the last. -1: the run is over. */
static int stage(emu_machine *m, emu_async *a) {
    int (*const step)(emu_machine *, emu_async *) = a->stage ? a->complete : a->read;
    if (step && step(m, a)) {
        return -1;
    }
    emu_progress_near(m, a->warp->cta->cluster);
    a->stage++;
    if (emu_is_watched(m, TMA_EMULATE_COPY)) {
        emu_watch_copy(a, a->stage);
    }
    if (a->stage == 1) {
        if (a->group) {
            emu_group_read(a);
        }
        return 0;
    }
    if (a->group) {
        emu_group_complete(a);
    }
    unlink_piece(m, a);
    order_async_ends(a);
    emu_give(m, a);
    return 0;
}

static int may_go_on(const emu_machine *m, const emu_async *a) {
    return !a->stage || !a->may_complete || a->may_complete(m, a);
}

static emu_async *oldest(const emu_machine *m) {
    emu_async *a = m->async;
    while (a && !may_go_on(m, a)) {
        a = a->next;
    }
    return a;
}

static emu_async *any(emu_machine *m) {
    const uint32_t count = m->all_drawn;
    const uint32_t first = count ? (uint32_t)(emu_random(&m->seed) % count) : 0;
    for (uint32_t i = 0; i < count; i++) {
        emu_async *a = m->drawn[first + i < count ? first + i : first + i - count];
        if (may_go_on(m, a)) {
            return a;
        }
    }
    return NULL;
}

int emu_async_advance(emu_machine *m) {
    emu_async *a = m->schedule == TMA_EMULATE_SEEDED ? any(m) : oldest(m);
    if (!a) {
        return 0;
    }
    (void)stage(m, a); /* a run that is over says so itself */
    return 1;
}

int emu_async_finish(emu_machine *m, emu_async *a) {
    while (a->stage < 1 || !may_go_on(m, a)) {
        emu_async *now = a->stage < 1 ? a : oldest(m);
        if (!now || stage(m, now)) {
            return -1;
        }
    }
    return stage(m, a);
}

int emu_async_issue(emu_async *a) {
    emu_machine *m = a->warp->machine;
    if (a->kind != EMU_ASYNC_WGMMA) {
        order_issue(a->warp, a);
    }
    a->number = m->issued++;
    if (a->touches && (m->ordered || emu_is_watched(m, TMA_EMULATE_ACCESS))) {
        a->touches(a);
    }
    if (emu_is_watched(m, TMA_EMULATE_COPY)) {
        emu_watch_copy(a, 0);
    }
    if (link_piece(m, a)) {
        order_async_ends(a);
        emu_give(m, a);
        return -1;
    }
    return m->schedule == TMA_EMULATE_EARLY ? emu_async_finish(m, a) : 0;
}

void emu_async_end(emu_machine *m) {
    while (m->async) {
        emu_async *a = m->async;
        m->async = a->next;
        order_async_ends(a);
        emu_give(m, a);
    }
    m->async_last = NULL;
    emu_give(m, m->drawn);
    m->drawn = NULL;
    m->all_drawn = m->drawn_room = 0;
}

/* ---- a CTA ends ---- */

static int touches_shared(const emu_async *a, const emu_cta *cta) {
    return (a->from == cta && !a->stage) || a->to == cta || a->barrier_cta == cta;
}

static void report_exit(emu_machine *m, const emu_async *a, const emu_cta *cta) {
    const int reads = a->to != cta && a->barrier_cta != cta;
    const int is_bulk = a->kind == EMU_ASYNC_BULK || a->kind == EMU_ASYNC_TENSOR;
    const int is_store = is_bulk && !a->to && !a->barrier_cta;
    const int is_tcgen05 = a->kind == EMU_ASYNC_TCGEN05;
    const emu_who who = {.in = a->in,
                         .cta = a->warp->cta->index,
                         .thread = a->warp->index * EMU_LANES + a->lane,
                         .proxy = a->kind == EMU_ASYNC_CP ? "generic" : "async",
                         .what = is_tcgen05 ? "tcgen05 operation"
                                 : reads    ? "copy's read"
                                            : "copy's write",
                         .space = EMU_SHARED_CTA};
    if (is_tcgen05) {
        emu_report(m, TMA_EMULATE_RULE_EXIT_EARLY, 1, &who, NULL,
                   "the last thread of the CTA exits while a tcgen05 operation may still read its "
                   "shared memory, write its tensor memory or tell its mbarrier",
                   "tcgen05.commit, and a wait for its mbarrier before the CTA's threads exit");
        return;
    }
    emu_report(m, TMA_EMULATE_RULE_EXIT_EARLY, !is_store, &who, NULL,
               is_store ? EMU_STORE_AT_EXIT
               : reads
                   ? "the last thread of the CTA exits while the copy may still read its shared "
                     "memory"
                   : "the last thread of the CTA exits while the copy may still write its shared "
                     "memory or tell its mbarrier",
               reads ? "a wait_group.read 0 in the thread that issued it, before it exits"
                     : "a wait for the copy before the CTA's threads exit");
}

int emu_sync_cta_ends(emu_cta *cta) {
    emu_machine *m = cta->machine;
    for (emu_async *a = m->async; a; a = a->next) {
        if (touches_shared(a, cta)) {
            report_exit(m, a, cta);
        }
    }
    for (emu_async *a = m->async; a;) {
        emu_async *next = a->next;
        if (touches_shared(a, cta) || a->warp->cta == cta) {
            if (emu_async_finish(m, a)) {
                return -1;
            }
            next = m->async; /* others may be gone, too */
        }
        a = next;
    }
    for (uint32_t i = 0; i < cta->warps; i++) {
        emu_groups_end(&cta->warp[i]);
    }
    emu_barriers_end(cta);
    emu_mbarriers_end(cta);
    return 0;
}
