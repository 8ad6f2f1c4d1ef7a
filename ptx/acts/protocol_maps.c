/* SPDX-License-Identifier: Apache-2.0
 *
 * Which map an act goes by, and whether maps change.
 */
#include "ptx_protocol.h"

const ptx_site *ptx_step_site(const ptx_protocol *p, const ptx_step *step) {
    const uint32_t site = p->r->is_site[step->row] ? ptx_site_at(p->r, step->row) : PTX_NONE;
    return site == PTX_NONE || p->r->site[site].unread ? NULL : &p->r->site[site];
}

ptx_value ptx_act_map(const ptx_protocol *p, const ptx_step *step) {
    const ptx_site *site = ptx_step_site(p, step);
    const ptx_value map = site ? ptx_value_at(p->v, step, &site->s.map) : PTX_UNKNOWN;
    return map == PTX_UNKNOWN ? map : ptx_value_bare(p->v, map);
}

int ptx_map_is_writable(const ptx_protocol *p, ptx_value map) {
    int64_t added = 0;
    const ptx_atom *base = map == PTX_UNKNOWN ? NULL : ptx_value_base(p->v, map, &added);
    return map != PTX_UNKNOWN && (!base || base->kind != PTX_ATOM_ADDRESS ||
                                  ptx_is_text(p->r->rows.variable[base->a].v.space, "global"));
}

int ptx_maps_change(const ptx_protocol *p) {
    const ptx_graph *g = p->v->g;
    for (uint32_t i = 0; i < g->steps; i++) {
        if (g->step[i].kind == PTX_STEP_ROW && p->r->is_site[g->step[i].row] &&
            ptx_map_is_writable(p, ptx_act_map(p, &g->step[i]))) {
            return 1;
        }
    }
    return 0;
}
