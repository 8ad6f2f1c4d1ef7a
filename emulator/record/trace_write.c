/* SPDX-License-Identifier: Apache-2.0
 *
 * A pass as JSON lines: instructions with their accesses, copies, phases; then who waits, the
 * findings, the end.
 */
#include <string.h>

#include "launch.h"
#include "tma/detail/chars.h"
#include "trace.h"

#define MOST_RANGES 16
#define MOST_MARKS  64 /* accesses of findings that get the step at which they were */

/* An access of a finding, and the step at which it was. */
typedef struct marked {
    const tma_emulate_access *access;
    uint64_t seen; /* so often its warp has executed its line */
    uint64_t step; /* 0: not yet */
} marked;

typedef struct writer {
    tma_out *out;
    uint64_t step;
    tma_emulate_event range[EMU_LANES + MOST_RANGES]; /* before their instruction, or copy */
    uint32_t ranges;
    uint64_t more; /* ranges that are left out */
    marked mark[MOST_MARKS];
    uint32_t marks;
} writer;

session_finding trace_pass(const session *s) {
    const session_finding *first = NULL;
    for (uint32_t i = 0; i < s->findings; i++) {
        const session_finding *f = &s->finding[i];
        if (f->passes && (!first || (f->is.certain && !first->is.certain))) {
            first = f;
        }
    }
    if (first) {
        return *first;
    }
    return (session_finding){.number = s->try_number[0],
                             .schedule = s->how.only ? s->how.launch.schedule : TMA_EMULATE_LATE,
                             .seed = s->how.launch.seed};
}

/* ---- lines ---- */

static tma_json begin_line(writer *w) {
    tma_json json = tma_json_begin(w->out);
    tma_json_object(&json, NULL);
    return json;
}

static void end_line(writer *w, tma_json *json) {
    tma_json_end(json);
    tma_put(w->out, "\n");
}

static void put_warp(tma_json *json, const tma_emulate_event *e) {
    tma_json_u64(json, "cta", e->cta);
    tma_json_u64(json, "warp", e->warp);
    tma_json_hex(json, "lanes", e->mask);
    tma_json_u64(json, "line", e->line);
}

static const char *op_of(const tma_emulate_event *e) {
    return e->reads && e->writes ? "atomic" : e->writes ? "write" : "read";
}

static int is_alike(const tma_emulate_event *a, const tma_emulate_event *b) {
    return a->reads == b->reads && a->writes == b->writes && text_same(a->space, b->space);
}

/* Lanes' accesses: one address and a step from lane to lane, or each of them. */
static void put_access(tma_json *json, const writer *w) {
    const tma_emulate_event *first = &w->range[0];
    int is_even = 1;
    for (uint32_t i = 2; i < w->ranges; i++) {
        is_even &=
            w->range[i].address - w->range[i - 1].address == w->range[1].address - first->address;
    }
    tma_json_object(json, "access");
    tma_json_text(json, "op", op_of(first));
    tma_json_text(json, "space", first->space);
    tma_json_u64(json, "size_B", first->size_B);
    if (is_even) {
        tma_json_hex(json, "address", first->address);
        tma_json_i64(json, "stride_B",
                     w->ranges > 1 ? (int64_t)(w->range[1].address - first->address) : 0);
    } else {
        tma_json_list(json, "addresses");
        for (uint32_t i = 0; i < w->ranges; i++) {
            tma_json_hex(json, NULL, w->range[i].address);
        }
        tma_json_end(json);
    }
    tma_json_end(json);
}

static void mark_step(writer *w, const tma_emulate_event *e) {
    for (uint32_t i = 0; i < w->marks; i++) {
        marked *m = &w->mark[i];
        if (m->access->cta == e->cta && m->access->line == e->line &&
            m->access->thread / EMU_LANES == e->warp && ++m->seen == m->access->iteration) {
            m->step = w->step;
        }
    }
}

static void put_instruction(writer *w, const tma_emulate_event *e) {
    tma_json json = begin_line(w);
    tma_json_u64(&json, "step", ++w->step);
    put_warp(&json, e);
    if (w->ranges) {
        put_access(&json, w);
    }
    end_line(w, &json);
    mark_step(w, e);
    w->ranges = 0;
}

static void put_ranges(tma_json *json, const writer *w) {
    tma_json_list(json, "ranges");
    for (uint32_t i = 0; i < w->ranges; i++) {
        tma_json_object(json, NULL);
        tma_json_text(json, "op", op_of(&w->range[i]));
        tma_json_text(json, "space", w->range[i].space);
        tma_json_hex(json, "address", w->range[i].address);
        tma_json_u64(json, "size_B", w->range[i].size_B);
        tma_json_end(json);
    }
    tma_json_end(json);
    if (w->more) {
        tma_json_u64(json, "more", w->more);
    }
}

