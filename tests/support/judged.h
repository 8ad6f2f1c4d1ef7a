/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.h against tma_plan_make() and tma_plan_at(): the same verdict and the same finding.
 */
#ifndef TESTS_JUDGED_H
#define TESTS_JUDGED_H

#include <tma/judge.h>
#include <tma/plan.h>

tma_judge_site judged_site(const tma_instruction *in, const tma_target *target);
tma_judge_at judged_at(const tma_position *at, uint32_t window_end);

/* What the library says: of the plan, then of the position. */
tma_status judged_by_plan(const uint8_t *map, const tma_instruction *in, const tma_target *target,
                          const tma_position *at, tma_finding *why);

/* 1 if both say the same; else 0, and what each said in `text`. What no assembler makes is not
 * asked: 1. */
int judged_alike(const uint8_t *map, const tma_instruction *in, const tma_target *target,
                 const tma_position *at, char *text, size_t size);

#endif
