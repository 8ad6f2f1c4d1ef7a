/* SPDX-License-Identifier: Apache-2.0
 *
 * The protocol of copies in one kernel: what its steps do to shared memory, barriers and groups,
 * under which conditions, and ways between them (docs/protocol.md).
 *
 * A way is that of one thread. Where it crosses a barrier of the CTA backwards it may be any
 * thread's. What is proved is certain; what hangs on a value that is not known is said as "may", or
 * not at all.
 */
#ifndef PTX_PTX_PROTOCOL_H
#define PTX_PTX_PROTOCOL_H

#include "ptx_sites.h"
#include "ptx_value_text.h"

typedef enum ptx_act_kind {
    PTX_ACT_NONE,
    PTX_ACT_WRITE,       /* of shared memory, through the generic proxy */
    PTX_ACT_READ,        /* likewise */
    PTX_ACT_STORE,       /* bulk copy or reduction out of shared memory, by bulk_group */
    PTX_ACT_LOAD,        /* bulk copy into shared memory, by mbarrier */
    PTX_ACT_REMOTE,      /* into another CTA's shared memory, or by another engine; by mbarrier */
    PTX_ACT_SEND,        /* what such a copy reads in this CTA's shared memory */
    PTX_ACT_PEER,        /* access to another CTA's shared memory, through the generic proxy */
    PTX_ACT_COMMIT,      /* cp.async.bulk.commit_group */
    PTX_ACT_WAIT_GROUP,  /* cp.async.bulk.wait_group */
    PTX_ACT_FENCE_ASYNC, /* fence.proxy.async */
    PTX_ACT_FENCE,       /* others */
    PTX_ACT_SYNC,        /* bar, barrier; a loop that waits for memory */
    PTX_ACT_WARP,        /* shfl.sync and such: a warp's threads come there together */
    PTX_ACT_INIT,        /* of mbarriers: */
    PTX_ACT_INVAL,
    PTX_ACT_EXPECT,
    PTX_ACT_ARRIVE,
    PTX_ACT_AWAIT,
    PTX_ACT_MMA,            /* wgmma, tcgen05.mma: its operands in shared memory */
    PTX_ACT_FETCH,          /* one of them; its number is the descriptor */
    PTX_ACT_MMA_WAIT,       /* wgmma.wait_group */
    PTX_ACT_EDIT,           /* a generic write to what may be a map in global memory */
    PTX_ACT_REPLACE,        /* tensormap.replace of a map there */
    PTX_ACT_DRAFT,          /* likewise of one in shared memory, by which no copy goes */
    PTX_ACT_PUBLISH,        /* tensormap.cp_fenceproxy to a map there; its number is the source */
    PTX_ACT_PREFETCH,       /* of a tile, by its map */
    PTX_ACT_MAP_RELEASE,    /* of the tensormap proxy: a fence behind edits, */
    PTX_ACT_FENCE_MAP,      /* and one before a use (acquire), whose map is `at` */
    PTX_ACT_TENSOR_ALLOC,   /* of tensor memory: its number is columns, `at` gets the address */
    PTX_ACT_TENSOR_FREE,    /* tcgen05.dealloc: `at` is the address in tensor memory, as below */
    PTX_ACT_TENSOR_PERMIT,  /* tcgen05.relinquish_alloc_permit */
    PTX_ACT_TENSOR_LOAD,    /* tcgen05.ld */
    PTX_ACT_TENSOR_PRODUCT, /* what tcgen05.mma or .cp writes; a commit tells when */
    PTX_ACT_TENSOR_USE,     /* other accesses */
    PTX_ACT_TENSOR_WAIT,    /* tcgen05.wait::ld */
    PTX_ACT_CALL,           /* whose inside is not seen */
    PTX_ACT_END,            /* of the thread */
    PTX_ACTS
} ptx_act_kind;

