/* SPDX-License-Identifier: Apache-2.0
 *
 * One instruction against one map: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor or
 * cp.async.bulk.prefetch.tensor, judged and measured before a byte moves.
 *
 * tma_plan_make() reads the map and the instruction once; the plan then serves any number of
 * coordinates, on any number of threads. tma_plan_at() says whether given coordinates would kill
 * the kernel, tma_plan_report() what they would move.
 *
 * Pure functions: no allocation, no globals, no input or output. A plan is plain data on the
 * caller's stack; it holds no pointer, and copies of it are plans too.
 */
#ifndef TMA_PLAN_H
#define TMA_PLAN_H

#include "check.h"
#include "instruction.h"
#include "path.h"
#include "spec.h"
#include "status.h"
#include "swizzle.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMA_PLAN_BYTES 384

/* All that does not depend on the coordinates: what a plan knows. For reading. */
typedef struct tma_plan_facts {
    uint64_t address;                 /* global address of element 0 */
    uint64_t dim_el[TMA_MAX_RANK];    /* sizes; of dimension 0 in slice units if interleaved */
    uint64_t step_B[TMA_MAX_RANK];    /* bytes from one index to the next */
    uint32_t count[TMA_MAX_RANK];     /* tile: indices visited along each dimension */
    uint32_t stride_el[TMA_MAX_RANK]; /* element (traversal) strides */
    int32_t lower_px[TMA_MAX_SPATIAL];
    int32_t upper_px[TMA_MAX_SPATIAL];
    uint32_t pixels;       /* im2col modes: pixels per column, halo not counted */
    uint32_t rows;         /* rows of shared memory, im2col::w's halo not counted */
    uint32_t row_el;       /* elements of a row; 1 (a slice unit) if interleaved */
    uint32_t row_B;        /* payload of a row: counts on the barrier */
    uint32_t row_shared_B; /* with the padding of packed types */
    uint32_t pitch_B;
    uint64_t room_el[TMA_MAX_RANK]; /* tile: largest coordinates of a box that is inside whole */
    uint64_t tensor_extent_B;       /* all that stores may write of the tensor; 0: beyond 64 bits */
    uint64_t box_extent_B;          /* of such a box in global memory; 0: the plan has none */
    uint32_t coord0_mask;           /* bits of coordinate 0 that are 0 then: 16 bytes */
    uint64_t tx_B;                  /* bytes counted on the barrier, halo not counted */
    tma_swizzle_bits swizzle_bits;
    uint8_t op, mode, rank, api;  /* tma_op, tma_mode, tma_api of the map */
    uint8_t dtype, swizzle, fill; /* tma_dtype, tma_swizzle, tma_fill */
    uint8_t tf32;                 /* loads round */
    uint8_t unit_B;               /* 16 or 32 if interleaved, else 0 */
    uint8_t bits;                 /* of an element in global memory; of a unit if interleaved */
    uint8_t first;                /* dimension of the first row index: 1, or 0 if interleaved */
    uint8_t spatial;              /* im2col: D, H, W dimensions */
    uint8_t group_el;             /* packed types: elements of a group, 16; else 1 */
    uint8_t group_global_B, group_shared_B, group_payload_B;
    uint8_t path; /* which loops tma_copy() takes: tma_path */
    uint16_t sm;
    uint16_t cta_mask; /* CTAs 0 to 15 */
    uint8_t cta_group, cluster;
    uint8_t coord0_el;      /* padded types: coordinate 0 is a multiple of it; else 0 */
    uint8_t standing;       /* tma_standing of the mode on this target */
    uint8_t lone_atomicity; /* the map has an atomicity beside a swizzle that has none */
    uint8_t overrides;      /* TMA_OVERRIDE_*: the map is one that tma_override() made */
    uint32_t readings;      /* of what is disputed, as the target chose: tma_target.readings */
    uint16_t cta_mask_high; /* .multicast::cluster::32b: CTAs 16 to 31 */
    uint8_t inspection;     /* tma_inspection_id */
    uint8_t takes_negative; /* a store whose coordinates may be negative: scatter4 on sm_107f */
    uint64_t later[12];     /* room for later versions: whatever the caller left there */
} tma_plan_facts;

