/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of order.h share: what threads know, asynchronous operations, shadow memory.
 */
#ifndef EMULATOR_ORDER_STATE_H
#define EMULATOR_ORDER_STATE_H

#include "heap.h"
#include "order.h"
#include "order_clock.h"
#include "run_report.h"
#include "tma/detail/assert.h"

/* Who released to a flag last. */
typedef struct order_released {
    const emu_instruction *in; /* null: nobody, or a relaxed write after a fence */
    uint32_t cta, cluster, thread;
} order_released;

/* Threads that a scope holds, besides a thread's own: those of its CTA, of its cluster, all (or it
 * is left out). */
typedef enum order_holds {
    ORDER_HOLDS_CTA,
    ORDER_HOLDS_CLUSTER,
    ORDER_HOLDS_ALL,
    ORDER_SCOPES,
} order_holds;

/* What relaxed reads saw, which a later fence acquires. */
typedef struct order_pending {
    order_know *know;
    order_clock *by[ORDER_SCOPES]; /* STRICT of it for a fence that holds these */
} order_pending;

/* A lane's last wait at an mbarrier that was told yes. */
typedef struct order_answer {
    const emu_instruction *in; /* null: none was */
    uint32_t over;   /* phases that were complete then: it answered for the last of them */
    uint32_t moment; /* order_state's */
    uint32_t first;  /* ... when it was first told of that phase */
    uint32_t asked; /* phases that were complete when it was told no since, from 1; 0: it was not */
    uint8_t again;  /* 1: it had been told of it before, 2: and its warp arrived since */
    uint8_t ignored; /* it went on without a yes once: its phases are not what it waited for */
} order_answer;

typedef struct order_waited {
    struct order_waited *next;
    uint32_t cta, component, address; /* of the barrier */
    uint32_t arrived;                 /* moment of the warp's last arrival there; 0: none */
    uint32_t began;                   /* ... of the first wait there that was told yes */
    order_answer lane[EMU_LANES];
} order_waited;

/* How often a warp executed an instruction that makes accesses, and behind which waits. */
typedef struct order_times {
    uint32_t count;
    uint32_t behind; /* moment of the warp's last wait by then, */
    uint32_t before; /* and of another one, where it was executed last */
} order_times;

/* One warp's lanes. A thread's component is its number in the CTA; its epoch is what its accesses
 * are of now, from 1. */
typedef struct order_warp_state {
    order_know *know[EMU_LANES];
    uint32_t epoch[EMU_LANES];
    order_pending read_pending[EMU_LANES]; /* of relaxed reads: what the next fence acquires */
    uint32_t at_barrier;                   /* lanes that came to an mbarrier since they met */
    const uint64_t *phase; /* open, of the mbarriers that lanes operate on; null: they do not */
    uint32_t atoms;        /* lanes that have one of these: */
    order_pending
        atom_pending[EMU_LANES]; /* of relaxed atomics: what the next release tells, too */
    uint32_t group[EMU_ASYNC_KINDS]
                  [EMU_LANES]; /* components of groups: by emu_async_kind; 0: none yet */
    order_times *times;        /* by instruction */
    order_waited *waited;      /* a row each mbarrier */
    uint32_t answered;         /* moment of its last wait that was told yes */
    uint32_t arrived; /* ... of its last arrival at an mbarrier, or a barrier of the whole CTA */
} order_warp_state;

/* Lanes of a warp acquired a map: whoever comes after them in their CTA reads it as they know it.
 */
typedef struct order_map_acquired {
    struct order_map_acquired *next;
    uint64_t address;
    uint32_t cta, warp, lanes;
    uint32_t epoch[EMU_LANES];
    order_clock *maps;
} order_map_acquired;

#define ORDER_TENSOR_PAGES 64 /* 8 parts of 16 lanes, 512 columns each */

/* A barrier of a CTA. Two components: what copies tell it, and its phases. */
typedef struct order_barrier {
    uint32_t offset, component;
    uint32_t phases, first; /* complete ones; as many when it was initialised last */
    order_clock *to_cover;  /* lanes that whatever completes the open phase has to know of */
} order_barrier;

