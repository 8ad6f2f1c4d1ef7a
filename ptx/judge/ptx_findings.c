/* SPDX-License-Identifier: Apache-2.0
 *
 * A report's findings: written, found again by their row, and put in order.
 */
#include "ptx_sites.h"

#include <string.h>

#include "tma/detail/chars.h"

tma_out *ptx_text_begin(ptx_report *r) {
    r->out = tma_out_into(r->text, sizeof(r->text));
    return &r->out;
}

void ptx_add_finding(ptx_report *r, uint32_t site, uint32_t row, const char *rule, int certain) {
    ptx_finding finding = {site, row, rule, certain, NULL, 0, NULL, 0};
    const size_t most = sizeof(r->text) - 1;
    const size_t length = r->out.length < most ? r->out.length : most;
    finding.text = ptx_memory_take(r->memory, length + 1, 1);
    if (finding.text) {
        memcpy(finding.text, r->text, length);
        PTX_APPEND(r, finding, findings, finding);
    }
}

void ptx_finding_with(ptx_report *r, uint32_t row) {
    if (r->findings) {
        r->finding[r->findings - 1].with = row + 1;
    }
}

void ptx_add_break(ptx_report *r, uint32_t site, uint32_t row, ptx_rule rule) {
    ptx_add_finding(r, site, row, ptx_rule_at(rule)->name, ptx_rule_at(rule)->certain);
}

const ptx_module *ptx_module_of(const ptx_report *r, uint32_t row) {
    const uint32_t function = r->rows.row[row].function;
    return &r->rows.module[function == PTX_NONE ? r->rows.modules - 1
                                                : r->rows.function[function].module];
}

const tma_target *ptx_target_of(const ptx_report *r, uint32_t row) {
    const ptx_module *m = ptx_module_of(r, row);
    return r->arch && r->arch->sm ? r->arch : m->is_known ? &m->target : NULL;
}

uint32_t ptx_toolchain_of(const ptx_report *r, uint32_t row) {
    const tma_target made = {.ptx = ptx_module_of(r, row)->version,
                             .toolchain = r->arch ? r->arch->toolchain : 0};
    return tma_target_toolchain(&made);
}

uint32_t ptx_site_at(const ptx_report *r, uint32_t row) {
    uint32_t low = 0;
    uint32_t high = r->sites;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (r->site[middle].row < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < r->sites && r->site[low].row == row ? low : PTX_NONE;
}

static int is_behind(const ptx_finding *x, const ptx_finding *y) {
    const int rule = text_compare(x->rule, y->rule);
    return x->row != y->row ? x->row > y->row
           : rule           ? rule > 0
                            : text_compare(x->text, y->text) > 0;
}

/* Two sorted runs as one; of findings that are the same the earlier ones stay in front. */
static void merge_runs(ptx_finding *to, const ptx_finding *from, size_t middle, size_t end) {
    size_t a = 0;
    size_t b = middle;
    for (size_t i = 0; i < end; i++) {
        const int is_second = a == middle || (b < end && is_behind(&from[a], &from[b]));
        to[i] = is_second ? from[b++] : from[a++];
    }
}

static void sort(ptx_report *r) {
    const size_t count = r->findings;
    ptx_finding *from = r->finding;
    ptx_finding *to = ptx_memory_take(r->memory, count, sizeof(*to));
    for (size_t run = 1; to && run < count; run *= 2) {
        for (size_t i = 0; i < count; i += 2 * run) {
            const size_t left = count - i;
            merge_runs(to + i, from + i, run < left ? run : left, 2 * run < left ? 2 * run : left);
        }
        ptx_finding *const sorted = to;
        to = from;
        from = sorted;
    }
    r->finding = from;
}

void ptx_findings_sort(ptx_report *r) {
    uint32_t kept = 0;
    if (!r->findings) {
        return;
    }
    sort(r);
    for (uint32_t i = 0; i < r->findings; i++) {
        if (!kept || is_behind(&r->finding[i], &r->finding[kept - 1])) {
            r->finding[kept++] = r->finding[i];
        }
    }
    r->findings = kept;
}
