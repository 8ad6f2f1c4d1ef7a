/* SPDX-License-Identifier: Apache-2.0
 *
 * What was found, in words that every front end says alike.
 */
#include "ptx_said.h"

#include "tma/detail/chars.h"

#define MOST_STATEMENT 120 /* characters */
#define MOST_NAME      200

size_t ptx_known_text(const ptx_known *known, char *text, size_t size) {
    const int is_held = known->kind == PTX_KNOWN_HELD;
    tma_out out = tma_out_into(text, size);
    if (known->kind == PTX_KNOWN_NUMBER) {
        tma_putf(&out, "%" TMA_D64, known->added);
    } else if (known->kind != PTX_KNOWN_NOT) {
        const tma_ptx_span name = known->name;
        tma_putf(&out, "%s%.*s%s", is_held ? "what " : "",
                 (int)(name.length < 200 ? name.length : 200), name.at, is_held ? " holds" : "");
        if (known->added) {
            tma_putf(&out, "%s%" TMA_D64, known->added > 0 ? "+" : "", known->added);
        }
    }
    return out.length;
}

/* The rules of a kernel that was not judged to its end, as a list. */
static void put_rules(tma_out *out, uint64_t rules) {
    const char *comma = "";
    if (rules == (UINT64_C(1) << PTX_RULES) - 1) {
        tma_put(out, "any rule");
        return;
    }
    for (size_t i = 0; i < PTX_RULES; i++) {
        if (rules >> i & 1) {
            tma_putf(out, "%s%s", comma, ptx_rule_at(i)->name);
            comma = ", ";
        }
    }
}

static void put_budgets(tma_out *out, uint64_t budgets) {
    uint32_t more = 0;
    int said = 0;
    for (int i = 0; i < PTX_BUDGETS; i++) {
        if (!(budgets >> i & 1)) {
            continue;
        }
        const uint64_t most = ptx_budget_most((ptx_budget)i);
        if (said) {
            more++;
        } else if (most) {
            tma_putf(out, "more than %" TMA_U64 " %s", most, ptx_budget_of((ptx_budget)i));
        } else {
            tma_putf(out, "more %s than are followed", ptx_budget_of((ptx_budget)i));
        }
        said = 1;
    }
    if (more) {
        tma_putf(out, ", and %u bound%s more", more, text_plural(more));
    }
}

void ptx_unjudged_put(tma_out *out, const ptx_report *r, const ptx_unjudged *u) {
    const ptx_function *f = &r->rows.function[u->function];
    tma_putf(out, "not judged: %s ", f->is_entry ? "kernel" : "function");
    tma_put_printable(out, f->name.at, f->name.length < MOST_NAME ? f->name.length : MOST_NAME);
    tma_putf(out, ", lines %zu to %zu, by ", r->rows.row[f->first].piece.line,
             r->rows.row[f->end - 1].piece.line);
    put_rules(out, ptx_unjudged_rules(u));
    tma_put(out, " to the end: ");
    put_budgets(out, u->budgets);
}

const char *ptx_note(const ptx_report *r, int i, char *text, size_t size) {
    const ptx_module *m = &r->rows.module[r->rows.modules - 1];
    tma_out out = tma_out_into(text, size);
    const uint32_t outside = r->outside;
    if (!m->version && i-- == 0) {
        return "no .version: not a whole PTX file; forms are not checked against a version";
    }
    if (!m->target_name.length && !r->arch && i-- == 0) {
        return "no .target, and no --arch: forms are not checked against a target";
    }
    if (m->target_name.length && !m->is_known && !r->arch && i-- == 0) {
        tma_put(&out, "libtma knows no target ");
        tma_put_printable(&out, m->target_name.at, m->target_name.length);
        tma_put(&out, ": forms are not checked against it");
        return text;
    }
    if (outside && i-- == 0) {
        tma_putf(&out,
                 "%u piece%s of text outside of kernels not understood (preprocessor lines, text "
                 "around PTX)",
                 outside, text_plural(outside));
        return text;
    }
    if (r->branches && i-- == 0) {
        return "fences are on some paths from an edited map to its use, not on all: which path is "
               "taken is not seen, not judged";
    }
    if (r->calls && i-- == 0) {
        return "a path from an edited map goes through a call: fences inside are not seen, not "
               "judged";
    }
    if ((uint32_t)i < r->unjudged_count) {
        ptx_unjudged_put(&out, r, &r->unjudged[i]);
        return text;
    }
    return NULL;
}

