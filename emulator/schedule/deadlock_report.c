/* SPDX-License-Identifier: Apache-2.0
 *
 * Who waits for what at a deadlock: one finding for each instruction at which threads wait, with
 * its barrier and what that lacks.
 */
#include "async.h"
#include "deadlock.h"
#include "places.h"
#include "run_report.h"
#include "sync.h"

/* Threads of a CTA that wait at one instruction for one thing. */
typedef struct group {
    const emu_instruction *in;
    emu_cta *cta;
    uint64_t number;
    uint8_t wait;            /* EMU_RUNS: they poll */
    uint32_t threads, first; /* how many; the first of them */
} group;

/* The shared address of the mbarrier that an instruction asks about. */
static uint64_t asked_barrier(emu_warp *w, const emu_fragment *f, const emu_instruction *in) {
    emu_fragment *now = w->now;
    const uint32_t space = in->spaces ? in->space[0] : (uint32_t)EMU_GENERIC;
    w->now = (emu_fragment *)(uintptr_t)f;
    const uint64_t address =
        emu_address(w, &in->operand[1], space, (uint32_t)__builtin_ctz(f->mask));
    w->now = now;
    return (uint32_t)(address - EMU_SHARED_WINDOW);
}

/* What one fragment waits for, as a group of its own. */
static group wait_of(emu_warp *w, const emu_fragment *f) {
    const emu_instruction *code = w->machine->program->code;
    group g = {.in = &code[f->pc],
               .cta = w->cta,
               .wait = f->wait,
               .threads = (uint32_t)__builtin_popcount(f->mask),
               .first = w->index * EMU_LANES + (uint32_t)__builtin_ctz(f->mask)};
    if (f->wait == EMU_WAITS_BARRIER) {
        g.number = f->number;
    } else if (f->wait == EMU_RUNS || f->wait == EMU_SLEEPS || f->wait == EMU_WAITS_MBARRIER) {
        g.in = &code[f->asks];
        g.wait = EMU_RUNS;
        if (g.in->op == EMU_OP_MBARRIER_TRY_WAIT || g.in->op == EMU_OP_MBARRIER_TEST_WAIT) {
            g.wait = EMU_WAITS_MBARRIER;
            g.number = asked_barrier(w, f, g.in);
        }
    }
    return g;
}

void emu_deadlock_thread(emu_warp *w, const emu_fragment *f, tma_emulate_thread *out) {
    const group g = wait_of(w, f);
    const char *name = emu_wait_name(g.wait);
    *out = (tma_emulate_thread){.line = emu_line(w->machine, g.in),
                                .waits = 1,
                                .waits_at = name[0] ? name : "memory",
                                .barrier = g.number};
}

static int is_same(const group *a, const group *b) {
    return a->in == b->in && a->wait == b->wait && a->number == b->number;
}

/* All that wait as a fragment does, in its CTA; threads 0: one that does came before it. */
static group group_of(emu_warp *w, const emu_fragment *like) {
    group g = wait_of(w, like);
    uint32_t threads = 0;
    int seen = 0;
    for (uint32_t i = 0; i < g.cta->warps; i++) {
        emu_warp *other = &g.cta->warp[i];
        for (const emu_fragment *f = other->fragments; f; f = f->next) {
            const group one = wait_of(other, f);
            seen |= f == like;
            if (is_same(&one, &g)) {
                if (!seen) {
                    g.threads = 0;
                    return g;
                }
                threads += one.threads;
            }
        }
    }
    g.threads = threads;
    return g;
}

static uint32_t exited(const emu_cta *cta) {
    return cta->threads - cta->running;
}

