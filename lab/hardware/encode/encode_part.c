/* SPDX-License-Identifier: Apache-2.0
 *
 * The same specs to the driver and to the library: the result code and all 128 bytes must be the
 * same, and so for a new address on some of the maps.
 */
#include <inttypes.h>
#include <string.h>

#include "answers_file.h"
#include "case_lines.h"
#include "driver.h"
#include "encode_readings.h"
#include "parts.h"
#include "random_specs.h"
#include "worker.h"

#define USUAL_COUNT  UINT64_C(1000000000)
#define FEW          UINT64_C(100000) /* not worth several processes */
#define MOST_WORKERS 256
#define BEFORE       0xEE /* every byte of a map's memory before the calls */
#define REPLACED     4    /* one map in so many gets a new address */

struct encode_run {
    const struct session *session;
    unsigned reported;
    uint64_t accepted;
    uint64_t replaced;
    uint64_t failed;
};

/* What both said. */
struct encode_answer {
    tma_map theirs;
    tma_map ours;
    int rc;
    int our_rc;
};

static int untouched(const tma_map *map) {
    for (size_t i = 0; i < sizeof(map->bytes); i++) {
        if (map->bytes[i] != BEFORE) {
            return 0;
        }
    }
    return 1;
}

/* Where the driver refuses, its memory may hold anything; the library's must be as it was. */
static int ask_encode(const struct session *session, const tma_spec *spec,
                      struct encode_answer *a) {
    memset(&a->theirs, BEFORE, sizeof(a->theirs));
    memset(&a->ours, BEFORE, sizeof(a->ours));
    a->rc = driver_encode(&a->theirs, spec);
    a->our_rc = tma_encode(a->ours.bytes, spec, &session->device.target) == TMA_OK ? 0 : 1;
    if (a->rc != a->our_rc) {
        return 0;
    }
    return a->rc ? untouched(&a->ours) : !memcmp(&a->theirs, &a->ours, sizeof(a->ours));
}

static int ask_replace(uint64_t address, struct encode_answer *a) {
    a->rc = driver_replace_address(&a->theirs, address);
    a->our_rc = tma_replace_address(a->ours.bytes, address, NULL) == TMA_OK ? 0 : 1;
    return a->rc == a->our_rc && !memcmp(&a->theirs, &a->ours, sizeof(a->ours));
}

static void report(struct encode_run *run, uint64_t number, const tma_spec *spec,
                   const uint64_t *address, const struct encode_answer *a) {
    const struct session *session = run->session;
    if (run->reported++ < MOST_REPORTS) {
        printf("case %" PRIu64 ": driver %d, libtma %d\n", number, a->rc, a->our_rc);
        print_case(stdout, address ? "rep" : "enc", spec, &session->device.target);
        if (address) {
            printf(" naddr=0x%" PRIx64, *address);
        }
        printf(" rc=%d", a->rc);
        print_bytes(stdout, "desc", &a->theirs, sizeof(a->theirs));
        printf("\n");
        if (a->rc == 0 && a->our_rc == 0) {
            print_map_differences(stdout, &a->theirs, &a->ours);
        }
        printf("  again: tma-conformance --part encode --seed %" PRIu64 " --first %" PRIu64
               " --count 1\n",
               session->seed, number);
    }
}

static void write_vector(const char *kind, const struct session *session, const tma_spec *spec,
                         const uint64_t *address, const struct encode_answer *a) {
    FILE *out = session->vectors;
    print_case(out, kind, spec, &session->device.target);
    if (address) {
        fprintf(out, " naddr=0x%" PRIx64, *address);
    }
    fprintf(out, " rc=%d", a->rc);
    if (a->rc == 0 || address) {
        print_bytes(out, "desc", &a->theirs, sizeof(a->theirs));
    }
    fputc('\n', out);
}

/* One case; whether all of it agrees. */
static int work_case(struct encode_run *run, uint64_t number) {
    const struct session *session = run->session;
    struct random_source r = case_source(session->seed, number);
    struct encode_answer a;
    tma_spec spec = encode_case(&r, &session->device.target);
    if (spec.api == TMA_API_WIDE && !driver_has_wide()) {
        spec.api = TMA_API_IM2COL;
    }
    int same = ask_encode(session, &spec, &a);
    if (vector_is_wanted(session, number, !same)) {
        write_vector("enc", session, &spec, NULL, &a);
    }
    if (!same) {
        report(run, number, &spec, NULL, &a);
    }
    if (same && a.rc == 0) {
        run->accepted++;
        if (random_one_in(&r, REPLACED)) {
            const uint64_t address = replaced_address(&r);
            run->replaced++;
            same = ask_replace(address, &a);
            if (vector_is_wanted(session, number, !same)) {
                write_vector("rep", session, &spec, &address, &a);
            }
            if (!same) {
                report(run, number, &spec, &address, &a);
            }
        }
    }
    return same;
}

static void work(void *context, uint64_t first, uint64_t count) {
    struct encode_run *run = context;
    for (uint64_t i = first; i < first + count; i++) {
        run->failed += !work_case(run, i);
    }
}

static void take_line(void *context, const char *line) {
    struct encode_run *run = context;
    struct encode_run r;
    if (sscanf(line, "#encode %" SCNu64 " %" SCNu64 " %" SCNu64, &r.accepted, &r.replaced,
               &r.failed) == 3) {
        run->accepted += r.accepted;
        run->replaced += r.replaced;
        run->failed += r.failed;
    } else {
        fputs(line, stdout);
    }
}

/* A driver's refusals wait for each other within a process, so each range gets a process. */
static void work_in_processes(struct encode_run *run, uint64_t first, uint64_t count) {
    const struct session *session = run->session;
    struct worker workers[MOST_WORKERS];
    const unsigned used = session->threads < MOST_WORKERS ? session->threads : MOST_WORKERS;
    const uint64_t share = (count + used - 1) / used;
    unsigned started = 0;
    for (uint64_t at = 0; at < count; at += share) {
        const uint64_t own = count - at < share ? count - at : share;
        workers[started++] = worker_start(session, "encode", first + at, own, 0, 1);
    }
    for (unsigned i = 0; i < started; i++) {
        const int status = worker_finish(&workers[i], take_line, run);
        if (status != 0) {
            printf("a worker for the cases from %" PRIu64 " on ended with status %d\n",
                   first + i * share, status);
            run->failed += share;
        }
    }
}

int encode_worker(const struct session *session) {
    struct encode_run run = {.session = session};
    work(&run, session->first, session->count);
    printf("#encode %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", run.accepted, run.replaced, run.failed);
    return 0;
}

struct tally encode_part(const struct session *all) {
    const uint64_t count = all->count ? all->count : USUAL_COUNT;
    struct session sampling = session_sampling(all, count);
    const struct session *session = &sampling;
    struct encode_run run = {.session = session};
    struct tally readings = {0, 0};
    const double start = seconds_now();
    encode_readings(&sampling, &readings);
    const int alone =
        (session->vectors && !session->report) || session->threads == 1 || count < FEW;
    if (alone) {
        work(&run, session->first, count);
    } else {
        work_in_processes(&run, session->first, count);
    }
    printf("encode: %" PRIu64 " specs, %" PRIu64 " accepted, %" PRIu64 " refused; %" PRIu64
           " new addresses; %.1f s in %u processes\n",
           count, run.accepted, count - run.accepted, run.replaced, seconds_now() - start,
           alone ? 1 : session->threads);
    const uint64_t failed = run.failed < count ? run.failed : count;
    return (struct tally){count - failed, failed + readings.failed};
}
