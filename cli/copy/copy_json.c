/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies as JSON.
 */
#include "copy_json.h"

#include "verdict.h"

void copy_instruction_json(tma_json *json, const copy_args *args) {
    const tma_instruction *in = &args->asked.copy.in;
    const uint32_t rank = args->asked.map.spec.rank;
    tma_json_object(json, "instruction");
    tma_json_text(json, "op", tma_op_name(in->op));
    tma_json_text(json, "mode", tma_mode_name(in->mode));
    tma_json_list(json, "coord");
    for (uint32_t i = 0; i < tma_mode_coords(in->mode, rank) && i < TMA_MAX_RANK; i++) {
        tma_json_i64(json, NULL, args->asked.copy.at.coord[i]);
    }
    tma_json_end(json);
    tma_json_list(json, "offset");
    for (uint32_t i = 0; i < tma_mode_offsets(in->op, in->mode, rank); i++) {
        tma_json_u64(json, NULL, args->asked.copy.at.offset[i]);
    }
    tma_json_end(json);
    tma_out ptx = tma_json_text_out(json, "ptx");
    tma_put_overriding(&ptx, in, rank, &args->asked.copy.at, &args->asked.copy.override);
    tma_json_text_end(json);
    tma_json_end(json);
}

void copy_read_as_json(tma_json *json, const copy_args *copy) {
    if (tma_plan_readings(&copy->plan, &copy->asked.copy.at)) {
        tma_out readings = tma_json_text_out(json, "read_as");
        tma_put_plan_readings(&readings, &copy->plan, &copy->asked.copy.at);
        tma_json_text_end(json);
    } else {
        tma_json_text(json, "read_as", NULL);
    }
}

void copy_notes_json(tma_json *json, const copy_args *copy) {
    tma_finding notes[COPY_MOST_NOTES];
    const size_t count = copy_notes_of(notes, copy);
    tma_json_list(json, "notes");
    for (size_t i = 0; i < count; i++) {
        tma_json_finding(json, NULL, &notes[i]);
    }
    tma_json_end(json);
    copy_read_as_json(json, copy);
}

/* The bytes of shared memory, as hexadecimal digits. */
static void window_json(tma_json *json, const tma_window *window) {
    tma_json_object(json, "shared");
    tma_json_hex(json, "address", window->address);
    tma_out hex = tma_json_text_out(json, "bytes");
    tma_put_hex_bytes(&hex, window->host, window->size_B);
    tma_json_text_end(json);
    tma_json_end(json);
}

void copy_refused_json(const char *verb, const copy_args *copy) {
    verdict v;
    out_json line;
    tma_json *json = out_json_begin(&line, verb);
    verdict_of(&v, &copy->asked.map.spec, &copy->asked.map.target.target);
    tma_json_target(json, "target", &copy->asked.map.target.target);
    tma_json_spec(json, "spec", &copy->asked.map.spec);
    tma_json_null(json, "instruction");
    tma_json_bool(json, "runs", 0);
    verdict_json(json, &v, &copy->asked.map.spec, TMA_SEVERITY_REFUSED);
    out_json_end(&line);
}

void copy_done_json(const char *verb, const copy_args *copy, const copy_memory *memory,
                    tma_status status, const tma_finding *why) {
    out_json line;
    tma_json *json = out_json_begin(&line, verb);
    tma_json_target(json, "target", &copy->asked.map.target.target);
    tma_json_spec(json, "spec", &copy->asked.map.spec);
    copy_instruction_json(json, copy);
    tma_json_bool(json, "runs", status == TMA_OK);
    if (status == TMA_OK) {
        tma_json_null(json, "finding");
        tma_json_report(json, "report", &copy->plan, &copy->report);
        if (copy->asked.copy.in.inspection) {
            tma_json_text(json, "mbarrier_report", tma_inspect_name(memory_inspect(memory, copy)));
        }
        copy_notes_json(json, copy);
        window_json(json, &memory->window);
    } else {
        tma_json_finding(json, "finding", why);
        copy_read_as_json(json, copy);
    }
    out_json_end(&line);
}
