/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps whose first bytes are not sure to be what copies find: some instruction may write them. An
 * address that goes where it is not followed counts as written; of a kernel's parameter, what it
 * points to. Not seen, and said in docs/ptx.md: plain stores through other pointers from outside of
 * the file, and what the host writes.
 */
#include "ptx_sites.h"

static void mark_form(ptx_report *r, const ptx_values *v, ptx_value value) {
    const ptx_form *f = &v->forms.form[value];
    for (uint32_t i = 0; i < f->terms; i++) {
        const ptx_atom *atom = &v->forms.atom[f->term[i].atom];
        if (atom->kind == PTX_ATOM_ADDRESS || atom->kind == PTX_ATOM_PARAMETER) {
            r->is_written[atom->a] = 1;
        }
    }
}

/* Whether an instruction only calculates with an address, or copies by the map there. */
static int leaves_alone(const ptx_report *r, const ptx_step *step) {
    const uint32_t i = r->is_site[step->row] ? ptx_site_at(r, step->row) : PTX_NONE;
    const ptx_code *c = &r->codes.code[step->row];
    if (step->kind != PTX_STEP_ROW) {
        return 1; /* parameters are followed */
    }
    if (i != PTX_NONE) {
        return !r->site[i].unread; /* mark_edit() marks edits */
    }
    return (c->op != PTX_OP_OTHER && c->op != PTX_OP_CALL && c->defs == 1) ||
           ptx_begins(r->codes.opcode[c->name], "ld.");
}

static void mark_layout(ptx_report *r, const tma_ptx_statement *s) {
    r->edits_layout |= s->kind == TMA_PTX_REPLACE && s->field != TMA_REPLACE_GLOBAL_ADDRESS &&
                       s->field != TMA_REPLACE_GLOBAL_DIM && s->field != TMA_REPLACE_GLOBAL_STRIDE;
}

/* An edit of a map that may be one of the file's variables. */
static void mark_edit(ptx_report *r, ptx_values *v, const ptx_step *step, const ptx_site *site) {
    int64_t added = 0;
    const ptx_value map = ptx_value_bare(v, ptx_value_at(v, step, &site->s.map));
    const ptx_atom *base = ptx_value_base(v, map, &added);
    if (base && base->kind == PTX_ATOM_ADDRESS) {
        r->is_written[base->a] = 1;
        return;
    }
    r->edits_pointed = 1;
}

int ptx_map_keeps_layout(const ptx_report *r, const ptx_known *map) {
    return !r->edits_layout && (map->variable == PTX_NONE || !r->is_written[map->variable]);
}

int ptx_map_may_change(const ptx_report *r, const ptx_known *map) {
    const ptx_variable *v = map->variable == PTX_NONE ? NULL : &r->rows.variable[map->variable];
    if (map->kind != PTX_KNOWN_ADDRESS || !v) {
        return r->edits_pointed || (v && r->is_written[map->variable]);
    }
    return !ptx_is_text(v->v.space, "const") && !ptx_is_text(v->v.space, "param") &&
           (r->edits_pointed || v->is_named || r->is_written[map->variable]);
}

static void take_step(ptx_report *r, ptx_values *v, const ptx_step *step) {
    const uint32_t i = r->is_site[step->row] ? ptx_site_at(r, step->row) : PTX_NONE;
    if (i != PTX_NONE && step->kind == PTX_STEP_ROW && !r->site[i].unread &&
        (r->site[i].s.kind == TMA_PTX_REPLACE || r->site[i].s.kind == TMA_PTX_CP_FENCEPROXY)) {
        mark_edit(r, v, step, &r->site[i]);
        mark_layout(r, &r->site[i].s);
    }
    for (uint32_t k = 0; !leaves_alone(r, step) && k < r->rows.row[step->row].refs; k++) {
        mark_form(r, v, v->use[step->first_use + k]);
    }
}

void ptx_written_take(ptx_report *r, ptx_values *v) {
    for (uint32_t i = 0; i < v->g->steps; i++) {
        take_step(r, v, &v->g->step[i]);
    }
    for (uint32_t i = 0; i < v->forms.atoms; i++) {
        const ptx_atom *atom = &v->forms.atom[i];
        if (atom->kind == PTX_ATOM_OPERATION && atom->bits > 1) { /* not followed further */
            mark_form(r, v, atom->b);
            mark_form(r, v, atom->c);
            mark_form(r, v, atom->d);
        }
    }
    for (uint32_t i = 0; i < v->merges; i++) {
        const ptx_merge *m = &v->merge[i];
        for (uint32_t k = 0; k < v->g->node[m->node].ins; k++) {
            if (v->arg[m->first_arg + k] != m->value) {
                mark_form(r, v, v->arg[m->first_arg + k]);
            }
        }
    }
}