/* A predicate, or whether `key` is `number` (is_equal), that holds or does not. */
typedef struct ptx_condition {
    ptx_value key; /* PTX_UNKNOWN: not known */
    uint64_t number;
    uint8_t is_equal;
    uint8_t holds;
} ptx_condition;

/* Where an address moves: base + low to base + high, in steps. base PTX_UNKNOWN: it is not known.
 */
typedef struct ptx_reach {
    ptx_value base;
    int64_t low, high;
    uint64_t step; /* 0: one place */
} ptx_reach;

/* What an act has beside its kind. */
enum {
    PTX_OF_CLUSTER = 1 << 0, /* a wait for the cluster's barrier */
    PTX_TO_CLUSTER = 1 << 1, /* of a copy: a multicast; its mask is ptx_act.mask */
    PTX_TO_PEER = 1 << 2,    /* its address is mapa's: `at` and `barrier` are as in this CTA */
    PTX_OF_PAIR = 1 << 3,    /* cta_group::2: the other CTA's barrier may count it */
    PTX_SPINS = 1 << 4,      /* a wait in a loop of its own: it ends when the phase has */
    PTX_ONLY_BYTES = 1 << 5, /* mbarrier.expect_tx: no arrival */
    PTX_OF_MEMORY = 1 << 6,  /* of PTX_ACT_SYNC: a loop that waits for what another thread stores */
    PTX_OF_WARP = 1 << 7,    /* of PTX_ACT_SYNC: bar.warp.sync */
    PTX_TO_FIRST =
        1 << 8, /* beside PTX_TO_PEER: to CTA 0, who is also the only one of a cluster of one */
    PTX_GOES_ON = 1 << 9,      /* of PTX_ACT_SYNC: bar.arrive, which waits for nobody */
    PTX_BY_STATE = 1 << 10,    /* of a wait: for the phase of an arrival's state, not of a parity */
    PTX_TO_LEADER = 1 << 12,   /* beside PTX_OF_PAIR: on the barrier of the pair's first CTA */
    PTX_TO_OWN = 1 << 13,      /* its address is mapa's, of this CTA itself */
    PTX_BY_CP_ASYNC = 1 << 14, /* of a write: cp.async's */
    PTX_MEETS = 1 << 11, /* of an arrival: its thread waits for its phase then, as at a bar.sync */
};

typedef struct ptx_act {
    uint8_t kind; /* ptx_act_kind */
    uint8_t is_guarded : 1;
    uint8_t trusts : 1; /* in `among` only if a number that is not known stays in its variable */
    uint8_t leaves : 1; /* or may: what moves the barrier is known, and too wide for its variable */
    uint16_t traits;
    uint32_t step;
    uint32_t bytes_B;  /* of a generic access; of a copy 0: not known */
    ptx_value at;      /* shared address, bare */
    ptx_value barrier; /* likewise */
    ptx_value number;
    ptx_value mask;      /* of a multicast: the CTAs that receive */
    ptx_reach reach;     /* of the barrier */
    uint64_t among;      /* shared variables that the barrier may be in; 0: it is not known */
    uint32_t variable;   /* the one of these, + 1; 0: there is not one alone */
    ptx_value place;     /* the barrier, if it is at one place of it; or PTX_UNKNOWN */
    ptx_condition guard; /* of @p */
} ptx_act;

/* What a block runs under, innermost first. */
typedef struct ptx_guard {
    uint32_t up; /* or PTX_NONE */
    ptx_condition is;
} ptx_guard;

