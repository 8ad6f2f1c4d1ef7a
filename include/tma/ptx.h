/* SPDX-License-Identifier: Apache-2.0
 *
 * The tensor instructions as PTX text, read and written: one statement at a time here, the
 * statements of a whole file in ptx_file.h. Part of libtma-text.
 *
 * What is read: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, cp.async.bulk.prefetch.tensor,
 * tensormap.replace, tensormap.cp_fenceproxy, tensormap.query, fence.proxy.tensormap::generic and
 * prefetch.tensormap, with the qualifiers of PTX 8.0 to 9.5, in any order, as ptxas takes them;
 * applypriority.async.bulk.tensor, which moves no byte and has no plan; and by their names alone
 * the tensor operations over a fabric, which libtma does not model.
 *
 * All functions here are pure: no allocation, no globals, no input or output, safe on any thread.
 * Text need not end in a zero byte; any bytes are safe to read.
 */
#ifndef TMA_PTX_H
#define TMA_PTX_H

#include "instruction.h"
#include "map.h"
#include "plan.h"
#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tma_ptx_kind {
    TMA_PTX_OTHER = 0,         /* no tensor instruction */
    TMA_PTX_COPY = 1,          /* cp.async.bulk.tensor */
    TMA_PTX_REDUCE = 2,        /* cp.reduce.async.bulk.tensor */
    TMA_PTX_PREFETCH = 3,      /* cp.async.bulk.prefetch.tensor */
    TMA_PTX_REPLACE = 4,       /* tensormap.replace */
    TMA_PTX_CP_FENCEPROXY = 5, /* tensormap.cp_fenceproxy */
    TMA_PTX_QUERY = 6,         /* tensormap.query.alloc_class_large */
    TMA_PTX_FENCE = 7,         /* fence.proxy.tensormap::generic */
    TMA_PTX_PREFETCH_MAP = 8,  /* prefetch.tensormap */
    TMA_PTX_PRIORITY = 9,      /* applypriority.async.bulk.tensor: read, moves no byte */
    TMA_PTX_FABRIC_GET = 10,   /* fabric.try_get.async.tensor: recognised, not modelled; likewise */
    TMA_PTX_FABRIC_PUT = 11,   /* fabric.try_put.async.tensor */
    TMA_PTX_FABRIC_RED = 12,   /* fabric.try_red.async.tensor */
    TMA_PTX_KINDS
} tma_ptx_kind;

typedef enum tma_ptx_operand_kind {
    TMA_PTX_NONE = 0,
    TMA_PTX_NUMBER = 1,    /* an immediate: value */
    TMA_PTX_NAME = 2,      /* a register or a symbol: name; in an address value is what is added */
    TMA_PTX_EXPRESSION = 3 /* a constant expression or a float: its text in name, not evaluated */
} tma_ptx_operand_kind;

/* One operand. `name` points into the text that was read, `length` bytes, not terminated; it holds
 * printable ASCII only. */
typedef struct tma_ptx_operand {
    const char *name;
    int64_t value;
    uint32_t length;
    uint8_t kind; /* tma_ptx_operand_kind */
} tma_ptx_operand;

/* State spaces as they are written; in copies the first is the destination. */
typedef enum tma_ptx_space {
    TMA_PTX_SPACE_NONE = 0, /* none written: a generic address */
    TMA_PTX_GLOBAL = 1,
    TMA_PTX_SHARED_CTA = 2,
    TMA_PTX_SHARED_CLUSTER = 3,
    TMA_PTX_PARAM = 4,
    TMA_PTX_CONST = 5,
    TMA_PTX_SPACES
} tma_ptx_space;

typedef enum tma_ptx_scope {
    TMA_PTX_SCOPE_NONE = 0,
    TMA_PTX_SCOPE_CTA = 1,
    TMA_PTX_SCOPE_CLUSTER = 2,
    TMA_PTX_SCOPE_GPU = 3,
    TMA_PTX_SCOPE_SYS = 4,
    TMA_PTX_SCOPES
} tma_ptx_scope;

