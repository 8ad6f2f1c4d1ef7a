/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies against memcpy: this library, the reference and the yardstick, side by side in one run.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench_copy.h"
#include "copy_cases.h"
#include "timing.h"

#define ROUNDS         201
#define ROUNDS_LARGE   61
#define ROUNDS_THREADS 15
#define LARGE_B        (UINT64_C(64) << 20)
#define BURST_B        (UINT64_C(2) << 20) /* bytes that one burst moves: short, to be undisturbed */
#define BURST_LARGE_B  (UINT64_C(8) << 20) /* of DRAM tensors */
#define REFERENCE_B    (UINT64_C(1) << 20)
#define WINDOW_B       (UINT64_C(256) << 10)
#define WINDOW_ADDRESS 0x400u
#define MAX_THREADS    64

static uint8_t *pages(uint64_t size_B) {
    void *at = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        perror("mmap");
        exit(2);
    }
    return at;
}

static uint64_t tensor_size_B(const tma_spec *s) {
    const uint32_t last = s->rank - 1;
    return s->stride_B[last - 1] * s->dim_el[last];
}

/* Pixel columns, image after image, with the nine taps in turn. */
static void pixel_positions(copy_bench *b) {
    const tma_spec *s = &b->spec;
    const uint64_t per_image = (s->dim_el[1] - 2) * (s->dim_el[2] - 2) / s->pixels_per_column;
    b->positions = calloc(per_image * s->dim_el[3], sizeof(*b->positions));
    for (uint64_t i = 0; i < per_image * s->dim_el[3]; i++) {
        const uint64_t pixel = i % per_image * s->pixels_per_column;
        tma_position *at = &b->positions[b->count++];
        at->coord[1] = (int32_t)(pixel % (s->dim_el[1] - 1)) - 1;
        at->coord[2] = (int32_t)(pixel / (s->dim_el[1] - 1)) - 1;
        at->coord[3] = (int32_t)(i / per_image);
        at->offset[0] = (uint16_t)(i % 3);
        at->offset[1] = (uint16_t)(i / 3 % 3);
    }
}

/* Rows of one image after the other. */
static void wide_positions(copy_bench *b) {
    const tma_spec *s = &b->spec;
    b->positions = calloc(s->dim_el[2] * s->dim_el[3], sizeof(*b->positions));
    for (uint64_t i = 0; i < s->dim_el[2] * s->dim_el[3]; i++) {
        tma_position *at = &b->positions[b->count++];
        at->coord[2] = (int32_t)(i % s->dim_el[2]);
        at->coord[3] = (int32_t)(i / s->dim_el[2]);
    }
}

#define GATHERED 4096

/* Four rows each, anywhere. */
static void gather_positions(copy_bench *b) {
    const tma_spec *s = &b->spec;
    uint32_t seed = 1;
    b->positions = calloc(GATHERED, sizeof(*b->positions));
    for (uint32_t i = 0; i < GATHERED; i++) {
        tma_position *at = &b->positions[b->count++];
        at->coord[0] = (int32_t)(i % (s->dim_el[0] / s->box_el[0]) * s->box_el[0]);
        for (uint32_t k = 1; k <= 4; k++) {
            seed = seed * 1664525 + 1013904223;
            at->coord[k] = (int32_t)((seed >> 8) % s->dim_el[1]);
        }
    }
}

/* Every tile of the tensor, dimension 0 first; for the half-outside cases the tensor has fewer rows
 * than the box. */
static void tile_positions(copy_bench *b, const tma_measure_result *m) {
    const tma_spec *s = &b->spec;
    b->positions = calloc(m->copies, sizeof(*b->positions));
    for (uint64_t i = 0; i < m->copies; i++) {
        uint64_t rest = i;
        tma_position *at = &b->positions[b->count++];
        for (uint32_t d = 0; d < s->rank; d++) {
            const int slice = s->interleave && d + 2 == s->rank;
            at->coord[d] = (int32_t)(rest % m->count[d] * (slice ? 1 : s->box_el[d]));
            rest /= m->count[d];
        }
    }
}

