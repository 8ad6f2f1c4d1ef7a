/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker's side of the copies, and how it is asked: a kernel that is killed takes its process's
 * use of the GPU with it.
 */
#ifndef HARDWARE_COPIES_WORKER_H
#define HARDWARE_COPIES_WORKER_H

#include "copy_batch.h"
#include "session.h"
#include "worker.h"

/* What one worker answered. */
struct worker_answer {
    struct copy_batch_result result;
    uint64_t first, count; /* of the batch that was killed */
    char error[128];       /* and by what */
    int status;            /* its exit status, or -1 */
};

/* Has a process run `task` ("copies", "trap"); what it prints for people is printed. */
void copies_worker_run(const struct session *session, const char *task, uint64_t first,
                       uint64_t count, uint64_t batch, struct worker_answer *answer);

void copy_batch_add(struct copy_batch_result *sum, const struct copy_batch_result *result);

/* The case as a line, and the command that repeats it. */
void copies_print(const struct session *session, uint64_t number);

/* The case as a vector whose kernel was killed, where vectors are written. */
void copies_write_killed(const struct session *session, uint64_t number, const char *error);

#endif
