/* SPDX-License-Identifier: Apache-2.0
 *
 * Specs, targets, findings, rules, measures and maps as JSON.
 */
#include "tma/json.h"

#include "spec_table.h"

void tma_json_enum(tma_json *json, const char *key, tma_enum_kind kind, uint32_t number) {
    const tma_enum_row *row = tma_enum_row_of(kind, number);
    if (row) {
        tma_json_text(json, key, row->name);
    } else {
        tma_json_u64(json, key, number);
    }
}

static void value(tma_json *json, const char *key, const tma_spec *spec, const spec_row *row,
                  uint32_t i) {
    const uint64_t number = tma_spec_get(spec, row, i);
    if (row->form == NAME) {
        tma_json_enum(json, key, row->names, (uint32_t)number);
    } else if (row->form == U64) {
        tma_json_hex(json, key, number);
    } else if (row->form == LIST_I32) {
        tma_json_i64(json, key, (int64_t)number);
    } else {
        tma_json_u64(json, key, number);
    }
}

/* "element_stride" of "element-stride". */
static void key_of(const spec_row *row, char key[32]) {
    tma_out out = tma_out_into(key, 32);
    tma_put(&out, row->name);
    for (char *c = key; *c; c++) {
        if (*c == '-') {
            *c = '_';
        }
    }
}

void tma_json_spec(tma_json *json, const char *key, const tma_spec *spec) {
    tma_json_object(json, key);
    for (uint32_t option = 0; option < TMA_SPEC_OPTIONS; option++) {
        const spec_row *row = &tma_spec_rows[option];
        char name[32];
        key_of(row, name);
        if (spec_has(row, spec->api) && spec_is_list(row)) {
            tma_json_list(json, name);
            for (uint32_t i = 0; i < tma_spec_entries(spec, (tma_spec_option)option); i++) {
                value(json, NULL, spec, row, i);
            }
            tma_json_end(json);
        } else if (spec_has(row, spec->api)) {
            value(json, name, spec, row, 0);
        }
    }
    tma_json_end(json);
}

void tma_json_target(tma_json *json, const char *key, const tma_target *target) {
    tma_json_object(json, key);
    tma_json_text(json, "arch", tma_arch_text(target));
    tma_out driver = tma_json_text_out(json, "driver");
    tma_put_driver(&driver, target->driver);
    tma_json_text_end(json);
    if (target->ptx) {
        tma_out version = tma_json_text_out(json, "ptx_version");
        tma_put_ptx_version(&version, target->ptx);
        tma_json_text_end(json);
    }
    tma_json_end(json);
}

/* A number of a finding in the unit that it has there. */
static void in_unit(tma_json *json, const char *key, const tma_finding *f, uint32_t unit,
                    uint64_t number) {
    if (unit == TMA_UNIT_PX || f->argument == TMA_ARG_LOWER || f->argument == TMA_ARG_UPPER ||
        f->argument == TMA_ARG_COORD) {
        tma_json_i64(json, key, (int64_t)number);
    } else if (unit == TMA_UNIT_ADDRESS) {
        tma_json_hex(json, key, number);
    } else {
        tma_json_u64(json, key, number);
    }
}

void tma_json_finding(tma_json *json, const char *key, const tma_finding *f) {
    char text[1024];
    const tma_rule *rule = tma_rule_of(f->rule);
    const uint32_t own = f->argument == TMA_ARG_ADDRESS ? TMA_UNIT_ADDRESS : TMA_UNIT_NONE;
    tma_json_object(json, key);
    tma_json_text(json, "rule", rule ? rule->name : NULL);
    tma_json_text(json, "severity", tma_severity_name(f->severity));
    tma_json_text(json, "argument", tma_argument_name(f->argument));
    if (f->index < 0) {
        tma_json_null(json, "index");
    } else {
        tma_json_i64(json, "index", f->index);
    }
    in_unit(json, "given", f, own, f->given);
    in_unit(json, "value", f, f->unit, f->value);
    tma_json_text(json, "relation", tma_relation_name(f->relation));
    in_unit(json, "limit", f, f->unit, f->limit);
    tma_json_text(json, "unit", tma_unit_name(f->unit));
    if (f->has_legal) {
        in_unit(json, "legal", f, own, f->legal);
    } else {
        tma_json_null(json, "legal");
    }
    tma_finding_text(text, sizeof(text), f);
    tma_json_text(json, "text", text);
    tma_json_text(json, "standing", tma_standing_name(f->standing));
    tma_json_text(json, "source", rule ? rule->source : NULL);
    tma_json_text(json, "evidence", rule ? rule->evidence : NULL);
    tma_json_end(json);
}

