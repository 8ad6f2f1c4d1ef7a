/* SPDX-License-Identifier: Apache-2.0
 *
 * Rounds over resident warps, and what is done when nothing moves.
 */
#include "schedule.h"

#include "async.h"
#include "deadlock.h"
#include "run_report.h"
#include "straight.h"
#include "threads.h"
#include "tma/detail/assert.h"
#include "undefined.h"

#define TURN_ACTS         128u       /* of a turn */
#define TURN_ACTS_POLLING 2u         /* of a fragment that did nothing but look in its last turn */
#define TURN_MOST         (1u << 14) /* instructions, of a loop that nobody else sees */
#define TURN_MOST_SEEDED  64u
#define PROGRESS_EVERY    (UINT64_C(1) << 24)
#define MOST              (UINT64_C(1) << 40)

typedef struct schedule {
    uint64_t cta, warp; /* whose turn it is */
    int moved;          /* in this round, something did */
    int asked, far; /* in the turns of this CTA somebody was; somebody waits for other clusters */
    uint64_t told;  /* instructions when progress() was called last */
    uint64_t random;
} schedule;

int emu_schedule_begin(emu_machine *m) {
    schedule *s = ptx_memory_take(&m->memory, 1, sizeof(*s));
    m->schedule_state = s;
    m->looks = ptx_memory_take(&m->memory, m->program->instructions + 1u, 1);
    m->executed = ptx_memory_take(&m->memory, m->program->instructions + 1u, sizeof(uint32_t));
    if (!s || !m->looks || !m->executed) {
        return -1;
    }
    s->random = m->seed;
    for (uint32_t i = 0; i < m->program->instructions; i++) {
        m->looks[i] = (uint8_t)(1u << emu_look_of(m->program, &m->program->code[i]));
    }
    if ((m->tracks && emu_undefined_begin(m)) || emu_straight_begin(m)) {
        return -1;
    }
    return emu_threads_begin(m) || emu_residents_begin(m) ? -1 : 0;
}

static uint32_t draw(schedule *s, uint32_t below) {
    return (uint32_t)((emu_random(&s->random) >> 32) * below >> 32);
}

/* Whether it is worth asking a fragment: it runs, or something has moved since it waited. */
static int may_run(const emu_cta *cta, const emu_fragment *f) {
    return f->wait == EMU_RUNS || f->wait == EMU_SLEEPS || emu_is_asked_again(cta, f);
}

static uint64_t most_instructions(const emu_machine *m) {
    return m->launch->most_instructions ? m->launch->most_instructions : MOST;
}

static emu_budget budget_of(const emu_machine *m, schedule *s, const emu_fragment *f) {
    if (m->schedule == TMA_EMULATE_SEEDED) {
        const uint32_t drawn = 1 + draw(s, TURN_MOST_SEEDED);
        return (emu_budget){.acts = drawn, .instructions = drawn};
    }
    const uint64_t most = most_instructions(m);
    /* of a warp, whose lanes may all execute each */
    const uint64_t left = m->instructions < most ? (most - m->instructions) / EMU_LANES + 1 : 1;
    return (emu_budget){
        .acts = f->polls ? TURN_ACTS_POLLING : TURN_ACTS,
        .instructions = left < TURN_MOST ? (uint32_t)left : TURN_MOST,
    };
}

/* A turn of one fragment. */
static void take_turn(emu_machine *m, schedule *s, emu_warp *w, emu_fragment *f) {
    const uint64_t progress = m->progress;
    const emu_turn turn = emu_turn_run(w, f, budget_of(m, s, f));
    m->instructions += turn.lanes;
    if (turn.looks >> EMU_ACTS & 1) {
        emu_progress_near(m, w->cta->cluster);
    }
    const int acted = m->progress != progress;
    f = w->now;
    if (!f) { /* its lanes are gone, or wait for others of their warp */
        s->moved = 1;
        return;
    }
    if (turn.step == EMU_BLOCKED) {
        f->polls = 0;
        emu_asked(w->cta, f);
        s->moved |= turn.instructions > 0;
        return;
    }
    f->polls = !acted && turn.looks >> EMU_LOOKS & 1;
    s->moved |= !f->polls;
}

