/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of boxes: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and their prefetch. What they
 * mean is the core's: the map's 128 bytes are read when the copy is issued, a plan is made of them
 * and kept for the next copy with the same instruction and bytes.
 */
#include "copy_tensor.h"

#include <string.h>

#include "heap.h"
#include "order.h"
#include "run_report.h"
#include "sync.h"
#include "tma/detail/assert.h"
#include "tma/map.h"
#include "words.h"

#define MAP_ALIGN_B 64

/* ---- plans that were made ---- */

#define PLANS 64u

typedef struct kept_plan {
    const emu_instruction *in; /* null: empty */
    uint8_t map[TMA_MAP_BYTES];
    tma_plan plan;
} kept_plan;

/* Whether another instruction has copied with the same map: its notes are there. */
static int is_kept_elsewhere(const emu_machine *m, const kept_plan *one) {
    const kept_plan *kept = m->plans;
    uint32_t i = 0;
    while (i < PLANS &&
           (!kept[i].in || &kept[i] == one || memcmp(kept[i].map, one->map, TMA_MAP_BYTES) != 0)) {
        i++;
    }
    return i < PLANS;
}

static const tma_plan *plan_of(emu_machine *m, const emu_instruction *in, const uint8_t *map,
                               tma_finding *why) {
    if (!m->plans) {
        m->plans = ptx_memory_take(&m->memory, PLANS, sizeof(kept_plan));
    }
    if (!m->plans) {
        emu_stop(m, TMA_EMULATE_LIMIT, NULL, in, "there is no more memory for the run");
        return NULL;
    }
    const uint32_t hash = (uint32_t)(in - m->program->code) * 7u + map[0] + map[1] + map[8];
    kept_plan *kept = (kept_plan *)m->plans + hash % PLANS;
    if (kept->in != in || memcmp(kept->map, map, TMA_MAP_BYTES)) {
        tma_instruction instruction = m->program->statement[in->statement].in;
        instruction.cta_mask = 0; /* one CTA of a multicast after the other */
        kept->in = NULL;
        if (tma_plan_make(&kept->plan, map, &instruction, &m->target, why) != TMA_OK) {
            return NULL;
        }
        kept->in = in;
        memcpy(kept->map, map, TMA_MAP_BYTES);
        if (!is_kept_elsewhere(m, kept)) {
            emu_note_map(m, in, &kept->plan);
        }
    }
    return &kept->plan;
}

/* ---- operands ---- */

/* Where a form has them: loads [dst], [map, coords], [mbar] {, offsets} {, mask}; stores
 * [map, coords], [src]; prefetches [map, coords] {, offsets}. */
typedef struct places {
    const emu_operand *shared, *map, *barrier, *offsets, *mask;
} places;

static places places_of(const emu_instruction *in, const tma_ptx_statement *s) {
    const emu_operand *next = in->operand;
    places p = {0};
    if (s->kind == TMA_PTX_COPY && s->in.op == TMA_OP_LOAD) {
        p.shared = next++;
    }
    p.map = next++;
    if (s->kind != TMA_PTX_PREFETCH && s->in.op == TMA_OP_LOAD) {
        p.barrier = next++;
    } else if (s->kind != TMA_PTX_PREFETCH) {
        p.shared = next++;
    }
    p.offsets = s->offsets ? next++ : NULL;
    p.mask = s->qualifiers & TMA_PTX_MULTICAST ? next++ : NULL;
    TMA_ASSERT(next <= in->operand + in->operands);
    return p;
}

static void take_position(const emu_warp *w, const places *p, uint32_t lane, tma_position *at) {
    const emu_operand *all = w->machine->program->operand;
    for (uint32_t i = 0; i < p->map->count && i < TMA_MAX_RANK; i++) {
        at->coord[i] = (int32_t)(uint32_t)emu_lane_value(w, &all[p->map->first + i], lane);
    }
    const int are_many = p->offsets && p->offsets->kind == EMU_VECTOR; /* {%h1} is no vector */
    const emu_operand *offset = are_many ? &all[p->offsets->first] : p->offsets;
    const uint32_t offsets = are_many ? p->offsets->count : p->offsets != NULL;
    for (uint32_t i = 0; i < offsets && i < TMA_MAX_SPATIAL; i++) {
        at->offset[i] = (uint16_t)emu_lane_value(w, &offset[i], lane);
    }
}

