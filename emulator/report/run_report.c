/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings, one for each cause: the same two instructions are one finding, whichever came first and
 * whatever followed from them.
 */
#include "run_report.h"

#include <string.h>

#include "tma/check.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"

static void copy_text(char *to, const char *from) {
    size_t i = 0;
    for (; from && from[i] && i + 1 < TMA_EMULATE_TEXT; i++) {
        to[i] = from[i];
    }
    to[i] = 0;
}

uint32_t emu_line(const emu_machine *m, const emu_instruction *in) {
    return in && in->row < m->program->rows.rows
               ? (uint32_t)m->program->rows.row[in->row].piece.line
               : 0;
}

const char *emu_space_name(uint32_t space) {
    static const char *const NAME[EMU_SPACES] = {
        [EMU_GENERIC] = "generic",       [EMU_GLOBAL] = "global",    [EMU_SHARED_CTA] = "shared",
        [EMU_SHARED_CLUSTER] = "shared", [EMU_LOCAL] = "local",      [EMU_CONST] = "const",
        [EMU_PARAM_ENTRY] = "param",     [EMU_PARAM_CALL] = "param", [EMU_TMEM] = "tensor memory",
    };
    return space < EMU_SPACES ? NAME[space] : "";
}

const char *emu_wait_name(uint32_t wait) {
    static const char *const NAME[EMU_WAIT_KINDS] = {
        [EMU_RUNS] = "",
        [EMU_WAITS_CONVERGE] = "lanes",
        [EMU_WAITS_BARRIER] = "barrier",
        [EMU_WAITS_CLUSTER] = "cluster",
        [EMU_WAITS_MBARRIER] = "mbarrier",
        [EMU_WAITS_GROUP] = "group",
        [EMU_WAITS_GRID] = "grid",
        [EMU_WAITS_TENSOR] = "tensor memory",
        [EMU_WAITS_REGISTERS] = "registers",
        [EMU_SLEEPS] = "",
    };
    return wait < EMU_WAIT_KINDS ? NAME[wait] : "";
}

static tma_emulate_access access_of(const emu_machine *m, const emu_who *who) {
    tma_emulate_access a = {.instruction = UINT32_MAX,
                            .line = emu_line(m, who->in),
                            .thread = who->thread,
                            .cta = who->cta,
                            .proxy = who->proxy ? who->proxy : "",
                            .what = who->what ? who->what : "",
                            .space = emu_space_name(who->space),
                            .address = who->address,
                            .size_B = who->size_B,
                            .iteration = who->iteration};
    if (who->in) {
        a.instruction = (uint32_t)(who->in - m->program->code);
    }
    return a;
}

/* Whether two instructions are one line of the source, or one statement of a loop that was
 * unrolled: the same operation on the same source line; without source lines, the same operation.
 */
static int is_alike(const emu_machine *m, uint32_t a, uint32_t b) {
    if (a == b) {
        return 1;
    }
    if (a == UINT32_MAX || b == UINT32_MAX) {
        return 0;
    }
    const emu_program *p = m->program;
    const emu_instruction *one = &p->code[a], *other = &p->code[b];
    ptx_source of_one, of_other, inner;
    int inlined;
    if (one->op != other->op || one->function != other->function) {
        return 0;
    }
    const int has_one = ptx_rows_source(&p->rows, one->row, &of_one, &inner, &inlined),
              has_other = ptx_rows_source(&p->rows, other->row, &of_other, &inner, &inlined);
    return has_one == has_other &&
           (!has_one || (of_one.number == of_other.number && of_one.line == of_other.line));
}

/* Of one cause: one instruction the same, the other alike, whichever came first. */
static int is_cause(const emu_machine *m, const tma_emulate_finding *f, uint32_t one,
                    uint32_t other) {
    const uint32_t a = f->access[0].instruction, b = f->access[1].instruction;
    return (a == one && is_alike(m, b, other)) || (b == other && is_alike(m, a, one)) ||
           (a == other && is_alike(m, b, one)) || (b == one && is_alike(m, a, other));
}

static int is_pair(const tma_emulate_finding *f, uint32_t one, uint32_t other) {
    return (f->access[0].instruction == one && f->access[1].instruction == other) ||
           (f->access[0].instruction == other && f->access[1].instruction == one);
}

/* A finding of the same cause, or null. Two accesses: the same two instructions; one or none: the
 * same rule, too. */
