/* SPDX-License-Identifier: Apache-2.0
 *
 * The main loop: a fragment's instructions one after another.
 */
#include "matrix_wgmma.h"
#include "order.h"
#include "run_report.h"
#include "run_watch.h"
#include "schedule.h"
#include "straight.h"
#include "threads.h"
#include "undefined.h"

/* A fragment goes on, in the frame that is its own now: where it has to stop and look whether it
 * meets others. */
static uint32_t goes_on(emu_warp *w, const emu_fragment *f) {
    w->slots = f->frame->slots;
    return f->join && f->join->frame == f->frame ? f->join->pc : EMU_NONE;
}

static uint32_t lanes_in(uint32_t mask) {
    return mask == UINT32_MAX ? EMU_LANES : (uint32_t)__builtin_popcount(mask);
}

/* A run's instructions for the same lanes: how many before one ended the launch. */
static inline uint32_t compute(emu_warp *w, const emu_instruction *in, uint32_t length,
                               uint32_t mask) {
    for (const emu_instruction *at = in; at < in + length; at++) {
        if (at->run(w, at, mask) != EMU_NEXT) {
            return (uint32_t)(at - in);
        }
    }
    return length;
}

/* Whether a straight run begins that can be executed at once. */
static inline int is_straight(const emu_warp *w, const emu_straight *s, uint32_t mask,
                              uint32_t most, int tracks) {
    return s->length && s->length <= most && !(w->asks & mask) && !w->busy &&
           (!tracks || emu_straight_has_values(w, s, mask));
}

/* It is executed: how many instructions that was. */
static inline uint32_t run_straight(emu_warp *w, emu_straight *s, uint32_t mask, int tracks,
                                    emu_turn *turn) {
    const emu_machine *m = w->machine;
    const uint32_t pc = w->now->pc;
    const uint32_t done = compute(w, &m->program->code[pc], s->length, mask);
    turn->lanes += (uint64_t)done * lanes_in(mask);
    turn->instructions += done;
    if (done < s->length) {
        turn->step = EMU_STOPPED;
        for (uint32_t i = pc; i < pc + done; i++) {
            m->executed[i] += m->executed[i] != UINT32_MAX;
        }
        return done;
    }
    s->executed += s->executed != UINT32_MAX;
    if (tracks) {
        emu_straight_gives_values(w, s, mask);
    }
    return done;
}

/* A fragment's way through its instructions, until it ends, waits, or `left` is none. */
typedef struct way {
    emu_warp *w;
    const emu_machine *m;
    const emu_instruction *code;
    const uint8_t *looks_of;
    uint32_t *executed;
    emu_fragment *f;
    uint32_t join;   /* where it may meet others */
    uint32_t looked; /* since the last jump back */
    emu_budget left;
    emu_turn turn;
} way;

/* What comes behind an instruction: the next one, another way, nothing. */
typedef enum after { GOES_ON, JUMPED, ENDS } after;

/* `tracks` and `watched` below are constants of each caller, so that nothing of it is asked at each
 * instruction, and all of it is one function. */
#define EACH_INSTRUCTION static inline __attribute__((always_inline))

EACH_INSTRUCTION uint32_t guarded(const emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const uint32_t p = *(const uint32_t *)emu_lanes(w, in->guard);
    return mask & (in->guard_negated ? ~p : p);
}

/* One act more: the last instruction if there may be no other. */
EACH_INSTRUCTION void acts(way *y) {
    y->left.instructions = --y->left.acts ? y->left.instructions : 1;
}

EACH_INSTRUCTION void count(way *y, uint32_t pc, uint32_t mask) {
    const uint8_t looks = y->looks_of[pc];
    y->turn.lanes += lanes_in(mask);
    y->turn.looks |= looks;
    y->looked |= looks >> EMU_LOOKS & 1u;
    if (looks >> EMU_ACTS & 1) {
        acts(y);
    }
    y->executed[pc] += y->executed[pc] != UINT32_MAX;
    y->turn.instructions++;
}

