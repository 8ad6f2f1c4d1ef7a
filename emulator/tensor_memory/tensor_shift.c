/* SPDX-License-Identifier: Apache-2.0
 *
 * tcgen05.shift, and what .ashift does behind an MMA: within 32 lanes each gets 32 bytes of the
 * next one, the last one keeps its own. NVIDIA's example 1cta_mma_a_from_tmem.py of CUTLASS says
 * that a B200 does so; PTX does not say it. Not measured here.
 */
#include "access.h"
#include "async.h"
#include "heap.h"
#include "tensor_choose.h"
#include "tensor_memory.h"
#include "words.h"

typedef struct shift {
    emu_async async;
    uint32_t quarter, column;
    uint32_t ctas;
    emu_cta *cta[2];
} shift;

void tensor_shift(tensor_memory *t, uint32_t quarter, uint32_t column) {
    const uint32_t first = quarter * TENSOR_QUARTER;
    for (uint32_t lane = first; lane + 1 < first + TENSOR_QUARTER; lane++) {
        for (uint32_t n = column; n < column + TENSOR_SHIFTED; n++) {
            t->cell[lane][n] = t->cell[lane + 1][n];
            tensor_now_written(t, lane, n, tensor_is_written(t, lane + 1, n));
        }
    }
}

static void touches(emu_async *a) {
    const shift *s = (shift *)a;
    for (uint32_t i = 0; i < s->ctas; i++) {
        tensor_access(a, 1, s->cta[i], 3u << 2 * s->quarter, s->column, TENSOR_SHIFTED);
    }
}

static int complete(emu_machine *m, emu_async *a) {
    const shift *s = (shift *)a;
    (void)m;
    for (uint32_t i = 0; i < s->ctas; i++) {
        tensor_shift(s->cta[i]->tensor, s->quarter, s->column);
    }
    tensor_async_done(a);
    return 0;
}

static int check(emu_warp *w, const emu_instruction *in, uint32_t lane, const shift *s,
                 uint32_t first_lane) {
    if (first_lane % TENSOR_QUARTER) {
        tensor_wrong(w, in, lane, TMA_EMULATE_RULE_TRAP, "shift", 0,
                     "the lane of tcgen05.shift's address is no multiple of 32", NULL);
        return -1;
    }
    for (uint32_t i = 0; i < s->ctas; i++) {
        if (!s->cta[i] || tensor_check(w, in, lane, s->cta[i], first_lane, TENSOR_QUARTER,
                                       s->column, TENSOR_SHIFTED)) {
            return -1;
        }
    }
    return 0;
}

static int issue(emu_warp *w, const emu_instruction *in, uint32_t lane) {
    shift *s = tensor_async_new(w, lane, in, sizeof(*s));
    const uint32_t at = (uint32_t)emu_address(w, &in->operand[0], EMU_GENERIC, lane);
    if (!s) {
        return -1;
    }
    s->quarter = (at >> 16) / TENSOR_QUARTER;
    s->column = at & 0xffff;
    s->ctas = emu_flag(in, EMU_FLAG_GROUP_2) ? 2 : 1;
    s->cta[0] = w->cta;
    s->cta[1] = s->ctas == 2 ? tensor_peer(w, in, lane) : NULL;
    if (check(w, in, lane, s, at >> 16)) {
        emu_give(w->machine, s);
        return -1;
    }
    s->async.from = w->cta;
    s->async.to = s->cta[1];
    s->async.complete = complete;
    s->async.touches = touches;
    return emu_async_issue(&s->async);
}

static emu_step run_shift(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    return emu_tensor_issue(w, in, mask, issue);
}

emu_run emu_choose_tensor_shift(const emu_instruction *in) {
    return in->operands == 1 && in->operand[0].kind == EMU_ADDRESS && !in->operand[0].count &&
                   emu_flag(in, EMU_FLAG_GROUP_1) != emu_flag(in, EMU_FLAG_GROUP_2)
               ? run_shift
               : NULL;
}
