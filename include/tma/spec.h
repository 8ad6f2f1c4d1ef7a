/* SPDX-License-Identifier: Apache-2.0
 *
 * What a caller asks for: one tensor map, in the words and numbers of the CUDA driver API.
 *
 * Three numberings exist for the same things and differ: the driver's enumerators (cuda.h), the
 * immediates of PTX's tensormap.replace, and the bits stored in the 128 bytes. Everything in
 * tma_spec is in the driver's numbers; tma_enum_at() maps them to the other two.
 *
 * All functions here are pure: no allocation, no globals, no input or output, safe on any thread.
 */
#ifndef TMA_SPEC_H
#define TMA_SPEC_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMA_MAX_RANK    5
#define TMA_MAX_STRIDES 4
#define TMA_MAX_SPATIAL 3 /* D, H, W of a rank-5 im2col map */

/* Which of the driver's three encode calls. */
typedef enum tma_api {
    TMA_API_TILED = 0,  /* cuTensorMapEncodeTiled */
    TMA_API_IM2COL = 1, /* cuTensorMapEncodeIm2col */
    TMA_API_WIDE = 2    /* cuTensorMapEncodeIm2colWide */
} tma_api;

/* Element types: CUtensorMapDataType, number for number (cuda.h of CUDA 13.0). */
typedef enum tma_dtype {
    TMA_DTYPE_UINT8 = 0,
    TMA_DTYPE_UINT16 = 1,
    TMA_DTYPE_UINT32 = 2,
    TMA_DTYPE_INT32 = 3,
    TMA_DTYPE_UINT64 = 4,
    TMA_DTYPE_INT64 = 5,
    TMA_DTYPE_FLOAT16 = 6,
    TMA_DTYPE_FLOAT32 = 7,
    TMA_DTYPE_FLOAT64 = 8,
    TMA_DTYPE_BFLOAT16 = 9,
    TMA_DTYPE_FLOAT32_FTZ = 10,
    TMA_DTYPE_TFLOAT32 = 11,
    TMA_DTYPE_TFLOAT32_FTZ = 12,
    TMA_DTYPE_16U4_ALIGN8B = 13,  /* PTX .b4x16: 16 values in 8 bytes, no padding */
    TMA_DTYPE_16U4_ALIGN16B = 14, /* PTX .b4x16_p64: 8 bytes of values, 8 of padding in shared */
    TMA_DTYPE_16U6_ALIGN16B = 15  /* PTX .b6x16_p32 (loads) and .b6p2x16 (stores) */
} tma_dtype;

/* CUtensorMapInterleave. */
typedef enum tma_interleave {
    TMA_INTERLEAVE_NONE = 0,
    TMA_INTERLEAVE_16B = 1, /* NC/8HWC8: channels in slices of 16 bytes */
    TMA_INTERLEAVE_32B = 2  /* NC/16HWC16: channels in slices of 32 bytes */
} tma_interleave;

/* CUtensorMapSwizzle, and one number of libtma's own: no driver call makes a 96-byte swizzle,
 * only tensormap.replace.swizzle_mode 4 on sm_103a and sm_107a does (PTX ISA, tensormap.replace).
 */
typedef enum tma_swizzle {
    TMA_SWIZZLE_NONE = 0,
    TMA_SWIZZLE_32B = 1,
    TMA_SWIZZLE_64B = 2,
    TMA_SWIZZLE_128B = 3,
    TMA_SWIZZLE_128B_ATOM_32B = 4,
    TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B = 5,
    TMA_SWIZZLE_128B_ATOM_64B = 6,
    TMA_SWIZZLE_96B = 96
} tma_swizzle;

/* CUtensorMapL2promotion. A hint: it changes no byte of a copy. */
typedef enum tma_l2 { TMA_L2_NONE = 0, TMA_L2_64B = 1, TMA_L2_128B = 2, TMA_L2_256B = 3 } tma_l2;

