/* SPDX-License-Identifier: Apache-2.0
 *
 * What a wait that lasts too long ends in: what its mbarrier lacks is measured, and left in the
 * host's memory; the kernel traps. Compiled to PTX by make_checker.py (ptx/check/ptx_hang.inc).
 *
 * A kernel's loads do not see a barrier's word, but the state that mbarrier.arrive returns has its
 * upper half, with a count of 0, too, which changes nothing: the parity, the missing arrivals, and
 * the missing bytes / 2048. The rest is found by expecting more until that changes, which is taken
 * back. So no phase ends, and nobody who waits goes on. Seen on an H200
 * (lab/hardware/hangs/README.md).
 */
#include "checker.h"
#include "tma/judge_record.h"

#define PAUSE_NS  1000000u
#define TOGETHER  200 /* pauses: who waits for the same reason comes in that time */
#define STEP_B    2048u
#define NEAR      8 /* barriers on each side */
#define MOST_NEAR 4096u
#define UNIT_B    8u

#define WINDOW_MASK 0xFFFFFFu /* above it, which CTA of the cluster */
#define FIRST_B     1024u     /* below it is the system's */
#define ERROR_BIT   42

/* What the rewriter writes for each wait: ptx/insert/ptx_hang.c. */
typedef struct hang_where {
    const char *line;
    const char *function;
    uint32_t site;
    uint32_t limit_ms;
    uint32_t unit_ns; /* of the times */
    uint32_t unused;
} hang_where;

typedef struct hang_maps {
    uint64_t count;
    struct {
        const uint32_t *at;
        const char *line;
    } map[TMA_HANG_MAPS];
} hang_maps;

extern tma_judge_record_slot *volatile libtma_checker_record;

static tma_hang_record found;
static uint32_t measuring; /* one thread at a time: it adds to what it measures */
static uint32_t leading;
static volatile uint32_t nothing; /* 0, which no compiler knows */

/* Called, not inlined, and loops as they stand: warps that gave registers away (setmaxnreg.dec)
 * have few, and a function that needs more ends in an illegal instruction. */
#define APART                  static __attribute__((noinline))
#define KEEP_SPECIAL(to, name) __asm__ volatile("mov.u32 %0, %%" name ";" : "=r"(to))

static uint32_t exchange(uint32_t *at, uint32_t from, uint32_t to) {
    uint32_t was = 0;
    __asm__ volatile("atom.sys.cas.b32 %0, [%1], %2, %3;"
                     : "=r"(was)
                     : "l"(at), "r"(from), "r"(to)
                     : "memory");
    return was;
}

static void least(uint32_t *at, uint32_t value) {
    __asm__ volatile("red.gpu.min.u32 [%0], %1;" : : "l"(at), "r"(value) : "memory");
}

static uint32_t add(uint32_t *at, uint32_t more) {
    uint32_t was = 0;
    __asm__ volatile("atom.gpu.add.u32 %0, [%1], %2;" : "=r"(was) : "l"(at), "r"(more) : "memory");
    return was;
}

static void fence(void) {
    __asm__ volatile("fence.acq_rel.sys;" : : : "memory");
}

static void pause(void) {
    __asm__ volatile("nanosleep.u32 %0;" : : "r"(PAUSE_NS));
}

/* Where the thread is. */
APART void keep_place(tma_hang_wait *wait) {
    KEEP_SPECIAL(wait->block[0], "ctaid.x");
    KEEP_SPECIAL(wait->block[1], "ctaid.y");
    KEEP_SPECIAL(wait->block[2], "ctaid.z");
    KEEP_SPECIAL(wait->thread[0], "tid.x");
    KEEP_SPECIAL(wait->thread[1], "tid.y");
    KEEP_SPECIAL(wait->thread[2], "tid.z");
}

static __attribute__((noreturn)) void stay(void) {
    for (;;) {
        pause();
    }
}

/* --- measuring --- */

APART uint32_t state_of(uint32_t barrier) {
    uint64_t state = 0;
    __asm__ volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;"
                     : "=l"(state)
                     : "r"(barrier), "r"(nothing)
                     : "memory");
    return (uint32_t)(state >> 32);
}

