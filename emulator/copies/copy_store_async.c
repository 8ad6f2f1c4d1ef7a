/* SPDX-License-Identifier: Apache-2.0
 *
 * st.async, red.async: values of registers to another CTA's shared memory, told at an mbarrier
 * there; st.bulk: zeros.
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
    emu_async is; /* to: the CTA */
    emu_place target;
    uint32_t elements, element_B;
    uint64_t value[4];
} piece;

static int complete_store(emu_machine *m, emu_async *a) {
    piece *p = (piece *)a;
    for (uint32_t i = 0; i < p->elements; i++) { /* little-endian, as all of the machine's memory */
        for (uint32_t byte = 0; byte < p->element_B; byte++) {
            p->target.host[i * p->element_B + byte] = (uint8_t)(p->value[i] >> (8 * byte));
        }
    }
    emu_now_written(m, &p->target, (uint64_t)p->elements * p->element_B);
    return emu_mbarrier_complete(a);
}

static uint64_t reduced(uint32_t operation, uint32_t type, uint64_t old, uint64_t value) {
    const int is_signed = emu_type_of(type)->kind == 'S';
    const uint32_t shift = 64u - emu_type_of(type)->bits;
    const int less = is_signed ? (int64_t)(value << shift) < (int64_t)(old << shift) : value < old;
    switch (operation) {
    case EMU_OPERATION_ADD:
        return old + value;
    case EMU_OPERATION_MIN:
        return less ? value : old;
    case EMU_OPERATION_MAX:
        return less ? old : value;
    case EMU_OPERATION_INC:
        return old >= value ? 0 : old + 1;
    case EMU_OPERATION_DEC:
        return old == 0 || old > value ? value : old - 1;
    case EMU_OPERATION_AND:
        return old & value;
    case EMU_OPERATION_OR:
        return old | value;
    default:
        return old ^ value;
    }
}

static int complete_reduction(emu_machine *m, emu_async *a) {
    piece *p = (piece *)a;
    uint64_t old = 0;
    for (uint32_t byte = p->element_B; byte-- > 0;) {
        old = old << 8 | p->target.host[byte];
    }
    p->value[0] = reduced(a->in->operation, a->in->type[0], old, p->value[0]);
    return complete_store(m, a);
}

static void touches(emu_async *a) {
    const piece *p = (const piece *)a;
    order_async_access(a, a->in->op == EMU_OP_RED_ASYNC ? ORDER_ATOMIC : ORDER_WRITE, ORDER_GENERIC,
                       &p->target, (uint64_t)p->elements * p->element_B);
    emu_touches_barrier(a);
}

/* [address], value or values, [mbar]. */
static int store_of_lane(emu_warp *w, const emu_instruction *in, uint32_t lane) {
    const emu_operand *value = &in->operand[1];
    const emu_operand *all = w->machine->program->operand;
    const uint64_t address =
        emu_address(w, &in->operand[0], in->spaces ? in->space[0] : EMU_GENERIC, lane);
    piece *p = emu_async_new(w, lane, in, EMU_ASYNC_BULK, sizeof(*p));
    if (!p) {
        return -1;
    }
    p->element_B = emu_type_of(in->type[0])->bits / 8;
    p->elements = value->kind == EMU_VECTOR ? value->count : 1;
    for (uint32_t i = 0; i < p->elements && i < 4; i++) {
        p->value[i] =
            emu_lane_value(w, value->kind == EMU_VECTOR ? &all[value->first + i] : value, lane);
        p->value[i] &= UINT64_MAX >> (64 - 8 * p->element_B);
    }
    const uint32_t size_B = p->elements * p->element_B;
    if (emu_place_of(w, in, lane, address, size_B, size_B, 1, &p->target)) {
        emu_give(w->machine, p);
        return -1;
    }
    p->is.to = p->target.cta;
    p->is.complete = in->op == EMU_OP_RED_ASYNC ? complete_reduction : complete_store;
    p->is.touches = touches;
    if (emu_tells(&p->is, &in->operand[2], NULL, size_B)) {
        emu_give(w->machine, p);
        return -1;
    }
    if (!p->is.to || p->is.to != p->is.barrier_cta) {
        emu_stop(w->machine, TMA_EMULATE_TRAP, w, in,
                 "the address and the mbarrier do not lie in one CTA's shared memory");
        emu_give(w->machine, p);
        return -1;
    }
    return emu_async_issue(&p->is);
}

static emu_step store(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_issues(w, in, mask);
    EMU_FOR_LANES(lane, mask) {
        if (store_of_lane(w, in, lane)) {
            return EMU_STOPPED;
        }
    }
    return EMU_NEXT;
}

/* [address], size, 0. */
static emu_step zeros(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    EMU_FOR_LANES(lane, mask) {
        emu_place place[EMU_LANES];
        const uint64_t size_B = emu_lane_value(w, &in->operand[1], lane);
        const uint64_t address =
            emu_address(w, &in->operand[0], in->spaces ? in->space[0] : EMU_GENERIC, lane);
        if (!size_B) {
            continue;
        }
        if (size_B % 8 || size_B > UINT32_MAX) {
            return emu_stop(w->machine, TMA_EMULATE_TRAP, w, in,
                            "the size of st.bulk is a multiple of 8 bytes");
        }
        if (emu_place_of(w, in, lane, address, (uint32_t)size_B, 8, 1, &place[lane])) {
            return EMU_STOPPED;
        }
        memset(place[lane].host, 0, (size_t)size_B);
        emu_now_written(w->machine, &place[lane], size_B);
        order_access(w, in, UINT32_C(1) << lane, ORDER_WRITE, 0, place, (uint32_t)size_B);
    }
    return EMU_NEXT;
}

emu_run emu_choose_store_async(const emu_instruction *in) {
    if (in->op == EMU_OP_ST_BULK) {
        return zeros;
    }
    return emu_type_of(in->type[0])->bits >= 32 && emu_type_of(in->type[0])->bits <= 64 &&
                   (in->op == EMU_OP_ST_ASYNC || in->operation)
               ? store
               : NULL;
}
