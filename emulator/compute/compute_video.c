/* SPDX-License-Identifier: Apache-2.0
 *
 * Video instructions: arithmetic on parts of registers (vadd … vset), and on two or four parts at
 * once (vadd2 … vset4). Parts named behind an operand are in its number (program.h).
 *
 * The first ones give what ptxas 13.0 makes of them for sm_90, seen on an H200 (docs/emulator.md);
 * where that is not what the PTX ISA says, a comment here says it.
 */
#include "compute.h"

typedef struct video_parts {
    uint32_t bits;     /* of one part: 8, 16; 32: none named */
    uint32_t selected; /* four bits each, the lowest part's first */
    uint32_t count;
} video_parts;

static video_parts parts_of(const emu_operand *o) {
    const uint64_t number = o->constant ? 0 : (uint64_t)o->number;
    const uint32_t letter = (uint32_t)(number >> 32);
    return (video_parts){.bits = letter == 'b'   ? 8
                                 : letter == 'h' ? 16
                                                 : 32,
                         .selected = (uint32_t)number & 0xffff,
                         .count = (uint32_t)(number >> 16) & 255};
}

static int64_t extended(uint64_t x, uint32_t bits, int is_signed) {
    x &= ((uint64_t)1 << bits) - 1;
    return is_signed && x >> (bits - 1) ? (int64_t)x - ((int64_t)1 << bits) : (int64_t)x;
}

static int is_signed(const emu_instruction *in, uint32_t type) {
    return in->type[type] == EMU_S32;
}

static int64_t clamped(int64_t x, uint32_t bits, int to_signed) {
    const int64_t most = ((int64_t)1 << (to_signed ? bits - 1 : bits)) - 1;
    const int64_t least = to_signed ? -most - 1 : 0;
    return x > most ? most : x < least ? least : x;
}

static int is_so(uint32_t compare, int64_t a, int64_t b) {
    switch (compare) {
    case EMU_COMPARE_EQ:
        return a == b;
    case EMU_COMPARE_NE:
        return a != b;
    case EMU_COMPARE_LT:
        return a < b;
    case EMU_COMPARE_LE:
        return a <= b;
    case EMU_COMPARE_GT:
        return a > b;
    default:
        return a >= b;
    }
}

static int64_t shifted(const emu_instruction *in, int64_t a, uint64_t by) {
    const uint64_t n = emu_flag(in, EMU_FLAG_WRAP) ? by & 31 : by < 32 ? by : 32;
    return in->op == EMU_OP_VSHL ? (int64_t)((uint64_t)a << n) : a >> n;
}

static int64_t operated(const emu_instruction *in, int64_t a, int64_t b) {
    switch (in->op) {
    case EMU_OP_VADD:
    case EMU_OP_VADD2:
    case EMU_OP_VADD4:
        return a + b;
    case EMU_OP_VSUB:
    case EMU_OP_VSUB2:
    case EMU_OP_VSUB4:
        return a - b;
    case EMU_OP_VAVRG2:
    case EMU_OP_VAVRG4:
        return (a + b + (a + b >= 0)) >> 1;
    case EMU_OP_VABSDIFF:
    case EMU_OP_VABSDIFF2:
    case EMU_OP_VABSDIFF4:
        return a < b ? b - a : a - b;
    case EMU_OP_VMIN:
    case EMU_OP_VMIN2:
    case EMU_OP_VMIN4:
        return a < b ? a : b;
    case EMU_OP_VMAX:
    case EMU_OP_VMAX2:
    case EMU_OP_VMAX4:
        return a < b ? b : a;
    case EMU_OP_VSHL:
    case EMU_OP_VSHR:
        return shifted(in, a, (uint64_t)b);
    default:
        return is_so(in->compare, a, b);
    }
}

/* (a * b + c) >> 0, 7 or 15. c, and factors of 32 bits, are signed whatever their type (ISA: as the
 * types say). An unsigned sum is shifted as an unsigned number of 64 bits. */
