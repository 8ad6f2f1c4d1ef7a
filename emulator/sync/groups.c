/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups of cp.async, of bulk copies and of wgmma.
 */
#include "async.h"
#include "heap.h"
#include "order.h"
#include "run_report.h"
#include "tma/detail/assert.h"

typedef struct group {
    struct group *next;
    uint32_t works;            /* that were added */
    uint32_t unread, underway; /* of them */
    emu_sync all, reads;       /* what those did that are complete; whose sources are read */
} group;

/* Of one lane and kind: the open group, committed ones from the oldest on, and what those did that
 * are complete and no longer in the list. */
typedef struct line {
    group *open, *first, **end;
    uint32_t committed;
    uint8_t ever; /* something was committed */
    emu_sync all, reads;
} line;

enum { CP, BULK, WGMMA, LINES };

typedef struct groups {
    line of[LINES][EMU_LANES];
    emu_sync copied[EMU_LANES]; /* cp.async's, whatever their group */
} groups;

static uint32_t line_of(uint32_t kind) {
    return kind == EMU_ASYNC_CP ? CP : kind == EMU_ASYNC_WGMMA ? WGMMA : BULK;
}

static groups *groups_of(emu_warp *w) {
    if (!w->groups) {
        w->groups = emu_take(w->machine, sizeof(groups));
    }
    return w->groups;
}

static group *open_group(emu_warp *w, line *l) {
    if (!l->open) {
        l->open = emu_take(w->machine, sizeof(group));
    }
    return l->open;
}

int emu_group_add(emu_async *a) {
    groups *all = groups_of(a->warp);
    group *g = all ? open_group(a->warp, &all->of[line_of(a->kind)][a->lane]) : NULL;
    if (!g) {
        return -1;
    }
    g->works++;
    g->unread++;
    g->underway++;
    a->group = g;
    return 0;
}

void emu_group_read(emu_async *a) {
    group *g = a->group;
    TMA_ASSERT(g->unread);
    g->unread--;
    order_async_done(a, &g->reads, 1);
}

void emu_group_complete(emu_async *a) {
    group *g = a->group;
    TMA_ASSERT(g->underway);
    g->underway--;
    order_async_done(a, &g->all, 0);
    if (a->kind == EMU_ASYNC_CP) {
        order_async_done(a, &((groups *)a->warp->groups)->copied[a->lane], 0);
    }
}

const emu_sync *emu_group_copied(const emu_warp *w, uint32_t lane) {
    const groups *all = w->groups;
    return all ? &all->copied[lane] : NULL;
}

static void give_group(emu_machine *m, group *g) {
    order_sync_clear(m, &g->all);
    order_sync_clear(m, &g->reads);
    emu_give(m, g);
}

/* The oldest group is complete: what it did stays known, the group goes. */
static void retire(emu_machine *m, line *l) {
    group *g = l->first;
    TMA_ASSERT(g && !g->underway && l->committed);
    if (g->works) {
        order_sync_join(m, &l->all, &g->all);
        order_sync_join(m, &l->reads, &g->reads);
    }
    l->first = g->next;
    l->committed--;
    if (!l->first) {
        l->end = &l->first;
    }
    give_group(m, g);
}

static int commit(emu_warp *w, line *l) {
    group *g = open_group(w, l);
    if (!g) {
        return -1;
    }
    if (!l->first) {
        l->end = &l->first;
    }
    *l->end = g;
    l->end = &g->next;
    l->open = NULL;
    l->committed++;
    l->ever = 1;
    while (l->committed > 1 && !l->first->works) { /* empty ones say nothing */
        retire(w->machine, l);
    }
    return 0;
}

emu_step emu_group_commit(emu_warp *w, const emu_instruction *in, uint32_t mask,
                          emu_async_kind kind) {
    groups *all = groups_of(w);
    if (in->commits_nothing) { /* Triton's kernels have such commits: by itself no finding */
        emu_note(w->machine, in,
                 "the group has nothing in it: no path to this commit has a copy or an MMA of its "
                 "kind after the commit before; one is missing, or the commit is one too many");
        order_commits_nothing(w, in, mask, 0);
    }
    EMU_FOR_LANES(lane, kind == EMU_ASYNC_WGMMA ? mask & (0u - mask) : mask) {
        const uint32_t at = kind == EMU_ASYNC_WGMMA ? 0 : lane;
        if (!all || commit(w, &all->of[line_of(kind)][at])) {
            return EMU_STOPPED;
        }
    }
    return EMU_NEXT;
}

