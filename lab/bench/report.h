/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of a benchmark, as lines of a table or as one JSON object.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "rounds.h"

typedef struct report {
    int json;
    const char *only; /* sections write rows whose name has this in it; null: all */
    unsigned path;    /* tma_path that copies take; 0: the widest that this machine has */
    unsigned rows;
    unsigned missed;
    unsigned unclear;
} report;

/* ratio is ours against the yardstick, more is better; met where it reaches the target. A ratio of
 * 0 is one that could not be measured: neither met nor missed. `fields` is further members of the
 * row's JSON object (or ""), `words` what a person reads instead. */
void report_row(report *r, const char *name, double ratio, double target, const char *fields,
                const char *words);

/* The same of a measurement in turns: with the spread of its ratio, and "busy" instead of a verdict
 * where the machine let too few rounds through, or the ratios lie so far apart around the target
 * that they do not say whether it is met. */
void report_rounds(report *r, const char *name, const rounds *measured, double target,
                   const char *fields, const char *words);

/* Not 0 if a row of this name is wanted. */
int report_wants(const report *r, const char *name);

void report_begin(report *r);
void report_end(report *r);

#endif
