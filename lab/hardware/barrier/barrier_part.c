/* SPDX-License-Identifier: Apache-2.0
 *
 * What operations do to mbarriers, against tma/barrier.h: behind each operation by test_wait and
 * by the state that an arrival returns; the words at the end out of a core dump. Operations that
 * kill run in processes of their own.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "barrier_cases.h"
#include "parts.h"
#include "worker.h"

#define USUAL_COUNT   UINT64_C(1000000) /* operations */
#define AT_ONCE       100000            /* barriers in one launch */
#define KILLS         24
#define KILLS_AT_ONCE 4
#define LONGEST_S     120 /* of a worker */
#define KILLED_NAME   "cudaErrorLaunchFailure"

struct run {
    uint64_t seed, first, count;
    uint32_t without;
    uint64_t *firsts;
    struct device_barrier_step *steps;
    struct device_barrier_seen *seen;
    uint64_t *words;
    uint64_t loads_right; /* plain loads that gave the word */
    struct tally steps_tally, words_tally;
};

static void *room_for(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "tma-conformance: no memory for %zu operations\n", count);
        exit(3);
    }
    return memory;
}

static void make_steps(struct run *run) {
    uint64_t total = 0;
    for (uint64_t b = 0; b < run->count; b++) {
        total += barrier_step_count(run->first + b);
    }
    run->firsts = room_for(run->count + 1, sizeof(*run->firsts));
    run->steps = room_for(total, sizeof(*run->steps));
    run->seen = room_for(total, sizeof(*run->seen));
    run->words = room_for(run->count, sizeof(*run->words));
    for (uint64_t b = 0; b < run->count; b++) {
        barrier_steps(run->seed, run->first + b, run->without, run->steps + run->firsts[b]);
        run->firsts[b + 1] = run->firsts[b] + barrier_step_count(run->first + b);
    }
}

static void say(const struct run *run, uint64_t b, uint64_t i, const tma_barrier *is,
                const char *what, uint64_t ours, uint64_t theirs) {
    const struct device_barrier_step *s = &run->steps[i];
    printf("barrier %" PRIu64 ", operation %" PRIu64 ", %s count %u bytes %u: %s is 0x%" PRIx64
           ", libtma 0x%" PRIx64 " (the barrier's word then: 0x%016" PRIx64 ")\n",
           run->first + b, i - run->firsts[b], barrier_step_name(s->operation), s->count,
           s->bytes_B, what, theirs, ours, tma_barrier_word(is));
}

/* Whether what was seen behind a step is what must be; `before`: the barrier before the step. */
static int is_right(const struct run *run, uint64_t b, uint64_t i, const tma_barrier *before,
                    const tma_barrier *after) {
    const struct device_barrier_seen *seen = &run->seen[i];
    const uint32_t done = tma_barrier_waits(after, 0) ? 2 : 1;
    const int arrives = run->steps[i].operation <= TMA_BARRIER_ARRIVE_DROP_EXPECT;
    const uint32_t upper = arrives ? (uint32_t)(tma_barrier_word(before) >> 32) : 0;
    const int shown = run->steps_tally.failed >= MOST_REPORTS;
    if (seen->done != done && !shown) {
        say(run, b, i, after, "what test_wait says", done, seen->done);
    }
    if (seen->before != upper && !shown) {
        say(run, b, i, after, "the state's upper half", upper, seen->before);
    }
    return seen->done == done && seen->before == upper;
}

static void compare(struct run *run) {
    for (uint64_t b = 0; b < run->count; b++) {
        tma_barrier is = {0};
        for (uint64_t i = run->firsts[b]; i < run->firsts[b + 1]; i++) {
            const tma_barrier before = is;
            (void)barrier_do(&is, &run->steps[i]);
            const int right = is_right(run, b, i, &before, &is);
            run->steps_tally.passed += right != 0;
            run->steps_tally.failed += right == 0;
            run->loads_right += run->seen[i].loaded == tma_barrier_word(&is);
        }
        const uint64_t ours = tma_barrier_word(&is);
        if (ours != run->words[b] && run->words_tally.failed < MOST_REPORTS) {
            say(run, b, run->firsts[b + 1] - 1, &is, "the word in the dump", ours, run->words[b]);
        }
        run->words_tally.passed += ours == run->words[b];
        run->words_tally.failed += ours != run->words[b];
    }
}

