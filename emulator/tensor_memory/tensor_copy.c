/* SPDX-License-Identifier: Apache-2.0
 *
 * tcgen05.cp: from shared memory, through a matrix descriptor, into lanes and columns.
 * .b8x16: 16 elements of 4 or 6 bits get a byte each, and lie in its middle: NVIDIA's example
 * cp_narrow_a_to_tmem_mma.py of CUTLASS.
 */
#include <string.h>

#include "access.h"
#include "async.h"
#include "heap.h"
#include "matrix_operand.h"
#include "order.h"
#include "run_report.h"
#include "tensor_choose.h"
#include "tensor_memory.h"

/* The quarters of 32 lanes that a row of the source goes to. PTX ISA, tcgen05.cp. */
typedef struct form {
    uint16_t rows, bits;
    uint8_t flag;       /* the multicast's word; EMU_FLAGS: none */
    uint8_t quarter[4]; /* rows of quarter q: 32 from 32 x quarter[q] on */
} form;

static const form FORMS[] = {
    {128, 256, EMU_FLAGS, {0, 1, 2, 3}},           {128, 128, EMU_FLAGS, {0, 1, 2, 3}},
    {64, 128, EMU_FLAG_PAIRS_02_13, {0, 1, 0, 1}}, {64, 128, EMU_FLAG_PAIRS_01_23, {0, 0, 1, 1}},
    {32, 128, EMU_FLAG_ALL_WARPS, {0, 0, 0, 0}},   {4, 256, EMU_FLAGS, {0, 1, 2, 3}},
};

static const form *form_of(const emu_instruction *in) {
    for (size_t i = 0; i < sizeof(FORMS) / sizeof(FORMS[0]); i++) {
        const int none = FORMS[i].flag == EMU_FLAGS;
        if (FORMS[i].rows == in->shape[0] && FORMS[i].bits == in->shape[1] &&
            (none ? !(emu_flag(in, EMU_FLAG_PAIRS_02_13) || emu_flag(in, EMU_FLAG_PAIRS_01_23) ||
                      emu_flag(in, EMU_FLAG_ALL_WARPS))
                  : emu_flag(in, FORMS[i].flag))) {
            return &FORMS[i];
        }
    }
    return NULL;
}

typedef struct copy {
    emu_async async;
    const form *form;
    uint32_t column;
    uint32_t ctas;
    emu_cta *cta[2];
    matrix_operand from;
} copy;

/* The row of the source that a lane gets; -1: none. */
static int row_of(const form *f, uint32_t lane) {
    if (f->rows == 4) {
        return lane % TENSOR_QUARTER ? -1 : (int)(lane / TENSOR_QUARTER);
    }
    return (int)(f->quarter[lane / TENSOR_QUARTER] * TENSOR_QUARTER + lane % TENSOR_QUARTER);
}

static void touches(emu_async *a) {
    copy *c = (copy *)a;
    const uint32_t parts = c->form->rows == 4 ? 0x55 : 0xff;
    for (uint32_t i = 0; i < c->ctas; i++) {
        matrix_touch(&c->from, a, c->cta[i]);
        tensor_access(a, 1, c->cta[i], parts, c->column, c->form->bits / 32u);
    }
}

/* 16 bytes whose first 8 or 12 hold the elements. */
static void widen(const emu_instruction *in, uint8_t unit[MATRIX_UNIT_B]) {
    uint8_t out[MATRIX_UNIT_B];
    const uint32_t bits = emu_flag(in, EMU_FLAG_B4X16_P64) ? 4 : 6, shift = bits == 4 ? 2 : 1;
    for (uint32_t i = 0; i < MATRIX_UNIT_B; i++) {
        const uint32_t at = i * bits, two = unit[at / 8] | (uint32_t)unit[at / 8 + 1] << 8;
        out[i] = (uint8_t)((two >> at % 8 & ((1u << bits) - 1)) << shift);
    }
    memcpy(unit, out, sizeof(out));
}