static void expect(uint32_t barrier, uint32_t bytes_B) {
    __asm__ volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;"
                     :
                     : "r"(barrier), "r"(bytes_B)
                     : "memory");
}

static void complete(uint32_t barrier, uint32_t bytes_B) {
    __asm__ volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;"
                     :
                     : "r"(barrier), "r"(bytes_B)
                     : "memory");
}

/* Minus the missing bytes, in steps, rounded down. */
static int32_t steps_of(uint32_t state) {
    return (int32_t)(state << 22) >> 22;
}

static uint32_t arrivals_of(uint32_t state) {
    return (0u - (state >> 11)) & 0xFFFFFu;
}

/* Away from 0, so that no phase ends: more is expected where bytes are missing, else more comes. */
APART int32_t missing_B(uint32_t barrier, int32_t steps) {
    uint32_t added_B = 0;
#pragma clang loop unroll(disable)
    for (uint32_t more_B = STEP_B / 2; more_B; more_B /= 2) {
        if (steps < 0) {
            expect(barrier, more_B);
        } else {
            complete(barrier, more_B);
        }
        if (steps_of(state_of(barrier)) == steps) {
            added_B += more_B;
        } else if (steps < 0) {
            complete(barrier, more_B);
        } else {
            expect(barrier, more_B);
        }
    }
    if (added_B && steps < 0) {
        complete(barrier, added_B);
    } else if (added_B) {
        expect(barrier, added_B);
    }
    const int32_t beyond_B = steps < 0 ? (int32_t)added_B : (int32_t)(STEP_B - 1 - added_B);
    return -(steps * (int32_t)STEP_B + beyond_B);
}

/* What a load sees there: data, or what lay there before the barrier was made. */
static uint64_t seen_at(uint32_t barrier) {
    uint64_t word = 0;
    __asm__ volatile("ld.volatile.shared.u64 %0, [%1];" : "=l"(word) : "r"(barrier) : "memory");
    return word;
}

/* A barrier near it that as many bytes came to as are missing, and that did not expect them. What
 * is no barrier is data: with the bit of errors in it, it would kill. */
APART void look_beside(tma_hang_wait *wait) {
    uint32_t end = 0;
    KEEP_SPECIAL(end, "total_smem_size");
#pragma clang loop unroll(disable)
    for (uint32_t i = 2; i <= 2 * NEAR + 1; i++) {
        const uint32_t at = wait->barrier + (i & 1 ? 0u - i / 2 * UNIT_B : i / 2 * UNIT_B);
        const uint32_t offset = at & WINDOW_MASK;
        const int is_inside = offset >= FIRST_B && offset + UNIT_B <= end;
        const int may_live = is_inside && !(seen_at(at) >> ERROR_BIT & 1);
        const uint32_t state = may_live ? state_of(at) : 0;
        if (may_live && steps_of(state) >= 0 && arrivals_of(state) <= MOST_NEAR &&
            steps_of(state) == wait->bytes_missing_B / (int32_t)STEP_B &&
            missing_B(at, steps_of(state)) == -wait->bytes_missing_B) {
            wait->beside = at;
            wait->beside_missing_B = -wait->bytes_missing_B;
            return;
        }
    }
}

APART void measure(tma_hang_wait *wait) {
    while (exchange(&measuring, 0, 1)) {
        pause();
    }
    const uint32_t state = state_of(wait->barrier);
    wait->open_parity = state >> 31;
    wait->arrivals_missing = arrivals_of(state);
    if (wait->open_parity == wait->parity) {
        wait->bytes_missing_B = missing_B(wait->barrier, steps_of(state));
        if (wait->bytes_missing_B > 0) {
            look_beside(wait);
        }
    }
    fence();
    exchange(&measuring, 1, 0);
}

/* --- the record --- */

APART void copy_words(volatile uint32_t *to, const volatile uint32_t *from, uint32_t count) {
#pragma clang loop unroll(disable)
    for (uint32_t i = 0; i < count; i++) {
        to[i] = from[i];
    }
}

APART void keep_string(char *to, uint32_t size, const char *from) {
    uint32_t i = 0;
#pragma clang loop unroll(disable)
    for (; i + 1 < size && from[i]; i++) {
        to[i] = from[i];
    }
    to[i] = 0;
}

