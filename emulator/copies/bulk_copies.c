/* SPDX-License-Identifier: Apache-2.0
 *
 * Bulk copies without a map: cp.async.bulk, cp.reduce.async.bulk and their prefetch; their groups.
 * What moves, and what kills the kernel, is tma_copy_bulk()'s.
 */
#include <string.h>

#include "async_copies.h"
#include "heap.h"
#include "order.h"
#include "run_report.h"
#include "sync.h"
#include "tma/element.h"
#include "words.h"

typedef struct piece {
    emu_async is; /* from, to: the CTAs of its shared memories */
    tma_bulk bulk;
    uint8_t staged[]; /* of stores: the source, once it is read */
} piece;

static int trap(emu_async *a, const tma_finding *why) {
    emu_copy_trap(a->warp->machine, a->warp, a->lane, a->in, why);
    return -1;
}

static int read_source(emu_machine *m, emu_async *a) {
    piece *p = (piece *)a;
    const emu_place place = emu_place_in(a->from, p->bulk.shared_address & EMU_OFFSET_BITS);
    (void)m;
    if (!a->to) {
        emu_check_source(a, &place, p->bulk.size_B);
    }
    memcpy(p->staged, place.host, p->bulk.size_B);
    return 0;
}

static int complete(emu_machine *m, emu_async *a) {
    piece *p = (piece *)a;
    tma_finding why;
    const tma_global global = emu_global_of(m);
    tma_window window = {0};
    tma_window to = {0};
    if (a->from) {
        window = (tma_window){
            .address = p->bulk.shared_address, .size_B = p->bulk.size_B, .host = p->staged};
        to = a->to ? emu_shared_window(a->to) : to;
    } else {
        window = emu_shared_window(a->to);
    }
    if (tma_copy_bulk(&p->bulk, &global, &window, &to, &why) != TMA_OK) {
        return trap(a, &why);
    }
    emu_place place;
    if (a->to) {
        const uint64_t address = a->from ? p->bulk.address : p->bulk.shared_address;
        place = emu_place_in(a->to, address & EMU_OFFSET_BITS);
        emu_now_written(m, &place, p->bulk.size_B);
    } else if (emu_find_place(a->warp, a->lane, p->bulk.address, &place)) {
        emu_now_written(m, &place, p->bulk.size_B);
    }
    return emu_mbarrier_complete(a);
}

static void touches(emu_async *a) {
    const piece *p = (const piece *)a;
    const order_kind writes =
        p->bulk.op == TMA_OP_LOAD || p->bulk.op == TMA_OP_STORE ? ORDER_WRITE : ORDER_ATOMIC;
    const uint64_t size_B = p->bulk.size_B;
    emu_cta *near_cta = a->from ? a->from : a->to;
    const emu_place near = emu_place_in(near_cta, p->bulk.shared_address & EMU_OFFSET_BITS);
    emu_place far;
    order_async_access(a, a->from ? ORDER_READ : ORDER_WRITE, ORDER_ASYNC, &near, size_B);
    if (p->bulk.to_shared) {
        far = emu_place_in(a->to, p->bulk.address & EMU_OFFSET_BITS);
        order_async_access(a, writes, ORDER_ASYNC, &far, size_B);
    } else if (emu_find_place(a->warp, a->lane, p->bulk.address, &far)) {
        order_async_access(a, a->from ? writes : ORDER_READ, ORDER_ASYNC, &far, size_B);
    }
    emu_touches_barrier(a);
}

/* ---- decoding operands ---- */

static const uint8_t OPS[EMU_OPERATIONS] = {
    [EMU_OPERATION_ADD] = TMA_OP_ADD, [EMU_OPERATION_MIN] = TMA_OP_MIN,
    [EMU_OPERATION_MAX] = TMA_OP_MAX, [EMU_OPERATION_INC] = TMA_OP_INC,
    [EMU_OPERATION_DEC] = TMA_OP_DEC, [EMU_OPERATION_AND] = TMA_OP_AND,
    [EMU_OPERATION_OR] = TMA_OP_OR,   [EMU_OPERATION_XOR] = TMA_OP_XOR,
};

static const uint8_t DTYPES[EMU_TYPES] = {
    [EMU_B32] = TMA_DTYPE_UINT32,  [EMU_U32] = TMA_DTYPE_UINT32,    [EMU_S32] = TMA_DTYPE_INT32,
    [EMU_B64] = TMA_DTYPE_UINT64,  [EMU_U64] = TMA_DTYPE_UINT64,    [EMU_S64] = TMA_DTYPE_INT64,
    [EMU_F16] = TMA_DTYPE_FLOAT16, [EMU_BF16] = TMA_DTYPE_BFLOAT16, [EMU_F32] = TMA_DTYPE_FLOAT32,
    [EMU_F64] = TMA_DTYPE_FLOAT64,
};

static int is_load(const emu_instruction *in) {
    return in->space[1] == EMU_GLOBAL;
}

static int is_multicast(const emu_instruction *in) {
    return emu_flag(in, EMU_FLAG_MULTICAST);
}

/* One copy of a lane, of a multicast into one CTA: `far` addresses and sizes as *bulk has them. */
static int issue(emu_warp *w, const emu_instruction *in, uint32_t lane, const tma_bulk *bulk,
                 emu_cta *from, emu_cta *to, emu_cta *multicast) {
    piece *p =
        emu_async_new(w, lane, in, EMU_ASYNC_BULK, sizeof(piece) + (from ? bulk->size_B : 0));
    tma_finding why;
    const tma_global global = emu_global_of(w->machine);
    if (!p) {
        return -1;
    }
    p->bulk = *bulk;
    p->is.from = from;
    p->is.to = to;
    p->is.read = from ? read_source : NULL;
    p->is.complete = complete;
    p->is.touches = touches;
    const tma_window window = emu_shared_window(from ? from : to);
    const tma_window other = to ? emu_shared_window(to) : window;
    int bad = tma_copy_bulk_judge(bulk, &global, &window, &other, &why) != TMA_OK;
    if (bad) {
        trap(&p->is, &why);
    } else {
        bad = to ? emu_tells(&p->is, &in->operand[3], multicast, bulk->size_B)
                 : emu_group_add(&p->is);
    }
    if (bad) {
        emu_give(w->machine, p);
        return -1;
    }
    return emu_async_issue(&p->is);
}

