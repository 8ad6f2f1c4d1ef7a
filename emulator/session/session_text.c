/* SPDX-License-Identifier: Apache-2.0
 *
 * What came of a launch, as a person reads it.
 */
#include "launch.h"
#include "places.h"
#include "ptx_demangle.h"
#include "run_session.h"
#include "tma/detail/chars.h"

#define MOST_STATEMENT 160
#define MOST_INLINED   8
#define MOST_ALIKE     2  /* findings of a kind that stand whole */
#define MOST_KINDS     32 /* of findings */

int session_is_found(const session *s, int certain_only) {
    int found = 0;
    for (uint32_t i = 0; i < s->findings; i++) {
        found |= !s->finding[i].is_accepted && (s->finding[i].is.certain || !certain_only);
    }
    for (uint32_t i = 0; i < s->statics; i++) {
        found |= !s->by_static[i].is_accepted && (s->by_static[i].certain || !certain_only);
    }
    return found;
}

uint32_t session_count(const session *s, int is_accepted) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->findings; i++) {
        count += s->finding[i].is_accepted == is_accepted;
    }
    for (uint32_t i = 0; i < s->statics; i++) {
        count += s->by_static[i].is_accepted == is_accepted;
    }
    return count;
}

static void put_size(tma_out *out, const char *what, const uint32_t size[3]) {
    tma_putf(out, "%s %u,%u,%u", what, size[0], size[1], size[2]);
}

static void put_launch(tma_out *out, const session *s) {
    const emu_machine *m = emu_machine_of(s->emulator);
    put_size(out, "launch: grid", m->grid);
    put_size(out, ", block", m->block);
    put_size(out, ", cluster", m->cluster);
    tma_putf(out, ", %u byte%s of dynamic shared memory\n", m->dynamic_shared_B,
             text_plural(m->dynamic_shared_B));
    for (uint32_t i = 0; i < s->values; i++) {
        const session_value *v = &s->value[i];
        const tma_emulate_parameter *p = &s->parameter[v->parameter];
        tma_putf(out, "  %.*s", (int)p->name_length, p->name);
        if (v->offset_B) {
            tma_putf(out, "+%u", v->offset_B);
        }
        tma_putf(out, " = %s", v->text);
        if (v->buffer != UINT32_MAX) {
            tma_putf(out, ", at 0x%llx", (unsigned long long)s->buffer[v->buffer].address);
        }
        tma_put(out, v->from == SESSION_INVENTED ? " (invented)\n" : "\n");
    }
    for (uint32_t i = 0; i < s->buffers; i++) {
        const session_buffer *b = &s->buffer[i];
        if (b->parameter == UINT32_MAX) {
            tma_putf(out, "  %s: %llu byte%s%s\n", b->name, (unsigned long long)b->size_B,
                     text_plural(b->size_B),
                     b->is_left_out ? " that were not captured: zeros" : "");
        }
    }
}

static void put_source(tma_out *out, const emu_program *p, uint32_t row) {
    ptx_source chain[MOST_INLINED];
    const uint32_t count = ptx_rows_chain(&p->rows, row, chain, MOST_INLINED);
    for (uint32_t i = count; i-- > 0;) { /* the outermost first */
        tma_put(out, i + 1 == count ? " (" : i + 2 == count ? ", inlined from " : ", from ");
        if (chain[i].file.length) {
            tma_put_printable(out, chain[i].file.at, chain[i].file.length);
        } else {
            tma_putf(out, "file %u", chain[i].number);
        }
        tma_putf(out, ":%u%s", chain[i].line, i ? "" : ")");
    }
}

static void put_instruction(tma_out *out, const session *s, const tma_emulate_access *a) {
    const emu_program *p = emu_program_of(s->emulator);
    if (a->instruction >= p->instructions) {
        return;
    }
    const uint32_t row = p->code[a->instruction].row;
    tma_putf(out, "\n             line %u", a->line);
    put_source(out, p, row);
    tma_put(out, ": ");
    ptx_rows_put(out, &p->rows, row, MOST_STATEMENT);
}

/* "0x408 (full+8)" of a shared address. */
static void put_address(tma_out *out, const session *s, const char *space, uint64_t address) {
    if (text_same(space, "shared")) {
        emu_put_shared(out, emu_machine_of(s->emulator), (uint32_t)address);
    } else {
        tma_putf(out, "0x%llx", (unsigned long long)address);
    }
}

/* Whether a label that an operand names is at or before an instruction. */
static int leads_back(const emu_program *p, const emu_operand *o, uint32_t to) {
    int leads = o->kind == EMU_LABEL && (uint64_t)o->number <= to;
    for (uint32_t i = 0; o->kind == EMU_VECTOR && i < o->count; i++) {
        const emu_operand *label = &p->operand[o->first + i];
        leads |= label->kind == EMU_LABEL && (uint64_t)label->number <= to;
    }
    return leads;
}

