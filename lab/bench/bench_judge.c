/* SPDX-License-Identifier: Apache-2.0
 *
 * What looks at copies and specs without moving a byte: visits of tma_walk() beside the loops that
 * one would write for them, and specs checked with all findings beside encoding them, which stops
 * at the first.
 */
#include "bench_judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <tma/tma.h>

#include "map_cases.h"
#include "timing.h"

#define ROUNDS   101
#define WALKS    20 /* a round */
#define SPECS    10000
#define CHECKED  500 /* of them, a round: short, to be undisturbed */
#define FINDINGS 64

static int count_run(void *context, const tma_run *run) {
    uint64_t *sum = context;
    *sum += run->shared_address + run->length_B;
    return 0;
}

typedef struct walk {
    tma_plan plan;
    tma_position at;
    uint64_t sum;
} walk;

/* A tile of 128 rows of 128 bytes in the 128-byte swizzle: each chunk of 16 bytes by itself. */
static void walk_by_hand(const walk *w, tma_visitor visit, void *context) {
    const tma_plan_facts *p = tma_plan_info(&w->plan);
    tma_run run = {.rank = 2};
    for (uint32_t row = 0; row < p->rows; row++) {
        for (uint32_t byte = 0; byte < 128; byte += 16) {
            const uint32_t plain = w->at.shared_address + row * 128 + byte;
            run.row = row;
            run.offset_B = byte;
            run.length_B = run.global_length_B = run.barrier_B = 16;
            run.shared_address = plain ^ (plain >> 3 & 0x70);
            run.coord[0] = w->at.coord[0] + byte / 2;
            run.coord[1] = w->at.coord[1] + (int64_t)row;
            run.address =
                p->address + (uint64_t)run.coord[0] * 2 + (uint64_t)run.coord[1] * p->step_B[1];
            visit(context, &run);
        }
    }
}

static double walk_ns(void *context, int which, unsigned round) {
    walk *w = context;
    tma_visitor volatile visit = count_run; /* unknown to the compiler, as the library's is */
    const double before = timing_now_ns();
    for (unsigned i = 0; i < WALKS; i++) {
        w->at.coord[1] = (int32_t)(round + i) % 64;
        if (which == YARD) {
            walk_by_hand(w, visit, &w->sum);
        } else if (tma_walk(&w->plan, &w->at, visit, &w->sum)) {
            exit(2);
        }
    }
    return (timing_now_ns() - before) / (WALKS * 128 * 8);
}

static void bench_walk(report *r) {
    static const char name[] = "tma_walk, visits of 16 B";
    const tma_spec spec = {.dtype = TMA_DTYPE_BFLOAT16,
                           .rank = 2,
                           .address = 1 << 20,
                           .dim_el = {512, 512},
                           .stride_B = {1024},
                           .box_el = {64, 128},
                           .element_stride = {1, 1},
                           .swizzle = TMA_SWIZZLE_128B};
    const tma_instruction load = {.op = TMA_OP_LOAD};
    walk w = {.at = {.shared_address = 1024}};
    tma_map map;
    if (!report_wants(r, name) || tma_encode(map.bytes, &spec, NULL) != TMA_OK ||
        tma_plan_make(&w.plan, map.bytes, &load, NULL, NULL) != TMA_OK) {
        return;
    }
    const rounds m = rounds_in_turns(walk_ns, &w, ROUNDS, 0);
    char fields[128];
    char words[128];
    snprintf(fields, sizeof(fields), "\"ns\": %.2f, \"yardstick_ns\": %.2f", m.ours_ns, m.yard_ns);
    snprintf(words, sizeof(words), "%.0f million visits a second against %.0f (nested loops)",
             1e3 / m.ours_ns, 1e3 / m.yard_ns);
    report_rounds(r, name, &m, 0.33, fields, words);
}

/* Specs of the benchmark's maps, most of them with something wrong. */
static void spoil(tma_spec *specs) {
    uint32_t seed = 7;
    for (unsigned i = 0; i < SPECS; i++) {
        specs[i] = map_case_spec(&map_cases[i % map_case_count], NULL);
        seed = seed * 1664525 + 1013904223;
        switch (seed >> 16 & 7) {
        case 0:
            specs[i].address += 8;
            break;
        case 1:
            specs[i].stride_B[0] += 4;
            specs[i].dim_el[0] = 0;
            break;
        case 2:
            specs[i].box_el[0] = 512;
            break;
        case 3:
            specs[i].swizzle = TMA_SWIZZLE_32B;
            break;
        default:
            break;
        }
    }
}

static double check_ns(void *context, int which, unsigned round) {
    const tma_spec *specs = context;
    static tma_finding findings[FINDINGS];
    tma_map map;
    size_t found = 0;
    const double before = timing_now_ns();
    for (unsigned i = 0; i < CHECKED; i++) {
        const tma_spec *const spec = &specs[(round * CHECKED + i) % SPECS];
        if (which == YARD) {
            found += tma_encode(map.bytes, spec, NULL) != TMA_OK;
        } else {
            found += tma_check(findings, FINDINGS, spec, NULL);
        }
    }
    if (!found) {
        exit(2);
    }
    return (timing_now_ns() - before) / CHECKED;
}

static void bench_check(report *r) {
    static const char name[] = "10,000 specs checked, all findings";
    tma_spec *specs = calloc(SPECS, sizeof(*specs));
    if (!specs || !report_wants(r, name)) {
        free(specs);
        return;
    }
    spoil(specs);
    const rounds m = rounds_in_turns(check_ns, specs, ROUNDS, 0);
    char fields[128];
    char words[128];
    free(specs);
    snprintf(fields, sizeof(fields), "\"ns\": %.1f, \"yardstick_ns\": %.1f", m.ours_ns, m.yard_ns);
    snprintf(words, sizeof(words),
             "%.1f million specs a second against %.1f (tma_encode, up to the first refusal)",
             1e3 / m.ours_ns, 1e3 / m.yard_ns);
    report_rounds(r, name, &m, 0.33, fields, words);
}

void bench_judge(report *r) {
    bench_walk(r);
    bench_check(r);
}
