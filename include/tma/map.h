/* SPDX-License-Identifier: Apache-2.0
 *
 * The 128 bytes: made from a spec, read back into one, and edited as tensormap.replace does.
 *
 * The layout is the one that an H200's driver 13.0 was seen to write (10,359 maps, every bit) and
 * that NVIDIA's compiler edits (tensormap.replace in machine code); fields.def is the table.
 *
 * All functions here are pure: no allocation, no globals, no input or output, safe on any thread
 * as long as no other thread writes the same map. A `map` is 128 bytes of any alignment, read or
 * written: tma_map.bytes, an entry of a pool, part of a file. Where a kernel uses it CUDA asks for
 * 64 bytes of alignment, from 13.0 on for 128.
 */
#ifndef TMA_MAP_H
#define TMA_MAP_H

#include "check.h"
#include "spec.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMA_MAP_BYTES 128
#define TMA_MAP_WORDS 32

/* Storage for one CUtensorMap, aligned as CUDA 13's. Words are little-endian. */
typedef struct tma_map {
#ifdef __cplusplus
    alignas(128)
#else
    _Alignas(128)
#endif
        uint8_t bytes[TMA_MAP_BYTES];
} tma_map;

/* Writes the 128 bytes that the driver's encode call would write for `spec` on `target` (null:
 * sm_90, driver 13.0). TMA_REFUSED where it would answer CUDA_ERROR_INVALID_VALUE: then the map is
 * unchanged (the driver's own memory often is not; docs/facts.md, Replacing an address).
 * TMA_INVALID on a null pointer, an unknown architecture, a driver below 12.0, a map that shares
 * bytes with `spec`. Source: encode, encode_sweep and encode_real_world, 25,243 captured calls. */
TMA_EXPORT TMA_MUST_USE tma_status tma_encode(uint8_t *map, const tma_spec *spec,
                                              const tma_target *target);

/* The same for a spec that the driver refuses, to see what a wrong map does. Every field that fits
 * its bits is stored. What does not fit is left 0 and reported in *unfit (may be null), one bit a
 * tma_argument of check.h. Word 16, a product, is cut to 32 bits and reported as boxDim.
 * TMA_INVALID only on null pointers, unknown architectures and drivers below 12.0. */
TMA_EXPORT TMA_MUST_USE tma_status tma_encode_forced(uint8_t *map, const tma_spec *spec,
                                                     const tma_target *target, uint64_t *unfit);

/* The first bytes of a map as nvidia-cutlass-dsl 4.7.0 builds it on the host: the words of an
 * encode call, the allocation class as cuTensorMapSetAllocationClass(AUTO) has it whatever the
 * target, and 1 in word 2 [3:1]. It never writes the other 64 bytes, and copies do not look at
 * them: the map runs. TMA_INVALID on null pointers. Source: cutedsl_maps, 84 maps of that compiler;
 * cutedsl_bit21, 120. */
#define TMA_CUTE_DSL_BYTES 64
TMA_EXPORT TMA_MUST_USE tma_status tma_encode_cute_dsl(uint8_t *head, const tma_spec *spec);

/* The allocation class: CUtensorMapAllocClass of cuda.h 13.5, number for number; bit 21 of word 2.
 * Where copies look outside the tensor, small maps stay in the 4 KiB behind their address and large
 * ones in 128 KiB: LARGE promises that the allocation behind globalAddress has 128 KiB of
 * accessible, contiguous memory. To break that is undefined behaviour when a kernel runs. */
typedef enum tma_alloc_class {
    TMA_CLASS_AUTO = 0, /* decided by the encoded geometry, as the encode calls do */
    TMA_CLASS_SMALL = 1,
    TMA_CLASS_LARGE = 2
} tma_alloc_class;

/* Does what cuTensorMapSetAllocationClass does to an encoded map. *in_effect (may be null) gets the
 * class that holds then, never AUTO; it is set to SMALL before anything is checked. On a target
 * without the class (sm_90) all three requests succeed, change nothing and report SMALL.
 * TMA_REFUSED, the map unchanged, for a class that does not exist; TMA_INVALID for a null map or an
 * unknown architecture. Two of the target's drivers differ in AUTO, as in tma_encode(): below 13.2
 * it counts elements, from there on the memory that the tensor spans. The call itself is in drivers
 * from 13.5. Source: cuda.h 13.5; no driver was asked. */
