/* SPDX-License-Identifier: Apache-2.0
 *
 * Which maps have their memory. The ranges of memory that the driver has at a tensor's addresses
 * are gone through: what is mapped piece by piece (cuMemMap) is several.
 */
#include "map_memory.h"

#include <inttypes.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver_errors.h"
#include "real_driver.h"
#include "record.h"
#include "report_map.h"
#include "settings.h"
#include "tma/detail/chars.h"
#include "tma/measure.h"

#define MOST_MAPS   512  /* remembered: the last ones */
#define MOST_RANGES 4096 /* of one tensor; behind them nothing is said */
#define MOST_SAID   8
#define MOST_TRIES  1000 /* for the rows; then nothing is remembered, or said */

enum fate { HAS_MEMORY, HAS_NONE, IS_CUT, WAS_FREED };

struct made_map {
    tma_spec spec;
    tma_target target;
    uint64_t size_B;  /* of the tensor; UINT64_MAX: beyond 64 bits */
    uint64_t start;   /* of the range in which the tensor begins */
    uint64_t there_B; /* bytes of the tensor that the driver had memory for */
    int freed;
};

static struct {
    atomic_int user; /* whose thread is at the rows; 0, and a process before fork(): nobody's */
    struct made_map map[MOST_MAPS];
    uint64_t made;          /* of the user, as all above */
    _Atomic(pid_t) process; /* a child after fork() has no maps and no device */
} all;

int map_memory_is_wanted(void) {
    return settings()->check_kernels || settings()->record;
}

/* Nobody asks the driver in between, so that it is never for long. */
static int begin_use(void) {
    const int self = getpid();
    for (int tries = 0; tries < MOST_TRIES && (!all.process || all.process == self); tries++) {
        int whose = atomic_load(&all.user);
        if (whose != self && atomic_compare_exchange_strong(&all.user, &whose, self)) {
            return 1;
        }
        sched_yield();
    }
    return 0;
}

static void end_use(void) {
    atomic_store(&all.user, 0);
}

/* --- what the driver has --- */

int map_memory_reserved(uint64_t address, uint64_t *start, uint64_t *end) {
    shim_pointer_call *ask = (shim_pointer_call *)real_function(AT_cuPointerGetAttribute);
    shim_address first = 0;
    size_t size_B = 0;
    if (!ask || ask(&first, SHIM_POINTER_RANGE_START, address) ||
        ask(&size_B, SHIM_POINTER_RANGE_SIZE, address)) {
        return 0;
    }
    *start = first;
    *end = first + size_B;
    return first <= address && address - first < size_B;
}

/* The first question is about devices' memory and what is mapped there, and is answered piece by
 * piece (H200, driver 13.0); the second is asked for the host's that devices can reach. */
int map_memory_range(uint64_t address, uint64_t *start, uint64_t *end) {
    shim_range_call *ask = (shim_range_call *)real_function(AT_cuMemGetAddressRange_v2);
    shim_address first = 0;
    size_t size_B = 0;
    if (!ask || ask(&first, &size_B, address)) {
        return map_memory_reserved(address, start, end);
    }
    *start = first;
    *end = first + size_B;
    return first <= address && address - first < size_B;
}

static void ask_memory(struct made_map *m) {
    uint64_t at = m->spec.address;
    uint64_t start = 0;
    uint64_t end = 0;
    int ranges = 0;
    while (m->there_B < m->size_B && map_memory_range(at, &start, &end)) {
        m->start = ranges ? m->start : start;
        m->there_B = end > at ? end - m->spec.address : UINT64_MAX;
        at = end;
        if (++ranges == MOST_RANGES) {
            m->there_B = m->size_B;
        }
    }
}

static enum fate fate_of(const struct made_map *m) {
    return m->freed                 ? WAS_FREED
           : !m->there_B            ? HAS_NONE
           : m->there_B < m->size_B ? IS_CUT
                                    : HAS_MEMORY;
}

/* --- remembering --- */

/* A program that ends with an error may make no call any more that is watched. */
static void look_at_exit(void) {
    shim_stream_call *ask = (shim_stream_call *)real_function(AT_cuStreamQuery);
    if (ask && all.process == getpid()) {
        map_memory_look(ask(NULL));
    }
}

/* The place of a map made before with the same arguments, else that of the oldest. */
static struct made_map *place_of(const tma_spec *spec) {
    const uint64_t count = all.made < MOST_MAPS ? all.made : MOST_MAPS;
    for (uint64_t i = 0; i < count; i++) {
        if (!memcmp(&all.map[i].spec, spec, sizeof(*spec))) {
            return &all.map[i];
        }
    }
    return &all.map[all.made++ % MOST_MAPS];
}