/* Qualifiers beyond those of tma_instruction; what is written is printed again. */
#define TMA_PTX_MODE_WRITTEN 0x0001u /* .tile is the default: whether it is written */
#define TMA_PTX_MULTICAST    0x0002u /* .multicast::cluster */
#define TMA_PTX_MULTICAST_16 0x0004u /* ... ::16b, PTX 9.4 */
#define TMA_PTX_MULTICAST_32 0x0008u /* ... ::32b, PTX 9.4 */
#define TMA_PTX_CACHE_HINT   0x0010u /* .L2::cache_hint */
#define TMA_PTX_EVICT_LAST   0x0020u /* .L2::evict_last of prefetches, PTX 9.4: no byte changes */
#define TMA_PTX_OVER_ADDRESS 0x0080u /* .override::global_address */
#define TMA_PTX_OVER_DIM     0x0100u /* .override::global_dim */
#define TMA_PTX_OVER_STRIDE  0x0200u /* .override::global_dim_stride */
#define TMA_PTX_RELEASE      0x0400u /* of fences; without it .acquire */
#define TMA_PTX_EVICT_NORMAL 0x0800u /* .L2::evict_normal of applypriority */
#define TMA_PTX_GLOBAL_WRITTEN                                                                     \
    0x1000u /* applypriority: .global, without which the address is generic */
#define TMA_PTX_ALLOC_SMALL 0x2000u /* of replace, PTX 9.5: .alloc_small, */
#define TMA_PTX_ALLOC_LARGE 0x4000u /* .alloc_large, with .global_address or without a field; */
#define TMA_PTX_ALLOC_SAME  0x8000u /* .alloc_same, with .global_address */
#define TMA_PTX_ALLOCS      (TMA_PTX_ALLOC_SMALL | TMA_PTX_ALLOC_LARGE | TMA_PTX_ALLOC_SAME)
#define TMA_PTX_OVERRIDES   (TMA_PTX_OVER_ADDRESS | TMA_PTX_OVER_DIM | TMA_PTX_OVER_STRIDE)

/* Copies that the checks inside kernels (ptx_check.h) leave alone: their operands are more than a
 * map and a mask of 16 bits. */
#define TMA_PTX_NOT_CHECKED (TMA_PTX_MULTICAST_32 | TMA_PTX_OVERRIDES)

/* One statement. Operands that a kind does not have are TMA_PTX_NONE. */
typedef struct tma_ptx_statement {
    uint8_t kind;        /* tma_ptx_kind */
    uint8_t negated;     /* @!p */
    uint8_t space;       /* replace, query, prefetch.tensormap: tma_ptx_space of the address */
    uint8_t scope;       /* cp_fenceproxy, fence: tma_ptx_scope */
    uint32_t qualifiers; /* TMA_PTX_* above */
    uint32_t field;      /* replace: tma_replace_field */
    uint32_t coords;     /* how many coord[] are written */
    uint32_t offsets;    /* and offset[] */
    tma_instruction in; /* copies, reductions, prefetches; cta_mask where the operand is a number */
    tma_ptx_operand guard; /* @p */
    tma_ptx_operand
        map; /* the tensor map; replace, query: the address; cp_fenceproxy: its target */
    tma_ptx_operand shared; /* dstMem or srcMem; cp_fenceproxy: its source */
    tma_ptx_operand coord[TMA_MAX_RANK];
    tma_ptx_operand offset[TMA_MAX_SPATIAL]; /* im2colInfo */
    tma_ptx_operand barrier;
    tma_ptx_operand mask;
    tma_ptx_operand policy;
    tma_ptx_operand ordinal; /* replace */
    tma_ptx_operand value;   /* replace: the new value; query: the predicate; else the size, 128 */
    tma_ptx_operand rest;    /* of a form that is not modelled: qualifiers and operands as text */
    tma_ptx_operand over_address;                /* of .override: gAddrToOverride */
    tma_ptx_operand over_size[TMA_MAX_RANK];     /* tensorSizeToOverride */
    tma_ptx_operand over_lower[TMA_MAX_STRIDES]; /* tensorLowerStrideToOverride */
    tma_ptx_operand over_upper;                  /* tensorUpperStrideToOverride */
} tma_ptx_statement;

/* Reads one statement, with or without its semicolon. TMA_OK for a tensor instruction and for any
 * other (kind TMA_PTX_OTHER: nothing else of it was read). TMA_INVALID for a tensor instruction
 * that is written wrongly: *error (may be null) has the column, what is there and what was
 * expected. out->kind then says which, the rest of *out means nothing. Targets and versions are not
 * looked at: tma_ptx_lacks(). */
TMA_EXPORT tma_status tma_ptx_parse(tma_ptx_statement *out, const char *text, size_t size,
                                    tma_error *error);

/* The statement in the order of PTX's documents, with its semicolon. Reading that gives the same
 * statement again. */
TMA_EXPORT void tma_ptx_print(tma_out *out, const tma_ptx_statement *statement);

/* An instruction and its operands as a statement: addresses as numbers, "map" and "mbar" for what
 * they lack. `rank` is the map's, for instructions that name none. */
