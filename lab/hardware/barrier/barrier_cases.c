/* SPDX-License-Identifier: Apache-2.0
 *
 * Random operations on mbarriers: counts and bytes of any size, and often those that complete the
 * phase or come next to a limit.
 */
#include "barrier_cases.h"

#include "support/gen/random.h"

#define MOST_COUNT ((1u << 20) - 1)
#define LIMIT_B    (1 << 20)

static const char *const names[] = {"mbarrier.init", "cp.async.bulk",
                                    "cp.async.mbarrier.arrive.noinc"};

const char *barrier_step_name(uint32_t operation) {
    return operation < TMA_BARRIER_OPERATIONS ? tma_barrier_operation_name(operation)
                                              : names[operation - TMA_BARRIER_OPERATIONS];
}

uint32_t barrier_step_count(uint64_t number) {
    return 1 + (uint32_t)(number * 7 % BARRIER_MOST_STEPS);
}

tma_barrier_death barrier_do(tma_barrier *barrier, const struct device_barrier_step *step) {
    switch (step->operation) {
    case DEVICE_BARRIER_INIT:
        if (!tma_barrier_init(barrier, step->count)) {
            *barrier = (tma_barrier){.zero = 1};
        }
        return TMA_BARRIER_LIVES;
    case DEVICE_BARRIER_COPY:
        return tma_barrier_apply(barrier, TMA_BARRIER_COMPLETE, 0, step->bytes_B);
    case DEVICE_BARRIER_ASYNC_NOINC:
        return tma_barrier_apply(barrier, TMA_BARRIER_ARRIVE, 1, 0);
    default:
        return tma_barrier_apply(barrier, (tma_barrier_operation)step->operation, step->count,
                                 step->bytes_B);
    }
}

static uint32_t drawn_count(struct random_source *r, const tma_barrier *b) {
    const uint32_t missing = b->arrivals_missing;
    const uint32_t any = (uint32_t)random_length(r, 20);
    switch (random_below(r, 8)) {
    case 0:
    case 1:
    case 2:
        return missing ? missing : 1;
    case 3:
        return any ? any : 1;
    default:
        return missing ? random_in(r, 1, missing) : 1;
    }
}

/* Bytes to expect, or that come: often those that leave none missing, or as many as can be. */
static uint32_t drawn_bytes(struct random_source *r, const tma_barrier *b, int comes) {
    const int64_t missing = b->bytes_missing_B;
    int64_t bytes = (int64_t)random_length(r, 20);
    switch (random_below(r, 8)) {
    case 0:
    case 1:
    case 2:
        bytes = comes ? missing : -missing;
        break;
    case 3:
        bytes = comes ? LIMIT_B - 1 + missing : LIMIT_B - missing;
        break;
    default:
        break;
    }
    return bytes > 0 && bytes < LIMIT_B ? (uint32_t)bytes : random_in(r, 0, LIMIT_B - 1);
}

static int expects(uint32_t operation) {
    return operation == TMA_BARRIER_EXPECT || operation == TMA_BARRIER_ARRIVE_EXPECT ||
           operation == TMA_BARRIER_ARRIVE_DROP_EXPECT;
}

static struct device_barrier_step init(struct random_source *r) {
    const uint32_t count =
        random_one_in(r, 2) ? random_in(r, 1, 5) : (uint32_t)random_length(r, 20);
    return (struct device_barrier_step){DEVICE_BARRIER_INIT, count ? count : MOST_COUNT, 0};
}

static struct device_barrier_step drawn(struct random_source *r, const tma_barrier *b) {
    struct device_barrier_step s = {(uint32_t)random_below(r, DEVICE_BARRIER_OPERATIONS), 0, 0};
    if (s.operation == DEVICE_BARRIER_INIT) {
        return random_one_in(r, 4) ? init(r)
                                   : (struct device_barrier_step){TMA_BARRIER_ARRIVE, 1, 0};
    }
    if (s.operation == DEVICE_BARRIER_COPY) {
        s.bytes_B = random_in(r, 1, DEVICE_BARRIER_COPY_B / 16) * 16;
    } else if (s.operation == TMA_BARRIER_COMPLETE) {
        s.bytes_B = drawn_bytes(r, b, 1);
    } else if (s.operation < TMA_BARRIER_OPERATIONS) {
        s.bytes_B = expects(s.operation) ? drawn_bytes(r, b, 0) : 0;
        s.count = s.operation == TMA_BARRIER_EXPECT ? 0
                  : expects(s.operation)            ? 1
                                                    : drawn_count(r, b);
    }
    return s;
}

static struct random_source source_of(uint64_t seed, uint64_t number) {
    struct random_source r = {seed * UINT64_C(0x9E3779B97F4A7C15) + number};
    random_u64(&r);
    return r;
}

/* A copy's bytes come in pieces. Where no arrival is missing and fewer bytes than it brings, the
 * phase is complete between two pieces or not: nothing tells. */
static int may_go_both_ways(const tma_barrier *b, const struct device_barrier_step *s) {
    return s->operation == DEVICE_BARRIER_COPY && b->arrivals_missing == 0 &&
           b->bytes_missing_B > 0 && (uint32_t)b->bytes_missing_B < s->bytes_B;
}

void barrier_steps(uint64_t seed, uint64_t number, uint32_t without,
                   struct device_barrier_step *steps) {
    struct random_source r = source_of(seed, number);
    tma_barrier b = {0};
    const uint32_t count = barrier_step_count(number);
    steps[0] = init(&r);
    (void)barrier_do(&b, &steps[0]);
    for (uint32_t i = 1; i < count;) {
        tma_barrier next = b;
        steps[i] = drawn(&r, &b);
        if (!(without >> steps[i].operation & 1) && !may_go_both_ways(&b, &steps[i]) &&
            barrier_do(&next, &steps[i]) == TMA_BARRIER_LIVES &&
            (next.count || !(without >> DEVICE_BARRIER_OPERATIONS & 1))) {
            b = next;
            i++;
        }
    }
}

/* The reasons take turns; a step that dies of another is left out. From some barriers no step of
 * the wanted reason leads on: then all begins again. */
uint32_t barrier_deadly_steps(uint64_t seed, uint64_t number, struct device_barrier_step *steps,
                              tma_barrier_death *death) {
    struct random_source r = source_of(~seed, number);
    const tma_barrier_death wanted = (tma_barrier_death)(1 + number % (TMA_BARRIER_DEATHS - 1));
    tma_barrier b = {0};
    uint32_t count = 0;
    for (;;) {
        tma_barrier next = b;
        steps[count] = count ? drawn(&r, &b) : init(&r);
        *death = barrier_do(&next, &steps[count]);
        if (*death == wanted) {
            return count + 1;
        }
        if (*death == TMA_BARRIER_LIVES && !may_go_both_ways(&b, &steps[count])) {
            b = next;
            count = (count + 1) % BARRIER_MOST_STEPS;
        }
    }
}
