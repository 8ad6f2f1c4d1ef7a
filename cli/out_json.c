/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON.
 */
#include "out_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli_error.h"
#include "map_output.h"
#include "out_text.h"
#include "spec_words.h"
#include "target_args.h"

#define SCHEMA 1

static json_t *made(json_t *value) {
    if (!value) {
        cli_out_of_memory();
    }
    return value;
}

void json_put(json_t *object, const char *key, json_t *value) {
    if (json_object_set_new(object, key, made(value))) {
        cli_out_of_memory();
    }
}

void json_add(json_t *array, json_t *value) {
    if (json_array_append_new(array, made(value))) {
        cli_out_of_memory();
    }
}

json_t *json_begin(const char *verb) {
    json_t *object = made(json_object());
    json_put(object, "schema", json_integer(SCHEMA));
    json_put(object, "verb", json_string(verb));
    return object;
}

void json_end(FILE *out, json_t *object) {
    if (json_dumpf(object, out, JSON_ENSURE_ASCII)) {
        cli_out_of_memory();
    }
    fputc('\n', out);
    json_decref(object);
}

json_t *json_text(const char *text) {
    json_t *value = json_string(text);
    if (value) {
        return value;
    }
    char *copy = strdup(text);
    for (char *c = copy; c && *c; c++) {
        if (*c & 0x80) {
            *c = '?';
        }
    }
    value = copy ? json_string(copy) : NULL;
    free(copy);
    return made(value);
}

json_t *json_hex(uint64_t number) {
    char text[24];
    snprintf(text, sizeof(text), "0x%" PRIx64, number);
    return made(json_string(text));
}

json_t *json_number(uint64_t number) {
    return number <= INT64_MAX ? made(json_integer((json_int_t)number)) : json_hex(number);
}

json_t *json_enum(tma_enum_kind kind, uint32_t number) {
    const tma_enum_row *row = tma_enum_row_of(kind, number);
    return made(row ? json_string(row->name) : json_integer(number));
}

static json_t *list_u64(const uint64_t *list, uint32_t count) {
    json_t *array = made(json_array());
    for (uint32_t i = 0; i < count; i++) {
        json_add(array, json_number(list[i]));
    }
    return array;
}

static json_t *list_u32(const uint32_t *list, uint32_t count) {
    json_t *array = made(json_array());
    for (uint32_t i = 0; i < count; i++) {
        json_add(array, json_integer(list[i]));
    }
    return array;
}

static json_t *list_i32(const int32_t *list, uint32_t count) {
    json_t *array = made(json_array());
    for (uint32_t i = 0; i < count; i++) {
        json_add(array, json_integer(list[i]));
    }
    return array;
}

json_t *json_spec(const tma_spec *s) {
    const uint32_t n = spec_dims(s);
    json_t *object = made(json_object());
    json_put(object, "api", json_enum(TMA_ENUM_API, s->api));
    json_put(object, "dtype", json_enum(TMA_ENUM_DTYPE, s->dtype));
    json_put(object, "address", json_hex(s->address));
    json_put(object, "rank", json_integer(s->rank));
    json_put(object, "dim", list_u64(s->dim_el, n));
    json_put(object, "stride", list_u64(s->stride_B, spec_strides(s)));
    if (s->api == TMA_API_TILED) {
        json_put(object, "box", list_u32(s->box_el, n));
    } else {
        json_put(object, "lower", list_i32(s->lower_px, spec_corners(s)));
        json_put(object, "upper", list_i32(s->upper_px, spec_corners(s)));
        json_put(object, "channels", json_integer(s->channels_per_pixel));
        json_put(object, "pixels", json_integer(s->pixels_per_column));
    }
    json_put(object, "element_stride", list_u32(s->element_stride, n));
    json_put(object, "interleave", json_enum(TMA_ENUM_INTERLEAVE, s->interleave));
    json_put(object, "swizzle", json_enum(TMA_ENUM_SWIZZLE, s->swizzle));
    json_put(object, "l2", json_enum(TMA_ENUM_L2, s->l2));
    json_put(object, "fill", json_enum(TMA_ENUM_FILL, s->fill));
    if (s->api == TMA_API_WIDE) {
        json_put(object, "wide_mode", json_enum(TMA_ENUM_WIDE_MODE, s->wide_mode));
    }
    return object;
}