static void make_positions(copy_bench *b) {
    tma_measure_result m;
    const tma_target blackwell = {.sm = 100, .suffix = 'a', .driver = 13000};
    if (tma_measure(&m, &b->spec, &blackwell) != TMA_OK) {
        fprintf(stderr, "bench: %s: the map is refused\n", b->name);
        exit(2);
    }
    b->copy_B = b->mode == TMA_MODE_GATHER4 ? 4 * m.copy_B : m.copy_B;
    b->count = 0;
    if (b->mode == TMA_MODE_IM2COL) {
        pixel_positions(b);
    } else if (b->mode == TMA_MODE_IM2COL_W) {
        wide_positions(b);
    } else if (b->mode == TMA_MODE_GATHER4) {
        gather_positions(b);
    } else {
        tile_positions(b, &m);
    }
    for (size_t i = 0; i < b->count; i++) {
        b->positions[i].shared_address = WINDOW_ADDRESS;
    }
}

/* The tensor's memory: one range, or its pages. */
static void make_ranges(copy_bench *b) {
    const uint64_t each_B = b->page_B ? b->page_B : b->tensor_B;
    b->range_count = (size_t)((b->tensor_B + each_B - 1) / each_B);
    b->ranges = calloc(b->range_count, sizeof(*b->ranges));
    b->pages = calloc(b->range_count, sizeof(*b->pages));
    for (size_t i = 0; i < b->range_count; i++) {
        b->pages[i] = b->tensor + i * each_B;
        b->ranges[i].address = b->spec.address + i * each_B;
        b->ranges[i].size_B = each_B;
        b->ranges[i].host = b->pages[i];
    }
}

enum { REFERENCE = YARD + 1 };

typedef struct turn {
    const copy_bench *b;
    const tma_plan *plan;
    int how;
    size_t first;
    size_t count;
} turn;

/* `count` copies from position `first` on, around the end. */
static void run(const turn *t) {
    const copy_bench *b = t->b;
    const tma_window window = {
        .address = WINDOW_ADDRESS, .size_B = (uint32_t)WINDOW_B, .host = b->window};
    const tma_global global = {.ranges = b->ranges, .count = b->range_count};
    tma_finding why;
    for (size_t i = 0; i < t->count; i++) {
        const tma_position *at = &b->positions[(t->first + i) % b->count];
        tma_status status = TMA_OK;
        if (t->how == YARD) {
            b->yard(b, at);
        } else if (t->how == OURS) {
            status = tma_copy(t->plan, at, &global, &window, &why);
        } else {
            status = tma_copy_reference(t->plan, at, &global, &window, &why);
        }
        if (status != TMA_OK) {
            char text[512];
            tma_finding_text(text, sizeof(text), &why);
            fprintf(stderr, "bench: %s: %s\n", b->name, text);
            exit(2);
        }
    }
}

typedef struct worker {
    pthread_t thread;
    turn turn;
    copy_bench bench;
} worker;

static void *work(void *context) {
    worker *w = context;
    const copy_bench *b = &w->bench;
    if (w->turn.how == OURS) { /* the batch call, for a stretch of positions without the end */
        const tma_window window = {
            .address = WINDOW_ADDRESS, .size_B = (uint32_t)WINDOW_B, .host = b->window};
        const tma_global global = {.ranges = b->ranges, .count = b->range_count};
        if (tma_copy_many(w->turn.plan, b->positions + w->turn.first, w->turn.count, &global,
                          &window, NULL, NULL) != TMA_OK) {
            exit(2);
        }
    } else {
        run(&w->turn);
    }
    return NULL;
}

static void run_on_all_cores(const turn *t) {
    static worker workers[MAX_THREADS];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t n = cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (size_t)cores;
    for (size_t i = 0; i < n; i++) {
        worker *w = &workers[i];
        if (!w->bench.window) {
            w->bench.window = pages(WINDOW_B);
        }
        uint8_t *window = w->bench.window;
        w->bench = *t->b;
        w->bench.window = w->bench.packed = window;
        w->turn = *t;
        w->turn.b = &w->bench;
        w->turn.first = t->count * i / n;
        w->turn.count = t->count * (i + 1) / n - w->turn.first;
        pthread_create(&w->thread, NULL, work, w);
    }
    for (size_t i = 0; i < n; i++) {
        pthread_join(workers[i].thread, NULL);
    }
}

/* One burst, from its own stretch of the positions; a tensor that stays in the cache is brought
 * there first, whoever ran before. */