static int64_t multiplied(const emu_instruction *in, int64_t a, int64_t b, uint32_t c_bits) {
    const int turns = in->operand[1].negated != in->operand[2].negated;
    const int any_signed = is_signed(in, 1) || is_signed(in, 2) || turns || in->operand[3].negated;
    const uint32_t by = emu_flag(in, EMU_FLAG_SHR7) ? 7 : emu_flag(in, EMU_FLAG_SHR15) ? 15 : 0;
    int one = emu_flag(in, EMU_FLAG_PO);
    int64_t r = a * b;
    if (turns) {
        r = ~r;
        one = 1;
    } else if (in->operand[3].negated) {
        c_bits = ~c_bits;
        one = 1;
    }
    r += extended(c_bits, 32, 1) + one;
    r = any_signed ? r >> by : (int64_t)((uint64_t)r >> by);
    return emu_flag(in, EMU_FLAG_SAT) ? clamped(r, 32, any_signed) : r;
}

static int is_shift(const emu_instruction *in) {
    return in->op == EMU_OP_VSHL || in->op == EMU_OP_VSHR;
}

/* .sat. ISA: to the limits of the result's part. A shifted value has 34 bits, and is clamped to 32
 * whatever its part. What is negative counts as too large for a part; of 32 unsigned bits nothing
 * is too large. */
static int64_t saturated(const emu_instruction *in, int64_t r, uint32_t bits, int to_signed) {
    if (is_shift(in)) {
        return clamped(extended((uint64_t)r, 34, 1), 32, to_signed);
    }
    if (bits < 32) {
        const int64_t most = clamped(INT64_MAX, bits, to_signed);
        return r < 0 || r > most ? most : r;
    }
    return to_signed ? clamped(r, 32, 1) : r < 0 ? 0 : r;
}

/* The result put into a part of c. Into a half goes that half of it (ISA: its lower half). */
static uint32_t inserted(const video_parts *into, uint32_t r, uint32_t c) {
    const uint32_t at = into->bits * (into->selected & 3);
    const uint32_t mask = (((uint32_t)1 << into->bits) - 1) << at;
    return (c & ~mask) | ((into->bits == 16 ? r : r << at) & mask);
}

/* An operation on the result and c. As the lesser counts no unsigned result that is negative, a
 * sum's and a saturated shift's 32 bits taken as signed (ISA: a comparison of unsigned numbers). */
static uint32_t combined(const emu_instruction *in, int64_t r, uint32_t c, int to_signed) {
    const int is_cut = in->op == EMU_OP_VADD || in->op == EMU_OP_VSUB ||
                       (is_shift(in) && emu_flag(in, EMU_FLAG_SAT));
    const int64_t own = is_cut ? extended((uint64_t)r, 32, 1) : r;
    const int is_less = own < extended(c, 32, to_signed) && (to_signed || own >= 0);
    switch (in->operation) {
    case EMU_OPERATION_ADD:
        return (uint32_t)r + c;
    case EMU_OPERATION_MIN:
        return is_less ? (uint32_t)r : c;
    case EMU_OPERATION_MAX:
        return is_less ? c : (uint32_t)r;
    default:
        return (uint32_t)r;
    }
}

static int64_t part_of(const emu_warp *w, const emu_operand *o, uint32_t lane, int as_signed) {
    const video_parts p = parts_of(o);
    return extended(emu_u32(w, o)[lane] >> p.bits % 32 * (p.selected & 3), p.bits, as_signed);
}

static int64_t factor_of(const emu_warp *w, const emu_instruction *in, uint32_t which,
                         uint32_t lane) {
    const emu_operand *o = &in->operand[which];
    return part_of(w, o, lane, is_signed(in, which) || parts_of(o).bits == 32);
}

static emu_step scalar(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const video_parts into = parts_of(&in->operand[0]);
    const int compares = in->op == EMU_OP_VSET, to_signed = is_signed(in, 0);
    uint32_t r[EMU_LANES] = {0};
    EMU_FOR_LANES(lane, mask) {
        const int64_t a = part_of(w, &in->operand[1], lane, is_signed(in, compares ? 0 : 1));
        const int64_t b = part_of(w, &in->operand[2], lane, is_signed(in, compares ? 1 : 2));
        const uint32_t c = in->operands > 3 ? emu_u32(w, &in->operand[3])[lane] : 0;
        int64_t x = operated(in, a, b);
        x = emu_flag(in, EMU_FLAG_SAT) ? saturated(in, x, into.bits, to_signed) : x;
        r[lane] = into.bits < 32 ? inserted(&into, (uint32_t)x, c) : combined(in, x, c, to_signed);
    }
    compute_put(w, &in->operand[0], mask, r);
    return EMU_NEXT;
}

