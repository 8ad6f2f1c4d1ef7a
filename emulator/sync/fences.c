/* SPDX-License-Identifier: Apache-2.0
 *
 * fence, membar. What they order is order.h's.
 */
#include "order.h"
#include "places.h"
#include "sync.h"
#include "words.h"

static emu_step fence(emu_warp *w, const emu_instruction *in, uint32_t mask,
                      order_fence_kind kind) {
    order_fence(w, in, mask, kind, in->scope, NULL);
    return EMU_NEXT;
}

#define FENCES(of)                                                                                 \
    of(acq_rel, ACQ_REL) of(sc, SC) of(proxy_async, PROXY_ASYNC)                                   \
        of(proxy_async_shared, PROXY_ASYNC_SHARED) of(proxy_async_global, PROXY_ASYNC_GLOBAL)      \
            of(barrier_init, BARRIER_INIT) of(map_release, MAP_RELEASE) of(alias, ALIAS)

#define FENCE(name, id)                                                                            \
    static emu_step name(emu_warp *w, const emu_instruction *in, uint32_t mask) {                  \
        return fence(w, in, mask, ORDER_FENCE_##id);                                               \
    }
FENCES(FENCE)

#define MAP_B 128

/* [address], 128: the map of each lane. A fence touches no memory: where none is there is no map to
 * acquire (CUTLASS' grouped products without C fence null, and an H200 goes on). */
static emu_step map_acquire(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_place place[EMU_LANES];
    uint32_t nowhere = 0;
    EMU_FOR_LANES(lane, mask) {
        const uint64_t address =
            emu_address(w, &in->operand[0], in->spaces ? in->space[0] : EMU_GENERIC, lane);
        if (!emu_find_place(w, lane, address, &place[lane])) {
            nowhere |= UINT32_C(1) << lane;
        } else if (emu_place_of(w, in, lane, address, MAP_B, MAP_B, 0, &place[lane])) {
            return EMU_STOPPED;
        }
    }
    if (nowhere) {
        order_fence(w, in, nowhere, ORDER_FENCE_MAP_ACQUIRE, in->scope, NULL);
    }
    if (mask & ~nowhere) {
        order_fence(w, in, mask & ~nowhere, ORDER_FENCE_MAP_ACQUIRE, in->scope, place);
    }
    return EMU_NEXT;
}

/* fence.proxy.*: one of them. */
static emu_run proxy(const emu_instruction *in) {
    if (emu_flag(in, EMU_FLAG_ALIAS)) {
        return alias;
    }
    if (emu_flag(in, EMU_FLAG_TENSORMAP_GENERIC)) {
        return in->order == EMU_RELEASE   ? map_release
               : in->order == EMU_ACQUIRE ? map_acquire
                                          : NULL;
    }
    if (emu_flag(in, EMU_FLAG_ASYNC_GENERIC)) { /* .sync_restrict: what lies in shared memory */
        return proxy_async_shared;
    }
    if (!emu_flag(in, EMU_FLAG_ASYNC)) {
        return NULL;
    }
    if (!in->spaces) {
        return proxy_async;
    }
    return in->space[0] == EMU_GLOBAL ? proxy_async_global : proxy_async_shared;
}

emu_run emu_choose_fence(const emu_instruction *in) {
    switch (in->op) {
    case EMU_OP_FENCE_PROXY:
    case EMU_OP_MEMBAR_PROXY:
        return proxy(in);
    case EMU_OP_FENCE_BARRIER_INIT:
        return barrier_init;
    case EMU_OP_MEMBAR: /* from sm_70 on fence.sc */
        return sc;
    default: /* without a word .acq_rel; .acquire and .release are its halves */
        return in->order == EMU_SC ? sc : acq_rel;
    }
}
