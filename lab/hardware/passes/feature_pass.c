/* SPDX-License-Identifier: Apache-2.0
 *
 * Some copies of each feature are run together; where that kills the kernel, one by one. A feature
 * of which more than one copy kills alone is left out of the mass. A single one is no news about
 * the feature: the mass finds it again.
 */
#include "feature_pass.h"

#include <inttypes.h>
#include <string.h>

#include "copies_worker.h"
#include "copy_features.h"

#define ASKED   MOST_NUMBERS   /* copies of each feature */
#define SCANNED UINT64_C(8192) /* cases looked at for them */
#define ENOUGH  2              /* that are killed alone */

struct asked {
    uint64_t number[ASKED];
    unsigned count;
};

/* The first cases that have a feature alone and run, by libtma. */
static void choose(const struct session *session, struct asked asked[FEATURES]) {
    for (uint64_t i = session->first; i < session->first + SCANNED; i++) {
        struct copy_case copy;
        copy_case_make(&copy, session->seed, i, &session->device.target);
        for (unsigned f = 0; f < FEATURES && !copy.traps; f++) {
            if (asked[f].count < ASKED && feature_is_alone(&copy, f)) {
                asked[f].number[asked[f].count++] = i;
            }
        }
    }
}

enum life { LIVES, KILLED, LOST };

/* One by one, until it is sure. */
static enum life life_alone(const struct session *session, const struct asked *asked,
                            const char *name) {
    unsigned killed = 0;
    for (unsigned k = 0; k < asked->count && killed < ENOUGH; k++) {
        struct worker_answer a;
        copies_worker_run(session, "copies", asked->number[k], 1, 1, &a);
        if (a.status == WORKER_KILLED) {
            printf("%s: case %" PRIu64 ": the kernel was killed by %s; libtma says it runs\n", name,
                   asked->number[k], a.error);
            copies_print(session, asked->number[k]);
            copies_write_killed(session, asked->number[k], a.error);
            killed++;
        } else if (a.status != 0) {
            return LOST;
        }
    }
    return killed < ENOUGH ? LIVES : KILLED;
}

/* All of them together, in a process of their own. */
static enum life life_of(const struct session *session, const struct asked *asked,
                         const char *name) {
    struct session some = *session;
    struct worker_answer a;
    memcpy(some.numbers, asked->number, sizeof(asked->number));
    some.number_count = asked->count;
    some.vectors_path = NULL;
    some.report = NULL;
    some.quiet = 1;
    copies_worker_run(&some, "copies", 0, asked->count, asked->count, &a);
    if (a.status == 0 && a.result.failed) {
        printf("feature: %s: %" PRIu64 " of %u differ\n", name, a.result.failed, asked->count);
    }
    return a.status == 0 ? LIVES : life_alone(session, asked, name);
}

struct feature_deaths feature_pass(const struct session *session, struct tally *tally) {
    struct asked asked[FEATURES];
    struct feature_deaths deaths = {0, 0};
    memset(asked, 0, sizeof(asked));
    choose(session, asked);
    for (unsigned f = 0; f < FEATURES; f++) {
        if (asked[f].count == 0) {
            continue;
        }
        const enum life life = life_of(session, &asked[f], feature_name(f));
        tally->passed += life == LIVES;
        tally->failed += life != LIVES;
        deaths.dead |= (uint32_t)(life != LIVES) << f;
        deaths.lost |= (uint32_t)(life == LOST) << f;
        if (life != LIVES) {
            printf("feature: %s %s; the copies that follow are without them\n", feature_name(f),
                   life == KILLED ? "are killed" : "are not known: the worker failed");
        }
    }
    printf("features: %" PRIu64 " of %" PRIu64 " run\n", tally->passed,
           tally->passed + tally->failed);
    fflush(stdout);
    return deaths;
}
