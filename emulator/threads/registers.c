/* SPDX-License-Identifier: Apache-2.0
 *
 * setmaxnreg. The CTA's pool has what its warps have at the launch (registers_entry.c).
 */
#include "registers.h"

#include "order.h"
#include "run_report.h"
#include "threads.h"

#define WARPGROUP 4

int emu_registers_are_known(const emu_cta *cta) {
    return cta->warps % WARPGROUP == 0;
}

/* Registers of a thread of each warp that are left in the CTA's pool, where a warp has `count`:
 * warps that have exited give all back. */
static int64_t left_in_pool(const emu_warp *w, uint32_t count) {
    const emu_cta *cta = w->cta;
    const int64_t first = emu_registers_at_entry(cta->machine);
    int64_t left = first - count;
    for (uint32_t i = 0; i < cta->warps; i++) {
        const emu_warp *other = &cta->warp[i];
        const int says = other->registers || !other->live;
        if (other != w && says) {
            left += first - (other->live ? other->registers : 0);
        }
    }
    return left;
}

static emu_who who_of(const emu_warp *w, const emu_instruction *in) {
    return (emu_who){
        .in = in, .cta = w->cta->index, .thread = w->index * EMU_LANES, .what = "setmaxnreg"};
}

/* The warp has more than it may have before .inc, or fewer before .dec. */
static void judge_direction(emu_warp *w, const emu_instruction *in, uint32_t count, int takes) {
    const uint32_t has = w->registers ? w->registers
                         : takes      ? 0
                                      : emu_registers_at_entry(w->machine);
    if (takes ? has > count : has < count) {
        const emu_who who = who_of(w, in), before = who_of(w, w->resized_in);
        emu_report(w->machine, TMA_EMULATE_RULE_REGISTER_COUNT, 1, &who,
                   w->registers ? &before : NULL,
                   takes ? "setmaxnreg.inc to fewer registers than the warp has: undefined"
                         : "setmaxnreg.dec to more registers than the warp has: undefined",
                   takes ? "setmaxnreg.dec, which gives registers back"
                         : "setmaxnreg.inc, which waits for registers");
    }
}

/* EMU_BLOCKED: the pool has too few. */
static emu_step resize(emu_warp *w, const emu_instruction *in) {
    const uint32_t count = (uint32_t)in->operand[0].number;
    const int takes = in->operation == EMU_OPERATION_INC;
    if (takes && left_in_pool(w, count) < 0) {
        w->now->wait = EMU_WAITS_REGISTERS;
        w->now->number = count;
        return EMU_BLOCKED;
    }
    judge_direction(w, in, count, takes);
    order_pool_changes(w, in, takes);
    w->registers = count;
    if (!takes) {
        emu_progress_near(w->machine, w->cta->cluster);
    }
    return EMU_NEXT;
}

static emu_step run(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_step step = emu_all_together(w, in, &mask);
    if (step == EMU_NEXT && emu_registers_at_entry(w->machine)) {
        step = resize(w, in);
    }
    if (step == EMU_NEXT) {
        w->resized++;
        w->resized_in = in;
    }
    return step;
}

emu_run emu_choose_registers(const emu_instruction *in) {
    (void)in;
    return run;
}

static void report(emu_warp *does, const emu_warp * not ) {
    const emu_who who = who_of(does, does->resized_in), other = who_of(not, not ->resized_in);
    emu_report(does->machine, TMA_EMULATE_RULE_DIVERGENCE, 1, &who,
               not ->resized_in ? &other : NULL,
               "two warps of a warpgroup do not execute the same setmaxnreg: undefined",
               "the same setmaxnreg in all four warps of the warpgroup");
}

/* Warps ended with more than the CTA had: some were of warps that had exited. */
static void judge_sum(emu_cta *cta) {
    const emu_warp *most = NULL;
    int64_t left = 0;
    for (uint32_t i = 0; i < cta->warps; i++) {
        const emu_warp *w = &cta->warp[i];
        left += w->registers ? (int64_t)emu_registers_at_entry(cta->machine) - w->registers : 0;
        most = !most || w->registers > most->registers ? w : most;
    }
    if (left < 0) {
        const emu_who who = who_of(most, most->resized_in);
        emu_report(cta->machine, TMA_EMULATE_RULE_REGISTER_COUNT, 0, &who, NULL,
                   "the warps of the CTA asked for more registers than it has: setmaxnreg.inc got "
                   "some of warps that had exited, which PTX does not promise",
                   "counts that together are no more than the CTA has at the launch");
    }
}

static void judge_warpgroup(emu_cta *cta, uint32_t first) {
    for (uint32_t k = 1; k < WARPGROUP; k++) {
        emu_warp *a = &cta->warp[first], *b = &cta->warp[first + k];
        if (a->resized != b->resized || a->resized_in != b->resized_in) {
            report(a->resized < b->resized ? b : a, a->resized < b->resized ? a : b);
            return;
        }
    }
}

void emu_registers_end(emu_cta *cta) {
    for (uint32_t i = 0; i + WARPGROUP <= cta->warps; i += WARPGROUP) {
        judge_warpgroup(cta, i);
    }
    judge_sum(cta);
}

void emu_registers_lack(const emu_cta *cta, emu_register_sum *sum) {
    *sum = (emu_register_sum){.first = emu_registers_at_entry(cta->machine)};
    for (uint32_t i = 0; i < cta->warps; i++) {
        const emu_warp *w = &cta->warp[i];
        uint64_t count = w->live ? w->registers : 0;
        for (const emu_fragment *f = w->fragments; f; f = f->next) {
            count = f->wait == EMU_WAITS_REGISTERS ? f->number : count;
        }
        sum->threads += count ? EMU_LANES : 0;
        sum->wanted += count * EMU_LANES;
    }
}
