/* SPDX-License-Identifier: Apache-2.0
 *
 * The coordinator of the loads of clusters.
 */
#include "cluster_pass.h"

#include <inttypes.h>
#include <string.h>

#include "cluster_copies.h"
#include "copy_features.h"
#include "worker.h"

#define SCANNED UINT64_C(8192) /* cases looked at */

struct outcome {
    struct tally tally;
    char error[96]; /* that killed the kernel */
};

static void take_line(void *context, const char *line) {
    struct outcome *o = context;
    if (sscanf(line, "#cluster %" SCNu64 " %" SCNu64, &o->tally.passed, &o->tally.failed) != 2 &&
        sscanf(line, "#killed %95s", o->error) != 1) {
        fputs(line, stdout);
    }
}

/* The first loads that will do. */
static void choose(struct session *some, uint32_t dead) {
    some->number_count = 0;
    for (uint64_t i = some->first; i < some->first + SCANNED; i++) {
        struct copy_case copy;
        copy_case_make(&copy, some->seed, i, &some->device.target);
        if (some->number_count < MOST_NUMBERS && cluster_can_load(&copy) &&
            !(features_of(&copy) & dead)) {
            some->numbers[some->number_count++] = i;
        }
    }
}

static void say(const struct session *s, unsigned kind, const struct outcome *o, int status) {
    char text[256];
    if (*o->error) {
        snprintf(text, sizeof(text), "cluster: %s: killed (%s); libtma says they run",
                 cluster_kind_name(kind), o->error);
    } else if (status != 0) {
        snprintf(text, sizeof(text), "cluster: %s: the worker ended with status %d",
                 cluster_kind_name(kind), status);
    } else {
        snprintf(text, sizeof(text), "cluster: %s: %" PRIu64 " agree, %" PRIu64 " differ",
                 cluster_kind_name(kind), o->tally.passed, o->tally.failed);
    }
    puts(text);
    if (s->report) {
        fprintf(s->vectors, "# %s\n", text);
        fflush(s->vectors);
    }
}

void cluster_pass(const struct session *session, uint32_t dead, struct tally *tally) {
    struct session some = *session;
    some.vectors_path = NULL;
    some.report = NULL;
    choose(&some, dead);
    for (unsigned kind = 0; kind < CLUSTER_KINDS && some.number_count; kind++) {
        struct outcome o;
        memset(&o, 0, sizeof(o));
        if (cluster_kind_is_on(kind, &some.device.target)) {
            struct worker worker = worker_start(&some, "cluster", kind, some.number_count, 1, 1);
            const int status = worker_finish(&worker, take_line, &o);
            say(session, kind, &o, status);
            tally->passed += o.tally.passed;
            tally->failed += status == 0 ? o.tally.failed : 1;
        }
    }
    fflush(stdout);
}
