/* SPDX-License-Identifier: Apache-2.0
 *
 * Walks and checks: the rows of the table.
 */
#ifndef BENCH_JUDGE_H
#define BENCH_JUDGE_H

#include "report.h"

void bench_judge(report *r);

#endif