/* A warp of another CTA that came to this one's shared memory: each lane's last time, the last
 * instruction. */
typedef struct order_guest {
    struct order_guest *next;
    uint32_t cta, warp;
    uint32_t epoch[EMU_LANES]; /* 0: it did not */
    uint32_t iteration;
    uint8_t writes;
    uint64_t phase; /* of the mbarrier at `place` that these operate on, from 1 on; 0: of none */
    const emu_instruction *in;
    emu_place place;
} order_guest;

typedef struct order_cta_state {
    uint32_t components;      /* in use: threads, then mechanisms */
    struct order_page **page; /* shared memory, by 256 B */
    uint32_t pages;
    struct order_page *tensor[ORDER_TENSOR_PAGES]; /* tensor memory, see order.h */
    order_barrier *barrier;
    uint32_t barriers;
    order_guest *guest;
    struct order_empty *empty; /* commits of nothing */
    uint32_t *list;            /* operations that touch its shared memory */
    uint32_t listed, list_room;
    uint8_t tells; /* other CTAs may know of what its threads did */
} order_cta_state;

/* One asynchronous operation. */
#define ORDER_MEET 4u /* warps of a wgmma */

typedef struct order_op {
    const emu_instruction *in;
    order_know *know;     /* of its issuers; null once it is over */
    uint32_t cta, thread; /* issuer */
    uint32_t iteration;
    uint32_t issued;                  /* the issuer's epoch */
    uint32_t heard;                   /* the issuer's own epoch, as a barrier had told it back */
    uint32_t read_epoch, write_epoch; /* 0: under way */
    uint32_t group;                   /* component of its group in `cta`; 0: it tells an mbarrier */
    uint32_t barrier_cta, barrier;    /* CTA of that mbarrier, and its component there */
    uint32_t phase;                   /* open there at its issue, from 1 */
    uint32_t moment;                  /* order_state's, at its issue */
    uint32_t before;                  /* operation whose bytes it writes over, from 1; 0: none */
    uint64_t first;                   /* emu_async's first and is_alike */
    uint8_t is_alike;
    uint8_t kind; /* emu_async_kind */
    uint8_t writes_shared;
    uint8_t reads_unwritten; /* shared bytes that nobody had written at its issue */
    uint8_t is_listed;
    emu_cta *listed_in;
    order_know *alone[ORDER_MEET]; /* of each warp of a wgmma, where their meeting orders nothing */
} order_op;

#define ORDER_IS_ASYNC  1u
#define ORDER_IS_WRITE  2u
#define ORDER_IS_ATOMIC 4u
#define ORDER_IS_STRONG 8u
#define ORDER_IS_INIT   16u
#define ORDER_IS_OVER   32u /* a thread's write over an earlier write */
#define ORDER_IS_SILENT 64u /* a read of a CTA that ended, of which no other one knows */

#define ORDER_NO_SIZE 255u /* another size */

/* One earlier access of a cell of 4 bytes. */
typedef struct order_entry {
    uint32_t cta;
    uint8_t warp;      /* of threads */
    uint8_t size_log2; /* of threads: how many bytes each lane accessed, 1 to 32 */
    uint8_t flags;
    uint8_t bytes; /* of the cell: bits */
    union {
        uint32_t lanes; /* of threads: those that made it at once */
        uint32_t op;
    };
    uint32_t epoch; /* of threads */
    uint32_t in;    /* instruction */
    uint32_t iteration;
} order_entry;

/* Reads and atomics of threads where a cell has many, found by their warp: reads of reads are not
 * judged, and of atomics in any order nothing comes mostly, so that one need not go through those
 * of other warps. */
typedef struct order_crowd_row {
    order_entry entry;
    uint32_t next, head; /* numbers from 1; head: by hash of a warp */
} order_crowd_row;

typedef struct order_crowd {
    uint32_t count, room;                    /* room: a power of two */
    uint32_t weak_reads, atomics, sensitive; /* of the entries; order_is_sensitive() */
    order_crowd_row at[];
} order_crowd;

