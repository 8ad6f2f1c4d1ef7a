/* SPDX-License-Identifier: Apache-2.0
 *
 * What a broken rule ends in, inside a kernel: one record, made by the first thread that comes.
 *   ON_FAULT_ASSERT  put into words, which the driver's assertion prints
 *   ON_FAULT_RECORD  left in the host's memory, not judged; the kernel ends with error 700
 *   ON_FAULT_SKIP    left there; the copy is not made, and the kernel runs on
 * Compiled to PTX once for each (program/kernel/make_checker.py; ptx/check/ptx_fault_*.inc are the
 * results).
 */
#include "checker.h"

#define TMA_TEXT_FUNCTION static __attribute__((noinline))

#include "finding_text.c"
#include "instruction.c"
#include "plan_record.c"
#include "put.h"
#include "rule_words.c"

#define NOWHERE   8u /* no allocation has this address */
#define WAIT_NS   1000000u
#define WAITS     5000u
#define MESSAGE_B 2048u

#ifdef ON_FAULT_RECORD /* its body goes into kernels: program/kernel/make_checker.py */
#define LEAVING inline __attribute__((always_inline))
#define MAYBE   LEAVING
#else
#define LEAVING __attribute__((noinline))
#define MAYBE
#endif

void __assertfail(const char *message, const char *file, uint32_t line, const char *function,
                  uint64_t char_B);

/* --- words that finding_text.c asks for, without the tables' sources and evidence --- */

const tma_rule *tma_rule_of(uint32_t number) {
#define KEEP_KILLS(number, ...)     ROW(number, __VA_ARGS__)
#define KEEP_MISALIGNS(number, ...) ROW(number, __VA_ARGS__)
#define KEEP_LAUNCH(number, ...)    ROW(number, __VA_ARGS__)
#define KEEP_CUTS(number, ...)      ROW(number, __VA_ARGS__)
#define KEEP_LEAVES(number, ...)    ROW(number, __VA_ARGS__)
#define KEEP_UNKNOWN(number, ...)
#define KEEP_NOTHING(number, ...)
#define KEEP_PTXAS(number, ...)
#define KEEP_INVALID(number, ...)
#define TMA_RULE(number, id, name, severity, hardware, standing, targets, argument, statement,     \
                 source, evidence)                                                                 \
    KEEP_##hardware(number, name, TMA_SEVERITY_##severity, TMA_ARG_##argument, statement)
#define ROW(n, name_, severity_, argument_, statement_)                                            \
    {.number = (tma_rule_id)(n),                                                                   \
     .name = (name_),                                                                              \
     .severity = (severity_),                                                                      \
     .argument = (argument_),                                                                      \
     .statement = (statement_)},
    static const tma_rule rules[] = {
#include "tma/rules.def"
#include "tma/traps.def"
    };
#undef TMA_RULE
    for (uint32_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (rules[i].number == number) {
            return &rules[i];
        }
    }
    return &rules[0];
}

/* Types, swizzles and fills by name. */
const tma_enum_row *tma_enum_row_of(tma_enum_kind kind, uint32_t number) {
    static const tma_enum_row rows[] = {
#define TMA_DTYPE_ROWS(id, name_, ...) {.name = (name_), .driver = TMA_DTYPE_##id},
#include "tma/enums.def"
    };
    if (kind != TMA_ENUM_DTYPE || number >= sizeof(rows) / sizeof(rows[0])) {
        return NULL;
    }
    return &rows[number];
}

/* --- the record --- */

/* Volatile: ptxas reads ahead otherwise, and used 34 registers and more. A warp that gave registers
 * away (setmaxnreg.dec) may have 24 left; an instruction that names another one is illegal. */
typedef volatile tma_judge_record kept_record;
typedef const volatile checked_site kept_site;

/* Each fits: who wrote them into the module saw to that (ptx/check/ptx_check.c). One loop for all,
 * for few instructions. */
static MAYBE void keep_strings(kept_record *r, const kept_site *where) {
    const volatile char *from = where->opcode;
    volatile char *to = r->opcode;
    TMA_JUDGE_ROLLED
    for (uint32_t k = 0; k < 3; k++) {
        char c = 0;
        TMA_JUDGE_ROLLED
        do {
            c = *from++;
            *to++ = c;
        } while (c);
        from = k ? where->function : where->file;
        to = k ? r->function : r->file;
    }
}

#define KEEP_SPECIAL(to, name) __asm__ volatile("mov.u32 %0, %%" name ";" : "=r"(to))

/* Each three where a loop stands before and behind: ptxas reads all that stand together at once. */
#define KEEP_THREE(r, member, name)                                                                \
    do {                                                                                           \
        uint32_t x, y, z;                                                                          \
        KEEP_SPECIAL(x, name ".x");                                                                \
        KEEP_SPECIAL(y, name ".y");                                                                \
        KEEP_SPECIAL(z, name ".z");                                                                \
        (r)->member[0] = x;                                                                        \
        (r)->member[1] = y;                                                                        \
        (r)->member[2] = z;                                                                        \
    } while (0)

