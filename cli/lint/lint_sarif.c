/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings as SARIF 2.1.0: one run, whose results are written as they come, and behind them the
 * tool with the rules that were met.
 */
#include <stdlib.h>
#include <string.h>

#include "cli_error.h"
#include "lint_form.h"
#include "ptx_demangle.h"
#include "tma/tma.h"

/* As a URI reference: what it would read otherwise in hex. */
static void put_uri(void *context, const char *text, size_t length) {
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    tma_out *out = context;
    for (size_t i = 0; i < length; i++) {
        if (text[i] && strchr(plain, text[i])) {
            tma_put_bytes(out, &text[i], 1);
        } else {
            lint_put_percent(out, text[i]);
        }
    }
}

static void put_message(tma_json *json, const char *text) {
    tma_json_object(json, "message");
    tma_json_text(json, "text", text);
    tma_json_end(json);
}

static void put_physical(tma_json *json, const lint_writer *w, const lint_place *p) {
    const tma_ptx_span file = lint_file(w, p->file);
    tma_json_object(json, "physicalLocation");
    tma_json_object(json, "artifactLocation");
    tma_out text = tma_json_text_out(json, "uri");
    tma_put(&text, file.length && file.at[0] == '/' ? "file://" : "");
    tma_out uri = tma_out_to(put_uri, &text);
    tma_put_bytes(&uri, file.at, file.length);
    tma_json_text_end(json);
    tma_json_end(json);
    if (p->line) {
        tma_json_object(json, "region");
        tma_json_u64(json, "startLine", p->line);
        if (p->column) {
            tma_json_u64(json, "startColumn", p->column);
        }
        tma_json_end(json);
    }
    tma_json_end(json);
}

static void put_function(tma_json *json, const lint_writer *w, tma_ptx_span name) {
    tma_json_list(json, "logicalLocations");
    tma_json_object(json, NULL);
    tma_out text = tma_json_text_out(json, "fullyQualifiedName");
    ptx_put_name(&text, name, w->raw);
    tma_json_text_end(json);
    text = tma_json_text_out(json, "decoratedName");
    tma_put_bytes(&text, name.at, name.length);
    tma_json_text_end(json);
    tma_json_text(json, "kind", "function");
    tma_json_end(json);
    tma_json_end(json);
}

static void put_related(tma_json *json, const lint_writer *w, const lint_place *p,
                        const char *says) {
    tma_json_object(json, NULL);
    put_physical(json, w, p);
    put_message(json, says);
    tma_json_end(json);
}

static int is_place(const lint_place *a, const lint_place *b) {
    return a->file.at == b->file.at && a->file.length == b->file.length && a->line == b->line;
}

static void put_all_related(tma_json *json, const lint_writer *w, const lint_finding *f) {
    tma_json_list(json, "relatedLocations");
    for (uint32_t i = 0; i < f->other.count; i++) {
        put_related(json, w, &f->other.of[i], f->other.of[i].says);
    }
    for (uint32_t i = 0; i < f->inlined.count; i++) {
        put_related(json, w, &f->inlined.of[i], "inlined from here");
    }
    if (!is_place(&f->place, &f->file_place)) {
        put_related(json, w, &f->file_place, "the line of the PTX");
    }
    tma_json_end(json);
}

static uint32_t rule_index(lint_writer *w, const char *rule) {
    uint32_t i = 0;
    while (i < w->rules && strcmp(w->rule[i], rule)) {
        i++;
    }
    if (i == w->rules && i < LINT_MOST_RULES) {
        w->rule[w->rules++] = cli_printed("%s", rule);
    }
    return i;
}

void lint_begin_sarif(lint_writer *w) {
    w->json = tma_json_begin(&w->out);
    tma_json_object(&w->json, NULL);
    tma_json_text(&w->json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    tma_json_text(&w->json, "version", "2.1.0");
    tma_json_list(&w->json, "runs");
    tma_json_object(&w->json, NULL);
    tma_json_list(&w->json, "results");
}

void lint_put_sarif(lint_writer *w, const lint_finding *f) {
    tma_json *json = &w->json;
    const uint32_t index = rule_index(w, f->rule);
    tma_json_object(json, NULL);
    tma_json_text(json, "ruleId", f->rule);
    if (index < w->rules) {
        tma_json_u64(json, "ruleIndex", index);
    }
    tma_json_text(json, "level", lint_level_name(f->level));
    put_message(json, f->text);
    tma_json_list(json, "locations");
    tma_json_object(json, NULL);
    put_physical(json, w, &f->place);
    if (f->function.length) {
        put_function(json, w, f->function);
    }
    tma_json_end(json);
    tma_json_end(json);
    put_all_related(json, w, f);
    tma_json_object(json, "properties");
    tma_json_bool(json, "certain", f->certain);
    tma_json_end(json);
    tma_json_end(json);
}

static void put_rules(tma_json *json, lint_writer *w) {
    tma_json_list(json, "rules");
    for (uint32_t i = 0; i < w->rules; i++) {
        const char *says = lint_rule_says(w->rule[i]);
        tma_json_object(json, NULL);
        tma_json_text(json, "id", w->rule[i]);
        tma_json_object(json, "shortDescription");
        tma_json_text(json, "text", *says ? says : w->rule[i]);
        tma_json_end(json);
        tma_json_end(json);
    }
    tma_json_end(json);
}

void lint_end_sarif(lint_writer *w) {
    tma_json *json = &w->json;
    tma_json_end(json);
    tma_json_object(json, "tool");
    tma_json_object(json, "driver");
    tma_json_text(json, "name", "tma");
    tma_json_text(json, "version", TMA_VERSION);
    put_rules(json, w);
    tma_json_end(json);
    tma_json_end(json);
    tma_json_end(json);
    tma_json_end(json);
    tma_json_end(json);
    tma_put(&w->out, "\n");
    for (uint32_t i = 0; i < w->rules; i++) {
        free((char *)w->rule[i]);
    }
}
