/* SPDX-License-Identifier: Apache-2.0 */
#include "run_watch.h"

#include "places.h"
#include "run_report.h"

static tma_emulate_event event_of(const emu_warp *w, const emu_instruction *in,
                                  tma_emulate_event_kind kind, uint32_t mask) {
    return (tma_emulate_event){.kind = (uint32_t)kind,
                               .line = emu_line(w->machine, in),
                               .cta = w->cta->index,
                               .warp = w->index,
                               .mask = mask,
                               .space = ""};
}

static uint64_t address_of(const emu_place *place) {
    return place->space == EMU_SHARED_CTA ? emu_shared_address(place->cta, place->at) : place->at;
}

static void tell(const emu_machine *m, const tma_emulate_event *event) {
    m->launch->watch(m->launch->watch_context, event);
}

void emu_watch_instruction(const emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const tma_emulate_event event = event_of(w, in, TMA_EMULATE_INSTRUCTION, mask);
    tell(w->machine, &event);
}

void emu_watch_access(const emu_warp *w, const emu_instruction *in, uint32_t mask,
                      const emu_place place[EMU_LANES], uint32_t size_B, int reads, int writes) {
    EMU_FOR_LANES(lane, mask) {
        tma_emulate_event event = event_of(w, in, TMA_EMULATE_ACCESS, UINT32_C(1) << lane);
        event.address = address_of(&place[lane]);
        event.size_B = size_B;
        event.space = emu_space_name(place[lane].space);
        event.reads = reads != 0;
        event.writes = writes != 0;
        tell(w->machine, &event);
    }
}

void emu_watch_range(const emu_async *a, int reads, int writes, const emu_place *place,
                     uint64_t size_B) {
    tma_emulate_event event = event_of(a->warp, a->in, TMA_EMULATE_ACCESS, UINT32_C(1) << a->lane);
    event.address = address_of(place);
    event.size_B = size_B;
    event.space = emu_space_name(place->space);
    event.reads = reads != 0;
    event.writes = writes != 0;
    event.copy = a->number + 1;
    tell(a->warp->machine, &event);
}

void emu_watch_copy(const emu_async *a, uint32_t stage) {
    tma_emulate_event event = event_of(a->warp, a->in, TMA_EMULATE_COPY, UINT32_C(1) << a->lane);
    event.stage = stage;
    event.copy = a->number + 1;
    if (a->barrier_cta) {
        event.address = emu_shared_address(a->barrier_cta, a->barrier);
        event.size_B = a->tx_B;
    }
    tell(a->warp->machine, &event);
}

void emu_watch_barrier(const emu_warp *w, const emu_instruction *in, uint32_t lane,
                       uint32_t address, uint64_t phase) {
    tma_emulate_event event = event_of(w, in, TMA_EMULATE_BARRIER, UINT32_C(1) << lane);
    event.address = address;
    event.phase = phase;
    tell(w->machine, &event);
}