static int is_alike(const tma_hang_wait *a, const tma_hang_wait *b) {
    return a->is_whole && a->barrier == b->barrier && a->parity == b->parity &&
           a->site == b->site && a->arrivals_missing == b->arrivals_missing &&
           a->bytes_missing_B == b->bytes_missing_B;
}

APART void keep_wait(const tma_hang_wait *wait, const char *line) {
    uint32_t i = 0;
#pragma clang loop unroll(disable)
    for (; i < TMA_HANG_WAITS; i++) {
        if (is_alike(&found.wait[i], wait)) {
            add(&found.wait[i].warps, 1);
            least(&found.wait[i].since, wait->since);
            return;
        }
    }
    i = add(&found.waits, 1);
    if (i < TMA_HANG_WAITS) {
        copy_words((uint32_t *)&found.wait[i], (const uint32_t *)wait, sizeof(*wait) / 4);
        keep_string(found.wait[i].line, TMA_HANG_LINE_BYTES, line);
        fence();
        *(volatile uint32_t *)&found.wait[i].is_whole = 1;
    }
}

APART void keep_maps(const hang_maps *maps) {
    found.maps = (uint32_t)maps->count;
#pragma clang loop unroll(disable)
    for (uint32_t i = 0; i < maps->count && i < TMA_HANG_MAPS; i++) {
        found.map[i].address = (uint64_t)(uintptr_t)maps->map[i].at;
        keep_string(found.map[i].line, TMA_HANG_MAP_LINE, maps->map[i].line);
        copy_words(found.map[i].words, maps->map[i].at, TMA_MAP_BYTES / 4);
    }
}

APART void leave(tma_judge_record_slot *slot, const hang_where *where, const tma_hang_wait *wait) {
    copy_words((uint32_t *)&slot->hang, (const uint32_t *)&found, sizeof(found) / 4);
    tma_judge_record *r = &slot->record;
    r->rule = TMA_JUDGE_RECORD_HANG;
    r->shared_address = wait->barrier;
#pragma clang loop unroll(disable)
    for (uint32_t i = 0; i < 3; i++) {
        r->block[i] = wait->block[i];
        r->thread[i] = wait->thread[i];
    }
    keep_string(r->file, sizeof(r->file), where->line);
    keep_string(r->function, sizeof(r->function), where->function);
    fence();
    *(volatile uint32_t *)&r->state = TMA_JUDGE_RECORD_DONE;
    fence();
}

static int is_first_lane(void) {
    uint32_t lanes = 0;
    uint32_t lane = 0;
    __asm__ volatile("activemask.b32 %0;" : "=r"(lanes));
    KEEP_SPECIAL(lane, "laneid");
    return !(lanes & ((1u << lane) - 1));
}

void tma_hang(const hang_where *where, uint32_t barrier, uint32_t parity, uint32_t since,
              const hang_maps *maps) {
    tma_judge_record_slot *slot = libtma_checker_record;
    if (!is_first_lane() || slot->record.format != TMA_JUDGE_RECORD_FORMAT) {
        stay();
    }
    tma_hang_wait wait = {
        .barrier = barrier, .parity = parity & 1, .site = where->site, .warps = 1, .since = since};
    keep_place(&wait);
    measure(&wait);
    keep_wait(&wait, where->line);
    if (exchange(&leading, 0, 1)) {
        stay();
    }
    keep_maps(maps);
    found.limit_ms = where->limit_ms;
    found.unit_ns = where->unit_ns;
#pragma clang loop unroll(disable)
    for (uint32_t i = 0; i < TOGETHER; i++) {
        pause();
    }
    if (exchange(&slot->record.state, TMA_JUDGE_RECORD_FREE, TMA_JUDGE_RECORD_BEGUN) ==
        TMA_JUDGE_RECORD_FREE) {
        leave(slot, where, &wait);
    } else {
        for (uint32_t i = 0;
             i < 5000 && *(volatile uint32_t *)&slot->record.state != TMA_JUDGE_RECORD_DONE; i++) {
            pause();
        }
    }
    __builtin_trap();
}