/* CUtensorMapFloatOOBfill: what a load puts where the box leaves the tensor. */
typedef enum tma_fill {
    TMA_FILL_NONE = 0, /* zeros */
    TMA_FILL_NAN = 1   /* NAN_REQUEST_ZERO_FMA: every 16-bit half is 0x7FF7 */
} tma_fill;

/* CUtensorMapIm2ColWideMode. */
typedef enum tma_wide_mode { TMA_WIDE_W = 0, TMA_WIDE_W128 = 1 } tma_wide_mode;

/* The arguments of one encode call, in cuda.h's order. Unused members are not looked at, as the
 * driver does not: entries at or beyond rank (strides: at or beyond rank - 1; corners: at or beyond
 * rank - 2, for TMA_API_WIDE beyond the first), box_el outside TMA_API_TILED, and corners, channels
 * and pixels outside the other two. The enum members are uint32_t so that wrong numbers can be
 * asked about too. */
typedef struct tma_spec {
    uint32_t api TMA_ZERO;                       /* tma_api */
    uint32_t dtype TMA_ZERO;                     /* tma_dtype */
    uint32_t rank TMA_ZERO;                      /* 1..5; 3..5 if im2col, wide, interleaved */
    uint32_t reserved_0 TMA_ZERO;                /* must be 0 */
    uint64_t address TMA_ZERO;                   /* globalAddress */
    uint64_t dim_el[TMA_MAX_RANK] TMA_ZERO;      /* globalDim, innermost first; 1..2^32 */
    uint64_t stride_B[TMA_MAX_STRIDES] TMA_ZERO; /* globalStrides; [i] is dimension i + 1's */
    uint32_t box_el[TMA_MAX_RANK] TMA_ZERO;      /* boxDim; 1..256 */
    int32_t lower_px[TMA_MAX_SPATIAL] TMA_ZERO;  /* pixelBoxLowerCorner, W first */
    int32_t upper_px[TMA_MAX_SPATIAL] TMA_ZERO;  /* (docs/facts.md, Refusals) */
    uint32_t channels_per_pixel TMA_ZERO;        /* channelsPerPixel; 1..256 */
    uint32_t pixels_per_column TMA_ZERO;         /* pixelsPerColumn; 1..1024 */
    uint32_t
        element_stride[TMA_MAX_RANK] TMA_ZERO; /* elementStrides; PTX: traversal stride; 1..8 */
    uint32_t interleave TMA_ZERO;              /* tma_interleave */
    uint32_t wide_mode TMA_ZERO;               /* tma_wide_mode; TMA_API_WIDE only */
    uint32_t swizzle TMA_ZERO;                 /* tma_swizzle */
    uint32_t l2 TMA_ZERO;                      /* tma_l2 */
    uint32_t fill TMA_ZERO;                    /* tma_fill */
    uint32_t reserved[5] TMA_ZERO;             /* must be 0 */
} tma_spec;

/* Completes a spec that has api, dtype, rank, dim_el and interleave. Element strides that are 0
 * become 1. If all strides of the rank are 0 they become packed ones, each dimension right after
 * the one before it (in whole slices if interleaved). Where that gives strides that are no multiple
 * of 16 bytes, tma_check() says so. TMA_INVALID, and the spec stays unchanged, for null, for a rank
 * that is not 1 to 5, and if packed strides are asked for an unknown type or do not fit 64 bits. */
TMA_EXPORT TMA_MUST_USE tma_status tma_spec_fill(tma_spec *spec);

/* What the map is for. A null target means sm_90 with driver 13.0, the machine that was asked. The
 * first driver that has tensor maps is 12.0; a lower one, 0 too, is an error. */
typedef struct tma_target {
    uint16_t sm TMA_ZERO;          /* one of spec_archs.def: 90, 100, ... */
    char suffix TMA_ZERO;          /* 0, 'a' (this chip only) or 'f' (this family) */
    uint32_t driver TMA_ZERO;      /* as cuDriverGetVersion gives it: 13000 is 13.0 */
    uint32_t ptx TMA_ZERO;         /* what the kernel's .version says, 86 for 8.6; 0: any that
                                      has what is asked about. Looked at by tma_plan_make() */
    uint32_t readings TMA_ZERO;    /* of what is disputed: tma_target_read(); 0: the documents' */
    uint32_t toolchain TMA_ZERO;   /* CUDA release of the compiler that made the machine code:
                                      13050 is 13.5; 0: tma_target_toolchain() says */
    uint32_t reserved[1] TMA_ZERO; /* must be 0 */
} tma_target;