/* A plan: so many bytes, whatever the version has in them. */
#ifndef TMA_INSIDE
typedef struct tma_plan {
    uint64_t opaque[TMA_PLAN_BYTES / 8];
} tma_plan;
#else /* the library's own sources look inside */
typedef tma_plan_facts tma_plan;
#endif

/* Reads a map (128 bytes, aligned or not) and an instruction for a target (null: sm_90, driver
 * 13.0). TMA_OK and *plan filled. TMA_TRAP where the hardware kills the kernel whatever the
 * coordinates: a reduction that the type does not have, im2col corners that a store may not have,
 * an instruction of another rank, a map that it does not take (docs/open-questions.md). TMA_PTXAS
 * for an instruction that the target's compiler rejects. TMA_UNKNOWN where no fact says what the
 * hardware does. TMA_INVALID for null pointers, and for an operation, mode or target that does not
 * exist. *why (may be null) receives the reason; *plan is then unchanged. */
TMA_EXPORT TMA_MUST_USE tma_status tma_plan_make(tma_plan *plan, const uint8_t *map,
                                                 const tma_instruction *instruction,
                                                 const tma_target *target, tma_finding *why);

/* The 128 bytes that one copy with .override reads (PTX 9.4, 9.7.10.28.5.2): those of `map`, with
 * what instruction->overrides names taken from the operands, by the target's readings. Then
 * tma_plan_make() with the same instruction judges the copy. `out` may be `map`; both 128 bytes.
 * TMA_OK; TMA_UNKNOWN and *why (may be null), `out` unchanged, for operands of which the documents
 * say that they must not be; TMA_INVALID for null pointers and what does not exist. */
TMA_EXPORT TMA_MUST_USE tma_status tma_override(uint8_t *out, const uint8_t *map,
                                                const tma_instruction *instruction,
                                                const tma_override_operands *operands,
                                                const tma_target *target, tma_finding *why);

/* What a plan knows. The answer lies inside the plan and lasts as long as the plan. Null for null.
 */
TMA_EXPORT const tma_plan_facts *tma_plan_info(const tma_plan *plan);

/* Makes a plan take another path; TMA_INVALID if the machine does not have the path. A plan that
 * only the reference can run stays with the reference. */
TMA_EXPORT TMA_MUST_USE tma_status tma_plan_set_path(tma_plan *plan, uint32_t path);

/* Whether one copy at these coordinates runs: TMA_OK, or TMA_TRAP and *why (may be null).
 * Source: docs/facts.md, Traps; 176 captured ones. */
TMA_EXPORT TMA_MUST_USE tma_status tma_plan_at(const tma_plan *plan, const tma_position *at,
                                               tma_finding *why);

/* Says where a copy that runs (tma_plan_at()) does something else than its arguments seem to say.
 * Such are im2col offsets that do not fit their bits, rows of im2col::w outside the tensor, a
 * swizzle that the documents disagree about, and an atomicity beside a swizzle that has none. So
 * are results that depend on a disputed reading (tma_plan_readings()). Writes at most `capacity`
 * findings of severity TMA_SEVERITY_SURPRISING to out[] (may be null), and returns how many there
 * are; 0 for null pointers. Any thread may call it. */
TMA_EXPORT size_t tma_plan_notes(tma_finding *out, size_t capacity, const tma_plan *plan,
                                 const tma_position *at);

/* Whether PTX's name of a type fits the direction of the copy: ".b6x16_p32" names the type of loads
 * and "b6p2x16" that of stores (PTX 5.5.1.1.1), and both are TMA_DTYPE_16U6_ALIGN16B in a map. If
 * it does not fit, *out (may be null) is the finding, TMA_RULE_PACKED_NAME. True for all other
 * words, and for null pointers. */
