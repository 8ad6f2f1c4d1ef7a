/* SPDX-License-Identifier: Apache-2.0
 *
 * Who waits for what at a deadlock: one finding for each cause, with its barrier, what that lacks,
 * and all who wait because of it.
 */
#include "async.h"
#include "deadlock.h"
#include "deadlock_groups.h"
#include "heap.h"
#include "places.h"
#include "registers.h"
#include "run_report.h"
#include "sync.h"
#include "tma/detail/chars.h"

void emu_deadlock_thread(emu_warp *w, const emu_fragment *f, tma_emulate_thread *out) {
    const emu_waiting g = emu_wait_of(w, f);
    const char *name = emu_wait_name(g.wait);
    *out = (tma_emulate_thread){.line = emu_line(w->machine, g.in),
                                .waits = 1,
                                .waits_at = name[0] ? name : "memory",
                                .barrier = g.number};
}

/* "wait", "waits": what a verb has behind a group of threads. */
static const char *waits(const emu_waiting *g) {
    return g->threads == 1 ? "s" : "";
}

/* Bytes may be missing or too many. */
static const char *bytes_plural(int32_t bytes_B) {
    return text_plural((uint64_t)(bytes_B < 0 ? -(int64_t)bytes_B : bytes_B));
}

static uint32_t exited(const emu_cta *cta) {
    return cta->threads - cta->running;
}

/* Lines of copies that tell an mbarrier and were never executed. */
static void put_copies(tma_out *out, const emu_machine *m) {
    uint32_t lines = 0;
    for (uint32_t i = m->kernel->first; i < m->kernel->end; i++) {
        const emu_instruction *in = &m->program->code[i];
        if (emu_brings_bytes(in) && !m->executed[i] && lines < 4) {
            tma_putf(out, "%s%u", lines++ ? ", " : "; copies that were not executed: line ",
                     emu_line(m, in));
        }
    }
}

/* ---- mbarriers ---- */

static int has_constant_parity(const emu_instruction *in) {
    return in->operands > 2 && in->operand[2].kind == EMU_REGISTER && in->operand[2].constant;
}

/* Whether an instruction lies in a loop that does more than ask. */
static int is_in_loop(const emu_machine *m, const emu_instruction *in) {
    const emu_instruction *code = m->program->code;
    const emu_function *f = &m->program->function[in->function];
    for (const emu_instruction *at = in; at < &code[f->end]; at++) {
        const int jumps = at->op == EMU_OP_BRA && at->operand[0].kind == EMU_LABEL;
        const emu_instruction *to = jumps ? &code[at->operand[0].number] : at;
        for (; jumps && to <= in && to < at; to++) {
            if (emu_look_of(m->program, to) == EMU_ACTS) {
                return 1;
            }
        }
    }
    return 0;
}

/* The first mbarrier of a cluster to which so many bytes came that nobody expected; null: none. */
static const emu_mbarrier *find_beyond(const emu_cluster *cluster, int32_t bytes_B) {
    for (uint32_t rank = 0; rank < cluster->ctas; rank++) {
        for (uint32_t at = 0; at < cluster->cta[rank]->shared_B; at += sizeof(uint64_t)) {
            const emu_mbarrier *b = emu_mbarrier_at(cluster->cta[rank], at);
            if (b && b->state.bytes_missing_B == -bytes_B) {
                return b;
            }
        }
    }
    return NULL;
}

static void put_elsewhere(tma_out *out, const emu_machine *m, const emu_waiting *g,
                          int32_t bytes_B) {
    const emu_mbarrier *other = find_beyond(g->cta->cluster, bytes_B);
    if (other) {
        tma_put(out, "; as many came unexpected to the mbarrier at ");
        emu_put_shared(out, m, other->offset);
    }
}

/* Which lines expect and bring the bytes of the open phase. */
static void put_bytes(tma_out *out, const emu_machine *m, const emu_mbarrier *b) {
    if (!b->expects_in) {
        return;
    }
    tma_putf(out, ": the phase expects %llu (line %u), and ", (unsigned long long)b->expected_B,
             emu_line(m, b->expects_in));
    if (b->brings_in) {
        tma_putf(out, "%llu came (line %u)", (unsigned long long)b->came_B,
                 emu_line(m, b->brings_in));
    } else {
        tma_putf(out, "none came");
    }
}

