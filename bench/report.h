/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of a benchmark, as lines of a table or as one JSON object.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

typedef struct report {
    int json;
    const char *only; /* sections write rows whose name has this in it; null: all */
    unsigned rows;
    unsigned missed;
} report;

/* ratio is ours against the yardstick, more is better; met where it reaches the target. A ratio of
 * 0 is one that could not be measured: neither met nor missed. `fields` is further members of the
 * row's JSON object (or ""), `words` what a person reads instead. */
void report_row(report *r, const char *name, double ratio, double target, const char *fields,
                const char *words);

void report_begin(report *r);
void report_end(report *r);

/* Median of `count` values, which it sorts. */
double report_median(double *values, unsigned count);

/* A clock that only goes forward. */
double report_now_ns(void);

#endif