typedef struct ptx_protocol {
    ptx_memory *memory;
    ptx_report *r;
    ptx_values *v;
    ptx_act *act;
    uint32_t *first;    /* by block: of its acts; those of block i end where i + 1 begins */
    uint32_t *guard_of; /* by block */
    ptx_guard *guard;
    ptx_condition *branch; /* by block: what its first way out is taken under; key PTX_UNKNOWN */
    uint8_t *is_reached;   /* by block: some way leads there along what may be taken */
    uint8_t *can_branch;   /* by block: bit 0 its first, bit 1 its other way out may be taken */
    uint32_t acts, guards;
    uint8_t *is_signalled; /* by act: behind a loop that waits for memory; or null */
    uint16_t *thread_of;   /* by guard: ptx_act_thread() + 1; 0: not asked yet */
    uint8_t *elected;      /* by act: ptx_act_is_elected() + 1; 0: not asked yet */
    struct asked *asked;   /* protocol_flood.c: what the conditions of 64 acts ask; or null */
    uint32_t *ranks;       /* protocol_cluster.c: by act, the CTAs that run it; or null */
    uint8_t trusts; /* some act does so, and another variable has a barrier; 2: not in this run, */
    uint64_t *proved; /* in which these are certain: row, rule */
    uint32_t proofs;
    uint8_t is_one_thread;   /* the CTA has no other */
    uint8_t has_warps;       /* it has several: a barrier of the CTA is there */
    uint8_t is_late_said;    /* a fence behind the barrier: once of a kernel for reads, and loads */
    uint32_t many[PTX_ACTS]; /* how many acts of a kind */
    uint64_t pairs[PTX_ACTS];  /* of one of a kind and one that may be on its barrier */
    uint64_t most_met;         /* that may be on one act's barrier */
    struct ptx_slices *slices; /* protocol_slices.c */
    uint8_t *leads;            /* protocol_barrier.c: by block, to loop leads_to - 1; or null */
    uint32_t *leads_todo, leads_to;
    uint64_t work;      /* what is left: steps of walks */
    uint32_t *way_from; /* protocol_way.c: by block and layer; or null */
    uint32_t *way_todo;
    uint64_t way_work; /* what is left for ways that are said */
} ptx_protocol;

/* Whether the judgement of this kernel may cost so much; if not, the report says what is left out.
 */
static inline int ptx_can_judge(const ptx_protocol *p, ptx_budget which, uint64_t cost) {
    return ptx_may_spend(p->r, p->v->g->root, which, cost);
}

/* protocol_acts.c, protocol_guards.c. -1: no memory. */
int ptx_protocol_make(ptx_protocol *p, ptx_memory *memory, ptx_report *r, ptx_values *v);
int ptx_guards_make(ptx_protocol *p); /* before there are acts */
ptx_condition ptx_condition_of(ptx_values *v, ptx_value predicate, int holds);

/* Which of the CTA's 16 barriers an act of PTX_ACT_SYNC may be on, one bit each; 0: on none of
 * them. protocol_syncs.c */
uint32_t ptx_sync_names(const ptx_protocol *p, const ptx_act *sync);

/* The largest number behind a directive in the kernel's head, such as ".maxntid"; 0: it is not
 * there. A comment or another base between its numbers: not known. */
uint32_t ptx_head_most(const ptx_protocol *p, const char *directive);
uint32_t ptx_head_product(const ptx_protocol *p, const char *directive);

/* By act: whether some way comes to it from an act that `from` marks (null: from the kernel's
 * begin) past none that `stops` marks, where `who` may go; both may be null. NULL: no memory.
 * protocol_flood.c */
uint8_t *ptx_acts_reached(const ptx_protocol *p, const uint8_t *from, const uint8_t *stops,
                          const ptx_act *who);
/* Marks the blocks that lead to one of those that `is` marks; `todo` has room for all nodes. */
void ptx_blocks_mark_leading(const ptx_protocol *p, uint8_t *is, uint32_t *todo);
#define PTX_LEAST_COPY_B 16 /* that a copy moves at least, where its map is not known */
/* Of a variable, to compare by: a descriptor has 18 bits of an address. */
#define PTX_PLACE_B 8192

/* The shared address that a matrix descriptor starts at. */
static inline uint32_t ptx_descriptor_place(uint64_t descriptor) {
    return (uint32_t)(descriptor & 0x3FFF) << 4;
}

