/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that wait, put into groups: of one CTA, at one instruction, for one thing.
 */
#include "deadlock_groups.h"

#include "async.h"
#include "deadlock.h"
#include "heap.h"

emu_waiting emu_wait_of(emu_warp *w, const emu_fragment *f) {
    const emu_instruction *code = w->machine->program->code;
    emu_waiting g = {.in = &code[f->pc],
                     .cta = w->cta,
                     .wait = f->wait,
                     .threads = (uint32_t)__builtin_popcount(f->mask),
                     .first = w->index * EMU_LANES + (uint32_t)__builtin_ctz(f->mask),
                     .cause = EMU_NO_CAUSE};
    if (f->wait == EMU_WAITS_BARRIER) {
        g.number = f->number;
    } else if (f->wait == EMU_RUNS || f->wait == EMU_SLEEPS || f->wait == EMU_WAITS_MBARRIER) {
        g.in = &code[f->asks];
        g.wait = EMU_RUNS;
        if (emu_asks_mbarrier(g.in)) {
            g.wait = EMU_WAITS_MBARRIER;
            g.number = f->asked;
        }
    }
    return g;
}

int emu_waits_alike(const emu_waiting *a, const emu_waiting *b) {
    return a->cta == b->cta && a->in == b->in && a->wait == b->wait && a->number == b->number;
}

static uint32_t count_fragments(const emu_machine *m) {
    uint32_t fragments = 0;
    for (uint64_t i = 0; i < m->residents; i++) {
        for (uint32_t warp = 0; warp < m->resident[i]->warps; warp++) {
            for (const emu_fragment *f = m->resident[i]->warp[warp].fragments; f; f = f->next) {
                fragments++;
            }
        }
    }
    return fragments;
}

/* Puts a fragment's threads into the group of its CTA (those from `first` on) that waits alike, or
 * makes one. */
static void add(emu_waiting *group, uint32_t first, uint32_t *groups, const emu_waiting *one) {
    for (uint32_t i = first; i < *groups; i++) {
        if (emu_waits_alike(&group[i], one)) {
            group[i].threads += one->threads;
            return;
        }
    }
    group[(*groups)++] = *one;
}

emu_waiting *emu_waiting_groups(emu_machine *m, uint32_t *groups) {
    emu_waiting *group = emu_take(m, (count_fragments(m) + (size_t)1) * sizeof(*group));
    *groups = 0;
    for (uint64_t i = 0; group && i < m->residents; i++) {
        emu_cta *cta = m->resident[i];
        const uint32_t first = *groups;
        for (uint32_t warp = 0; warp < cta->warps; warp++) {
            for (const emu_fragment *f = cta->warp[warp].fragments; f; f = f->next) {
                const emu_waiting one = emu_wait_of(&cta->warp[warp], f);
                add(group, first, groups, &one);
            }
        }
    }
    return group;
}

emu_mbarrier *emu_waited_for(const emu_waiting *g) {
    const uint32_t address = (uint32_t)g->number, rank = address >> EMU_RANK_SHIFT;
    const emu_cluster *cluster = g->cta->cluster;
    return g->wait == EMU_WAITS_MBARRIER && rank < cluster->ctas
               ? emu_mbarrier_at(cluster->cta[rank], address & EMU_OFFSET_BITS)
               : NULL;
}

int emu_is_begun(const emu_waiting *g) {
    const emu_mbarrier *b = emu_waited_for(g);
    return b && (b->state.arrivals_missing != b->state.count || b->state.bytes_missing_B);
}