int barrier_worker(const struct session *s) {
    struct run run = {.seed = s->seed, .first = s->first, .count = s->count, .without = s->without};
    alarm(LONGEST_S);
    make_steps(&run);
    const char *error = device_barriers(run.steps, run.firsts, run.count, 1, run.seen);
    error = error ? error : device_barrier_words(run.words, run.count);
    if (error) {
        printf("the barriers were not seen: %s\n", error);
        fflush(stdout);
        _exit(1); /* CUDA's own end may wait for a kernel that stays */
    }
    compare(&run);
    printf("tally %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
           run.steps_tally.passed, run.steps_tally.failed, run.words_tally.passed,
           run.words_tally.failed, run.loads_right);
    fflush(stdout);
    _exit(0);
}

/* Whether the kernel comes to its end; of a single barrier, which operation ended it. */
int barrier_alone_worker(const struct session *s) {
    struct run run = {.seed = s->seed, .first = s->first, .count = s->count, .without = s->without};
    tma_barrier is = {0};
    uint64_t i = 0;
    alarm(LONGEST_S);
    make_steps(&run);
    const char *error = device_barriers(run.steps, run.firsts, run.count, 0, run.seen);
    if (error && run.count == 1) {
        while (i + 1 < run.firsts[1] && run.seen[i].done) {
            (void)barrier_do(&is, &run.steps[i++]);
        }
        const struct device_barrier_step *last = &run.steps[i];
        printf("barrier %" PRIu64 ", operation %" PRIu64 ", %s count %u bytes %u: it kills: %s, "
               "libtma says that it does not (the barrier's word then: 0x%016" PRIx64 ")\n",
               run.first, i, barrier_step_name(last->operation), last->count, last->bytes_B, error,
               tma_barrier_word(&is));
    }
    fflush(stdout);
    _exit(error != NULL);
}

int barrier_kill_worker(const struct session *s) {
    struct device_barrier_step steps[BARRIER_MOST_STEPS];
    static struct device_barrier_seen seen[BARRIER_MOST_STEPS];
    tma_barrier_death death;
    uint64_t firsts[2] = {0, 0};
    alarm(LONGEST_S);
    firsts[1] = barrier_deadly_steps(s->seed, s->first, steps, &death);
    const struct device_barrier_step *last = &steps[firsts[1] - 1];
    const char *error = device_barriers(steps, firsts, 1, 0, seen);
    const int right = error && strcmp(error, KILLED_NAME) == 0;
    printf("%s: %s count %u bytes %u as operation %u: %s: %s\n", right ? "kill" : "wrong",
           barrier_step_name(last->operation), last->count, last->bytes_B,
           (unsigned)(firsts[1] - 1), tma_barrier_death_text(death), error ? error : "it lives");
    fflush(stdout);
    _exit(0);
}

struct total {
    struct tally steps, words, kills;
    uint64_t loads_right;
    int answered;
};

static void take(void *context, const char *line) {
    struct total *all = context;
    struct total t;
    memset(&t, 0, sizeof(t));
    if (sscanf(line, "tally %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
               &t.steps.passed, &t.steps.failed, &t.words.passed, &t.words.failed,
               &t.loads_right) == 5) {
        all->steps.passed += t.steps.passed;
        all->steps.failed += t.steps.failed;
        all->words.passed += t.words.passed;
        all->words.failed += t.words.failed;
        all->loads_right += t.loads_right;
        all->answered = 1;
        return;
    }
    all->kills.passed += strncmp(line, "kill: ", 6) == 0;
    all->kills.failed += strncmp(line, "wrong: ", 7) == 0;
    printf("%s", line);
    fflush(stdout);
}

static int dies(const struct session *s, uint64_t first, uint64_t count, struct total *all) {
    struct worker worker = worker_start(s, "barrier-alone", first, count, 0, 1);
    return worker_finish(&worker, take, all) != 0;
}

/* Of barriers whose kernel was killed, one that kills alone; its process says which operation. */
static void find_killer(const struct session *s, uint64_t first, uint64_t count,
                        struct total *all) {
    if (count == 1) {
        (void)dies(s, first, count, all);
    }
    while (count > 1) {
        const uint64_t half = count / 2;
        if (dies(s, first, half, all)) {
            count = half;
        } else if (dies(s, first + half, count - half, all)) {
            first += half;
            count -= half;
        } else {
            printf("barrier: barriers %" PRIu64 " to %" PRIu64 " kill only together\n", first,
                   first + count - 1);
            return;
        }
    }
}