TMA_EXPORT bool tma_plan_named_right(tma_finding *out, const tma_plan *plan, const char *word);

/* The disputed questions (bit i: tma_reading_at(i)) on which the result of a copy depends, if the
 * copy runs, or would run by another reading. 0 for null pointers. */
TMA_EXPORT uint32_t tma_plan_readings(const tma_plan *plan, const tma_position *at);

/* How CUDA names the error that a finding of TMA_TRAP kills a kernel with:
 * "cudaErrorIllegalInstruction" or "cudaErrorMisalignedAddress". */
TMA_EXPORT const char *tma_trap_name(const tma_finding *finding);

/* What one copy moves. */
typedef struct tma_report_result {
    uint32_t count[TMA_MAX_RANK]; /* elements per dimension; im2col: [0] channels, [1] pixels */
    uint32_t rows;                /* halo counted */
    uint64_t tx_B;                /* bytes counted on the barrier: expect_tx's operand */
    uint64_t footprint_B;         /* of shared memory, from the shared address on; a swizzle at an
                                     address off its line of 128 bytes also writes before it there */
    uint64_t inside_B;            /* payload inside the tensor */
    uint64_t fill_B;              /* load: payload outside, filled */
    uint64_t dropped_B;           /* store, reduction: payload outside, not stored */
    uint64_t past_edge_B;         /* store, reduction: bytes written behind the tensor's rows */
    uint64_t global_B;            /* bytes of global memory read or written, counted per row */
    uint64_t global_first;        /* lowest and one past the highest address; both 0 if none, */
    uint64_t global_end;          /* 0 and 2^64 - 1 if a row runs over the end of 64 bits */
    uint64_t reserved[2];         /* 0 */
} tma_report_result;

/* Fills *out for a copy that tma_plan_at() lets run; its answer and *why otherwise. Takes time in
 * proportion to the pixels in im2col modes; in tile mode none to speak of, or, where the addresses
 * go over the end of 64 bits, in proportion to the rows. */
TMA_EXPORT TMA_MUST_USE tma_status tma_plan_report(tma_report_result *out, const tma_plan *plan,
                                                   const tma_position *at, tma_finding *why);

/* The im2col offsets that the hardware gets. The compiler packs what is written into 16 bits: 16 at
 * rank 3, 8 each at rank 4 (the rest cut off), 5 each at rank 5 (carrying into the next). wHalo and
 * wOffset are at bit 11. Zeros for a null plan or position. Source: ptxas 13.0; 7 captures. */
TMA_EXPORT void tma_plan_offsets(uint32_t offset[TMA_MAX_SPATIAL], const tma_plan *plan,
                                 const tma_position *at);

/* The same for an instruction that says its rank, before there is a map. */
TMA_EXPORT void tma_instruction_offsets(uint32_t offset[TMA_MAX_SPATIAL],
                                        const tma_instruction *instruction, const tma_position *at);

/* The bounding box of an im2col copy: first and last pixel along W, H, D, of the filter's base, so
 * before the offsets are added; moved by wOffset in the modes that have one. Returns how many of
 * the three the map has, 0 for other modes and null pointers. */
TMA_EXPORT int tma_plan_pixel_box(int64_t first_px[TMA_MAX_SPATIAL],
                                  int64_t last_px[TMA_MAX_SPATIAL], const tma_plan *plan,
                                  const tma_position *at);

/* With .cta_group::2, the CTA whose barrier counts the bytes that CTA `destination` receives, where
 * the instruction's mbar operand lies in CTA `mbar`; without it the destination itself.
 * Source: PTX cp.async.bulk.tensor; documented, not seen on hardware. */
TMA_EXPORT uint32_t tma_plan_barrier_cta(const tma_plan *plan, uint32_t destination, uint32_t mbar);

#ifdef __cplusplus
}
#endif
#endif