#define ORDER_FEW 8u

typedef struct order_cell {
    uint32_t count, room;
    order_entry *more; /* beyond the first */
    order_entry first;
    order_crowd *crowd; /* null: reads and atomics are among the entries, ORDER_FEW of all */
} order_cell;

typedef struct order_range {
    order_entry entry;
    uint64_t cells; /* of the page */
} order_range;

#define ORDER_PAGE_B      256u
#define ORDER_PAGE_CELLS  64u
#define ORDER_ROW_CELLS   32u
#define ORDER_ROW_ENTRIES 3u

/* Accesses of whole warps to 32 cells in a row: of each cell by the lane that stands for it, the
 * lanes of an entry from the first one on. Nothing of these cells is in order_page.cell then. */
typedef struct order_shadow_row {
    uint32_t count;
    order_entry entry[ORDER_ROW_ENTRIES];
} order_shadow_row;

typedef struct order_page {
    uint64_t number; /* global: address / ORDER_PAGE_B */
    struct order_page *next;
    order_cell *cell;      /* ORDER_PAGE_CELLS, or null */
    order_shadow_row *row; /* both, or null */
    uint64_t used;         /* cells with entries of their own */
    order_range *range;    /* asynchronous operations */
    uint32_t ranges, room;
} order_page;

/* What a flag tells the threads of a CTA, or of a cluster, beyond what it tells all. */
typedef struct order_near {
    struct order_near *next;
    uint32_t first, is_cluster; /* its (first) CTA */
    order_clock *strict;
} order_near;

typedef struct order_flag_row {
    struct order_flag_row *next;
    emu_cta *cta;
    uint64_t at;
    order_know *know;
    order_released released;
    order_clock *strict; /* what it tells all, where scopes matter */
    order_near *near;
} order_flag_row;

#define ORDER_HASH 4096u
#define ORDER_OPS  1024u /* of a chunk */

typedef struct order_state {
    emu_machine *machine;
    order_clocks clocks;
    order_page *global[ORDER_HASH];
    order_flag_row *flag[ORDER_HASH];
    order_op **op; /* chunks */
    uint32_t ops, op_chunks;
    uint32_t serial; /* of completions */
    uint32_t moment; /* of waits and issues: which was executed first */
    order_map_acquired *acquired;
    uint8_t *silent;   /* a bit each CTA of the grid: it ended, and no other one knows of it */
    uint32_t is_lost;  /* memory ran out: it was said */
    uint8_t is_scoped; /* the program has scopes that hold a CTA or a cluster alone */
} order_state;

#define ORDER_TAKE(s, count, type) ((type *)emu_take((s)->machine, (count) * sizeof(type)))

static inline order_state *order_of(const emu_machine *m) {
    return m->ordered ? m->order : 0;
}

/* Operation number, from 1. */
static inline order_op *order_op_of(const order_state *s, uint32_t number) {
    TMA_ASSERT(number && number <= s->ops);
    return &s->op[(number - 1) / ORDER_OPS][(number - 1) % ORDER_OPS];
}

/* The later of two accesses. */
typedef struct order_actor {
    order_state *state;
    const order_know *know;
    const order_block *own_cta; /* a thread's: what it knows of its own CTA */
    order_entry entry;          /* as it will be kept */
    order_proxy proxy;
    const emu_place *place;
    uint64_t size_B;
    uint64_t cell_at; /* the cell whose entries are judged */
    uint8_t is_apart; /* ld.global.nc: no order of memory holds for it */
    uint8_t is_there; /* order_alike's: a write of bytes that were there before, */
    uint8_t is_alike; /* or that all lanes write alike */
} order_actor;

/* What else lies in the cell of an earlier access. */
typedef struct order_context {
    int written_before; /* the cell has an earlier asynchronous or generic write */
} order_context;

/* ---- shadow_page.c ---- */
order_page *order_page_at(order_state *s, const emu_place *place, uint64_t at);
void order_shadow_lost(order_state *s);