/* A multicast by a constant mask of several CTAs: the cluster has them. protocol_several.c */
int ptx_act_is_for_several(const ptx_protocol *p, const ptx_act *act);
/* Whether an act reaches other CTAs' barriers: such a multicast, or mapa's. */
static inline int ptx_reaches_others(const ptx_protocol *p, const ptx_act *a) {
    return a->traits & (PTX_TO_PEER | PTX_TO_LEADER) || ptx_act_is_for_several(p, a);
}
/* Whether the cluster is sure to have other CTAs: by the kernel's head, or by the act's own mask.
 */
int ptx_act_has_others(const ptx_protocol *p, const ptx_act *act);
/* Whether the kernel is made for clusters of several CTAs: its barrier of the cluster says so, too,
 * though one CTA alone may be launched. */
int ptx_is_of_several(const ptx_protocol *p);

/* What a condition hangs on. */
typedef enum ptx_hangs {
    PTX_HANGS_UNIFORM,    /* parameters, %ctaid: the same for all threads and all the time */
    PTX_HANGS_THREAD,     /* the thread too */
    PTX_HANGS_ONE_THREAD, /* it holds for one thread alone: %tid.x == 0, elect.sync */
    PTX_HANGS_OTHER,      /* memory, turns of loops: not known */
} ptx_hangs;
/* Whether an atom is a register that tells threads apart. */
int ptx_atom_tells_threads(const ptx_atom *a);
ptx_hangs ptx_condition_hangs(const ptx_protocol *p, const ptx_condition *c);
ptx_hangs ptx_value_hangs(const ptx_protocol *p, ptx_value value);

/* protocol_met.c */
int ptx_conditions_same(const ptx_condition *a, const ptx_condition *b);
/* Guards under `up` for what tells threads apart on each way into a block where ways meet; the
 * innermost. */
uint32_t ptx_guards_met(ptx_protocol *p, uint32_t block, uint32_t up);

/* Of "(x or y) equals 0", of "x and y" and of "not (x or y)", predicates: what x and y are then.
 * How many parts: 0 or 2. */
uint32_t ptx_condition_parts(const ptx_protocol *p, const ptx_condition *c, ptx_condition part[2]);

/* The conditions of an act, one after the other from *at == 0 on: its own, then its block's. 0:
 * there are no more. */
typedef struct ptx_guard_walk {
    uint32_t next;
    int begun;
} ptx_guard_walk;
int ptx_act_condition(const ptx_protocol *p, const ptx_act *act, ptx_guard_walk *at,
                      ptx_condition *out);
/* Whether one thread alone runs it. */
int ptx_act_is_elected(const ptx_protocol *p, const ptx_act *act);
/* Whether one thread of each warp, or of each larger group, runs it. */
int ptx_act_is_of_each_warp(const ptx_protocol *p, const ptx_act *act);
/* Whether some threads alone run it; 2: one. Whether all of the CTA do, as far as its conditions
 * say. protocol_waiters.c */
int ptx_act_is_limited(const ptx_protocol *p, const ptx_act *act);
int ptx_act_is_of_all(const ptx_protocol *p, const ptx_act *act);
/* Whether two acts are run by one and the same thread alone. */
int ptx_acts_same_thread(const ptx_protocol *p, const ptx_act *a, const ptx_act *b);

/* Whether an act runs in one turn alone of a loop that it and another one are in, and that one does
 * not hang on the same. */
int ptx_act_is_of_one_turn(const ptx_protocol *p, const ptx_act *act, const ptx_act *other);

/* Whether a value is the same in all turns of all loops. */
int ptx_is_constant(const ptx_values *v, ptx_value value);
/* Whether an act's thread may be under a condition, by those of its own that stay; and whether it
 * may take a way out of a block. */
int ptx_act_may_have(const ptx_protocol *p, const ptx_act *act, const ptx_condition *is);
/* Under which condition a way leads out of a block; and whether two never hold at one time. */
ptx_condition ptx_way_condition(const ptx_protocol *p, uint32_t block, uint32_t out);
int ptx_conditions_clash(const ptx_condition *a, const ptx_condition *b);
int ptx_act_takes_way(const ptx_protocol *p, const ptx_act *act, uint32_t block, uint32_t out);