/* Whether an instruction can be executed again: it is in a function, or some branch after it, or
 * itself one, leads to it or to before it, as one of each loop that it is in does. */
static int may_repeat(const session *s, uint32_t at) {
    const emu_program *p = emu_program_of(s->emulator);
    if (at >= p->instructions || !p->function[p->code[at].function].is_entry) {
        return 1;
    }
    for (uint32_t i = at; i < p->function[p->code[at].function].end; i++) {
        for (uint32_t k = 0; k < p->code[i].operands; k++) {
            if (leads_back(p, &p->code[i].operand[k], at)) {
                return 1;
            }
        }
    }
    return 0;
}

void session_put_access(tma_out *out, const session *s, const tma_emulate_access *a) {
    if (a->thread != UINT32_MAX) {
        tma_putf(out, "thread %u of ", a->thread);
    }
    tma_putf(out, "CTA %llu", (unsigned long long)a->cta);
    if (a->iteration > 1 || (a->iteration && may_repeat(s, a->instruction))) {
        tma_putf(out, ", iteration %llu", (unsigned long long)a->iteration);
    }
    if (a->size_B) {
        tma_putf(out, ", %s of %llu byte%s at %s ", a->what, (unsigned long long)a->size_B,
                 text_plural(a->size_B), a->space);
        put_address(out, s, a->space, a->address);
        tma_putf(out, ", %s proxy", a->proxy);
    }
}

static void put_access(tma_out *out, const session *s, const char *which,
                       const tma_emulate_access *a) {
    tma_putf(out, "    %s", which);
    session_put_access(out, s, a);
    put_instruction(out, s, a);
    tma_put(out, "\n");
}

static void put_barrier(tma_out *out, const session *s, const tma_emulate_finding *f) {
    if (!f->has_barrier) {
        return;
    }
    const int is_named = f->waits && text_same(f->wait[0].waits_at, "barrier");
    const uint64_t bytes_B =
        (uint64_t)(f->bytes_missing_B < 0 ? -(int64_t)f->bytes_missing_B : f->bytes_missing_B);
    tma_put(out, "    barrier: ");
    if (is_named) {
        tma_putf(out, "%u", f->barrier_address);
    } else {
        put_address(out, s, "shared", f->barrier_address);
    }
    tma_putf(
        out, ", phase of parity %u: %u arrival%s and %d byte%s are missing, %u thread%s wait%s\n",
        f->barrier_phase, f->arrivals_missing, text_plural(f->arrivals_missing), f->bytes_missing_B,
        text_plural(bytes_B), f->waiting, text_plural(f->waiting), f->waiting == 1 ? "s" : "");
}

void session_put_wait(tma_out *out, const session *s, const tma_emulate_wait *wait) {
    tma_putf(out, "%u thread%s of CTA %llu, from thread %u on, wait%s at line %u: ", wait->threads,
             text_plural(wait->threads), (unsigned long long)wait->cta, wait->thread,
             wait->threads == 1 ? "s" : "", wait->line);
    tma_put(out, wait->waits_at);
    if (text_same(wait->waits_at, "mbarrier")) {
        tma_put(out, " ");
        put_address(out, s, "shared", wait->barrier);
    } else if (text_same(wait->waits_at, "barrier")) {
        tma_putf(out, " %llu", (unsigned long long)wait->barrier);
    }
}

/* Of a deadlock's cause: that it is one, and who else waits because of it. */
static void put_waits(tma_out *out, const session *s, const tma_emulate_finding *f) {
    if (f->waits && f->rule != TMA_EMULATE_RULE_DEADLOCK) {
        tma_put(out, "    leads to: deadlock\n");
    }
    for (uint32_t i = 1; i < f->waits && i < TMA_EMULATE_WAITS; i++) {
        tma_put(out, "    with it: ");
        session_put_wait(out, s, &f->wait[i]);
        tma_put(out, "\n");
    }
    if (tma_emulate_waits_more(f)) {
        tma_putf(out, "    with it: %u more\n", tma_emulate_waits_more(f));
    }
}

static void put_invented(tma_out *out, const session *s, const session_finding *found) {
    char text[SESSION_VALUE + 96];
    for (uint32_t i = 0; session_invented(s, found, i, text); i++) {
        tma_putf(out, "%s%s", i ? "; " : "    under invented values: ", text);
    }
    tma_put(out, session_invented(s, found, 0, text) ? "\n" : "");
}

