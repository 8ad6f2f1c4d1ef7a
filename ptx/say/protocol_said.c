/* SPDX-License-Identifier: Apache-2.0
 *
 * A finding of the protocol, with the way between its acts.
 */
#include "ptx_protocol.h"

void ptx_protocol_said(ptx_protocol *p, ptx_rule rule, int certain, const ptx_act *about,
                       const ptx_act *with) {
    ptx_report *r = p->r;
    const uint32_t row = p->v->g->step[about->step].row;
    ptx_add_finding(r, r->is_site[row] ? ptx_site_at(r, row) : PTX_NONE, row,
                    ptx_rule_at(rule)->name, certain && !p->many[PTX_ACT_CALL]);
    if (with) {
        ptx_finding_with(r, p->v->g->step[with->step].row);
    }
    if (r->findings) {
        ptx_way_find(p, r->findings - 1, rule, about, with);
    }
}
