/* SPDX-License-Identifier: Apache-2.0
 *
 * When no thread can move. Threads that are blocked stay so; each other one is followed for some
 * turns of its loop: one whose registers are at a jump back what they were at it before goes round
 * for ever, since nobody writes memory. Where that holds for all, it is proved. The clock stands
 * while one is followed: of a loop that reads it, a time-out may still run, and the clock leaps.
 * Where some count, their own time-outs may still run, for so many instructions.
 */
#include "deadlock.h"

#include "places.h"
#include "run_report.h"
#include "threads.h"

#define JUMPS      64u    /* back, that a fragment is followed for */
#define STEPS      4096u  /* instructions */
#define FOLLOWED   65536u /* instructions; those behind them are only run */
#define LEAP_FIRST (UINT64_C(1) << 20)
#define LEAP_MOST  (UINT64_C(1) << 44)

/* ---- one fragment ---- */

typedef enum loop {
    LOOP_ACTS,    /* it does something that others see, or ends */
    LOOP_ENDLESS, /* proved */
    LOOP_TIMES,   /* so while the clock stands, and it asks an mbarrier */
    LOOP_WAITS,   /* it asks and counts */
    LOOP_READS,   /* it reads and counts, or lets time pass: perhaps something long */
} loop;

static uint64_t mix(uint64_t hash, const void *bytes, size_t size_B) {
    const uint64_t *word = bytes;
    for (size_t i = 0; i < size_B / sizeof(*word); i++) {
        hash = (hash ^ word[i]) * UINT64_C(0x9fb21c651e98df25);
        hash ^= hash >> 28;
    }
    return hash;
}

/* All that a fragment is: where, whose, with which registers. */
static uint64_t state_of(const emu_fragment *f) {
    uint64_t hash = ((uint64_t)f->pc << 32 | f->mask) * UINT64_C(0x9fb21c651e98df25);
    for (const emu_frame *frame = f->frame; frame; frame = frame->caller) {
        hash =
            mix(hash ^ (uintptr_t)frame, frame->slots, (size_t)frame->function->slots * EMU_SLOT_B);
    }
    return hash;
}

static int is_blocked(const emu_fragment *f) {
    return f->wait != EMU_RUNS && f->wait != EMU_SLEEPS && f->wait != EMU_WAITS_MBARRIER;
}

/* The shared address of the mbarrier that a fragment asks about now. */
static uint32_t asked_barrier(emu_warp *w, emu_fragment *f, const emu_instruction *in) {
    const uint32_t space = in->spaces ? in->space[0] : (uint32_t)EMU_GENERIC;
    w->now = f;
    return (uint32_t)emu_address(w, &in->operand[1], space, (uint32_t)__builtin_ctz(f->mask));
}

/* Notes where a fragment looks at what others write; whether it waits for it there, and whether it
 * looks at the clock. */
static int asks(emu_warp *w, emu_fragment *f, int *times) {
    const emu_instruction *in = &w->machine->program->code[f->pc];
    *times |= in->op == EMU_OP_TIME;
    if (emu_look_of(w->machine->program, in) == EMU_LOOKS && in->op != EMU_OP_TIME &&
        in->op != EMU_OP_NANOSLEEP) {
        f->asks = f->pc;
    }
    f->asked = emu_asks_mbarrier(in) ? asked_barrier(w, f, in) : f->asked;
    return emu_asks_mbarrier(in);
}

/* Some instructions of a fragment that is not blocked; 1: others see something of it. */
static int run_on(emu_machine *m, emu_warp *w, emu_fragment *f, uint32_t instructions,
                  uint64_t *looked, emu_turn *turn) {
    const uint64_t progress = m->progress;
    f->gives_up = f->wait == EMU_WAITS_MBARRIER;
    *turn = emu_turn_run(w, f, (emu_budget){.acts = instructions, .instructions = instructions});
    m->instructions += turn->lanes;
    *looked += turn->instructions ? turn->instructions : 1;
    if (turn->looks >> EMU_ACTS & 1 || m->progress != progress || w->now != f || m->stopped) {
        emu_progress_near(m, w->cta->cluster);
        return 1;
    }
    return 0;
}

/* The same once so much was followed; where it asks is seen in its first instructions. */
static loop run_long(emu_machine *m, emu_warp *w, emu_fragment *f, uint64_t *looked) {
    emu_turn turn;
    int times = 0;
    f->asks = f->pc;
    for (uint32_t step = 0; step < JUMPS && !is_blocked(f); step++) {
        asks(w, f, &times);
        if (run_on(m, w, f, 1, looked, &turn)) {
            return LOOP_ACTS;
        }
    }
    for (uint64_t until = *looked + STEPS; *looked < until;) {
        if (run_on(m, w, f, STEPS, looked, &turn)) {
            return LOOP_ACTS;
        }
        if (is_blocked(f)) {
            emu_asked(w->cta, f);
            return LOOP_ENDLESS;
        }
    }
    return emu_asks_mbarrier(&m->program->code[f->asks]) ? LOOP_WAITS : LOOP_READS;
}

