/* SPDX-License-Identifier: Apache-2.0
 *
 * This program once more, in a process of its own, for a range of cases.
 */
#ifndef HARDWARE_WORKER_H
#define HARDWARE_WORKER_H

#include <stdio.h>
#include <sys/types.h>

#include "session.h"

#define WORKER_KILLED 9 /* exit status of one whose kernel was killed */

struct worker {
    FILE *answers; /* what it prints, or null if it could not be started */
    pid_t process;
};

/* `threads` are the worker's own; `batch` may be 0. */
struct worker worker_start(const struct session *session, const char *task, uint64_t first,
                           uint64_t count, uint64_t batch, unsigned threads);

/* Gives `take` each line that it prints, to the end. Returns its exit status, -1 if it had none. */
int worker_finish(struct worker *worker, void (*take)(void *context, const char *line),
                  void *context);

#endif
