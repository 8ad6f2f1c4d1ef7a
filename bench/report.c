/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows on standard output.
 */
#define _GNU_SOURCE
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void report_begin(report *r) {
    if (r->json) {
        printf("{\"schema\": 1, \"rows\": [");
    }
}

static void json_row(const report *r, const char *name, double ratio, double target,
                     const char *fields) {
    printf("%s\n  {\"name\": \"%s\", ", r->rows ? "," : "", name);
    if (ratio > 0) {
        printf("\"ratio\": %.3f, \"target\": %.3f, \"met\": %s", ratio, target,
               ratio >= target ? "true" : "false");
    } else {
        printf("\"ratio\": null, \"target\": %.3f, \"met\": null", target);
    }
    printf("%s%s}", *fields ? ", " : "", fields);
}

void report_row(report *r, const char *name, double ratio, double target, const char *fields,
                const char *words) {
    const int missed = ratio > 0 && ratio < target;
    if (r->json) {
        json_row(r, name, ratio, target, fields);
    } else if (ratio > 0) {
        printf("%-44s %6.2f of %4.2f  %s  %s\n", name, ratio, target, missed ? "MISSED" : "met   ",
               words);
    } else {
        printf("%-44s      - of %4.2f  -       %s\n", name, target, words);
    }
    fflush(stdout);
    r->rows++;
    r->missed += (unsigned)missed;
}

void report_end(report *r) {
    if (r->json) {
        printf("\n]}\n");
    } else {
        printf("%u rows, %u missed\n", r->rows, r->missed);
    }
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

double report_median(double *values, unsigned count) {
    qsort(values, count, sizeof(*values), by_value);
    return values[count / 2];
}

double report_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
