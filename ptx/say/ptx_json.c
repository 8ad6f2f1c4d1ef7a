/* SPDX-License-Identifier: Apache-2.0
 *
 * What was found, as JSON.
 */
#include "ptx_said.h"

static void put_span(tma_json *json, const char *key, tma_ptx_span s) {
    tma_out out = tma_json_text_out(json, key);
    tma_put_bytes(&out, s.at, s.length);
    tma_json_text_end(json);
}

static void put_value(tma_json *json, const char *key, const ptx_known *value) {
    char text[300];
    tma_json_text(json, key, ptx_known_text(value, text, sizeof(text)) ? text : NULL);
}

static void put_modules(tma_json *json, const ptx_report *r) {
    tma_json_list(json, "modules");
    for (uint32_t i = 0; i < r->rows.modules; i++) {
        const ptx_module *m = &r->rows.module[i];
        tma_json_object(json, NULL);
        if (m->version) {
            tma_out version = tma_json_text_out(json, "version");
            tma_putf(&version, "%u.%u", m->version / 10, m->version % 10);
            tma_json_text_end(json);
        } else {
            tma_json_null(json, "version");
        }
        put_span(json, "target", m->target_name);
        tma_json_bool(json, "known_target", m->is_known);
        tma_json_end(json);
    }
    tma_json_end(json);
}

static void put_source(tma_json *json, const char *key, const ptx_source *source) {
    tma_json_object(json, key);
    put_span(json, "file", source->file);
    tma_json_u64(json, "line", source->line);
    tma_json_u64(json, "column", source->column);
    tma_json_end(json);
}

static void put_where(tma_json *json, const ptx_report *r, uint32_t row) {
    ptx_source outer;
    ptx_source inner;
    int inlined = 0;
    const uint32_t function = r->rows.row[row].function;
    tma_json_u64(json, "line", r->rows.row[row].piece.line);
    if (function == PTX_NONE) {
        tma_json_null(json, "function");
    } else {
        put_span(json, "function", r->rows.function[function].name);
    }
    if (!ptx_rows_source(&r->rows, row, &outer, &inner, &inlined)) {
        tma_json_null(json, "source");
        tma_json_null(json, "inlined_from");
        return;
    }
    put_source(json, "source", &outer);
    if (inlined) {
        put_source(json, "inlined_from", &inner);
    } else {
        tma_json_null(json, "inlined_from");
    }
}

static void put_way(tma_json *json, const ptx_report *r, const ptx_finding *f) {
    if (!f->passed) {
        tma_json_null(json, "way");
        return;
    }
    tma_json_list(json, "way");
    for (uint32_t i = 0; i < f->passed; i++) {
        tma_json_object(json, NULL);
        put_where(json, r, f->way[i].row);
        tma_json_text(json, "kind", ptx_passed_name(&f->way[i]));
        tma_out text = tma_json_text_out(json, "text");
        ptx_passed_put(&text, r, &f->way[i]);
        tma_json_text_end(json);
        char says[PTX_MOST_SAYS];
        tma_json_text(json, "says", ptx_passed_says(says, r, &f->way[i]));
        tma_json_u64(json, "left_out", f->way[i].left_out);
        tma_json_end(json);
    }
    tma_json_end(json);
}

static void put_finding(tma_json *json, const ptx_report *r, const ptx_finding *f) {
    tma_json_text(json, "rule", f->rule);
    tma_json_bool(json, "certain", f->certain);
    tma_json_text(json, "text", f->text);
    if (f->with) {
        tma_json_u64(json, "other_line", r->rows.row[f->with - 1].piece.line);
    } else {
        tma_json_null(json, "other_line");
    }
    put_way(json, r, f);
}

static void put_numbers(tma_json *json, const char *key, const tma_ptx_operand *list,
                        uint32_t count) {
    tma_json_list(json, key);
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].kind == TMA_PTX_NUMBER) {
            tma_json_i64(json, NULL, list[i].value);
        } else {
            tma_json_null(json, NULL);
        }
    }
    tma_json_end(json);
}

static void put_copy(tma_json *json, const ptx_report *r, const ptx_site *s) {
    const int expected = s->expect_row != PTX_NONE;
    tma_json_text(json, "op", tma_op_name(s->s.in.op));
    tma_json_text(json, "mode", tma_mode_name(s->s.in.mode));
    tma_json_u64(json, "rank", s->s.in.rank);
    put_numbers(json, "coord", s->known.coord, s->known.coords);
    put_numbers(json, "offset", s->known.offset, s->known.offsets);
    put_value(json, "barrier_address", &s->barrier);
    if (s->has_bytes) {
        tma_json_u64(json, "copy_B", s->bytes_B);
    } else {
        tma_json_null(json, "copy_B");
    }
    if (expected) {
        tma_json_u64(json, "expected", s->expect_B);
        tma_json_u64(json, "expected_line", r->rows.row[s->expect_row].piece.line);
    } else {
        tma_json_null(json, "expected");
        tma_json_null(json, "expected_line");
    }
}