TMA_EXPORT void tma_ptx_of(tma_ptx_statement *out, const tma_instruction *instruction,
                           uint32_t rank, const tma_position *at);

/* The operands of a position, for what is not known. Bits of tma_ptx_position's answer. */
#define TMA_PTX_UNKNOWN_COORD    0x001u /* << i: coordinate i */
#define TMA_PTX_UNKNOWN_OFFSET   0x020u /* << i */
#define TMA_PTX_UNKNOWN_SHARED   0x100u
#define TMA_PTX_UNKNOWN_MASK     0x200u
#define TMA_PTX_UNKNOWN_OVERRIDE 0x400u /* some operand of .override */

/* Fills *at with the immediates of a copy, reduction or prefetch, cut to their bits as ptxas cuts
 * them; what is a register keeps the value that *at had. Returns which ones those are. */
TMA_EXPORT uint32_t tma_ptx_position(tma_position *at, const tma_ptx_statement *statement);

/* The operands of .override, cut to their bits; what is a register or not there keeps the value
 * that *out had. Whether all that the statement has are numbers. */
TMA_EXPORT bool tma_ptx_override(tma_override_operands *out, const tma_ptx_statement *statement);

/* What a tensormap.replace does as a compiler of this CUDA release (0: 13.0) makes code of it:
 * field and modifiers; ordinal and value where they are numbers. Whether they all are. */
TMA_EXPORT bool tma_ptx_edit(tma_edit *out, const tma_ptx_statement *statement, uint32_t toolchain);

/* The map that a copy reads: `map` (128 bytes) as it is, or with the statement's .override
 * (tma_override()) where all its operands are numbers; else `map`, for nobody knows what it is. */
TMA_EXPORT tma_status tma_ptx_map(uint8_t out[TMA_MAP_BYTES], const uint8_t *map,
                                  const tma_ptx_statement *statement, const tma_target *target,
                                  tma_finding *why);

/* An instruction string against a map: tma_ptx_parse() and tma_plan_make(). *at receives the
 * immediates as tma_ptx_position() does, *unknown (may be null) its answer. TMA_INVALID with
 * *error for text that is not understood, is no copy or is not modelled; else as tma_plan_make(),
 * error->text is "" then. */
TMA_EXPORT tma_status tma_ptx_plan(tma_plan *plan, tma_position *at, uint32_t *unknown,
                                   const char *text, size_t size, const uint8_t *map,
                                   const tma_target *target, tma_error *error, tma_finding *why);

/* One thing that a PTX version and a target must have for a statement: ptx_forms.def. */
typedef struct tma_ptx_form {
    const char *name;    /* ".cta_group" */
    uint16_t version;    /* of PTX: 86 is 8.6 */
    uint64_t features;   /* TMA_FEATURE_*, all of them; 0: every target from sm_90 on */
    const char *targets; /* who has it where few do, else "" */
    const char *example; /* a statement */
    const char *evidence;
} tma_ptx_form;

/* A row of the table of what targets and versions have; null past its end. */
TMA_EXPORT const tma_ptx_form *tma_ptx_form_at(size_t index);

/* The i-th thing that a statement needs and the target or the version lacks, i from 0; null when
 * there is none (left). `version` 0 stands for the target's, and where that is 0 too for every
 * version. A null target or one that tma_arch_of() does not know has everything. *by_version (may
 * be null) says which one lacks it. */
TMA_EXPORT const tma_ptx_form *tma_ptx_lacks(const tma_ptx_statement *statement,
                                             const tma_target *target, uint32_t version, size_t i,
                                             int *by_version);

/* What is wrong with a copy's immediates whatever the map: `unknown` says which members of *at
 * mean nothing (tma_ptx_position()). The copy is tried on maps that allow as much as maps can;
 * a trap on all of them is one on every map. TMA_TRAP and *why; TMA_OK where some map takes it;
 * *but (may be null) then says what kind of map alone does: "an interleaved map", else null. */
TMA_EXPORT tma_status tma_ptx_judge(const tma_ptx_statement *statement, const tma_position *at,
                                    uint32_t unknown, const tma_target *target, tma_finding *why,
                                    const char **but);

/* Words, never null: "cp.async.bulk.tensor", ".shared::cta", ".gpu". */
TMA_EXPORT const char *tma_ptx_kind_name(uint32_t kind);
TMA_EXPORT const char *tma_ptx_space_name(uint32_t space);
TMA_EXPORT const char *tma_ptx_scope_name(uint32_t scope);

#ifdef __cplusplus
}
#endif
#endif