TMA_EXPORT TMA_MUST_USE tma_status tma_set_allocation_class(uint8_t *map, uint32_t allocation_class,
                                                            uint32_t *in_effect,
                                                            const tma_target *target);

/* What tensormap.query.alloc_class_large sees: TMA_CLASS_LARGE if bit 21 of word 2 is set, else
 * TMA_CLASS_SMALL; SMALL for null. Source: ptxas 13.5's machine code tests that bit; an H200 that
 * ran it on 2,000,000 maps saw the same (docs/evidence/conformance.md). */
TMA_EXPORT uint32_t tma_allocation_class(const uint8_t *map);

/* The bytes past the address that a class takes for accessible: 4 KiB, 128 KiB; 0 for others. */
TMA_EXPORT uint64_t tma_class_window_B(uint32_t allocation_class);

/* What is odd about 128 bytes. A map made by a driver for the target's architecture has none. */
#define TMA_ODD_KIND        0x0001u /* word 2 [3:1]: the CuTe DSL writes 1, drivers 0 */
#define TMA_ODD_RANK        0x0002u /* rank beyond 5, or below 3 for im2col */
#define TMA_ODD_ELEMENT     0x0004u /* element code 14 or 15 */
#define TMA_ODD_INTERLEAVE  0x0008u /* interleave 3 */
#define TMA_ODD_TF32_FLAG   0x0010u /* TF32 flag on a type that is not 32-bit float */
#define TMA_ODD_ATOMICITY   0x0020u /* atomicity bits without the 128-byte swizzle */
#define TMA_ODD_SWIZZLE_96B 0x0040u /* the 96-byte bit beside another swizzle */
#define TMA_ODD_BOX_BYTES   0x0080u /* word 16 is not what the box gives: stale, or another maker */
#define TMA_ODD_REPEAT      0x0100u /* word 18 is not what the swizzle gives: likewise */
#define TMA_ODD_BEYOND_RANK 0x0200u /* a size, stride, box or element stride beyond the rank */
#define TMA_ODD_UNOWNED     0x0400u /* bits that no field owns */
#define TMA_ODD_ALL         0x07FFu

/* What 128 bytes say. */
typedef struct tma_decoded {
    tma_spec spec;        /* what would encode to them, as far as they can be said in one */
    uint32_t kind;        /* word 2 [0]: 0 tiled, 1 im2col */
    uint32_t bit21;       /* word 2 [21]: large tensor (Blackwell's drivers) */
    uint32_t box_B;       /* word 16 as stored */
    uint32_t repeat_B;    /* word 18 as stored */
    uint64_t odd;         /* TMA_ODD_* */
    uint32_t readings;    /* which disputed questions were read otherwise where the map was made, as
                             tma_target.readings says it (atom-repeat, packed-box, ...) */
    uint32_t reserved_0;  /* 0 */
    uint64_t reserved[1]; /* 0 */
} tma_decoded;

/* Reads 128 bytes at `map`, aligned or not. Every 128 bytes decode. What contradicts itself or
 * belongs to no field is reported in `odd`, not dropped: tma_unowned() says which bits.
 * tma_encode_forced(out->spec) gives the same bytes back if odd is 0, the target's bit 21 is the
 * map's and its readings are `readings`. A map of cuTensorMapEncodeIm2colWide reads as im2col:
 * driver 13.0 writes the same bytes (75 of 75 pairs). Reserved values decode to numbers that no
 * enumeration has. */
TMA_EXPORT TMA_MUST_USE tma_status tma_decode(tma_decoded *out, const uint8_t *map);

/* The bits of the 128 bytes that no field owns and that are set, as 32 words; returns how many
 * bits are set. 0 for null arguments. */
TMA_EXPORT uint32_t tma_unowned(uint32_t words[TMA_MAP_WORDS], const uint8_t *map);

/* One sentence for one TMA_ODD_ bit; "" for anything else. */
TMA_EXPORT const char *tma_odd_text(uint64_t odd_bit);

/* cuTensorMapReplaceAddress: TMA_REFUSED, the map unchanged, for address 0, an address that is no
 * multiple of 16 and one of 2^57 or more. For a map of 16U4_ALIGN16B or 16U6_ALIGN16B also for one
 * that is no multiple of 32: the text says so ("must follow the previous alignment requirements"),
 * no machine was tested. *why (may be null) says which. An interleaved 32-byte map takes 16-byte
 * alignment here, as the driver does, and copies of it are then a misaligned address. Source:
 * replace_address, 351 captured calls. */