/* What a barrier lacks, and under which rule that is a cause; TMA_EMULATE_RULES: none. */
static uint32_t mbarrier_lacks(tma_out *out, const emu_machine *m, const emu_waiting *g,
                               const emu_mbarrier *b) {
    const tma_barrier *s = &b->state;
    uint32_t rule = TMA_EMULATE_RULE_EXPECT_MISSING;
    if (has_constant_parity(g->in) && b->phase && is_in_loop(m, g->in)) {
        tma_putf(out, "the wait always names the same parity, and the barrier is in phase %llu",
                 (unsigned long long)b->phase);
        rule = TMA_EMULATE_RULE_PARITY_CONSTANT;
    } else if (s->arrivals_missing) {
        tma_putf(out, "%u of %u arrival%s", s->arrivals_missing, s->count, text_plural(s->count));
        rule = TMA_EMULATE_RULE_ARRIVE_MISSING;
    }
    if (s->bytes_missing_B > 0) {
        tma_putf(out, "%s%d byte%s expected that no copy under way brings", out->length ? "; " : "",
                 s->bytes_missing_B, s->bytes_missing_B == 1 ? " is" : "s are");
        put_bytes(out, m, b);
        put_elsewhere(out, m, g, s->bytes_missing_B);
    } else if (s->bytes_missing_B < 0) {
        tma_putf(out, "%s%d byte%s came that nobody expected", out->length ? "; " : "",
                 -s->bytes_missing_B, bytes_plural(s->bytes_missing_B));
        rule = TMA_EMULATE_RULE_EXPECT_MISSING;
    }
    put_copies(out, m);
    return rule;
}

static uint32_t describe_mbarrier(tma_out *text, tma_out *lacks, const emu_machine *m,
                                  const emu_waiting *g, tma_emulate_finding *f) {
    const uint32_t address = (uint32_t)g->number;
    const emu_mbarrier *b = emu_waited_for(g);
    tma_putf(text, "%u thread%s of CTA %llu wait%s for a phase of the mbarrier at ", g->threads,
             text_plural(g->threads), (unsigned long long)g->cta->index, waits(g));
    emu_put_shared(text, m, address);
    tma_put(text, " that nothing completes");
    f->has_barrier = 1;
    f->barrier_address = address;
    if (b) {
        const int32_t bytes_B = b->state.bytes_missing_B;
        tma_putf(text, " (phase %llu is open: %u arrival%s and %d byte%s are missing)",
                 (unsigned long long)b->phase, b->state.arrivals_missing,
                 text_plural(b->state.arrivals_missing), bytes_B, bytes_plural(bytes_B));
        f->barrier_phase = b->state.parity;
        f->arrivals_missing = b->state.arrivals_missing;
        f->bytes_missing_B = b->state.bytes_missing_B;
        return mbarrier_lacks(lacks, m, g, b);
    }
    return TMA_EMULATE_RULES;
}

/* ---- the others ---- */

/* Lanes of the first thread's warp that have not come to the group's instruction. */
static void describe_converge(tma_out *text, tma_out *lacks, const emu_machine *m,
                              const emu_waiting *g) {
    const emu_warp *w = &g->cta->warp[g->first / EMU_LANES];
    uint32_t here = 0;
    tma_putf(text,
             "%u thread%s of CTA %llu wait%s at an instruction that lanes of their warp execute "
             "together, and the others do not come",
             g->threads, text_plural(g->threads), (unsigned long long)g->cta->index, waits(g));
    for (const emu_fragment *f = w->fragments; f; f = f->next) {
        here |= f->pc == (uint32_t)(g->in - m->program->code) ? f->mask : 0;
    }
    for (const emu_fragment *f = w->fragments; f; f = f->next) {
        if (!(f->mask & here)) {
            tma_putf(lacks, "lanes 0x%x are at line %u; ", f->mask,
                     emu_line(m, &m->program->code[f->pc]));
        }
    }
    if (w->exists & ~w->live) {
        tma_putf(lacks, "lanes 0x%x have exited", w->exists & ~w->live);
    }
}

static void describe_barrier(tma_out *text, tma_out *lacks, const emu_waiting *g,
                             tma_emulate_finding *f) {
    uint32_t threads;
    const uint32_t missing = emu_named_missing(g->cta, (uint32_t)g->number, &threads);
    tma_putf(text, "%u thread%s of CTA %llu wait%s at barrier %u: %u of %u thread%s %s not come",
             g->threads, text_plural(g->threads), (unsigned long long)g->cta->index, waits(g),
             (uint32_t)g->number, missing, threads, text_plural(threads),
             missing == 1 ? "has" : "have");
    f->has_barrier = 1;
    f->barrier_address = (uint32_t)g->number;
    f->arrivals_missing = missing;
    tma_putf(lacks, "%u thread%s of the CTA %s exited", exited(g->cta), text_plural(exited(g->cta)),
             exited(g->cta) == 1 ? "has" : "have");
}