/* Whether no thread runs both. */
int ptx_acts_exclude(const ptx_protocol *p, const ptx_act *a, const ptx_act *b);

/* protocol_alias.c: the shared variable that an address lies in, or PTX_NONE. */
uint32_t ptx_shared_variable(const ptx_values *v, ptx_value address);
void ptx_variables_keep(ptx_values *v); /* what it says of the values that there are is kept */
int ptx_is_shared(const ptx_values *v, const ptx_atom *a);

/* protocol_held.c: how a value compares with a number where a condition holds; 0: it says nothing
 * of one. And a range of a value without what this excludes. */
typedef enum ptx_is { PTX_IS_EQUAL, PTX_IS_NOT_EQUAL, PTX_IS_BELOW, PTX_IS_NOT_BELOW } ptx_is;
typedef struct ptx_comparison {
    ptx_value of;
    int64_t number;
    uint8_t is, is_unsigned; /* ptx_is */
} ptx_comparison;
typedef struct ptx_range {
    int64_t low, high; /* low > high: no number */
} ptx_range;
int ptx_comparison_of(const ptx_protocol *p, const ptx_condition *c, ptx_comparison *out);
ptx_range ptx_range_held(const ptx_protocol *p, ptx_range x, ptx_value value,
                         const ptx_comparison *c);
/* protocol_moves.c: what an address is in all turns of loops. */
ptx_reach ptx_reach_of(const ptx_protocol *p, ptx_value value);
/* Likewise, under the conditions of an act. */
ptx_reach ptx_reach_at(const ptx_protocol *p, ptx_value value, const ptx_act *act);
/* protocol_remainders.c: what a form has of times * ((x + added) % n), less times * added. */
typedef struct ptx_remainder {
    int64_t times, added, n;
} ptx_remainder;
int64_t ptx_with_sign(uint64_t times, uint32_t bits);
int ptx_is_base(const ptx_protocol *p, uint32_t atom, ptx_value term);
uint32_t ptx_remainder_in(const ptx_protocol *p, const ptx_form *f, ptx_remainder *out);
/* In how many places of a value the one atom stands that ways bring together and that it hangs on
 * alone. 0: it hangs on others, or on none, or more values would have to be looked at than `looks`,
 * which counts down. protocol_leaf.c */
uint32_t ptx_value_leaf(const ptx_protocol *p, ptx_value value, uint32_t *leaf, uint32_t *looks);
/* protocol_reach.c: what a number is in all turns of loops, and under an act's conditions. 0: not
 * known. And the bits that it may have, where a mask says them, moved left or not; 0: likewise. */
int ptx_value_range(const ptx_protocol *p, ptx_value value, int64_t *low, int64_t *high);
int ptx_value_range_at(const ptx_protocol *p, ptx_value value, const ptx_act *act, int64_t *low,
                       int64_t *high);
int64_t ptx_value_mask(const ptx_protocol *p, ptx_value value);
/* Whether so many bytes at two addresses never meet. protocol_alias.c */
int ptx_reaches_apart(const ptx_reach *a, const ptx_reach *b, int64_t a_B, int64_t b_B);

/* protocol_first.c: what a value is for one thread (the first where nothing else is said), in the
 * first turn of loops but those around a block, with a variable at an address. 1: it is known. */
typedef struct ptx_held {
    uint32_t atom;
    uint64_t number;
} ptx_held;

