/* SPDX-License-Identifier: Apache-2.0
 *
 * How far work has come, for a person at a terminal: one line on standard error that appears after
 * two seconds, is rewritten in place and goes away at the end. Nothing if standard error is no
 * terminal.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdint.h>

typedef struct progress {
    int wanted;
    int shown;
    double last_s;
    const char *what; /* "MiB" */
} progress;

void progress_begin(progress *progress, const char *what);
void progress_at(progress *progress, uint64_t done, uint64_t all);
void progress_end(progress *progress);

#endif
