/* SPDX-License-Identifier: Apache-2.0
 *
 * What an MMA reads of shared memory, and whether that is what a tensor copy left there: the matrix
 * descriptors of wgmma (sm_90a) and tcgen05 (the family of sm_100).
 *
 * A copy's map says how a tile lies in shared memory: rows of the box, a pitch, a swizzle. The
 * MMA's 64-bit descriptor says where it looks: start, leading and stride byte offset, base offset,
 * swizzle. Both are right by themselves; nothing but this compares them.
 *
 * Facts of wgmma are an H200's (docs/mma.md); of tcgen05 the PTX ISA's, no machine was asked.
 * Pure functions: no allocation, no globals, no input or output, safe on any thread.
 */
#ifndef TMA_MMA_H
#define TMA_MMA_H

#include "map.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tma_mma_family {
    TMA_MMA_WGMMA = 0,
    TMA_MMA_TCGEN05 = 1,
    TMA_MMA_FAMILIES
} tma_mma_family;
typedef enum tma_mma_matrix { TMA_MMA_A = 0, TMA_MMA_B = 1 } tma_mma_matrix;
/* Which index goes from element to element: k, or m of A and n of B ("transposed"). */
typedef enum tma_mma_major { TMA_MMA_K_MAJOR = 0, TMA_MMA_MN_MAJOR = 1 } tma_mma_major;

#define TMA_MMA_ON_WGMMA   0x1u
#define TMA_MMA_ON_TCGEN05 0x2u
#define TMA_MMA_TURNS      0x4u /* wgmma reads it MN-major too */

typedef enum tma_mma_type_id {
#define TMA_MMA_TYPE(id, ...) TMA_MMA_TYPE_##id,
#include "mma_fields.def"
    TMA_MMA_TYPES
} tma_mma_type_id;

/* One row of mma_fields.def. */
typedef struct tma_mma_type {
    const char *name;
    uint16_t bits;    /* of an element */
    uint16_t unit_el; /* elements in 16 bytes of shared memory, padding counted */
    uint16_t k_el;    /* of k that one dense instruction takes: 32 bytes */
    uint8_t on;       /* TMA_MMA_ON_*, TMA_MMA_TURNS */
    uint8_t padded;   /* in shared memory as 16U4_ALIGN16B and 16U6_ALIGN16B leave it */
} tma_mma_type;

/* A row of the table of operand types; null for a number from TMA_MMA_TYPES on. */
TMA_EXPORT const tma_mma_type *tma_mma_type_at(uint32_t type);

/* The operand's type that goes with a map of this tma_dtype, if the caller names no other: e4m3 for
 * bytes (e5m2, s8 and u8 lie in memory as e4m3 does). TMA_INVALID if there is none. */
TMA_EXPORT TMA_MUST_USE tma_status tma_mma_type_for(uint32_t *type, uint32_t dtype);

/* The 64 bits, taken apart. Addresses and offsets are bytes, multiples of 16 below 2^18. */
typedef struct tma_mma_descriptor {
    uint32_t family TMA_ZERO;      /* tma_mma_family */
    uint32_t swizzle TMA_ZERO;     /* tma_swizzle: NONE, 32B, 64B, 128B; tcgen05: 128B_ATOM_32B */
    uint32_t start_B TMA_ZERO;     /* shared address */
    uint32_t leading_B TMA_ZERO;   /* leading dimension byte offset ("LBO"), */
    uint32_t stride_B TMA_ZERO;    /* stride dimension byte offset ("SBO") */
    uint32_t base_offset TMA_ZERO; /* 0..7 */
    uint32_t leading_absolute TMA_ZERO; /* 1: leading_B is the address of the k that does not fit
                                           the start's 128 bytes (tcgen05, sm_103a) */
    uint32_t reserved[5] TMA_ZERO;      /* 0 */
} tma_mma_descriptor;

/* Makes the 64 bits of a matrix descriptor. TMA_INVALID, and *out stays unchanged, for a null
 * pointer, an unknown family, a swizzle that the family does not have, an offset that is no
 * multiple of 16 or does not fit, and a base offset above 7. */
TMA_EXPORT TMA_MUST_USE tma_status tma_mma_encode(uint64_t *out,
                                                  const tma_mma_descriptor *descriptor);

/* Reads 64 bits as a matrix descriptor. TMA_INVALID for null or an unknown family, TMA_UNKNOWN for
 * a swizzle code that tcgen05 does not have. Bits that belong to no field are lost;
 * tma_mma_judge() reports them. */
TMA_EXPORT TMA_MUST_USE tma_status tma_mma_decode(tma_mma_descriptor *out, uint32_t family,
                                                  uint64_t bits);

