/* SPDX-License-Identifier: Apache-2.0
 *
 * A finding of the protocol, with the way between its acts: the one place that knows which other
 * findings there are, and that makes none certain where a call's inside is not seen (but
 * ptx-fence's, whose walk knows which ways come past a call).
 */
#include "ptx_protocol.h"

static int is_said(const ptx_protocol *p, ptx_rule rule, const ptx_act *about) {
    for (uint32_t i = 0; i < p->r->findings; i++) {
        const ptx_finding *f = &p->r->finding[i];
        if (f->row == p->v->g->step[about->step].row && f->rule == ptx_rule_at(rule)->name) {
            return 1;
        }
    }
    return 0;
}

static int has_room(const ptx_protocol *p, ptx_rule rule, ptx_unless unless, const ptx_act *about) {
    int has = unless != PTX_UNLESS_ACT || !is_said(p, rule, about);
    for (uint32_t i = 0; unless == PTX_UNLESS_KERNEL && has && i < p->acts; i++) {
        has = !is_said(p, rule, &p->act[i]);
    }
    return has;
}

void ptx_protocol_said(ptx_protocol *p, ptx_rule rule, int certain, ptx_unless unless,
                       const ptx_act *about, const ptx_act *with) {
    ptx_report *r = p->r;
    const uint32_t row = p->v->g->step[about->step].row;
    const uint64_t key = (uint64_t)row << 32 | (uint32_t)rule;
    certain = certain && (!p->many[PTX_ACT_CALL] || rule == PTX_RULE_FENCE);
    if (p->trusts == 2) {
        if (certain) {
            PTX_APPEND(p, proved, proofs, key);
        }
        return;
    }
    uint32_t proof = 0;
    while (p->trusts && certain && (proof == p->proofs || p->proved[proof] != key)) {
        certain = proof++ < p->proofs;
    }
    if (!has_room(p, rule, unless, about)) {
        return;
    }
    ptx_add_finding(r, r->is_site[row] ? ptx_site_at(r, row) : PTX_NONE, row,
                    ptx_rule_at(rule)->name, certain);
    if (with) {
        ptx_finding_with(r, p->v->g->step[with->step].row);
    }
    if (r->findings) {
        ptx_way_find(p, r->findings - 1, rule, about, with);
    }
}