static emu_step multiply(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    uint32_t r[EMU_LANES] = {0};
    EMU_FOR_LANES(lane, mask) {
        r[lane] = (uint32_t)multiplied(in, factor_of(w, in, 1, lane), factor_of(w, in, 2, lane),
                                       emu_u32(w, &in->operand[3])[lane]);
    }
    compute_put(w, &in->operand[0], mask, r);
    return EMU_NEXT;
}

/* Element i of b:a that an operand selects; by default of itself. */
static int64_t selected(uint64_t both, const video_parts *p, uint32_t bits, uint32_t i,
                        int is_second, int as_signed) {
    const uint32_t own = is_second ? 32 / bits + i : i;
    const uint32_t which = p->count ? p->selected >> 4 * i & 15 : own;
    return extended(both >> bits * which, bits, as_signed);
}

static uint32_t packed(const emu_instruction *in, uint32_t a, uint32_t b, uint32_t c,
                       uint32_t bits) {
    const int compares = in->op == EMU_OP_VSET2 || in->op == EMU_OP_VSET4;
    const int adds = in->operation == EMU_OPERATION_ADD;
    const video_parts into = parts_of(&in->operand[0]);
    const video_parts first = parts_of(&in->operand[1]);
    const video_parts second = parts_of(&in->operand[2]);
    const uint64_t both = (uint64_t)b << 32 | a;
    uint32_t written = into.count ? 0 : UINT32_MAX;
    for (uint32_t k = 0; k < into.count; k++) {
        written |= (uint32_t)1 << (into.selected >> 4 * k & 15);
    }
    uint32_t d = c;
    for (uint32_t i = 0; i < 32 / bits; i++) {
        const int64_t x = selected(both, &first, bits, i, 0, is_signed(in, compares ? 0 : 1));
        const int64_t y = selected(both, &second, bits, i, 1, is_signed(in, compares ? 1 : 2));
        const uint32_t mask = (((uint32_t)1 << bits) - 1) << bits * i;
        int64_t t = operated(in, x, y);
        t = emu_flag(in, EMU_FLAG_SAT) ? clamped(t, bits, !compares && is_signed(in, 0)) : t;
        if (written >> i & 1) {
            d = adds ? d + (uint32_t)t : (d & ~mask) | ((uint32_t)t << bits * i & mask);
        }
    }
    return d;
}

static emu_step run_packed(emu_warp *w, const emu_instruction *in, uint32_t mask, uint32_t bits) {
    uint32_t r[EMU_LANES] = {0};
    EMU_FOR_LANES(lane, mask) {
        r[lane] = packed(in, emu_u32(w, &in->operand[1])[lane], emu_u32(w, &in->operand[2])[lane],
                         emu_u32(w, &in->operand[3])[lane], bits);
    }
    compute_put(w, &in->operand[0], mask, r);
    return EMU_NEXT;
}

static emu_step pairs(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    return run_packed(w, in, mask, 16);
}

static emu_step quads(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    return run_packed(w, in, mask, 8);
}

emu_run compute_choose_video(const emu_instruction *in) {
    switch (in->op) {
    case EMU_OP_VADD2:
    case EMU_OP_VSUB2:
    case EMU_OP_VAVRG2:
    case EMU_OP_VABSDIFF2:
    case EMU_OP_VMIN2:
    case EMU_OP_VMAX2:
    case EMU_OP_VSET2:
        return in->operands == 4 ? pairs : NULL;
    case EMU_OP_VADD4:
    case EMU_OP_VSUB4:
    case EMU_OP_VAVRG4:
    case EMU_OP_VABSDIFF4:
    case EMU_OP_VMIN4:
    case EMU_OP_VMAX4:
    case EMU_OP_VSET4:
        return in->operands == 4 ? quads : NULL;
    case EMU_OP_VMAD:
        return in->operands == 4 ? multiply : NULL;
    default:
        return in->operands == 3 || in->operands == 4 ? scalar : NULL;
    }
}
