/* SPDX-License-Identifier: Apache-2.0
 *
 * What the judgement of one kernel may cost. Whoever ends early spends here first, and what is not
 * judged for it stands in the report.
 */
#ifndef PTX_PTX_BUDGET_H
#define PTX_PTX_BUDGET_H

#include <stdint.h>

typedef enum ptx_budget {
#define PTX_BUDGET(id, most, of, rules) PTX_BUDGET_##id,
#include "ptx_budget.def"
    PTX_BUDGETS
} ptx_budget;

/* A kernel, or function, that was not judged to its end. */
typedef struct ptx_unjudged {
    uint32_t function;
    uint64_t budgets; /* which were spent: one bit each */
} ptx_unjudged;

uint64_t ptx_budget_most(ptx_budget which);
const char *ptx_budget_of(ptx_budget which); /* "pairs of acts and waits" */

/* The rules that a kernel was not judged by to the end, one bit each. */
uint64_t ptx_unjudged_rules(const ptx_unjudged *unjudged);

#endif
