/* SPDX-License-Identifier: Apache-2.0
 *
 * sm_90's instructions as far as waits need them. Each number here was read off nvdisasm's listing
 * (13.5) of what ptxas 13.0 makes of the PTX instruction beside it, and tried on core dumps of an
 * H200 (lab/hardware/hangs).
 */
#include "core_wait.h"

#include "core_file.h"

#include "tma/detail/assert.h"

#define BACK         24 /* instructions between a wait and the PC in its loop */
#define LOOP_AT_MOST 64

typedef struct word {
    uint64_t low;
    uint64_t high;
} word;

static word word_at(const uint8_t *code, uint32_t i) {
    return (word){core_u64(code + i * (size_t)16), core_u64(code + i * (size_t)16 + 8)};
}

static uint32_t opcode(word w) {
    return (uint32_t)w.low & 0xFFF;
}
static uint32_t field(uint64_t bits, uint32_t from, uint32_t width) {
    return (uint32_t)(bits >> from & ((UINT64_C(1) << width) - 1));
}
static bool is_unguarded(word w) {
    return field(w.low, 12, 4) == 7;
}
static bool is_phase_check(word w) { /* SYNCS.PHASECHK.TRANS64 */
    return opcode(w) == 0x5A7;
}
static bool is_branch(word w) { /* BRA */
    return opcode(w) == 0x947;
}
static bool ends_a_way(word w) { /* BRA, EXIT, RET, unguarded */
    return is_unguarded(w) && (is_branch(w) || opcode(w) == 0x94D || opcode(w) == 0x950);
}
static bool
is_bar_sync(word w) { /* BAR with neither .ARV nor .RED's reduction is a wait; .RED too */
    const uint32_t op = opcode(w);
    return (op == 0xB1D || op == 0x51D || op == 0x31D || op == 0x91D) && !(w.high & 0x2000);
}
static bool is_group_wait(word w) { /* DEPBAR.LE, WARPGROUP.DEPBAR */
    return opcode(w) == 0x91A || (opcode(w) == 0x9C5 && (w.low >> 32 & 0x8000));
}
/* What no loop does that only waits: arrivals, copies, wgmma, other waits. */
static bool is_work(word w) {
    switch (opcode(w)) {
    case 0x9A7: /* SYNCS.ARRIVE */
    case 0x3B4: /* UTMALDG */
    case 0x5B4:
    case 0x3B5: /* UTMASTG */
    case 0x3BA: /* UBLKCP */
    case 0x9F0: /* HGMMA */
    case 0xDC7: /* UCGABAR_WAIT */
        return true;
    default:
        return is_bar_sync(w) || is_group_wait(w);
    }
}
static bool reads_global(word w) { /* LD, LDG, ATOM, ATOMG and its CAS */
    const uint32_t low = opcode(w) & 0x1FF;
    return low == 0x180 || low == 0x181 || low == 0x18A || low == 0x1A8 || low == 0x1A9;
}
static bool reads_shared(word w) { /* LDS, ATOMS */
    const uint32_t low = opcode(w) & 0x1FF;
    return low == 0x184 || low == 0x18C || low == 0x18D;
}

/* The place a BRA goes to, in instructions from the BRA: a signed number of words of 4 bytes, from
 * the next instruction on, its lowest 8 bits apart from the others. */
static int64_t branch_to(word w) {
    const uint64_t others = w.low >> 34 | (w.high & 0x3FFFF) << 30;
    const int64_t words = (int64_t)(others << 16) / 65536 * 256 + (int64_t)field(w.low, 16, 8);
    return words / 4 + 1;
}

static bool only_waits(const uint8_t *code, uint32_t from, uint32_t to) {
    while (from < to && !is_work(word_at(code, from))) {
        from++;
    }
    return from >= to;
}

/* Whether a loop that holds instruction `at` and the PC is closed by a branch behind both, and does
 * nothing but wait. */
static bool loop_around(const uint8_t *code, uint32_t count, uint32_t at, uint32_t pc) {
    const uint32_t from = at > pc ? at : pc;
    const uint32_t least = at < pc ? at : pc;
    TMA_ASSERT(from < count);
    for (uint32_t i = from; i < count && i < from + LOOP_AT_MOST; i++) {
        const word w = word_at(code, i);
        if (is_branch(w)) {
            const int64_t to = (int64_t)i + branch_to(w);
            if (to >= 0 && to <= (int64_t)least) {
                return only_waits(code, (uint32_t)to, i);
            }
        }
        if (ends_a_way(w)) {
            return false;
        }
    }
    return false;
}

