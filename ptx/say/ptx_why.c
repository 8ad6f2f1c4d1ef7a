/* SPDX-License-Identifier: Apache-2.0
 *
 * From a value back to what it was made of.
 */
#include "ptx_why.h"

#include "ptx_said.h"
#include "ptx_value_text.h"
#include "tma/detail/chars.h"

#define MOST_TEXT      120 /* characters of an instruction */
#define MOST_STEPS     400 /* of one proof that are printed */
#define MOST_REGISTERS 32

/* Where a place got a value: at a step, or where ways meet. */
typedef struct origin {
    uint32_t step;  /* or PTX_NONE */
    uint32_t merge; /* or PTX_NONE; both: what the root got from outside */
    uint32_t place;
    ptx_value value;
} origin;

typedef struct proof {
    ptx_memory *memory;
    ptx_values *v;
    origin *origin;
    uint32_t origins;
    uint8_t *has_step, *has_merge;
} proof;

/* --- finding --- */

typedef struct wanted {
    uint32_t place;
    int found;
} wanted;

static void look(void *context, uint32_t place) {
    wanted *w = context;
    w->found |= w->place == place;
}

/* The last assignment before a step of a block, on all ways. */
static origin origin_of(const ptx_values *v, uint32_t block, uint32_t end, uint32_t place) {
    origin o = {.step = PTX_NONE, .merge = PTX_NONE, .place = place};
    for (;;) {
        const ptx_node *node = &v->g->node[block];
        for (uint32_t i = end; i-- > node->first;) {
            wanted w = {.place = place};
            ptx_step_places(v, &v->g->step[i], look, &w);
            if (w.found) {
                o.step = i;
                return o;
            }
        }
        o.merge = ptx_merge_of(v, block, place);
        if (o.merge != PTX_NONE || node->dominator == block || node->dominator == PTX_NONE) {
            return o;
        }
        block = node->dominator;
        end = v->g->node[block].end;
    }
}

/* Notes where a place got the value that it has before a step of a block. */
static void note(proof *p, uint32_t block, uint32_t end, uint32_t place, ptx_value value) {
    origin o = origin_of(p->v, block, end, place);
    uint8_t *const has = o.step != PTX_NONE    ? &p->has_step[o.step]
                         : o.merge != PTX_NONE ? &p->has_merge[o.merge]
                                               : NULL;
    o.value = value;
    if (has && !*has) {
        *has = 1;
        PTX_APPEND(p, origin, origins, o);
    }
}

/* The next of a row's names that an instruction reads: what it assigns stands first, and counts
 * where a guard may keep it. PTX_NONE: no more. *ref from the row's first on. */
typedef struct reads {
    const ptx_values *v;
    const ptx_step *step;
    uint32_t context;
    uint32_t ref;
    uint32_t assigned; /* that are still to come */
} reads;

static reads reads_of(const ptx_values *v, const ptx_step *step) {
    const ptx_code *c = &v->g->codes->code[step->row];
    return (reads){.v = v,
                   .step = step,
                   .context = step->kind == PTX_STEP_ROW ? step->context
                                                         : v->g->context[step->context].parent,
                   .assigned = c->guarded ? 0 : c->defs};
}

static uint32_t next_read(reads *r, ptx_value *value) {
    const ptx_row *row = &r->v->g->rows->row[r->step->row];
    while (r->ref < row->refs) {
        const uint32_t at = r->ref++;
        const uint32_t place = r->v->g->rows->ref[row->first_ref + at].place;
        if (place != PTX_NONE && r->assigned) {
            r->assigned--;
        } else if (place != PTX_NONE) {
            *value = r->v->use[r->step->first_use + at];
            return ptx_place_in(r->v->g, r->context, place);
        }
    }
    return PTX_NONE;
}

static void note_reads(proof *p, uint32_t at) {
    const ptx_step *step = &p->v->g->step[at];
    reads r = reads_of(p->v, step);
    ptx_value value = PTX_UNKNOWN;
    for (uint32_t place; (place = next_read(&r, &value)) != PTX_NONE;) {
        note(p, step->block, at, place, value);
    }
}

/* What a step's value was made of. */
static void note_step(proof *p, const origin *o) {
    const ptx_step *step = &p->v->g->step[o->step];
    if (step->kind == PTX_STEP_ROW) {
        note_reads(p, o->step);
        return;
    }
    const uint32_t from = ptx_step_source(p->v, step, o->place);
    if (from != PTX_NONE) {
        note(p, step->block, o->step, from, o->value);
    }
}

static void note_merge(proof *p, const origin *o) {
    const ptx_values *v = p->v;
    const ptx_merge *m = &v->merge[o->merge];
    const ptx_node *node = &v->g->node[m->node];
    for (uint32_t i = 0; i < node->ins; i++) {
        const uint32_t from = v->g->in[node->first_in + i];
        if (v->g->node[from].order != PTX_NONE) {
            note(p, from, v->g->node[from].end, m->place, v->arg[m->first_arg + i]);
        }
    }
}

