/* SPDX-License-Identifier: Apache-2.0
 *
 * vote.sync, match.sync, redux.sync: one answer out of all members' values.
 */
#include "access.h"
#include "compute_float.h"
#include "warp.h"

static void answer(emu_warp *w, const emu_operand *o, uint32_t lanes, uint32_t value,
                   uint32_t undefined) {
    uint32_t r[EMU_LANES];
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        r[l] = value;
    }
    compute_put(w, o, lanes, r);
    if (o->kind == EMU_REGISTER) {
        emu_set_undefined(w, o, lanes, undefined);
    }
}

static uint32_t all_undefined(const emu_warp *w, const emu_operand *o, uint32_t lanes) {
    return emu_undefined(w, o) & lanes ? UINT32_MAX : 0;
}

static void vote(emu_warp *w, const emu_instruction *in, uint32_t lanes, uint32_t members) {
    const uint32_t asked = lanes & members;
    const uint32_t yes = emu_predicate(w, &in->operand[1]) & asked;
    const uint32_t unknown = emu_undefined(w, &in->operand[1]);
    const uint32_t settles = in->operation == EMU_OPERATION_ANY   ? yes & ~unknown
                             : in->operation == EMU_OPERATION_ALL ? asked & ~yes & ~unknown
                                                                  : 0; /* one lane is enough */
    const uint32_t undefined = settles ? 0 : all_undefined(w, &in->operand[1], asked);
    if (in->operation == EMU_OPERATION_BALLOT) {
        answer(w, &in->operand[0], lanes, yes, undefined);
        return;
    }
    const int is_true = in->operation == EMU_OPERATION_ALL   ? yes == asked
                        : in->operation == EMU_OPERATION_ANY ? yes != 0
                                                             : !yes || yes == asked;
    emu_set_predicate(w, &in->operand[0], lanes, is_true ? UINT32_MAX : 0);
    emu_set_undefined(w, &in->operand[0], lanes, undefined);
}

static emu_step run_vote(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    return warp_together(w, in, mask, 2, vote);
}

emu_run warp_choose_vote(const emu_instruction *in) {
    switch (in->operation) {
    case EMU_OPERATION_BALLOT:
    case EMU_OPERATION_ALL:
    case EMU_OPERATION_ANY:
    case EMU_OPERATION_UNI:
        return run_vote;
    default:
        return NULL;
    }
}

static void match(emu_warp *w, const emu_instruction *in, uint32_t lanes, uint32_t members) {
    const uint32_t asked = lanes & members;
    const uint32_t undefined = all_undefined(w, &in->operand[1], asked);
    const int is_wide = in->type[0] == EMU_B64;
    uint64_t value[EMU_LANES] = {0};
    uint32_t r[EMU_LANES] = {0};
    uint32_t all_same = 1;
    EMU_FOR_LANES(lane, lanes) {
        value[lane] =
            is_wide ? emu_u64(w, &in->operand[1])[lane] : emu_u32(w, &in->operand[1])[lane];
    }
    EMU_FOR_LANES(lane, lanes) {
        EMU_FOR_LANES(other, asked) {
            r[lane] |= (uint32_t)(value[other] == value[lane]) << other;
        }
        all_same &= r[lane] == asked;
    }
    if (in->operation == EMU_OPERATION_ALL) {
        answer(w, &in->operand[0], lanes, all_same ? asked : 0, undefined);
        if (in->also.kind == EMU_REGISTER) {
            emu_set_predicate(w, &in->also, lanes, all_same ? UINT32_MAX : 0);
            emu_set_undefined(w, &in->also, lanes, undefined);
        }
        return;
    }
    compute_put(w, &in->operand[0], lanes, r);
    emu_set_undefined(w, &in->operand[0], lanes, undefined);
}

static emu_step run_match(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    return warp_together(w, in, mask, 2, match);
}

emu_run warp_choose_match(const emu_instruction *in) {
    return (in->type[0] == EMU_B32 || in->type[0] == EMU_B64) &&
                   (in->operation == EMU_OPERATION_ALL ||
                    (in->operation == EMU_OPERATION_ANY && in->operand[0].kind != EMU_SINK))
               ? run_match
               : NULL;
}

/* ---- reductions ---- */

static uint32_t reduced(const emu_instruction *in, uint32_t a, uint32_t b) {
    const int is_signed = in->type[0] == EMU_S32;
    const int less = is_signed ? (int32_t)a < (int32_t)b : a < b;
    switch (in->operation) {
    case EMU_OPERATION_ADD:
        return a + b;
    case EMU_OPERATION_AND:
        return a & b;
    case EMU_OPERATION_OR:
        return a | b;
    case EMU_OPERATION_XOR:
        return a ^ b;
    case EMU_OPERATION_MIN:
        return less ? a : b;
    default:
        return less ? b : a;
    }
}

static void reduce(emu_warp *w, const emu_instruction *in, uint32_t lanes, uint32_t members) {
    const uint32_t asked = lanes & members ? lanes & members : lanes;
    const uint32_t *a = emu_u32(w, &in->operand[1]);
    const uint32_t first = (uint32_t)__builtin_ctz(asked);
    uint32_t r = a[first];
    if (in->type[0] == EMU_F32) {
        EMU_FOR_LANES(lane, asked) { /* with itself too: .abs, NaN */
            r = compute_extreme(r, a[lane], in);
        }
    } else {
        EMU_FOR_LANES(lane, asked & (asked - 1)) {
            r = reduced(in, r, a[lane]);
        }
    }
    answer(w, &in->operand[0], lanes, r, all_undefined(w, &in->operand[1], asked));
}

static emu_step run_reduce(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    return warp_together(w, in, mask, 2, reduce);
}

emu_run warp_choose_reduce(const emu_instruction *in) {
    const int extreme = in->operation == EMU_OPERATION_MIN || in->operation == EMU_OPERATION_MAX;
    switch (in->type[0]) {
    case EMU_F32:
        return extreme ? run_reduce : NULL;
    case EMU_U32:
    case EMU_S32:
        return extreme || in->operation == EMU_OPERATION_ADD ? run_reduce : NULL;
    case EMU_B32:
        return in->operation == EMU_OPERATION_AND || in->operation == EMU_OPERATION_OR ||
                       in->operation == EMU_OPERATION_XOR
                   ? run_reduce
                   : NULL;
    default:
        return NULL;
    }
}
