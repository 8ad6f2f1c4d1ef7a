/* SPDX-License-Identifier: Apache-2.0
 *
 * The copy that the page shows: whether it runs, what it moves, what its sliders reach.
 */
#include "answer.h"
#include "tma/measure.h"
#include "tma/plan.h"

#define NOTES 16

static void notes(tma_json *json, const tma_plan *plan, const tma_position *at) {
    tma_finding found[NOTES];
    const size_t count = tma_plan_notes(found, NOTES, plan, at);
    tma_json_list(json, "notes");
    for (size_t i = 0; i < count && i < NOTES; i++) {
        tma_json_finding(json, NULL, &found[i]);
    }
    tma_json_end(json);
}

/* Of the coordinates of gather4 and scatter4; the others have a number alone. */
static const char *const rows4_names[TMA_MAX_RANK] = {"column", "row 0", "row 1", "row 2", "row 3"};

static void slider(tma_json *json, const char *option, const char *name, uint32_t index,
                   int64_t value, int64_t first, int64_t last, uint64_t step) {
    tma_json_object(json, NULL);
    tma_json_text(json, "option", option);
    tma_json_text(json, "name", name);
    tma_json_u64(json, "index", index);
    tma_json_i64(json, "value", value);
    tma_json_i64(json, "first", first);
    tma_json_i64(json, "last", last > INT32_MAX ? INT32_MAX : last);
    tma_json_u64(json, "step", step);
    tma_json_end(json);
}

/* A box's width outside the tensor on both sides, in steps that do not trap. */
static void sliders(tma_json *json, const ask_text *request, const tma_target *target) {
    const tma_spec *s = &request->asked.map.spec;
    const tma_copy_words *copy = &request->asked.copy;
    const uint32_t mode = copy->in.mode;
    const int is_rows4 = tma_mode_is_rows4(mode);
    const uint32_t coords = tma_mode_coords(mode, s->rank);
    const uint32_t offsets = tma_mode_offsets(copy->in.op, mode, s->rank);
    tma_measure_result m = {.coord0_el = 1};
    if (tma_measure(&m, s, target) != TMA_OK) {
        m.coord0_el = 1;
    }
    tma_json_list(json, "sliders");
    for (uint32_t i = 0; i < coords && i < TMA_MAX_RANK; i++) {
        const uint32_t dim = is_rows4 && i ? 1 : i;
        const uint64_t step = i ? 1 : m.coord0_el;
        const int64_t box =
            s->api == TMA_API_TILED ? (int64_t)s->box_el[dim] : (int64_t)(i ? 8 : 0);
        const uint64_t size = s->dim_el[dim] < INT32_MAX ? s->dim_el[dim] : INT32_MAX;
        const int64_t out = box / (int64_t)step * (int64_t)step;
        slider(json, "coord", is_rows4 ? rows4_names[i] : NULL, i, copy->at.coord[i], -out,
               (int64_t)(size / step * step) + out, step);
    }
    for (uint32_t i = 0; i < offsets; i++) {
        const char *name = !tma_mode_is_wide(mode) ? "offset" : i ? "w-offset" : "w-halo";
        slider(json, name, NULL, tma_mode_is_wide(mode) ? 0 : i, copy->at.offset[i], 0, 31, 1);
    }
    tma_json_end(json);
}

void page_answer_copy(tma_json *json, ask_text *request) {
    const tma_target *target = &request->asked.map.target.target;
    tma_copy_words *copy = &request->asked.copy;
    tma_plan plan;
    tma_report_result report;
    tma_finding why = {0};
    tma_json_object(json, "copy");
    tma_json_text(json, "op", tma_op_name(copy->in.op));
    tma_json_text(json, "mode", tma_mode_name(copy->in.mode));
    if (*request->unfit.text) {
        tma_json_text(json, "error", request->unfit.text);
        sliders(json, request, target);
        tma_json_end(json);
        return;
    }
    tma_out ptx = tma_json_text_out(json, "ptx");
    tma_put_instruction(&ptx, &copy->in, request->asked.map.spec.rank, &copy->at);
    tma_json_text_end(json);
    const tma_status status = ask_plan(&plan, &report, &why, &request->asked);
    tma_json_text(json, "status", tma_status_name(status));
    if (status != TMA_OK) {
        tma_json_text(json, "trap", status == TMA_TRAP ? tma_trap_name(&why) : "");
        tma_json_finding(json, "finding", &why);
    } else {
        tma_json_report(json, "report", &plan, &report);
        notes(json, &plan, &copy->at);
    }
    sliders(json, request, target);
    tma_json_end(json);
}
