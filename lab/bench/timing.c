/* SPDX-License-Identifier: Apache-2.0
 *
 * A clock, and the middle of many measurements.
 */
#define _GNU_SOURCE
#include "timing.h"

#include <stdlib.h>
#include <time.h>

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

double timing_median(double *values, unsigned count) {
    qsort(values, count, sizeof(*values), by_value);
    return values[count / 2];
}

double timing_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