static void follow(proof *p, uint32_t at) {
    note_reads(p, at);
    for (uint32_t i = 0; i < p->origins && !p->memory->failed; i++) {
        const origin o = p->origin[i];
        if (o.step != PTX_NONE) {
            note_step(p, &o);
        } else {
            note_merge(p, &o);
        }
    }
}

/* --- in words --- */

static size_t line_of(const ptx_values *v, uint32_t step) {
    return v->g->rows->row[v->g->step[step].row].piece.line;
}

static size_t line_of_origin(const ptx_values *v, const origin *o) {
    return o->step != PTX_NONE ? line_of(v, o->step) : ptx_block_line(v, v->merge[o->merge].node);
}

/* In the file's order; what ways bring before what is done with it. */
static int is_behind(const ptx_values *v, const origin *a, const origin *b) {
    const size_t x = line_of_origin(v, a);
    const size_t y = line_of_origin(v, b);
    /* PTX_NONE + 1 is 0 */
    return x != y ? x > y : a->step + 1u > b->step + 1u;
}

/* A few hundred. */
static void sort(const ptx_values *v, origin *o, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        const origin one = o[i];
        uint32_t k = i;
        for (; k && is_behind(v, &o[k - 1], &one); k--) {
            o[k] = o[k - 1];
        }
        o[k] = one;
    }
}

static void put_statement(tma_out *out, const ptx_values *v, uint32_t row) {
    ptx_rows_put(out, v->g->rows, row, MOST_TEXT);
}

static void put_is(tma_out *out, const ptx_values *v, uint32_t place, ptx_value value) {
    ptx_place_put(out, v, place);
    tma_put(out, value == PTX_UNKNOWN ? " is " : " = ");
    ptx_value_put(out, v, value);
    tma_put(out, "\n");
}

static void put_step(tma_out *out, const ptx_values *v, const origin *o) {
    const ptx_step *step = &v->g->step[o->step];
    tma_putf(out, "    line %zu: ", line_of(v, o->step));
    if (step->kind == PTX_STEP_ROW) {
        put_statement(out, v, step->row);
    } else {
        tma_put(out, step->kind == PTX_STEP_ENTER ? "the call gives" : "the call returns");
    }
    tma_put(out, "  ->  ");
    put_is(out, v, o->place, o->value);
}

static void put_merge(tma_out *out, const ptx_values *v, const origin *o) {
    const ptx_merge *m = &v->merge[o->merge];
    const ptx_node *node = &v->g->node[m->node];
    const char *between = "paths bring ";
    tma_putf(out, "    line %zu: ", ptx_block_line(v, m->node));
    for (uint32_t i = 0; i < node->ins; i++) {
        uint32_t loop = 0;
        const uint32_t from = v->g->in[node->first_in + i];
        if (v->g->node[from].order != PTX_NONE) {
            tma_put(out, between);
            ptx_value_put(out, v, v->arg[m->first_arg + i]);
            between = ", ";
            if (ptx_way_of(v->g, from, m->node, &loop) != PTX_WAY_ON) {
                tma_put(out, " (back)");
            }
        }
    }
    if (m->is_stepped) {
        tma_putf(out, "; %" TMA_D64 " more each iteration", (int64_t)m->step);
    }
    tma_put(out, "  ->  ");
    put_is(out, v, m->place, m->value);
}

static void put_proof(tma_out *out, const ptx_values *v, proof *p) {
    const uint32_t shown = p->origins < MOST_STEPS ? p->origins : MOST_STEPS;
    sort(v, p->origin, shown);
    for (uint32_t i = 0; i < shown; i++) {
        if (p->origin[i].step != PTX_NONE) {
            put_step(out, v, &p->origin[i]);
        } else {
            put_merge(out, v, &p->origin[i]);
        }
    }
    if (shown < p->origins) {
        tma_putf(out, "    and %u step%s more\n", p->origins - shown,
                 text_plural(p->origins - shown));
    }
}

/* The instruction, how it is called, and what its registers hold. */
static void put_head(tma_out *out, const ptx_values *v, uint32_t at) {
    const ptx_step *step = &v->g->step[at];
    const tma_ptx_span root = v->g->rows->function[v->g->root].name;
    tma_putf(out, "line %zu, ", line_of(v, at));
    tma_put_printable(out, root.at, root.length < MOST_TEXT ? root.length : MOST_TEXT);
    for (uint32_t c = step->context; v->g->context[c].parent != PTX_NONE;
         c = v->g->context[c].parent) {
        tma_putf(out, ", by the call in line %zu",
                 v->g->rows->row[v->g->context[c].row].piece.line);
    }
    tma_put(out, ": ");
    put_statement(out, v, step->row);
    tma_put(out, "\n");
    reads r = reads_of(v, step);
    uint32_t said[MOST_REGISTERS];
    uint32_t saids = 0;
    ptx_value value = PTX_UNKNOWN;
    for (uint32_t place; (place = next_read(&r, &value)) != PTX_NONE;) {
        uint32_t i = 0;
        while (i < saids && said[i] != place) {
            i++;
        }
        if (i == saids) { /* one that stands there twice is said once */
            tma_put(out, "  ");
            put_is(out, v, place, value);
            said[saids] = place;
            saids += saids < MOST_REGISTERS - 1;
        }
    }
}

