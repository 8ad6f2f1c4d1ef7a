/* SPDX-License-Identifier: Apache-2.0
 *
 * How an MMA steps through shared memory, and how a copy's rows lie there, both as sums: an address
 * before the swizzle is a part that hangs on the major index and one that hangs on the other.
 */
#ifndef TMA_MMA_INTERNAL_H
#define TMA_MMA_INTERNAL_H

#include "geometry.h"
#include "tma/limits.def"
#include "tma/mma.h"
#include "traits.h"

#define TMA_MMA_UNIT_B     TMA_VALUE(MMA_STEP) /* both sides move so many bytes together */
#define TMA_MMA_GROUP_ROWS 8u                  /* rows between which an offset steps: PTX's 8 */
#define TMA_MMA_ATOM_ROWS  4u /* the same of 32-byte atoms: PTX table 55; CUTLASS, (T,8,m),(4,k) */
#define TMA_MMA_BASE_B     128u /* what a base offset counts: PTX, addr >> 7 */

static inline uint32_t tma_mma_span_B(uint32_t swizzle) {
    const uint32_t span_B = tma_swizzle_of(swizzle)->span_B;
    return span_B ? span_B : TMA_MMA_UNIT_B;
}

static inline uint32_t tma_mma_group_rows(uint32_t swizzle) {
    return swizzle == TMA_SWIZZLE_128B_ATOM_32B ? TMA_MMA_ATOM_ROWS : TMA_MMA_GROUP_ROWS;
}

/* The reading of a question that was chosen. */
static inline uint32_t tma_mma_reads(uint32_t readings, tma_mma_reading_id id) {
    return readings >> (uint32_t)id * TMA_READING_BITS & ((1u << TMA_READING_BITS) - 1);
}

/* Of 16 bytes: `unit` along the major index, `row` along the other one. */
static inline uint32_t tma_mma_read_unit(const tma_mma_descriptor *d, const tma_mma_operand *o,
                                         uint32_t unit) {
    const uint32_t major = o->major;
    const uint32_t span = tma_mma_span_B(d->swizzle) / TMA_MMA_UNIT_B;
    if (d->leading_absolute) { /* what no longer fits the start's 128 bytes begins at an address */
        const uint32_t first = span - d->start_B / TMA_MMA_UNIT_B % span;
        return unit < first ? unit * TMA_MMA_UNIT_B
                            : d->leading_B - d->start_B + (unit - first) * TMA_MMA_UNIT_B;
    }
    if (!d->swizzle) {
        return unit * (major == TMA_MMA_K_MAJOR ? d->leading_B : d->stride_B);
    }
    if (d->family == TMA_MMA_TCGEN05 && major == TMA_MMA_K_MAJOR &&
        tma_mma_reads(o->readings, TMA_MMA_READING_K_BEYOND_SPAN)) {
        return unit * TMA_MMA_UNIT_B;
    }
    return unit / span * d->leading_B + unit % span * TMA_MMA_UNIT_B;
}

static inline uint32_t tma_mma_read_row(const tma_mma_descriptor *d, uint32_t major, uint32_t row) {
    const uint32_t rows =
        major == TMA_MMA_K_MAJOR ? TMA_MMA_GROUP_ROWS : tma_mma_group_rows(d->swizzle);
    const uint32_t group_B = !d->swizzle && major != TMA_MMA_K_MAJOR ? d->leading_B : d->stride_B;
    return row / rows * group_B + row % rows * tma_mma_span_B(d->swizzle);
}

static inline uint32_t tma_mma_swizzled(const tma_mma_descriptor *d, uint32_t linear) {
    const tma_swizzle_bits bits = tma_swizzle_of(d->swizzle)->bits;
    return linear ^
           ((linear - d->base_offset * TMA_MMA_BASE_B) >> bits.shift & (uint32_t)bits.mask);
}

/* What copies leave: `panels` beside each other along the major index, each `rows` rows of
 * `row_units` units. */
typedef struct tma_mma_copy {
    uint32_t major0; /* the tile's element that is the first, */
    uint32_t row0;   /* by the major index and the other one */
    uint32_t start_B;
    uint32_t row_units;
    uint32_t rows;
    uint32_t pitch_B;
    uint32_t panels; /* of one copy */
    uint32_t copies;
    uint32_t step_B;
    uint32_t swizzle; /* tma_swizzle */
    tma_swizzle_bits bits;
} tma_mma_copy;

/* All copies of a tile: one that may stand for several in a row, or those that were placed. */
typedef struct tma_mma_fill {
    uint32_t count;
    uint32_t majors; /* elements of the tile in either direction */
    uint32_t rows;
    tma_mma_copy copy[TMA_MMA_PLACED];
} tma_mma_fill;

/* 0: the maps leave no tile, *why says why; the second one asks for elements of the operand too. */
int tma_mma_fill_of(tma_mma_fill *out, tma_mma_why *why, const tma_spec *spec,
                    const tma_mma_tile *tile, const tma_mma_operand *operand);
int tma_mma_tile_of(tma_mma_fill *out, tma_mma_why *why, const tma_spec *spec,
                    const tma_mma_tile *tile, const tma_mma_operand *operand);

/* The copy that brings an element of the tile; null: none. */
const tma_mma_copy *tma_mma_bringer(const tma_mma_fill *fill, const tma_mma_operand *operand,
                                    uint32_t major, uint32_t row);
/* The element of the tile at a shared address, if there is one. */
int tma_mma_element_at(tma_mma_difference *out, const tma_mma_fill *fill,
                       const tma_mma_operand *operand, uint32_t address);

/* Always 0. */
int tma_mma_refuse(tma_mma_why *why, uint32_t reason, uint32_t value, uint32_t limit);

/* Elements of the map in 16 bytes as a copy leaves them. */
uint32_t tma_mma_unit_el(const tma_spec *spec);

static inline uint32_t tma_mma_written_unit(const tma_mma_copy *c, uint32_t unit) {
    const uint32_t panel = unit / c->row_units;
    return panel / c->panels * c->step_B + panel % c->panels * c->rows * c->pitch_B +
           unit % c->row_units * TMA_MMA_UNIT_B;
}

static inline uint32_t tma_mma_units(const tma_mma_copy *c) {
    return c->row_units * c->panels * c->copies;
}

/* Before the swizzle: the 16 bytes of an element that the copy brings. */
static inline uint32_t tma_mma_written_at(const tma_mma_copy *c, uint32_t unit_el, uint32_t major,
                                          uint32_t row) {
    return c->start_B + tma_mma_written_unit(c, (major - c->major0) / unit_el) +
           (row - c->row0) * c->pitch_B;
}

int tma_mma_operand_known(const tma_mma_operand *operand);
uint32_t tma_mma_k_of(const tma_mma_operand *operand);

#endif
