/* SPDX-License-Identifier: Apache-2.0
 *
 * map-edit: a map in global memory that generic stores edit goes to the tensormap proxy by a fence.
 */
#include <string.h>

#include "ptx_protocol.h"

#define MAP_B    128
#define MOST_MAP UINT64_C(1000000) /* pairs of stores and copies */

ptx_value ptx_act_map(const ptx_protocol *p, const ptx_step *step) {
    const uint32_t site = p->r->is_site[step->row] ? ptx_site_at(p->r, step->row) : PTX_NONE;
    if (site == PTX_NONE || p->r->site[site].unread) {
        return PTX_UNKNOWN;
    }
    const ptx_value map = ptx_value_at(p->v, step, &p->r->site[site].s.map);
    return map == PTX_UNKNOWN ? map : ptx_value_bare(p->v, map);
}

static int may_change(const ptx_protocol *p, ptx_value map) {
    int64_t added = 0;
    const ptx_atom *base = map == PTX_UNKNOWN ? NULL : ptx_value_base(p->v, map, &added);
    return map != PTX_UNKNOWN && (!base || base->kind != PTX_ATOM_ADDRESS ||
                                  ptx_is_text(p->r->rows.variable[base->a].v.space, "global"));
}

int ptx_maps_change(const ptx_protocol *p) {
    const ptx_graph *g = p->v->g;
    for (uint32_t i = 0; i < g->steps; i++) {
        if (g->step[i].kind == PTX_STEP_ROW && p->r->is_site[g->step[i].row] &&
            may_change(p, ptx_act_map(p, &g->step[i]))) {
            return 1;
        }
    }
    return 0;
}

/* Whether an address is proved to be in a map, for some thread: of 128 bytes. */
static int is_in_map(const ptx_protocol *p, ptx_value address, ptx_value map, uint32_t around) {
    ptx_first t = {.p = p, .around = around, .variable = PTX_NONE};
    uint64_t at_B = 0;
    const ptx_value apart = address == PTX_UNKNOWN || map == PTX_UNKNOWN
                                ? PTX_UNKNOWN
                                : ptx_form_sum(&p->v->forms, address, map, UINT64_MAX);
    return apart != PTX_UNKNOWN && ptx_value_first(&t, apart, &at_B) && at_B < MAP_B;
}

/* Forwards from the store. */
enum { OWN, ANY, FENCED, PLANES };

typedef struct edit_context {
    uint32_t use[64]; /* acts + 1 */
} edit_context;

static void pass_edit(ptx_flood *f, uint32_t act, uint64_t *plane) {
    const ptx_act *a = &f->p->act[act];
    if (a->kind == PTX_ACT_FENCE_MAP) {
        ptx_flood_move(f, plane, OWN, FENCED, UINT64_MAX);
        ptx_flood_move(f, plane, ANY, FENCED, UINT64_MAX);
    } else if (a->kind == PTX_ACT_SYNC) {
        ptx_flood_move(f, plane, OWN, ANY, UINT64_MAX);
    } else if (a->kind == PTX_ACT_CALL) {
        memset(plane, 0, 2 * (size_t)f->planes * sizeof(*plane));
    }
}

static void hit_edit(ptx_flood *f, uint32_t act, const uint64_t *plane) {
    edit_context *c = f->context;
    const ptx_act *a = &f->p->act[act];
    const ptx_step *step = &f->p->v->g->step[a->step];
    const uint64_t bits = (plane[OWN] | plane[ANY]) & ~ptx_flood_bits(f, plane, FENCED);
    if ((a->kind != PTX_ACT_LOAD && a->kind != PTX_ACT_STORE) || !bits) {
        return;
    }
    const ptx_value map = ptx_act_map(f->p, step);
    for (uint32_t i = 0; i < f->seeds && may_change(f->p, map); i++) {
        if ((bits >> i & 1) && !c->use[i] &&
            is_in_map(f->p, f->p->act[f->seed[i]].at, map, step->block)) {
            c->use[i] = act + 1;
        }
    }
}

static void end_edit(ptx_flood *f) {
    const edit_context *c = f->context;
    for (uint32_t i = 0; i < f->seeds; i++) {
        const ptx_act *edit = &f->p->act[f->seed[i]];
        if (!c->use[i]) {
            continue;
        }
        const int line = ptx_act_line(f->p, edit);
        ptx_protocol_say(f->p, PTX_RULE_MAP_EDIT, 1, &f->p->act[c->use[i] - 1], edit,
                         "may go by its map as it was before line %d writes it: no "
                         "fence.proxy.tensormap::generic stands on any way from there to here. Put "
                         "fence.proxy.tensormap::generic.release.gpu behind line %d, and "
                         "fence.proxy.tensormap::generic.acquire.gpu [map], 128 before the copy, "
                         "in its thread",
                         line, line);
    }
}

void ptx_edit_check(ptx_protocol *p) {
    edit_context c;
    ptx_flood f = ptx_flood_of(PLANES, pass_edit, hit_edit, &c, sizeof(c));
    f.crossed = ANY;
    const uint64_t copies = (uint64_t)p->many[PTX_ACT_LOAD] + p->many[PTX_ACT_STORE];
    if (copies && p->many[PTX_ACT_EDIT] && copies * p->many[PTX_ACT_EDIT] <= MOST_MAP &&
        !ptx_flood_begin(&f, p)) {
        ptx_flood_all(&f, PTX_ACT_EDIT, end_edit);
    }
}