/* The map that a lane names, read now; a null plan: the run is stopped. */
static const tma_plan *read_map(emu_warp *w, const emu_instruction *in, uint32_t lane,
                                const emu_operand *o, emu_place *place) {
    tma_finding why;
    const uint64_t address = emu_address(w, o, EMU_GENERIC, lane);
    if (!tma_check_map_address(&why, address, NULL)) {
        emu_trap(w->machine, w, lane, in, &why);
        return NULL;
    }
    if (emu_place_of(w, in, lane, address, TMA_MAP_BYTES, MAP_ALIGN_B, 0, place)) {
        return NULL;
    }
    if (place->space == EMU_LOCAL || place->space == EMU_SHARED_CTA) {
        const emu_who who = {.in = in,
                             .cta = w->cta->index,
                             .thread = w->index * EMU_LANES + lane,
                             .proxy = "tensormap",
                             .what = "copy's read of its map",
                             .space = place->space,
                             .address = place->at,
                             .size_B = TMA_MAP_BYTES};
        emu_report(w->machine, TMA_EMULATE_RULE_MAP_LOCAL, 1, &who, NULL,
                   "a tensor map lies in .param, .const or .global memory",
                   "const __grid_constant__ CUtensorMap for the kernel's parameter: without it the "
                   "compiler copies the parameter to the thread's own memory");
    }
    const tma_plan *plan = plan_of(w->machine, in, place->host, &why);
    if (!plan && !w->machine->stopped) {
        emu_trap(w->machine, w, lane, in, &why);
    }
    return plan;
}

/* ---- stages ---- */

static void now_written(emu_tensor *t, const emu_place *place, uint64_t size_B) {
    emu_now_written(t->is.warp->machine, place, size_B);
}

static int fails(emu_async *a, const tma_finding *why) {
    emu_copy_trap(a->warp->machine, a->warp, a->lane, a->in, why);
    return -1;
}

static int complete_load(emu_machine *m, emu_async *a) {
    emu_tensor *t = (emu_tensor *)a;
    tma_finding why;
    const tma_global global = emu_global_of(m);
    const tma_window window = emu_shared_window(a->to);
    if (tma_copy(&t->plan, &t->at, &global, &window, &why) != TMA_OK) {
        return fails(a, &why);
    }
    emu_tensor_shared(t, 1, now_written);
    return emu_mbarrier_complete(a);
}

static void check_source(emu_tensor *t, const emu_place *place, uint64_t size_B) {
    emu_check_source(&t->is, place, size_B);
}

static int read_source(emu_machine *m, emu_async *a) {
    emu_tensor *t = (emu_tensor *)a;
    if (m->tracks) {
        emu_tensor_shared(t, 0, check_source);
    }
    memcpy(t->staged, a->from->shared + (t->at.shared_address & EMU_OFFSET_BITS),
           (size_t)t->staged_B);
    return 0;
}

static int complete_store(emu_machine *m, emu_async *a) {
    emu_tensor *t = (emu_tensor *)a;
    tma_finding why;
    const tma_global global = emu_global_of(m);
    const tma_window window = {
        .address = t->at.shared_address, .size_B = (uint32_t)t->staged_B, .host = t->staged};
    if (tma_copy(&t->plan, &t->at, &global, &window, &why) != TMA_OK) {
        return fails(a, &why);
    }
    emu_tensor_global(t, now_written);
    return 0;
}

/* ---- accesses ---- */

static void access_shared(emu_tensor *t, const emu_place *place, uint64_t size_B) {
    order_async_access(&t->is, t->is.from ? ORDER_READ : ORDER_WRITE, ORDER_ASYNC, place, size_B);
}

static void access_global(emu_tensor *t, const emu_place *place, uint64_t size_B) {
    const uint32_t op = tma_plan_info(&t->plan)->op;
    const order_kind kind = op == TMA_OP_LOAD    ? ORDER_READ
                            : op == TMA_OP_STORE ? ORDER_WRITE
                                                 : ORDER_ATOMIC;
    order_async_access(&t->is, kind, ORDER_ASYNC, place, size_B);
}

static void touches(emu_async *a) {
    emu_tensor *t = (emu_tensor *)a;
    if (t->map.space == EMU_GLOBAL) {
        order_async_access(a, ORDER_READ, ORDER_TENSORMAP, &t->map, TMA_MAP_BYTES);
    }
    emu_tensor_shared(t, 1, access_shared);
    emu_tensor_global(t, access_global);
    emu_touches_barrier(a);
}

/* ---- issue ---- */

#define LINE_B 128 /* swizzles move bytes within it */

/* Of a store: bytes of shared memory that it may read. */
static uint64_t staged_B_of(const tma_plan *plan, const emu_cta *from, uint32_t shared_address) {
    const tma_plan_facts *p = tma_plan_info(plan);
    const uint64_t rows_B = (uint64_t)(p->rows - 1) * p->pitch_B + p->row_shared_B;
    const uint64_t lines_B = (rows_B + LINE_B - 1) / LINE_B * LINE_B;
    const uint64_t left_B = from->shared_B - (shared_address & EMU_OFFSET_BITS);
    return lines_B < left_B ? lines_B : left_B;
}

/* Whose mbarrier a copy of a multicast tells: the destination's, or with .cta_group::2 that CTA's
 * of its pair whose rank has the parity of the CTA in which the operand's lies. */
