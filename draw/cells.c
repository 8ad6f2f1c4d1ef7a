/* SPDX-License-Identifier: Apache-2.0
 *
 * A copy's runs cut into cells of 16 bytes.
 */
#include <string.h>

#include "tma/draw.h"
#include "tma/text.h"

typedef struct cutter {
    const tma_plan *plan;
    const tma_position *at;
    tma_cell_visitor visit;
    void *context;
    uint32_t index;
} cutter;

/* The part of the run that begins `done_B` shared bytes into it. */
static tma_cell cell_of(const cutter *c, const tma_run *run, uint32_t done_B, uint32_t length_B) {
    const tma_plan_facts *const p = tma_plan_info(c->plan);
    const uint32_t offset_B = run->offset_B + done_B;
    const uint32_t groups = done_B / p->group_payload_B;
    const uint32_t global_done_B = p->group_el > 1 ? groups * p->group_global_B : done_B;
    tma_cell cell = {
        .kind = run->kind,
        .rank = run->rank,
        .index = c->index,
        .number = (run->row * p->pitch_B + offset_B) / TMA_CELL_B,
        .row = run->row,
        .offset_B = offset_B,
        .length_B = length_B,
        .address = run->address + global_done_B,
        .shared_address = run->shared_address + done_B,
    };
    cell.global_offset_B = p->group_el > 1
                               ? offset_B / p->group_shared_B * p->group_global_B +
                                     (offset_B % p->group_shared_B ? p->group_global_B : 0)
                               : offset_B;
    cell.global_length_B =
        p->group_el > 1 ? length_B / p->group_payload_B * p->group_global_B : length_B;
    cell.global_length_B = run->kind == TMA_RUN_PADDING ? 0 : cell.global_length_B;
    memcpy(cell.coord, run->coord, sizeof(cell.coord));
    if (!p->unit_B) {
        cell.coord[0] += (int64_t)groups * p->group_el;
    }
    cell.bank = (uint8_t)(cell.shared_address / TMA_BANK_B % TMA_BANKS);
    cell.banks = (uint8_t)((cell.shared_address + length_B - 1) / TMA_BANK_B -
                           cell.shared_address / TMA_BANK_B + 1);
    return cell;
}

static int cut(void *context, const tma_run *run) {
    cutter *c = (cutter *)context;
    const uint32_t from = tma_plan_info(c->plan)->op == TMA_OP_PREFETCH ? 0 : c->at->shared_address;
    const uint32_t row_start = from + run->row * tma_plan_info(c->plan)->pitch_B;
    for (uint32_t done_B = 0; done_B < run->length_B;) {
        const uint32_t in_cell = (row_start + run->offset_B + done_B) % TMA_CELL_B;
        const uint32_t left_B = run->length_B - done_B;
        const uint32_t length_B = TMA_CELL_B - in_cell < left_B ? TMA_CELL_B - in_cell : left_B;
        const tma_cell cell = cell_of(c, run, done_B, length_B);
        const int stop = c->visit(c->context, &cell);
        if (stop) {
            return stop;
        }
        c->index++;
        done_B += length_B;
    }
    return 0;
}

int tma_cells(const tma_plan *plan, const tma_position *at, tma_cell_visitor visit, void *context) {
    cutter c = {plan, at, visit, context, 0};
    return visit ? tma_walk(plan, at, cut, &c) : -1;
}

static const char *kind_words(const tma_cell *cell, const tma_plan *plan) {
    const tma_plan_facts *const facts = tma_plan_info(plan);
    switch (cell->kind) {
    case TMA_RUN_OUTSIDE:
        return facts->op != TMA_OP_LOAD      ? "outside the tensor"
               : facts->fill == TMA_FILL_NAN ? "outside the tensor: filled with NaN"
                                             : "outside the tensor: filled with zeros";
    case TMA_RUN_PAST_EDGE:
        return "behind the tensor's row, written all the same";
    case TMA_RUN_PADDING:
        return "padding, left alone";
    default:
        return NULL;
    }
}

size_t tma_cell_text(char *text, size_t size, const tma_cell *cell, const tma_plan *plan) {
    tma_out t = tma_out_into(text, size);
    if (!cell || !plan) {
        return 0;
    }
    const char *words = kind_words(cell, plan);
    for (uint32_t i = 0; i < cell->rank && i < TMA_MAX_RANK; i++) {
        tma_putf(&t, "%s%" TMA_D64, i ? ", " : "(", cell->coord[i]);
    }
    tma_putf(&t, ")%s%s", words ? " " : "", words ? words : "");
    if (cell->kind == TMA_RUN_INSIDE || cell->kind == TMA_RUN_PAST_EDGE) {
        tma_putf(&t, "; global 0x%" TMA_X64, cell->address);
    }
    if (tma_plan_info(plan)->op != TMA_OP_PREFETCH) {
        tma_putf(&t, "; shared 0x%x; bank", cell->shared_address);
        tma_putf(&t, cell->banks > 1 ? "s %u-%u" : " %u", cell->bank,
                 cell->bank + cell->banks - 1u);
    }
    tma_putf(&t, "; row %u, %u B", cell->row, cell->length_B);
    return t.length;
}
