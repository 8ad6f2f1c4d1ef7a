/* SPDX-License-Identifier: Apache-2.0
 *
 * All rules of the protocol, in their order.
 */
#include "protocol_rules.h"

/* A rule on paths, or one that counts or looks elsewhere. */
static const struct {
    const ptx_paths *paths;
    void (*check)(ptx_protocol *p);
} rules[] = {
    {&ptx_rule_loaded_over, NULL},
    {&ptx_rule_proxies, NULL},
    {&ptx_rule_stored_unmet, NULL},
    {&ptx_rule_reused, NULL},
    {&ptx_rule_reused_in_turn, NULL},
    {NULL, ptx_await_check},
    {&ptx_rule_read_early, NULL},
    {NULL, ptx_waiters_check},
    {NULL, ptx_count_check},
    {NULL, ptx_parity_check},
    {&ptx_rule_same_parity, NULL},
    {&ptx_rule_used_raw, NULL},
    {NULL, ptx_init_check},
    {NULL, ptx_life_check},
    {&ptx_rule_invalidated, NULL},
    {NULL, ptx_publish_check},
    {NULL, ptx_mma_check},
    {&ptx_rule_tensor_kept, NULL},
    {&ptx_rule_tensor_freed, NULL},
    {&ptx_rule_tensor_loaded, NULL},
    {&ptx_rule_tensor_made, NULL},
    {&ptx_rule_tensor_permit, NULL},
    {NULL, ptx_tensor_check},
    {NULL, ptx_cluster_check},
    {&ptx_rule_sent, NULL},
};

/* What trusts a number that is not known is certain where it is found without that trust, too. */
static void check_entry(ptx_protocol *p) {
    const uint64_t work = p->work;
    const uint32_t mmas = p->r->mmas;
    for (p->trusts *= 2;; p->trusts = 1) {
        for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
            if (rules[i].paths) {
                ptx_paths_follow(p, rules[i].paths);
            } else {
                rules[i].check(p);
            }
        }
        if (p->trusts != 2) {
            break;
        }
        p->work = work;
        p->is_late_said = 0;
        p->r->mmas = mmas;
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
            ptx_local_check(&p, &p.act[i]);
        }
    }
    if (v->g->rows->function[v->g->root].is_entry) { /* who calls a function may do the rest */
        check_entry(&p);
    }
    p.trusts = 0;                           /* maps hang on no barrier's address */
    ptx_paths_follow(&p, &ptx_rule_edited); /* both ends are seen in a function, too */
    ptx_way_find_rest(&p);
    if (!p.work) {
        ptx_leave_unjudged(r, v->g->root, PTX_BUDGET_WAYS);
    }
    r->memory->failed |= v->memory->failed;
}
