/* SPDX-License-Identifier: Apache-2.0
 *
 * Two things timed in turns, so that what the machine does meanwhile strikes both alike.
 */
#ifndef BENCH_ROUNDS_H
#define BENCH_ROUNDS_H

enum { OURS, YARD };

/* Nanoseconds that one piece of work takes, ours or the yardstick's. Rounds count from 0. */
typedef double (*rounds_timed)(void *context, int which, unsigned round);

typedef struct rounds {
    double ours_ns; /* medians over the rounds that count */
    double yard_ns;
    double ratio; /* yardstick / ours: median of the rounds' own ratios, */
    double low;   /* and their quartiles */
    double high;
    unsigned kept;      /* rounds that count */
    unsigned disturbed; /* rounds that do not: another program took the processor meanwhile */
} rounds;

/* Runs both in each round, in changing order, until `wanted` rounds were not disturbed or four
 * times as many were tried. threads: more than one, and then disturbed rounds count too. */
rounds rounds_in_turns(rounds_timed timed, void *context, unsigned wanted, int threads);

#endif
