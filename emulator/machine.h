/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch while it runs: the grid's CTAs, their warps, lanes and memory, and what is under way
 * beside them. One instance, stepped by one thread; nothing is shared between instances.
 *
 * Addresses. A generic address below EMU_WINDOWS is global. Others lie in windows of 2^32 bytes:
 *   EMU_SHARED_WINDOW + shared address;  EMU_LOCAL_WINDOW + local address;
 *   EMU_PARAM_WINDOW + offset in the kernel's parameters.
 * EMU_ELSEWHERE is set in one that an instruction of a window names and that does not lie there.
 * A shared address (32 bits) is the same in .shared::cta and .shared::cluster, as an H200 has it:
 * rank in the cluster << 24, + offset in that CTA's shared memory; variables begin at offset 0x400
 * (what lies below is the system's).
 */
#ifndef EMULATOR_MACHINE_H
#define EMULATOR_MACHINE_H

#include "program.h"
#include "tma/barrier.h"
#include "tma/detail/assert.h"
#include "tma/emulate.h"

#define EMU_LOCAL_WINDOW  UINT64_C(0x7f01000000000000)
#define EMU_SHARED_WINDOW UINT64_C(0x7f02000000000000)
#define EMU_PARAM_WINDOW  UINT64_C(0x7f03000000000000)
#define EMU_WINDOWS       EMU_LOCAL_WINDOW
#define EMU_ELSEWHERE     (UINT64_C(1) << 63)
#define EMU_SHARED_FIRST  0x400u
#define EMU_RANK_SHIFT    24
#define EMU_OFFSET_BITS   0xffffffu /* of a shared address: in its CTA */

typedef struct emu_machine emu_machine;
typedef struct emu_cta emu_cta;
typedef struct emu_cluster emu_cluster;
typedef struct emu_fragment emu_fragment;
typedef struct emu_async emu_async;

/* What order.h hangs on whatever synchronises; opaque to everything else. Zero is the beginning.
 * near_clock: what of it threads of the CTA told in whose memory it lies. */
typedef struct emu_sync {
    void *know, *near_clock;
} emu_sync;

/* ---- threads ---- */

typedef struct emu_frame {
    struct emu_frame *caller; /* null: the kernel's own */
    const emu_function *function;
    uint8_t *slots;      /* function->slots slots */
    uint32_t *undefined; /* by slot: lanes whose value nobody wrote, or was made of such */
    uint8_t *memory;     /* function->local_B bytes for each lane, lane after lane */
    const emu_instruction *call;
    uint32_t users;    /* fragments and frames that need it */
    uint32_t local_at; /* local address of lane 0's memory */
    void *stack;       /* memory/stack.c's: null until alloca */
} emu_frame;

/* Where lanes that parted meet again: all of `expected` that live come to pc in this frame. */
typedef struct emu_join {
    struct emu_join *outer;
    emu_frame *frame;
    uint32_t pc;
    uint32_t expected, arrived;
} emu_join;

/* A size that was computed in 64 bits; what no size_t holds is more than any memory. */
static inline size_t emu_size(uint64_t size_B) {
    return size_B < SIZE_MAX ? (size_t)size_B : SIZE_MAX;
}

/* The next number of a seed: splitmix64. */
static inline uint64_t emu_random(uint64_t *seed) {
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

typedef enum emu_wait_kind {
    EMU_RUNS,
    EMU_WAITS_CONVERGE,  /* .aligned or .sync: other lanes of the warp have to come to this pc */
    EMU_WAITS_BARRIER,   /* bar.sync, barrier.sync: cta barrier `number` */
    EMU_WAITS_CLUSTER,   /* barrier.cluster.wait */
    EMU_WAITS_MBARRIER,  /* try_wait that has not been answered yet: shared address `number` */
    EMU_WAITS_GROUP,     /* a wait_group of any kind: cp.async, bulk, wgmma, tcgen05 */
    EMU_WAITS_GRID,      /* griddepcontrol, a CTA that is not resident */
    EMU_WAITS_TENSOR,    /* tcgen05.alloc, dealloc: columns, or the other CTA of the pair */
    EMU_WAITS_REGISTERS, /* setmaxnreg.inc: the CTA's pool; `number` of a thread */
    EMU_SLEEPS,          /* nanosleep and polling: a yield */
    EMU_WAIT_KINDS,
} emu_wait_kind;

/* Lanes of one warp that are at one pc. */
struct emu_fragment {
    emu_fragment *next; /* of the warp */
    emu_frame *frame;
    emu_join *join;
    uint32_t mask;
    uint32_t pc;     /* of program->code */
    uint8_t wait;    /* emu_wait_kind */
    uint8_t polls;   /* since the last progress it did nothing but fail, sleep and read what did not
                        change: deadlock's condition */
    uint64_t number; /* what it waits for */
    uint32_t asks;   /* at a standstill: where it asks for what does not come, */
    uint32_t asked;  /* and which mbarrier, by its shared address */
    uint64_t progress; /* machine->progress when it was last asked, and its cluster's */
    uint64_t near;
    uint64_t failed;  /* mbarriers.c's: the phase of which a try_wait last said no */
    uint8_t gives_up; /* set by the schedule at a standstill, so that a kernel's own time-outs run:
                         a  try_wait that waits says no, once */
};

struct emu_warp {
    emu_machine *machine;
    emu_cta *cta;
    uint32_t index;  /* in the CTA */
    uint32_t exists; /* lanes that the launch has */
    uint32_t live;   /* lanes that have not exited */
    emu_fragment *fragments;
    emu_fragment *now; /* that is executed: run functions read now->frame */
    uint8_t *slots;    /* of now->frame, and the program's constants: in a turn */
    uint8_t (*pool)[EMU_SLOT_B];
    uint32_t busy;                   /* registers belong to wgmmas: see matrix_registers.h */
    uint32_t carry;                  /* CC.CF of its lanes */
    uint32_t asks;                   /* lanes that a wait has told no: order/proof.c */
    uint8_t asks_straight;           /* and that came to no branch since */
    const emu_instruction *asked_in; /* that wait, */
    uint64_t asked;                  /* its barrier and parity */
    uint64_t executed;               /* warp instructions */
    const emu_instruction *issuer;   /* copy_parts.c's: the last instruction that copies, */
    uint64_t issues;                 /* its first copy, from 1, */
    uint32_t issues_alike;           /* and lanes whose copies are the same one */
    uint32_t taken_epoch;            /* lane 0's at setmaxnreg.inc (proof.c); 0: none */
    uint32_t resized;                /* setmaxnreg: how many, and the last one */
    const emu_instruction *resized_in;
    uint32_t registers; /* of a thread, as that one says; 0: none did, or ptxas leaves it out */
    void *order;        /* order/'s */
    void *groups;       /* groups.c's: cp.async, bulk, wgmma groups of its lanes */
    void *wgmma;        /* matrix_owned.c's */
    void *tensor;       /* tensor_memory.c's: loads and stores, what tcgen05.commit tracks */
};

struct emu_cta {
    emu_machine *machine;
    emu_cluster *cluster;
    uint64_t index; /* in the grid, x first */
    uint32_t ctaid[3];
    uint32_t rank; /* in the cluster */
    uint32_t warps, threads;
    emu_warp *warp;
    uint8_t *shared;         /* from offset 0 on; null: the CTA has ended */
    uint8_t *shared_written; /* a bit a byte; null: not tracked */
    uint32_t shared_B;
    uint32_t running;  /* threads that have not exited */
    uint8_t has_ended; /* that none has is known */
    uint8_t rests;     /* in its last turns all its threads waited, and nothing had moved: */
    uint8_t rests_far; /* some of them for what other clusters do, */
    uint64_t progress; /* as in a fragment */
    uint64_t near;
    /* query_cancel that saw no cluster left, and its thread; null: none did */
    const emu_instruction *refused_in;
    uint32_t refused_thread;
    void *barriers;  /* barriers.c's: the 16 named ones */
    void *mbarriers; /* mbarriers.c's table, by offset */
    void *tensor;    /* tensor_memory.c's: null until something is allocated */
    void *order;
};

struct emu_cluster {
    uint32_t first; /* index of its first CTA */
    uint32_t ctas;
    emu_cta **cta;     /* by rank */
    void *barrier;     /* barriers.c's */
    uint64_t progress; /* of which its own threads, barriers and copies alone hear */
};

/* ---- what is under way ---- */

typedef enum emu_async_kind {
    EMU_ASYNC_CP,     /* cp.async, cp.async.mbarrier.arrive */
    EMU_ASYNC_BULK,   /* bulk copies without a map, st.async, red.async */
    EMU_ASYNC_TENSOR, /* with a map */
    EMU_ASYNC_WGMMA,
    EMU_ASYNC_TENSOR_LD, /* tcgen05.ld, .st: until the wait of their warp */
    EMU_ASYNC_TENSOR_ST,
    EMU_ASYNC_TCGEN05, /* tcgen05.mma, .cp, .shift, .commit: one thread's in their order */
    EMU_ASYNC_KINDS,
} emu_async_kind;

/* A copy or an MMA from its issue to its completion. It is made by its instruction, put into
 * machine->async (async.h), and the schedule decides when its stages come: read() reads its
 * sources, complete() does the rest and tells its mechanism. Both may be called right after each
 * other; read() always comes first. Each says through order.h what it touches. */
struct emu_async {
    emu_async *next, *before; /* of the queue */
    uint32_t at;              /* machine->drawn */
    uint8_t kind;
    uint8_t stage; /* 0 issued, 1 sources read, 2 complete */
    emu_warp *warp;
    uint32_t lane; /* that issued it */
    const emu_instruction *in;
    uint64_t number;  /* in the order of issue */
    uint64_t first;   /* of those of its instruction, from 1; 0: not known */
    uint8_t is_alike; /* so are other lanes' copies of that instruction: the same operands */
    int (*read)(emu_machine *m, emu_async *a);     /* may be null; 0, or -1: the run is over */
    int (*complete)(emu_machine *m, emu_async *a); /* likewise */
    int (*may_complete)(const emu_machine *m, const emu_async *a); /* null: always; e.g. an earlier
                       one of the same accumulators has to be first */
    void (*touches)(emu_async *a); /* says order_async_access() of all that it will touch; null:
                                      nothing, or its maker says it */
    void *group;                   /* groups.c: that counts it, or null */
    emu_cta *from, *to;            /* whose shared memory it reads and writes, or null */
    emu_cta *barrier_cta;          /* whose mbarrier is told, or null */
    uint32_t barrier;              /* offset of it */
    uint32_t tx_B;                 /* bytes that it completes there */
    void *order;                   /* order/'s snapshot */
    /* payload follows in the struct that begins with this one */
};

/* ---- memory ---- */

/* A piece of memory that an access lies in: found by emu_place_of() (places.h). */
typedef struct emu_place {
    uint8_t space;      /* EMU_GLOBAL, EMU_SHARED_CTA (whatever CTA), EMU_LOCAL, EMU_PARAM_ENTRY,
                           EMU_CONST */
    emu_cta *cta;       /* of shared */
    uint64_t at;        /* offset in shared memory; address in global memory */
    uint8_t *host;      /* its bytes */
    uint64_t follows_B; /* bytes from here to the end of the allocation or variable */
} emu_place;

/* So many bytes behind it, in the same piece. */
static inline emu_place emu_place_behind(const emu_place *place, uint64_t by_B) {
    emu_place behind = *place;
    behind.at += by_B;
    behind.host += by_B;
    behind.follows_B -= by_B;
    return behind;
}

typedef struct emu_allocation {
    uint64_t address, size_B;
    uint8_t *host;
    uint8_t *written; /* a bit a byte: initialised; null: all is */
    const char *name; /* "parameter A", "variable x", "malloc" */
    size_t name_length;
    uint8_t space; /* EMU_GLOBAL or EMU_CONST: one range of addresses for both */
    uint8_t is_variable, is_read_only, is_malloc, is_freed;
    uint32_t number; /* among the caller's memory, or among its variables */
} emu_allocation;

/* Shared offsets that one variable has, or dynamic shared memory. */
typedef struct emu_shared_region {
    uint32_t begin, end;
    uint32_t variable; /* or EMU_NONE: dynamic */
} emu_shared_region;

/* ---- the whole ---- */

#define EMU_HEAP_CLASSES 16

typedef struct emu_heap { /* heap.h */
    void *spare[EMU_HEAP_CLASSES];
    void *blocks;
    uint64_t taken_B;
} emu_heap;

struct emu_machine {
    const emu_program *program;
    const emu_function *kernel;
    const tma_emulate_host *host;
    const tma_emulate_launch *launch;
    ptx_memory memory; /* what lives as long as the run */
    emu_heap heap;     /* heap.h: what is given back before */
    tma_target target;

    uint32_t grid[3], block[3], cluster[3];
    uint8_t *params;
    uint32_t params_B;
    uint32_t static_shared_B, dynamic_shared_B; /* dynamic begins at EMU_SHARED_FIRST + static */
    uint64_t *variable_address; /* by variable: shared offset, or global or constant address; of
                                   those that live in frames 0 */
    emu_allocation *allocation; /* by address */
    uint32_t allocations;
    uint32_t allocation_hit;          /* that was found last */
    uint32_t local_hit;               /* the variable likewise */
    uint64_t grid_workspace;          /* address of a cooperative launch's; else 0 */
    uint64_t ours_end;                /* where the next allocation of the emulator's own lies */
    emu_shared_region *shared_region; /* by offset, of every CTA */
    uint32_t shared_regions;

    emu_cta **cta; /* resident or done, by grid index; null: not begun or freed */
    uint64_t ctas, begun, done;
    emu_cta **resident; /* those that run: clusters together */
    uint64_t residents, room;
    uint8_t cancels;    /* the kernel has try_cancel: clusters begin when the schedule says so */
    uint8_t *cancelled; /* by grid index of a cluster's first CTA: emu_cancelled; null: none is */
    const emu_instruction *cancelled_in; /* that cancelled one */
    uint8_t exits; /* all threads of some CTA have exited since a round began */
    uint32_t held; /* rounds in which one could have begun and did not */

    emu_async *async, *async_last; /* in the order of issue */
    emu_async **drawn;             /* the same in any order: seeded schedules draw one */
    uint32_t all_drawn, drawn_room;
    uint64_t issued;
    void *plans; /* copy_tensor.c: that were made */

    uint64_t instructions; /* thread instructions: lanes that executed */
    uint64_t progress;     /* counts what is progress: see schedule_rounds.c */
    uint64_t everywhere;   /* the same, of what may wake any cluster */
    uint32_t *executed;    /* by instruction: how often; saturates; in whole straight runs: there */
    uint8_t *looks;        /* by instruction: 1 << emu_look (schedule.h) */
    struct emu_flow *flow; /* by instruction (undefined.h); where machine->tracks */
    int32_t *flow_slot;
    uint32_t flow_slots;
    struct emu_straight *straight; /* by instruction (straight.h) */
    int32_t *straight_slot;
    uint32_t straight_slots;

    uint8_t knows_registers; /* registers_entry.c's: of a thread at the launch, once asked for */
    uint32_t registers;

    uint8_t ordered;   /* order/ runs along */
    uint8_t values;    /* products are computed; else (--no-values) zeros */
    uint8_t tracks;    /* uninitialised registers */
    uint8_t schedule;  /* emu_schedule: late, early, seeded */
    uint8_t impatient; /* no thread can move, and nothing is under way: waits that may answer false
                          do (try_wait), and clocks leap, so that a kernel's own time-outs run */
    uint64_t still_at,
        looked;          /* deadlock.c's: progress at the last standstill, instructions since */
    uint64_t clock_leap; /* what %clock and %globaltimer have beyond machine->instructions */
    uint64_t seed;
    int stopped;
    tma_emulate_end end;
    void *order;
    const char *unproved; /* why other schedules may do something else; null: none does */
    const emu_instruction *unproved_in;
    void *schedule_state;       /* schedule_rounds.c's */
    void *threads;              /* threads.c's: fragments, joins, frames that are free again */
    tma_emulate_result *result; /* findings go here: report.h */
};

/* The lanes of an operand. */
static inline void *emu_lanes(const emu_warp *w, int32_t slot) {
    return slot >= 0 ? w->now->frame->slots + (size_t)slot * EMU_SLOT_B
                     : w->machine->program->pool[~slot];
}
static inline uint32_t *emu_u32(const emu_warp *w, const emu_operand *o) {
    return (uint32_t *)emu_lanes(w, o->slot);
}
static inline uint64_t *emu_u64(const emu_warp *w, const emu_operand *o) {
    return (uint64_t *)emu_lanes(w, o->slot);
}
/* A predicate as a mask of lanes, negation applied. */
static inline uint32_t emu_predicate(const emu_warp *w, const emu_operand *o) {
    const uint32_t mask = *(const uint32_t *)emu_lanes(w, o->slot);
    return o->negated ? ~mask : mask;
}
static inline void emu_set_predicate(const emu_warp *w, const emu_operand *o, uint32_t mask,
                                     uint32_t value) {
    TMA_ASSERT(o->slot >= 0);
    uint32_t *p = (uint32_t *)emu_lanes(w, o->slot);
    *p = (*p & ~mask) | (value & mask);
}

/* Lanes of an integer operand of up to 32 or 64 bits as 64 bits, sign- or zero-extended from the
 * register's own width. For what is not on a fast path. */
uint64_t emu_lane_value(const emu_warp *w, const emu_operand *o, uint32_t lane);

#define EMU_FOR_LANES(lane, mask)                                                                  \
    for (uint32_t lane##_rest = (mask), lane = 0;                                                  \
         lane##_rest && ((lane = (uint32_t)__builtin_ctz(lane##_rest)), 1);                        \
         lane##_rest &= lane##_rest - 1)

#endif