TMA_EXPORT TMA_MUST_USE tma_status tma_replace_address(uint8_t *map, uint64_t address,
                                                       tma_finding *why);

/* The fields of PTX's tensormap.replace; the first ten are numbered as the captured vectors are. */
typedef enum tma_replace_field {
    TMA_REPLACE_GLOBAL_ADDRESS = 0,     /* value: the address */
    TMA_REPLACE_RANK = 1,               /* value: rank - 1 (the compiler subtracts nothing) */
    TMA_REPLACE_BOX_DIM = 2,            /* ordinal 0..4; value: elements */
    TMA_REPLACE_GLOBAL_DIM = 3,         /* ordinal 0..4; value: elements, 0 meaning 2^32 */
    TMA_REPLACE_GLOBAL_STRIDE = 4,      /* ordinal 0..3, of dimension ordinal + 1; value: bytes */
    TMA_REPLACE_ELEMENT_STRIDE = 5,     /* ordinal 0..4; value: the stride */
    TMA_REPLACE_ELEMTYPE = 6,           /* value: PTX's immediate 0..15 */
    TMA_REPLACE_INTERLEAVE = 7,         /* value: PTX's immediate 0..2 */
    TMA_REPLACE_SWIZZLE_MODE = 8,       /* value: PTX's immediate 0..4; 4 is 96 bytes, sm_103a */
    TMA_REPLACE_FILL_MODE = 9,          /* value: PTX's immediate 0..1 */
    TMA_REPLACE_SWIZZLE_ATOMICITY = 10, /* value: PTX's immediate 0..3, sm_100a and up */
    TMA_REPLACE_ALLOC_CLASS = 11, /* .alloc_small, .alloc_large without a field (PTX 9.5); value:
                                     TMA_CLASS_SMALL or TMA_CLASS_LARGE */
    TMA_REPLACE_FIELDS
} tma_replace_field;

/* Toolchains before CUDA 12.5 did not shift the stride: the program passed bytes >> 4 itself
 * (CUTLASS, copy_sm90_desc.hpp). With this flag `value` of global_stride is taken so, whatever the
 * edit's toolchain. */
#define TMA_REPLACE_STRIDE_PRE_12_5 1u

/* The modifiers of global_address in PTX 9.5, one at most: the class that the map gets, or
 * .alloc_same for the one that it has. Without one it hangs on the toolchain:
 * TMA_TOOLCHAIN_ADDRESS_MAKES_SMALL. */
#define TMA_REPLACE_ALLOC_SMALL 2u
#define TMA_REPLACE_ALLOC_LARGE 4u
#define TMA_REPLACE_ALLOC_SAME  8u

/* What compilers changed in what an edit does: map_toolchains.def. */
typedef enum tma_toolchain_change {
#define TMA_TOOLCHAIN(id, ...) TMA_TOOLCHAIN_##id,
#include "map_toolchains.def"
    TMA_TOOLCHAIN_CHANGES
} tma_toolchain_change;

/* One row of it. */
typedef struct tma_toolchain_row {
    const char *name;   /* "address-makes-small" */
    uint32_t since;     /* the CUDA release: 13050 is 13.5 */
    uint32_t field;     /* tma_replace_field */
    const char *now;    /* what the compiler's code does from then on, */
    const char *before; /* and did before */
    const char *evidence;
} tma_toolchain_row;

/* The rows one by one; null from TMA_TOOLCHAIN_CHANGES on. */
TMA_EXPORT const tma_toolchain_row *tma_toolchain_at(size_t index);

/* Whether a compiler of this CUDA release has the change; 0 is 13.0. False for no such change. */
TMA_EXPORT bool tma_toolchain_has(uint32_t toolchain, uint32_t change);

/* One field of the table of fields that tensormap.replace edits. */
typedef struct tma_replace_row {
    const char *name;  /* PTX's word: "global_dim" */
    int ordinals;      /* 0: takes none; else the ordinals that ptxas takes, 0..ordinals-1 */
    int immediate_max; /* largest immediate, or -1: the value is a register */
    const char *value; /* what the value means, with its unit */
    const char *evidence;
    int immediate_min; /* smallest immediate, or -1 */
} tma_replace_row;

