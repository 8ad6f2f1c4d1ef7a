/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads of clusters, run in one launch; the windows of all CTAs are compared with
 * tma_copy_multicast() or tma_copy(), and each CTA's barrier.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "case_lines.h"
#include "cluster_copies.h"
#include "cluster_pass.h"
#include "worker.h"

#define CTAS DEVICE_CLUSTER_CTAS

struct cluster_batch {
    const struct session *session;
    unsigned kind;
    size_t count;
    struct copy_case cases[MOST_NUMBERS];
    struct device_cluster_copy copies[MOST_NUMBERS];
    struct device_copy plain[MOST_NUMBERS];
    tma_map maps[MOST_NUMBERS];
    struct device_room room;
};

static uint8_t *allocated(size_t size_B) {
    uint8_t *bytes = calloc(1, size_B + 1);
    if (!bytes) {
        fprintf(stderr, "tma-conformance: no memory for %zu bytes\n", size_B);
        exit(3);
    }
    return bytes;
}

/* Slices and windows one behind the other. */
static const char *place(struct cluster_batch *b) {
    uint64_t global_B = 0;
    uint64_t windows_B = 0;
    for (size_t k = 0; k < b->count; k++) {
        const struct session *s = b->session;
        copy_case_make(&b->cases[k], s->seed, s->numbers[k], &s->device.target);
        b->copies[k] = cluster_on_device(&b->cases[k], b->kind);
        b->copies[k].copy.global_at = global_B;
        b->copies[k].copy.window_at = windows_B;
        global_B += (b->cases[k].global_B + 255u) / 256u * 256u;
        windows_B += (uint64_t)CTAS * b->cases[k].window_B;
    }
    return device_reserve(global_B, windows_B, b->count * CTAS, &b->room);
}

static tma_status plan_of(const struct cluster_batch *b, size_t k, tma_plan *plan,
                          tma_finding *why) {
    const tma_instruction in = cluster_instruction(&b->cases[k], b->kind);
    return tma_plan_make(plan, b->maps[k].bytes, &in, &b->session->device.target, why);
}

/* Maps at their addresses, and what the barriers expect. */
static tma_status prepare(struct cluster_batch *b) {
    for (size_t k = 0; k < b->count; k++) {
        tma_spec spec = b->cases[k].spec;
        tma_plan plan;
        spec.address += b->room.global_address + b->copies[k].copy.global_at;
        tma_status status = tma_encode(b->maps[k].bytes, &spec, &b->session->device.target);
        status = status == TMA_OK ? plan_of(b, k, &plan, NULL) : status;
        if (status != TMA_OK) {
            return status;
        }
        cluster_expect(&b->copies[k], &plan, b->cases[k].expect_B);
        b->plain[k] = b->copies[k].copy;
    }
    return TMA_OK;
}

/* libtma's windows of case k, one behind the other. */
static tma_status run_ours(const struct cluster_batch *b, size_t k, uint8_t *windows,
                           tma_finding *why) {
    const struct copy_case *c = &b->cases[k];
    const struct device_cluster_copy *copy = &b->copies[k];
    const uint32_t base = b->room.copied[k * CTAS].window_address;
    uint8_t *global = allocated(c->global_B);
    tma_window each[CTAS] = {{0}};
    tma_position at = c->at;
    tma_plan plan;
    for (uint32_t cta = 0; cta < CTAS; cta++) {
        each[cta].address = base;
        each[cta].size_B = c->window_B;
        each[cta].host = windows + (size_t)cta * c->window_B;
        case_fill_memory(c, &(struct memory){global, each[cta].host});
    }
    at.shared_address += base;
    const tma_range range = {.address = b->room.global_address + copy->copy.global_at,
                             .size_B = c->global_B,
                             .host = global};
    const tma_global all = {.ranges = &range, .count = 1};
    tma_status status = plan_of(b, k, &plan, why);
    if (status == TMA_OK) {
        status = copy->cta_mask ? tma_copy_multicast(&plan, &at, &all, each, CTAS, why)
                                : tma_copy(&plan, &at, &all, &each[copy->issuer], why);
    }
    free(global);
    return status;
}

static void report(const struct cluster_batch *b, size_t k, const char *what, uint32_t cta) {
    const struct device_cluster_copy *c = &b->copies[k];
    printf("case %" PRIu64 ", %s, mask 0x%" PRIx32 ", issued by CTA %" PRIu32
           ", barrier of CTA %" PRIu32 ": CTA %" PRIu32 ": %s\n",
           b->session->numbers[k], cluster_kind_name(b->kind), c->cta_mask, c->issuer,
           c->barrier_cta, cta, what);
    print_case(stdout, "hw", &b->cases[k].spec, &b->session->device.target);
    print_copy_request(stdout, &b->cases[k], &b->session->device.target);
    putchar('\n');
}

static int compare(const struct cluster_batch *b, size_t k) {
    const struct copy_case *c = &b->cases[k];
    const uint8_t *theirs = b->room.windows + b->copies[k].copy.window_at;
    uint8_t *ours = allocated((size_t)CTAS * c->window_B);
    tma_finding why = {0};
    const tma_status status = run_ours(b, k, ours, &why);
    int same = status == TMA_OK;
    if (!same) {
        report(b, k, tma_status_name(status), b->copies[k].issuer);
    }
    for (uint32_t cta = 0; cta < CTAS && same; cta++) {
        const struct device_copied *copied = &b->room.copied[k * CTAS + cta];
        const size_t at = (size_t)cta * c->window_B;
        const char *wrong = !copied->completed ? "its barrier did not complete"
                            : !copied->exact   ? "its barrier got more bytes than expected"
                            : memcmp(theirs + at, ours + at, c->window_B) != 0
                                ? "its shared window differs"
                                : NULL;
        if (wrong) {
            report(b, k, wrong, cta);
            print_byte_differences(stdout, "shared window", theirs + at, ours + at, c->window_B);
            same = 0;
        }
    }
    free(ours);
    return same;
}

int cluster_worker(const struct session *s) {
    static struct cluster_batch b;
    struct tally tally = {0, 0};
    b.session = s;
    b.kind = (unsigned)s->first;
    b.count = s->number_count;
    const char *error = b.kind < CLUSTER_KINDS ? place(&b) : "an unknown kind";
    if (error || prepare(&b) != TMA_OK) {
        fprintf(stderr, "tma-conformance: loads of a cluster: %s\n", error ? error : "no plan");
        return 3;
    }
    error = device_run_clusters(b.copies, b.plain, b.maps, b.count);
    if (error) {
        printf("#killed %s\n", error);
        return WORKER_KILLED;
    }
    for (size_t k = 0; k < b.count; k++) {
        const int same = compare(&b, k);
        tally.passed += same != 0;
        tally.failed += !same;
    }
    printf("#cluster %" PRIu64 " %" PRIu64 "\n", tally.passed, tally.failed);
    return 0;
}
