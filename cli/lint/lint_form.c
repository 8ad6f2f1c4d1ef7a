/* SPDX-License-Identifier: Apache-2.0
 *
 * What the forms have in common.
 */
#include "lint_form.h"

#include <string.h>
#include <unistd.h>

#include "ptx_demangle.h"
#include "ptx_rules.h"
#include "tma/crash.h"
#include "tma/emulate.h"

const char *lint_level_name(lint_level level) {
    static const char *const names[] = {"error", "warning", "note"};
    return names[level];
}

static const char *crash_says(const char *name) {
    tma_crash_row row;
    for (uint32_t i = 0; !tma_crash_at(&row, i); i++) {
        if (!strcmp(row.name, name)) {
            return row.meaning;
        }
    }
    return "";
}

const char *lint_rule_says(const char *name) {
    const tma_rule *rule = tma_rule_find(name);
    const ptx_rule_row *ptx = ptx_rule_find(name);
    if (rule) {
        return rule->statement;
    }
    if (ptx) {
        return ptx->statement;
    }
    for (uint32_t i = 0; i < TMA_EMULATE_RULES; i++) {
        if (!strcmp(tma_emulate_rule_name(i), name)) {
            return tma_emulate_rule_meaning(i);
        }
    }
    return strcmp(name, LINT_NOT_JUDGED) ? crash_says(name) : "what was not judged";
}

tma_ptx_span lint_file(const lint_writer *w, tma_ptx_span file) {
    char here[4096];
    (void)w;
    if (file.length && file.at[0] == '/' && getcwd(here, sizeof(here))) {
        const size_t length = strlen(here);
        if (file.length > length + 1 && !memcmp(file.at, here, length) && file.at[length] == '/') {
            return (tma_ptx_span){file.at + length + 1, file.length - length - 1};
        }
    }
    return file;
}

void lint_put_percent(tma_out *out, char c) {
    static const char digits[] = "0123456789ABCDEF";
    const char text[] = {'%', digits[(unsigned char)c >> 4], digits[c & 15]};
    tma_put_bytes(out, text, sizeof(text));
}

void lint_put_sentence(tma_out *out, const lint_writer *w, const lint_finding *f) {
    tma_put_printable(out, f->text, strlen(f->text));
    if (f->function.length) {
        tma_put(out, ", in ");
        ptx_put_name(out, f->function, w->raw);
    }
    for (uint32_t i = 0; i < f->inlined.count; i++) {
        const lint_place *p = &f->inlined.of[i];
        const tma_ptx_span file = lint_file(w, p->file);
        tma_put(out, i ? ", from " : ", inlined from ");
        tma_put_printable(out, file.at, file.length);
        tma_putf(out, ":%u", p->line);
    }
}
