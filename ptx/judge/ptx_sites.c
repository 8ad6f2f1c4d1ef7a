/* SPDX-License-Identifier: Apache-2.0
 *
 * The tensor instructions of a PTX file, and the order in which its kernels and functions are
 * judged.
 */
#include "ptx_sites.h"

#include <string.h>

#include "ptx_constant.h"
#include "tma/detail/chars.h"

/* The bytes of an initialiser; 0 if they are not those of one map. */
static int map_of(const tma_ptx_variable *v, uint8_t bytes[TMA_MAP_BYTES]) {
    tma_ptx_span rest = v->values;
    size_t at = 0;
    while (rest.length && v->element_B && at + v->element_B <= TMA_MAP_BYTES) {
        size_t length = 0;
        while (length < rest.length && rest.at[length] != ',') {
            length++;
        }
        const size_t whole = length + (length < rest.length); /* its comma too */
        int64_t value = 0;
        if (!ptx_constant((tma_ptx_span){rest.at, length}, &value)) {
            return 0;
        }
        for (uint32_t k = 0; k < v->element_B; k++) {
            bytes[at++] = (uint8_t)((uint64_t)value >> 8 * k);
        }
        rest.at += whole;
        rest.length -= whole;
    }
    return at == TMA_MAP_BYTES && !rest.length;
}

/* Variables of the file that are as large as a map, and nobody writes. */
static void take_constants(ptx_report *r) {
    for (uint32_t i = 0; i < r->rows.variables; i++) {
        const ptx_variable *v = &r->rows.variable[i];
        ptx_given given = {.name = v->v.name, .variable = i};
        if (v->v.element_B <= 8 && v->v.values.length && map_of(&v->v, given.map.bytes)) {
            PTX_APPEND(r, given, givens, given);
        }
    }
}

static void take_row(ptx_report *r, uint32_t row) {
    const tma_ptx_piece *piece = &r->rows.row[row].piece;
    ptx_site site = {.row = row, .given = PTX_NONE, .layout = PTX_NONE, .expect_row = PTX_NONE};
    tma_error error;
    if (piece->kind == TMA_PTX_PIECE_INSTRUCTION) {
        site.unread = tma_ptx_parse(&site.s, piece->at, piece->size, &error) != TMA_OK;
        if (!site.unread && site.s.kind == TMA_PTX_OTHER) {
            return;
        }
        PTX_APPEND(r, site, sites, site);
        if (site.unread) {
            ptx_break(r, r->sites - 1, row, PTX_RULE_UNREAD, "not understood: %s", error.text);
        }
    } else if (piece->kind == TMA_PTX_PIECE_UNKNOWN && r->rows.row[row].function != PTX_NONE) {
        char text[256];
        tma_out out = tma_out_into(text, sizeof(text));
        ptx_rows_put(&out, &r->rows, row, 60);
        ptx_break(r, PTX_NONE, row, PTX_RULE_PIECE, "not understood: %s", text);
    }
}

static void judge_root(ptx_report *r, ptx_values *v) {
    const ptx_graph *g = v->g;
    for (uint32_t i = 0; i < g->steps; i++) {
        const ptx_step *step = &g->step[i];
        const uint32_t at = r->is_site[step->row] ? ptx_site_at(r, step->row) : PTX_NONE;
        if (at == PTX_NONE && step->kind == PTX_STEP_ROW) {
            ptx_bulk_judge(r, v, step);
        }
        if (at == PTX_NONE || step->kind != PTX_STEP_ROW || r->site[at].unread) {
            continue;
        }
        if (g->node[step->block].order == PTX_NONE || !ptx_value_guard(v, step)) {
            r->site[at].is_idle = 1;
        } else {
            ptx_site_judge(r, v, step, at);
        }
    }
    ptx_expect_check(r, v);
    ptx_protocol_check(r, v);
}

/* What is not known of a kernel's values for want of room or steps. */
static void take_unjudged(ptx_report *r, const ptx_values *v) {
    if (v->g->beyond) {
        ptx_leave_unjudged(r, v->g->root, PTX_BUDGET_CALLS);
    }
    if (v->lost_places) {
        ptx_leave_unjudged(r, v->g->root, PTX_BUDGET_VALUES);
    }
    if (v->has_unkept) {
        ptx_leave_unjudged(r, v->g->root, PTX_BUDGET_KEPT);
    }
}

/* One kernel or function with what it calls; where nothing of it is asked its values are not
 * followed. */