static MAYBE void keep_site(kept_record *r, kept_site *where) {
    r->op = where->site.op;
    r->coords = where->coords;
    r->line = where->line;
    r->features = where->site.features;
    r->mode = where->site.mode;
    r->rank = where->site.rank;
    r->cluster = where->site.cluster;
    r->cta_group = where->site.cta_group;
    r->multicast = where->site.multicast;
    keep_strings(r, where);
}

static MAYBE void keep_words_and_block(kept_record *r, const void *map, kept_site *where) {
    TMA_JUDGE_ROLLED
    for (uint32_t i = 0; i < TMA_MAP_BYTES / 4 && where->site.mode < TMA_JUDGE_BULK; i++) {
        r->words[i] = tma_layout_word(map, i);
    }
    KEEP_THREE(r, block, "ctaid");
}

static MAYBE void keep(tma_judge_record *r, const void *map, const checked_site *where,
                       const checked_position *position) {
#ifndef ON_FAULT_RECORD /* there the host judges: fewer registers, less code */
    static tma_judge_fault
        fault; /* of the one who claimed; not on the stack, which kernels carry */
    tma_judge_copy(&fault, map, &where->site, &position->at);
    r->rule = fault.rule;
    r->index = fault.index;
    r->relation = fault.relation;
    r->unit = fault.unit;
    r->given = fault.given;
    r->value = fault.value;
    r->limit = fault.limit;
#endif
    const tma_judge_at *at = &position->at;
    keep_words_and_block(r, map, where);
    r->map = position->map;
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        r->coord[i] = at->coord[i];
    }
    KEEP_THREE(r, thread, "tid");
    r->offset[0] = at->offset[0];
    r->offset[1] = at->offset[1];
    r->shared_address = at->shared_address;
    r->cta_mask = at->cta_mask;
    r->ctas = at->ctas;
    r->window_end = at->window_end;
    r->barrier = at->barrier;
    keep_site(r, where);
}

/* Whether this thread is the first. */
static int claim(uint32_t *state) {
    uint32_t was = 0;
    __asm__ volatile("atom.sys.cas.b32 %0, [%1], %2, %3;"
                     : "=r"(was)
                     : "l"(state), "r"(TMA_JUDGE_RECORD_FREE), "r"(TMA_JUDGE_RECORD_BEGUN)
                     : "memory");
    return was == TMA_JUDGE_RECORD_FREE;
}

/* A thread that comes later must not end the kernel before the first has said all. */
static void wait_for(const uint32_t *state) {
    uint32_t now = 0;
    for (uint32_t i = 0; now != TMA_JUDGE_RECORD_DONE && i < WAITS; i++) {
        __asm__ volatile("nanosleep.u32 %0;" : : "r"(WAIT_NS));
        __asm__ volatile("ld.volatile.u32 %0, [%1];" : "=r"(now) : "l"(state) : "memory");
    }
}

#ifdef ON_FAULT_ASSERT
static tma_judge_record record;
static char message[MESSAGE_B];

void tma_fault(const void *map, const checked_site *where, const checked_position *position) {
    if (claim(&record.state)) {
        keep(&record, map, where, position);
        tma_judge_record_text(message, sizeof(message), &record);
        __assertfail(message, where->file, where->line, where->function, 1);
    } else {
        wait_for(&record.state); /* which never comes: the assertion ends the kernel */
    }
    __builtin_trap();
}
#else
/* Of the module: the host writes it (tma/judge_record.h). */
extern tma_judge_record *volatile libtma_checker_record;

static tma_judge_record *records(void) {
    tma_judge_record *r = libtma_checker_record;
    return r && r->format == TMA_JUDGE_RECORD_FORMAT ? r : NULL;
}

static MAYBE void leave_whole(tma_judge_record *r) {
    __asm__ volatile("fence.acq_rel.sys;" : : : "memory");
    __asm__ volatile("st.volatile.u32 [%0], %1;"
                     :
                     : "l"(&r->state), "r"(TMA_JUDGE_RECORD_DONE)
                     : "memory");
    __asm__ volatile("fence.acq_rel.sys;" : : : "memory");
}
#endif

#ifdef ON_FAULT_RECORD
/* An illegal address and no trap: with a trap ptxas keeps what the record needs alive across the
 * whole kernel, and spills (ThunderKittens' GEMM: 1.2 KB; with this, nothing). The error ends the
 * thread, no exit: before one, ptxas waits for the wgmma in flight, and where threads part for
 * that, it serialises them all (C7518: Triton's persistent matmul 1.33 times as long). */
static LEAVING void end(void) {
    for (;;) {
        __asm__ volatile("st.volatile.global.u32 [%0], %1;"
                         :
                         : "l"((uint64_t)NOWHERE), "r"(0)
                         : "memory");
    }
}

