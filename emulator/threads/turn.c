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

/* `tracks` and `watched` are constants of each caller, so that nothing of it is asked at each
 * instruction. */
// NOLINTBEGIN(readability-function-*): each instruction goes through it, and calls cost
static inline __attribute__((always_inline)) emu_turn
run(emu_warp *w, emu_fragment *f, emu_budget left, int tracks, int watched) {
    const emu_machine *m = w->machine;
    const emu_instruction *code = m->program->code;
    uint32_t *executed = m->executed;
    const uint8_t *looks_of = m->looks;
    emu_turn turn = {.step = EMU_NEXT};
    w->now = f;
    w->pool = m->program->pool;
    f->wait = EMU_RUNS;
    uint32_t join = goes_on(w, f);
    uint32_t looked = 0; /* since the last jump back */
    for (; left.instructions; left.instructions--) {
        const uint32_t pc = f->pc;
        const emu_instruction *in = &code[pc];
        uint32_t mask = f->mask;
        if (!watched && is_straight(w, &m->straight[pc], mask, left.instructions, tracks)) {
            const uint32_t done = run_straight(w, &m->straight[pc], mask, tracks, &turn);
            if (turn.step != EMU_NEXT) {
                break;
            }
            left.instructions -= done - 1;
            f->pc = pc + done;
        } else {
            if (w->asks & mask) {
                order_after_no(w, in);
            }
            const uint32_t unsure = tracks ? emu_undefined_guard(w, in, &m->flow[pc], mask) : 0;
            if (in->guard != EMU_NO_GUARD) {
                const uint32_t p = *(const uint32_t *)emu_lanes(w, in->guard);
                mask &= in->guard_negated ? ~p : p;
            }
            if (mask) {
                const emu_step step = w->busy && emu_registers_early(w, in, mask)
                                          ? EMU_STOPPED
                                          : in->run(w, in, mask);
                if (step >= EMU_BLOCKED) {
                    turn.step = (uint8_t)step;
                    break;
                }
                turn.lanes += lanes_in(mask);
                turn.looks |= looks_of[pc];
                looked |= looks_of[pc] >> EMU_LOOKS & 1u;
                if (looks_of[pc] >> EMU_ACTS & 1) {
                    left.instructions = --left.acts ? left.instructions : 1;
                }
                executed[pc] += executed[pc] != UINT32_MAX;
                turn.instructions++;
                if (watched && emu_is_watched(m, TMA_EMULATE_INSTRUCTION)) {
                    emu_watch_instruction(w, in, mask);
                }
                if (step == EMU_JUMPED) {
                    f = w->now;
                    if (!f) {
                        turn.step = EMU_JUMPED;
                        break;
                    }
                    join = goes_on(w, f);
                    if (looked && f->pc <= pc) {
                        looked = 0;
                        left.instructions = --left.acts ? left.instructions : 1;
                    }
                    continue;
                }
            }
            if (tracks) {
                emu_undefined_flow(w, in, mask, unsure);
            }
            f->pc = pc + 1;
        }
        if (f->pc == join) {
            if (!emu_arrives(w, f)) {
                turn.step = EMU_JUMPED;
                w->now = NULL;
                break;
            }
            join = goes_on(w, f);
        }
        if (f->wait != EMU_RUNS) { /* it sleeps */
            break;
        }
    }
    w->executed += turn.instructions;
    return turn;
}
// NOLINTEND(readability-function-*)

emu_turn emu_turn_run(emu_warp *w, emu_fragment *f, emu_budget most) {
    if (emu_is_watched(w->machine, TMA_EMULATE_INSTRUCTION)) {
        return run(w, f, most, w->machine->tracks, 1);
    }
    return w->machine->tracks ? run(w, f, most, 1, 0) : run(w, f, most, 0, 0);
}
