/* SPDX-License-Identifier: Apache-2.0
 *
 * A clock, and the middle of many measurements.
 */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

/* Median of `count` values, which it sorts. */
double timing_median(double *values, unsigned count);

/* A clock that only goes forward. */
double timing_now_ns(void);

#endif
