/* SPDX-License-Identifier: Apache-2.0
 *
 * What scopes that are written order. A fence releases what came before it to the threads that its
 * scope holds, whatever narrower or earlier fences did; what a flag tells is kept by who may hear
 * it, and what a thread has read from flags until fences that hold all have acquired it. What was
 * acquired is known as all else is: a narrow release of it is enough for a neighbour.
 */
#include "order_state.h"
#include "tma/ptx.h"

order_holds order_scope_of(const emu_instruction *in) {
    return in->scope == TMA_PTX_SCOPE_CTA       ? ORDER_HOLDS_CTA
           : in->scope == TMA_PTX_SCOPE_CLUSTER ? ORDER_HOLDS_CLUSTER
                                                : ORDER_HOLDS_ALL;
}

int order_scopes_matter(const emu_program *program) {
    for (uint32_t i = 0; i < program->instructions; i++) {
        switch (program->code[i].op) {
        case EMU_OP_FENCE:
        case EMU_OP_FENCE_PROXY:
        case EMU_OP_MEMBAR:
        case EMU_OP_LD:
        case EMU_OP_ST:
        case EMU_OP_ATOM:
        case EMU_OP_RED:
            if (order_scope_of(&program->code[i]) < ORDER_HOLDS_ALL) {
                return 1;
            }
            break;
        default:
            break;
        }
    }
    return 0;
}

void order_scope_fenced(order_state *s, order_know *know, const emu_instruction *in,
                        const emu_warp *warp, uint32_t lanes) {
    const order_warp_state *w = warp->order;
    for (uint32_t i = ORDER_HOLDS_CTA; i <= (uint32_t)order_scope_of(in); i++) {
        order_clock **released = &know->clock[ORDER_RELEASED_CTA + i];
        order_clock_join(&s->clocks, released, order_know_strict(know));
        order_clock_raise_lanes(&s->clocks, released, (uint32_t)warp->cta->index,
                                warp->index * EMU_LANES, lanes, w->epoch);
    }
}

/* What a flag tells near threads; null: nothing, or no memory. The list is no longer than the
 * clocks that are joined with it, which cost a hundred times as much for each CTA. */
static order_clock **near_of(order_state *s, order_flag_row *row, uint32_t first,
                             uint32_t is_cluster) {
    for (order_near *n = row->near; n; n = n->next) {
        if (n->first == first && n->is_cluster == is_cluster) {
            return &n->strict;
        }
    }
    order_near *n = emu_take(s->machine, sizeof *n);
    if (!n) {
        return 0;
    }
    *n = (order_near){.next = row->near, .first = first, .is_cluster = is_cluster};
    row->near = n;
    return &n->strict;
}

void order_scope_tell(order_state *s, const emu_cta *cta, order_flag_row *row,
                      const order_know *told, int releases) {
    order_clock *by[ORDER_SCOPES];
    for (uint32_t i = 0; i < ORDER_SCOPES; i++) {
        by[i] = releases ? order_know_strict(told) : told->clock[ORDER_RELEASED_CTA + i];
    }
    for (uint32_t is_cluster = 0; s->is_scoped && is_cluster < 2; is_cluster++) {
        order_clock **near =
            near_of(s, row, is_cluster ? cta->cluster->first : (uint32_t)cta->index, is_cluster);
        if (near) {
            order_clock_join(&s->clocks, near, by[is_cluster]);
        }
    }
    if (s->is_scoped) {
        order_clock_join(&s->clocks, &row->strict, by[ORDER_HOLDS_ALL]);
    }
}

void order_scope_hear(order_state *s, const emu_cta *cta, const order_flag_row *row,
                      order_clock *by[ORDER_SCOPES]) {
    for (const order_near *n = row->near; n; n = n->next) {
        if (n->first == (n->is_cluster ? cta->cluster->first : cta->index)) {
            for (uint32_t i = n->is_cluster; i < ORDER_SCOPES; i++) {
                order_clock_join(&s->clocks, &by[i], n->strict);
            }
        }
    }
    order_clock_join(&s->clocks, &by[ORDER_HOLDS_ALL], row->strict);
}

void order_scope_forget(order_state *s, order_flag_row *row) {
    while (row->near) {
        order_near *n = row->near;
        row->near = n->next;
        order_clock_set(&s->clocks, &n->strict, 0);
        emu_give(s->machine, n);
    }
    order_clock_set(&s->clocks, &row->strict, 0);
}

void order_scope_drop(order_state *s, order_clock *by[ORDER_SCOPES]) {
    for (uint32_t i = 0; i < ORDER_SCOPES; i++) {
        order_clock_set(&s->clocks, &by[i], 0);
    }
}

void order_pending_drop(order_state *s, order_pending *pending) {
    order_know_drop(&s->clocks, pending->know);
    pending->know = 0;
    order_scope_drop(s, pending->by);
}
