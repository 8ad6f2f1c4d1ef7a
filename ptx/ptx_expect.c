/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that an mbarrier expects beside those that the copies behind it move.
 */
#include <string.h>

#include "ptx_sites.h"

/* The barrier's last expectation in straight-line code. */
typedef struct expectation {
    uint32_t row; /* PTX_NONE: none */
    ptx_value barrier;
    int arrives;
    int has_bytes;
    uint64_t bytes_B;
    uint64_t moved_B;
    uint32_t copies;
    int open; /* a copy whose bytes are not known */
} expectation;

static void finish(ptx_report *r, expectation *e) {
    if (e->row != PTX_NONE && e->copies && e->has_bytes && !e->open && e->moved_B != e->bytes_B) {
        ptx_break(r, PTX_NONE, e->row, PTX_RULE_EXPECT,
                  "expects %" TMA_U64 " B, %u cop%s behind it on this barrier move%s "
                  "%" TMA_U64 " B",
                  e->bytes_B, e->copies, e->copies == 1 ? "y" : "ies", e->copies == 1 ? "s" : "",
                  e->moved_B);
    }
    *e = (expectation){.row = PTX_NONE};
}

/* mbarrier.arrive.expect_tx{...} state, [barrier], bytes; mbarrier.expect_tx{...} [barrier], bytes
 */
static void begin(ptx_report *r, ptx_values *v, const ptx_step *step, const tma_ptx_parts *p,
                  expectation *e) {
    uint64_t bytes_B = 0;
    const int is_read = p->count == 2 || p->count == 3;
    const ptx_value barrier =
        is_read ? ptx_value_of_text(v, step, p->operand[p->count - 2]) : PTX_UNKNOWN;
    const int is_same_phase = e->row != PTX_NONE && (!e->arrives || !e->copies) &&
                              ptx_values_alike(v, e->barrier, barrier) != PTX_DIFFERENT;
    e->open |= is_same_phase;
    finish(r, e);
    r->expects++;
    if (!is_read) {
        return;
    }
    const ptx_value bytes = ptx_value_of_text(v, step, p->operand[p->count - 1]);
    e->row = step->row;
    e->barrier = barrier;
    e->open = is_same_phase; /* the phase expects what both say */
    e->arrives = tma_ptx_is(p, "mbarrier", "arrive") || tma_ptx_is(p, "mbarrier", "arrive_drop");
    e->has_bytes = ptx_value_number(v, ptx_form_cut(&v->forms, bytes, 32), &bytes_B);
    e->bytes_B = bytes_B;
}

static void add(expectation *e, ptx_values *v, const ptx_step *step, ptx_site *site) {
    if (e->row == PTX_NONE) {
        return;
    }
    const ptx_alike alike =
        ptx_values_alike(v, e->barrier, ptx_value_at(v, step, &site->s.barrier));
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

static void take(ptx_report *r, ptx_values *v, const ptx_step *step, expectation *e) {
    tma_ptx_parts parts;
    const uint32_t i = r->is_site[step->row] ? ptx_site_at(r, step->row) : PTX_NONE;
    if (i != PTX_NONE) {
        ptx_site *site = &r->site[i];
        if (site->unread) {
            e->open = 1;
        } else if (site->s.kind == TMA_PTX_COPY && site->s.in.op == TMA_OP_LOAD) {
            add(e, v, step, site);
        }
        return;
    }
    if (v->g->codes->code[step->row].op != PTX_OP_OTHER ||
        tma_ptx_split(&parts, &r->rows.row[step->row].piece)) {
        return;
    }
    if (tma_ptx_is(&parts, "mbarrier", "expect_tx")) {
        begin(r, v, step, &parts, e);
    } else if (tma_ptx_is(&parts, "cp", "bulk") || tma_ptx_is(&parts, "st", "async") ||
               tma_ptx_is(&parts, "mbarrier", "complete_tx")) {
        e->open = 1; /* moves bytes too */
    }
}

void ptx_expect_check(ptx_report *r, ptx_values *v) {
    for (uint32_t i = 0; i < v->g->nodes; i++) {
        const ptx_node *node = &v->g->node[i];
        expectation e = {.row = PTX_NONE};
        for (uint32_t k = node->first; k < node->end; k++) {
            if (v->g->step[k].kind == PTX_STEP_ROW) {
                if (ptx_step_is_opaque(v->g, &v->g->step[k])) {
                    finish(r, &e);
                }
                take(r, v, &v->g->step[k], &e);
            }
        }
        finish(r, &e);
    }
}