static void read_rows(const copy *c, const emu_cta *cta, uint8_t (*rows)[MATRIX_ROW_B]) {
    matrix_read(&c->from, cta->shared, rows);
    for (uint32_t row = 0; emu_flag(c->async.in, EMU_FLAG_B8X16) && row < c->form->rows; row++) {
        for (uint32_t at = 0; at < c->form->bits / 8u; at += MATRIX_UNIT_B) {
            widen(c->async.in, rows[row] + at);
        }
    }
}

static int complete(emu_machine *m, emu_async *a) {
    copy *c = (copy *)a;
    uint8_t rows[TENSOR_LANES][MATRIX_ROW_B];
    (void)m;
    for (uint32_t i = 0; i < c->ctas; i++) {
        tensor_memory *t = c->cta[i]->tensor;
        read_rows(c, c->cta[i], rows);
        for (uint32_t lane = 0; lane < TENSOR_LANES; lane++) {
            const int row = row_of(c->form, lane);
            for (uint32_t n = 0; row >= 0 && n < c->form->bits / 32u; n++) {
                memcpy(&t->cell[lane][c->column + n], rows[row] + (size_t)4 * n, 4);
                tensor_now_written(t, lane, c->column + n, 1);
            }
        }
    }
    tensor_async_done(a);
    return 0;
}

static int check(emu_warp *w, const emu_instruction *in, uint32_t lane, copy *c) {
    if (matrix_check(&c->from, w, in, lane)) {
        return -1;
    }
    for (uint32_t i = 0; i < c->ctas; i++) {
        if (tensor_check(w, in, lane, c->cta[i], 0, TENSOR_LANES, c->column, c->form->bits / 32u)) {
            return -1;
        }
    }
    return 0;
}

static int issue(emu_warp *w, const emu_instruction *in, uint32_t lane) {
    copy *c = tensor_async_new(w, lane, in, sizeof(*c));
    const uint32_t at = (uint32_t)emu_address(w, &in->operand[0], EMU_GENERIC, lane);
    if (!c) {
        return -1;
    }
    c->form = form_of(in);
    c->column = at & 0xffff;
    c->ctas = emu_flag(in, EMU_FLAG_GROUP_2) ? 2 : 1;
    c->cta[0] = w->cta;
    c->cta[1] = c->ctas == 2 ? tensor_peer(w, in, lane) : NULL;
    const matrix_tile tile = {
        .family = TMA_MMA_TCGEN05, .rows = c->form->rows, .row_B = c->form->bits / 8u};
    const int status = matrix_operand_of(&c->from, emu_lane_value(w, &in->operand[1], lane), &tile);
    if (status) {
        emu_stop(w->machine, TMA_EMULATE_TRAP, w, in,
                 "a matrix descriptor with a swizzle that there is not");
    } else if (at >> 16) {
        emu_stop(w->machine, TMA_EMULATE_NOT_EXECUTED, w, in,
                 "tcgen05.cp to a lane other than 0 is not executed");
    }
    if (status || at >> 16 || (c->ctas == 2 && !c->cta[1]) || check(w, in, lane, c)) {
        emu_give(w->machine, c);
        return -1;
    }
    c->async.from = w->cta;
    c->async.to = c->cta[1];
    c->async.complete = complete;
    c->async.touches = touches;
    return emu_async_issue(&c->async);
}

static emu_step run_copy(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    return emu_tensor_issue(w, in, mask, issue);
}

emu_run emu_choose_tensor_copy(const emu_instruction *in) {
    const emu_operand *o = in->operand;
    const int packed = emu_flag(in, EMU_FLAG_B4X16_P64) + emu_flag(in, EMU_FLAG_B6X16_P32);
    return form_of(in) && packed == emu_flag(in, EMU_FLAG_B8X16) && in->operands == 2 &&
                   emu_flag(in, EMU_FLAG_GROUP_1) != emu_flag(in, EMU_FLAG_GROUP_2) &&
                   o[0].kind == EMU_ADDRESS && !o[0].count && emu_is_source(&o[1], 1) &&
                   emu_bits_of(&o[1]) == 64
               ? run_copy
               : NULL;
}