/* One row of a descriptor's fields, in their order; name is null after the last. */
typedef struct tma_mma_field {
    const char *name;
    const char *meaning;
    const char *evidence;
    uint8_t bit;
    uint8_t width_bit;
    uint8_t shift; /* of the number: 4 for bytes / 16 */
    uint8_t fixed; /* what always stands there, 0 where there is a choice */
} tma_mma_field;
/* One field of a family's descriptor; its name is null after the last field. */
TMA_EXPORT tma_mma_field tma_mma_field_at(uint32_t family, size_t index);

/* An operand of one instruction: what is read through the descriptor. */
typedef struct tma_mma_operand {
    uint32_t matrix TMA_ZERO;      /* tma_mma_matrix */
    uint32_t major TMA_ZERO;       /* tma_mma_major */
    uint32_t type TMA_ZERO;        /* tma_mma_type_id */
    uint32_t mn_el TMA_ZERO;       /* rows of A, columns of B */
    uint32_t k_el TMA_ZERO;        /* 0: as a dense instruction has it */
    uint32_t readings TMA_ZERO;    /* of what sources of tcgen05 dispute: mma_readings.def, two bits
                                      each (TMA_READING_BITS); 0: the first of each */
    uint32_t reserved[2] TMA_ZERO; /* 0 */
} tma_mma_operand;

typedef struct tma_mma_place {
    uint32_t address_B; /* shared address of the byte in which the element begins */
    uint32_t bit;       /* of that byte */
} tma_mma_place;

/* Where the MMA reads element (mn, k) of an operand, 0 for the first: the address that the swizzle
 * leads to, whether anything lies there or not. The descriptor may be one that no document allows:
 * the answer is what the hardware does with it (docs/mma.md has the types and operands for which
 * this was compared with an H200). 0 for null and for a type that does not exist. */
TMA_EXPORT tma_mma_place tma_mma_read(const tma_mma_descriptor *descriptor,
                                      const tma_mma_operand *operand, uint32_t mn, uint32_t k);

typedef enum tma_mma_rule_id {
#define TMA_MMA_RULE(number, id, ...) TMA_MMA_RULE_##id = (number),
#include "mma_rules.def"
    TMA_MMA_RULES
} tma_mma_rule_id;

typedef struct tma_mma_rule {
    const char *name;
    const char *statement;
    const char *evidence;
    uint32_t wrong; /* 1: no instruction reads such an operand as a document has it */
} tma_mma_rule;

/* A row of the table of rules; null for a number from TMA_MMA_RULES on. */
TMA_EXPORT const tma_mma_rule *tma_mma_rule_at(uint32_t number);

/* Judges the 64 bits of a descriptor: bit n of the result is set if they break rule n of
 * mma_rules.def. `operand` may be null: only the bits are judged then. */
TMA_EXPORT TMA_MUST_USE uint32_t tma_mma_judge(uint32_t family, uint64_t bits,
                                               const tma_mma_operand *operand);

#define TMA_MMA_PLACED 32 /* copies of one tile */

/* One of several copies that fill a tile together. */
typedef struct tma_mma_placed {
    const tma_spec *spec TMA_ZERO;    /* its map; null: the call's */
    uint32_t shared_address TMA_ZERO; /* where its box begins */
    uint32_t mn TMA_ZERO;             /* the tile's element that is its box's first */
    uint32_t k TMA_ZERO;
    uint32_t reserved[3] TMA_ZERO; /* 0 */
} tma_mma_placed;

/* What tensor copies of one map leave in shared memory, as an operand's tile: dimension 0 of the
 * box is the major index, the rows are the other one. */
typedef struct tma_mma_tile {
    uint32_t shared_address TMA_ZERO; /* where the first copy's box begins */
    uint32_t copies TMA_ZERO;         /* one behind the other along dimension 0; 0: one */
    uint32_t copy_step_B TMA_ZERO;    /* from copy to copy; 0: what a copy occupies */
    uint32_t panel_dims TMA_ZERO; /* so many outermost dimensions of the box go on along dimension 0
                                     too (a box of 64 x 128 x 2 that holds 128 columns) */
    /* Copies that lie in any other way, at most TMA_MMA_PLACED. If there are any, they are the
     * tile, and the first three members have no effect. */
    uint32_t placed_count TMA_ZERO;
    uint32_t reserved TMA_ZERO; /* 0 */
    const tma_mma_placed *placed TMA_ZERO;
} tma_mma_tile;

/* The size of such a tile, in elements of the operand's type. */
typedef struct tma_mma_extent {
    uint32_t mn_el;
    uint32_t k_el;
} tma_mma_extent;

/* Why no descriptor reads a tile, or what is wrong with the question. */
typedef enum tma_mma_reason {
#define TMA_MMA_REASON(id, ...) TMA_MMA_REASON_##id,
#include "mma_reasons.def"
    TMA_MMA_REASONS
} tma_mma_reason;

