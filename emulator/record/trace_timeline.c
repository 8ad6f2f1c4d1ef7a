/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_timeline.h"

#include "json_tree.h"
#include "tma/detail/chars.h"

#define LANES      32
#define MOST_STEPS (UINT64_C(1) << 40)

typedef struct reader {
    ptx_memory *memory; /* for what stays */
    ptx_memory lines;   /* for one line at a time */
    tma_timeline_warp *warp;
    tma_timeline_event *event;
    uint32_t warps, events;
    tma_timeline *out;
    tma_error *error;
} reader;

static uint64_t number(const json_value *line, const char *key) {
    const json_value *value = json_member(line, key);
    tma_error unused;
    uint64_t out = 0;
    if (!value || json_u64(value, &out, key, &unused)) {
        return 0;
    }
    return out;
}

static const char *text_of(const json_value *line, const char *key) {
    const json_value *value = json_member(line, key);
    return value && value->kind == JSON_TEXT ? value->text : "";
}

static const char *kept(reader *r, const char *text) {
    return ptx_memory_text(r->memory, text, text_length(text));
}

/* The row of a warp, in the order of CTAs and warps. */
static uint32_t warp_of(reader *r, uint64_t cta, uint32_t warp) {
    for (uint32_t i = 0; i < r->warps; i++) {
        if (r->warp[i].cta == cta && r->warp[i].warp == warp) {
            return i;
        }
    }
    const tma_timeline_warp added = {.cta = cta, .warp = warp};
    PTX_APPEND(r, warp, warps, added);
    return r->warps ? r->warps - 1 : 0;
}

static uint32_t warp_at(reader *r, const json_value *line) {
    return warp_of(r, number(line, "cta"), (uint32_t)number(line, "warp"));
}

static void add(reader *r, const json_value *line, tma_timeline_kind kind, const char *step) {
    tma_timeline_event e = {.kind = (uint8_t)kind,
                            .warp = warp_at(r, line),
                            .line = (uint32_t)number(line, "line"),
                            .step = number(line, step),
                            .copy = number(line, "copy_number"),
                            .barrier = number(line, "barrier_at"),
                            .phase = number(line, "phase")};
    e.step = e.step < MOST_STEPS ? e.step : MOST_STEPS;
    PTX_APPEND(r, event, events, e);
}

/* ---- lines ---- */

static void take_step(reader *r, const json_value *line) {
    const json_value *access = json_member(line, "access");
    const char *op = access ? text_of(access, "op") : "";
    add(r, line,
        text_same(op, "read")     ? TMA_TIMELINE_READ
        : text_same(op, "write")  ? TMA_TIMELINE_WRITE
        : text_same(op, "atomic") ? TMA_TIMELINE_ATOMIC
                                  : TMA_TIMELINE_INSTRUCTION,
        "step");
}

static void take_copy(reader *r, const json_value *line) {
    const char *stage = text_of(line, "stage");
    add(r, line,
        text_same(stage, "issued") ? TMA_TIMELINE_ISSUED
        : text_same(stage, "read") ? TMA_TIMELINE_SOURCES_READ
                                   : TMA_TIMELINE_COMPLETE,
        "after");
}

static void take_waits(reader *r, const json_value *line) {
    char text[160];
    tma_out out = tma_out_into(text, sizeof(text));
    const uint32_t at = warp_at(r, line);
    if (at < r->warps && r->warp[at].waits) { /* other lanes wait elsewhere */
        tma_putf(&out, "%.90s; ", r->warp[at].waits);
    }
    tma_putf(&out, "%.40s", text_of(line, "waits_at"));
    if (json_member(line, "barrier_at")) {
        tma_putf(&out, " 0x%llx", (unsigned long long)number(line, "barrier_at"));
    }
    tma_putf(&out, " at line %llu", (unsigned long long)number(line, "line"));
    if (at < r->warps) {
        r->warp[at].waits = kept(r, text);
    }
}

