/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings as JSON, one object a line: the fields of lint_fields.def.
 */
#include "lint_form.h"
#include "ptx_demangle.h"

static void put_TEXT(tma_json *json, const lint_writer *w, const char *key, const char *text) {
    (void)w;
    tma_json_text(json, key, text);
}

static void put_LEVEL(tma_json *json, const lint_writer *w, const char *key, lint_level level) {
    (void)w;
    tma_json_text(json, key, lint_level_name(level));
}

static void put_BOOL(tma_json *json, const lint_writer *w, const char *key, int yes) {
    (void)w;
    tma_json_bool(json, key, yes);
}

static void put_number(tma_json *json, const char *key, uint32_t number) {
    if (number) {
        tma_json_u64(json, key, number);
    } else {
        tma_json_null(json, key);
    }
}

static void put_place(tma_json *json, const lint_writer *w, const char *key, const lint_place *p) {
    const tma_ptx_span file = lint_file(w, p->file);
    tma_json_object(json, key);
    tma_out text = tma_json_text_out(json, "file");
    tma_put_bytes(&text, file.at, file.length);
    tma_json_text_end(json);
    put_number(json, "line", p->line);
    put_number(json, "column", p->column);
    tma_json_text(json, "says", p->says[0] ? p->says : NULL);
    tma_json_end(json);
}

static void put_PLACE(tma_json *json, const lint_writer *w, const char *key, lint_place place) {
    put_place(json, w, key, &place);
}

static void put_PLACES(tma_json *json, const lint_writer *w, const char *key, lint_places places) {
    tma_json_list(json, key);
    for (uint32_t i = 0; i < places.count; i++) {
        put_place(json, w, NULL, &places.of[i]);
    }
    tma_json_end(json);
}

static void put_NAME(tma_json *json, const lint_writer *w, const char *key, tma_ptx_span name) {
    if (!name.length) {
        tma_json_null(json, key);
        return;
    }
    tma_out text = tma_json_text_out(json, key);
    ptx_put_name(&text, name, w->raw);
    tma_json_text_end(json);
}

void lint_put_json(lint_writer *w, const lint_finding *f) {
    out_json line;
    tma_json *json = out_json_begin(&line, "finding");
#define LINT_FIELD(kind, name, meaning) put_##kind(json, w, #name, f->name);
#include "lint_fields.def"
    out_json_end(&line);
}
