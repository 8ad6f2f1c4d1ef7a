/* SPDX-License-Identifier: Apache-2.0
 *
 * CTAs on their machine: whole clusters begin while there is room, and end when all their threads
 * have exited.
 */
#include "async.h"
#include "heap.h"
#include "matrix_wgmma.h"
#include "order.h"
#include "places.h"
#include "run_report.h"
#include "schedule.h"
#include "tensor_memory.h"
#include "threads.h"
#include "tma/detail/assert.h"

#define HELD_ROUNDS 4096u

static uint32_t cluster_ctas(const emu_machine *m) {
    return m->cluster[0] * m->cluster[1] * m->cluster[2];
}

/* Whether a kernel's functions, those that it may call too, cancel clusters. */
static int may_cancel(const emu_program *p, const emu_function *kernel) {
    for (uint32_t i = 0; i < kernel->called; i++) {
        const emu_function *f = &p->function[p->called[kernel->first_called + i].function];
        for (uint32_t k = f->first; k < f->end; k++) {
            if (p->code[k].op == EMU_OP_TRY_CANCEL) {
                return 1;
            }
        }
    }
    return 0;
}

/* Whole clusters, one at least. */
static uint64_t room_of(const emu_machine *m) {
    const uint32_t threads = m->block[0] * m->block[1] * m->block[2];
    const uint32_t ctas = cluster_ctas(m);
    const uint64_t room = m->launch->resident
                              ? m->launch->resident
                              : emu_chip_holds(emu_chip_of(m->target.sm), threads,
                                               m->static_shared_B + m->dynamic_shared_B);
    return (room < ctas ? ctas : room) / ctas * ctas;
}

int emu_residents_judge(const emu_machine *m, tma_error *error) {
    const uint64_t room = room_of(m);
    return !m->launch->cooperative || m->ctas <= room
               ? 0
               : tma_fail(error,
                          "grid: %llu CTAs; a cooperative launch has as many as run at once, %llu "
                          "at most",
                          (unsigned long long)m->ctas, (unsigned long long)room);
}

int emu_residents_begin(emu_machine *m) {
    const uint64_t room = room_of(m);
    m->room = room < m->ctas ? room : m->ctas;
    m->cancels = (uint8_t)may_cancel(m->program, m->kernel);
    m->resident = ptx_memory_take(&m->memory, emu_size(m->room), sizeof(emu_cta *));
    m->cta = ptx_memory_take(&m->memory, emu_size(m->ctas), sizeof(emu_cta *));
    return m->resident && m->cta ? emu_residents_add(m) : -1;
}

static int begin_warps(emu_cta *cta) {
    emu_machine *m = cta->machine;
    cta->warp = emu_take(m, cta->warps * sizeof(*cta->warp));
    if (!cta->warp) {
        return -1;
    }
    for (uint32_t i = 0; i < cta->warps; i++) {
        emu_warp *w = &cta->warp[i];
        const uint32_t lanes = cta->threads - i * EMU_LANES;
        w->machine = m;
        w->cta = cta;
        w->index = i;
        w->exists = lanes < EMU_LANES ? (1u << lanes) - 1 : UINT32_MAX;
        if (emu_warp_begins(w)) {
            return -1;
        }
    }
    return order_cta_begins(cta);
}

/* The number in the grid of a cluster's CTA. */
static emu_cta *begin_cta(emu_machine *m, emu_cluster *cluster, uint32_t rank,
                          const uint32_t at[3]) {
    emu_cta *cta = emu_take(m, sizeof(*cta));
    if (!cta) {
        return NULL;
    }
    const uint32_t *c = m->cluster;
    const uint32_t in[3] = {rank % c[0], rank / c[0] % c[1], rank / c[0] / c[1]};
    for (int i = 0; i < 3; i++) {
        cta->ctaid[i] = at[i] * c[i] + in[i];
    }
    cta->machine = m;
    cta->cluster = cluster;
    cta->index =
        ((uint64_t)cta->ctaid[2] * m->grid[1] + cta->ctaid[1]) * m->grid[0] + cta->ctaid[0];
    cta->rank = rank;
    cta->threads = m->block[0] * m->block[1] * m->block[2];
    cta->warps = (cta->threads + EMU_LANES - 1) / EMU_LANES;
    cta->running = cta->threads;
    cluster->cta[rank] = cta;
    m->cta[cta->index] = cta;
    m->resident[m->residents++] = cta;
    return emu_memory_cta(cta) || begin_warps(cta) ? NULL : cta;
}

/* Where the next cluster stands in the grid of clusters, x first. */
static void next_cluster(const emu_machine *m, uint32_t at[3]) {
    const uint64_t number = m->begun / cluster_ctas(m);
    const uint32_t across[2] = {m->grid[0] / m->cluster[0], m->grid[1] / m->cluster[1]};
    at[0] = (uint32_t)(number % across[0]);
    at[1] = (uint32_t)(number / across[0] % across[1]);
    at[2] = (uint32_t)(number / across[0] / across[1]);
}