/* The CUDA release whose ptxas (or the driver whose compiler) makes the target's machine code: its
 * `toolchain`. Where that is 0, the answer is the first that takes its `ptx` (from 9.0 on, PTX 9.n
 * is CUDA 13.n), but not before 13.0. So it is for a null target. */
TMA_EXPORT uint32_t tma_target_toolchain(const tma_target *target);

/* Questions that public sources answer in different ways and no public hardware answer decides:
 * readings.def. A target chooses a reading of each. */
typedef enum tma_reading_id {
#define TMA_READING(id, ...) TMA_READING_##id,
#include "readings.def"
    TMA_READINGS
} tma_reading_id;

#define TMA_READING_BITS 2 /* in tma_target.readings, from bit 2 id on */

typedef enum tma_reading_value {
#define TMA_READS(id, value, ...) TMA_READS_##id##_##value = (value),
#include "readings.def"
    TMA_MOST_READS = 4 /* of one question */
} tma_reading_value;

/* One question: its name, its words, how many readings there are. */
typedef struct tma_reading {
    const char *name; /* "w128-halo" */
    const char *question;
    uint32_t rule; /* tma_rule_id: what tma_plan_notes() finds where a result hangs on it;
                      TMA_RULE_NONE: a map's words hang on it, no copy does */
    uint32_t count;
} tma_reading;

/* One reading of it. */
typedef struct tma_reads {
    const char *name; /* "chunks" */
    const char *meaning;
    const char *holder; /* who says so */
} tma_reads;

/* The disputed questions one by one, and the readings of one question, its default first; null for
 * an index that is too large. */
TMA_EXPORT const tma_reading *tma_reading_at(size_t index);
TMA_EXPORT const tma_reads *tma_reads_at(size_t reading, size_t value);

/* Chooses how plans and maps for this target read a disputed question. TMA_INVALID, and the target
 * stays unchanged, for a null target and for a question or a reading that does not exist. */
TMA_EXPORT TMA_MUST_USE tma_status tma_target_read(tma_target *target, uint32_t reading,
                                                   uint32_t value);

/* The reading that the target chose for a question; 0, which is the default, for a null target. */
TMA_EXPORT uint32_t tma_target_reads(const tma_target *target, uint32_t reading);

/* One value of one enumeration, in every numbering. A number of -1 means: there is none. */
typedef struct tma_enum_row {
    const char *name;      /* this library's and the command line's word */
    const char *cuda_name; /* the enumerator of cuda.h, "" where none */
    const char *ptx_name;  /* PTX's word, "" where none */
    int32_t driver;        /* number in the driver API (and in tma_spec) */
    int32_t ptx;           /* immediate of tensormap.replace */
    int32_t stored;        /* value of the field in the 128 bytes */
    const char *evidence;  /* who says so */
} tma_enum_row;

typedef enum tma_enum_kind {
    TMA_ENUM_API,
    TMA_ENUM_DTYPE,
    TMA_ENUM_INTERLEAVE,
    TMA_ENUM_SWIZZLE,
    TMA_ENUM_ATOMICITY, /* PTX only: the driver folds it into the swizzle */
    TMA_ENUM_L2,
    TMA_ENUM_FILL,
    TMA_ENUM_WIDE_MODE,
    TMA_ENUM_CLASS, /* allocation class: map.h */
    TMA_ENUM_KINDS
} tma_enum_kind;

/* How many rows the table of an enumeration has, and one of its rows. 0 and null for an unknown
 * kind, null for an index that is too large. Here and elsewhere a table is read row by row,
 * because a later version may make the rows longer. */
