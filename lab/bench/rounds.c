/* SPDX-License-Identifier: Apache-2.0
 *
 * Two things timed in turns.
 */
#define _GNU_SOURCE
#include "rounds.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "timing.h"

#define MOST  512
#define TRIES 4 /* for each round that is wanted */

/* How often this thread lost the processor without asking for it. */
static long interruptions(void) {
    struct rusage use;
    return getrusage(RUSAGE_THREAD, &use) == 0 ? use.ru_nivcsw : 0;
}

static double quantile(double *values, unsigned count, unsigned quarter) {
    (void)timing_median(values, count); /* sorts */
    return values[(count - 1) * quarter / 4];
}

rounds rounds_in_turns(rounds_timed timed, void *context, unsigned wanted, int threads) {
    static double ours[MOST];
    static double yard[MOST];
    static double ratio[MOST];
    rounds r = {0};
    wanted = wanted < MOST ? wanted : MOST;
    for (unsigned i = 0; i < wanted * TRIES && r.kept < wanted; i++) {
        const long before = interruptions();
        const int first = i % 2 ? OURS : YARD;
        const double a = timed(context, first, 2 * i);
        const double b = timed(context, first == OURS ? YARD : OURS, 2 * i + 1);
        /* a machine that never leaves us alone still gives numbers: of its last rounds */
        const int last_ones = wanted * TRIES - i <= wanted / TRIES && r.kept < wanted / TRIES;
        if (interruptions() != before && !threads && !last_ones) {
            r.disturbed++;
            continue;
        }
        ours[r.kept] = first == OURS ? a : b;
        yard[r.kept] = first == OURS ? b : a;
        ratio[r.kept] = yard[r.kept] / ours[r.kept];
        r.kept++;
    }
    r.ours_ns = timing_median(ours, r.kept);
    r.yard_ns = timing_median(yard, r.kept);
    r.ratio = timing_median(ratio, r.kept);
    r.low = quantile(ratio, r.kept, 1);
    r.high = quantile(ratio, r.kept, 3);
    return r;
}
