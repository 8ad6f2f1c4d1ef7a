/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies against memcpy: the rows of the table.
 */
#ifndef BENCH_COPY_H
#define BENCH_COPY_H

#include <stddef.h>
#include <stdint.h>

typedef struct copy_bench_row {
    const char *name;
    const char *yard_name;
    const char *path; /* the loops that ran */
    double target;    /* least ratio */
    double ours_ns;   /* one copy; medians */
    double yard_ns;
    double reference_ns;
    uint64_t copy_B;
} copy_bench_row;

/* Measures all cases, or those whose name has `only` in it (null: all); returns how many. */
size_t bench_copies(copy_bench_row *rows, size_t capacity, const char *only);

#endif