static void put_finding(tma_out *out, const session *s, const session_finding *found) {
    const tma_emulate_finding *f = &found->is;
    tma_putf(out, "\n%s %s: %s\n", f->certain ? "certain" : "may", tma_emulate_rule_name(f->rule),
             f->text);
    for (uint32_t i = 0; i < f->accesses; i++) {
        put_access(out, s,
                   f->accesses == 1 ? "at:      "
                   : i              ? "earlier: "
                                    : "later:   ",
                   &f->access[i]);
    }
    put_barrier(out, s, f);
    if (f->missing[0]) {
        tma_putf(out, "    missing: %s\n", f->missing);
    }
    put_waits(out, s, f);
    tma_putf(out, "    by: execution, %llu time%s, in %u of %u passes\n",
             (unsigned long long)f->count, text_plural(f->count), found->passes, s->passes);
    put_invented(out, s, found);
}

static uint32_t opcode_of(const session *s, const tma_emulate_access *a) {
    const emu_program *p = emu_program_of(s->emulator);
    return a->instruction < p->instructions ? (uint32_t)p->code[a->instruction].op : UINT32_MAX;
}

static int is_alike(const session *s, const tma_emulate_finding *a, const tma_emulate_finding *b) {
    int alike = a->rule == b->rule && a->certain == b->certain && a->accesses == 2 &&
                b->accesses == 2 && text_same(a->missing, b->missing);
    for (uint32_t i = 0; i < 2 && alike; i++) {
        alike = opcode_of(s, &a->access[i]) == opcode_of(s, &b->access[i]) &&
                text_same(a->access[i].proxy, b->access[i].proxy) &&
                text_same(a->access[i].what, b->access[i].what);
    }
    return alike;
}

/* Kinds of findings that were met: the first of each, and how many there were. */
typedef struct kinds {
    const tma_emulate_finding *first[MOST_KINDS];
    uint32_t count[MOST_KINDS];
    uint32_t kinds;
    int was_short; /* the finding before stands as its two lines */
} kinds;

/* Counts a finding; whether enough of its kind stand whole. Kinds beyond the most stand whole. */
static int is_known(kinds *k, const session *s, const tma_emulate_finding *f) {
    uint32_t i = 0;
    while (i < k->kinds && !is_alike(s, k->first[i], f)) {
        i++;
    }
    if (i == k->kinds) {
        if (i == MOST_KINDS) {
            return 0;
        }
        k->first[k->kinds++] = f;
    }
    return k->count[i]++ >= MOST_ALIKE;
}

static void put_line(tma_out *out, const session *s, const tma_emulate_access *a) {
    const emu_program *p = emu_program_of(s->emulator);
    tma_putf(out, "line %u", a->line);
    if (a->instruction < p->instructions) {
        put_source(out, p, p->code[a->instruction].row);
    }
}

/* One of a kind of which some stand whole above: its two lines. */
static void put_alike(tma_out *out, const session *s, const session_finding *found) {
    const tma_emulate_finding *f = &found->is;
    tma_putf(out, "%s %s, the same: ", f->certain ? "certain" : "may",
             tma_emulate_rule_name(f->rule));
    put_line(out, s, &f->access[0]);
    tma_put(out, ", earlier ");
    put_line(out, s, &f->access[1]);
    tma_putf(out, ", %llu time%s, in %u of %u passes\n", (unsigned long long)f->count,
             text_plural(f->count), found->passes, s->passes);
}

static void put_one(tma_out *out, const session *s, const session_finding *found, kinds *k) {
    const int is_short = is_known(k, s, &found->is);
    if (is_short) {
        tma_put(out, k->was_short ? "" : "\n");
        put_alike(out, s, found);
    } else {
        put_finding(out, s, found);
    }
    k->was_short = is_short;
}

/* Findings stand as the run met them: what comes after a race ran on what it left. */
static void put_followers(tma_out *out, const session *s) {
    uint32_t after = 0;
    const tma_emulate_finding *first = NULL;
    for (uint32_t i = 0; i < s->findings; i++) {
        if (!s->finding[i].is_accepted) {
            after += first != NULL;
            first = first ? first : &s->finding[i].is;
        }
    }
    if (after && first->certain && first->accesses == 2) {
        tma_putf(out,
                 "\nnote: findings stand in the order of the run; the other%s may follow from the "
                 "first\n",
                 text_plural(after));
    }
}

static void put_static(tma_out *out, const session_static_finding *f) {
    tma_putf(out, "\n%s %s: %s\n    at:      line %u", f->certain ? "certain" : "may", f->rule,
             f->text, f->line);
    if (f->source) {
        tma_put(out, " (");
        tma_put_printable(out, f->source, text_length(f->source));
        tma_put(out, ")");
    }
    if (f->with_line) {
        tma_putf(out, "\n    and:     line %u", f->with_line);
    }
    tma_put(out, "\n    by: static (no thread came there; tma ptx says it)\n");
}