void tma_json_crash(tma_json *json, const tma_crash_row *row) {
    static const char *const copies[] = {"not the cause", "can be the cause", "map refused",
                                         "not known"};
    tma_json_text(json, "crash", row->name);
    if (row->code >= 0) {
        tma_json_i64(json, "code", row->code);
    } else {
        tma_json_null(json, "code");
    }
    tma_json_text(json, "meaning", row->meaning);
    tma_json_text(json, "tensor_copy", copies[row->copy % 4]);
    tma_json_text(json, "tensor_copy_how", row->as_copy);
    tma_json_text(json, "others", row->others);
    tma_json_text(json, "next", row->next);
    tma_json_text(json, "source", row->source);
}

void tma_json_rule(tma_json *json, const tma_rule *rule) {
    tma_json_text(json, "rule", rule->name);
    tma_json_text(json, "severity", tma_severity_name(rule->severity));
    tma_json_text(json, "argument", tma_argument_name(rule->argument));
    tma_json_text(json, "statement", rule->statement);
    tma_json_text(json, "standing", tma_standing_name(rule->standing));
    tma_json_text(json, "source", rule->source);
    tma_json_text(json, "evidence", rule->evidence);
}

void tma_json_measure(tma_json *json, const char *key, const tma_spec *spec,
                      const tma_measure_result *m) {
    const uint32_t counts = spec->api == TMA_API_TILED ? tma_spec_entries(spec, TMA_OPTION_DIM) : 2;
    tma_json_object(json, key);
    tma_json_u64(json, "copy_B", m->copy_B);
    tma_json_u64(json, "rows", m->rows);
    tma_json_u64(json, "row_B", m->row_B);
    tma_json_u64(json, "pitch_B", m->pitch_B);
    tma_json_u64(json, "footprint_B", m->footprint_B);
    tma_json_u64(json, "align_B", m->align_B);
    tma_json_u64(json, "pattern_B", m->pattern_B);
    tma_json_u64(json, "coord0_el", m->coord0_el);
    tma_json_list(json, "count");
    for (uint32_t i = 0; i < counts; i++) {
        tma_json_u64(json, NULL, m->count[i]);
    }
    tma_json_end(json);
    if (m->copies == UINT64_MAX) {
        tma_json_null(json, "copies");
    } else {
        tma_json_u64(json, "copies", m->copies);
    }
    if (m->tensor_B == UINT64_MAX) {
        tma_json_null(json, "tensor_B");
    } else {
        tma_json_u64(json, "tensor_B", m->tensor_B);
    }
    tma_json_end(json);
}

void tma_json_report(tma_json *json, const char *key, const tma_plan *plan,
                     const tma_report_result *report) {
    const tma_plan_facts *facts = tma_plan_info(plan);
    if (!facts || !report) {
        tma_json_null(json, key);
        return;
    }
    const uint32_t counts = tma_mode_is_im2col(facts->mode) ? 2 : facts->rank;
    tma_json_object(json, key);
    tma_json_list(json, "count");
    for (uint32_t i = 0; i < counts; i++) {
        tma_json_u64(json, NULL, report->count[i]);
    }
    tma_json_end(json);
#define TMA_REPORT(member, what) tma_json_u64(json, #member, report->member);
#include "tma/report.def"
    tma_json_end(json);
}

void tma_json_map(tma_json *json, const char *key, const uint8_t *map) {
    tma_out out = tma_json_text_out(json, key);
    tma_put_hex_bytes(&out, map, TMA_MAP_BYTES);
    tma_json_text_end(json);
}

void tma_json_word(tma_json *json, uint64_t word, uint32_t kind) {
    tma_json_text(json, "kind", tma_word_kind_name(kind));
    tma_out says = tma_json_text_out(json, "says");
    tma_word_put(&says, word, kind);
    tma_json_text_end(json);
}