void tma_fault(const void *map, const checked_site *where, const checked_position *position) {
    tma_judge_record *r = records();
    if (r && claim(&r->state)) {
        keep(r, map, where, position);
        leave_whole(r);
    } else if (r) {
        wait_for(&r->state);
    }
    end();
}

#define WORDS_TO(member)                                                                           \
    ((offsetof(tma_judge_record, member) - offsetof(tma_judge_record, map)) / 4)
_Static_assert(offsetof(tma_judge_left, site) / 4 == WORDS_TO(features) &&
                   offsetof(checked_site, file) / 4 == WORDS_TO(words) - WORDS_TO(features),
               "what is left, the site and the map stand one behind the other in a record");

/* One loop for all three, as keep_strings(): what ptxas gets to read is in every kernel. */
static LEAVING void keep_all(kept_record *r, const volatile tma_judge_left *left,
                             kept_site *where) {
    const uint32_t words = where->site.mode < TMA_JUDGE_BULK ? WORDS_TO(given) : WORDS_TO(words);
    const uint64_t map = left->map;
    uint64_t from = (uint64_t)left;
    volatile uint32_t *to = (volatile uint32_t *)&r->map;
    TMA_JUDGE_ROLLED
    for (uint32_t i = 1; i <= words; i++) {
        uint32_t word = 0;
        __asm__ volatile("ld.u32 %0, [%1];" : "=r"(word) : "l"(from));
        *to++ = word;
        from += 4;
        from = i == WORDS_TO(features) ? (uint64_t)where : from;
        from = i == WORDS_TO(words) ? map : from;
    }
}

/* In a kernel that judged its maps when it began: what a copy leaves stands in the thread's memory.
 * Without a site it is the copy of another thread of the warp. */
void tma_leave(const volatile tma_judge_left *left) {
    tma_judge_record *r = libtma_checker_record;
    kept_site *where = (kept_site *)left->site;
    if (!r || r->format != TMA_JUDGE_RECORD_FORMAT) {
        end();
    }
    if (!where || !claim(&r->state)) {
        wait_for(&r->state);
        end();
    }
    kept_record *k = r;
    uint32_t special = 0;
    KEEP_THREE(k, block, "ctaid");
    keep_all(k, left, where);
    KEEP_THREE(k, thread, "tid");
    KEEP_SPECIAL(special, "cluster_nctarank");
    k->ctas = special;
    KEEP_SPECIAL(special, "aggr_smem_size");
    k->window_end = (special + WINDOW_UNIT_B - 1) & ~(WINDOW_UNIT_B - 1);
    keep_strings(k, where);
    leave_whole(r);
    end();
}
#endif

#ifdef ON_FAULT_SKIP
/* What a load's barrier waits for, or 0: not known. */
static __attribute__((noinline)) uint32_t awaited_B(const void *map, const checked_site *where,
                                                    const checked_position *position) {
    const tma_judge_at *at = &position->at;
    tma_judge_fault fault;
    if (where->site.mode == TMA_JUDGE_BARRIER) {
        return 0;
    }
    const uint64_t tx_B = where->site.mode == TMA_JUDGE_BULK
                              ? (uint32_t)at->coord[TMA_JUDGE_SIZE]
                              : tma_judge_tx_B(map, &where->site, at);
    const int known =
        at->barrier != TMA_JUDGE_NO_BARRIER && !tma_judge_barrier(&fault, &where->site, at);
    return tx_B <= TMA_VALUE(SHARED) && known ? (uint32_t)tx_B : 0;
}

static void complete(uint32_t barrier, uint32_t tx_B) {
    __asm__ volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;"
                     :
                     : "r"(barrier), "r"(tx_B)
                     : "memory");
}

/* A multicast counts on the barrier at the same place of each CTA. */
static void complete_all(const checked_site *where, const checked_position *position,
                         uint32_t tx_B) {
    if (!where->site.multicast) {
        complete(position->at.barrier, tx_B);
        return;
    }
    for (uint32_t cta = 0; cta < position->at.ctas; cta++) {
        uint32_t there = 0;
        if (position->at.cta_mask >> cta & 1) {
            __asm__ volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                             : "=r"(there)
                             : "r"(position->at.barrier), "r"(cta));
            complete(there, tx_B);
        }
    }
}

void tma_fault(const void *map, const checked_site *where, const checked_position *position) {
    tma_judge_record *r = records();
    const int load = where->site.op == TMA_OP_LOAD;
    const uint32_t tx_B = load ? awaited_B(map, where, position) : 0;
    if (r && claim(&r->state)) {
        keep(r, map, where, position);
        leave_whole(r);
    }
    if (!r || (load && !tx_B) || (where->site.multicast && where->site.cta_group == 2)) {
        if (r) {
            wait_for(&r->state);
        }
        __builtin_trap();
    }
    __asm__ volatile("red.sys.add.u32 [%0], 1;" : : "l"(&r->skipped) : "memory");
    if (load) {
        complete_all(where, position, tx_B);
    }
}
#endif
