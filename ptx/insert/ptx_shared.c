/* SPDX-License-Identifier: Apache-2.0
 *
 * What the checks of a function share: passes, for maps that are the same each time, and one branch
 * for copies that stand back to back.
 */
#include <string.h>

#include "ptx_group.h"
#include "ptx_rewrite_parts.h"
#include "tma/detail/judge_bulk.h"

#define MOST_GROUPED  32 /* copies */
#define MOST_INITS    64 /* of a kernel that is asked which barriers it initialises */
#define MOST_COMPARED 64 /* checks, for their strings */

/* A kernel's own parameter or a constant, which *check gets. */
static int is_constant(const rewrite *r, const ptx_values *v, site *at) {
    int64_t added = 0;
    const uint32_t function = r->rows.row[at->row].function;
    const ptx_atom *base = ptx_value_base(v, at->map, &added);
    if (!base || base->kind != PTX_ATOM_ADDRESS || !r->rows.function[function].is_entry) {
        return 0;
    }
    const tma_ptx_variable *held = &r->rows.variable[base->a].v;
    const int is_param = ptx_is_text(held->space, "param");
    at->check.symbol = held->name;
    at->check.symbol_map = is_param ? TMA_PTX_CHECK_PARAM : TMA_PTX_CHECK_CONST;
    at->check.symbol_at_B = added;
    return is_param || ptx_is_text(held->space, "const");
}

static int is_alike(const site *a, const site *b) {
    return a->map == b->map && a->s.in.op == b->s.in.op && a->s.in.mode == b->s.in.mode &&
           a->s.in.rank == b->s.in.rank && a->s.in.cluster == b->s.in.cluster &&
           a->s.in.cta_group == b->s.in.cta_group;
}

static void share_pass(rewrite *r, const ptx_values *v, uint32_t first, uint32_t i) {
    site *at = &r->site[i];
    tma_ptx_check_shared *shared = &r->shared[r->rows.row[at->row].function];
    const uint32_t mode = at->s.in.mode;
    shared->expects |= mode == TMA_JUDGE_BARRIER;
    if (mode >= TMA_JUDGE_BULK) {
        return; /* no map */
    }
    at->check.changes = !is_constant(r, v, at);
    shared->changes |= at->check.changes;
    const int is_box = mode == TMA_MODE_IM2COL && !tma_ptx_check_fits_inline(&at->check);
    if (at->check.changes || is_box || mode >= TMA_MODE_IM2COL_W) {
        return; /* a box lies in the map */
    }
    for (uint32_t k = first; k < i; k++) {
        const site *other = &r->site[k];
        if (other->check.pass != TMA_PTX_CHECK_NO_PASS && is_alike(other, at)) {
            at->check.pass = other->check.pass;
            return;
        }
    }
    at->check.pass = shared->passes++;
}

static int is_expect(const site *at) {
    return at->s.in.mode == TMA_JUDGE_BARRIER;
}

/* Inline, or a call: what expects bytes calls where copies of the function do. */
static void place(rewrite *r, site *at) {
    tma_ptx_check_shared *shared = &r->shared[r->rows.row[at->row].function];
    const int same = at->check.pass != TMA_PTX_CHECK_NO_PASS || at->s.in.mode >= TMA_JUDGE_BULK;
    const int fits =
        same && tma_ptx_check_fits_inline(&at->check) && !(is_expect(at) && shared->called);
    at->check.inlined = fits ? shared->inlined++ : TMA_PTX_CHECK_CALLED;
    shared->called += !fits;
    r->called += !fits;
}

/* Whether a load's barrier is proved to lie as one does: its low bits come from its variable's
 * .align, from sums and products. */
static uint32_t is_aligned(ptx_values *v, const ptx_step *step, const tma_ptx_statement *s) {
    uint64_t number = 0;
    const ptx_value barrier =
        s->in.op == TMA_OP_LOAD ? ptx_value_at(v, step, &s->barrier) : PTX_UNKNOWN;
    if (barrier == PTX_UNKNOWN) {
        return 0;
    }
    const ptx_value low = ptx_value_bare(v, ptx_form_cut(&v->forms, barrier, 32));
    const uint32_t bits = ptx_value_low_bits(v, low, &number);
    const uint64_t unit = TMA_VALUE(BARRIER_ALIGN);
    return bits < 32 && UINT64_C(1) << bits >= unit && number % unit == 0;
}