static void why_step(tma_out *out, ptx_memory *memory, ptx_values *v, uint32_t at) {
    proof p = {.memory = memory, .v = v};
    p.has_step = ptx_memory_take(memory, (size_t)v->g->steps + 1, 1);
    p.has_merge = ptx_memory_take(memory, (size_t)v->merges + 1, 1);
    if (p.has_step && p.has_merge) {
        follow(&p, at);
    }
    if (!memory->failed) {
        put_head(out, v, at);
        put_proof(out, v, &p);
    }
}

static void put_source(tma_out *out, const char *before, const ptx_source *source) {
    tma_put(out, before);
    tma_put_printable(out, source->file.at,
                      source->file.length < MOST_TEXT ? source->file.length : MOST_TEXT);
    tma_putf(out, ":%u", source->line);
}

static void put_line(tma_out *out, const ptx_report *r, uint32_t row) {
    ptx_source outer = {0};
    ptx_source inner = {0};
    int inlined = 0;
    tma_putf(out, "line %zu", r->rows.row[row].piece.line);
    if (ptx_rows_source(&r->rows, row, &outer, &inner, &inlined)) {
        put_source(out, ", ", &outer);
        if (inlined) {
            put_source(out, ", inlined from ", &inner);
        }
    }
    tma_put(out, ": ");
}

/* A line for each place of a finding's way. */
static void put_way(tma_out *out, const ptx_report *r, const ptx_finding *f) {
    for (uint32_t i = 0; i < f->passed; i++) {
        const ptx_passed *passed = &f->way[i];
        char says[PTX_MOST_SAYS];
        const int has = ptx_passed_says(says, r, passed) != NULL;
        tma_put(out, i ? "     -> " : "  path: ");
        put_line(out, r, passed->row);
        ptx_passed_put(out, r, passed);
        tma_putf(out, has ? "  %s\n" : "\n", says);
        if (passed->left_out) {
            tma_putf(out, "    -> %u more places\n", passed->left_out);
        }
    }
}

static void put_findings(tma_out *out, const ptx_report *r, size_t line) {
    for (uint32_t i = 0; i < r->findings; i++) {
        const ptx_finding *f = &r->finding[i];
        if (r->rows.row[f->row].piece.line == line) {
            tma_putf(out, "%s: ", f->rule);
            tma_put_printable(out, f->text, text_length(f->text));
            tma_put(out, f->certain ? " (certain)\n" : "\n");
            put_way(out, r, f);
        }
    }
}

/* One kernel, or function: how often it runs the line. */
static int why_root(tma_out *out, ptx_report *r, uint32_t function, size_t line, uint8_t *is_seen) {
    ptx_graph g;
    ptx_values v;
    int count = 0;
    if (ptx_graph_make(&g, &r->work, &r->functions, &r->codes, function, 1)) {
        return -1;
    }
    for (uint32_t i = 0; i < g.steps; i++) {
        count += g.step[i].kind == PTX_STEP_ROW && r->rows.row[g.step[i].row].piece.line == line &&
                 g.node[g.step[i].block].order != PTX_NONE;
    }
    if (!count) {
        return 0;
    }
    if (ptx_values_make(&v, &r->work, &g)) {
        return -1;
    }
    for (uint32_t i = 0; i < g.steps && !r->work.failed; i++) {
        if (g.step[i].kind == PTX_STEP_ROW && r->rows.row[g.step[i].row].piece.line == line &&
            g.node[g.step[i].block].order != PTX_NONE) {
            is_seen[g.step[i].row] = 1;
            why_step(out, &r->work, &v, i);
        }
    }
    return r->work.failed ? -1 : count;
}

/* Whether a function's rows have the line, and no kernel ran it. */
static int is_left(const ptx_report *r, const ptx_function *f, size_t line,
                   const uint8_t *is_seen) {
    for (uint32_t i = f->first; i < f->end; i++) {
        const tma_ptx_piece *piece = &r->rows.row[i].piece;
        if (piece->line == line && piece->kind == TMA_PTX_PIECE_INSTRUCTION && !is_seen[i]) {
            return 1;
        }
    }
    return 0;
}

int ptx_why_put(tma_out *out, ptx_report *r, size_t line) {
    uint8_t *is_seen = ptx_memory_take(&r->kept, (size_t)r->rows.rows + 1, 1);
    int count = 0;
    put_findings(out, r, line);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < r->rows.functions; i++) {
            const ptx_function *f = &r->rows.function[i];
            const ptx_mark mark = ptx_memory_mark(&r->work);
            if (!is_seen || f->first == f->end ||
                (pass ? !is_left(r, f, line, is_seen) : !f->is_entry)) {
                continue;
            }
            const int one = why_root(out, r, i, line, is_seen);
            if (one < 0) {
                return -1;
            }
            count += one;
            ptx_memory_back(&r->work, mark);
        }
    }
    return is_seen ? count : -1;
}