/* The warp's fragment is another one, or stands elsewhere. */
EACH_INSTRUCTION after jump(way *y, uint32_t pc) {
    y->f = y->w->now;
    if (!y->f) {
        y->turn.step = EMU_JUMPED;
        return ENDS;
    }
    y->join = goes_on(y->w, y->f);
    if (y->looked && y->f->pc <= pc) {
        y->looked = 0;
        acts(y);
    }
    return JUMPED;
}

EACH_INSTRUCTION after execute(way *y, const emu_instruction *in, uint32_t mask, int watched) {
    emu_warp *w = y->w;
    const uint32_t pc = y->f->pc;
    const emu_step step =
        w->busy && emu_registers_early(w, in, mask) ? EMU_STOPPED : in->run(w, in, mask);
    if (step >= EMU_BLOCKED) {
        y->turn.step = (uint8_t)step;
        return ENDS;
    }
    count(y, pc, mask);
    if (watched && emu_is_watched(y->m, TMA_EMULATE_INSTRUCTION)) {
        emu_watch_instruction(w, in, mask);
    }
    return step == EMU_JUMPED ? jump(y, pc) : GOES_ON;
}

EACH_INSTRUCTION after one(way *y, int tracks, int watched) {
    emu_warp *w = y->w;
    const uint32_t pc = y->f->pc;
    const emu_instruction *in = &y->code[pc];
    uint32_t mask = y->f->mask;
    if (w->asks & mask) {
        order_after_no(w, in);
    }
    const uint32_t unsure = tracks ? emu_undefined_guard(w, in, &y->m->flow[pc], mask) : 0;
    const uint32_t decided =
        tracks && y->m->flow[pc].kind == EMU_FLOW_DECIDES ? emu_undefined_decided(w, in) : 0;
    mask = in->guard == EMU_NO_GUARD ? mask : guarded(w, in, mask);
    const after so = mask ? execute(y, in, mask, watched) : GOES_ON;
    if (so == GOES_ON) {
        if (tracks) {
            emu_undefined_flow(w, in, mask, unsure, decided);
        }
        y->f->pc = pc + 1;
    }
    return so;
}

/* Behind an instruction, or a run of them: whether the fragment runs on. */
EACH_INSTRUCTION int runs_on(way *y) {
    if (y->f->pc == y->join) {
        if (!emu_arrives(y->w, y->f)) {
            y->turn.step = EMU_JUMPED;
            y->w->now = NULL;
            return 0;
        }
        y->join = goes_on(y->w, y->f);
    }
    return y->f->wait == EMU_RUNS; /* else it sleeps */
}

EACH_INSTRUCTION emu_turn run(emu_warp *w, emu_fragment *f, emu_budget left, int tracks,
                              int watched) {
    const emu_machine *m = w->machine;
    way y = {.w = w,
             .m = m,
             .code = m->program->code,
             .looks_of = m->looks,
             .executed = m->executed,
             .f = f,
             .left = left,
             .turn = {.step = EMU_NEXT}};
    w->now = f;
    w->pool = m->program->pool;
    f->wait = EMU_RUNS;
    y.join = goes_on(w, f);
    for (; y.left.instructions; y.left.instructions--) {
        emu_straight *s = &m->straight[y.f->pc];
        if (!watched && is_straight(w, s, y.f->mask, y.left.instructions, tracks)) {
            const uint32_t done = run_straight(w, s, y.f->mask, tracks, &y.turn);
            if (y.turn.step != EMU_NEXT) {
                break;
            }
            y.left.instructions -= done - 1;
            y.f->pc += done;
        } else {
            const after so = one(&y, tracks, watched);
            if (so == ENDS) {
                break;
            }
            if (so == JUMPED) {
                continue;
            }
        }
        if (!runs_on(&y)) {
            break;
        }
    }
    w->executed += y.turn.instructions;
    return y.turn;
}

emu_turn emu_turn_run(emu_warp *w, emu_fragment *f, emu_budget most) {
    if (emu_is_watched(w->machine, TMA_EMULATE_INSTRUCTION)) {
        return run(w, f, most, w->machine->tracks, 1);
    }
    return w->machine->tracks ? run(w, f, most, 1, 0) : run(w, f, most, 0, 0);
}
