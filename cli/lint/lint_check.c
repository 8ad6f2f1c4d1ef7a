/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma check found.
 */
#include "lint_check.h"

void lint_says(const lint_file_writer *to, size_t line, const char *rule, lint_level level,
               const char *text) {
    lint_finding f = {.rule = rule, .level = level, .certain = level == LINT_ERROR, .text = text};
    f.place = f.file_place = lint_place_of(to->path, line, 0);
    lint_put(to->writer, &f);
}

void lint_verdict(const lint_file_writer *to, size_t line, const verdict *v, tma_severity level) {
    const size_t shown = verdict_shown(v, level);
    for (size_t i = 0; i < shown; i++) {
        const tma_finding *found = &v->findings[i];
        char text[1024];
        tma_finding_text(text, sizeof(text), found);
        lint_says(to, line, tma_rule_of(found->rule)->name,
                  found->severity == TMA_SEVERITY_SURPRISING ? LINT_WARNING : LINT_ERROR, text);
    }
}

void lint_odd(const lint_file_writer *to, size_t line, const tma_judged *judged) {
    for (size_t i = 0; i < judged->count; i++) {
        lint_says(to, line, judged->odd[i].name, LINT_WARNING, judged->odd[i].text);
    }
}
