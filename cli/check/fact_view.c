/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that a report's sentences give a map, as a person reads what follows from them.
 */
#include "fact_view.h"

#include <string.h>

#include "out_text.h"
#include "printable.h"
#include "tma/text.h"

#define MOST_FACTS 4 /* of one text: what more says is mostly the same again */

typedef struct facts {
    tma_crash_fact kept[MOST_FACTS];
    size_t count;
} facts;

static int is_same(const tma_crash_fact *a, const tma_crash_fact *b) {
    return a->finding.rule == b->finding.rule && a->finding.given == b->finding.given;
}

static void keep(void *context, const tma_crash_fact *found) {
    facts *all = context;
    for (size_t i = 0; i < all->count; i++) {
        if (is_same(&all->kept[i], found)) {
            return;
        }
    }
    if (all->count < MOST_FACTS) {
        all->kept[all->count++] = *found;
    }
}

static void fact_json(const char *label, const tma_crash_fact *fact) {
    out_json line;
    tma_json *json = out_json_begin(&line, "check");
    if (label) {
        tma_json_text(json, "input", label);
    }
    tma_json_u64(json, "line", fact->line);
    tma_json_text(json, "kind", "fact");
    tma_json_text(json, "text", fact->words);
    tma_json_finding(json, "finding", &fact->finding);
    out_json_end(&line);
}

/* Whether values that stand together break the rule, no number alone. */
static int is_of_several(const tma_finding *f) {
    return f->argument == TMA_ARG_FILL || f->argument == TMA_ARG_INTERLEAVE ||
           f->argument == TMA_ARG_SWIZZLE || f->argument == TMA_ARG_DIM ||
           (f->argument == TMA_ARG_BOX && f->index == 0);
}

static void print_fact(const check_view *view, const char *label, const char *text, size_t size,
                       const tma_crash_fact *fact) {
    const tma_rule *rule = tma_rule_of(fact->finding.rule);
    char says[512];
    fputs(view->colors.bold, stdout);
    if (label) {
        printable(stdout, label);
        putchar(':');
    }
    printf("%zu:%s %s in the text\n", fact->line, view->colors.end,
           is_of_several(&fact->finding) ? "values" : "a number");
    printable_line(stdout, text, size, fact->line);
    fputs("    in the text: ", stdout);
    printable(stdout, fact->words);
    if (fact->finding.argument == TMA_ARG_STRIDE && fact->dtype != TMA_DTYPE_UINT8) {
        tma_out out = out_to(stdout);
        tma_put(&out, ", ");
        tma_put_enum(&out, TMA_ENUM_DTYPE, fact->dtype);
    }
    putchar('\n');
    tma_finding_text(says, sizeof(says), &fact->finding);
    fputs("    so in a map: ", stdout);
    out_wrapped(stdout, says, 17);
    fputs("    if:          ", stdout);
    out_wrapped(stdout,
                fact->finding.rule == TMA_RULE_INNER_16B ? "this is the box's innermost dimension"
                : is_of_several(&fact->finding)          ? "all of this is said of one map"
                : fact->finding.argument == TMA_ARG_ADDRESS
                    ? "a descriptor is made of this view, and what it is of begins at a multiple "
                      "of 16 bytes"
                    : "the tensor is packed, and this is its innermost size, its stride or "
                      "its box",
                17);
    printf("    see:         tma explain %s\n", rule ? rule->name : "");
}

size_t fact_text(const check_view *view, const char *label, const char *text, size_t size,
                 size_t before) {
    facts all;
    all.count = 0;
    tma_crash_facts(text, size, keep, &all);
    for (size_t i = 0; i < all.count; i++) {
        const tma_rule *rule = tma_rule_of(all.kept[i].finding.rule);
        if (view->lint.writer) {
            lint_says(&view->lint, all.kept[i].line, rule ? rule->name : LINT_NOT_JUDGED, LINT_NOTE,
                      "a number in the text, as a map's, breaks this rule");
        } else if (view->json) {
            fact_json(label, &all.kept[i]);
        } else {
            fputs(before + i ? "\n" : "", stdout);
            print_fact(view, label, text, size, &all.kept[i]);
        }
    }
    return all.count;
}
