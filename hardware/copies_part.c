/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies, by processes: a kernel that is killed takes its process's use of the GPU with it. A
 * worker runs batch after batch and says how far it came; where a batch is killed that should not
 * be, its cases are run again in smaller ones, until the case is found. Some of those that should
 * be killed are run alone, each by a worker of its own.
 */
#include <inttypes.h>
#include <string.h>

#include "case_lines.h"
#include "conformance.h"
#include "copy_batch.h"
#include "worker.h"

#define USUAL_COUNT   UINT64_C(100000)
#define USUAL_BATCH   2048
#define SMALLER       16 /* a killed batch is run again in so many pieces */
#define MOST_KILLED   6  /* unexpected traps that are searched for */
#define WORKER_KILLED 9  /* a worker's exit status */
#define TRAP_RULES    8  /* that hardware was seen to kill for: include/tma/traps.def */
#define SCANNED       UINT64_C(200000) /* cases looked at for ones that trap */

struct copies_run {
    const struct session *session;
    struct copy_batch_result result;
    unsigned killed;
};

/* What one worker answered. */
struct worker_answer {
    struct copy_batch_result result;
    uint64_t first, count; /* of the batch that was killed */
    char error[128];       /* and by what */
    int status;            /* its exit status, or -1 */
};

static void take_line(void *answer, const char *line) {
    struct worker_answer *a = answer;
    struct copy_batch_result r;
    if (sscanf(line, "#batch %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &r.passed, &r.failed,
               &r.trapping, &r.bytes) == 4) {
        a->result.passed += r.passed;
        a->result.failed += r.failed;
        a->result.trapping += r.trapping;
        a->result.bytes += r.bytes;
    } else if (sscanf(line, "#killed %" SCNu64 " %" SCNu64 " %127s", &a->first, &a->count,
                      a->error) != 3) {
        fputs(line, stdout);
    }
}

static void run_worker(const struct session *session, const char *task, uint64_t first,
                       uint64_t count, uint64_t batch, struct worker_answer *answer) {
    struct worker worker = worker_start(session, task, first, count, batch, session->threads);
    memset(answer, 0, sizeof(*answer));
    answer->status = worker_finish(&worker, take_line, answer);
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
        printf("#batch %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", r.passed, r.failed,
               r.trapping, r.bytes);
        fflush(stdout);
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

static void print_copy(const struct session *session, uint64_t number) {
    struct copy_case copy;
    copy_case_make(&copy, session->seed, number, &session->device.target);
    print_case(stdout, "hw", &copy.spec, &session->device.target);
    print_copy_request(stdout, &copy);
    printf("\n  again: tma-conformance --part copies --seed %" PRIu64 " --first %" PRIu64
           " --count 1 --traps %d%s\n",
           session->seed, number, copy.traps, copy.in.cluster ? " (to .shared::cluster)" : "");
}

static void add(struct copies_run *run, const struct copy_batch_result *r) {
    run->result.passed += r->passed;
    run->result.failed += r->failed;
    run->result.trapping += r->trapping;
    run->result.bytes += r->bytes;
}

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
        run_worker(run->session, "copies", first, count, batch, &a);
        add(run, &a.result);
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
            print_copy(run->session, a.first);
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

static void write_vector(const struct session *session, const struct copy_case *copy,
                         const struct worker_answer *a) {
    FILE *out = session->vectors;
    if (out && a->status == WORKER_KILLED && copy->in.op != TMA_OP_PREFETCH) {
        print_case(out, "hw", &copy->spec, &session->device.target);
        print_copy_request(out, copy);
        fprintf(out, " rc=0 st=trap:%s\n", a->error);
    }
}

/* Runs one copy that should trap; whether it did, and as it should. */
static int run_trap(const struct session *session, uint64_t number, const struct copy_case *copy) {
    struct worker_answer a;
    run_worker(session, "trap", number, 1, 1, &a);
    const char *wanted = tma_trap_name(&copy->why);
    write_vector(session, copy, &a);
    if (a.status == WORKER_KILLED && strcmp(a.error, wanted) == 0) {
        return 1;
    }
    printf("case %" PRIu64 ": libtma says %s (%s); the hardware: %s\n", number, wanted,
           tma_rule_of(copy->why.rule)->name,
           a.status == WORKER_KILLED ? a.error
           : a.status == 0           ? "no error"
                                     : "the worker failed");
    print_copy(session, number);
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
        if (copy.traps && taken[copy.why.rule] < share) {
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

struct tally copies_part(const struct session *session) {
    struct copies_run run = {.session = session};
    const uint64_t count = session->count ? session->count : USUAL_COUNT;
    const double start = seconds_now();
    run_range(&run, session->first, count, session->batch ? session->batch : USUAL_BATCH);
    const struct tally traps = run_traps(session);
    printf("copies: %" PRIu64 " run, %" PRIu64 " bytes compared; %" PRIu64 " would trap, %" PRIu64
           " of such run apart; %.1f s\n",
           run.result.passed + run.result.failed, run.result.bytes, run.result.trapping,
           traps.passed + traps.failed, seconds_now() - start);
    return (struct tally){run.result.passed + traps.passed, run.result.failed + traps.failed};
}