static void put_site(tma_json *json, const ptx_report *r, uint32_t i) {
    const ptx_site *s = &r->site[i];
    const tma_ptx_piece *piece = &r->rows.row[s->row].piece;
    tma_json_object(json, NULL);
    put_where(json, r, s->row);
    tma_json_bool(json, "understood", !s->unread);
    if (s->unread) {
        put_span(json, "text", (tma_ptx_span){piece->at, piece->size});
    } else {
        tma_json_text(json, "kind", tma_ptx_kind_name(s->s.kind));
        tma_out text = tma_json_text_out(json, "text");
        tma_ptx_print(&text, &s->s);
        tma_json_text_end(json);
        put_value(json, "map", &s->map);
        put_value(json, "shared_address", &s->shared);
        if (s->s.kind <= TMA_PTX_PREFETCH) {
            put_copy(json, r, s);
        }
    }
    tma_json_list(json, "findings");
    for (uint32_t k = ptx_finding_of(r, i, PTX_NONE); k != PTX_NONE; k = ptx_finding_of(r, i, k)) {
        tma_json_object(json, NULL);
        put_finding(json, r, &r->finding[k]);
        tma_json_end(json);
    }
    tma_json_end(json);
    tma_json_end(json);
}

static void put_unjudged(tma_json *json, const ptx_report *r, const ptx_unjudged *u) {
    const ptx_function *f = &r->rows.function[u->function];
    const uint64_t rules = ptx_unjudged_rules(u);
    tma_json_object(json, NULL);
    put_span(json, "function", f->name);
    tma_json_u64(json, "line", r->rows.row[f->first].piece.line);
    tma_json_u64(json, "last_line", r->rows.row[f->end - 1].piece.line);
    tma_json_list(json, "by_rules");
    for (size_t i = 0; i < PTX_RULES; i++) {
        if (rules >> i & 1) {
            tma_json_text(json, NULL, ptx_rule_at(i)->name);
        }
    }
    tma_json_end(json);
    tma_json_list(json, "bounds");
    for (int i = 0; i < PTX_BUDGETS; i++) {
        if (u->budgets >> i & 1) {
            tma_json_text(json, NULL, ptx_budget_of((ptx_budget)i));
        }
    }
    tma_json_end(json);
    tma_json_end(json);
}

static void put_others(tma_json *json, const ptx_report *r) {
    char text[PTX_MOST_NOTE];
    const char *note;
    tma_json_list(json, "findings");
    for (uint32_t k = 0; k < r->findings; k++) {
        if (r->finding[k].site == PTX_NONE) {
            tma_json_object(json, NULL);
            put_finding(json, r, &r->finding[k]);
            put_where(json, r, r->finding[k].row);
            tma_json_end(json);
        }
    }
    tma_json_end(json);
    tma_json_list(json, "notes");
    for (int i = 0; (note = ptx_note(r, i, text, sizeof(text))) != NULL; i++) {
        tma_json_text(json, NULL, note);
    }
    tma_json_end(json);
    tma_json_list(json, "not_judged");
    if (ptx_lacks_map(r)) {
        tma_json_text(json, NULL, PTX_A_MAP_SHOWS);
    }
    if (ptx_kernels_of(r)) {
        tma_json_text(json, NULL, PTX_A_LAUNCH_SHOWS);
    }
    tma_json_end(json);
    tma_json_list(json, "unjudged");
    for (uint32_t i = 0; i < r->unjudged_count; i++) {
        put_unjudged(json, r, &r->unjudged[i]);
    }
    tma_json_end(json);
}

void ptx_report_json(tma_json *json, const ptx_report *r, int findings_only) {
    put_modules(json, r);
    tma_json_list(json, "instructions");
    for (uint32_t i = 0; i < r->sites; i++) {
        if (!findings_only || ptx_has_finding(r, i)) {
            put_site(json, r, i);
        }
    }
    tma_json_end(json);
    put_others(json, r);
    tma_json_u64(json, "sites", r->sites);
    tma_json_u64(json, "finding_count", r->findings);
}