static int begin_cluster(emu_machine *m) {
    const uint32_t ctas = cluster_ctas(m);
    emu_cluster *cluster = emu_take(m, sizeof(*cluster) + ctas * sizeof(emu_cta *));
    if (!cluster) {
        return -1;
    }
    cluster->cta = (emu_cta **)(void *)(cluster + 1);
    cluster->ctas = ctas;
    uint32_t at[3];
    next_cluster(m, at);
    m->begun += ctas;
    for (uint32_t rank = 0; rank < ctas; rank++) {
        if (!begin_cta(m, cluster, rank, at)) {
            return -1;
        }
    }
    cluster->first = (uint32_t)cluster->cta[0]->index;
    return 0;
}

static int may_begin(const emu_machine *m) {
    return m->begun < m->ctas && m->residents + cluster_ctas(m) <= m->room;
}

/* Whether a cluster that could begin does not yet, so that others may cancel it: in the late
 * schedule all but the first, until no thread can move or so many rounds are over (some threads
 * wait by atomics, which look like progress); in seeded ones every second. */
static int is_held(emu_machine *m) {
    if (!m->cancels || !m->residents || m->schedule == TMA_EMULATE_EARLY) {
        return 0;
    }
    if (m->schedule == TMA_EMULATE_SEEDED) {
        return emu_random(&m->seed) >> 63 != 0;
    }
    return ++m->held % HELD_ROUNDS != 0;
}

static int begin_next(emu_machine *m) {
    if (begin_cluster(m)) {
        emu_stop(m, TMA_EMULATE_LIMIT, NULL, NULL, "no memory is left for a CTA");
        return -1;
    }
    return 0;
}

int emu_residents_add(emu_machine *m) {
    while (may_begin(m) && !is_held(m)) {
        if (begin_next(m)) {
            return -1;
        }
    }
    return 0;
}

int emu_residents_add_held(emu_machine *m) {
    return may_begin(m) && !begin_next(m);
}

/* Where machine->cancelled has the CTA of an id; null: nowhere. */
static uint8_t *cancelled_at(emu_machine *m, const uint32_t ctaid[3]) {
    const uint64_t index = ((uint64_t)ctaid[2] * m->grid[1] + ctaid[1]) * m->grid[0] + ctaid[0];
    return m->cancelled && index < m->ctas ? &m->cancelled[index] : NULL;
}

int emu_residents_cancel(emu_machine *m, const emu_instruction *in, uint32_t ctaid[3]) {
    if (m->begun == m->ctas) {
        return 0;
    }
    next_cluster(m, ctaid);
    for (int i = 0; i < 3; i++) {
        ctaid[i] *= m->cluster[i];
    }
    m->begun += cluster_ctas(m);
    m->cancelled = m->cancelled ? m->cancelled : ptx_memory_take(&m->memory, m->ctas, 1);
    uint8_t *at = cancelled_at(m, ctaid);
    if (at) {
        *at = EMU_CANCELLED;
        m->cancelled_in = in;
    }
    return 1;
}

void emu_residents_asked(emu_machine *m, const uint32_t ctaid[3]) {
    uint8_t *at = cancelled_at(m, ctaid);
    if (at && *at == EMU_CANCELLED) {
        *at = EMU_ASKED_FOR;
    }
}

static int cluster_runs(const emu_cluster *cluster) {
    for (uint32_t rank = 0; rank < cluster->ctas; rank++) {
        if (cluster->cta[rank]->running) {
            return 1;
        }
    }
    return 0;
}

/* The last thread of a CTA has exited: its memory is gone, the CTA stays for its cluster. */
static int end_cta(emu_machine *m, emu_cta *cta) {
    cta->has_ended = 1;
    m->done++;
    order_cta_exits(cta);
    emu_registers_end(cta);
    if (emu_sync_cta_ends(cta)) {
        return -1;
    }
    order_cta_ends(cta);
    for (uint32_t i = 0; i < cta->warps; i++) {
        emu_wgmma_ends(&cta->warp[i]);
    }
    emu_tensor_cta_ends(cta);
    emu_memory_cta_ends(cta);
    return 0;
}

static void end_cluster(emu_machine *m, emu_cluster *cluster) {
    emu_sync_cluster_ends(m, cluster);
    for (uint32_t rank = 0; rank < cluster->ctas; rank++) {
        emu_cta *cta = cluster->cta[rank];
        m->cta[cta->index] = NULL;
        emu_give(m, cta->warp);
        emu_give(m, cta);
    }
    emu_give(m, cluster);
}

int emu_residents_remove(emu_machine *m) {
    if (!m->exits) {
        return emu_residents_add(m);
    }
    m->exits = 0;
    for (uint64_t i = 0; i < m->residents; i++) {
        emu_cta *cta = m->resident[i];
        if (!cta->running && !cta->has_ended && end_cta(m, cta)) {
            return -1;
        }
    }
    uint64_t kept = 0;
    for (uint64_t i = 0; i < m->residents;) { /* a cluster's CTAs stand together */
        emu_cluster *cluster = m->resident[i]->cluster;
        const uint32_t ctas = cluster->ctas;
        if (cluster_runs(cluster)) {
            for (uint32_t rank = 0; rank < ctas; rank++) {
                m->resident[kept++] = m->resident[i + rank];
            }
        } else {
            end_cluster(m, cluster);
        }
        i += ctas;
    }
    m->residents = kept;
    return emu_residents_add(m);
}
