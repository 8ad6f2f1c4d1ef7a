/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving the bytes, as Hopper's TMA unit moves them.
 *
 * No allocation, no globals, no input or output. Copies of one plan may run at once on many
 * threads as long as the memory that they write is disjoint. Floating-point reductions expect the
 * default environment of C: round to nearest, subnormals not flushed.
 */
#ifndef TMA_COPY_H
#define TMA_COPY_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Host bytes that stand for a range of device addresses. One without host bytes holds none. */
typedef struct tma_range {
    uint64_t address TMA_ZERO;
    uint64_t size_B TMA_ZERO;
    void *host TMA_ZERO;            /* its bytes; or null, and then */
    const void *read_only TMA_ZERO; /* its bytes, for loads alone: to store there is TMA_MEMORY */
    uint64_t reserved TMA_ZERO;     /* must be 0 */
} tma_range;

/* Says where the byte at a device address is: for memory in pages, or found while it is asked for.
 * `write`: a store or reduction asks. Returns the host pointer, null if no memory is there, and in
 * *follows_B how many bytes lie behind that pointer, that one counted; fewer than size_B, which is
 * what would be convenient, will do. Must give the same answer as long as the call runs that it
 * was asked from; a copy asks about more than it touches, and more than once. */
typedef void *(*tma_resolver)(void *context, uint64_t address, uint64_t size_B, bool write,
                              uint64_t *follows_B);

/* All global memory that a copy may touch: ranges, which should not overlap; where no range holds
 * it, what the resolver answers. */
typedef struct tma_global {
    const tma_range *ranges TMA_ZERO;
    size_t count TMA_ZERO;
    tma_resolver resolve TMA_ZERO; /* may be null */
    void *context TMA_ZERO;        /* the resolver's first argument */
    /* 1, without ranges: device addresses are host addresses, and the caller answers for the whole
     * tensor being there; the resolver is not asked. */
    uint32_t is_host TMA_ZERO;
    uint32_t reserved[3] TMA_ZERO; /* must be 0 */
} tma_global;

/* Shared memory, or the part of it that a copy may touch. Swizzles depend on the address. Its bytes
 * lie in no range of global memory: where they do, it is not said which bytes arrive. */
typedef struct tma_window {
    uint32_t address TMA_ZERO; /* shared address of host[0] */
    uint32_t size_B TMA_ZERO;
    void *host TMA_ZERO;        /* not null, unless size_B is 0 */
    uint64_t reserved TMA_ZERO; /* must be 0 */
} tma_window;

/* Addresses are sums and products modulo 2^64, as on an H200 (7 probes): a coordinate times a
 * stride that is larger leads to the address that its low 64 bits name.
 *
 * Runs one copy. TMA_TRAP where the hardware would kill the kernel, TMA_MEMORY where the copy would
 * leave `global` or `window`. TMA_INVALID on a null plan, position, memory, window or bytes of a
 * window, and for a multicast plan. Then *why (may be null) says where, and not one byte has moved.
 * A load writes what lies in the box's rows and leaves gaps and padding alone; a store or reduction
 * writes whole 16-byte units, so up to 15 bytes after a row (docs/facts.md, Copies). A prefetch
 * only judges; it needs no memory and no window. A multicast load fills the windows of several
 * CTAs: tma_copy_multicast(). */
TMA_EXPORT TMA_MUST_USE tma_status tma_copy(const tma_plan *plan, const tma_position *at,
                                            const tma_global *global, const tma_window *window,
                                            tma_finding *why);

/* The same copy, made by the reference: one element after the other. It is short and slow, and
 * every faster path is compared with it. */
TMA_EXPORT TMA_MUST_USE tma_status tma_copy_reference(const tma_plan *plan, const tma_position *at,
                                                      const tma_global *global,
                                                      const tma_window *window, tma_finding *why);

/* What tma_copy() would answer, without moving a byte. */
TMA_EXPORT TMA_MUST_USE tma_status tma_copy_judge(const tma_plan *plan, const tma_position *at,
                                                  const tma_global *global,
                                                  const tma_window *window, tma_finding *why);

/* Many copies of one plan, in order; all are judged before the first byte moves. Returns the first
 * failure's status, its index in *failed (may be null). */
TMA_EXPORT TMA_MUST_USE tma_status tma_copy_many(const tma_plan *plan, const tma_position *at,
                                                 size_t count, const tma_global *global,
                                                 const tma_window *window, size_t *failed,
                                                 tma_finding *why);

