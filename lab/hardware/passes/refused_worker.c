/* SPDX-License-Identifier: Apache-2.0
 *
 * One copy that libtma refuses, on the GPU: killed, or what it left.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tma/case.h>
#include <tma/pattern.h>

#include "case_lines.h"
#include "case_on_device.h"
#include "refused_cases.h"
#include "refused_pass.h"
#include "worker.h"

#define RAW_B 4096u /* more bytes are a hash alone */

struct asked {
    const struct session *session;
    unsigned feature;
    struct copy_case copy;
    tma_map map;
    const char *rule; /* by which libtma refuses it */
    struct device_copy on_device;
    struct device_room room;
};

/* The line, up to the answer. */
static void print_request(FILE *out, const struct asked *a, int raw) {
    print_case(out, "refused", &a->copy.spec, &a->session->device.target);
    print_copy_request(out, &a->copy, &a->session->device.target);
    fprintf(out, "%s rc=0 refused=%s", raw ? " raw=1" : "", a->rule);
}

static void write_killed(const struct asked *a, const char *error) {
    if (a->session->vectors) {
        print_request(a->session->vectors, a, 0);
        fprintf(a->session->vectors, " st=trap:%s\n", error);
    }
}

static void write_ran(const struct asked *a) {
    FILE *out = a->session->vectors;
    const struct copy_case *c = &a->copy;
    const int load = c->in.op == TMA_OP_LOAD;
    const uint8_t *bytes = load ? a->room.windows : a->room.global;
    const uint32_t size_B = load ? c->window_B : c->global_B;
    if (!out) {
        return;
    }
    print_request(out, a, size_B <= RAW_B);
    fprintf(out, " st=%" PRIu32 " n=%" PRIu32 " hash=%016" PRIx64, a->room.copied->completed,
            size_B, tma_hash(bytes, size_B));
    if (size_B <= RAW_B) {
        print_bytes(out, "raw", bytes, size_B);
    }
    fputc('\n', out);
}

static uint8_t *allocated(uint32_t size_B) {
    uint8_t *bytes = calloc(1, size_B + 1u);
    if (!bytes) {
        fprintf(stderr, "tma-conformance: no memory for %" PRIu32 " bytes\n", size_B);
        exit(3);
    }
    return bytes;
}

/* Whether it left what libtma's copy leaves by the target that runs it. */
static int ran_as_known(const struct asked *a) {
    const char *by = "";
    const tma_target other = refused_run_by(a->feature, &a->session->device.target, &by);
    const struct copy_case *c = &a->copy;
    tma_map map;
    tma_plan plan;
    tma_position at = c->at;
    if (!*by || refused_judge(&map, &plan, c, a->room.global_address, &other, NULL) != TMA_OK) {
        return 0;
    }
    uint8_t *global = allocated(c->global_B);
    uint8_t *window = allocated(c->window_B);
    case_fill_memory(c, &(struct memory){global, window});
    const tma_range range = {
        .address = a->room.global_address, .size_B = c->global_B, .host = global};
    const tma_global ranges = {.ranges = &range, .count = 1};
    const tma_window shared = {
        .address = a->room.copied->window_address, .size_B = c->window_B, .host = window};
    at.shared_address += a->room.copied->window_address;
    const int same = tma_copy_reference(&plan, &at, &ranges, &shared, NULL) == TMA_OK &&
                     memcmp(global, a->room.global, c->global_B) == 0 &&
                     memcmp(window, a->room.windows, c->window_B) == 0;
    free(global);
    free(window);
    return same;
}

int refused_worker(const struct session *s) {
    struct asked a = {.session = s, .feature = (unsigned)s->count, .rule = "none"};
    tma_finding why;
    tma_plan plan;
    copy_case_make(&a.copy, s->seed, s->first, &s->device.target);
    if (a.feature >= REFUSED_FEATURES ||
        !refused_case_edit(&a.copy, a.feature, &s->device.target)) {
        return 2;
    }
    const char *error = device_reserve(a.copy.global_B, a.copy.window_B, 1, &a.room);
    if (error) {
        fprintf(stderr, "tma-conformance: no room on the GPU: %s\n", error);
        return 3;
    }
    if (refused_judge(&a.map, &plan, &a.copy, a.room.global_address, &s->device.target, &why) !=
        TMA_OK) {
        a.rule = tma_rule_of(why.rule)->name;
    }
    a.on_device = case_on_device(&a.copy);
    error = device_run_copies(&a.on_device, &a.map, 1);
    if (error) {
        write_killed(&a, error);
        printf("#killed %s %s\n", a.rule, error);
        return WORKER_KILLED;
    }
    write_ran(&a);
    printf("#ran %s %d\n", a.rule, ran_as_known(&a));
    return 0;
}
