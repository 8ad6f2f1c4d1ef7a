/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts.
 */
#include "verdict.h"

#include <string.h>

#include "out_text.h"

void verdict_of(verdict *v, const tma_spec *spec, const tma_target *target) {
    memset(v->of, 0, sizeof(v->of));
    v->count = tma_check_measure(&v->measure, v->findings, VERDICT_MOST_FINDINGS, spec, target);
    v->accepted = v->measure.rows != 0;
    if (v->count > VERDICT_MOST_FINDINGS) {
        v->count = VERDICT_MOST_FINDINGS;
    }
    for (size_t i = 0; i < v->count; i++) {
        v->of[v->findings[i].severity]++;
    }
}

void verdict_place(verdict *v, uint64_t map_address, const tma_target *target) {
    tma_finding found;
    if (v->count == VERDICT_MOST_FINDINGS || tma_check_map_address(&found, map_address, target)) {
        return;
    }
    const size_t at = v->of[TMA_SEVERITY_REFUSED] + v->of[TMA_SEVERITY_FAULTS];
    memmove(&v->findings[at + 1], &v->findings[at], (v->count - at) * sizeof(found));
    v->findings[at] = found;
    v->of[found.severity]++;
    v->count++;
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
}

void verdict_summary(FILE *out, const verdict *v, tma_severity level) {
    for (uint32_t i = 0; i < TMA_SEVERITIES; i++) {
        const int hidden = i > (uint32_t)level && v->of[i];
        fprintf(out, "%s%s: %zu%s", i ? "; " : "", tma_severity_name(i), v->of[i],
                hidden ? " (not shown)" : "");
    }
    fputc('\n', out);
}

void verdict_json(tma_json *json, const verdict *v, const tma_spec *spec, tma_severity level) {
    tma_json_bool(json, "accepted", v->accepted);
    tma_json_object(json, "summary");
    for (uint32_t i = 0; i < TMA_SEVERITIES; i++) {
        tma_json_u64(json, tma_severity_name(i), v->of[i]);
    }
    tma_json_end(json);
    tma_json_list(json, "findings");
    for (size_t i = 0; i < verdict_shown(v, level); i++) {
        tma_json_finding(json, NULL, &v->findings[i]);
    }
    tma_json_end(json);
    if (v->accepted) {
        tma_json_measure(json, "measure", spec, &v->measure);
    } else {
        tma_json_null(json, "measure");
    }
}

static const char *level_name(size_t i) {
    return i < TMA_SEVERITIES ? tma_severity_name((uint32_t)i) : NULL;
}

int verdict_level_named(const char *text, tma_severity *level, tma_error *error) {
    size_t found = 0;
    const int failed = tma_read_name(&found, text, "--level", level_name, error);
    *level = (tma_severity)found;
    return failed;
}