static double timed(void *context, int which, unsigned round) {
    turn *t = context;
    t->how = which;
    t->first = t->b->threads ? 0 : (round * t->count) % t->b->count;
    if (t->b->tensor_B <= LARGE_B) {
        const size_t count = t->count;
        t->count = t->b->count < count / 2 ? t->b->count : count / 2;
        run(t);
        t->count = count;
    }
    const double before = timing_now_ns();
    if (t->b->threads) {
        run_on_all_cores(t);
    } else {
        run(t);
    }
    return (timing_now_ns() - before) / (double)t->count;
}

static void set_up(copy_bench *b, uint8_t *tensor, uint8_t *packed, uint8_t *window) {
    b->tensor = tensor;
    b->tensor_B = tensor_size_B(&b->spec);
    b->packed = packed;
    b->window = window;
    b->spec.address = (uint64_t)(uintptr_t)tensor;
    make_positions(b);
    make_ranges(b);
}

static void write_row(report *r, const copy_bench *b, const rounds *m, double reference_ns,
                      const char *path) {
    char fields[512];
    char words[256];
    snprintf(fields, sizeof(fields),
             "\"ns\": %.1f, \"yardstick\": \"%s\", \"yardstick_ns\": %.1f, "
             "\"reference_ns\": %.1f, \"copy_B\": %llu, \"path\": \"%s\"",
             m->ours_ns, b->yard_name, m->yard_ns, reference_ns, (unsigned long long)b->copy_B,
             path);
    snprintf(words, sizeof(words), "%.2f GB/s against %.2f (%s); reference %.2f; %s",
             (double)b->copy_B / m->ours_ns, (double)b->copy_B / m->yard_ns, b->yard_name,
             (double)b->copy_B / reference_ns, path);
    report_rounds(r, b->name, m, b->target, fields, words);
}

static void measure(report *r, copy_bench *b) {
    const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
    const tma_instruction in = {.op = b->op, .mode = b->mode, .cluster = 1};
    tma_map map;
    tma_plan plan;
    if (tma_encode(map.bytes, &b->spec, &target) != TMA_OK ||
        tma_plan_make(&plan, map.bytes, &in, &target, NULL) != TMA_OK ||
        (r->path && tma_plan_set_path(&plan, r->path) != TMA_OK)) {
        fprintf(stderr, "bench: %s: no plan\n", b->name);
        exit(2);
    }
    const int large = b->tensor_B > LARGE_B;
    const uint64_t burst_B = b->threads ? b->tensor_B : large ? BURST_LARGE_B : BURST_B;
    turn t = {b, &plan, OURS, 0, (size_t)(burst_B / b->copy_B)};
    const unsigned wanted = b->threads ? ROUNDS_THREADS : large ? ROUNDS_LARGE : ROUNDS;
    const rounds m = rounds_in_turns(timed, &t, wanted, b->threads);
    t.how = REFERENCE;
    t.first = 0;
    t.count = (size_t)(REFERENCE_B / b->copy_B) + 1;
    const double before = timing_now_ns();
    run(&t);
    write_row(r, b, &m, (timing_now_ns() - before) / (double)t.count,
              tma_path_name(tma_plan_info(&plan)->path));
}

void bench_copies(report *r) {
    yard_loops_for(r->path);
    size_t count = 0;
    copy_bench *cases = copy_cases(&count);
    const uint64_t largest_B = (UINT64_C(512) << 20) + (UINT64_C(2) << 20);
    uint8_t *tensor = pages(largest_B);
    uint8_t *packed = pages(WINDOW_B);
    uint8_t *window = pages(WINDOW_B);
    for (uint64_t i = 0; i < largest_B; i += 2) { /* ones in every 16-bit type, no NaN */
        tensor[i] = 0;
        tensor[i + 1] = 0x3C;
    }
    memset(window, 0x3C, WINDOW_B);
    memset(packed, 0x3C, WINDOW_B);
    for (size_t i = 0; i < count; i++) {
        if (report_wants(r, cases[i].name)) {
            set_up(&cases[i], tensor, packed, window);
            measure(r, &cases[i]);
            free(cases[i].positions);
            free(cases[i].ranges);
            free(cases[i].pages);
        }
    }
    munmap(tensor, largest_B);
    munmap(packed, WINDOW_B);
    munmap(window, WINDOW_B);
}