/* The barriers that a kernel initialises, as far as they are known: no more than MOST_INITS. */
static uint32_t take_inits(ptx_values *v, ptx_value *inits) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < v->g->steps && count < MOST_INITS; i++) {
        const ptx_step *step = &v->g->step[i];
        tma_ptx_parts parts;
        if (step->kind == PTX_STEP_ROW &&
            ptx_begins(ptx_row_opcode(v->g->codes, step->row), "mbarrier.init") &&
            !tma_ptx_split(&parts, &v->g->rows->row[step->row].piece) && parts.count) {
            inits[count++] = ptx_value_bare(v, ptx_value_of_text(v, step, parts.operand[0]));
        }
    }
    return count;
}

/* An instruction that expects bytes of a barrier which the kernel itself may initialise is left as
 * it is: the check costs a branch in each turn of a loop. */
static void leave_initialised(rewrite *r, ptx_values *v, uint32_t first, uint32_t end) {
    ptx_value inits[MOST_INITS];
    const uint32_t count = take_inits(v, inits);
    uint32_t at = first;
    for (uint32_t i = 0; i < v->g->steps && count; i++) {
        const ptx_step *step = &v->g->step[i];
        while (at < end && r->site[at].row < step->row) {
            at++;
        }
        if (at == end || r->site[at].row != step->row || !is_expect(&r->site[at])) {
            continue;
        }
        const ptx_value barrier = ptx_value_bare(v, ptx_value_at(v, step, &r->site[at].s.barrier));
        for (uint32_t k = 0; k < count; k++) {
            if (count == MOST_INITS || ptx_values_alike(v, inits[k], barrier) != PTX_DIFFERENT) {
                r->site[at].left = "its kernel initialises its barrier";
            }
        }
    }
}

/* Sites of one function: first to end. */
static void share_passes(rewrite *r, uint32_t first, uint32_t end) {
    ptx_graph g;
    ptx_values v;
    const uint32_t function = r->rows.row[r->site[first].row].function;
    const ptx_mark mark = ptx_memory_mark(&r->work);
    if (ptx_graph_make(&g, &r->work, &r->functions, &r->codes, function, 0) ||
        ptx_values_make(&v, &r->work, &g)) {
        r->memory->failed = 1;
        return;
    }
    uint32_t at = first;
    for (uint32_t i = 0; i < g.steps; i++) { /* in the order of rows */
        while (at < end && r->site[at].row < g.step[i].row) {
            at++;
        }
        if (at < end && r->site[at].row == g.step[i].row && !r->site[at].left) {
            r->site[at].map = ptx_value_bare(&v, ptx_value_at(&v, &g.step[i], &r->site[at].s.map));
            r->site[at].check.barrier_is_aligned = is_aligned(&v, &g.step[i], &r->site[at].s);
            r->site[at].as_warp = ptx_comes_as_warp(&g, i);
        }
    }
    leave_initialised(r, &v, first, end);
    for (uint32_t i = first; i < end; i++) {
        if (!r->site[i].left) {
            share_pass(r, &v, first, i);
        }
    }
    for (int expects = 0; expects < 2; expects++) {
        for (uint32_t i = first; i < end; i++) {
            if (!r->site[i].left && is_expect(&r->site[i]) == expects) {
                place(r, &r->site[i]);
            }
        }
    }
    ptx_memory_back(&r->work, mark);
}

uint32_t ptx_sites_end(const rewrite *r, uint32_t first) {
    uint32_t end = first + 1;
    while (end < r->sites &&
           r->rows.row[r->site[end].row].function == r->rows.row[r->site[first].row].function) {
        end++;
    }
    return end;
}

/* Inline checks whose copies stand back to back, from the first on: behind the last of them. */
static uint32_t group_end(const rewrite *r, uint32_t first, uint32_t end) {
    uint32_t row[MOST_GROUPED];
    uint32_t i = first;
    row[0] = r->site[first].row;
    for (i++; i < end && i - first < MOST_GROUPED && !r->site[i].left &&
              r->site[i].check.inlined != TMA_PTX_CHECK_CALLED && !is_expect(&r->site[i]) &&
              ptx_may_wait(&r->rows, &r->codes, row, i - first, r->site[i].row);
         i++) {
        row[i - first] = r->site[i].row;
    }
    return i;
}