/* The name of a reason ("swizzle-span"), and its sentence. */
TMA_EXPORT const char *tma_mma_reason_name(uint32_t reason);
TMA_EXPORT const char *tma_mma_reason_text(uint32_t reason);

/* What else would do, where there is no descriptor: a box and a swizzle; 0 and none where nothing
 * is known. */
typedef struct tma_mma_why {
    uint32_t reason;        /* tma_mma_reason */
    uint32_t value;         /* what the reason looks at, */
    uint32_t limit;         /* and what it would have to be */
    uint32_t would_box0_el; /* box_el[0] of the map's type, with */
    uint32_t would_swizzle; /* tma_swizzle */
    uint32_t along;         /* beyond: 1 along m or n, 2 along k */
    uint32_t reserved[2];   /* 0 */
} tma_mma_why;

/* The descriptor through which an instruction reads element (mn0 + mn, k0 + k) of the tile as its
 * (mn, k). The function compares the result with the copy, element by element, before it returns.
 * TMA_OK; TMA_REFUSED if no descriptor reads the tile, and *why says why; TMA_INVALID for null, and
 * for a family, a type or a major that does not exist. */
TMA_EXPORT TMA_MUST_USE tma_status tma_mma_descriptor_of(tma_mma_descriptor *out, tma_mma_why *why,
                                                         const tma_spec *spec,
                                                         const tma_mma_tile *tile, uint32_t family,
                                                         const tma_mma_operand *operand,
                                                         uint32_t mn0, uint32_t k0);

/* The tile's size. 0 and 0 for null, and where the copies leave no tile (tma_mma_unfit()). */
TMA_EXPORT tma_mma_extent tma_mma_extent_of(const tma_spec *spec, const tma_mma_tile *tile,
                                            const tma_mma_operand *operand);

/* Where the copy puts element (mn, k) of the tile. TMA_INVALID if it has no such element. */
TMA_EXPORT TMA_MUST_USE tma_status tma_mma_written(tma_mma_place *out, const tma_spec *spec,
                                                   const tma_mma_tile *tile,
                                                   const tma_mma_operand *operand, uint32_t mn,
                                                   uint32_t k);

/* The first element, m or n slow and k fast, that the MMA reads elsewhere than the copy put it. */
typedef struct tma_mma_difference {
    uint64_t equal_el; /* elements that agree, of all of the operand's */
    uint64_t all_el;   /* all of them; equal: proved that they are the same */
    uint32_t mn;       /* of the first that does not, within the instruction, */
    uint32_t k;
    uint32_t read_B;      /* where the MMA reads it, */
    uint32_t written_B;   /* and where the copy put it, */
    uint32_t has_written; /* if the tile has it: 0 beyond the tile */
    uint32_t
        has_element;   /* 1: at read_B the copy put element (other_mn, other_k) of the tile; 0: */
    uint32_t other_mn; /* nothing, padding or what another copy left */
    uint32_t other_k;
    uint32_t copies;       /* that fill the tile */
    uint32_t written_copy; /* which of them, from 0 on, brings the element (if has_written), */
    uint32_t other_copy;   /* and which put what lies at read_B (if has_element) */
    uint32_t reserved;     /* 0 */
} tma_mma_difference;

/* Why map and MMA cannot be compared: the copies leave no tile, or its elements are not of the
 * operand's size. Returns the reason (tma_mma_reason); TMA_MMA_REASON_NONE if they can be. */
TMA_EXPORT uint32_t tma_mma_unfit(tma_mma_why *why, const tma_spec *spec, const tma_mma_tile *tile,
                                  const tma_mma_operand *operand);

/* Compares what an instruction reads through a descriptor with what the copy left of element
 * (mn0, k0) on. TMA_OK and *out whether they agree or not; TMA_REFUSED where nothing can be
 * compared (tma_mma_unfit()), TMA_INVALID for null and unknown numbers. */
TMA_EXPORT TMA_MUST_USE tma_status tma_mma_compare(tma_mma_difference *out,
                                                   const tma_mma_descriptor *descriptor,
                                                   const tma_mma_operand *operand,
                                                   const tma_spec *spec, const tma_mma_tile *tile,
                                                   uint32_t mn0, uint32_t k0);

/* tcgen05's 32-bit instruction descriptor: its fields by kind. */
typedef enum tma_idesc_kind {
    TMA_IDESC_KIND_F16 = 0, /* .kind::f16 */
    TMA_IDESC_KIND_TF32 = 1,
    TMA_IDESC_KIND_F8F6F4 = 2,
    TMA_IDESC_KIND_I8 = 3,
    TMA_IDESC_KIND_MXF8F6F4 = 4,
    TMA_IDESC_KIND_MXF4 = 5, /* and .kind::mxf4nvf4 */
    TMA_IDESC_KINDS
} tma_idesc_kind;