typedef struct ptx_first {
    const ptx_protocol *p;
    uint32_t around;   /* block, or PTX_NONE: all loops are in their first turn */
    uint32_t variable; /* or PTX_NONE */
    uint32_t thread;   /* %tid.x; the others are 0 */
    int follows;       /* ways that this thread does not take bring nothing */
    uint64_t address;
    int finds;     /* the variable is the first of shared memory that the value has */
    int first_cta; /* the first CTA's, too */
    int by_window; /* set where it hangs on the window of shared memory, taken as a multiple of
                      2^24, which no document says and every GPU asked had (only with first_cta) */
    int by_thread; /* set where the value hangs on the thread (or the CTA) */
    ptx_value as;  /* this value is as_number; or PTX_UNKNOWN */
    uint64_t as_number;
    const ptx_held *given; /* numbers of other atoms */
    uint32_t givens;
    uint32_t turning; /* a loop + 1: only what is given is known of what it makes */
    uint32_t only;    /* a loop + 1: of what other loops make nothing is known; 0: each is in its
                         first turn */
    int joins;        /* where ways bring different values together, the first known one is it, */
    int by_way;       /* and this is set */
    uint32_t looked;  /* values that were looked at: an operation may name one twice, and so on */
} ptx_first;
int ptx_value_first(ptx_first *t, ptx_value value, uint64_t *out);
/* protocol_shuffles.c: what shfl.sync.idx brings from some lane of the warp, or PTX_UNKNOWN; and a
 * value in which what is the same as a shuffle's result is this result. */
ptx_value ptx_shuffle_source(const ptx_protocol *p, const ptx_atom *a);
ptx_value ptx_as_shuffle(const ptx_protocol *p, ptx_value value, uint32_t shuffle);
/* As many threads as a CTA may have. */
uint32_t ptx_most_threads(const ptx_protocol *p);
/* A thread that may run an act, as far as its block's conditions say: the first, the second, or the
 * first of a warp. */
uint32_t ptx_act_thread(const ptx_protocol *p, const ptx_act *act);
/* How many threads, or warps, of the first so many threads may run an act, as far as its block's
 * conditions say. */
uint32_t ptx_act_threads(const ptx_protocol *p, const ptx_act *act, uint32_t threads, int warps);
/* Whether the first thread of some warp may run an act and is known not to run another one. */
int ptx_act_goes_without(const ptx_protocol *p, const ptx_act *act, const ptx_act *other);
/* Likewise, none of those that `others` marks. */
int ptx_act_passes_by(const ptx_protocol *p, const ptx_act *act, const uint8_t *others);
/* What the ways into a loop bring to a value that it carries, or the ways back: one value, or
 * PTX_UNKNOWN. */
ptx_value ptx_value_merged(const ptx_values *v, const ptx_atom *a, int back);

typedef enum ptx_overlap {
    PTX_APART,    /* proved, or nothing is known */
    PTX_OPEN,     /* in one variable */
    PTX_OVERLAPS, /* proved, for some thread and turn */
} ptx_overlap;
ptx_overlap ptx_acts_overlap(const ptx_protocol *p, const ptx_act *access, const ptx_act *copy);
/* Whether an access and a copy are at the same bytes where all loops are in their first turn, with
 * the window of shared memory at a multiple of 2^24: no proof. */
int ptx_acts_meet_first(const ptx_protocol *p, const ptx_act *access, const ptx_act *copy);
/* protocol_slices.c: the acts that may be on an act's barrier, in their order, that one among them;
 * all others are on another one. */
#define PTX_MOST_MET 3
typedef struct ptx_meeting {
    const ptx_protocol *p;
    const ptx_act *act;        /* the one that is met */
    uint32_t at[PTX_MOST_MET]; /* acts, + 1 */
    const uint32_t *next[PTX_MOST_MET];
} ptx_meeting;
int ptx_is_on_barrier(const ptx_act *a);
void ptx_amongs_take(ptx_protocol *p); /* of acts that are. protocol_among.c */
int ptx_slices_make(ptx_protocol *p);  /* -1: no memory */
ptx_meeting ptx_meeting_of(const ptx_protocol *p, const ptx_act *act);
int ptx_meeting_next(ptx_meeting *m); /* 0: there are no more */
/* Of two acts' barriers. */
ptx_alike ptx_barriers_alike(const ptx_protocol *p, const ptx_act *a, const ptx_act *b);