static tma_emulate_finding *same_cause(emu_machine *m, uint32_t rule, uint32_t accesses,
                                       const emu_who *later, const emu_who *earlier) {
    tma_emulate_result *r = m->result;
    const uint32_t one = later && later->in ? (uint32_t)(later->in - m->program->code) : UINT32_MAX,
                   other = earlier && earlier->in ? (uint32_t)(earlier->in - m->program->code)
                                                  : UINT32_MAX;
    uint32_t first = r->findings; /* of those that it may be, the one that came first */
    for (uint32_t end = 0; end < (accesses == 2 ? 2 : 1); end++) {
        uint32_t next = emu_numbered_first(&r->about, end ? other : one);
        for (; next; next = r->about.row[next - 1].next) {
            const uint32_t number = r->about.row[next - 1].number;
            const tma_emulate_finding *f = &r->finding[number];
            if (number < first && f->accesses == accesses &&
                (accesses == 2 ? is_pair(f, one, other) || is_cause(m, f, one, other)
                               : f->rule == rule && is_pair(f, one, other))) {
                first = number;
            }
        }
    }
    return first < r->findings ? &r->finding[first] : 0;
}

/* The finding is looked for by its instructions from now on. -1: there is no memory. */
static int note_instructions(emu_machine *m, const tma_emulate_finding *f) {
    tma_emulate_result *r = m->result;
    const uint32_t number = (uint32_t)(f - r->finding), all = m->program->instructions;
    const uint32_t one = f->access[0].instruction, other = f->access[1].instruction;
    return emu_number(&r->about, r->memory, all, one, number) ||
           (f->accesses == 2 && other != one &&
            emu_number(&r->about, r->memory, all, other, number));
}

static int is_of_first_warp(const emu_who *who) {
    return !who || who->thread == UINT32_MAX || who->thread < EMU_LANES;
}

tma_emulate_finding *emu_report(emu_machine *m, uint32_t rule, int certain, const emu_who *later,
                                const emu_who *earlier, const char *text, const char *missing) {
    TMA_ASSERT(rule < TMA_EMULATE_RULES && m->result);
    tma_emulate_result *r = m->result;
    const uint32_t accesses = !later ? 0 : earlier ? 2 : 1;
    tma_emulate_finding *f = same_cause(m, rule, accesses, later, earlier);
    const uint32_t is_new = !f;
    const uint8_t is_narrow = is_of_first_warp(later) && is_of_first_warp(earlier);
    if (f) {
        f->count++;
        if (f->certain >= (uint32_t)certain) {
            r->is_narrow[f - r->finding] |= is_narrow && f->certain == (uint32_t)certain;
            return f;
        }
    } else {
        tma_emulate_finding *grown = ptx_grow(r->memory, r->finding, r->findings, sizeof *grown);
        uint8_t *narrow = ptx_grow(r->memory, r->is_narrow, r->findings, sizeof *narrow);
        r->finding = grown ? grown : r->finding;
        r->is_narrow = narrow ? narrow : r->is_narrow;
        if (!grown || !narrow) {
            return 0;
        }
        f = &r->finding[r->findings++];
        memset(f, 0, sizeof *f);
        f->count = 1;
    }
    r->is_narrow[f - r->finding] = is_narrow;
    const uint64_t count = f->count;
    memset(f, 0, sizeof *f);
    f->count = count;
    f->rule = rule;
    f->certain = certain != 0;
    f->accesses = accesses;
    f->access[0].instruction = f->access[1].instruction = UINT32_MAX;
    if (later) {
        f->access[0] = access_of(m, later);
    }
    if (earlier) {
        f->access[1] = access_of(m, earlier);
    }
    copy_text(f->text, text);
    copy_text(f->missing, missing);
    if (note_instructions(m, f)) {
        r->findings -= is_new;
        return 0;
    }
    return f;
}

/* Whether a trap is said already: by a finding of its instruction, or a deadlock whose time-outs
 * ended in it. */
static int is_said(const emu_machine *m, const emu_instruction *in) {
    const tma_emulate_result *r = m->result;
    const uint32_t at = (uint32_t)(in - m->program->code);
    for (uint32_t i = 0; i < r->findings; i++) {
        if (r->finding[i].access[0].instruction == at || r->finding[i].waits ||
            r->finding[i].rule == TMA_EMULATE_RULE_DEADLOCK) {
            return 1;
        }
    }
    return 0;
}

emu_step emu_stop(emu_machine *m, tma_emulate_end end, const emu_warp *w, const emu_instruction *in,
                  const char *text) {
    if (end == TMA_EMULATE_TRAP && !m->stopped && w && w->now && in && !is_said(m, in)) {
        const emu_who who = {.in = in,
                             .cta = w->cta->index,
                             .thread = w->index * EMU_LANES + (uint32_t)__builtin_ctz(w->now->mask),
                             .what = "instruction",
                             .proxy = "generic"};
        emu_report(m, TMA_EMULATE_RULE_TRAP, 1, &who, 0, text, 0);
    }
    if (!m->stopped) {
        m->stopped = 1;
        m->end = end;
        m->result->stopped_line = emu_line(m, in);
        copy_text(m->result->why, text);
    }
    return EMU_STOPPED;
}

