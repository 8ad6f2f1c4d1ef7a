/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows on standard output.
 */
#define _GNU_SOURCE
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void report_begin(report *r) {
    if (r->json) {
        printf("{\"schema\": 1, \"rows\": [");
    }
}

#define FEW   8    /* rounds that were not disturbed */
#define NOISY 0.10 /* between the quartiles, in proportion to the median */

static const char *const verdicts[] = {"-     ", "MISSED", "met   ", "BUSY  "};
enum { NOTHING, MISSED, MET, BUSY };

static int verdict_of(const rounds *m, double target) {
    if (m->ratio <= 0) {
        return NOTHING;
    }
    const int straddled = m->low < target && m->high >= target;
    if (m->kept && (m->kept < FEW || (straddled && m->high - m->low > NOISY * m->ratio))) {
        return BUSY;
    }
    return m->ratio >= target ? MET : MISSED;
}

static void json_row(const report *r, const char *name, const rounds *m, double target, int verdict,
                     const char *fields) {
    static const char *const met[] = {"null", "false", "true", "null"};
    printf("%s\n  {\"name\": \"%s\", ", r->rows ? "," : "", name);
    if (verdict == NOTHING) {
        printf("\"ratio\": null, \"target\": %.3f, \"met\": null", target);
    } else {
        printf("\"ratio\": %.3f, \"target\": %.3f, \"met\": %s", m->ratio, target, met[verdict]);
    }
    if (m->kept) {
        printf(", \"quartiles\": [%.3f, %.3f], \"rounds\": %u, \"disturbed\": %u, \"busy\": %s",
               m->low, m->high, m->kept, m->disturbed, verdict == BUSY ? "true" : "false");
    }
    printf("%s%s}", *fields ? ", " : "", fields);
}

void report_rounds(report *r, const char *name, const rounds *m, double target, const char *fields,
                   const char *words) {
    const int verdict = verdict_of(m, target);
    if (r->json) {
        json_row(r, name, m, target, verdict, fields);
    } else if (verdict == NOTHING) {
        printf("%-44s      -             of %4.2f  %s  %s\n", name, target, verdicts[verdict],
               words);
    } else if (m->kept) {
        printf("%-44s %6.2f (%.2f-%.2f) of %4.2f  %s  %s\n", name, m->ratio, m->low, m->high,
               target, verdicts[verdict], words);
    } else {
        printf("%-44s %6.2f             of %4.2f  %s  %s\n", name, m->ratio, target,
               verdicts[verdict], words);
    }
    fflush(stdout);
    r->rows++;
    r->missed += verdict == MISSED;
    r->unclear += verdict == BUSY;
}

void report_row(report *r, const char *name, double ratio, double target, const char *fields,
                const char *words) {
    const rounds m = {.ratio = ratio};
    report_rounds(r, name, &m, target, fields, words);
}

int report_wants(const report *r, const char *name) {
    return !r->only || strstr(name, r->only) != NULL;
}

void report_end(report *r) {
    if (r->json) {
        printf("\n]}\n");
    } else {
        printf("%u rows, %u missed", r->rows, r->missed);
        printf(r->unclear ? ", %u unclear: the machine was too busy to tell\n" : "\n", r->unclear);
    }
}
