/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that an mbarrier expects beside those that the copies behind it move.
 */
#include <inttypes.h>
#include <string.h>

#include "ptx_sites.h"

/* The barrier's last expectation in straight-line code. */
typedef struct expectation {
    uint32_t row; /* PTX_NONE: none */
    ptx_value barrier;
    int has_bytes;
    uint64_t bytes_B;
    uint64_t moved_B;
    uint32_t copies;
    int open; /* a copy whose bytes are not known */
} expectation;

static int ends_straight_line(const tma_ptx_parts *p) {
    return tma_ptx_is(p, "bra", NULL) || tma_ptx_is(p, "brx", NULL) || tma_ptx_is(p, "ret", NULL) ||
           tma_ptx_is(p, "exit", NULL) || tma_ptx_is(p, "call", NULL);
}

static void finish(ptx_report *r, expectation *e) {
    if (e->row != PTX_NONE && e->copies && e->has_bytes && !e->open && e->moved_B != e->bytes_B) {
        ptx_break(r, PTX_NONE, e->row, PTX_RULE_EXPECT,
                  "expects %" PRIu64 " B, %" PRIu32 " cop%s behind it on this barrier move%s "
                  "%" PRIu64 " B",
                  e->bytes_B, e->copies, e->copies == 1 ? "y" : "ies", e->copies == 1 ? "s" : "",
                  e->moved_B);
    }
    *e = (expectation){.row = PTX_NONE};
}

/* mbarrier.arrive.expect_tx{...} state, [barrier], bytes; mbarrier.expect_tx{...} [barrier], bytes
 */
static void begin(ptx_report *r, const ptx_values *values, uint32_t row, const tma_ptx_parts *p,
                  expectation *e) {
    finish(r, e);
    r->expects++;
    if (p->count < 2 || p->count > 3) {
        return;
    }
    const tma_ptx_operand barrier = tma_ptx_operand_of(p->operand[p->count - 2], NULL);
    const tma_ptx_operand bytes = tma_ptx_operand_of(p->operand[p->count - 1], NULL);
    const ptx_value value = ptx_value_at(values, row, &bytes);
    e->row = row;
    e->barrier = ptx_value_at(values, row, &barrier);
    e->has_bytes = value.kind == PTX_NUMBER;
    e->bytes_B = (uint64_t)value.added & UINT32_MAX;
}

static void add(expectation *e, ptx_site *site) {
    const ptx_alike alike =
        e->row == PTX_NONE ? PTX_DIFFERENT : ptx_values_alike(&e->barrier, &site->barrier);
    if (alike == PTX_DIFFERENT) {
        return;
    }
    if (alike == PTX_EQUAL) {
        e->copies++;
        e->moved_B += site->bytes_B;
        if (e->has_bytes) {
            site->expect_row = e->row;
            site->expect_B = e->bytes_B;
        }
    }
    e->open |= alike == PTX_MAYBE || !site->has_bytes || site->s.mask.kind != TMA_PTX_NONE;
}

void ptx_expect_check(ptx_report *r, const ptx_values *values, uint32_t function, uint32_t first,
                      uint32_t end) {
    const ptx_function *f = &r->rows.function[function];
    expectation e = {.row = PTX_NONE};
    for (uint32_t row = f->first, i = first; row < f->end; row++) {
        const tma_ptx_piece *piece = &r->rows.row[row].piece;
        tma_ptx_parts parts;
        if (piece->kind == TMA_PTX_PIECE_LABEL) {
            finish(r, &e);
        }
        if (piece->kind != TMA_PTX_PIECE_INSTRUCTION || tma_ptx_split(&parts, piece)) {
            continue;
        }
        if (tma_ptx_is(&parts, "mbarrier", "expect_tx")) {
            begin(r, values, row, &parts, &e);
        } else if (i < end && r->site[i].row == row) {
            ptx_site *site = &r->site[i++];
            if (site->unread) {
                e.open = 1;
            } else if (site->s.kind == TMA_PTX_COPY && site->s.in.op == TMA_OP_LOAD) {
                add(&e, site);
            }
        } else if (tma_ptx_is(&parts, "cp", "bulk") || tma_ptx_is(&parts, "st", "async") ||
                   tma_ptx_is(&parts, "mbarrier", "complete_tx")) {
            e.open = 1; /* moves bytes too */
        } else if (ends_straight_line(&parts)) {
            finish(r, &e);
        }
    }
    finish(r, &e);
}
