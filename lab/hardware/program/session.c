/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens the driver and the GPU that a run asks.
 */
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver.h"

void session_open(struct session *session) {
    const char *wrong = NULL;
    const int encodes = session->parts & (PART_ENCODE | PART_SPEED);
    if (session->worker ? strcmp(session->worker, "encode") == 0 : encodes) {
        wrong = driver_open(session->driver_path);
    }
    if (wrong) {
        fprintf(stderr, "tma-conformance: no driver: %s\n", wrong);
        exit(3);
    }
    wrong = device_open(session->ordinal, &session->device);
    if (wrong) {
        fprintf(stderr, "tma-conformance: GPU %d: %s\n", session->ordinal, wrong);
        exit(3);
    }
    if (!tma_arch_of(&session->device.target)) {
        fprintf(stderr, "tma-conformance: sm_%u is not an architecture that libtma knows\n",
                (unsigned)session->device.target.sm);
        exit(3);
    }
}

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
