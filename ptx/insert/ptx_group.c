/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether an instruction may be executed later, and whether whole warps come to it.
 */
#include "ptx_group.h"

#include <string.h>

#include "ptx_constant.h"

#define MOST_BACK 1000 /* rows */

static int reads(const ptx_rows *rows, uint32_t row, uint32_t place) {
    const ptx_row *r = &rows->row[row];
    for (uint32_t i = 0; i < r->refs; i++) {
        if (rows->ref[r->first_ref + i].place == place) {
            return 1;
        }
    }
    return 0;
}

/* Arithmetic on registers that none of them reads. */
static int leaves_alone(const ptx_rows *rows, const ptx_codes *codes, uint32_t between,
                        const uint32_t *row, uint32_t count) {
    const ptx_code *code = &codes->code[between];
    if (!ptx_op_is_value(code->op)) {
        return 0;
    }
    for (uint32_t i = 0; i < code->defs; i++) {
        const uint32_t place = codes->def[code->first_def + i];
        for (uint32_t k = 0; k < count; k++) {
            if (place == PTX_NONE || reads(rows, row[k], place)) {
                return 0;
            }
        }
    }
    return 1;
}

static int is_about_source(const tma_ptx_piece *piece) {
    static const char *const words[] = {".loc", ".reg"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t length = strlen(words[i]);
        if (piece->size > length && !memcmp(piece->at, words[i], length)) {
            return 1;
        }
    }
    return 0;
}

int ptx_may_wait(const ptx_rows *rows, const ptx_codes *codes, const uint32_t *row, uint32_t count,
                 uint32_t next) {
    const uint32_t last = row[count - 1];
    if (rows->row[last].block != rows->row[next].block) {
        return 0;
    }
    for (uint32_t i = last + 1; i < next; i++) {
        switch (rows->row[i].piece.kind) {
        case TMA_PTX_PIECE_INSTRUCTION:
            if (!leaves_alone(rows, codes, i, row, count)) {
                return 0;
            }
            break;
        case TMA_PTX_PIECE_DIRECTIVE:
            if (!is_about_source(&rows->row[i].piece)) {
                return 0;
            }
            break;
        case TMA_PTX_PIECE_OPEN:
        case TMA_PTX_PIECE_CLOSE: /* of the same block again at `next` */
            break;
        default:
            return 0;
        }
    }
    return 1;
}

/* Whether the last operand names all threads of the warp. */
static int is_for_all(const tma_ptx_piece *piece) {
    tma_ptx_parts parts;
    int64_t mask = 0;
    return !tma_ptx_split(&parts, piece) && parts.count && parts.count <= TMA_PTX_PARTS &&
           ptx_constant(parts.operand[parts.count - 1], &mask) && (uint32_t)mask == UINT32_MAX;
}

static int is_of_warp(const ptx_codes *codes, uint32_t row, const tma_ptx_piece *piece) {
    static const char *const masked[] = {"elect.sync", "bar.warp.sync", "shfl.sync", "vote.sync"};
    const ptx_code *code = &codes->code[row];
    if (code->guarded || code->name >= codes->opcodes) {
        return 0;
    }
    const tma_ptx_span opcode = codes->opcode[code->name];
    for (size_t i = 0; i < sizeof(masked) / sizeof(masked[0]); i++) {
        if (ptx_begins(opcode, masked[i])) {
            return is_for_all(piece);
        }
    }
    return ptx_opcode_has(opcode, "aligned") ||
           ptx_begins(opcode, "bar.sync"); /* barrier.sync.aligned */
}

/* The step before one on the only way there; PTX_NONE: there are several, or none. */
static uint32_t step_before(const ptx_graph *g, uint32_t step) {
    const ptx_node *n = &g->node[g->step[step].block];
    while (step == n->first) {
        const uint32_t from = n->ins == 1 ? g->in[n->first_in] : PTX_NONE;
        if (from == PTX_NONE || g->node[from].outs != 1) {
            return PTX_NONE;
        }
        n = &g->node[from];
        step = n->end;
        if (n->first < n->end) {
            return step - 1;
        }
        step = n->first;
    }
    return step - 1;
}

int ptx_comes_as_warp(const ptx_graph *g, uint32_t step) {
    uint32_t at = step_before(g, step);
    for (uint32_t i = 0; at != PTX_NONE && i < MOST_BACK; i++) {
        const uint32_t row = g->step[at].row;
        const uint32_t op = g->codes->code[row].op;
        if (ptx_op_ends_block(op) || op == PTX_OP_CALL) {
            return 0;
        }
        if (is_of_warp(g->codes, row, &g->rows->row[row].piece)) {
            return 1;
        }
        at = step_before(g, at);
    }
    return 0;
}
