/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts.
 */
#include "verdict.h"

#include <string.h>

#include "names.h"
#include "out_text.h"

void verdict_of(verdict *v, const tma_spec *spec, const tma_target *target) {
    memset(v->of, 0, sizeof(v->of));
    v->count = tma_check(v->findings, VERDICT_MOST_FINDINGS, spec, target);
    if (v->count > VERDICT_MOST_FINDINGS) {
        v->count = VERDICT_MOST_FINDINGS;
    }
    for (size_t i = 0; i < v->count; i++) {
        v->of[v->findings[i].severity]++;
    }
    v->accepted = tma_measure(&v->measure, spec, target) == TMA_OK;
}

size_t verdict_shown(const verdict *v, tma_severity level) {
    size_t shown = 0;
    for (uint32_t i = 0; i <= (uint32_t)level; i++) {
        shown += v->of[i];
    }
    return shown;
}

void verdict_findings(FILE *out, const verdict *v, tma_severity level, const color_set *colors) {
    const size_t shown = verdict_shown(v, level);
    for (size_t i = 0; i < shown; i++) {
        out_finding(out, &v->findings[i], colors);
        fputc('\n', out);
    }
    out_evidence_legend(out, v->findings, shown, colors);
}

void verdict_summary(FILE *out, const verdict *v, tma_severity level) {
    for (uint32_t i = 0; i < TMA_SEVERITIES; i++) {
        const int hidden = i > (uint32_t)level && v->of[i];
        fprintf(out, "%s%s: %zu%s", i ? "; " : "", tma_severity_name(i), v->of[i],
                hidden ? " (not shown)" : "");
    }
    fputc('\n', out);
}

void verdict_json(json_t *object, const verdict *v, const tma_spec *spec, tma_severity level) {
    json_t *summary = json_object();
    json_t *findings = json_array();
    json_put(object, "accepted", json_boolean(v->accepted));
    json_put(object, "summary", summary);
    for (uint32_t i = 0; i < TMA_SEVERITIES; i++) {
        json_put(summary, tma_severity_name(i), json_integer((json_int_t)v->of[i]));
    }
    json_put(object, "findings", findings);
    for (size_t i = 0; i < verdict_shown(v, level); i++) {
        json_add(findings, json_finding(&v->findings[i]));
    }
    json_put(object, "measure", v->accepted ? json_measure(spec, &v->measure) : json_null());
}

static const char *level_name(size_t i) {
    return i < TMA_SEVERITIES ? tma_severity_name((uint32_t)i) : NULL;
}

int verdict_level_named(const char *text, tma_severity *level, cli_error *error) {
    for (size_t i = 0; i < TMA_SEVERITIES; i++) {
        if (!strcmp(text, level_name(i))) {
            *level = (tma_severity)i;
            return 0;
        }
    }
    return name_unknown(text, "--level", level_name, error);
}
