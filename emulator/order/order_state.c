/* SPDX-License-Identifier: Apache-2.0
 *
 * What is kept of a run, a CTA and a warp: made and given back.
 */
#include "order_state.h"

int order_begin(emu_machine *m) {
    if (!m->ordered) {
        return 0;
    }
    order_state *s = ptx_memory_take(&m->memory, 1, sizeof *s);
    if (!s) {
        return -1;
    }
    s->machine = m;
    s->clocks.machine = m;
    s->is_scoped = (uint8_t)order_scopes_matter(m->program);
    m->order = s;
    return 0;
}

int order_cta_begins(emu_cta *cta) {
    order_state *s = order_of(cta->machine);
    if (!s) {
        return 0;
    }
    order_cta_state *c = ORDER_TAKE(s, 1, order_cta_state);
    if (!c) {
        return -1;
    }
    c->components = cta->warps * EMU_LANES;
    c->tells = cta->cluster->ctas > 1;
    c->pages = (cta->shared_B + ORDER_PAGE_B - 1) / ORDER_PAGE_B;
    c->page = ORDER_TAKE(s, c->pages ? c->pages : 1, order_page *);
    cta->order = c;
    for (uint32_t i = 0; i < cta->warps; i++) {
        order_warp_state *w = ORDER_TAKE(s, 1, order_warp_state);
        if (!w || !c->page) {
            return -1;
        }
        w->times = ORDER_TAKE(s, s->machine->program->instructions, order_times);
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            w->epoch[l] = 1;
        }
        cta->warp[i].order = w;
        if (!w->times) {
            return -1;
        }
    }
    return 0;
}

static void warp_ends(order_state *s, order_warp_state *w) {
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        order_know_drop(&s->clocks, w->know[l]);
        order_pending_drop(s, &w->read_pending[l]);
        order_pending_drop(s, &w->atom_pending[l]);
    }
    order_waits_end(s, w);
    emu_give(s->machine, w->times);
    emu_give(s->machine, w);
}

void order_cta_ends(emu_cta *cta) {
    order_state *s = order_of(cta->machine);
    order_cta_state *c = cta->order;
    if (!s || !c) {
        return;
    }
    order_unread_judge(cta);
    for (uint32_t i = 0; i < c->pages; i++) {
        order_pages_end(s, c->page[i]);
    }
    for (uint32_t i = 0; i < ORDER_TENSOR_PAGES; i++) {
        order_pages_end(s, c->tensor[i]);
    }
    emu_give(s->machine, c->page);
    emu_give(s->machine, c->list);
    for (uint32_t i = 0; i < c->barriers; i++) {
        order_clock_set(&s->clocks, &c->barrier[i].to_cover, 0);
    }
    emu_give(s->machine, c->barrier);
    if (!c->tells && !s->silent) {
        s->silent = ptx_memory_take(&s->machine->memory, emu_size(s->machine->ctas / 8 + 1), 1);
    }
    if (!c->tells && s->silent) {
        s->silent[cta->index / 8] |= (uint8_t)(1u << cta->index % 8);
    }
    for (uint32_t i = 0; i < cta->warps; i++) {
        if (cta->warp[i].order) {
            warp_ends(s, cta->warp[i].order);
            cta->warp[i].order = 0;
        }
    }
    emu_give(s->machine, c);
    cta->order = 0;
}

void order_end(emu_machine *m) {
    m->order = 0; /* all of it is m->memory's */
}
