/* SPDX-License-Identifier: Apache-2.0
 *
 * Progress.
 */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cli_error.h"
#include "host.h"

#define FIRST_AFTER_S 2.0
#define EVERY_S       0.2

void progress_begin(progress *p, const char *what) {
    *p = (progress){.wanted = isatty(STDERR_FILENO), .what = what};
    p->last_s = host_seconds();
}

void progress_at(progress *p, uint64_t done, uint64_t all) {
    if (p->wanted && host_seconds() - p->last_s > (p->shown ? EVERY_S : FIRST_AFTER_S)) {
        if (all) {
            fprintf(stderr, "\r%s: %" PRIu64 " of %" PRIu64 " %s, %.0f %%", cli_program, done, all,
                    p->what, 100.0 * (double)done / (double)all);
        } else {
            fprintf(stderr, "\r%s: %" PRIu64 " %s", cli_program, done, p->what);
        }
        fflush(stderr);
        p->shown = 1;
        p->last_s = host_seconds();
    }
}

void progress_end(progress *p) {
    if (p->shown) {
        fputs("\r\033[K", stderr);
    }
}