/* protocol_flood.c: 64 acts' ways at once, one bit each, in planes; the second half of the planes
 * holds ways that came over a loop's way back, where the seed's address is made anew there
 * (by_turn: of any loop around the seed). */
#define PTX_MOST_PLANES 12
typedef struct ptx_flood {
    ptx_protocol *p;
    const struct ptx_paths *rule; /* protocol_paths.c: whose walk it is; or null */
    int backwards;
    int stays_own;    /* conditions of the seed's thread count all the way */
    int by_turn;      /* the second half begins over each way back of a loop around the seed */
    int one_back;     /* the second half has the turn before alone, and passes the seed's act */
    uint32_t planes;  /* of one half */
    uint32_t crossed; /* planes from this one on are other threads' ways */
    void (*pass)(struct ptx_flood *f, uint32_t act, uint64_t *plane);
    void (*hit)(struct ptx_flood *f, uint32_t act, const uint64_t *plane);
    void (*begin)(struct ptx_flood *f); /* of 64 acts; may be null */
    void *context;
    size_t context_B;  /* of it are 0 when 64 acts begin */
    uint32_t seed[64]; /* acts */
    uint32_t seeds;
    uint64_t *state;    /* by block and plane */
    uint8_t *open;      /* by block */
    uint64_t *begins;   /* by act */
    struct wanted *ask; /* what the seeds' conditions ask */
    uint32_t asks;
    uint32_t *place;       /* by hash: of `ask`, + 1 */
    struct key_asked *key; /* of all that is asked of one value */
    uint32_t *slot;        /* by value: of `key`, + 1 */
    uint32_t keys;         /* values that it has room for */
    uint64_t moves[2];     /* seeds whose places may be others over a loop's way back; any one */
} ptx_flood;

int ptx_flood_begin(ptx_flood *f, ptx_protocol *p);
/* For all acts of a kind, 64 at a time: follows their ways, shows `hit` each act with what reaches
 * it, then calls `end`. */
void ptx_flood_all(ptx_flood *f, ptx_act_kind kind, void (*end)(ptx_flood *f));
/* Bits of a plane in both halves. */
uint64_t ptx_flood_bits(const ptx_flood *f, const uint64_t *plane, uint32_t which);
/* Likewise, of the planes before one. */
uint64_t ptx_flood_below(const ptx_flood *f, const uint64_t *plane, uint32_t end);
void ptx_flood_drop(const ptx_flood *f, uint64_t *plane, uint64_t bits);
/* Moves bits from a plane to another, in both halves. */
void ptx_flood_move(const ptx_flood *f, uint64_t *plane, uint32_t from, uint32_t to, uint64_t bits);
/* Bits of seeds that an act ends for sure: it is not guarded, or under the seed's own condition. */
uint64_t ptx_flood_surely(const ptx_flood *f, const ptx_act *act);

/* protocol_each_turn.c */
/* The block that alone leads back to a loop's head. PTX_NONE: there is none. */
uint32_t ptx_loop_back(const ptx_graph *g, uint32_t loop);
/* Whether some thread comes to a block in each turn. */
int ptx_is_in_each_turn(const ptx_protocol *p, uint32_t block, uint32_t loop);
/* Likewise, if all waits on the way end. */
int ptx_comes_in_each_turn(const ptx_protocol *p, uint32_t block, uint32_t loop);

/* protocol_alias.c: how an act's barrier is held against those of a kind anywhere: the nearest
 * answer; and whether what the kernel's own text does to it is all that is done to it. */