void emu_note(emu_machine *m, const emu_instruction *in, const char *text) {
    tma_emulate_result *r = m->result;
    const uint32_t at = in ? (uint32_t)(in - m->program->code) : UINT32_MAX;
    uint32_t next = emu_numbered_first(&r->noted, at);
    for (; next; next = r->noted.row[next - 1].next) {
        emu_note_row *one = &r->note[r->noted.row[next - 1].number];
        if (one->in == in && text_same(one->text, text)) {
            one->count++;
            return;
        }
    }
    emu_note_row *grown = ptx_grow(r->memory, r->note, r->notes, sizeof *grown);
    if (grown && !emu_number(&r->noted, r->memory, m->program->instructions, at, r->notes)) {
        r->note = grown;
        r->note[r->notes++] = (emu_note_row){in, text, 1};
    }
}

void emu_note_copied(emu_machine *m, const emu_instruction *in, const char *text) {
    const char *kept = ptx_memory_text(m->result->memory, text, text_length(text));
    if (kept) {
        emu_note(m, in, kept);
    }
}

int emu_is_noted(const emu_machine *m, const emu_instruction *in) {
    return emu_numbered_first(&m->result->noted, (uint32_t)(in - m->program->code)) != 0;
}

emu_step emu_trap(emu_machine *m, const emu_warp *w, uint32_t lane, const emu_instruction *in,
                  const tma_finding *why) {
    char text[TMA_EMULATE_TEXT];
    tma_finding_text(text, sizeof text, why);
    const emu_who who = {.in = in,
                         .cta = w->cta->index,
                         .thread = w->index * EMU_LANES + lane,
                         .what = "copy",
                         .proxy = "async"};
    emu_report(m, TMA_EMULATE_RULE_TRAP, 1, &who, 0, text, 0);
    return emu_stop(m, TMA_EMULATE_TRAP, w, in, text);
}

/* Whether a wait is what lacks between the two; a fence that lacks lets no copy go on too long. */
static int is_of_wait(uint32_t rule) {
    return rule == TMA_EMULATE_RULE_PARITY_CONSTANT || rule == TMA_EMULATE_RULE_WAIT_MISSING ||
           rule == TMA_EMULATE_RULE_PROXY_LOAD || rule == TMA_EMULATE_RULE_STORE_REUSE;
}

/* Whether a race that is reported, and that a wait would end, is one of the instruction's. */
static int has_race(const tma_emulate_result *r, uint32_t instruction) {
    uint32_t next = emu_numbered_first(&r->about, instruction);
    for (; next; next = r->about.row[next - 1].next) {
        const tma_emulate_finding *f = &r->finding[r->about.row[next - 1].number];
        if (f->accesses == 2 && is_of_wait(f->rule) &&
            (f->access[0].instruction == instruction || f->access[1].instruction == instruction)) {
            return 1;
        }
    }
    return 0;
}

/* Whether a finding may be no more than what follows from a race: a value that nobody wrote, a copy
 * of that race which nobody waited for. */
static int follows(const tma_emulate_result *r, const tma_emulate_finding *f, int raced) {
    return (f->rule == TMA_EMULATE_RULE_UNINITIALISED && raced) ||
           (f->rule == TMA_EMULATE_RULE_EXIT_EARLY && f->accesses == 1 &&
            has_race(r, f->access[0].instruction));
}

#define GONE UINT32_MAX /* accesses of a finding that is none */

void emu_settle(emu_machine *m) {
    tma_emulate_result *r = m->result;
    uint32_t kept = 0;
    int raced = 0;
    for (uint32_t i = 0; i < r->findings; i++) {
        raced |= r->finding[i].accesses == 2;
    }
    for (uint32_t i = 0; i < r->findings; i++) { /* each where it is looked for */
        tma_emulate_finding *f = &r->finding[i];
        if (follows(r, f, raced)) {
            f->accesses = GONE;
            emu_note(
                m, &m->program->code[f->access[0].instruction],
                f->rule == TMA_EMULATE_RULE_UNINITIALISED
                    ? "a value that nobody wrote came here; it may follow from the race that is "
                      "reported"
                    : "the CTA ends before this copy is over; it may follow from the race that "
                      "is reported");
        }
    }
    for (uint32_t i = 0; i < r->findings; i++) {
        if (r->finding[i].accesses != GONE) {
            r->finding[kept++] = r->finding[i];
        }
    }
    r->findings = kept;
}
