/* SPDX-License-Identifier: Apache-2.0
 *
 * shfl.sync; activemask, elect.sync.
 */
#include "access.h"
#include "compute.h"
#include "order.h"
#include "warp.h"

/* The lane that a lane reads from, and whether it lies in its segment. */
static uint32_t source_of(const emu_instruction *in, uint32_t lane, uint32_t b, uint32_t c,
                          uint32_t *inside) {
    const uint32_t segment = c >> 8 & 31;
    const uint32_t by = b & 31;
    const uint32_t first = lane & segment;
    const uint32_t bound = first | (c & 31 & ~segment);
    uint32_t from = 0;
    switch (in->operation) {
    case EMU_OPERATION_UP:
        *inside = (int32_t)(lane - by) >= (int32_t)bound;
        from = lane - by;
        break;
    case EMU_OPERATION_DOWN:
        from = lane + by;
        *inside = from <= bound;
        break;
    case EMU_OPERATION_BFLY:
        from = lane ^ by;
        *inside = from <= bound;
        break;
    default:
        from = first | (by & ~segment);
        *inside = from <= bound;
    }
    return *inside ? from : lane;
}

static void shuffle(emu_warp *w, const emu_instruction *in, uint32_t lanes, uint32_t members) {
    const uint32_t *a = emu_u32(w, &in->operand[1]);
    const uint32_t *b = emu_u32(w, &in->operand[2]);
    const uint32_t *c = emu_u32(w, &in->operand[3]);
    const uint32_t unwritten = emu_undefined(w, &in->operand[1]) | ~(lanes & members);
    uint32_t r[EMU_LANES] = {0};
    uint32_t valid = 0;
    uint32_t undefined = 0;
    EMU_FOR_LANES(lane, lanes) {
        uint32_t inside = 0;
        const uint32_t from = source_of(in, lane, b[lane], c[lane], &inside);
        r[lane] = a[from];
        valid |= inside << lane;
        undefined |= (unwritten >> from & 1) << lane; /* a lane that is not there gives anything */
    }
    compute_put(w, &in->operand[0], lanes, r);
    emu_set_undefined(w, &in->operand[0], lanes, undefined);
    if (in->also.kind == EMU_REGISTER) {
        emu_set_predicate(w, &in->also, lanes, valid);
        emu_set_undefined(w, &in->also, lanes, 0);
    }
}

static emu_step run_shuffle(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    return warp_together(w, in, mask, 4, shuffle);
}

static emu_step active_mask(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    uint32_t r[EMU_LANES];
    order_unproved(w->machine, in, "which lanes are together is the machine's choice");
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        r[l] = mask;
    }
    compute_put(w, &in->operand[0], mask, r);
    emu_set_undefined(w, &in->operand[0], mask, 0);
    return EMU_NEXT;
}

/* The lowest lane that is there: the same for the same mask. */
static void elect(emu_warp *w, const emu_instruction *in, uint32_t lanes, uint32_t members) {
    const uint32_t there = lanes & members ? lanes & members : lanes;
    const uint32_t leader = (uint32_t)__builtin_ctz(there);
    uint32_t r[EMU_LANES];
    order_unproved(w->machine, in, "which lane is elected is the machine's choice");
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        r[l] = leader;
    }
    compute_put(w, &in->operand[0], lanes, r);
    emu_set_predicate(w, &in->also, lanes, (uint32_t)1 << leader);
    if (in->operand[0].kind == EMU_REGISTER) {
        emu_set_undefined(w, &in->operand[0], lanes, 0);
    }
    emu_set_undefined(w, &in->also, lanes, 0);
}

static emu_step run_elect(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    return warp_together(w, in, mask, 1, elect);
}

emu_run warp_choose_shuffle(const emu_instruction *in) {
    switch (in->op) {
    case EMU_OP_ACTIVEMASK:
        return active_mask;
    case EMU_OP_ELECT:
        return in->also.kind == EMU_REGISTER ? run_elect : NULL;
    default:
        return in->operation == EMU_OPERATION_UP || in->operation == EMU_OPERATION_DOWN ||
                       in->operation == EMU_OPERATION_BFLY || in->operation == EMU_OPERATION_IDX
                   ? run_shuffle
                   : NULL;
    }
}