static void describe_cluster(tma_out *text, tma_out *lacks, const emu_waiting *g) {
    tma_putf(text, "%u thread%s of CTA %llu wait%s at the cluster's barrier", g->threads,
             text_plural(g->threads), (unsigned long long)g->cta->index, waits(g));
    for (uint32_t rank = 0; rank < g->cta->cluster->ctas; rank++) {
        const emu_cta *cta = g->cta->cluster->cta[rank];
        tma_putf(lacks, "%sCTA %llu: %u of %u thread%s live", rank ? "; " : "",
                 (unsigned long long)cta->index, cta->running, cta->threads,
                 text_plural(cta->threads));
    }
}

static void describe_registers(tma_out *text, tma_out *lacks, const emu_waiting *g) {
    emu_register_sum sum;
    emu_registers_lack(g->cta, &sum);
    tma_putf(text, "%u thread%s of CTA %llu wait%s in setmaxnreg.inc for %llu registers each",
             g->threads, text_plural(g->threads), (unsigned long long)g->cta->index, waits(g),
             (unsigned long long)g->in->operand[0].number);
    tma_putf(
        lacks,
        "%u threads of the CTA would have %llu registers; at the launch they had %llu, %u each",
        sum.threads, (unsigned long long)sum.wanted, (unsigned long long)sum.threads * sum.first,
        sum.first);
}

static void describe_other(tma_out *text, tma_out *lacks, const emu_machine *m,
                           const emu_waiting *g) {
    if (g->wait == EMU_WAITS_GROUP) {
        tma_putf(text,
                 "%u thread%s of CTA %llu wait%s for a group of copies or MMAs that does not "
                 "complete",
                 g->threads, text_plural(g->threads), (unsigned long long)g->cta->index, waits(g));
        return;
    }
    if (g->wait == EMU_WAITS_TENSOR) {
        tma_putf(text,
                 "%u thread%s of CTA %llu wait%s in tcgen05.alloc or .dealloc for columns that "
                 "nobody gives back, or for the other CTA of the pair",
                 g->threads, text_plural(g->threads), (unsigned long long)g->cta->index, waits(g));
        return;
    }
    tma_putf(text,
             "%u thread%s of CTA %llu ask%s again and again for what no thread changes any more",
             g->threads, text_plural(g->threads), (unsigned long long)g->cta->index, waits(g));
    if (m->begun < m->ctas) {
        const uint64_t left = m->ctas - m->begun;
        tma_putf(lacks, "%llu of %llu CTAs %s not begun: %llu %s resident at once",
                 (unsigned long long)left, (unsigned long long)m->ctas, left == 1 ? "has" : "have",
                 (unsigned long long)m->room, m->room == 1 ? "is" : "are");
    }
}

/* Adds a group to those that a finding explains; groups of other CTAs at the same instruction are
 * one with it. */
static void put_wait(tma_emulate_finding *f, const emu_machine *m, const emu_waiting *g) {
    const uint32_t instruction = (uint32_t)(g->in - m->program->code);
    const char *name = emu_wait_name(g->wait);
    const char *at = name[0] ? name : "memory";
    for (uint32_t i = 0; i < f->waits && i < TMA_EMULATE_WAITS; i++) {
        if (f->wait[i].instruction == instruction && f->wait[i].cta != g->cta->index &&
            text_same(f->wait[i].waits_at, at)) {
            return;
        }
    }
    if (f->waits < TMA_EMULATE_WAITS) {
        f->wait[f->waits] = (tma_emulate_wait){.instruction = instruction,
                                               .line = emu_line(m, g->in),
                                               .cta = g->cta->index,
                                               .thread = g->first,
                                               .threads = g->threads,
                                               .waits_at = at,
                                               .barrier = g->number};
    }
    f->waits++;
}

/* The finding of a group of one CTA; those of others are counted there. */
static void put_barrier(tma_emulate_finding *f, const tma_emulate_finding *about,
                        const emu_waiting *g) {
    if (!f->waits) {
        f->has_barrier = about->has_barrier;
        f->barrier_address = about->barrier_address;
        f->barrier_phase = about->barrier_phase;
        f->arrivals_missing = about->arrivals_missing;
        f->bytes_missing_B = about->bytes_missing_B;
        f->waiting = g->threads;
    }
}