int ptx_lacks_map(const ptx_report *r) {
    for (uint32_t i = 0; i < r->sites && r->expects; i++) {
        const ptx_site *s = &r->site[i];
        if (!s->unread && s->is_seen && !s->has_bytes && s->s.kind == TMA_PTX_COPY &&
            s->s.in.op == TMA_OP_LOAD) {
            return 1;
        }
    }
    return 0;
}

/* The first finding of a row or behind it; findings stand in the rows' order. */
static uint32_t first_finding(const ptx_report *r, uint32_t row) {
    uint32_t low = 0;
    uint32_t high = r->findings;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (r->finding[middle].row < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t ptx_kernels_of(const ptx_report *r) {
    uint32_t entries = 0;
    for (uint32_t i = 0; i < r->rows.functions; i++) {
        entries +=
            r->rows.function[i].is_entry && r->rows.function[i].first < r->rows.function[i].end;
    }
    return entries;
}

uint32_t ptx_finding_of(const ptx_report *r, uint32_t site, uint32_t before) {
    const uint32_t row = r->site[site].row;
    uint32_t i = before == PTX_NONE ? first_finding(r, row) : before + 1;
    while (i < r->findings && r->finding[i].row == row && r->finding[i].site != site) {
        i++;
    }
    return i < r->findings && r->finding[i].row == row ? i : PTX_NONE;
}

int ptx_has_finding(const ptx_report *r, uint32_t site) {
    return ptx_finding_of(r, site, PTX_NONE) != PTX_NONE;
}

const char *ptx_passed_name(const ptx_passed *passed) {
    static const char *const words[] = {
#define PTX_PASSED(id, word) word,
#include "ptx_passed.def"
    };
    return words[passed->kind];
}

void ptx_passed_put(tma_out *out, const ptx_report *r, const ptx_passed *passed) {
    ptx_rows_put(out, &r->rows, passed->row, MOST_STATEMENT);
}

const char *ptx_passed_says(char says[PTX_MOST_SAYS], const ptx_report *r,
                            const ptx_passed *passed) {
    const int turns = passed->kind == PTX_PASSED_BRANCH || passed->kind == PTX_PASSED_BACK;
    tma_out out = tma_out_into(says, PTX_MOST_SAYS);
    if (passed->meanwhile) {
        tma_putf(&out, "meanwhile, in another %s%s",
                 passed->meanwhile == PTX_IN_OTHER_CTA ? "CTA" : "thread",
                 passed->kind == PTX_PASSED_BEGIN ? ": " : "");
    }
    if (passed->kind == PTX_PASSED_BEGIN) {
        tma_put(&out, "the kernel begins");
    } else if (passed->kind == PTX_PASSED_BACK) {
        tma_putf(&out, "back to line %zu", r->rows.row[passed->back - 1].piece.line);
    } else if (turns) {
        tma_put(&out, passed->taken ? "taken" : "not taken");
    } else if (passed->kind == PTX_PASSED_RETURN) {
        tma_put(&out, "it returns");
    } else if (passed->is_not_run) {
        tma_put(&out, "not run");
    } else if (passed->is_others) {
        tma_put(&out, "from here on in the other thread");
    } else if (passed->is_again) {
        tma_put(&out, "again");
    }
    if (turns && passed->condition) {
        tma_putf(&out, ": %s", passed->condition);
    }
    return out.length ? says : NULL;
}

/* Its instruction and what of it is passed, as far as there is something to say. */
static void put_passed(tma_out *out, const ptx_report *r, const ptx_passed *passed) {
    char says[PTX_MOST_SAYS];
    const int has = ptx_passed_says(says, r, passed) != NULL;
    tma_putf(out, "line %zu", r->rows.row[passed->row].piece.line);
    if (passed->kind != PTX_PASSED_ACT && passed->kind != PTX_PASSED_BEGIN) {
        tma_put(out, " ");
        ptx_passed_put(out, r, passed);
    }
    if (has) {
        tma_putf(out, " (%s)", says);
    }
    if (passed->left_out) {
        tma_putf(out, " -> %u more places", passed->left_out);
    }
}

void ptx_way_put(tma_out *out, const ptx_report *r, const ptx_finding *f) {
    for (uint32_t i = 0; i < f->passed; i++) {
        tma_put(out, i ? " -> " : "");
        put_passed(out, r, &f->way[i]);
    }
}
