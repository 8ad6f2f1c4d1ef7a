/* SPDX-License-Identifier: Apache-2.0
 *
 * Ways through a function from the edit of a map to its use.
 */
#include <stdlib.h>
#include <string.h>

#include "ptx_sites.h"

typedef struct walk {
    ptx_report *r;
    const ptx_values *values;
    const ptx_function *f;
    uint32_t function;
    uint32_t first, end; /* sites */
    uint8_t *seen;       /* rows of the function */
    uint32_t *todo;
    uint32_t todos;
} walk;

static void visit(walk *w, uint32_t row) {
    if (row < w->f->end && !w->seen[row - w->f->first]) {
        w->seen[row - w->f->first] = 1;
        w->todo[w->todos++] = row;
    }
}

static void visit_labels(walk *w, tma_ptx_span name) {
    for (uint32_t row = w->f->first; row < w->f->end; row++) {
        const tma_ptx_piece *p = &w->r->rows.row[row].piece;
        if (p->kind == TMA_PTX_PIECE_LABEL &&
            (!name.length || ptx_same((tma_ptx_span){p->at, p->size}, name))) {
            visit(w, row);
        }
    }
}

/* The rows that can come behind one; 0: a call, whose inside is not seen. */
static int follow(walk *w, uint32_t row) {
    tma_ptx_parts p;
    const tma_ptx_piece *piece = &w->r->rows.row[row].piece;
    if (piece->kind != TMA_PTX_PIECE_INSTRUCTION || tma_ptx_split(&p, piece)) {
        visit(w, row + 1);
        return 1;
    }
    if (tma_ptx_is(&p, "call", NULL)) {
        return 0;
    }
    if (tma_ptx_is(&p, "bra", NULL) && p.count) {
        visit_labels(w, p.operand[0]);
    } else if (tma_ptx_is(&p, "brx", NULL)) {
        visit_labels(w, (tma_ptx_span){"", 0});
    }
    const int leaves = tma_ptx_is(&p, "bra", NULL) || tma_ptx_is(&p, "brx", NULL) ||
                       tma_ptx_is(&p, "ret", NULL) || tma_ptx_is(&p, "exit", NULL) ||
                       tma_ptx_is(&p, "trap", NULL);
    if (!leaves || p.guard.length) {
        visit(w, row + 1);
    }
    return 1;
}

