/* SPDX-License-Identifier: Apache-2.0
 *
 * A run of tma-conformance: what it was asked for, and what its parts share.
 */
#ifndef HARDWARE_SESSION_H
#define HARDWARE_SESSION_H

#include <stdint.h>
#include <stdio.h>

#include "device.h"

enum {
    PART_ENCODE = 1,
    PART_COPIES = 2,
    PART_REPLACE = 4,
    PART_SPEED = 8,
    PART_ALL = 15,
    PART_WGMMA = 16,
    PART_BARRIER = 32,
    PART_TCGEN05 = 64
};

#define MOST_NUMBERS 16
#define MOST_REPORTS 20 /* differences that one part prints in full */

struct session {
    unsigned parts;
    uint64_t seed;
    uint64_t first; /* number of the first case */
    uint64_t count; /* 0: as many as the part usually has */
    uint64_t batch; /* copies or edits in one launch; 0: as usual */
    unsigned threads;
    unsigned traps; /* how many trapping copies are run */
    int ordinal;    /* of the GPU */
    const char *driver_path;
    const char *vectors_path;
    const char *worker; /* what this process does for another: "encode", "copies", "trap" or null */
    FILE *vectors;      /* where answered case lines go, or null */
    const char *report; /* the vectors are a report: some that agree, and all that do not */
    uint64_t sample;    /* then every so manieth */
    uint32_t without;   /* copy_features.h: copies that are left out */
    uint32_t readings;  /* of what is disputed, in a worker: tma_target.readings */
    int quiet;          /* differences are counted and not printed */
    uint64_t numbers[MOST_NUMBERS]; /* where there are any, these cases and no others */
    size_t number_count;
    struct device_info device;
};

/* Cases that agree and cases that do not. */
struct tally {
    uint64_t passed;
    uint64_t failed;
};

/* Opens driver and GPU; ends the program where there is none. */
void session_open(struct session *session);

double seconds_now(void);

#endif
