/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a PTX file, read with little memory: byte 0 says how much (0: enough), byte 1 which
 * line's proof is printed. With enough memory the graph and the values of each kernel and function
 * keep their promises, and the memory stays within the bound of docs/ptx.md.
 */
#include "fuzz_assert.h"
#include "fuzz_said.h"

#include "ptx_sites.h"
#include "ptx_why.h"

#define LONGEST   8192
#define STEP_B    2048 /* of memory for each number of byte 0 */
#define MOST_B    (48u << 20)
#define ANY_B     256 /* of memory for each byte of a file, and some: */
#define ALWAYS_B  (2u << 20)
#define MOST_HELD 4096

/* Memory that ends: each block by itself, so that the sanitizer sees what is beside it. */
typedef struct arena {
    void *held[MOST_HELD];
    size_t count, used_B, most_B;
    int refused;
} arena;

static void *more(void *context, size_t size_B) {
    arena *a = context;
    if (a->count == MOST_HELD || size_B > a->most_B - a->used_B) {
        a->refused = 1;
        return NULL;
    }
    a->used_B += size_B;
    a->held[a->count] = malloc(size_B);
    DEMAND(a->held[a->count]);
    return a->held[a->count++];
}

static void give_back(arena *a) {
    while (a->count) {
        free(a->held[--a->count]);
    }
}

static void check_node(const ptx_graph *g, uint32_t i) {
    const ptx_node *n = &g->node[i];
    DEMAND(n->first <= n->end && n->end <= g->steps);
    for (uint32_t k = 0; k < n->outs; k++) {
        const uint32_t to = g->out[n->first_out + k];
        DEMAND(to < g->nodes && g->out_slot[n->first_out + k] < g->node[to].ins);
        DEMAND(g->in[g->node[to].first_in + g->out_slot[n->first_out + k]] == i);
        if (n->order != PTX_NONE) { /* what dominates the way's end dominates its start, or is it */
            const uint32_t above = g->node[to].dominator;
            DEMAND(g->node[to].order != PTX_NONE);
            DEMAND(to == g->ordered[0] || ptx_dominates(g, above, i));
        }
    }
    if (n->loop != PTX_NONE && n->order != PTX_NONE) {
        DEMAND(n->loop < g->loops && ptx_dominates(g, g->loop[n->loop].head, i));
    }
}

static void check_values(const ptx_values *v) {
    for (uint32_t i = 1; i < v->forms.forms; i++) {
        const ptx_form *f = &v->forms.form[i];
        const uint64_t mask = f->bits < 64 ? ((uint64_t)1 << f->bits) - 1 : UINT64_MAX;
        DEMAND(f->bits && f->bits <= 64 && f->terms <= 4 && !(f->number & ~mask));
        for (uint32_t k = 0; k < f->terms; k++) {
            DEMAND(f->term[k].atom < v->forms.atoms && f->term[k].times);
            DEMAND(!k || f->term[k - 1].atom < f->term[k].atom);
        }
    }
    for (uint32_t i = 0; i < v->args; i++) {
        DEMAND(v->arg[i] < v->forms.forms);
    }
}

static void check_functions(ptx_report *r) {
    for (uint32_t i = 0; i < r->rows.functions; i++) {
        ptx_graph g;
        ptx_values v;
        const ptx_mark mark = ptx_memory_mark(&r->work);
        DEMAND(!ptx_graph_make(&g, &r->work, &r->functions, &r->codes, i, 1));
        for (uint32_t k = 0; k < g.nodes; k++) {
            check_node(&g, k);
        }
        DEMAND(!ptx_values_make(&v, &r->work, &g));
        check_values(&v);
        ptx_memory_back(&r->work, mark);
    }
}

static void check_findings(const ptx_report *r) {
    for (uint32_t i = 0; i < r->findings; i++) {
        DEMAND(r->finding[i].text && r->finding[i].row < r->rows.rows);
        DEMAND(!i || r->finding[i - 1].row <= r->finding[i].row);
        fuzz_said_text(r->finding[i].text);
    }
    for (uint32_t i = 0; i < r->sites; i++) {
        DEMAND(r->site[i].row < r->rows.rows && ptx_site_at(r, r->site[i].row) == i);
    }
}

static void take(void *context, const char *text, size_t length) {
    (void)context;
    fuzz_said(text, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static arena memory;
    ptx_report report;
    if (size < 2) {
        return 0;
    }
    const size_t length = size - 2 < LONGEST ? size - 2 : LONGEST;
    char *text = fuzz_own(data + size - length, length); /* exactly as large as what is read */
    memory = (arena){.most_B = data[0] ? (size_t)data[0] * STEP_B : MOST_B};
    const int failed = ptx_report_make(&report, more, &memory, text, length, NULL, 0, NULL);
    DEMAND(failed == (memory.refused ? -1 : 0));
    if (!failed) {
        DEMAND(data[0] || memory.used_B <= ANY_B * length + ALWAYS_B);
        check_findings(&report);
        tma_out out = tma_out_to(take, NULL);
        const int count = ptx_why_put(&out, &report, data[1]);
        DEMAND((count < 0) == (memory.refused != 0));
    }
    if (!failed && !data[0]) {
        check_functions(&report);
    }
    give_back(&memory);
    fuzz_disown(text);
    return 0;
}
