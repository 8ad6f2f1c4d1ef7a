/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies against memcpy: the rows of the table.
 */
#ifndef BENCH_COPY_H
#define BENCH_COPY_H

#include "report.h"

/* Measures the cases that the report wants, and writes a row for each. */
void bench_copies(report *r);

#endif