TMA_EXPORT size_t tma_enum_count(tma_enum_kind kind);
TMA_EXPORT const tma_enum_row *tma_enum_at(tma_enum_kind kind, size_t index);

/* The row of a driver number, or null. */
TMA_EXPORT const tma_enum_row *tma_enum_row_of(tma_enum_kind kind, uint32_t driver);

/* The row that `text` names: this library's name, cuda.h's enumerator or PTX's word, in any case.
 * For element types also PTX's bit-sized ones, b8 to b64, which are the unsigned ones here, and
 * b6p2x16. Null if none does. */
TMA_EXPORT const tma_enum_row *tma_enum_find(tma_enum_kind kind, const char *text);

/* Bits of one element in global memory: 4, 6, 8, 16, 32 or 64; 0 for an unknown type. */
TMA_EXPORT uint32_t tma_dtype_bits(uint32_t dtype);

/* Bytes of a swizzle's span: 32, 64, 96, 128; 0 for none or unknown. */
TMA_EXPORT uint32_t tma_swizzle_span_B(uint32_t swizzle);

/* Bytes after which a swizzle's pattern repeats (PTX ISA 5.5.7), 16 for none, 0 for unknown. */
TMA_EXPORT uint32_t tma_swizzle_repeat_B(uint32_t swizzle);

/* One architecture that libtma knows, e.g. sm_100a. */
typedef struct tma_arch_row {
    uint16_t sm;
    char suffix;
    uint64_t features; /* TMA_FEATURE_* */
    const char *name;  /* "sm_100a" */
    const char *evidence;
    uint32_t shared_B; /* that one CTA can have */
} tma_arch_row;

/* What an architecture has beyond sm_90 (docs/facts.md, Targets: what ptxas 13.0 accepts). */
#define TMA_FEATURE_REPLACE      0x0001u /* tensormap.replace */
#define TMA_FEATURE_ATOMICITY    0x0002u /* swizzle atomicities, 4- and 6-bit types */
#define TMA_FEATURE_SWIZZLE_96B  0x0004u /* tensormap.replace.swizzle_mode 4 */
#define TMA_FEATURE_GATHER4_CTA  0x0008u /* gather4 and im2col::w to shared::cta */
#define TMA_FEATURE_GATHER4      0x0010u /* the same to shared::cluster, and their prefetch */
#define TMA_FEATURE_SCATTER4     0x0020u /* scatter4 stores */
#define TMA_FEATURE_W128         0x0040u /* im2col::w::128 */
#define TMA_FEATURE_CTA_GROUP    0x0080u /* .cta_group::1 and ::2 */
#define TMA_FEATURE_PACKED       0x0100u /* the driver's 4- and 6-bit element types */
#define TMA_FEATURE_BIT21        0x0200u /* drivers set bit 21 of word 2 (docs/facts.md, Bit 21) */
#define TMA_FEATURE_STORE_HALVES 0x0800u /* .b6p2x16 stores of rows of 48 bytes (PTX 9.1) */
#define TMA_FEATURE_NO_OFFS_W    0x1000u /* im2col_no_offs::w stores, reductions (PTX 9.4) */
#define TMA_FEATURE_PTX_94                                                                         \
    0x2000u /* ::32b, .override, .mbarrier::report, L2::evict_last, applypriority */
#define TMA_FEATURE_PACKED_CLUSTER 0x0400u /* these and atom swizzles to shared::cluster */

/* The rows of spec_archs.def, one by one. */
TMA_EXPORT size_t tma_arch_count(void);
TMA_EXPORT const tma_arch_row *tma_arch_at(size_t index); /* null from the count on */

/* The row of a target's architecture, or null for one that libtma does not know. */
TMA_EXPORT const tma_arch_row *tma_arch_of(const tma_target *target);

/* The row that `text` names ("sm_100a", "100a"), or null. */
TMA_EXPORT const tma_arch_row *tma_arch_find(const char *text);

#ifdef __cplusplus
}
#endif
#endif
