/* SPDX-License-Identifier: Apache-2.0
 *
 * The notes of tma ptxas and of libtma-cuda.so, summed.
 */
#ifndef CLI_NOTES_SUM_H
#define CLI_NOTES_SUM_H

#include <stddef.h>
#include <stdint.h>

typedef struct notes_reason {
    char *text;
    uint64_t count;
} notes_reason;

/* What tma ptx is certain of, in one kernel. */
typedef struct notes_finding {
    char *kernel; /* "kernel k" */
    char *rule;
    char *text; /* the first one: where and what */
    uint64_t more;
} notes_finding;

/* The most frequent first. */
typedef struct notes_reasons {
    notes_reason *reason;
    size_t reasons;
} notes_reasons;

typedef struct notes_sum {
    uint32_t runs;   /* of ptxas */
    uint32_t images; /* of the driver's compiler */
    uint32_t found, checked;
    int recording;        /* whether kernels leave records */
    notes_reasons left;   /* why copies have no check */
    notes_reasons loaded; /* in what kernels were loaded that have copies and no checks */
    notes_finding *finding;
    size_t findings;
    notes_reasons may; /* rules of the findings that are not certain */
    uint64_t unjudged; /* kernels that tma ptx found too large for some rule */
    char *line;        /* the first lines that say so, as they stand there */
    size_t lines;
} notes_sum;

/* Of a file that need not be there. */
notes_sum notes_sum_of(const char *path);
void notes_sum_free(notes_sum *sum);

/* What was left, and what was loaded without checks, on standard error, if anything was. */
void notes_sum_say_left(const notes_sum *sum);

/* What tma ptx found in the kernels that were compiled, on standard error, if anything. */
void notes_sum_say_found(const notes_sum *sum);

#endif
