/* SPDX-License-Identifier: Apache-2.0
 *
 * What a report leaves unjudged, as a bound of ptx_budget.def is reached.
 */
#include "ptx_sites.h"
#include "tma/detail/assert.h"

/* Functions are judged one after the other; one may be judged twice, which is said once. */
void ptx_leave_unjudged(ptx_report *r, uint32_t function, ptx_budget which) {
    uint32_t i = r->unjudged_count;
    while (i && r->unjudged[i - 1].function != function) {
        i--;
    }
    if (!i) {
        PTX_APPEND(r, unjudged, unjudged_count, (ptx_unjudged){function, 0});
        i = r->unjudged_count;
    }
    if (i) {
        r->unjudged[i - 1].budgets |= UINT64_C(1) << which;
    }
}

int ptx_may_spend(ptx_report *r, uint32_t function, ptx_budget which, uint64_t cost) {
    TMA_ASSERT(ptx_budget_most(which));
    if (cost > ptx_budget_most(which)) {
        ptx_leave_unjudged(r, function, which);
        return 0;
    }
    return 1;
}