static void take_root(ptx_report *r, uint32_t function, int written) {
    ptx_graph g;
    ptx_values v;
    const ptx_mark mark = ptx_memory_mark(&r->work);
    int asked = written;
    if (ptx_graph_make(&g, &r->work, &r->functions, &r->codes, function, 1)) {
        r->memory->failed = 1;
        return;
    }
    for (uint32_t i = 0; i < g.steps; i++) {
        asked |= r->is_site[g.step[i].row] || ptx_protocol_asks(&r->codes, g.step[i].row);
    }
    if (asked && ptx_values_make(&v, &r->work, &g)) {
        r->memory->failed = 1;
        return;
    }
    if (asked) {
        take_unjudged(r, &v);
    }
    if (written) {
        ptx_written_take(r, &v);
    } else if (asked) {
        judge_root(r, &v);
    }
    ptx_memory_back(&r->work, mark);
}

/* Kernels, and functions that others may call. */
static void take_roots(ptx_report *r, int written) {
    for (uint32_t i = 0; i < r->rows.functions && !r->memory->failed; i++) {
        const ptx_function *f = &r->rows.function[i];
        if (f->first < f->end && (f->is_entry || f->is_outside || written)) {
            take_root(r, i, written);
        }
    }
}

/* Whether some map whose bytes are known may be where kernels can write it. */
static int has_writable(const ptx_report *r) {
    for (uint32_t i = 0; i < r->givens; i++) {
        const uint32_t variable = r->given[i].variable;
        if (variable == PTX_NONE || !ptx_is_text(r->rows.variable[variable].v.space, "const")) {
            return 1;
        }
    }
    return 0;
}

/* Functions that the file calls are judged where they are called, unless others may call them. */
static void judge_all(ptx_report *r) {
    if (has_writable(r)) {
        take_roots(r, 1);
    }
    take_roots(r, 0);
    for (uint32_t i = 0; i < r->sites && !r->memory->failed; i++) {
        const uint32_t function = r->rows.row[r->site[i].row].function;
        if (r->site[i].is_seen || r->site[i].unread) {
            continue;
        }
        if (!r->site[i].is_idle && function != PTX_NONE) {
            take_root(r, function, 0);
        }
        if (!r->site[i].is_seen) {
            ptx_site_judge_text(r, i);
        }
    }
}

/* From its rows, codes and functions on. */
static int judge_file(ptx_report *r, const ptx_given *given, uint32_t givens) {
    r->is_site = ptx_memory_take(r->memory, (size_t)r->rows.rows + 1, 1);
    r->is_written = ptx_memory_take(r->memory, (size_t)r->rows.variables + 1, 1);
    if (!r->is_site || !r->is_written) {
        return -1;
    }
    r->mma_work = 64 * ((uint64_t)r->rows.rows + 100000);
    for (uint32_t i = 0; i < givens; i++) {
        PTX_APPEND(r, given, givens, given[i]);
        if (r->givens) {
            r->given[r->givens - 1].variable = PTX_NONE;
        }
    }
    take_constants(r);
    for (uint32_t row = 0; row < r->rows.rows && !r->memory->failed; row++) {
        take_row(r, row);
    }
    for (uint32_t i = 0; i < r->sites; i++) {
        r->is_site[r->site[i].row] = 1;
    }
    r->outside = r->rows.unknown;
    for (uint32_t i = 0; i < r->rows.rows; i++) {
        r->outside -= r->rows.row[i].function != PTX_NONE &&
                      r->rows.row[i].piece.kind == TMA_PTX_PIECE_UNKNOWN;
    }
    judge_all(r);
    ptx_plain_forms(r);
    if (r->rows.open) {
        ptx_break(r, PTX_NONE, r->rows.rows - 1, PTX_RULE_PIECE,
                  "the file ends inside %u open block%s", r->rows.open, text_plural(r->rows.open));
    }
    ptx_findings_sort(r);
    return r->memory->failed ? -1 : 0;
}

static void begin(ptx_report *r, ptx_more more, void *context) {
    memset(r, 0, sizeof(*r));
    r->kept = ptx_memory_of(more, context);
    r->work = ptx_memory_of(more, context);
    r->memory = &r->kept;
}

int ptx_report_make(ptx_report *r, ptx_more more, void *context, const char *text, size_t size,
                    const ptx_given *given, uint32_t givens, const tma_target *arch) {
    begin(r, more, context);
    r->arch = arch;
    return ptx_rows_read(&r->rows, r->memory, text, size) ||
                   ptx_codes_read(&r->codes, r->memory, &r->rows) ||
                   ptx_functions_read(&r->functions, r->memory, &r->rows)
               ? -1
               : judge_file(r, given, givens);
}

int ptx_report_of(ptx_report *r, ptx_more more, void *context, const ptx_reading *reading) {
    begin(r, more, context);
    r->rows = reading->rows;
    r->codes = reading->codes;
    r->functions = reading->functions;
    return judge_file(r, NULL, 0);
}
