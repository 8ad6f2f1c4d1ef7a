/* SPDX-License-Identifier: Apache-2.0
 *
 * Where lanes go next: branches, exits, and what takes time alone.
 */
#include "access.h"
#include "async.h"
#include "run_report.h"
#include "threads.h"

/* No other thread can change the predicate. */
static emu_step stays(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_who who = {.in = in,
                         .cta = w->cta->index,
                         .thread = w->index * EMU_LANES + (uint32_t)__builtin_ctz(mask),
                         .proxy = "generic",
                         .what = "branch",
                         .space = EMU_GENERIC};
    const char *why = "a branch to itself never ends: nothing between changes its predicate";
    emu_report(w->machine, TMA_EMULATE_RULE_DEADLOCK, 1, &who, NULL, why,
               "the instruction that waits, behind the label");
    return emu_stop(w->machine, TMA_EMULATE_DEADLOCK, w, in, why);
}

static emu_step run_bra(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_fragment *f = w->now;
    const uint32_t target = (uint32_t)in->operand[0].number;
    if (target == f->pc) {
        return stays(w, in, mask);
    }
    if (mask == f->mask && (!f->join || f->join->pc != target)) {
        f->pc = target;
        return EMU_JUMPED;
    }
    return emu_part(w, mask, target, f->pc + 1, in->join);
}

emu_run emu_choose_bra(const emu_instruction *in) {
    return in->operands == 1 && in->operand[0].kind == EMU_LABEL ? run_bra : NULL;
}

/* Lanes with the same target as the first go; the others come again. */
static emu_step run_brx(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_fragment *f = w->now;
    const emu_operand *list = &in->operand[1];
    if (mask != f->mask) { /* some pass it by */
        return emu_part(w, mask, f->pc, f->pc + 1, in->join);
    }
    const uint64_t index = emu_lane_value(w, &in->operand[0], (uint32_t)__builtin_ctz(mask));
    if (index >= list->count) {
        return emu_stop(w->machine, TMA_EMULATE_TRAP, w, in,
                        "brx.idx: the index is not below the number of labels");
    }
    uint32_t same = 0;
    EMU_FOR_LANES(lane, mask) {
        same |= (uint32_t)(emu_lane_value(w, &in->operand[0], lane) == index) << lane;
    }
    const emu_operand *label = &w->machine->program->operand[list->first + index];
    return emu_part(w, same, (uint32_t)label->number, f->pc, in->join);
}

emu_run emu_choose_brx(const emu_instruction *in) {
    const emu_operand *index = &in->operand[0];
    return in->operands == 2 && in->operand[1].kind == EMU_VECTOR && index->kind == EMU_REGISTER &&
                   index->type != EMU_PRED
               ? run_brx
               : NULL;
}

static emu_step run_exit(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    (void)in;
    emu_lanes_exit(w, mask);
    emu_barriers_exited(w, mask);
    return EMU_JUMPED;
}

emu_run emu_choose_exit(const emu_instruction *in) {
    (void)in;
    return run_exit;
}

static emu_step run_trap(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    (void)mask;
    return emu_stop(w->machine, TMA_EMULATE_TRAP, w, in,
                    in->op == EMU_OP_TRAP ? "the kernel executes trap"
                                          : "brkpt: no debugger is there");
}

emu_run emu_choose_trap(const emu_instruction *in) {
    (void)in;
    return run_trap;
}

static emu_step run_sleep(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    (void)in;
    (void)mask;
    w->now->wait = EMU_SLEEPS; /* the turn ends behind it */
    return EMU_NEXT;
}

emu_run emu_choose_sleep(const emu_instruction *in) {
    (void)in;
    return run_sleep;
}

emu_run emu_choose_nothing(const emu_instruction *in) {
    (void)in;
    return emu_run_nothing;
}
