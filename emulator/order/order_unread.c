/* SPDX-License-Identifier: Apache-2.0
 *
 * Commits of nothing (decode_groups.c) behind bytes of shared memory that are there for a copy or
 * an MMA: threads wrote them and fenced for the async proxy, or a copy that is over brought them.
 * Where nothing has read them when the CTA ends, what reads them is missing. A commit of nothing
 * alone is no mistake: its group is empty. Nor is it where the kernel has what could read them, and
 * no thread has executed it yet: another condition of the same kernel does. (CUTLASS keeps the map
 * of C ready, and copies it only where beta is not 0.)
 */
#include "order_state.h"
#include "run_report.h"

typedef struct order_empty {
    struct order_empty *next;
    const emu_instruction *in;
    order_know *know; /* at its last time, of its first lane */
    uint32_t thread, iteration;
} order_empty;

void order_commits_nothing(emu_warp *w, const emu_instruction *in, uint32_t mask, int is_issued) {
    order_state *s = order_of(w->machine);
    order_cta_state *c = w->cta->order;
    if (!s || !c) {
        return;
    }
    const uint32_t lane = (uint32_t)__builtin_ctz(mask);
    order_warp_state *warp = w->order;
    order_empty *e = c->empty;
    while (e && e->in != in) {
        e = e->next;
    }
    if (!e) {
        e = ORDER_TAKE(s, 1, order_empty);
        if (!e) {
            return;
        }
        *e = (order_empty){.next = c->empty, .in = in};
        c->empty = e;
    }
    order_know_drop(&s->clocks, e->know);
    e->know = order_know_keep(warp->know[lane]);
    e->thread = w->index * EMU_LANES + lane;
    e->iteration = warp->times[in - w->machine->program->code].count += !is_issued;
}

/* Whether an entry is a write for the async proxy that the commit knows of. */
static int is_for_copies(order_actor *a, const order_entry *e) {
    if (!(e->flags & ORDER_IS_WRITE) || e->flags & (ORDER_IS_ATOMIC | ORDER_IS_INIT)) {
        return 0;
    }
    return e->flags & ORDER_IS_ASYNC
               ? order_is_over(a, e)
               : order_clock_lanes(a->know->clock[ORDER_FENCED_SHARED], e->cta, e->warp * EMU_LANES,
                                   e->lanes, e->epoch);
}

/* The write that a cell has and nobody has read; null: there is none. */
static const order_entry *unread(order_actor *a, const order_page *page, uint32_t number) {
    const uint64_t bit = UINT64_C(1) << number;
    const order_cell *cell = page->used & bit ? &page->cell[number] : 0;
    const order_entry *found = 0;
    if (cell && cell->crowd) {
        return 0;
    }
    for (uint32_t i = 0; i < page->ranges + (cell ? cell->count : 0); i++) {
        const order_entry *e = i < page->ranges   ? &page->range[i].entry
                               : i > page->ranges ? &cell->more[i - page->ranges - 1]
                                                  : &cell->first;
        if (i < page->ranges && !(page->range[i].cells & bit)) {
            continue;
        }
        if (!is_for_copies(a, e)) {
            return 0;
        }
        found = e;
    }
    return found;
}

/* How many bytes a commit of nothing leaves; the first of them. */
static uint64_t count_unread(order_actor *a, const order_cta_state *c, const order_entry **first,
                             uint64_t *at) {
    uint64_t left_B = 0;
    for (uint32_t i = 0; i < c->pages; i++) {
        for (uint32_t cell = 0; c->page[i] && cell < ORDER_PAGE_CELLS; cell++) {
            const order_entry *e = unread(a, c->page[i], cell);
            if (e && !left_B) {
                *first = e;
                *at = (uint64_t)i * ORDER_PAGE_B + UINT64_C(4) * cell;
            }
            left_B += e ? (unsigned)__builtin_popcount(e->bytes) : 0;
        }
    }
    return left_B;
}

/* Whether an instruction may read shared memory that is ready for the async proxy; `loads`: or that
 * a copy has brought, which threads read, too. */
static int is_reader(const emu_instruction *in, int loads) {
    const uint32_t space = in->spaces ? in->space[in->spaces - 1] : EMU_GENERIC;
    const int from_shared =
        space == EMU_GENERIC || space == EMU_SHARED_CTA || space == EMU_SHARED_CLUSTER;
    switch (in->op) {
    case EMU_OP_CP_BULK:
    case EMU_OP_CP_REDUCE_BULK:
    case EMU_OP_CP_TENSOR:
    case EMU_OP_CP_REDUCE_TENSOR:
    case EMU_OP_TENSORMAP_CP_FENCEPROXY:
        return from_shared;
    case EMU_OP_WGMMA:
    case EMU_OP_TCGEN05_MMA:
    case EMU_OP_TCGEN05_CP:
        return 1;
    case EMU_OP_LD:
    case EMU_OP_LDMATRIX:
    case EMU_OP_WMMA_LOAD:
    case EMU_OP_ATOM:
    case EMU_OP_RED:
        return loads && from_shared;
    default:
        return 0;
    }
}

/* Whether the kernel, or a function that it may call, has a reader that nobody has executed. */
static int has_other_reader(const emu_machine *m, int loads) {
    const emu_program *p = m->program;
    for (uint32_t i = 0; i < m->kernel->called; i++) {
        const emu_function *f = &p->function[p->called[m->kernel->first_called + i].function];
        for (uint32_t at = f->first; at < f->end; at++) {
            if (!m->executed[at] && is_reader(&p->code[at], loads)) {
                return 1;
            }
        }
    }
    return 0;
}

static void judge(order_state *s, emu_cta *cta, const order_empty *empty) {
    order_actor a = {.state = s, .know = empty->know};
    const order_entry *first = 0;
    uint64_t at = 0;
    const uint64_t left_B = empty->know ? count_unread(&a, cta->order, &first, &at) : 0;
    const int is_async = left_B && first->flags & ORDER_IS_ASYNC;
    if (!left_B || has_other_reader(s->machine, is_async)) {
        return;
    }
    const order_op *op = is_async ? order_op_of(s, first->op) : 0;
    const emu_who later = {.in = empty->in,
                           .cta = cta->index,
                           .thread = empty->thread,
                           .proxy = "async",
                           .what = "commit",
                           .iteration = empty->iteration};
    const emu_who earlier = {
        .in = &s->machine->program->code[first->in],
        .cta = op ? op->cta : first->cta,
        .thread = op ? op->thread : first->warp * EMU_LANES + (uint32_t)__builtin_ctz(first->lanes),
        .proxy = op ? "async" : "generic",
        .what = op ? "copy's write" : "write",
        .space = EMU_SHARED_CTA,
        .address = (cta->rank << EMU_RANK_SHIFT) + at,
        .size_B = left_B,
        .iteration = first->iteration};
    emu_report(s->machine, TMA_EMULATE_RULE_COMMIT_MISSING, 0, &later, &earlier,
               "the commit has nothing in it, and bytes of shared memory that were made ready for "
               "the async proxy before it are read by nobody",
               "the copy or the MMA that reads them, before the commit");
}

void order_unread_judge(emu_cta *cta) {
    order_state *s = order_of(cta->machine);
    order_cta_state *c = cta->order;
    for (uint32_t i = 0; c->empty && i < c->pages; i++) {
        if (c->page[i]) {
            order_rows_spread(s, c->page[i], UINT64_MAX);
        }
    }
    while (c->empty) {
        order_empty *e = c->empty;
        judge(s, cta, e);
        c->empty = e->next;
        order_know_drop(&s->clocks, e->know);
        emu_give(s->machine, e);
    }
}