/* ---- shadow.c ---- */
void order_shadow_thread(order_actor *a, uint64_t at, uint32_t size_B);
void order_shadow_async(order_actor *a, uint64_t at, uint64_t size_B);
/* Lanes that know the same, reads or atomics of the same bytes, all at once; 0: one is to be
 * judged, and nothing was done. */
int order_shadow_alike(order_actor *a, uint64_t at, uint32_t size_B);
void order_cell_add(order_state *s, order_page *page, uint32_t number, const order_entry *entry);

/* ---- shadow_crowd.c ---- */
static inline int order_is_crowds(const order_entry *e) {
    return !(e->flags & ORDER_IS_ASYNC) &&
           (!(e->flags & ORDER_IS_WRITE) || e->flags & ORDER_IS_ATOMIC);
}

/* One more; a: who it is, or null. */
void order_crowd_add(order_state *s, const order_actor *a, order_cell *cell,
                     const order_entry *entry);
/* Whether a later read or atomic of threads need not go through those of other warps. */
int order_crowd_passes(const order_actor *a, const order_crowd *crowd);
/* ... beside those of its warp: 1 where it has joined one. */
int order_crowd_joins(const order_actor *a, order_crowd *crowd);
/* A later access, judged beside each, of which those go that it stands for. */
void order_crowd_judge(order_actor *a, order_cell *cell, const order_context *context);
/* Whether none asks for a judgement beside a later plain write of the whole cell. */
int order_crowd_quiet(const order_actor *a, const order_crowd *crowd);
void order_crowd_end(order_state *s, order_cell *cell);

/* ---- shadow_rows.c ---- */
/* All lanes of a warp that know the same and are in the same epoch, one right behind the other,
 * size_B (4, 8 or 16) each, from a multiple of 128 B on. */
void order_shadow_rows(order_actor *a, const emu_place *first, uint32_t size_B, uint32_t same);
/* Copies that touch cells beside a plain access: 0: one of them has to be judged. What the access
 * stands for goes, if none has to. */
int order_ranges_pass(const order_actor *a, order_page *page, uint64_t cells);
/* What rows hold of some cells, put into the cells. */
void order_rows_spread(order_state *s, order_page *page, uint64_t cells);
void order_pages_end(order_state *s, order_page *page);

/* ---- race.c ---- */
/* Whether an earlier access and the later one conflict and are unordered or unfenced; reports it.
 */
void order_judge(order_actor *a, const order_entry *earlier, const order_context *context);

/* ---- order_waits.c ---- */
typedef struct order_stale {
    char missing[TMA_EMULATE_TEXT];
} order_stale;

/* Whether a race of a copy follows from a wait that was answered for an older phase than the one
 * that was to be waited for: the reader's for the copy, or the copying thread's for the readers.
 * lanes: those of the earlier access that are unordered. */
int order_is_stale(order_stale *out, const order_actor *a, const order_entry *e, uint32_t lanes);
void order_waits_end(order_state *s, order_warp_state *w);

/* ---- order_before.c ---- */
/* Whether everything of an entry happened before the actor, as far as threads are concerned. */
int order_is_before(const order_actor *a, const order_entry *earlier);
/* Whether the issue of an operation happened before a later access; whether it is known that it is
 * over, as far as an entry of it goes. */
int order_is_issued_before(const order_actor *a, const order_op *op);
int order_is_over(const order_actor *a, const order_entry *e);
typedef enum order_who_kind {
    ORDER_THREAD_READ,
    ORDER_THREAD_WRITE,
    ORDER_STORE_READ,
    ORDER_MMA_READ,
    ORDER_COPY_WRITE
} order_who_kind;
order_who_kind order_kind_of(const order_state *s, const order_entry *e);

/* ---- order_witness.c ---- */
emu_who order_who_of(const order_actor *a, const order_entry *e, uint32_t unordered);

/* ---- order_barrier.c ---- */
/* The barrier of a CTA at an offset; null: no memory. */
order_barrier *order_barrier_at(order_state *s, emu_cta *cta, uint32_t offset);

/* ---- order_unread.c ---- */
/* The CTA ends: what commits of nothing left. */
void order_unread_judge(emu_cta *cta);