emu_step emu_group_close(emu_warp *w, uint32_t mask, emu_async_kind kind) {
    groups *all = w->groups;
    EMU_FOR_LANES(lane, all ? mask : 0) {
        line *l = &all->of[line_of(kind)][lane];
        if (l->open && l->open->works && commit(w, l)) {
            return EMU_STOPPED;
        }
    }
    return EMU_NEXT;
}

static int is_over(const line *l, uint32_t pending, int reads_only) {
    uint32_t older = l->committed > pending ? l->committed - pending : 0;
    for (const group *g = l->first; older; g = g->next, older--) {
        if (reads_only ? g->unread : g->underway) {
            return 0;
        }
    }
    return 1;
}

static void acquire(emu_warp *w, uint32_t lanes, line *l, uint32_t pending, int reads_only) {
    uint32_t older = l->committed > pending ? l->committed - pending : 0;
    for (const group *g = l->first; older; g = g->next, older--) {
        if (g->works) {
            order_acquire(w, lanes, reads_only ? &g->reads : &g->all);
        }
    }
    order_acquire(w, lanes, reads_only ? &l->reads : &l->all);
    while (l->committed > pending && !l->first->underway) {
        retire(w->machine, l);
    }
    if (!reads_only) { /* known for good */
        order_sync_clear(w->machine, &l->all);
        order_sync_clear(w->machine, &l->reads);
    }
}

/* A wait where nothing was ever committed, and something could have been. */
static void check_commit(emu_warp *w, const emu_instruction *in, uint32_t lane, const line *l) {
    if (l->ever || !l->open || !l->open->works) {
        return;
    }
    const emu_who who = {.in = in,
                         .cta = w->cta->index,
                         .thread = w->index * EMU_LANES + lane,
                         .proxy = "generic",
                         .what = "wait"};
    emu_report(w->machine, TMA_EMULATE_RULE_COMMIT_MISSING, 1, &who, NULL,
               "the wait covers nothing: the thread has work under way and committed none of it",
               "a commit_group between the work and the wait");
}

emu_step emu_group_wait(emu_warp *w, const emu_instruction *in, uint32_t mask, emu_async_kind kind,
                        uint32_t pending, int reads_only) {
    groups *all = w->groups;
    if (!all) {
        return EMU_NEXT;
    }
    line *const lines = all->of[line_of(kind)];
    const uint32_t holders = kind == EMU_ASYNC_WGMMA ? 1 : mask;
    EMU_FOR_LANES(lane, holders) {
        if (!is_over(&lines[lane], pending, reads_only)) {
            w->now->wait = EMU_WAITS_GROUP;
            w->now->number = pending;
            return EMU_BLOCKED;
        }
    }
    EMU_FOR_LANES(lane, holders) {
        line *l = &lines[lane];
        const uint32_t who = kind == EMU_ASYNC_WGMMA ? mask : UINT32_C(1) << lane;
        check_commit(w, in, lane, l);
        acquire(w, who, l, pending, reads_only);
    }
    return EMU_NEXT;
}

void emu_groups_end(emu_warp *w) {
    groups *all = w->groups;
    emu_machine *m = w->machine;
    for (uint32_t i = 0; all && i < LINES * EMU_LANES; i++) {
        line *l = &all->of[i / EMU_LANES][i % EMU_LANES];
        while (l->first) {
            retire(m, l);
        }
        if (l->open) {
            give_group(m, l->open);
        }
        order_sync_clear(m, &l->all);
        order_sync_clear(m, &l->reads);
    }
    for (uint32_t lane = 0; all && lane < EMU_LANES; lane++) {
        order_sync_clear(m, &all->copied[lane]);
    }
    emu_give(m, all);
    w->groups = NULL;
}
