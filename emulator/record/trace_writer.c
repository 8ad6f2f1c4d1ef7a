/* SPDX-License-Identifier: Apache-2.0
 *
 * Who wrote last to an address: the last pass once more, watched.
 */
#include "launch.h"
#include "trace.h"

/* A copy that will write there once it completes. */
typedef struct pending {
    uint64_t copy;
    struct pending *next;
} pending;

typedef struct search {
    ptx_memory *memory;
    uint64_t address, size_B;
    pending *pending;
    tma_emulate_event last; /* kind 0: none yet */
    uint64_t counted;       /* in a second run: so often its warp has executed its line */
    uint64_t events, last_event;
} search;

static int covers(const search *x, const tma_emulate_event *e) {
    return e->kind == TMA_EMULATE_ACCESS && e->writes && e->space[0] == 'g' &&
           e->address < x->address + x->size_B && x->address < e->address + e->size_B;
}

static void found(search *x, const tma_emulate_event *e) {
    x->last = *e;
    x->last_event = x->events;
}

static void watch_writes(void *context, const tma_emulate_event *e) {
    search *x = context;
    x->events++;
    if (covers(x, e) && !e->copy) {
        found(x, e);
    } else if (covers(x, e)) {
        pending *p = ptx_memory_take(x->memory, 1, sizeof(*p));
        if (p) {
            *p = (pending){e->copy, x->pending};
            x->pending = p;
        }
    } else if (e->kind == TMA_EMULATE_COPY && e->stage == 2) {
        for (const pending *p = x->pending; p; p = p->next) {
            if (p->copy == e->copy) {
                found(x, e);
                return;
            }
        }
    }
}

/* In a second run: the executions of the line by the warp, up to the write. A copy completes behind
 * its issue, and may do so behind others of its line: the number of its issue is its iteration. */
static void watch_count(void *context, const tma_emulate_event *e) {
    search *x = context;
    const tma_emulate_event *last = &x->last;
    x->events++;
    const int is_late = last->copy ? e->copy > last->copy : x->events > x->last_event;
    const uint32_t kind = last->copy ? TMA_EMULATE_COPY : TMA_EMULATE_ACCESS;
    if (is_late || e->kind != kind || e->line != last->line || e->cta != last->cta ||
        e->warp != last->warp || e->mask != last->mask) {
        return;
    }
    x->counted += last->copy ? e->stage == 0 : 1;
}

static int run(session *s, search *x, void (*watch)(void *, const tma_emulate_event *),
               tma_error *error) {
    s->launch.watches = TMA_EMULATE_ACCESS | TMA_EMULATE_COPY;
    s->launch.watch = watch;
    s->launch.watch_context = x;
    x->events = 0;
    const int failed = session_pass(s, s->launch.schedule, s->launch.seed, error);
    s->launch.watches = 0;
    return failed;
}

static uint32_t instruction_at(const session *s, uint32_t line) {
    const emu_program *p = emu_program_of(s->emulator);
    for (uint32_t i = 0; i < p->instructions; i++) {
        if (p->code[i].row < p->rows.rows && p->rows.row[p->code[i].row].piece.line == line) {
            return i;
        }
    }
    return UINT32_MAX;
}

int trace_last_writer(session *s, uint64_t address, uint64_t size_B, tma_emulate_access *writer,
                      int *is_found, tma_error *error) {
    search x = {.memory = s->memory, .address = address, .size_B = size_B};
    *is_found = 0;
    if (run(s, &x, watch_writes, error)) {
        return -1;
    }
    if (!x.last.kind) {
        return 0;
    }
    if (run(s, &x, watch_count, error)) {
        return -1;
    }
    *is_found = 1;
    *writer = (tma_emulate_access){.instruction = instruction_at(s, x.last.line),
                                   .line = x.last.line,
                                   .thread = x.last.warp * EMU_LANES +
                                             (uint32_t)__builtin_ctz(x.last.mask),
                                   .cta = x.last.cta,
                                   .proxy = x.last.copy ? "async" : "generic",
                                   .what = x.last.copy ? "copy's last write" : "last write",
                                   .space = "global",
                                   .address = address,
                                   .size_B = size_B,
                                   .iteration = x.counted};
    return 0;
}
