/* SPDX-License-Identifier: Apache-2.0
 *
 * All rules of the protocol.
 */
#include "ptx_protocol.h"

void ptx_protocol_check(ptx_report *r, ptx_values *v) {
    ptx_protocol p;
    if (ptx_protocol_make(&p, v->memory, r, v)) {
        r->memory->failed = 1;
        return;
    }
    for (uint32_t i = 0; i < p.acts; i++) {
        if (p.act[i].kind == PTX_ACT_STORE || p.act[i].kind == PTX_ACT_LOAD) {
            ptx_local_check(&p, &p.act[i]);
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
        ptx_sends_check(&p);
    }
    ptx_way_find_rest(&p);
    if (!p.work) {
        ptx_leave_unjudged(r, v->g->root, PTX_BUDGET_WAYS);
    }
    r->memory->failed |= v->memory->failed;
}