void map_memory_made(const tma_spec *spec, const tma_target *target) {
    tma_measure_result size;
    if (!map_memory_is_wanted() || tma_measure(&size, spec, target) != TMA_OK) {
        return;
    }
    struct made_map made = {.spec = *spec, .target = *target, .size_B = size.tensor_B};
    ask_memory(&made);
    if (!begin_use()) {
        return;
    }
    const int is_first = !all.process;
    all.process = getpid();
    *place_of(spec) = made;
    end_use();
    if (is_first) {
        (void)atexit(look_at_exit); /* before the driver's own end, which it registered earlier */
    }
}

void map_memory_freed(uint64_t address, uint64_t size_B) {
    if (!map_memory_is_wanted() || !address || !begin_use()) {
        return;
    }
    for (uint64_t i = 0; i < all.made && i < MOST_MAPS; i++) {
        struct made_map *m = &all.map[i];
        const uint64_t first = m->spec.address;
        const int begins = m->there_B && address <= m->start && m->start - address < size_B;
        const int inside =
            address < first ? first - address < size_B : address - first < m->there_B;
        m->freed |= m->there_B && (begins || inside);
    }
    end_use();
}

static int may_be_back(const struct made_map *m, uint64_t address, uint64_t size_B) {
    const uint64_t first = m->spec.address;
    return m->freed && (first < address ? address - first < m->size_B : first - address < size_B);
}

/* The next row, from this one on, whose freed map may have its memory again; a copy of the map. */
static uint64_t row_back(struct made_map *to, uint64_t row, uint64_t address, uint64_t size_B) {
    if (!begin_use()) {
        return MOST_MAPS;
    }
    const uint64_t rows = all.made < MOST_MAPS ? all.made : MOST_MAPS;
    while (row < rows && !may_be_back(&all.map[row], address, size_B)) {
        row++;
    }
    *to = all.map[row < rows ? row : 0];
    end_use();
    return row < rows ? row : MOST_MAPS;
}

void map_memory_came(uint64_t address, uint64_t size_B) {
    struct made_map now;
    if (!map_memory_is_wanted()) {
        return;
    }
    for (uint64_t row = 0; (row = row_back(&now, row, address, size_B)) < MOST_MAPS; row++) {
        now.freed = 0;
        now.there_B = 0;
        ask_memory(&now);
        if (fate_of(&now) == HAS_MEMORY && begin_use()) {
            if (!memcmp(&all.map[row].spec, &now.spec, sizeof(now.spec))) {
                all.map[row] = now;
            }
            end_use();
        }
    }
}

/* --- saying --- */

static void say_map(struct report *report, char *line, const struct made_map *m) {
    const uint64_t first = m->spec.address;
    tma_out out = tma_out_into(line, REQUEST_LINE_BYTES);
    request_map(&out, "enc", &m->spec, m->target.sm);
    switch (fate_of(m)) {
    case WAS_FREED:
        report_line(report,
                    "  the memory at 0x%" PRIx64 " was freed after this map was made:", first);
        break;
    case HAS_NONE:
        report_line(report,
                    "  the driver had no memory at 0x%" PRIx64 " when this map was made:", first);
        break;
    default:
        report_line(report,
                    "  the tensor has %" PRIu64 " B from 0x%" PRIx64 " on, the memory there ends "
                    "after %" PRIu64 " B, at 0x%" PRIx64 ":",
                    m->size_B, first, m->there_B, first + m->there_B);
    }
    report_line(report, "  %s", line);
}

static void say(struct report *report, shim_result rc, uint64_t bad) {
    const struct driver_error error = driver_error_of(rc);
    const uint64_t count = all.made < MOST_MAPS ? all.made : MOST_MAPS;
    char *line = report_room(report, REQUEST_LINE_BYTES + 1);
    uint64_t said = 0;
    report_line(report,
                "a kernel ended with error %u (%s), and no check found a broken rule; %" PRIu64
                " of %" PRIu64 " map%s lack%s memory:",
                rc, error.name, bad, count, text_plural(count), bad == 1 ? "s" : "");
    for (uint64_t i = 0; i < count && said < MOST_SAID; i++) {
        const struct made_map *m = &all.map[(all.made - 1 - i) % MOST_MAPS]; /* the last first */
        if (fate_of(m) != HAS_MEMORY) {
            say_map(report, line, m);
            said++;
        }
    }
    if (said < bad) {
        report_line(report, "  and %" PRIu64 " more", bad - said);
    }
}

/* An assertion's own words say what was wrong. */
static int is_kernels_error(shim_result rc) {
    return rc != SHIM_SUCCESS && rc != SHIM_ERROR_ASSERT && driver_error_of(rc).older;
}

void map_memory_look(shim_result rc) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    uint64_t bad = 0;
    if (!map_memory_is_wanted() || settings()->quiet || !is_kernels_error(rc) ||
        record_explains() || atomic_flag_test_and_set(&said) || !begin_use()) {
        return;
    }
    for (uint64_t i = 0; i < all.made && i < MOST_MAPS; i++) {
        bad += fate_of(&all.map[i]) != HAS_MEMORY;
    }
    struct report *report = bad ? report_begin() : NULL;
    if (report) {
        say(report, rc, bad);
        report_end(report);
    }
    end_use();
}