/* A turn of each fragment of a warp; those that it makes meanwhile come first next time. */
static void warp_turns(emu_machine *m, schedule *s, emu_warp *w) {
    uint32_t fragments = 0;
    for (const emu_fragment *f = w->fragments; f; f = f->next) {
        fragments++;
    }
    for (; fragments && w->fragments && !m->stopped; fragments--) {
        emu_fragment *f = w->fragments;
        if (f->next) { /* to the end of the list */
            emu_fragment *last = f;
            while (last->next) {
                last = last->next;
            }
            w->fragments = f->next;
            last->next = f;
            f->next = NULL;
        }
        const int may = may_run(w->cta, f);
        s->asked |= may;
        s->far |= emu_waits_far(f);
        if (m->schedule == TMA_EMULATE_SEEDED && draw(s, 4) == 0) {
            s->moved |= may && !f->polls;
        } else if (may) {
            take_turn(m, s, w, f);
        }
    }
}

/* Behind the last warp of a CTA: if it was asked nothing, nothing is asked of it until something
 * moves. A seeded schedule draws for each fragment. */
static void end_cta(emu_machine *m, schedule *s) {
    emu_cta *cta = m->resident[s->cta++];
    cta->rests = (uint8_t)(!s->asked && m->schedule != TMA_EMULATE_SEEDED);
    cta->rests_far = (uint8_t)s->far;
    cta->progress = m->progress;
    cta->near = m->everywhere + cta->cluster->progress;
    s->warp = 0;
    s->asked = s->far = 0;
}

/* Nothing moved in a round: what may go on without a thread. 0: the run is over. */
static int without_threads(emu_machine *m) {
    if (emu_can_move(m)) {
        return 1;
    }
    if (m->stopped) {
        return 0;
    }
    if (emu_async_advance(m)) {
        return 1;
    }
    if (!m->stopped && emu_residents_add_held(m)) {
        emu_progress(m);
        return 1;
    }
    return !m->stopped && emu_still(m);
}

/* Behind the last warp of a round. */
static int end_round(emu_machine *m, schedule *s) {
    s->cta = s->warp = 0;
    const int moved = s->moved;
    s->moved = 0;
    if (emu_residents_remove(m) || m->stopped) {
        return 0;
    }
    if (!m->residents) {
        return 0;
    }
    if (moved && m->schedule == TMA_EMULATE_SEEDED && draw(s, 4) == 0) {
        (void)emu_async_advance(m);
    }
    return moved || without_threads(m);
}

/* Limits and the caller's wish, now and then. */
static void look_up(emu_machine *m, schedule *s) {
    const uint64_t most = most_instructions(m);
    if (m->instructions >= most) {
        char text[96];
        tma_out out = tma_out_into(text, sizeof(text));
        tma_putf(&out, "the limit of %llu thread instructions is reached",
                 (unsigned long long)most);
        emu_stop(m, TMA_EMULATE_LIMIT, NULL, NULL, text);
    } else if (m->instructions - s->told >= PROGRESS_EVERY) {
        s->told = m->instructions;
        if (m->host->progress && m->host->progress(m->host->context, m->instructions)) {
            emu_stop(m, TMA_EMULATE_CANCELLED, NULL, NULL, "cancelled");
        }
    }
}

int emu_schedule_run(emu_machine *m, uint64_t until) {
    schedule *s = m->schedule_state;
    while (!m->stopped && m->residents) {
        if (m->instructions >= until) {
            return 1;
        }
        if (s->cta == m->residents) {
            if (!end_round(m, s)) {
                break;
            }
            continue;
        }
        emu_cta *cta = m->resident[s->cta];
        if (!s->warp && emu_rests(cta)) {
            s->cta++;
        } else if (s->warp < cta->warps) {
            warp_turns(m, s, &cta->warp[s->warp++]);
            look_up(m, s);
        } else {
            end_cta(m, s);
        }
    }
    return 0;
}
