/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of ptx_budget.def.
 */
#include "ptx_budget.h"

#include "ptx_rules.h"

static const struct {
    uint64_t most;
    const char *of;
    uint64_t rules;
} rows[PTX_BUDGETS] = {
#define PTX_BUDGET(id, most, of, rules) {most, of, rules},
#include "ptx_budget.def"
};
_Static_assert(PTX_BUDGETS <= 64 && PTX_RULES < 64, "one bit each");

uint64_t ptx_budget_most(ptx_budget which) {
    return rows[which].most;
}

const char *ptx_budget_of(ptx_budget which) {
    return rows[which].of;
}

uint64_t ptx_unjudged_rules(const ptx_unjudged *unjudged) {
    uint64_t rules = 0;
    for (int i = 0; i < PTX_BUDGETS; i++) {
        rules |= unjudged->budgets >> i & 1 ? rows[i].rules : 0;
    }
    return rules & ((UINT64_C(1) << PTX_RULES) - 1);
}