/* Whether instructions between the wait and the PC may write one of its registers. */
static bool is_kept(const uint8_t *code, uint32_t at, uint32_t pc, const core_wait *wait) {
    for (uint32_t i = at + 1; i < pc; i++) {
        const word w = word_at(code, i);
        const uint32_t to = field(w.low, 16, 8);
        if (is_branch(w) || opcode(w) == 0x946 /* YIELD */ || opcode(w) == 0x98F /* CCTL */ ||
            is_phase_check(w)) {
            continue;
        }
        if ((wait->register_ != 255 && wait->register_ - to < 4) ||
            (wait->parity_register != 255 && wait->parity_register - to < 4) ||
            (wait->uniform != 63 && wait->uniform - (to & 63) < 4)) {
            return false;
        }
    }
    return true;
}

static void phase_check(core_wait *out, const uint8_t *code, uint32_t at, uint32_t pc) {
    const word w = word_at(code, at);
    out->kind = CORE_MBARRIER;
    out->register_ = field(w.low, 24, 8);
    out->parity_register = field(w.low, 32, 8);
    out->uniform = field(w.high, 0, 6);
    out->offset = (int32_t)(field(w.low, 40, 24) << 8) >> 8;
    out->at = ((int32_t)at - (int32_t)pc) * 16;
    out->sure = at > pc || is_kept(code, at, pc, out);
}

static bool find_phase_check(core_wait *out, const uint8_t *code, uint32_t count, uint32_t pc) {
    TMA_ASSERT(pc < count);
    for (uint32_t back = 1; back <= BACK && back <= pc; back++) {
        const word w = word_at(code, pc - back);
        if (ends_a_way(w)) {
            break;
        }
        if (is_phase_check(w)) {
            const bool stands = (w.high & 0x100) && back <= 2;
            if (stands || loop_around(code, count, pc - back, pc)) {
                phase_check(out, code, pc - back, pc);
                return true;
            }
        }
    }
    for (uint32_t i = pc; i < count && i < pc + BACK; i++) {
        const word w = word_at(code, i);
        if (is_phase_check(w) && loop_around(code, count, i, pc)) {
            phase_check(out, code, i, pc);
            return true;
        }
        if (ends_a_way(w)) {
            break;
        }
    }
    return false;
}

static bool find_standing(core_wait *out, const uint8_t *code, uint32_t pc) {
    const word here = word_at(code, pc);
    const word before = pc > 0 ? word_at(code, pc - 1) : (word){0, 0};
    if (pc > 0 && is_bar_sync(before)) {
        out->kind = CORE_BAR_SYNC;
        out->at = -16;
        out->bar_known = opcode(before) == 0xB1D || opcode(before) == 0x91D;
        out->bar = field(before.low, 54, 4);
        out->bar_threads = opcode(before) == 0xB1D ? field(before.low, 42, 12) : 0;
        return true;
    }
    const struct {
        bool is;
        core_wait_kind kind;
        int32_t at;
    } others[] = {
        {opcode(here) == 0xDC7, CORE_CLUSTER, 0}, /* UCGABAR_WAIT */
        {opcode(before) == 0xDC7, CORE_CLUSTER, -16},
        {is_group_wait(here), CORE_GROUP, 0},
        {is_group_wait(before), CORE_GROUP, -16},
        {opcode(here) == 0x82E, CORE_GRID, 0}, /* ACQBULK */
        {opcode(before) == 0x82E, CORE_GRID, -16},
    };
    for (uint32_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (others[i].is) {
            out->kind = (uint32_t)others[i].kind;
            out->at = others[i].at;
            return true;
        }
    }
    return false;
}

/* A small loop around the PC that reads memory and stores none. */
static void find_spin(core_wait *out, const uint8_t *code, uint32_t count, uint32_t pc) {
    const uint32_t from = pc > 12 ? pc - 12 : 0;
    for (uint32_t i = from; i < count && i < pc + 12; i++) {
        const word w = word_at(code, i);
        if ((reads_global(w) || reads_shared(w)) && loop_around(code, count, i, pc)) {
            out->kind = reads_global(w) ? CORE_SPIN_GLOBAL : CORE_SPIN_SHARED;
            out->at = ((int32_t)i - (int32_t)pc) * 16;
            return;
        }
    }
}

void core_wait_of(core_wait *out, const uint8_t *code, uint32_t count, uint32_t pc) {
    *out = (core_wait){.kind = CORE_RUNS, .register_ = 255, .uniform = 63, .parity_register = 255};
    if (pc >= count) {
        out->kind = CORE_UNKNOWN;
    } else if (pc > 0 &&
               is_bar_sync(word_at(code, pc - 1))) { /* a wait's PC stands behind it, too */
        (void)find_standing(out, code, pc);
    } else if (!find_phase_check(out, code, count, pc) && !find_standing(out, code, pc)) {
        find_spin(out, code, count, pc);
    }
}
