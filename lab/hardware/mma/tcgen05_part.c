/* SPDX-License-Identifier: Apache-2.0
 *
 * Random products of tcgen05.mma on a GPU and by libtma's emulator: each word that is kept of D.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answers_file.h"
#include "parallel.h"
#include "parts.h"
#include "tensor_forms.h"

#define USUAL_COUNT  1000 /* launches */
#define MOST_AT_ONCE 32

typedef struct launch {
    tensor_case c;
    char text[TENSOR_TEXT_B];
    tensor_output ours, theirs;
    char why[256]; /* the emulator does not execute it; "" */
} launch;

typedef struct batch {
    const struct session *session;
    uint64_t first;
    size_t forms;
    launch *of;
} batch;

static void emulate(void *context, uint64_t first, uint64_t count) {
    const batch *b = context;
    for (uint64_t i = first; i < first + count; i++) {
        const uint64_t number = b->first + i;
        launch *l = &b->of[i];
        tensor_form form;
        (void)tensor_form_at(&form, &b->session->device.target, number % b->forms);
        tensor_case_draw(&l->c, &form, &b->session->device.target,
                         tma_scramble(b->session->seed * UINT64_C(0x9E3779B97F4A7C15) + number));
        tensor_kernel(l->text, &l->c, &b->session->device.target);
        const char *why = tensor_emulate(&l->c, l->text, l->ours);
        (void)snprintf(l->why, sizeof(l->why), "%.255s", why ? why : "");
    }
}

static void print_job(FILE *out, const char *before, uint64_t number, const launch *l, uint32_t i) {
    const tensor_job *job = &l->c.input.job[i];
    char words[80];
    tensor_form_words(words, sizeof(words), &l->c.form);
    fprintf(out,
            "%slaunch %" PRIu64 ", product %u: tcgen05.mma.%s, A %s in %s memory, B %s, idesc "
            "0x%08x, descriptors 0x%016" PRIx64 " 0x%016" PRIx64 ", D from lane %u, %s, scaled by "
            "2^-%u",
            before, number, (unsigned)i, words, tma_mma_type_at(l->c.a_type)->name,
            l->c.form.from_tensor ? "tensor" : "shared", tma_mma_type_at(l->c.b_type)->name,
            (unsigned)job->idesc, job->a, job->b, (unsigned)job->lane,
            job->adds ? "added to" : "replaced", (unsigned)l->c.scale_d);
}

/* The first word of a job that differs, counted from the first CTA's lane 0 on; or -1. */
static int32_t first_difference(const launch *l, uint32_t job) {
    const uint32_t words = 128 * TENSOR_CELLS * TENSOR_CTAS;
    const uint32_t *ours = l->ours[(size_t)job * TENSOR_CTAS][0],
                   *theirs = l->theirs[(size_t)job * TENSOR_CTAS][0];
    for (uint32_t i = 0; i < words; i++) {
        if (ours[i] != theirs[i]) {
            return (int32_t)i;
        }
    }
    return -1;
}

static void print_word(FILE *out, const launch *l, uint32_t job, uint32_t word) {
    const uint32_t *ours = l->ours[(size_t)job * TENSOR_CTAS][0],
                   *theirs = l->theirs[(size_t)job * TENSOR_CTAS][0];
    fprintf(out, ": CTA %u, lane %u, column %u is 0x%08x, libtma 0x%08x",
            (unsigned)(word / TENSOR_CELLS / 128), (unsigned)(word / TENSOR_CELLS % 128),
            (unsigned)(l->c.input.job[job].column + word % TENSOR_CELLS), (unsigned)theirs[word],
            (unsigned)ours[word]);
}

static void compare(const struct session *s, uint64_t number, const launch *l,
                    struct tally *tally) {
    for (uint32_t i = 0; i < TENSOR_JOBS; i++) {
        const int32_t at = first_difference(l, i);
        if (at >= 0 && tally->failed < MOST_REPORTS) {
            print_job(stdout, "", number, l, i);
            print_word(stdout, l, i, (uint32_t)at);
            printf("; --part tcgen05 --seed %" PRIu64 " --first %" PRIu64 " --count 1\n", s->seed,
                   number);
        }
        if (vector_is_wanted(s, number * TENSOR_JOBS + i, at >= 0)) {
            print_job(s->vectors, "# tcgen05 ", number, l, i);
            if (at >= 0) {
                print_word(s->vectors, l, i, (uint32_t)at);
            }
            fputs(at >= 0 ? "\n" : ": agrees\n", s->vectors);
        }
        tally->passed += at < 0;
        tally->failed += at >= 0;
    }
}

/* 0; or -1: the GPU is lost. */
static int ask(const struct session *s, uint64_t number, launch *l, struct tally *tally) {
    const struct device_text text = {.text = l->text,
                                     .in = &l->c.input,
                                     .in_B = sizeof(l->c.input),
                                     .out = l->theirs,
                                     .out_B = sizeof(l->theirs),
                                     .grid = TENSOR_JOBS * (unsigned)l->c.form.ctas};
    const char *error = NULL;
    if (l->why[0]) {
        print_job(stdout, "", number, l, 0);
        printf(": libtma does not execute it: %s\n", l->why);
        tally->failed += TENSOR_JOBS;
        return 0;
    }
    error = device_run_text(&text);
    if (error) {
        print_job(stdout, "", number, l, 0);
        printf(", or another of its products: %s\n", error);
        if (s->vectors) {
            print_job(s->vectors, "# tcgen05 ", number, l, 0);
            fprintf(s->vectors, ", or another of its products: %s\n", error);
        }
        tally->failed += TENSOR_JOBS;
        return -1;
    }
    compare(s, number, l, tally);
    return 0;
}

struct tally tcgen05_part(const struct session *session) {
    const uint64_t count = session->count ? session->count : USUAL_COUNT;
    const struct session s = session_sampling(session, count * TENSOR_JOBS);
    struct tally tally = {0, 0};
    tensor_form form;
    batch b = {.session = &s};
    if (s.device.target.sm < 100 || s.device.target.sm >= 120) {
        printf("tcgen05: chips from sm_100 to sm_110 have the instruction\n");
        return (struct tally){0, 1};
    }
    b.of = malloc(MOST_AT_ONCE * sizeof(*b.of));
    if (!b.of) {
        fprintf(stderr, "tma-conformance: no memory for %u launches\n", (unsigned)MOST_AT_ONCE);
        exit(3);
    }
    while (tensor_form_at(&form, &s.device.target, b.forms)) {
        b.forms++;
    }
    int is_lost = 0;
    for (uint64_t done = 0; done < count && !is_lost; done += MOST_AT_ONCE) {
        const uint64_t at_once = count - done < MOST_AT_ONCE ? count - done : MOST_AT_ONCE;
        b.first = s.first + done;
        parallel_for(s.threads, 0, at_once, 1, emulate, &b);
        for (uint64_t i = 0; i < at_once && !is_lost; i++) {
            is_lost = ask(&s, b.first + i, &b.of[i], &tally);
        }
    }
    free(b.of);
    printf("tcgen05: %zu forms, %u products a launch, %u words of D of each\n", b.forms,
           (unsigned)TENSOR_JOBS, (unsigned)(128 * TENSOR_CELLS));
    return tally;
}