static void put_copy(writer *w, const tma_emulate_event *e) {
    static const char *const STAGE[] = {"issued", "read", "complete"};
    tma_json json = begin_line(w);
    tma_json_u64(&json, "copy_number", e->copy);
    tma_json_text(&json, "stage", STAGE[e->stage < 3 ? e->stage : 2]);
    tma_json_u64(&json, "after", w->step);
    put_warp(&json, e);
    if (e->address) {
        tma_json_hex(&json, "barrier_at", e->address);
        tma_json_u64(&json, "size_B", e->size_B);
    }
    if (!e->stage) {
        put_ranges(&json, w);
        w->ranges = 0;
        w->more = 0;
    }
    end_line(w, &json);
}

static void put_barrier(writer *w, const tma_emulate_event *e) {
    tma_json json = begin_line(w);
    tma_json_hex(&json, "barrier_at", e->address);
    tma_json_u64(&json, "phase", e->phase);
    tma_json_u64(&json, "after", w->step);
    put_warp(&json, e);
    end_line(w, &json);
}

/* One more, or one with the last, where a copy's next range follows it. */
static void keep_range(writer *w, const tma_emulate_event *e) {
    tma_emulate_event *last = w->ranges ? &w->range[w->ranges - 1] : NULL;
    if (e->copy && last && is_alike(last, e) && last->address + last->size_B == e->address) {
        last->size_B += e->size_B;
    } else if (w->ranges < (e->copy ? MOST_RANGES : EMU_LANES)) {
        w->range[w->ranges++] = *e;
    } else {
        w->more++;
    }
}

static void watch(void *context, const tma_emulate_event *e) {
    writer *w = context;
    switch (e->kind) {
    case TMA_EMULATE_ACCESS:
        keep_range(w, e);
        break;
    case TMA_EMULATE_INSTRUCTION:
        put_instruction(w, e);
        break;
    case TMA_EMULATE_COPY:
        put_copy(w, e);
        break;
    default:
        put_barrier(w, e);
    }
}

/* ---- behind the last instruction ---- */

static int is_where(const tma_emulate_thread *a, const tma_emulate_thread *b) {
    return a->line == b->line && a->waits == b->waits && a->barrier == b->barrier &&
           text_same(a->waits_at, b->waits_at);
}

static void put_waits(writer *w, uint64_t cta, uint32_t warp, uint32_t lanes,
                      const tma_emulate_thread *t) {
    const tma_emulate_event e = {.cta = cta, .warp = warp, .mask = lanes, .line = t->line};
    tma_json json = begin_line(w);
    tma_json_text(&json, "waits_at", t->waits_at);
    put_warp(&json, &e);
    if (t->barrier || text_same(t->waits_at, "barrier")) {
        tma_json_hex(&json, "barrier_at", t->barrier);
    }
    end_line(w, &json);
}

/* Lanes of a warp that have not exited, those that are at one place together. */
static void put_warp_waits(writer *w, const tma_emulator *e, uint64_t cta, uint32_t warp) {
    tma_emulate_thread lane[EMU_LANES];
    uint32_t left = 0;
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        if (tma_emulator_thread_at(e, cta, warp * EMU_LANES + l, &lane[l]) && lane[l].line) {
            left |= UINT32_C(1) << l;
        }
    }
    while (left) {
        const uint32_t first = (uint32_t)__builtin_ctz(left);
        uint32_t mask = 0;
        for (uint32_t l = first; l < EMU_LANES; l++) {
            mask |= left >> l & 1 && is_where(&lane[first], &lane[l]) ? UINT32_C(1) << l : 0;
        }
        put_waits(w, cta, warp, mask, &lane[first]);
        left &= ~mask;
    }
}

static void put_all_waits(writer *w, const session *s) {
    const emu_machine *m = emu_machine_of(s->emulator);
    for (uint64_t cta = 0; cta < m->ctas; cta++) {
        if (m->cta && m->cta[cta]) {
            for (uint32_t warp = 0; warp < m->cta[cta]->warps; warp++) {
                put_warp_waits(w, s->emulator, cta, warp);
            }
        }
    }
}

