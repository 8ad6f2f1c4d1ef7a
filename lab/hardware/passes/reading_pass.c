/* SPDX-License-Identifier: Apache-2.0
 *
 * Readings, decided: a reading is the GPU's if all copies that hang on its question leave the same
 * bytes by it, and one of them other bytes by each of the others.
 */
#include "reading_pass.h"

#include <inttypes.h>
#include <string.h>
#include <tma/grammar.h>
#include <tma/pattern.h>
#include <tma/walk.h>

#include "copies_worker.h"
#include "copy_features.h"

#define SLICE   UINT64_C(0x7f0000000000) /* any aligned address */
#define SCANNED UINT64_C(40000)          /* cases looked at for those that hang on a question */

struct hanging {
    uint64_t number[MOST_NUMBERS];
    size_t count;
};

/* The questions on which a case hangs that runs. */
static uint32_t readings_of(const struct copy_case *c, const tma_target *target) {
    tma_map map;
    tma_plan plan;
    tma_finding why;
    return !c->traps && c->in.op != TMA_OP_PREFETCH &&
                   copy_case_plan(&plan, &map, c, SLICE, target, &why) == TMA_OK
               ? tma_plan_readings(&plan, &c->at)
               : 0;
}

static int add_run(void *context, const tma_run *run) {
    uint64_t *hash = context;
    const uint64_t words[] = {run->kind, run->row, run->shared_address,
                              run->kind == TMA_RUN_OUTSIDE ? 0 : run->address, run->length_B};
    *hash = tma_scramble(*hash ^ tma_hash((const uint8_t *)words, sizeof(words)));
    return 0;
}

/* Whether a copy is another one by each reading of a question. */
static int tells(const struct copy_case *c, unsigned question, tma_target target) {
    uint64_t hash[TMA_MOST_READS] = {0};
    for (uint32_t value = 0; value < tma_reading_at(question)->count; value++) {
        tma_map map;
        tma_plan plan;
        if (tma_target_read(&target, question, value) != TMA_OK ||
            copy_case_plan(&plan, &map, c, SLICE, &target, NULL) != TMA_OK ||
            tma_walk(&plan, &c->at, add_run, &hash[value])) {
            return 0;
        }
        for (uint32_t i = 0; i < value; i++) {
            if (hash[i] == hash[value]) {
                return 0;
            }
        }
    }
    return 1;
}

/* What else a copy may hang on that decides a question: what was decided before. */
static uint32_t beside(unsigned question) {
    return question == TMA_READING_HALO_PIXELS ? 1u << TMA_READING_W128_HALO : 0;
}

/* Whether any target of this kind has something to read. */
static int has_questions(const tma_target *target) {
    return (tma_arch_of(target)->features & (TMA_FEATURE_PACKED | TMA_FEATURE_GATHER4_CTA)) != 0;
}

static void choose(const struct session *session, uint32_t dead, struct hanging hanging[]) {
    const tma_target *target = &session->device.target;
    for (uint64_t i = session->first; i < session->first + SCANNED; i++) {
        struct copy_case copy;
        copy_case_make(&copy, session->seed, i, target);
        const uint32_t set = features_of(&copy) & dead ? 0 : readings_of(&copy, target);
        for (unsigned q = 0; q < TMA_READINGS; q++) {
            if (set >> q & 1 && !(set & ~(1u << q | beside(q))) &&
                hanging[q].count < MOST_NUMBERS && tells(&copy, q, *target)) {
                hanging[q].number[hanging[q].count++] = i;
            }
        }
    }
}

/* Copies of the question that differ by one reading of it; UINT64_MAX if the kernel was killed, and
 * *lost set if the worker ended otherwise. */
static uint64_t differing(const struct session *session, const struct hanging *h, unsigned question,
                          uint32_t value, int *lost) {
    struct session some = *session;
    struct worker_answer a;
    memcpy(some.numbers, h->number, sizeof(h->number));
    some.number_count = h->count;
    some.vectors_path = NULL;
    some.report = NULL;
    some.quiet = 1;
    if (tma_target_read(&some.device.target, question, value) != TMA_OK) {
        return UINT64_MAX;
    }
    copies_worker_run(&some, "copies", 0, h->count, h->count, &a);
    *lost |= a.status != 0 && a.status != WORKER_KILLED;
    return a.status == 0 ? a.result.failed : UINT64_MAX;
}

void reading_say(const struct session *session, const char *text) {
    puts(text);
    if (session->report) {
        fprintf(session->vectors, "# %s\n", text);
    }
}

#define NONE    (-1)
#define SEVERAL (-2)
#define LOST    (-3) /* a worker failed: nobody knows */

/* The only reading by which nothing differs. */
static int decided(const struct session *session, const struct hanging *h, unsigned question) {
    int found = NONE;
    int lost = 0;
    for (uint32_t value = 0; value < tma_reading_at(question)->count; value++) {
        if (differing(session, h, question, value, &lost) == 0) {
            found = found == NONE ? (int)value : SEVERAL;
        }
    }
    return lost ? LOST : found;
}

static void decide_by_life(const struct session *session, const struct feature_deaths *deaths,
                           struct tally *tally) {
    const int lost = deaths->lost >> FEATURE_ATOM_64B_IN & 1;
    const int dead = deaths->dead >> FEATURE_ATOM_64B_IN & 1;
    tally->failed += (unsigned)lost;
    reading_say(session, lost   ? "reading: atom-64B-loads: not known, a worker failed"
                         : dead ? "reading: atom-64B-loads=trap"
                                : "reading: atom-64B-loads=run");
}

/* Whether the question is answered, and how. */
static void decide(struct session *session, const struct hanging *h, unsigned question,
                   struct tally *tally) {
    char text[512];
    const tma_reading *q = tma_reading_at(question);
    const int value = decided(session, h, question);
    if (value < 0) {
        snprintf(text, sizeof(text), "reading: %s: %s (%zu copies)", q->name,
                 value == NONE      ? "this GPU does none of those known"
                 : value == SEVERAL ? "these copies do not tell"
                                    : "not known, a worker failed",
                 h->count);
        tally->failed += value != SEVERAL;
    } else {
        snprintf(text, sizeof(text), "reading: %s=%s: %s (%zu copies)", q->name,
                 tma_reads_at(question, (size_t)value)->name,
                 tma_reads_at(question, (size_t)value)->meaning, h->count);
        (void)!tma_target_read(&session->device.target, question, (uint32_t)value);
        tally->passed++;
    }
    reading_say(session, text);
}

void reading_say_replay(const struct session *session) {
    char options[512];
    tma_out out = tma_out_into(options, sizeof(options));
    tma_put_readings(&out, &session->device.target);
    if (session->report && session->device.target.readings) {
        fprintf(session->vectors, "# replay: tma replay --check%s\n", options);
    }
}

void reading_pass(struct session *session, const struct feature_deaths *deaths,
                  struct tally *tally) {
    struct hanging hanging[TMA_READINGS];
    memset(hanging, 0, sizeof(hanging));
    if (!has_questions(&session->device.target)) {
        return;
    }
    choose(session, deaths->dead, hanging);
    for (unsigned q = 0; q < TMA_READINGS; q++) {
        if (q == TMA_READING_ATOM_64B_LOADS) {
            if (tma_arch_of(&session->device.target)->features & TMA_FEATURE_PACKED) {
                decide_by_life(session, deaths, tally);
            }
        } else if (hanging[q].count) {
            decide(session, &hanging[q], q, tally);
        }
    }
    reading_say_replay(session);
    fflush(stdout);
}
