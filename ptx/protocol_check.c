/* SPDX-License-Identifier: Apache-2.0
 *
 * All rules of the protocol, and the one on where a copy's map lies.
 */
#include "ptx_protocol.h"

static void check_map(ptx_protocol *p, const ptx_act *act) {
    int64_t added = 0;
    const ptx_value map = ptx_act_map(p, &p->v->g->step[act->step]);
    const ptx_atom *base = map == PTX_UNKNOWN ? NULL : ptx_value_base(p->v, map, &added);
    if (!base || base->kind != PTX_ATOM_ADDRESS) {
        return;
    }
    const ptx_variable *v = &p->r->rows.variable[base->a];
    const int is_local = ptx_is_text(v->v.space, "local");
    if (is_local || ptx_is_text(v->v.space, "shared")) {
        ptx_protocol_say(p, PTX_RULE_MAP_LOCAL, 1, act, NULL,
                         "its map lies in %s memory (%.*s): the tensormap proxy reads .param, "
                         ".const and .global alone. %s",
                         is_local ? "local" : "shared",
                         (int)(v->v.name.length < 100 ? v->v.name.length : 100), v->v.name.at,
                         is_local ? "Give the kernel const __grid_constant__ CUtensorMap, so that "
                                    "no copy of the parameter is made"
                                  : "Copy it to global memory by tensormap.cp_fenceproxy");
    }
}

void ptx_protocol_check(ptx_report *r, ptx_values *v) {
    ptx_protocol p;
    if (ptx_protocol_make(&p, v->memory, r, v)) {
        r->memory->failed = 1;
        return;
    }
    for (uint32_t i = 0; i < p.acts; i++) {
        if (p.act[i].kind == PTX_ACT_STORE || p.act[i].kind == PTX_ACT_LOAD) {
            check_map(&p, &p.act[i]);
        }
    }
    if (v->g->rows->function[v->g->root].is_entry) { /* who calls a function may do the rest */
        ptx_store_check(&p);
        ptx_reuse_check(&p);
        ptx_await_check(&p);
        ptx_count_check(&p);
        ptx_parity_check(&p);
        ptx_init_check(&p);
        ptx_life_check(&p);
        ptx_load_check(&p);
        ptx_edit_check(&p);
        ptx_mma_check(&p);
        ptx_cluster_check(&p);
        ptx_turns_check(&p);
        ptx_rings_check(&p);
        ptx_phases_check(&p);
        ptx_apart_check(&p);
        ptx_reads_check(&p);
        ptx_drains_check(&p);
        ptx_peers_check(&p);
        ptx_early_check(&p);
        ptx_returns_check(&p);
        ptx_whims_check(&p);
    }
    r->unjudged += !p.work;
    r->memory->failed |= v->memory->failed;
}