/* What a group waits for, in words; the rule under which what it lacks is a cause. */
static uint32_t describe(tma_out *text, tma_out *lacks, const emu_machine *m, const emu_waiting *g,
                         tma_emulate_finding *about) {
    switch (g->wait) {
    case EMU_WAITS_MBARRIER:
        return describe_mbarrier(text, lacks, m, g, about);
    case EMU_WAITS_CONVERGE:
        about->rule = TMA_EMULATE_RULE_DIVERGENCE;
        describe_converge(text, lacks, m, g);
        break;
    case EMU_WAITS_BARRIER:
        describe_barrier(text, lacks, g, about);
        break;
    case EMU_WAITS_CLUSTER:
        describe_cluster(text, lacks, g);
        break;
    case EMU_WAITS_REGISTERS:
        describe_registers(text, lacks, g);
        break;
    default:
        describe_other(text, lacks, m, g);
        break;
    }
    return TMA_EMULATE_RULES;
}

/* The cause under which threads that wait at an instruction were reported at a standstill before;
 * TMA_EMULATE_RULES: they were not, or what another barrier lacks is another cause. */
static uint32_t rule_before(const emu_machine *m, const emu_instruction *in,
                            const tma_emulate_finding *about, uint32_t cause) {
    const tma_emulate_result *r = m->result;
    const uint32_t at = (uint32_t)(in - m->program->code);
    uint32_t next = emu_numbered_first(&r->about, at);
    for (; next; next = r->about.row[next - 1].next) {
        const tma_emulate_finding *f = &r->finding[r->about.row[next - 1].number];
        const int is_other = cause != TMA_EMULATE_RULES && cause != f->rule &&
                             f->rule != TMA_EMULATE_RULE_DEADLOCK &&
                             ((f->barrier_address ^ about->barrier_address) & EMU_OFFSET_BITS) != 0;
        if (f->waits && f->access[0].instruction == at && !is_other) {
            return f->rule;
        }
    }
    return TMA_EMULATE_RULES;
}

static tma_emulate_finding *report(emu_machine *m, const emu_waiting *g, int certain,
                                   int is_cause) {
    char text_at[TMA_EMULATE_TEXT], lacks_at[TMA_EMULATE_TEXT];
    tma_out text = tma_out_into(text_at, sizeof(text_at));
    tma_out lacks = tma_out_into(lacks_at, sizeof(lacks_at));
    tma_emulate_finding about = {.rule = TMA_EMULATE_RULE_DEADLOCK};
    certain &= g->wait != EMU_WAITS_REGISTERS || emu_registers_are_known(g->cta);
    const uint32_t cause = describe(&text, &lacks, m, g, &about);
    const uint32_t before = rule_before(m, g->in, &about, cause);
    if (before != TMA_EMULATE_RULES) {
        about.rule = before;
    } else if (is_cause && cause != TMA_EMULATE_RULES) {
        about.rule = cause;
    }
    const emu_who who = {.in = g->in,
                         .cta = g->cta->index,
                         .thread = g->first,
                         .proxy = "generic",
                         .what = "wait",
                         .space = about.has_barrier ? EMU_SHARED_CTA : EMU_GENERIC,
                         .address = about.barrier_address};
    tma_emulate_finding *f =
        emu_report(m, about.rule, certain, &who, NULL, text_at, lacks_at[0] ? lacks_at : NULL);
    if (f) {
        put_barrier(f, &about, g);
        put_wait(f, m, g);
    }
    return f;
}

/* One finding for each group that waits because of no other, with those that wait because of it. */
static void report_groups(emu_machine *m, const emu_waiting *group, uint32_t groups, int certain) {
    const int follows = m->result->findings != 0; /* from what was found before */
    uint32_t begun = 0, named = 0;
    for (uint32_t i = 0; i < groups; i++) {
        begun += (uint32_t)(group[i].cause == EMU_NO_CAUSE && emu_is_begun(&group[i]));
    }
    for (uint32_t i = 0; i < groups; i++) {
        if (group[i].cause != EMU_NO_CAUSE) {
            continue;
        }
        const int is_cause = group[i].wait == EMU_WAITS_MBARRIER && !follows &&
                             (begun ? emu_is_begun(&group[i]) : !named);
        named += (uint32_t)is_cause;
        tma_emulate_finding *f = report(m, &group[i], certain, is_cause);
        for (uint32_t k = 0; f && k < groups; k++) {
            if (group[k].cause == i) {
                put_wait(f, m, &group[k]);
            }
        }
    }
}

void emu_deadlock_report(emu_machine *m, int certain) {
    uint32_t groups;
    emu_waiting *group = emu_waiting_groups(m, &groups);
    if (group) {
        emu_waiting_causes(m, group, groups);
        report_groups(m, group, groups, certain);
    }
    emu_give(m, group);
}