/* Lines of copies that tell an mbarrier and were never executed. */
static void put_copies(tma_out *out, const emu_machine *m) {
    uint32_t lines = 0;
    for (uint32_t i = m->kernel->first; i < m->kernel->end; i++) {
        const emu_instruction *in = &m->program->code[i];
        const int copies = in->op == EMU_OP_CP_BULK || in->op == EMU_OP_CP_TENSOR;
        if (copies && !m->executed[i] && lines < 4) {
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
            if (emu_look_of(to) == EMU_ACTS) {
                return 1;
            }
        }
    }
    return 0;
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
static uint32_t mbarrier_lacks(tma_out *out, const emu_machine *m, const group *g,
                               const emu_mbarrier *b) {
    const tma_barrier *s = &b->state;
    uint32_t rule = TMA_EMULATE_RULE_EXPECT_MISSING;
    if (has_constant_parity(g->in) && b->phase && is_in_loop(m, g->in)) {
        tma_putf(out, "the wait always names the same parity, and the barrier is in phase %llu",
                 (unsigned long long)b->phase);
        rule = TMA_EMULATE_RULE_PARITY_CONSTANT;
    } else if (s->arrivals_missing) {
        tma_putf(out, "%u of %u arrivals", s->arrivals_missing, s->count);
        rule = TMA_EMULATE_RULE_ARRIVE_MISSING;
    }
    if (s->bytes_missing_B > 0) {
        tma_putf(out, "%s%d bytes are expected that no copy under way brings",
                 out->length ? "; " : "", s->bytes_missing_B);
        put_bytes(out, m, b);
    } else if (s->bytes_missing_B < 0) {
        tma_putf(out, "%s%d bytes came that nobody expected", out->length ? "; " : "",
                 -s->bytes_missing_B);
        rule = TMA_EMULATE_RULE_EXPECT_MISSING;
    }
    put_copies(out, m);
    return rule;
}

static emu_mbarrier *barrier_of(const group *g) {
    const uint32_t address = (uint32_t)g->number, rank = address >> EMU_RANK_SHIFT;
    const emu_cluster *cluster = g->cta->cluster;
    return rank < cluster->ctas
               ? emu_mbarrier_at(cluster->cta[rank], address & ((1u << EMU_RANK_SHIFT) - 1))
               : NULL;
}

static uint32_t describe_mbarrier(tma_out *text, tma_out *lacks, const emu_machine *m,
                                  const group *g, tma_emulate_finding *f) {
    const uint32_t address = (uint32_t)g->number;
    const emu_mbarrier *b = barrier_of(g);
    tma_putf(text,
             "%u threads of CTA %llu wait for a phase of the mbarrier at 0x%x that nothing "
             "completes",
             g->threads, (unsigned long long)g->cta->index, address);
    f->has_barrier = 1;
    f->barrier_address = address;
    if (b) {
        tma_putf(text, " (phase %llu is open: %u arrivals and %d bytes are missing)",
                 (unsigned long long)b->phase, b->state.arrivals_missing, b->state.bytes_missing_B);
        f->barrier_phase = b->state.parity;
        f->arrivals_missing = b->state.arrivals_missing;
        f->bytes_missing_B = b->state.bytes_missing_B;
        return mbarrier_lacks(lacks, m, g, b);
    }
    return TMA_EMULATE_RULES;
}

/* ---- the others ---- */

/* Lanes of the first thread's warp that have not come to the group's instruction. */
static void describe_converge(tma_out *text, tma_out *lacks, const emu_machine *m, const group *g) {
    const emu_warp *w = &g->cta->warp[g->first / EMU_LANES];
    uint32_t here = 0;
    tma_putf(text,
             "%u threads of CTA %llu wait at an instruction that lanes of their warp execute "
             "together, and the others do not come",
             g->threads, (unsigned long long)g->cta->index);
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

static void describe_barrier(tma_out *text, tma_out *lacks, const group *g,
                             tma_emulate_finding *f) {
    uint32_t threads;
    const uint32_t missing = emu_named_missing(g->cta, (uint32_t)g->number, &threads);
    tma_putf(text, "%u threads of CTA %llu wait at barrier %u: %u of %u threads have not come",
             g->threads, (unsigned long long)g->cta->index, (uint32_t)g->number, missing, threads);
    f->has_barrier = 1;
    f->barrier_address = (uint32_t)g->number;
    f->arrivals_missing = missing;
    tma_putf(lacks, "%u threads of the CTA have exited", exited(g->cta));
}

static void describe_cluster(tma_out *text, tma_out *lacks, const group *g) {
    tma_putf(text, "%u threads of CTA %llu wait at the cluster's barrier", g->threads,
             (unsigned long long)g->cta->index);
    for (uint32_t rank = 0; rank < g->cta->cluster->ctas; rank++) {
        const emu_cta *cta = g->cta->cluster->cta[rank];
        tma_putf(lacks, "%sCTA %llu: %u of %u threads live", rank ? "; " : "",
                 (unsigned long long)cta->index, cta->running, cta->threads);
    }
}

static void describe_other(tma_out *text, tma_out *lacks, const emu_machine *m, const group *g) {
    if (g->wait == EMU_WAITS_GROUP) {
        tma_putf(text,
                 "%u threads of CTA %llu wait for a group of copies or MMAs that does not "
                 "complete",
                 g->threads, (unsigned long long)g->cta->index);
        return;
    }
    if (g->wait == EMU_WAITS_TENSOR) {
        tma_putf(text,
                 "%u threads of CTA %llu wait in tcgen05.alloc or .dealloc for columns that nobody "
                 "gives back, or for the other CTA of the pair",
                 g->threads, (unsigned long long)g->cta->index);
        return;
    }
    tma_putf(text, "%u threads of CTA %llu ask again and again for what no thread changes any more",
             g->threads, (unsigned long long)g->cta->index);
    if (m->begun < m->ctas) {
        tma_putf(lacks, "%llu of %llu CTAs have not begun: %llu are resident at once",
                 (unsigned long long)(m->ctas - m->begun), (unsigned long long)m->ctas,
                 (unsigned long long)m->room);
    }
}

/* The finding of a group of one CTA; those of others are counted there. */
static void put_barrier(tma_emulate_finding *f, const tma_emulate_finding *about, const group *g) {
    if (f && f->count == 1) {
        f->has_barrier = about->has_barrier;
        f->barrier_address = about->barrier_address;
        f->barrier_phase = about->barrier_phase;
        f->arrivals_missing = about->arrivals_missing;
        f->bytes_missing_B = about->bytes_missing_B;
        f->waiting = g->threads;
    }
}

static void report(emu_machine *m, const group *g, int certain, int is_cause) {
    char text_at[TMA_EMULATE_TEXT], lacks_at[TMA_EMULATE_TEXT];
    tma_out text = tma_out_into(text_at, sizeof(text_at));
    tma_out lacks = tma_out_into(lacks_at, sizeof(lacks_at));
    tma_emulate_finding about = {.rule = TMA_EMULATE_RULE_DEADLOCK};
    uint32_t cause = TMA_EMULATE_RULES;
    switch (g->wait) {
    case EMU_WAITS_MBARRIER:
        cause = describe_mbarrier(&text, &lacks, m, g, &about);
        break;
    case EMU_WAITS_CONVERGE:
        about.rule = TMA_EMULATE_RULE_DIVERGENCE;
        describe_converge(&text, &lacks, m, g);
        break;
    case EMU_WAITS_BARRIER:
        describe_barrier(&text, &lacks, g, &about);
        break;
    case EMU_WAITS_CLUSTER:
        describe_cluster(&text, &lacks, g);
        break;
    default:
        describe_other(&text, &lacks, m, g);
        break;
    }
    const emu_who who = {.in = g->in,
                         .cta = g->cta->index,
                         .thread = g->first,
                         .proxy = "generic",
                         .what = "wait",
                         .space = about.has_barrier ? EMU_SHARED_CTA : EMU_GENERIC,
                         .address = about.barrier_address};
    const char *missing = lacks_at[0] ? lacks_at : NULL;
    put_barrier(emu_report(m, about.rule, certain, &who, NULL, text_at, missing), &about, g);
    if (is_cause && cause != TMA_EMULATE_RULES) {
        put_barrier(emu_report(m, cause, certain, &who, NULL, text_at, missing), &about, g);
    }
}

/* Whether a phase has begun and not ended: what it lacks is a cause, not what follows of another.
 */
static int is_begun(const group *g) {
    const emu_mbarrier *b = g->wait == EMU_WAITS_MBARRIER ? barrier_of(g) : NULL;
    return b && (b->state.arrivals_missing != b->state.count || b->state.bytes_missing_B);
}

typedef struct causes {
    uint32_t begun; /* barriers whose phase has begun */
    uint32_t named;
    int follows; /* from what was found before */
} causes;

static void report_fragment(emu_machine *m, emu_warp *w, const emu_fragment *f, int certain,
                            causes *c, int counts) {
    const group g = group_of(w, f);
    if (!g.threads) {
        return;
    }
    if (counts) {
        c->begun += (uint32_t)is_begun(&g);
        return;
    }
    const int is_cause =
        g.wait == EMU_WAITS_MBARRIER && !c->follows && (c->begun ? is_begun(&g) : !c->named);
    c->named += (uint32_t)is_cause;
    report(m, &g, certain, is_cause);
}

void emu_deadlock_report(emu_machine *m, int certain) {
    causes c = {.follows = m->result->findings != 0};
    for (int counts = 1; counts >= 0; counts--) {
        for (uint64_t i = 0; i < m->residents; i++) {
            emu_cta *cta = m->resident[i];
            for (uint32_t warp = 0; warp < cta->warps; warp++) {
                for (const emu_fragment *f = cta->warp[warp].fragments; f; f = f->next) {
                    report_fragment(m, &cta->warp[warp], f, certain, &c, counts);
                }
            }
        }
    }
}