/* Whether a fragment came to this state before, at one of its jumps back; else it is kept. */
static int came_back(const emu_fragment *f, uint64_t before[JUMPS], uint32_t *jumps) {
    const uint64_t state = state_of(f);
    for (uint32_t i = 0; i < *jumps; i++) {
        if (before[i] == state) {
            return 1;
        }
    }
    before[(*jumps)++] = state;
    return 0;
}

/* Follows a fragment, an instruction at a time; the clock stands. */
static loop follow_steps(emu_machine *m, emu_warp *w, emu_fragment *f, uint64_t *looked) {
    uint64_t before[JUMPS];
    uint32_t jumps = 0;
    int waits = 0;
    int times = 0;
    f->asks = f->pc;
    for (uint32_t step = 0; step < STEPS && jumps < JUMPS; step++) {
        const uint32_t pc = f->pc;
        const uint64_t clock = m->instructions + m->clock_leap;
        emu_turn turn;
        waits |= asks(w, f, &times);
        const int acts = run_on(m, w, f, 1, looked, &turn);
        m->clock_leap = clock - m->instructions;
        if (acts) {
            return LOOP_ACTS;
        }
        if (is_blocked(f)) {
            emu_asked(w->cta, f);
            return LOOP_ENDLESS;
        }
        const int jumped = f->pc <= pc && !(f->pc == pc && turn.step == EMU_BLOCKED);
        if (jumped && came_back(f, before, &jumps)) {
            return !times ? LOOP_ENDLESS : waits ? LOOP_TIMES : LOOP_READS;
        }
    }
    return waits ? LOOP_WAITS : LOOP_READS;
}

/* Follows a fragment that is not blocked. */
static loop follow(emu_machine *m, emu_warp *w, emu_fragment *f, uint64_t *looked) {
    if (*looked > FOLLOWED) {
        return run_long(m, w, f, looked);
    }
    const uint64_t begun = m->instructions;
    const loop found = follow_steps(m, w, f, looked);
    m->clock_leap += m->instructions - begun;
    return found;
}

/* ---- all of them ---- */

typedef struct still {
    int acts, times, waits, reads;
} still;

static void look_at_warp(emu_machine *m, emu_warp *w, int patient, still *s) {
    for (emu_fragment *f = w->fragments; f && !s->acts && !m->stopped; f = f->next) {
        if (!is_blocked(f) && !(patient && f->wait == EMU_WAITS_MBARRIER)) {
            w->cta->rests = 0; /* its time-outs may run */
            const loop found = follow(m, w, f, &m->looked);
            s->acts |= found == LOOP_ACTS;
            s->times |= found == LOOP_TIMES;
            s->waits |= found == LOOP_WAITS;
            s->reads |= found == LOOP_READS;
            if (s->acts) {
                return; /* f may be gone */
            }
        }
    }
}

/* patient: a try_wait that waits goes on waiting. */
static still look_at_all(emu_machine *m, int patient) {
    still s = {0, 0, 0, 0};
    if (m->still_at != m->progress) { /* something moved since the last time */
        m->looked = 0;
        m->impatient = 0;
    }
    for (uint64_t i = 0; i < m->residents && !s.acts; i++) {
        emu_cta *cta = m->resident[i];
        for (uint32_t warp = 0; warp < cta->warps && !s.acts && !(patient && emu_rests(cta));
             warp++) {
            look_at_warp(m, &cta->warp[warp], patient, &s);
        }
    }
    m->still_at = m->progress;
    return s;
}

int emu_can_move(emu_machine *m) {
    const still s = look_at_all(m, 1);
    return !m->stopped && (s.acts || (s.reads && m->looked < EMU_STILL_MOST));
}

static int release_joins(emu_machine *m) {
    int released = 0;
    for (uint64_t i = 0; i < m->residents; i++) {
        emu_cta *cta = m->resident[i];
        for (uint32_t warp = 0; warp < cta->warps; warp++) {
            released |= emu_release_join(&cta->warp[warp]);
        }
    }
    return released;
}

static int is_over(emu_machine *m) {
    emu_stop(m, TMA_EMULATE_DEADLOCK, NULL, NULL, "no thread can move");
    return 0;
}

int emu_still(emu_machine *m) {
    if (release_joins(m)) {
        emu_progress(m);
        return 1;
    }
    const still s = look_at_all(m, 0);
    if (s.acts || m->stopped) {
        return !m->stopped;
    }
    const int tires = m->looked >= EMU_STILL_MOST;
    const int all_resident = m->begun == m->ctas;
    if (!s.reads && !m->impatient) {
        emu_deadlock_report(m, all_resident);
        m->impatient = 1;
    } else if (tires && !m->impatient) {
        emu_deadlock_report(m, 0);
    }
    const int leaps = m->clock_leap < LEAP_MOST;
    if (tires || (!s.reads && !s.waits && !(s.times && leaps))) {
        return is_over(m);
    }
    m->clock_leap += m->clock_leap < LEAP_FIRST ? LEAP_FIRST : leaps ? m->clock_leap : 0;
    return 1;
}