/* The row of a tma_replace_field, null if there is none. */
TMA_EXPORT const tma_replace_row *tma_replace_row_of(uint32_t field);

/* One tensormap.replace. */
typedef struct tma_edit {
    uint32_t field TMA_ZERO;       /* tma_replace_field */
    uint32_t ordinal TMA_ZERO;     /* which entry of an array; not looked at for other fields */
    uint64_t value TMA_ZERO;       /* as the field says */
    uint32_t flags TMA_ZERO;       /* TMA_REPLACE_* above, each for its field alone */
    uint32_t toolchain TMA_ZERO;   /* CUDA release of the compiler, 13050 for 13.5; 0: 13.0 */
    uint32_t reserved[2] TMA_ZERO; /* must be 0 */
} tma_edit;

/* Does to the 128 bytes what tensormap.replace does as the edit's toolchain compiles it, and
 * nothing else. There are no checks, values are cut to their bits as the compiler's code cuts
 * them, and derived words stay as they were: tma_decode() then reports TMA_ODD_BOX_BYTES or
 * TMA_ODD_REPEAT. The map is unchanged, and *why (may be null) says
 * what is wrong, on TMA_PTXAS, an ordinal or an immediate that ptxas rejects, and on TMA_INVALID, a
 * null pointer, an unknown field or flag. Ordinal 4 of global_stride is taken, as ptxas takes it,
 * and does what its code does: it overwrites word 7, the high bits of all strides.
 * Source: replace, 954 captured edits; the machine code of each form for the rest. */
TMA_EXPORT TMA_MUST_USE tma_status tma_replace(uint8_t *map, const tma_edit *edit,
                                               tma_finding *why);

/* Whether the edit gives a map of class large another address and leaves it large without saying
 * so (.alloc_large, .alloc_same): then the new allocation has to have 128 KiB of accessible memory
 * from the address on, which nobody looked at. `map` is the map before the edit; *why (may be null)
 * is the finding then, TMA_RULE_REPLACE_STAYS_LARGE. */
TMA_EXPORT TMA_MUST_USE bool tma_replace_stays_large(const uint8_t *map, const tma_edit *edit,
                                                     tma_finding *why);

/* Which maps a row of the field table belongs to. */
typedef enum tma_field_scope {
    TMA_FIELD_ANY,
    TMA_FIELD_TILED,
    TMA_FIELD_IM2COL,
    TMA_FIELD_IM2COL_3D,
    TMA_FIELD_IM2COL_4D,
    TMA_FIELD_IM2COL_5D
} tma_field_scope;

/* How a field's bits read as a number. */
typedef enum tma_field_form {
    TMA_FIELD_PLAIN,     /* the number itself */
    TMA_FIELD_MINUS_ONE, /* the number less one */
    TMA_FIELD_SIGNED,    /* two's complement */
    TMA_FIELD_SHIFT_4    /* the number divided by 16 */
} tma_field_form;

/* The entry belongs to no dimension. */
#define TMA_NO_DIMENSION 255

/* One row of fields.def, or one entry of an array there: where it sits. */
typedef struct tma_field_row {
    const char *name;  /* "box_dim[0]" */
    uint8_t scope;     /* tma_field_scope */
    uint8_t form;      /* tma_field_form */
    uint8_t word;      /* 0..31, 32-bit little-endian words */
    uint8_t bit;       /* lowest bit in that word */
    uint8_t width_bit; /* 64 for the address: words 0 and 1 */
    uint8_t dimension; /* that an array's entry belongs to, or TMA_NO_DIMENSION */
    const char *meaning;
    const char *evidence;
} tma_field_row;

/* The rows of fields.def, an array's entries each by itself, one by one. */
TMA_EXPORT size_t tma_field_count(void);
TMA_EXPORT const tma_field_row *tma_field_at(size_t index); /* null from the count on */

/* Whether the field exists in a map of this kind and rank. */
TMA_EXPORT TMA_MUST_USE bool tma_field_applies(const tma_field_row *row,
                                               const tma_decoded *decoded);

/* The field's bits, unshifted and unbiased. */
TMA_EXPORT uint64_t tma_field_read(const tma_field_row *row, const uint8_t *map);

#ifdef __cplusplus
}
#endif
#endif