/* Whether whole warps come to the checks of one group, and guards say who copies. */
static int are_together(const rewrite *r, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; i++) {
        if (r->site[i].left || is_expect(&r->site[i]) || r->site[i].s.guard.kind != TMA_PTX_NAME ||
            !r->site[i].as_warp) {
            return 0;
        }
    }
    return 1;
}

static void group(rewrite *r, uint32_t first, uint32_t end) {
    tma_ptx_check_shared *shared = &r->shared[r->rows.row[r->site[first].row].function];
    for (uint32_t i = first, behind = 0; i < end; i = behind) {
        behind = i + 1;
        if (!r->site[i].left && r->site[i].check.inlined != TMA_PTX_CHECK_CALLED &&
            !is_expect(&r->site[i])) {
            behind = group_end(r, i, end);
        }
        const int together = are_together(r, i, behind);
        shared->together += (uint32_t)together; /* called ones alone do no harm */
        for (uint32_t k = i; k < behind; k++) {
            r->site[k].check.together = (uint32_t)together;
            r->site[k].check.group = r->site[i].check.number;
            r->site[k].check.next =
                k + 1 < behind ? r->site[k + 1].check.number : TMA_PTX_CHECK_LAST;
        }
    }
}

/* The inline checks of a function that are the first with their pass, in a row. */
static void chain(rewrite *r, uint32_t first, uint32_t end) {
    const tma_ptx_check **to = &r->shared[r->rows.row[r->site[first].row].function].judged;
    uint32_t passes = 0; /* they are given out in order */
    for (uint32_t i = first; i < end; i++) {
        tma_ptx_check *check = &r->site[i].check;
        if (!r->site[i].left && check->inlined != TMA_PTX_CHECK_CALLED &&
            check->pass != TMA_PTX_CHECK_NO_PASS && check->pass >= passes) {
            passes = check->pass + 1;
            *to = check;
            to = &check->other;
        }
    }
}

/* Numbers as if what expects bytes and is left were not there. */
static void number_sites(rewrite *r, uint32_t first, uint32_t end, uint32_t *skipped) {
    for (uint32_t i = first; i < end; i++) {
        r->site[i].check.number = i - *skipped;
        *skipped += is_expect(&r->site[i]) && r->site[i].left;
    }
}

static int is_same(tma_ptx_span a, tma_ptx_span b) {
    return a.length == b.length && (a.at == b.at || !a.length || memcmp(a.at, b.at, a.length) == 0);
}

/* Whose string it is: one's that is known, or else the other's where it is the same. */
static const tma_ptx_check *whose(const tma_ptx_check *known, int same, const tma_ptx_check *other,
                                  const tma_ptx_check *others) {
    return known || !same ? known : others ? others : other;
}

static void share_with(site *at, const site *before) {
    tma_ptx_check *check = &at->check;
    const tma_ptx_check *other = &before->check;
    check->file_as =
        whose(check->file_as, is_same(check->file, other->file), other, other->file_as);
    check->function_as = whose(check->function_as, is_same(check->function, other->function), other,
                               other->function_as);
    check->opcode_as =
        whose(check->opcode_as, is_same(at->spelled, before->spelled), other, other->opcode_as);
}

/* Strings that an earlier check has, of the last few: ptxas takes long for many variables. */
static void share_strings(rewrite *r) {
    for (uint32_t i = 0; i < r->sites; i++) {
        const uint32_t first = i > MOST_COMPARED ? i - MOST_COMPARED : 0;
        for (uint32_t k = i; k-- > first && !r->site[i].left;) {
            if (!r->site[k].left) {
                share_with(&r->site[i], &r->site[k]);
            }
        }
    }
}

void ptx_share_all(rewrite *r) {
    uint32_t skipped = 0;
    for (uint32_t first = 0, end = 0; first < r->sites && !r->memory->failed; first = end) {
        end = ptx_sites_end(r, first);
        const int has_function = r->rows.row[r->site[first].row].function != PTX_NONE;
        if (has_function) {
            share_passes(r, first, end);
        }
        number_sites(r, first, end, &skipped);
        if (has_function) {
            group(r, first, end);
            chain(r, first, end);
        }
    }
    share_strings(r);
}
