/* SPDX-License-Identifier: Apache-2.0
 *
 * Progress.
 */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cli_error.h"

#define FIRST_AFTER_S 2.0
#define EVERY_S       0.2

static double seconds_since(const struct timespec *then) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + (double)(now.tv_nsec - then->tv_nsec) / 1e9;
}

void progress_begin(progress *p, const char *what) {
    *p = (progress){.wanted = isatty(STDERR_FILENO), .what = what};
    clock_gettime(CLOCK_MONOTONIC, &p->last);
}

void progress_at(progress *p, uint64_t done, uint64_t all) {
    if (p->wanted && seconds_since(&p->last) > (p->shown ? EVERY_S : FIRST_AFTER_S)) {
        const double percent = all ? 100.0 * (double)done / (double)all : 100;
        fprintf(stderr, "\r%s: %" PRIu64 " of %" PRIu64 " %s, %.0f %%", cli_program, done, all,
                p->what, percent);
        fflush(stderr);
        p->shown = 1;
        clock_gettime(CLOCK_MONOTONIC, &p->last);
    }
}

void progress_end(progress *p) {
    if (p->shown) {
        fputs("\r\033[K", stderr);
    }
}
