/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans in JSON.
 */
#include "copy_words.h"
#include "out_json.h"
#include "plan_view.h"
#include "tma/walk.h"

static json_t *coords_json(const int64_t *list, uint32_t count) {
    json_t *array = json_array();
    for (uint32_t i = 0; i < count; i++) {
        json_add(array, json_integer(list[i]));
    }
    return array;
}

static json_t *counts_json(const plan_view *v) {
    json_t *array = json_array();
    const uint32_t count = copy_is_im2col(v->args->plan.mode) ? 2 : v->args->plan.rank;
    for (uint32_t i = 0; i < count; i++) {
        json_add(array, json_integer(v->report.count[i]));
    }
    return array;
}

static json_t *report_json(const plan_view *v) {
    const tma_report_result *r = &v->report;
    json_t *object = json_object();
    json_put(object, "count", counts_json(v));
    json_put(object, "tx_B", json_number(r->tx_B));
    json_put(object, "inside_B", json_number(r->inside_B));
    json_put(object, "fill_B", json_number(r->fill_B));
    json_put(object, "dropped_B", json_number(r->dropped_B));
    json_put(object, "past_edge_B", json_number(r->past_edge_B));
    return object;
}

static json_t *shared_json(const plan_view *v) {
    const tma_plan *plan = &v->args->plan;
    const uint32_t pattern_B = plan_pattern_B(v);
    json_t *object = json_object();
    json_put(object, "address", json_hex(v->args->at.shared_address));
    json_put(object, "rows", json_integer(v->report.rows));
    json_put(object, "row_B", json_integer(plan->row_shared_B));
    json_put(object, "pitch_B", json_integer(plan->pitch_B));
    json_put(object, "footprint_B", json_number(v->report.footprint_B));
    json_put(object, "align_B", v->has_measure ? json_integer(v->measure.align_B) : json_null());
    json_put(object, "pattern_B", pattern_B ? json_integer(pattern_B) : json_null());
    return object;
}

static json_t *global_json(const plan_view *v) {
    json_t *object = json_object();
    json_put(object, "bytes_B", json_number(v->report.global_B));
    json_put(object, "first", json_hex(v->report.global_first));
    json_put(object, "end", json_hex(v->report.global_end));
    json_put(object, "sectors", json_number(v->global.sectors));
    json_put(object, "lines", json_number(v->global.lines));
    return object;
}

static json_t *banks_json(const plan_view *v) {
    json_t *array = json_array();
    for (uint32_t i = 0; i < TMA_READERS; i++) {
        if (!v->has_banks[i]) {
            continue;
        }
        json_t *object = json_object();
        json_put(object, "reader", json_string(tma_reader_name(i)));
        json_put(object, "phases", json_integer(v->banks[i].phases));
        json_put(object, "wavefronts", json_integer(v->banks[i].wavefronts));
        json_put(object, "worst", json_integer(v->banks[i].worst));
        json_add(array, object);
    }
    return array;
}

void plan_json(json_t *object, const plan_view *v) {
    const int in_shared = v->args->plan.op != TMA_OP_PREFETCH;
    json_put(object, "standing", json_string(tma_standing_name(v->args->plan.standing)));
    if (!v->is_counted) {
        json_put(object, "report", json_null());
        return;
    }
    json_put(object, "report", report_json(v));
    json_put(object, "shared", in_shared ? shared_json(v) : json_null());
    json_put(object, "coord0_el",
             v->has_measure ? json_integer(v->measure.coord0_el) : json_null());
    json_put(object, "global", global_json(v));
    json_put(object, "banks", banks_json(v));
}

typedef struct walk_collector {
    json_t *array;
    const tma_plan *plan;
} walk_collector;

static int collect_run(void *context, const tma_run *run) {
    const walk_collector *w = context;
    const int has_address = run->kind == TMA_RUN_INSIDE || run->kind == TMA_RUN_PAST_EDGE;
    json_t *object = json_object();
    json_put(object, "row", json_integer(run->row));
    json_put(object, "offset_B", json_integer(run->offset_B));
    json_put(object, "kind", json_string(plan_run_kind(w->plan, run->kind)));
    json_put(object, "coord", coords_json(run->coord, run->rank));
    json_put(object, "address", has_address ? json_hex(run->address) : json_null());
    json_put(object, "shared", json_hex(run->shared_address));
    json_put(object, "length_B", json_integer(run->length_B));
    json_put(object, "global_length_B",
             has_address ? json_integer(run->global_length_B) : json_integer(0));
    json_add(w->array, object);
    return 0;
}

json_t *plan_walk_json(const copy_args *args) {
    walk_collector collector = {json_array(), &args->plan};
    tma_walk(&args->plan, &args->at, collect_run, &collector);
    return collector.array;
}