static void put_found_access(tma_json *json, const writer *w, const tma_emulate_access *a) {
    tma_json_object(json, NULL);
    tma_json_u64(json, "cta", a->cta);
    if (a->thread != UINT32_MAX) {
        tma_json_u64(json, "thread", a->thread);
    }
    tma_json_u64(json, "line", a->line);
    tma_json_u64(json, "iteration", a->iteration);
    tma_json_text(json, "op", a->what);
    for (uint32_t i = 0; i < w->marks; i++) {
        if (w->mark[i].access == a && w->mark[i].step) {
            tma_json_u64(json, "step", w->mark[i].step);
        }
    }
    tma_json_end(json);
}

static void put_finding(writer *w, const tma_emulate_finding *f) {
    tma_json json = begin_line(w);
    tma_json_text(&json, "rule", tma_emulate_rule_name(f->rule));
    tma_json_bool(&json, "certain", f->certain != 0);
    tma_json_text(&json, "text", f->text);
    if (f->missing[0]) {
        tma_json_text(&json, "missing", f->missing);
    }
    tma_json_list(&json, "accesses");
    for (uint32_t i = 0; i < f->accesses; i++) {
        put_found_access(&json, w, &f->access[i]);
    }
    tma_json_end(&json);
    if (f->has_barrier) {
        tma_json_hex(&json, "barrier_at", f->barrier_address);
        tma_json_u64(&json, "arrivals_missing", f->arrivals_missing);
        tma_json_i64(&json, "bytes_missing_B", f->bytes_missing_B);
    }
    end_line(w, &json);
}

static void put_end(writer *w, const session *s) {
    const tma_emulate_finding *f;
    const char *why = "";
    uint32_t line = 0;
    const uint32_t end = tma_emulator_end(s->emulator, &why, &line);
    if (end == TMA_EMULATE_DEADLOCK) {
        put_all_waits(w, s);
    }
    for (size_t i = 0; (f = tma_emulator_finding_at(s->emulator, i)); i++) {
        put_finding(w, f);
    }
    tma_json json = begin_line(w);
    tma_json_text(&json, "end", tma_emulate_end_name(end));
    tma_json_text(&json, "why", why[0] ? why : NULL);
    tma_json_u64(&json, "line", line);
    tma_json_u64(&json, "step_count", w->step);
    end_line(w, &json);
}

/* ---- the pass ---- */

/* Findings are known at the end alone, the steps of their accesses on the way: those of a first,
 * unwatched run of the pass are kept. */
static int keep_marks(session *s, writer *w, tma_emulate_access **kept) {
    const tma_emulate_finding *f;
    *kept = ptx_memory_take(s->memory, MOST_MARKS, sizeof(**kept));
    for (size_t i = 0; *kept && (f = tma_emulator_finding_at(s->emulator, i)); i++) {
        for (uint32_t k = 0; k < f->accesses && w->marks < MOST_MARKS; k++) {
            (*kept)[w->marks] = f->access[k];
            w->mark[w->marks] = (marked){.access = &(*kept)[w->marks]};
            w->marks++;
        }
    }
    return *kept ? 0 : -1;
}

/* The second run's findings are in the same order. */
static void point_marks(const session *s, writer *w) {
    const tma_emulate_finding *f;
    uint32_t at = 0;
    for (size_t i = 0; (f = tma_emulator_finding_at(s->emulator, i)); i++) {
        for (uint32_t k = 0; k < f->accesses && at < w->marks; k++) {
            w->mark[at++].access = &f->access[k];
        }
    }
}

static int run_watched(session *s, const session_finding *pass, writer *w, tma_error *error) {
    s->launch.watches =
        TMA_EMULATE_INSTRUCTION | TMA_EMULATE_ACCESS | TMA_EMULATE_COPY | TMA_EMULATE_BARRIER;
    s->launch.watch = watch;
    s->launch.watch_context = w;
    const int failed = session_pass(s, pass->schedule, pass->seed, error);
    s->launch.watches = 0;
    return failed;
}

int trace_put(session *s, const session_finding *pass, tma_out *out, tma_error *error) {
    tma_emulate_access *kept = NULL;
    writer *w = ptx_memory_take(s->memory, 1, sizeof(*w));
    if (!w) {
        return tma_fail(error, "no memory");
    }
    w->out = out;
    if (session_take_number(s, pass->number, error) ||
        session_pass(s, pass->schedule, pass->seed, error)) {
        return -1;
    }
    if (keep_marks(s, w, &kept)) {
        return tma_fail(error, "no memory");
    }
    if (run_watched(s, pass, w, error)) {
        return -1;
    }
    point_marks(s, w);
    put_end(w, s);
    return 0;
}