json_t *json_target(const tma_target *target) {
    char driver[16];
    json_t *object = made(json_object());
    json_put(object, "arch", json_string(target_arch_text(target)));
    json_put(object, "driver", json_string(target_driver_text(target, driver)));
    return object;
}

/* A number of a finding in the unit that it has there. */
static json_t *in_unit(const tma_finding *f, uint32_t unit, uint64_t number) {
    if (unit == TMA_UNIT_PX || f->argument == TMA_ARG_LOWER || f->argument == TMA_ARG_UPPER ||
        f->argument == TMA_ARG_COORD) {
        return made(json_integer((json_int_t)(int64_t)number));
    }
    return unit == TMA_UNIT_ADDRESS ? json_hex(number) : json_number(number);
}

json_t *json_finding(const tma_finding *f) {
    char text[1024];
    const tma_rule *rule = tma_rule_of(f->rule);
    const uint32_t own = f->argument == TMA_ARG_ADDRESS ? TMA_UNIT_ADDRESS : TMA_UNIT_NONE;
    json_t *object = made(json_object());
    json_put(object, "rule", json_string(rule->name));
    json_put(object, "severity", json_string(tma_severity_name(f->severity)));
    json_put(object, "argument", json_string(tma_argument_name(f->argument)));
    json_put(object, "index", f->index < 0 ? json_null() : json_integer(f->index));
    json_put(object, "given", in_unit(f, own, f->given));
    json_put(object, "value", in_unit(f, f->unit, f->value));
    json_put(object, "relation", json_string(tma_relation_name(f->relation)));
    json_put(object, "limit", in_unit(f, f->unit, f->limit));
    json_put(object, "unit", json_string(tma_unit_name(f->unit)));
    json_put(object, "legal", f->has_legal ? in_unit(f, own, f->legal) : json_null());
    tma_finding_text(text, sizeof(text), f);
    json_put(object, "text", json_string(text));
    json_put(object, "standing", json_string(tma_standing_name(f->standing)));
    json_put(object, "source", json_string(rule->source));
    json_put(object, "evidence", json_string(rule->evidence));
    return object;
}

json_t *json_rule(const tma_rule *rule) {
    json_t *object = made(json_object());
    json_put(object, "rule", json_string(rule->name));
    json_put(object, "severity", json_string(tma_severity_name(rule->severity)));
    json_put(object, "argument", json_string(tma_argument_name(rule->argument)));
    json_put(object, "statement", json_string(rule->statement));
    json_put(object, "standing", json_string(tma_standing_name(rule->standing)));
    json_put(object, "source", json_string(rule->source));
    json_put(object, "evidence", json_string(rule->evidence));
    return object;
}

json_t *json_measure(const tma_spec *spec, const tma_measure_result *m) {
    json_t *object = made(json_object());
    json_put(object, "copy_B", json_number(m->copy_B));
    json_put(object, "rows", json_number(m->rows));
    json_put(object, "row_B", json_integer(m->row_B));
    json_put(object, "pitch_B", json_integer(m->pitch_B));
    json_put(object, "footprint_B", json_number(m->footprint_B));
    json_put(object, "align_B", json_integer(m->align_B));
    json_put(object, "pattern_B", json_integer(m->pattern_B));
    json_put(object, "coord0_el", json_integer(m->coord0_el));
    json_put(object, "count", list_u64(m->count, spec->api == TMA_API_TILED ? spec_dims(spec) : 2));
    json_put(object, "copies", m->copies == UINT64_MAX ? json_null() : json_number(m->copies));
    return object;
}

json_t *json_map(const void *map) {
    char text[MAP_HEX_DIGITS + 1];
    map_hex(map, text);
    return made(json_string(text));
}