/* ---- guests.c ---- */
/* A lane comes to another CTA's shared memory. */
void order_guest_comes(order_state *s, const emu_warp *warp, uint32_t lane, const order_actor *a);
/* The CTA ends with what its threads know: which guests it did not wait for. */
void order_guests_judge(order_state *s, const emu_cta *cta, const order_know *know);

/* ---- proof.c ---- */
/* Whether what is left by an entry's instruction, or what it says, hangs on its order among
 * atomics.
 */
int order_is_sensitive(const order_state *s, const order_entry *e);
/* Whether nothing is said of two strong accesses of threads, one of them perhaps sensitive. */
int order_strong_pass(const order_actor *a, int is_sensitive);
/* Two accesses that are atomic or strong: whether what comes of them hangs on their order. */
void order_prove_strong(const order_actor *a, const order_entry *earlier);

/* ---- order_restricted.c ---- */
/* Whether a fence orders accesses to shared memory alone. */
int order_is_restricted(const emu_instruction *in);
/* What a restricted fence acquires of what was told: the caller's. */
order_know *order_restricted(order_clocks *s, order_know *told);
/* Of lanes' own: what a fence releases beside RELEASED; what a relaxed write tells. */
void order_restricted_release(order_clocks *s, order_know *know, int is_all);
void order_restricted_tell(order_clocks *s, order_know *know);
/* How far a component is known to have come, as to shared memory; whether a lane of an entry
 * happened before the actor (without a place: in shared memory). */
uint32_t order_shared_at(const order_know *know, uint32_t cta, uint32_t number);
int order_knows_lane(const order_actor *a, const order_entry *e, uint32_t lane);

/* ---- order_scopes.c ---- */
void order_pending_drop(order_state *s, order_pending *pending);
/* Whether a program has fences or flags of a scope that holds a CTA or a cluster alone. */
int order_scopes_matter(const emu_program *program);
order_holds order_scope_of(const emu_instruction *in);
/* A fence of lanes that know the same: RELEASED_* of it, before their epoch ends. */
void order_scope_fenced(order_state *s, order_know *know, const emu_instruction *in,
                        const emu_warp *w, uint32_t lanes);
/* A flag gets what a write tells: what a release has, or what was fenced. */
void order_scope_tell(order_state *s, const emu_cta *cta, order_flag_row *row,
                      const order_know *told, int releases);
/* What a flag tells a CTA, by the reader's scope, is added; a flag tells nothing any more. */
void order_scope_hear(order_state *s, const emu_cta *cta, const order_flag_row *row,
                      order_clock *by[ORDER_SCOPES]);
void order_scope_forget(order_state *s, order_flag_row *row);
void order_scope_drop(order_state *s, order_clock *by[ORDER_SCOPES]);

/* order_readings.c: who released with which scope; whether a scope that is written is too narrow.
 */
void order_scope_note(order_flag_row *row, const emu_warp *w, const emu_instruction *in,
                      uint32_t lane);
void order_scope_judge(const order_flag_row *row, const emu_warp *w, const emu_instruction *in,
                       uint32_t lane, const emu_place *place, uint32_t size_B);
/* What each warp of a wgmma knows by itself, under the reading that their meeting orders nothing;
 * whether that alone orders an access before it. */
void order_meeting_begins(emu_warp *const *warp, uint32_t warps, order_op *op);
void order_meeting_ends(order_state *s, order_op *op);
int order_by_meeting_alone(const order_actor *a, const order_entry *e);
int order_scope_is_strict(const emu_machine *m); /* the reading */
/* Two strong accesses of threads: unordered, their scopes have to hold both. */
void order_scope_strong(const order_actor *a, const order_entry *earlier);
/* Whether only fences whose scopes do not hold both order an access of threads before the actor. */
int order_by_narrow_alone(const order_actor *a, const order_entry *e);

/* ---- race_tensor.c ---- */
/* Two operations on the same tensor memory, one of them writes. */
void order_judge_tensor(const order_actor *a, const order_entry *earlier,
                        const order_context *context);

#endif