typedef struct tma_idesc_field {
    const char *name; /* null: none */
    const char *meaning;
    uint8_t bit;
    uint8_t width_bit;
    uint8_t shift;
    uint8_t kinds; /* bit n: kind n has it */
} tma_idesc_field;

/* One field of a kind's instruction descriptor; its name is null after the last field. */
TMA_EXPORT tma_idesc_field tma_idesc_field_at(uint32_t kind, size_t index);
/* The field of this name; the answer's name is null if the kind has no such field. */
TMA_EXPORT tma_idesc_field tma_idesc_field_find(uint32_t kind, const char *name);
/* The number that a field stands for: 128 for N, where the field stores 16. */
TMA_EXPORT uint32_t tma_idesc_read(uint32_t idesc, tma_idesc_field field);
/* Writes that number. TMA_INVALID, and *idesc stays unchanged, if it does not fit. */
TMA_EXPORT TMA_MUST_USE tma_status tma_idesc_write(uint32_t *idesc, tma_idesc_field field,
                                                   uint32_t number);
/* The tma_mma_type_id that a number in a_type or b_type stands for; TMA_MMA_TYPES: none. */
TMA_EXPORT uint32_t tma_idesc_type(uint32_t kind, uint32_t number);
/* The bits that belong to no field of the kind. */
TMA_EXPORT uint32_t tma_idesc_unowned(uint32_t kind);

/* What sources of tcgen05's descriptors read otherwise: mma_readings.def. */
typedef enum tma_mma_reading_id {
#define TMA_MMA_READING(id, ...) TMA_MMA_READING_##id,
#include "mma_readings.def"
    TMA_MMA_READINGS
} tma_mma_reading_id;

/* The questions one by one, and the readings of one, its default first; null for an index that is
 * too large. No question has a rule (tma_reading.rule is 0). */
TMA_EXPORT const tma_reading *tma_mma_reading_at(size_t index);
TMA_EXPORT const tma_reads *tma_mma_reads_at(size_t reading, size_t value);

/* tcgen05.mma.ws's zero-column mask: columns of the product for which B counts as zeros. The mask
 * has a part for each 128 / m of the columns. */
typedef struct tma_mma_zero_mask {
    uint32_t start_el[4] TMA_ZERO; /* of a part: columns that its pattern begins later, 0..255 */
    uint32_t first_is_zeros[4] TMA_ZERO; /* 1: the pattern begins with zeros */
    uint32_t has_zeros TMA_ZERO;         /* 0: no column is zeros */
    uint32_t skip_span_el TMA_ZERO;      /* columns in a row, 1..256; see zero-mask-spans */
    uint32_t use_span_el TMA_ZERO;
    uint32_t shift_el TMA_ZERO; /* the first column of B that is read; at most 32, with m 32 16 */
    uint32_t reserved[4] TMA_ZERO; /* 0 */
} tma_mma_zero_mask;

/* Makes the 64 bits. TMA_INVALID, and *out stays unchanged, for null and for a number that does not
 * fit its field, spans of 0 and a shift above 32 included. */
TMA_EXPORT TMA_MUST_USE tma_status tma_mma_zero_mask_encode(uint64_t *out,
                                                            const tma_mma_zero_mask *mask);
/* Reads 64 bits; TMA_INVALID for null. Bits that belong to no field are lost. */
TMA_EXPORT TMA_MUST_USE tma_status tma_mma_zero_mask_decode(tma_mma_zero_mask *out, uint64_t bits);
/* One field of it; its name is null after the last. */
TMA_EXPORT tma_mma_field tma_mma_zero_mask_field_at(size_t index);
/* The bits that belong to no field. */
TMA_EXPORT uint64_t tma_mma_zero_mask_unowned(void);

/* What is odd or wrong about 64 bits in an instruction with m rows: bit n for rule n of
 * mma_rules.def, as tma_mma_judge() has it. */
TMA_EXPORT TMA_MUST_USE uint32_t tma_mma_zero_mask_judge(uint64_t bits, uint32_t m_el);

#define TMA_MMA_ZEROS UINT32_MAX

/* The column of B that a column of an m by n product is made of, or TMA_MMA_ZEROS where zeros
 * replace it. TMA_MMA_ZEROS also for null, an m that is not 32, 64 or 128, an n that the parts do
 * not divide and a column that does not exist. `readings` as in tma_mma_operand. */
TMA_EXPORT uint32_t tma_mma_zero_mask_column(const tma_mma_zero_mask *mask, uint32_t readings,
                                             uint32_t m_el, uint32_t n_el, uint32_t column);

#ifdef __cplusplus
}
#endif
#endif
