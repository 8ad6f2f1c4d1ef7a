/* SPDX-License-Identifier: Apache-2.0
 *
 * What a worker runs, and what it says about it.
 */
#include "copies_worker.h"

#include <inttypes.h>
#include <string.h>

#include "case_lines.h"
#include "copy_features.h"
#include "parts.h"
#include "worker.h"

void copy_batch_add(struct copy_batch_result *sum, const struct copy_batch_result *r) {
    sum->passed += r->passed;
    sum->failed += r->failed;
    sum->trapping += r->trapping;
    sum->left_out += r->left_out;
    sum->bytes += r->bytes;
    for (unsigned f = 0; f < FEATURES; f++) {
        sum->ran[f] += r->ran[f];
        sum->differed[f] += r->differed[f];
    }
}

static void take_line(void *answer, const char *line) {
    struct worker_answer *a = answer;
    struct copy_batch_result r = {0};
    unsigned feature = 0;
    uint64_t ran = 0;
    uint64_t differed = 0;
    if (sscanf(line, "#batch %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &r.passed,
               &r.failed, &r.trapping, &r.left_out, &r.bytes) == 5) {
        copy_batch_add(&a->result, &r);
    } else if (sscanf(line, "#feature %u %" SCNu64 " %" SCNu64, &feature, &ran, &differed) == 3 &&
               feature < FEATURES) {
        a->result.ran[feature] += ran;
        a->result.differed[feature] += differed;
    } else if (sscanf(line, "#killed %" SCNu64 " %" SCNu64 " %127s", &a->first, &a->count,
                      a->error) != 3) {
        fputs(line, stdout);
    }
}

void copies_worker_run(const struct session *session, const char *task, uint64_t first,
                       uint64_t count, uint64_t batch, struct worker_answer *answer) {
    struct worker worker = worker_start(session, task, first, count, batch, session->threads);
    memset(answer, 0, sizeof(*answer));
    answer->status = worker_finish(&worker, take_line, answer);
}

static void print_batch(const struct copy_batch_result *r) {
    printf("#batch %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", r->passed,
           r->failed, r->trapping, r->left_out, r->bytes);
    for (unsigned f = 0; f < FEATURES; f++) {
        if (r->ran[f]) {
            printf("#feature %u %" PRIu64 " %" PRIu64 "\n", f, r->ran[f], r->differed[f]);
        }
    }
    fflush(stdout);
}

int copies_worker(const struct session *session) {
    const uint64_t end = session->first + session->count;
    for (uint64_t at = session->first; at < end;) {
        const uint64_t count = end - at < session->batch ? end - at : session->batch;
        struct copy_batch_result r = {0};
        const char *error = copy_batch_run(session, at, count, 0, &r);
        if (error) {
            printf("#killed %" PRIu64 " %" PRIu64 " %s\n", at, count, error);
            return WORKER_KILLED;
        }
        print_batch(&r);
        at += count;
    }
    return 0;
}

int trap_worker(const struct session *session) {
    struct copy_batch_result r = {0};
    const char *error = copy_batch_run(session, session->first, 1, 1, &r);
    if (!error) {
        return 0;
    }
    printf("#killed %" PRIu64 " 1 %s\n", session->first, error);
    return WORKER_KILLED;
}

void copies_print(const struct session *session, uint64_t number) {
    struct copy_case copy;
    copy_case_make(&copy, session->seed, number, &session->device.target);
    print_case(stdout, "hw", &copy.spec, &session->device.target);
    print_copy_request(stdout, &copy, &session->device.target);
    printf("\n  again: tma-conformance --part copies --seed %" PRIu64 " --first %" PRIu64
           " --count 1 --traps %d%s\n",
           session->seed, number, copy.traps, copy.in.cluster ? " (to .shared::cluster)" : "");
}

void copies_write_killed(const struct session *session, uint64_t number, const char *error) {
    if (session->vectors) {
        struct copy_case copy;
        copy_case_make(&copy, session->seed, number, &session->device.target);
        print_case(session->vectors, "hw", &copy.spec, &session->device.target);
        print_copy_request(session->vectors, &copy, &session->device.target);
        fprintf(session->vectors, " rc=0 st=trap:%s\n", error);
    }
}