static const ptx_site *site_at(const walk *w, uint32_t row) {
    uint32_t low = w->first;
    uint32_t high = w->end;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (w->r->site[middle].row < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < w->end && w->r->site[low].row == row ? &w->r->site[low] : NULL;
}

static int is_acquire(const ptx_site *s) {
    return !s->unread && s->s.kind == TMA_PTX_FENCE && !(s->s.qualifiers & TMA_PTX_RELEASE);
}

static int uses_map(const ptx_site *s) {
    return !s->unread && s->s.kind != TMA_PTX_OTHER && s->s.kind <= TMA_PTX_PREFETCH;
}

/* The first use of the map that a way from the edit reaches with no fence on it; or PTX_NONE. */
static uint32_t unfenced_use(walk *w, uint32_t edit) {
    const ptx_value map = w->r->site[edit].map;
    memset(w->seen, 0, w->f->end - w->f->first);
    w->todos = 0;
    visit(w, w->r->site[edit].row + 1);
    while (w->todos) {
        const uint32_t row = w->todo[--w->todos];
        const ptx_site *site = site_at(w, row);
        if (site && is_acquire(site) && ptx_values_alike(&site->map, &map) != PTX_DIFFERENT) {
            continue;
        }
        if (site && uses_map(site) && ptx_values_alike(&site->map, &map) == PTX_EQUAL) {
            return (uint32_t)(site - w->r->site);
        }
        w->r->calls += !follow(w, row);
    }
    return PTX_NONE;
}

static int is_line_of(const ptx_report *r, uint32_t site) {
    return (int)r->rows.row[r->site[site].row].piece.line;
}

static int releases(const walk *w) {
    for (uint32_t i = w->first; i < w->end; i++) {
        const ptx_site *s = &w->r->site[i];
        if (!s->unread && s->s.kind == TMA_PTX_FENCE && s->s.qualifiers & TMA_PTX_RELEASE) {
            return 1;
        }
    }
    return 0;
}

/* Whether some cp_fenceproxy may take (source) or make (target) this map. */
static int is_copied(const walk *w, const ptx_value *map, int source) {
    for (uint32_t i = w->first; i < w->end; i++) {
        const ptx_site *s = &w->r->site[i];
        if (!s->unread && s->s.kind == TMA_PTX_CP_FENCEPROXY &&
            ptx_values_alike(source ? &s->shared : &s->map, map) != PTX_DIFFERENT) {
            return 1;
        }
    }
    return 0;
}

/* Whether an earlier replace of the function edits the same map: one word about it is enough. */
static int is_said(const walk *w, uint32_t edit) {
    for (uint32_t i = w->first; i < edit; i++) {
        const ptx_site *s = &w->r->site[i];
        if (!s->unread && s->s.kind == TMA_PTX_REPLACE &&
            ptx_values_alike(&s->map, &w->r->site[edit].map) == PTX_EQUAL) {
            return 1;
        }
    }
    return 0;
}

static void check_publishing(walk *w, uint32_t edit) {
    const ptx_site *s = &w->r->site[edit];
    const int in_shared = s->s.space == TMA_PTX_SHARED_CTA;
    if (is_said(w, edit) || releases(w) || is_copied(w, &s->map, in_shared) ||
        (s->s.space == TMA_PTX_SPACE_NONE && is_copied(w, &s->map, 1))) {
        return;
    }
    ptx_break(w->r, edit, s->row, PTX_RULE_PUBLISH,
              "the map is edited in %s memory, and the function has no tensormap.cp_fenceproxy %s "
              "it and no fence.proxy.tensormap::generic.release",
              in_shared ? "shared" : "global", in_shared ? "from" : "to");
}

/* Whether a fence of the function may be on this map: then some way may be fenced, and which one is
 * taken is not seen. */
static int has_acquire(const walk *w, const ptx_value *map) {
    for (uint32_t i = w->first; i < w->end; i++) {
        const ptx_site *s = &w->r->site[i];
        if (is_acquire(s) && ptx_values_alike(&s->map, map) != PTX_DIFFERENT) {
            return 1;
        }
    }
    return 0;
}

static void check_fence(walk *w, uint32_t edit) {
    const ptx_site *s = &w->r->site[edit];
    if (s->s.space == TMA_PTX_SHARED_CTA && s->s.kind == TMA_PTX_REPLACE) {
        return; /* copies cannot use it there */
    }
    const uint32_t use = unfenced_use(w, edit);
    if (use != PTX_NONE && has_acquire(w, &s->map)) {
        w->r->branches++;
    } else if (use != PTX_NONE) {
        ptx_break(w->r, use, w->r->site[use].row, PTX_RULE_FENCE,
                  "uses a map that line %d edits, and a way leads here with no "
                  "fence.proxy.tensormap::generic.acquire on it",
                  is_line_of(w->r, edit));
    }
}

static void check_edits(walk *w) {
    for (uint32_t i = w->first; i < w->end; i++) {
        const ptx_site *s = &w->r->site[i];
        if (s->unread) {
            continue;
        }
        if (s->s.kind == TMA_PTX_REPLACE) {
            check_publishing(w, i);
        }
        if (s->s.kind == TMA_PTX_CP_FENCEPROXY ||
            (s->s.kind == TMA_PTX_REPLACE && !is_said(w, i))) {
            check_fence(w, i);
        }
    }
}

void ptx_paths_check(ptx_report *r, const ptx_values *values, uint32_t function, uint32_t first,
                     uint32_t end) {
    const ptx_function *f = &r->rows.function[function];
    walk w = {r, values, f, function, first, end, NULL, NULL, 0};
    int edits = 0;
    for (uint32_t i = first; i < end; i++) {
        edits |= !r->site[i].unread && (r->site[i].s.kind == TMA_PTX_REPLACE ||
                                        r->site[i].s.kind == TMA_PTX_CP_FENCEPROXY);
    }
    if (!edits) {
        return;
    }
    w.seen = malloc(f->end - f->first + 1);
    w.todo = malloc((f->end - f->first + 1) * sizeof(*w.todo));
    if (w.seen && w.todo) {
        check_edits(&w);
    } else {
        r->failed = 1;
    }
    free(w.seen);
    free(w.todo);
}
