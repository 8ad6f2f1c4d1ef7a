/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans in JSON.
 */
#include "plan_view.h"
#include "tma/walk.h"

/* A number that is null where there is none. */
static void maybe(tma_json *json, const char *key, int is_there, uint64_t number) {
    if (is_there) {
        tma_json_u64(json, key, number);
    } else {
        tma_json_null(json, key);
    }
}

static void shared_json(tma_json *json, const plan_view *v) {
    const tma_plan *plan = &v->args->plan;
    const tma_plan_facts *const facts = tma_plan_info(plan);
    const uint32_t pattern_B = plan_pattern_B(v);
    if (facts->op == TMA_OP_PREFETCH) {
        tma_json_null(json, "shared");
        return;
    }
    tma_json_object(json, "shared");
    tma_json_hex(json, "address", v->args->asked.copy.at.shared_address);
    tma_json_u64(json, "rows", v->report.rows);
    tma_json_u64(json, "row_B", facts->row_shared_B);
    tma_json_u64(json, "pitch_B", facts->pitch_B);
    tma_json_u64(json, "footprint_B", v->report.footprint_B);
    maybe(json, "align_B", v->has_measure, v->measure.align_B);
    maybe(json, "pattern_B", pattern_B != 0, pattern_B);
    tma_json_end(json);
}

static void global_json(tma_json *json, const plan_view *v) {
    tma_json_object(json, "global");
    tma_json_u64(json, "global_B", v->report.global_B);
    tma_json_hex(json, "address", v->report.global_first);
    tma_json_hex(json, "end", v->report.global_end);
    tma_json_u64(json, "sectors", v->global.sectors);
    tma_json_u64(json, "lines", v->global.lines);
    tma_json_end(json);
}

static void banks_json(tma_json *json, const plan_view *v) {
    tma_json_list(json, "banks");
    for (uint32_t i = 0; i < TMA_READERS; i++) {
        if (v->has_banks[i]) {
            tma_json_object(json, NULL);
            tma_json_text(json, "reader", tma_reader_name(i));
            tma_json_u64(json, "phases", v->banks[i].phases);
            tma_json_u64(json, "wavefronts", v->banks[i].wavefronts);
            tma_json_u64(json, "worst", v->banks[i].worst);
            tma_json_end(json);
        }
    }
    tma_json_end(json);
}

void plan_json(tma_json *json, const plan_view *v) {
    tma_json_text(json, "standing", tma_standing_name(tma_plan_info(&v->args->plan)->standing));
    if (!v->is_counted && ask_is_reported(&v->args->plan)) {
        tma_json_report(json, "report", &v->args->plan, &v->report);
        return;
    }
    if (!v->is_counted) {
        tma_json_null(json, "report");
        return;
    }
    tma_json_report(json, "report", &v->args->plan, &v->report);
    shared_json(json, v);
    maybe(json, "coord0_el", v->has_measure, v->measure.coord0_el);
    global_json(json, v);
    banks_json(json, v);
}

typedef struct run_writer {
    tma_json *json;
    const tma_plan *plan;
} run_writer;

static int put_run(void *context, const tma_run *run) {
    const run_writer *w = context;
    tma_json *json = w->json;
    const int has_address = run->kind == TMA_RUN_INSIDE || run->kind == TMA_RUN_PAST_EDGE;
    tma_json_object(json, NULL);
    tma_json_u64(json, "row", run->row);
    tma_json_u64(json, "offset_B", run->offset_B);
    tma_json_text(json, "kind", plan_run_kind(w->plan, run->kind));
    tma_json_list(json, "coord");
    for (uint32_t i = 0; i < run->rank; i++) {
        tma_json_i64(json, NULL, run->coord[i]);
    }
    tma_json_end(json);
    if (has_address) {
        tma_json_hex(json, "address", run->address);
    } else {
        tma_json_null(json, "address");
    }
    tma_json_hex(json, "shared_address", run->shared_address);
    tma_json_u64(json, "length_B", run->length_B);
    tma_json_u64(json, "global_length_B", has_address ? run->global_length_B : 0);
    tma_json_end(json);
    return 0;
}

void plan_walk_json(tma_json *json, const copy_args *args) {
    run_writer writer = {json, &args->plan};
    tma_json_list(json, "walk");
    tma_walk(&args->plan, &args->asked.copy.at, put_run, &writer);
    tma_json_end(json);
}
