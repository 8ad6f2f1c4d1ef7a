/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies, by processes: a kernel that is killed takes its process's use of the GPU with it. A
 * worker runs batch after batch and says how far it came; where a batch is killed that should not
 * be, its cases are run again in smaller ones, until the case is found. Some of those that should
 * be killed are run alone, each by a worker of its own.
 */
#include <inttypes.h>
#include <string.h>

#include "answers_file.h"
#include "cluster_pass.h"
#include "copies_worker.h"
#include "copy_features.h"
#include "feature_pass.h"
#include "parts.h"
#include "reading_pass.h"
#include "refused_pass.h"

#define USUAL_COUNT   UINT64_C(100000)
#define USUAL_BATCH   2048
#define SMALLER       16             /* a killed batch is run again in so many pieces */
#define MOST_KILLED   6              /* unexpected traps that are searched for */
#define TRAP_RULES    8              /* that hardware was seen to kill for: include/tma/traps.def */
#define FEATURES_FROM UINT64_C(2000) /* cases, that features are looked at apart first */
#define SCANNED       UINT64_C(200000) /* cases looked at for ones that trap */

struct copies_run {
    const struct session *session;
    struct copy_batch_result result;
    unsigned killed;
};

static void run_range(struct copies_run *run, uint64_t first, uint64_t count, uint64_t batch);

/* Runs a killed batch again in smaller ones. Found or not, that it was killed is a failure. */
static void search_batch(struct copies_run *run, const struct worker_answer *killed,
                         uint64_t batch) {
    const unsigned before = run->killed;
    run_range(run, killed->first, killed->count, batch);
    if (run->killed == before) {
        printf("cases %" PRIu64 " to %" PRIu64 ": killed by %s together, none of them alone\n",
               killed->first, killed->first + killed->count - 1, killed->error);
        run->result.failed++;
        run->killed++;
    }
}

/* Runs a range, batch by batch; looks for what kills a batch. */
static void run_range(struct copies_run *run, uint64_t first, uint64_t count, uint64_t batch) {
    while (count > 0) {
        struct worker_answer a;
        copies_worker_run(run->session, "copies", first, count, batch, &a);
        copy_batch_add(&run->result, &a.result);
        if (a.status == 0) {
            return;
        }
        if (a.status != WORKER_KILLED) {
            printf("a worker for the cases from %" PRIu64 " on ended with status %d\n", first,
                   a.status);
            run->result.failed++;
            return;
        }
        if (a.count == 1) {
            printf("case %" PRIu64 ": the kernel was killed by %s; libtma says it runs\n", a.first,
                   a.error);
            copies_print(run->session, a.first);
            copies_write_killed(run->session, a.first, a.error);
            run->result.failed++;
            run->killed++;
        } else if (run->killed < MOST_KILLED) {
            search_batch(run, &a, batch / SMALLER ? batch / SMALLER : 1);
        } else {
            printf("cases %" PRIu64 " to %" PRIu64 ": killed by %s, not searched\n", a.first,
                   a.first + a.count - 1, a.error);
            run->result.failed += a.count;
        }
        count -= a.first + a.count - first;
        first = a.first + a.count;
    }
}

/* Runs one copy that should trap; whether it did, and as it should. */
static int run_trap(const struct session *session, uint64_t number, const struct copy_case *copy) {
    struct worker_answer a;
    copies_worker_run(session, "trap", number, 1, 1, &a);
    const char *wanted = tma_trap_name(&copy->why);
    if (a.status == WORKER_KILLED) {
        copies_write_killed(session, number, a.error);
    }
    if (a.status == WORKER_KILLED && strcmp(a.error, wanted) == 0) {
        return 1;
    }
    printf("case %" PRIu64 ": libtma says %s (%s); the hardware: %s\n", number, wanted,
           tma_rule_of(copy->why.rule)->name,
           a.status == WORKER_KILLED ? a.error
           : a.status == 0           ? "no error"
                                     : "the worker failed");
    copies_print(session, number);
    return 0;
}

/* The first few of each rule. */
static struct tally run_traps(const struct session *session) {
    unsigned taken[TMA_RULE_LIMIT] = {0};
    unsigned left = session->traps;
    const unsigned share = (session->traps + TRAP_RULES - 1) / TRAP_RULES;
    struct tally tally = {0, 0};
    for (uint64_t i = 0; left > 0 && i < SCANNED; i++) {
        struct copy_case copy;
        copy_case_make(&copy, session->seed, session->first + i, &session->device.target);
        if (copy.traps && !(features_of(&copy) & session->without) &&
            taken[copy.why.rule] < share) {
            const int trapped = run_trap(session, session->first + i, &copy);
            tally.passed += trapped != 0;
            tally.failed += !trapped;
            taken[copy.why.rule]++;
            left--;
        }
    }
    for (unsigned rule = 0; rule < TMA_RULE_LIMIT; rule++) {
        if (taken[rule]) {
            printf("traps: %s, %u run\n", tma_rule_of(rule)->name, taken[rule]);
        }
    }
    return tally;
}

/* How many copies had each feature, and how many of them differed. */
static void report_features(const struct session *session, const struct copy_batch_result *r,
                            const struct feature_deaths *deaths) {
    for (unsigned f = 0; session->report && f < FEATURES; f++) {
        if (deaths->dead >> f & 1) {
            fprintf(session->vectors, "# %-36s %s\n", feature_name(f),
                    deaths->lost >> f & 1 ? "not known, the worker failed" : "killed");
        } else if (r->ran[f]) {
            fprintf(session->vectors, "# %-36s %8" PRIu64 " agree, %" PRIu64 " differ\n",
                    feature_name(f), r->ran[f] - r->differed[f], r->differed[f]);
        }
    }
}

struct tally copies_part(const struct session *session) {
    const uint64_t count = session->count ? session->count : USUAL_COUNT;
    struct session alive = session_sampling(session, count);
    struct copies_run run = {.session = &alive};
    struct feature_deaths deaths = {0, 0};
    struct tally features = {0, 0};
    struct tally readings = {0, 0};
    struct tally refused = {0, 0};
    struct tally clusters = {0, 0};
    const double start = seconds_now();
    if (count >= FEATURES_FROM) {
        deaths = feature_pass(&alive, &features);
        alive.without = deaths.dead;
        refused_pass(&alive, &refused);
        reading_pass(&alive, &deaths, &readings);
        cluster_pass(&alive, alive.without, &clusters);
    }
    run_range(&run, session->first, count, session->batch ? session->batch : USUAL_BATCH);
    const struct tally traps = run_traps(&alive);
    const struct copy_batch_result *r = &run.result;
    report_features(session, r, &deaths);
    if (r->left_out) {
        printf("copies: %" PRIu64 " have a feature that did not live, and were left out\n",
               r->left_out);
    }
    printf("copies: %" PRIu64 " run, %" PRIu64 " bytes compared; %" PRIu64 " would trap, %" PRIu64
           " of such run apart; %.1f s\n",
           r->passed + r->failed, r->bytes, r->trapping, traps.passed + traps.failed,
           seconds_now() - start);
    return (struct tally){r->passed + traps.passed + clusters.passed,
                          r->failed + traps.failed + features.failed + readings.failed +
                              refused.failed + clusters.failed};
}
