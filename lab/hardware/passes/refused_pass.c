/* SPDX-License-Identifier: Apache-2.0
 *
 * The coordinator: some copies of each feature that libtma refuses, one a process.
 */
#include "refused_pass.h"

#include <inttypes.h>
#include <string.h>

#include "refused_cases.h"
#include "worker.h"

#define ASKED   4               /* copies of each feature */
#define SCANNED UINT64_C(40000) /* cases looked at for them */
#define SMALL_B 2048u /* of memory and window, looked for first: the report has the bytes */

struct chosen {
    uint64_t number[ASKED];
    unsigned small; /* of the first so many, in a row */
    unsigned count;
};

/* What became of a feature's copies. */
struct outcome {
    unsigned ran;
    unsigned known; /* of them as another target or reading has it */
    unsigned killed;
    unsigned lost;
    char error[96];
    char rule[64];
};

/* The first cases, small ones before all others. */
static void take(struct chosen *c, uint64_t number, int small) {
    if (small && c->small < ASKED) {
        memmove(c->number + c->small + 1, c->number + c->small,
                (size_t)(ASKED - 1 - c->small) * sizeof(c->number[0]));
        c->number[c->small++] = number;
        c->count += c->count < ASKED;
    } else if (c->count < ASKED) {
        c->number[c->count++] = number;
    }
}

static void choose(const struct session *s, struct chosen chosen[REFUSED_FEATURES]) {
    for (uint64_t i = s->first; i < s->first + SCANNED; i++) {
        struct copy_case copy;
        copy_case_make(&copy, s->seed, i, &s->device.target);
        for (unsigned f = 0; f < REFUSED_FEATURES; f++) {
            struct copy_case refused = copy;
            if (chosen[f].small < ASKED && refused_case_edit(&refused, f, &s->device.target)) {
                take(&chosen[f], i,
                     copy.global_B <= SMALL_B && copy.window_B <= SMALL_B &&
                         case_starts_inside(&refused));
            }
        }
    }
}

static void take_line(void *context, const char *line) {
    struct outcome *o = context;
    unsigned known = 0;
    if (sscanf(line, "#ran %63s %u", o->rule, &known) == 2) {
        o->ran++;
        o->known += known;
    } else if (sscanf(line, "#killed %63s %95s", o->rule, o->error) == 2) {
        o->killed++;
    } else {
        fputs(line, stdout);
    }
}

static void ask(const struct session *s, unsigned feature, const struct chosen *chosen,
                struct outcome *o) {
    for (unsigned k = 0; k < chosen->count; k++) {
        const unsigned before = o->ran + o->killed;
        struct worker worker = worker_start(s, "refused", chosen->number[k], feature, 1, 1);
        const int status = worker_finish(&worker, take_line, o);
        o->lost += (status != 0 && status != WORKER_KILLED) || o->ran + o->killed == before;
    }
}

static void say(const struct session *s, const char *text) {
    puts(text);
    if (s->report) {
        fprintf(s->vectors, "# %s\n", text);
        fflush(s->vectors);
    }
}

static void report(const struct session *s, unsigned feature, const struct outcome *o) {
    char text[512];
    const char *by = "";
    (void)refused_run_by(feature, &s->device.target, &by);
    int used = snprintf(text, sizeof(text), "refused: %s (%s): %u ran", refused_name(feature),
                        o->rule, o->ran);
    if (*by && o->ran) {
        used += snprintf(text + used, sizeof(text) - (size_t)used, " (%u as by %s)", o->known, by);
    }
    used += snprintf(text + used, sizeof(text) - (size_t)used, ", %u killed", o->killed);
    if (o->killed) {
        used += snprintf(text + used, sizeof(text) - (size_t)used, " (%s)", o->error);
    }
    if (o->lost) {
        snprintf(text + used, sizeof(text) - (size_t)used, ", %u not asked: the worker failed",
                 o->lost);
    }
    say(s, text);
}

/* Whether b4-column is answered, and how. */
static int decide_column(struct session *s, const struct outcome *o) {
    const int pairs = o->ran && o->known == o->ran && !o->killed;
    if (!pairs && o->ran) {
        say(s, "reading: b4-column: this GPU does none of those known");
        return -1;
    }
    (void)!tma_target_read(&s->device.target, TMA_READING_B4_COLUMN, (uint32_t)pairs);
    say(s, pairs ? "reading: b4-column=2el" : "reading: b4-column=16B");
    return 0;
}

void refused_pass(struct session *session, struct tally *tally) {
    struct chosen chosen[REFUSED_FEATURES];
    unsigned asked = 0;
    memset(chosen, 0, sizeof(chosen));
    for (unsigned f = 0; f < REFUSED_FEATURES; f++) {
        asked += refused_is_asked(f, &session->device.target) != 0;
    }
    if (asked) {
        choose(session, chosen);
    }
    for (unsigned f = 0; f < REFUSED_FEATURES; f++) {
        struct outcome o;
        memset(&o, 0, sizeof(o));
        if (chosen[f].count == 0) {
            continue;
        }
        ask(session, f, &chosen[f], &o);
        report(session, f, &o);
        tally->passed += o.ran + o.killed;
        tally->failed += o.lost;
        if (f == REFUSED_B4_COLUMN && !o.lost) {
            tally->failed += decide_column(session, &o) != 0;
        }
    }
    printf("refused: %" PRIu64
           " copies that libtma refuses were asked; %u of %u kinds are for other "
           "chips\n",
           tally->passed, REFUSED_FEATURES - asked, (unsigned)REFUSED_FEATURES);
    fflush(stdout);
}