ptx_alike ptx_barrier_anywhere(const ptx_protocol *p, const ptx_act *act, ptx_act_kind kind);
int ptx_barrier_is_whole(const ptx_protocol *p, const ptx_act *act);
/* The act of that kind which has the nearest answer; or NULL. */
const ptx_act *ptx_on_barrier(const ptx_protocol *p, const ptx_act *act, ptx_act_kind kind);
/* Whether no act of its kind before it is on its barrier. */
int ptx_is_first_of_barrier(const ptx_protocol *p, uint32_t act);
/* Whether an act waits for what may be a copy's barrier. */
int ptx_is_wait_for(const ptx_protocol *p, const ptx_act *a, const ptx_act *copy);
/* Marks those that do in what is 0, by act; by_act may be null. */
void ptx_mark_waits(const ptx_protocol *p, const ptx_act *copy, uint8_t *by_act);
/* Whether its threads may have waited for memory that another one stores behind what it did. */
int ptx_is_signalled(const ptx_protocol *p, const ptx_act *a);
/* When a wait needs the end of a phase. */
typedef enum ptx_wait_block {
    PTX_WAIT_PASSES,
    PTX_WAIT_BLOCKS_LATER,   /* in another turn, if there is one */
    PTX_WAIT_BLOCKS_AT_ONCE, /* for parity 0 */
} ptx_wait_block;
ptx_wait_block ptx_wait_blocks(const ptx_protocol *p, const ptx_act *wait);

/* protocol_maps.c: a step's tensor instruction, if it is one that is understood; the map of a copy,
 * bare, or PTX_UNKNOWN. */
const ptx_site *ptx_step_site(const ptx_protocol *p, const ptx_step *step);
ptx_value ptx_act_map(const ptx_protocol *p, const ptx_step *step);
/* Whether a map lies where kernels can write, and whether some copy's does, as far as is known. */
int ptx_map_is_writable(const ptx_protocol *p, ptx_value map);
int ptx_maps_change(const ptx_protocol *p);
void ptx_mma_check(ptx_protocol *p);

/* protocol_said.c: says a finding about an act and another one. */
#define ptx_protocol_say(p, rule, certain, about, with, ...)                                       \
    ptx_protocol_say_unless(p, rule, certain, PTX_UNLESS_NONE, about, with, __VA_ARGS__)
#define ptx_protocol_say_unless(p, rule, certain, unless, about, with, ...)                        \
    (tma_putf(ptx_text_begin((p)->r), __VA_ARGS__),                                                \
     ptx_protocol_said(p, rule, certain, unless, about, with))
/* Which finding of the same rule, made before, leaves no room for another one. */
typedef enum ptx_unless {
    PTX_UNLESS_NONE,
    PTX_UNLESS_ACT,    /* about the same act */
    PTX_UNLESS_KERNEL, /* about any act of the kernel */
} ptx_unless;
void ptx_protocol_said(ptx_protocol *p, ptx_rule rule, int certain, ptx_unless unless,
                       const ptx_act *about, const ptx_act *with);
/* protocol_seconds.c: what a finding is about beside a copy: who reads what it brings; where a
 * thread that has come past an act ends. NULL: it is not known. */
const ptx_act *ptx_reader_of(const ptx_protocol *p, const ptx_act *copy);
const ptx_act *ptx_end_behind(const ptx_protocol *p, const ptx_act *act);
/* protocol_way.c: the way between the acts of a finding (`with` may be null), where the rule's acts
 * have one; and those of the findings of two places that were made before there was a protocol. */
void ptx_way_find(ptx_protocol *p, uint32_t finding, ptx_rule rule, const ptx_act *about,
                  const ptx_act *with);
void ptx_way_find_rest(ptx_protocol *p);
static inline int ptx_act_line(const ptx_protocol *p, const ptx_act *act) {
    return (int)p->r->rows.row[p->v->g->step[act->step].row].piece.line;
}

static inline uint32_t ptx_act_block(const ptx_protocol *p, const ptx_act *a) {
    return p->v->g->step[a->step].block;
}

/* The loop around an act, but that of a wait itself; PTX_NONE: there is none. */
static inline uint32_t ptx_act_loop(const ptx_protocol *p, const ptx_act *a) {
    const ptx_graph *g = p->v->g;
    const uint32_t loop = g->node[ptx_act_block(p, a)].loop;
    return a->traits & PTX_SPINS && loop != PTX_NONE ? g->loop[loop].parent : loop;
}

#endif