/* What the driver must be told before a process of ours starts, and is not told behind it. */
static const struct {
    const char *name, *value;
} settings[] = {
    {"CUDA_ENABLE_USER_TRIGGERED_COREDUMP", "1"},
    {"CUDA_COREDUMP_GENERATION_FLAGS", /* without the last, driver 580.159 cuts off this one */
     "skip_abort,skip_global_memory,skip_local_memory,skip_constbank_memory"},
    {"CUDA_COREDUMP_FILE", "core"},
    {"CUDA_COREDUMP_PIPE", "pipe"}};

#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

static int in_folder(size_t i) {
    return i >= SETTINGS - 2;
}

static void set_all(const char *folder) {
    char path[256];
    for (size_t i = 0; i < SETTINGS; i++) {
        snprintf(path, sizeof(path), "%s%s%s", in_folder(i) ? folder : "", in_folder(i) ? "/" : "",
                 settings[i].value);
        setenv(settings[i].name, path, 1);
    }
}

static void unset_all(const char *folder) {
    char path[256];
    for (size_t i = 0; i < SETTINGS; i++) {
        unsetenv(settings[i].name);
        snprintf(path, sizeof(path), "%s/%s", folder, settings[i].value);
        if (in_folder(i)) {
            unlink(path);
        }
    }
    rmdir(folder);
}

/* One process for barriers [first, first + count). */
static void run_barriers(const struct session *s, uint64_t first, uint64_t count,
                         struct total *all) {
    char folder[] = "/tmp/tma-barrier-XXXXXX";
    if (!mkdtemp(folder)) {
        printf("barrier: cannot make a folder in /tmp\n");
        all->steps.failed += count;
        return;
    }
    set_all(folder);
    all->answered = 0;
    struct worker worker = worker_start(s, "barrier", first, count, 0, 1);
    const int status = worker_finish(&worker, take, all);
    if (!all->answered) {
        printf("barrier: the process of barriers %" PRIu64 " to %" PRIu64 " ended with %d\n", first,
               first + count - 1, status);
        all->steps.failed += count;
    }
    unset_all(folder);
    if (!all->answered) {
        find_killer(s, first, count, all);
    }
}

static void run_kills(const struct session *s, struct total *all) {
    const uint64_t most = s->threads < KILLS_AT_ONCE ? s->threads : KILLS_AT_ONCE;
    for (uint64_t i = 0; i < KILLS; i += most) {
        struct worker workers[KILLS_AT_ONCE];
        const uint64_t n = KILLS - i < most ? KILLS - i : most;
        for (uint64_t k = 0; k < n; k++) {
            workers[k] = worker_start(s, "barrier-kill", i + k, 1, 0, 1);
        }
        for (uint64_t k = 0; k < n; k++) {
            const uint64_t before = all->kills.passed + all->kills.failed;
            worker_finish(&workers[k], take, all);
            all->kills.failed += all->kills.passed + all->kills.failed == before;
        }
    }
}

struct tally barrier_part(const struct session *s) {
    const uint64_t wanted = s->count ? s->count : USUAL_COUNT;
    const uint64_t barriers = wanted * 2 / (BARRIER_MOST_STEPS + 1) + 1;
    struct total all;
    memset(&all, 0, sizeof(all));
    for (uint64_t done = 0; done < barriers; done += AT_ONCE) {
        const uint64_t left = barriers - done;
        run_barriers(s, s->first + done, left < AT_ONCE ? left : AT_ONCE, &all);
    }
    printf("barrier: %" PRIu64 " operations, %" PRIu64 " of them not as libtma says; %" PRIu64
           " words of the core dump, %" PRIu64 " not as libtma says\n",
           all.steps.passed + all.steps.failed, all.steps.failed,
           all.words.passed + all.words.failed, all.words.failed);
    printf("barrier: a plain load of the word gave it behind %" PRIu64 " operations\n",
           all.loads_right);
    run_kills(s, &all);
    printf("barrier: %" PRIu64 " operations that kill, %" PRIu64 " not as libtma says\n",
           all.kills.passed + all.kills.failed, all.kills.failed);
    return (struct tally){all.steps.passed + all.words.passed + all.kills.passed,
                          all.steps.failed + all.words.failed + all.kills.failed};
}