static emu_cta *told_of(emu_warp *w, const emu_instruction *in, uint32_t lane, const places *p,
                        emu_cta *cta) {
    const uint64_t shared =
        emu_address(w, p->barrier, EMU_SHARED_CLUSTER, lane) - EMU_SHARED_WINDOW;
    const uint32_t rank = (cta->rank & ~1u) | ((uint32_t)(shared >> EMU_RANK_SHIFT) & 1);
    return emu_flag(in, EMU_FLAG_GROUP_2) && rank < cta->cluster->ctas ? cta->cluster->cta[rank]
                                                                       : cta;
}

/* `cta`: whose shared memory; mbarriers: of a multicast as told_of() says, else the operand's. */
static int issue(emu_warp *w, const emu_instruction *in, uint32_t lane, const tma_plan *plan,
                 const tma_position *at, emu_cta *cta, const emu_place *map, const places *p) {
    const uint32_t op = tma_plan_info(plan)->op;
    const int loads = op == TMA_OP_LOAD;
    tma_finding why;
    tma_report_result report;
    const tma_global global = emu_global_of(w->machine);
    const tma_window window = emu_shared_window(cta);
    if (tma_copy_judge(plan, at, &global, &window, &why) != TMA_OK ||
        tma_plan_report(&report, plan, at, &why) != TMA_OK) {
        emu_copy_trap(w->machine, w, lane, in, &why);
        return -1;
    }
    const uint64_t staged_B = loads ? 0 : staged_B_of(plan, cta, at->shared_address);
    emu_tensor *t = emu_async_new(w, lane, in, EMU_ASYNC_TENSOR, sizeof(*t) + (size_t)staged_B);
    if (!t) {
        return -1;
    }
    t->plan = *plan;
    t->at = *at;
    t->map = *map;
    t->staged_B = staged_B;
    *(loads ? &t->is.to : &t->is.from) = cta;
    t->is.read = loads ? NULL : read_source;
    t->is.complete = loads ? complete_load : complete_store;
    t->is.touches = touches;
    if (loads ? emu_tells(&t->is, p->barrier, p->mask ? told_of(w, in, lane, p, cta) : NULL,
                          (uint32_t)report.tx_B)
              : emu_group_add(&t->is)) {
        emu_give(w->machine, t);
        return -1;
    }
    return emu_async_issue(&t->is);
}

static int copy_of_lane(emu_warp *w, const emu_instruction *in, uint32_t lane, const places *p) {
    tma_position at = {0};
    emu_place map;
    const tma_plan *plan = read_map(w, in, lane, p->map, &map);
    if (!plan) {
        return -1;
    }
    const int loads = tma_plan_info(plan)->op == TMA_OP_LOAD;
    take_position(w, p, lane, &at);
    emu_cta *cta = emu_shared_operand(w, in, lane, p->shared, loads ? in->space[0] : EMU_SHARED_CTA,
                                      &at.shared_address);
    if (!cta) {
        return -1;
    }
    if (!p->mask) {
        return issue(w, in, lane, plan, &at, cta, &map, p);
    }
    const uint32_t mask = (uint32_t)emu_lane_value(w, p->mask, lane);
    if (emu_check_multicast(w, in, lane, mask)) {
        return -1;
    }
    const uint32_t offset = at.shared_address & EMU_OFFSET_BITS;
    EMU_FOR_LANES(rank, mask) {
        emu_cta *to = w->cta->cluster->cta[rank];
        at.shared_address = emu_shared_address(to, offset);
        if (issue(w, in, lane, plan, &at, to, &map, p)) {
            return -1;
        }
    }
    return 0;
}

static emu_step copy(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_issues(w, in, mask);
    const places p = places_of(in, &w->machine->program->statement[in->statement]);
    EMU_FOR_LANES(lane, mask) {
        if (copy_of_lane(w, in, lane, &p)) {
            return EMU_STOPPED;
        }
    }
    return EMU_NEXT;
}

static emu_step prefetch(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const places p = places_of(in, &w->machine->program->statement[in->statement]);
    EMU_FOR_LANES(lane, mask) {
        tma_position at = {0};
        tma_finding why;
        emu_place map;
        const tma_plan *plan = read_map(w, in, lane, p.map, &map);
        if (!plan) {
            return EMU_STOPPED;
        }
        take_position(w, &p, lane, &at);
        if (tma_plan_at(plan, &at, &why) != TMA_OK) {
            return emu_trap(w->machine, w, lane, in, &why);
        }
    }
    return EMU_NEXT;
}

emu_run emu_choose_tensor(const emu_instruction *in) {
    return in->statement == EMU_NONE ? NULL : in->op == EMU_OP_CP_TENSOR_PREFETCH ? prefetch : copy;
}
