/* SPDX-License-Identifier: Apache-2.0
 *
 * Encode with all checks, and decode: the time over a mix of maps, and the instructions of the
 * costliest map against their limit, as callgrind counts them (instructions.py).
 */
#define _GNU_SOURCE /* popen */
#include "bench_map.h"

#include "map_cases.h"
#include "timing.h"
#include <stdio.h>
#include <string.h>
#include <tma/tma.h>

#define ROUNDS 41
#define CALLS  20000 /* a round, of each map in the mix */

static const char *const mix[] = {"tile 2-D", "tile 5-D", "im2col 4-D", "wide 4-D"};

#define MIXED (sizeof(mix) / sizeof(mix[0]))

static tma_spec spec_named(const char *name) {
    unsigned i = 0;
    while (strcmp(map_cases[i].name, name) != 0) {
        i++;
    }
    return map_case_spec(&map_cases[i], NULL);
}

typedef struct timing {
    tma_spec specs[MIXED];
    tma_map maps[MIXED];
    tma_decoded decoded;
    unsigned wrong;
} timing;

static double encode_ns(timing *t) {
    const double before = timing_now_ns();
    for (unsigned n = 0; n < CALLS; n++) {
        for (unsigned i = 0; i < MIXED; i++) {
            t->wrong += tma_encode(t->maps[i].bytes, &t->specs[i], NULL) != TMA_OK;
        }
    }
    return (timing_now_ns() - before) / (CALLS * MIXED);
}

static double decode_ns(timing *t) {
    const double before = timing_now_ns();
    for (unsigned n = 0; n < CALLS; n++) {
        for (unsigned i = 0; i < MIXED; i++) {
            t->wrong += tma_decode(&t->decoded, t->maps[i].bytes) != TMA_OK || t->decoded.odd;
        }
    }
    return (timing_now_ns() - before) / (CALLS * MIXED);
}

/* The costliest map of a call: most instructions in proportion to its limit. */
typedef struct worst {
    double ratio; /* limit / instructions, 0 if nothing was counted */
    char name[64];
    unsigned instructions;
    unsigned limit;
} worst;

/* Lines of instructions.py --tsv: call, map, instructions, limit. */
static void count_instructions(worst *encode, worst *decode) {
    char line[256];
    FILE *script = popen(TMA_INSTRUCTIONS " --tsv 2>/dev/null", "r");
    while (script && fgets(line, sizeof(line), script)) {
        worst one;
        char call[16];
        if (sscanf(line, "%15[^\t]\t%63[^\t]\t%u\t%u", call, one.name, &one.instructions,
                   &one.limit) != 4) {
            continue;
        }
        one.ratio = (double)one.limit / one.instructions;
        worst *of = strcmp(call, "encode") == 0 ? encode : decode;
        if (of->ratio == 0 || one.ratio < of->ratio) {
            *of = one;
        }
    }
    if (script) {
        pclose(script);
    }
}

static void row(report *r, const char *name, double ns, const worst *w) {
    char fields[256];
    char words[256];
    if (w->ratio > 0) {
        snprintf(fields, sizeof(fields),
                 "\"ns\": %.1f, \"instructions\": %u, \"limit\": %u, \"costliest\": \"%s\"", ns,
                 w->instructions, w->limit, w->name);
        snprintf(words, sizeof(words), "%.1f ns; at most %u instructions (%s), limit %u", ns,
                 w->instructions, w->name, w->limit);
    } else {
        snprintf(fields, sizeof(fields), "\"ns\": %.1f, \"instructions\": null", ns);
        snprintf(words, sizeof(words), "%.1f ns; instructions not counted: no valgrind", ns);
    }
    report_row(r, name, w->ratio, 1, fields, words);
}

void bench_map(report *r) {
    timing t;
    double encode[ROUNDS];
    double decode[ROUNDS];
    worst encode_worst = {0};
    worst decode_worst = {0};
    memset(&t, 0, sizeof(t));
    for (unsigned i = 0; i < MIXED; i++) {
        t.specs[i] = spec_named(mix[i]);
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        encode[i] = encode_ns(&t);
        decode[i] = decode_ns(&t);
    }
    if (t.wrong) {
        fprintf(stderr, "bench_map: a map was refused or is odd\n");
    }
    count_instructions(&encode_worst, &decode_worst);
    row(r, "encode with all checks", timing_median(encode, ROUNDS), &encode_worst);
    row(r, "decode", timing_median(decode, ROUNDS), &decode_worst);
}
