/* SPDX-License-Identifier: Apache-2.0
 *
 * The section "map": what one encode with all checks and one decode cost.
 */
#ifndef BENCH_MAP_H
#define BENCH_MAP_H

#include "report.h"

void bench_map(report *r);

#endif