static void put_accepted(tma_out *out, const session *s) {
    for (uint32_t i = 0; i < s->findings; i++) {
        const tma_emulate_finding *f = &s->finding[i].is;
        if (s->finding[i].is_accepted) {
            tma_putf(out, "accepted: %s, line %u\n", tma_emulate_rule_name(f->rule),
                     f->accesses ? f->access[0].line : 0);
        }
    }
    for (uint32_t i = 0; i < s->statics; i++) {
        if (s->by_static[i].is_accepted) {
            tma_putf(out, "accepted: %s, line %u (static)\n", s->by_static[i].rule,
                     s->by_static[i].line);
        }
    }
}

/* The passes in words: "late, early, seeded". */
static void put_schedules(tma_out *out, const session *s) {
    tma_putf(out, "schedules: %u executed (", s->passes);
    if (s->how.only) {
        tma_put(out, session_schedule_name(s->how.launch.schedule));
        if (s->how.launch.schedule == TMA_EMULATE_SEEDED) {
            tma_putf(out, ", seed %llu", (unsigned long long)s->how.launch.seed);
        }
    } else {
        tma_put(out, s->how.schedules ? "late, early, seeded" : "late, early");
    }
    if (!s->unproved) {
        tma_putf(out, "); proved for all schedules of this launch%s\n",
                 session_fitted_map(s, 0) ? ", if boxes are as invented" : "");
    } else if (s->unproved_line) {
        tma_putf(out, "); no proof for others: line %u: %s\n", s->unproved_line, s->unproved);
    } else {
        tma_putf(out, "); no proof for others: %s\n", s->unproved);
    }
}

static void put_coverage(tma_out *out, const session *s) {
    uint32_t executed, total, first = 0, last = 0;
    session_coverage(s, &executed, &total);
    tma_putf(out, "coverage: %u of %u protocol instruction%s executed", executed, total,
             text_plural(total));
    for (uint32_t i = 0; session_missed(s, i, &first, &last); i++) {
        tma_putf(out, "%s", i ? ", " : first == last ? "; not: line " : "; not: lines ");
        tma_putf(out, first == last ? "%u" : "%u to %u", first, last);
    }
    tma_put(out, "\n");
}

void session_put_unjudged(tma_out *out, const session *s) {
    const session_value *v;
    for (uint32_t i = 0; (v = session_fitted_map(s, i)); i++) {
        const tma_emulate_parameter *p = &s->parameter[v->parameter];
        tma_put(out, i ? ", " : "how many bytes barriers expect, which the boxes of ");
        tma_putf(out, "%.*s", (int)p->name_length, p->name);
        if (v->offset_B) {
            tma_putf(out, "+%u", v->offset_B);
        }
    }
    tma_put(out, session_fitted_map(s, 0) ? " (invented) fit; --map gives a map" : "");
}

void session_put_text(tma_out *out, const session *s, int raw_names) {
    kinds k = {.kinds = 0};
    const uint32_t findings = session_count(s, 0);
    tma_put(out, "kernel ");
    ptx_put_name(out, ptx_span(s->kernel), raw_names);
    tma_putf(out, ": %s, %u finding%s, %llu thread instructions in %u pass%s\n",
             tma_emulate_end_name(s->end), findings, text_plural(findings),
             (unsigned long long)s->instructions, s->passes, s->passes == 1 ? "" : "es");
    put_launch(out, s);
    if (s->end != TMA_EMULATE_COMPLETED) {
        tma_put(out, "end");
        if (s->end_line) {
            tma_putf(out, ", line %u", s->end_line);
        }
        tma_putf(out, ": %s\n", s->why);
    }
    for (uint32_t i = 0; i < s->findings; i++) {
        if (!s->finding[i].is_accepted) {
            put_one(out, s, &s->finding[i], &k);
        }
    }
    put_followers(out, s);
    for (uint32_t i = 0; i < s->statics; i++) {
        if (!s->by_static[i].is_accepted) {
            put_static(out, &s->by_static[i]);
        }
    }
    tma_put(out, findings ? "\n" : "");
    put_accepted(out, s);
    for (uint32_t i = 0; i < s->notes; i++) {
        tma_put(out, "note: ");
        if (s->note[i].line) {
            tma_putf(out, "line %u: ", s->note[i].line);
        }
        tma_putf(out, "%s\n", s->note[i].text);
    }
    put_coverage(out, s);
    put_schedules(out, s);
    if (session_fitted_map(s, 0)) {
        tma_put(out, "not judged: ");
        session_put_unjudged(out, s);
        tma_put(out, "\n");
    }
}