static int load(emu_warp *w, const emu_instruction *in, uint32_t lane, tma_bulk *bulk) {
    uint32_t address = 0;
    emu_cta *to = emu_shared_operand(w, in, lane, &in->operand[0], in->space[0], &address);
    if (!to) {
        return -1;
    }
    bulk->address = emu_address(w, &in->operand[1], EMU_GLOBAL, lane);
    bulk->shared_address = address;
    if (!is_multicast(in)) {
        return issue(w, in, lane, bulk, NULL, to, NULL);
    }
    const uint32_t mask = (uint32_t)emu_lane_value(w, &in->operand[4], lane);
    if (emu_check_multicast(w, in, lane, mask)) {
        return -1;
    }
    EMU_FOR_LANES(rank, mask) {
        emu_cta *cta = w->cta->cluster->cta[rank];
        bulk->shared_address = emu_shared_address(cta, address & EMU_OFFSET_BITS);
        if (issue(w, in, lane, bulk, NULL, cta, cta)) {
            return -1;
        }
    }
    return 0;
}

static int store(emu_warp *w, const emu_instruction *in, uint32_t lane, tma_bulk *bulk) {
    uint32_t address = 0;
    emu_cta *to = NULL;
    emu_cta *from =
        emu_shared_operand(w, in, lane, &in->operand[1], in->space[1], &bulk->shared_address);
    if (!from) {
        return -1;
    }
    if (in->space[0] == EMU_GLOBAL) {
        bulk->address = emu_address(w, &in->operand[0], EMU_GLOBAL, lane);
    } else {
        to = emu_shared_operand(w, in, lane, &in->operand[0], in->space[0], &address);
        bulk->address = address;
        bulk->to_shared = 1;
        if (!to) {
            return -1;
        }
    }
    if (emu_flag(in, EMU_FLAG_CP_MASK)) {
        bulk->has_mask = 1;
        bulk->byte_mask =
            (uint32_t)emu_lane_value(w, &in->operand[in->operands - 1], lane) & 0xffff;
    }
    return issue(w, in, lane, bulk, from, to, NULL);
}

static emu_step bulk_copy(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_issues(w, in, mask);
    EMU_FOR_LANES(lane, mask) {
        tma_bulk b = {.barrier = UINT32_MAX};
        b.size_B = (uint32_t)emu_lane_value(w, &in->operand[2], lane);
        b.op = in->op == EMU_OP_CP_REDUCE_BULK ? OPS[in->operation]
               : is_load(in)                   ? TMA_OP_LOAD
                                               : TMA_OP_STORE;
        b.dtype = in->op == EMU_OP_CP_REDUCE_BULK ? DTYPES[in->type[0]] : 0;
        if (is_load(in) ? load(w, in, lane, &b) : store(w, in, lane, &b)) {
            return EMU_STOPPED;
        }
    }
    return EMU_NEXT;
}

static emu_step prefetch(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    EMU_FOR_LANES(lane, mask) {
        tma_finding why;
        const tma_bulk b = {.op = TMA_OP_PREFETCH,
                            .address = emu_address(w, &in->operand[0], EMU_GLOBAL, lane),
                            .size_B = (uint32_t)emu_lane_value(w, &in->operand[1], lane)};
        if (tma_copy_bulk_judge(&b, NULL, NULL, NULL, &why) != TMA_OK) {
            return emu_trap(w->machine, w, lane, in, &why);
        }
    }
    return EMU_NEXT;
}

static emu_step commit_group(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    return emu_group_commit(w, in, mask, EMU_ASYNC_BULK);
}

static emu_step wait_group(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const uint32_t pending =
        (uint32_t)emu_lane_value(w, &in->operand[0], (uint32_t)__builtin_ctz(mask));
    /* PTX 9.5's word: ptxas 13.5 makes the same code of both */
    const int reads = emu_flag(in, EMU_FLAG_READ) || emu_flag(in, EMU_FLAG_RESTRICT_ASYNC);
    return emu_group_wait(w, in, mask, EMU_ASYNC_BULK, pending, reads);
}

static int exists(const emu_instruction *in) {
    const int to_global = in->space[0] == EMU_GLOBAL;
    const int from_global = in->space[1] == EMU_GLOBAL;
    const int reduces = in->op == EMU_OP_CP_REDUCE_BULK;
    return in->spaces == 2 && !(to_global && from_global) &&
           (to_global ? emu_flag(in, EMU_FLAG_BULK_GROUP)
                      : emu_flag(in, EMU_FLAG_COMPLETE_TX_BYTES)) &&
           !(reduces && from_global) &&
           (!reduces || tma_reduction_exists(OPS[in->operation], DTYPES[in->type[0]]));
}

emu_run emu_choose_bulk(const emu_instruction *in) {
    return in->op == EMU_OP_CP_BULK_PREFETCH ? prefetch : exists(in) ? bulk_copy : NULL;
}

emu_run emu_choose_bulk_group(const emu_instruction *in) {
    return in->op == EMU_OP_CP_BULK_COMMIT ? commit_group : wait_group;
}