/* The first finding: the pass is its. */
static void take_finding(reader *r, const json_value *line) {
    char text[480];
    tma_out out = tma_out_into(text, sizeof(text));
    const json_value *accesses = json_member(line, "accesses");
    if (r->out->finding) {
        return;
    }
    tma_putf(&out, "%s: %s", text_of(line, "rule"), text_of(line, "text"));
    r->out->finding = kept(r, text);
    r->out->missing = json_member(line, "missing") ? kept(r, text_of(line, "missing")) : NULL;
    for (const json_value *a = accesses ? accesses->first : NULL;
         a && r->out->marks < TMA_TIMELINE_MARKS; a = a->next) {
        tma_timeline_mark *m = &r->out->mark[r->out->marks++];
        m->warp = warp_of(r, number(a, "cta"), (uint32_t)(number(a, "thread") / LANES));
        m->line = (uint32_t)number(a, "line");
        m->step = number(a, "step");
        m->what = kept(r, text_of(a, "op"));
    }
}

static void take_end(reader *r, const json_value *line) {
    char text[400];
    tma_out out = tma_out_into(text, sizeof(text));
    const char *why = text_of(line, "why");
    tma_put(&out, why[0] ? why : text_of(line, "end"));
    r->out->end = kept(r, text);
}

static void take_line(reader *r, const json_value *line) {
    if (json_member(line, "step")) {
        take_step(r, line);
    } else if (json_member(line, "copy_number")) {
        take_copy(r, line);
    } else if (json_member(line, "phase")) {
        add(r, line, TMA_TIMELINE_PHASE, "after");
    } else if (json_member(line, "waits_at")) {
        take_waits(r, line);
    } else if (json_member(line, "rule")) {
        take_finding(r, line);
    } else if (json_member(line, "end")) {
        take_end(r, line);
    }
}

static int take_head(reader *r, const json_value *head) {
    if (!text_same(text_of(head, "verb"), "trace")) {
        return tma_fail(r->error, "this is no trace: tma emulate --trace writes one");
    }
    r->out->kernel = kept(r, text_of(head, "kernel"));
    return 0;
}

static int is_before(const tma_timeline_warp *a, const tma_timeline_warp *b) {
    return a->cta < b->cta || (a->cta == b->cta && a->warp < b->warp);
}

/* By CTA and warp; events and marks go along. */
static int sort_warps(reader *r) {
    tma_timeline_warp *sorted = ptx_memory_take(r->memory, r->warps + 1u, sizeof(*sorted));
    uint32_t *rank = ptx_memory_take(r->memory, r->warps + 1u, sizeof(*rank));
    if (!sorted || !rank) {
        return tma_fail(r->error, "no memory");
    }
    for (uint32_t i = 0; i < r->warps; i++) {
        for (uint32_t k = 0; k < r->warps; k++) {
            rank[i] += (uint32_t)is_before(&r->warp[k], &r->warp[i]);
        }
        sorted[rank[i]] = r->warp[i];
    }
    for (uint32_t i = 0; i < r->events; i++) {
        r->event[i].warp = rank[r->event[i].warp];
    }
    for (uint32_t i = 0; i < r->out->marks; i++) {
        r->out->mark[i].warp = rank[r->out->mark[i].warp];
    }
    r->warp = sorted;
    return 0;
}

static int take_all(reader *r, const char *text, size_t size) {
    size_t number_of = 0;
    for (size_t at = 0; at < size;) {
        size_t length = text_until(text + at, size - at, '\n');
        const size_t next = at + length + 1;
        const ptx_mark mark = ptx_memory_mark(&r->lines);
        number_of++;
        tma_error why;
        const json_value *line = length ? json_read(&r->lines, text + at, &length, &why) : NULL;
        if (!line && length) {
            return tma_fail(r->error, "line %zu: %s", number_of, why.text);
        }
        if (line && number_of > 1) {
            take_line(r, line);
        } else if (line && take_head(r, line)) {
            return -1;
        }
        ptx_memory_back(&r->lines, mark);
        at = next;
    }
    return r->memory->failed || r->lines.failed ? tma_fail(r->error, "no memory") : 0;
}

int trace_timeline(tma_timeline *out, ptx_memory *memory, const char *text, size_t size,
                   tma_error *error) {
    *out = (tma_timeline){.kernel = "", .end = "cut off"};
    reader r = {.memory = memory,
                .lines = ptx_memory_of(memory->more, memory->context),
                .out = out,
                .error = error};
    if (!size) {
        return tma_fail(error, "this is no trace: it is empty");
    }
    if (take_all(&r, text, size) || sort_warps(&r)) {
        return -1;
    }
    out->warp = r.warp;
    out->event = r.event;
    out->warps = r.warps;
    out->events = r.events;
    return r.warps ? 0 : tma_fail(error, "the trace has no step");
}