/* A multicast load: windows[i] is the shared memory of CTA i of the cluster, which has `count`;
 * those whose bit is set in the plan's cta_mask receive the same bytes at the same shared address.
 * All are judged before the first byte moves. TMA_TRAP if a masked CTA is at or beyond `count`, as
 * an H200 has it; TMA_INVALID if nothing is masked. Source: PTX cp.async.bulk.tensor,
 * .multicast::cluster; 15 captured loads to 1, 2 and 4 CTAs, 9 traps. */
TMA_EXPORT TMA_MUST_USE tma_status tma_copy_multicast(const tma_plan *plan, const tma_position *at,
                                                      const tma_global *global,
                                                      const tma_window *windows, size_t count,
                                                      tma_finding *why);

/* One bulk copy without a map: bytes in a row. PTX cp.async.bulk, cp.reduce.async.bulk and
 * cp.async.bulk.prefetch. */
typedef struct tma_bulk {
    uint32_t op TMA_ZERO;    /* tma_op: load, store, a reduction, prefetch */
    uint32_t dtype TMA_ZERO; /* tma_dtype, of a reduction: .b32 and .b64 are U32 and U64 */
    /* 1: a store or reduction whose destination is shared memory of the cluster, and which
     * completes on a barrier: .shared::cluster.shared::cta. */
    uint32_t to_shared TMA_ZERO;
    uint32_t shared_address TMA_ZERO; /* in the shared memory that the others call theirs; not of
                                         prefetches */
    uint64_t address TMA_ZERO; /* global address; with to_shared the destination's shared address */
    uint32_t size_B TMA_ZERO;
    uint32_t has_mask TMA_ZERO;    /* .cp_mask, of stores to global memory */
    uint32_t byte_mask TMA_ZERO;   /* then: bit i says whether byte i of every 16 is copied */
    uint32_t barrier TMA_ZERO;     /* its shared address, of what completes on one; UINT32_MAX: not
                                      asked */
    uint32_t reserved[6] TMA_ZERO; /* must be 0 */
} tma_bulk;

/* Runs it. TMA_TRAP where the hardware would kill the kernel: misaligned addresses. TMA_PTXAS for a
 * reduction that PTX does not have without a map (element_reductions.def). TMA_UNKNOWN for a size
 * that is no multiple of 16: the documents exclude it; an H100 moved the whole 16 bytes of it and
 * no more. TMA_MEMORY where it would leave `global`, `window` or `to`. TMA_INVALID for null
 * pointers and numbers that do not exist. *why (may be null) then says where, and not one byte has
 * moved. `window` holds shared_address; `to` (else not looked at, may be null) the destination with
 * to_shared, and may be `window`. A prefetch only judges and needs no memory. */
TMA_EXPORT TMA_MUST_USE tma_status tma_copy_bulk(const tma_bulk *bulk, const tma_global *global,
                                                 const tma_window *window, const tma_window *to,
                                                 tma_finding *why);

/* What tma_copy_bulk() would answer, without moving a byte. */
TMA_EXPORT TMA_MUST_USE tma_status tma_copy_bulk_judge(const tma_bulk *bulk,
                                                       const tma_global *global,
                                                       const tma_window *window,
                                                       const tma_window *to, tma_finding *why);

/* Whether a load's barrier reports (PTX 9.4, .mbarrier::report::*). */
typedef enum tma_inspect_answer {
    TMA_REPORTS_NOT = 0,   /* certainly not: nothing matches, or nothing is inspected */
    TMA_REPORTS = 1,       /* certainly: a byte matches, or all elements of a chunk do */
    TMA_REPORTS_MAYBE = 2, /* a chunk of 16 bytes has some: one of its elements is looked at, and no
                              document says which; likewise half a byte of a 4-bit type */
} tma_inspect_answer;

/* What the barrier reports of a copy that runs, from the plan's report mechanism and the tensor's
 * bytes in `global`: TMA_OK and *answer, a tma_inspect_answer; else tma_plan_at()'s answer and *why
 * (may be null). What is filled matches no pattern. Moves nothing. */
TMA_EXPORT TMA_MUST_USE tma_status tma_inspect(uint32_t *answer, const tma_plan *plan,
                                               const tma_position *at, const tma_global *global,
                                               tma_finding *why);

#ifdef __cplusplus
}
#endif
#endif
