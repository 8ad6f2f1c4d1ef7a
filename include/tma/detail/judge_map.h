/* SPDX-License-Identifier: Apache-2.0
 *
 * The half of judge.h that looks at the map: what it says, what the hardware asks of it, whether it
 * takes the instruction. As judge.h in all else.
 */
#ifndef TMA_JUDGE_MAP_H
#define TMA_JUDGE_MAP_H

#include "../check.h"
#include "../instruction.h"
#include "../layout.h"
#include "../map.h"
#include "conditions.h"

/* The parts of the judgement that are long: a kernel has them as functions, for few registers. */
#ifndef TMA_JUDGE_STAGE
#define TMA_JUDGE_STAGE TMA_CONDITION
#endif

/* Before a loop that is better not unrolled, for few instructions. */
#ifndef TMA_JUDGE_ROLLED
#define TMA_JUDGE_ROLLED
#endif

/* The instruction, and the target that it was compiled for (tma_arch_of()). */
typedef struct tma_judge_site {
    uint64_t features; /* TMA_FEATURE_* of the target */
    uint32_t op;       /* tma_op */
    uint32_t mode;     /* tma_mode */
    uint32_t rank;     /* the N of .Nd; 0: the map's */
    uint32_t cluster;  /* a load to .shared::cluster */
    uint32_t cta_group;
    uint32_t multicast; /* not 0: with a mask of CTAs */
} tma_judge_site;

/* Its operands. */
typedef struct tma_judge_at {
    int32_t coord[TMA_MAX_RANK];
    uint32_t offset[2]; /* im2colInfo of the wide modes: wHalo and wOffset */
    uint32_t shared_address;
    uint32_t window_end; /* one past the last shared address of a CTA; 0: not known, not asked */
    uint32_t cta_mask;   /* .multicast::cluster */
    uint32_t ctas;       /* of the cluster, or 0: not known, the mask is not asked for */
    uint32_t barrier;    /* of a load; TMA_JUDGE_NO_BARRIER: not known, not asked */
} tma_judge_at;

#define TMA_JUDGE_NO_BARRIER UINT32_MAX

/* What is wrong: the members of a tma_finding that a rule does not give. */
typedef struct tma_judge_fault {
    uint32_t status; /* tma_status; TMA_OK: it runs */
    uint32_t rule;   /* tma_rule_id */
    int32_t index;
    uint32_t relation; /* tma_relation */
    uint32_t unit;     /* tma_unit */
    uint64_t given;
    uint64_t value;
    uint64_t limit;
    /* Of a copy that runs: what the next one with the same map and instruction may be compared
     * with instead of being judged, or 0: TMA_PASSES() of judge.h. */
    uint32_t pass;
} tma_judge_fault;

/* What the map's fields say, the target's eyes looking. */
typedef struct tma_judge_map {
    const void *map;
    uint64_t address;
    uint64_t odd; /* TMA_ODD_*, those that matter */
    uint32_t rank;
    uint32_t interleave;
    uint32_t dtype;
    uint32_t swizzle;
    uint32_t fill;
    uint32_t inner_el;
    int tiled;
    tma_type_traits type;
    tma_type_traits taken; /* the type as the operation takes it */
    uint32_t coord_el;     /* of a padded type: what coordinate 0 is a multiple of */
    tma_swizzle_traits has;
} tma_judge_map;

TMA_CONDITION int tma_judge_is_load(uint32_t op) {
    return op == TMA_OP_LOAD || op == TMA_OP_PREFETCH;
}

TMA_CONDITION int tma_judge_is_rows4(uint32_t mode) {
    return mode == TMA_MODE_GATHER4 || mode == TMA_MODE_SCATTER4;
}

TMA_CONDITION int tma_judge_is_im2col(uint32_t mode) {
    return mode == TMA_MODE_IM2COL || mode >= TMA_MODE_IM2COL_W;
}

/* --- saying so --- */

/* NOLINTBEGIN(bugprone-branch-clone,readability-function-size): a case for each row of a table */

/* What the hardware does by a rule's row, as tma_plan_make() answers it. */
TMA_CONDITION uint32_t tma_judge_status(uint32_t rule) {
    switch (rule) {
#define TMA_JUDGE_KILLS     TMA_TRAP
#define TMA_JUDGE_MISALIGNS TMA_TRAP
#define TMA_JUDGE_LAUNCH    TMA_TRAP
#define TMA_JUDGE_LEAVES    TMA_MEMORY
#define TMA_JUDGE_PTXAS     TMA_PTXAS
#define TMA_JUDGE_INVALID   TMA_INVALID
#define TMA_JUDGE_NOTHING   TMA_UNKNOWN
#define TMA_JUDGE_UNKNOWN   TMA_UNKNOWN
#define TMA_JUDGE_CUTS      TMA_UNKNOWN
#define TMA_RULE(number, id, name, severity, hardware, ...)                                        \
    case number:                                                                                   \
        return TMA_JUDGE_##hardware;
#include "../rules.def"
#include "../traps.def"
#undef TMA_RULE
#undef TMA_JUDGE_KILLS
#undef TMA_JUDGE_MISALIGNS
#undef TMA_JUDGE_LAUNCH
#undef TMA_JUDGE_LEAVES
#undef TMA_JUDGE_PTXAS
#undef TMA_JUDGE_INVALID
#undef TMA_JUDGE_NOTHING
#undef TMA_JUDGE_UNKNOWN
#undef TMA_JUDGE_CUTS
    default:
        return TMA_UNKNOWN;
    }
}

/* NOLINTEND(bugprone-branch-clone,readability-function-size) */

TMA_CONDITION int tma_judge_as(tma_judge_fault *out, uint32_t status, uint32_t rule, int index,
                               uint64_t given, uint32_t relation, uint32_t unit, uint64_t value,
                               uint64_t limit) {
    out->status = status;
    out->rule = rule;
    out->index = index;
    out->relation = relation;
    out->unit = unit;
    out->given = given;
    out->value = value;
    out->limit = limit;
    return 1;
}

/* 1: stop. The rule's argument; TMA_JUDGE_NOT: the value itself is what must not be. */
#define TMA_JUDGE_STOP(rule, index, given, relation, unit, value, limit)                           \
    tma_judge_as(out, tma_judge_status(rule), rule, index, (uint64_t)(given), relation, unit,      \
                 (uint64_t)(value), (uint64_t)(limit))
#define TMA_JUDGE_NOT(rule, given)                                                                 \
    TMA_JUDGE_STOP(rule, -1, given, TMA_MUST_NOT_BE, TMA_UNIT_NONE, given, given)
#define TMA_JUDGE_NOT_AS(status, rule, given)                                                      \
    tma_judge_as(out, status, rule, -1, given, TMA_MUST_NOT_BE, TMA_UNIT_NONE, given, given)

/* --- reading the map --- */

/* NOLINTBEGIN(readability-function-size): a case for each row of a table */

/* Data type and traits of an element code and the TF32 flag; a flag on a type that has it not is
 * forgotten, a code without a type is none: bits 0. */
TMA_CONDITION void tma_judge_element(tma_judge_map *m, uint32_t code, uint32_t tf32) {
    for (uint32_t flag = tf32;; flag = 0) {
        switch (code | flag << TMA_LAYOUT_ELEMENT_WIDTH) {
#define TMA_DTYPE_ROWS(id, name, cuda, ptx, imm, stored, evidence, bits_, mantissa, traits_,       \
                       granule, group, group_shared)                                               \
    case (stored) | (((traits_)&TMA_TRAIT_TF32) != 0) << TMA_LAYOUT_ELEMENT_WIDTH:                 \
        m->dtype = TMA_DTYPE_##id;                                                                 \
        m->type.bits = (bits_);                                                                    \
        m->type.traits = (traits_);                                                                \
        m->type.granule_el = (granule);                                                            \
        m->type.group_el = (group);                                                                \
        m->type.group_shared_B = (group_shared);                                                   \
        return;
#include "../enums.def"
        default:
            break;
        }
        if (!flag) {
            m->odd |= TMA_ODD_ELEMENT;
            m->dtype = UINT8_MAX;
            return;
        }
        m->odd |= TMA_ODD_TF32_FLAG;
    }
}

/* NOLINTEND(readability-function-size) */

/* The type as stores of this target take it. */
TMA_CONDITION void tma_judge_taken(tma_judge_map *m, const tma_judge_site *site) {
    m->taken = m->type;
    m->coord_el = m->type.granule_el;
    if (!(site->features & TMA_FEATURE_STORE_HALVES) || site->op != TMA_OP_STORE) {
        return;
    }
#define TMA_DTYPE_HALVES_ROWS(id, name, cuda, ptx, imm, stored, evidence, bits_, mantissa,         \
                              traits_, granule, group, group_shared)                               \
    if (m->dtype == TMA_DTYPE_##id) {                                                              \
        m->taken.traits = (traits_);                                                               \
        m->taken.granule_el = (granule);                                                           \
        m->coord_el = tma_coord_granule(&m->taken, site->features);                                \
    }
#include "../enums.def"
}

/* The 96-byte bit goes before mode and atomicity, the mode before an atomicity that it has not. */
TMA_CONDITION void tma_judge_swizzle(tma_judge_map *m, uint32_t is_96B, uint32_t atomicity,
                                     uint32_t mode) {
    m->swizzle = TMA_SWIZZLE_NONE; /* the rows have every other one */
    m->has.span_B = 0;
    m->has.align_B = TMA_VALUE(SHARED_ALIGN);
    m->has.traits = 0;
    for (int try_ = 0; try_ < 2; try_++) {
        if (try_) {
            atomicity = 0;
            mode = is_96B ? 0 : mode;
        }
        switch (is_96B << (TMA_LAYOUT_SWIZZLE_WIDTH + TMA_LAYOUT_ATOMICITY_WIDTH) |
                atomicity << TMA_LAYOUT_SWIZZLE_WIDTH | mode) {
#define TMA_SWIZZLE_ROWS(id, name, cuda, ptx, imm, stored, evidence, atom, span, repeat, align,    \
                         traits_, ...)                                                             \
    case (TMA_SWIZZLE_##id == TMA_SWIZZLE_96B)                                                     \
            << (TMA_LAYOUT_SWIZZLE_WIDTH + TMA_LAYOUT_ATOMICITY_WIDTH) |                           \
        (atom) << TMA_LAYOUT_SWIZZLE_WIDTH | (stored):                                             \
        m->swizzle = TMA_SWIZZLE_##id;                                                             \
        m->has.span_B = (span);                                                                    \
        m->has.align_B = (align);                                                                  \
        m->has.traits = (traits_);                                                                 \
        return;
#include "../enums.def"
        default:
            break;
        }
    }
}

/* A stored number as the driver has it; what no row has is ~0. */
#define TMA_JUDGE_DRIVER(n, c, p, driver, i, stored, e)                                            \
    if (value == (uint32_t)(stored)) {                                                             \
        return (uint32_t)(driver);                                                                 \
    }
TMA_CONDITION uint32_t tma_judge_interleave(uint32_t value) {
#define TMA_INTERLEAVE_ROWS TMA_JUDGE_DRIVER
#include "../enums.def"
    return value;
}

TMA_CONDITION uint32_t tma_judge_fill(uint32_t value) {
#define TMA_FILL_ROWS TMA_JUDGE_DRIVER
#include "../enums.def"
    return value;
}
#undef TMA_JUDGE_DRIVER

/* sm_90 does not look at the address's bits from 57 on, nor at what is Blackwell's. */
TMA_JUDGE_STAGE void tma_judge_read(tma_judge_map *m, const void *map, const tma_judge_site *site) {
    const int newer = (site->features & TMA_FEATURE_PACKED) != 0;
    m->map = map;
    m->odd = 0;
    m->type.bits = m->type.traits = m->type.granule_el = m->type.group_el = 0;
    m->type.group_shared_B = 0;
    m->address = tma_layout_address(map);
    m->address &= newer ? UINT64_MAX : TMA_VALUE(ADDRESS) - 1;
    m->tiled = tma_layout_is_tiled(map);
    m->rank = tma_layout_rank(map);
    m->interleave = tma_judge_interleave(TMA_LAYOUT_GET(map, INTERLEAVE, 0));
    m->fill = tma_judge_fill(TMA_LAYOUT_GET(map, FILL, 0));
    m->inner_el = m->tiled ? tma_layout_box_el(map, 0) : tma_layout_channels(map);
    tma_judge_element(m, TMA_LAYOUT_GET(map, ELEMENT, 0), TMA_LAYOUT_GET(map, TF32, 0));
    tma_judge_taken(m, site);
    tma_judge_swizzle(m, newer ? TMA_LAYOUT_GET(map, SWIZZLE_96B, 0) : 0,
                      newer ? TMA_LAYOUT_GET(map, ATOMICITY, 0) : 0,
                      TMA_LAYOUT_GET(map, SWIZZLE, 0));
}

/* --- the map --- */

TMA_JUDGE_STAGE int tma_judge_codes(tma_judge_fault *out, const tma_judge_map *m,
                                    uint64_t features) {
    uint64_t kills = 0;
    if (m->rank > TMA_VALUE(RANK) || (!m->tiled && m->rank < TMA_VALUE(RANK_SLICED)) ||
        tma_rank_sliced(m->rank, m->tiled, m->interleave)) {
        kills |= TMA_ODD_RANK;
    }
    if (m->interleave > TMA_INTERLEAVE_32B) {
        kills |= TMA_ODD_INTERLEAVE;
    }
    if (!(features & TMA_FEATURE_PACKED) && (m->type.bits == 0 || m->type.bits % 8)) {
        kills |= TMA_ODD_ELEMENT;
    }
    if (kills) {
        return TMA_JUDGE_NOT(TMA_RULE_TRAP_MAP_CODE, kills);
    }
    if (m->odd & TMA_ODD_ELEMENT || (m->type.bits % 8 && m->interleave)) {
        const uint64_t odd = m->odd & TMA_ODD_ELEMENT;
        return TMA_JUDGE_STOP(TMA_RULE_MAP_UNREADABLE, -1, odd, TMA_MUST_NOT_BE, TMA_UNIT_NONE, odd,
                              0);
    }
    return 0;
}

TMA_CONDITION int tma_judge_tensor(tma_judge_fault *out, const tma_judge_map *m) {
    const uint32_t align_B = tma_align_B(m->interleave);
    if (tma_off_multiple(m->address, align_B)) {
        return TMA_JUDGE_STOP(TMA_RULE_TRAP_ADDRESS_ALIGN, -1, m->address, TMA_MUST_BE_MULTIPLE_OF,
                              TMA_UNIT_ADDRESS, m->address, align_B);
    }
    for (uint32_t i = 0; i < m->rank; i++) {
        const uint64_t dim_el = tma_layout_dim_el(m->map, i);
        if (tma_dim_kills(dim_el)) {
            return TMA_JUDGE_STOP(TMA_RULE_DIM_SIGNED, (int)i, dim_el, TMA_MUST_BE_AT_MOST,
                                  TMA_UNIT_EL, dim_el, TMA_VALUE(COPIED_DIM));
        }
    }
    for (uint32_t i = 1; i < m->rank; i++) {
        const uint64_t stride_B = tma_layout_stride_B(m->map, i);
        if (tma_off_multiple(stride_B, align_B)) {
            return TMA_JUDGE_STOP(TMA_RULE_TRAP_STRIDE_ALIGN, (int)i - 1, stride_B,
                                  TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_B, stride_B, align_B);
        }
    }
    return 0;
}

/* Maps of 4- and 6-bit types. */
TMA_CONDITION int tma_judge_packed(tma_judge_fault *out, const tma_judge_map *m) {
    const tma_type_traits *type = &m->taken;
    const uint64_t dim_el = tma_layout_dim_el(m->map, 0);
    if (tma_nan_packed(m->fill, type)) {
        return TMA_JUDGE_NOT(TMA_RULE_FILL_NAN_PACKED, m->fill);
    }
    if (tma_off_padded(m->address, type)) {
        return TMA_JUDGE_STOP(TMA_RULE_ADDRESS_ALIGN_PACKED, -1, m->address,
                              TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_ADDRESS, m->address,
                              TMA_VALUE(ALIGN_32B));
    }
    for (uint32_t i = 1; i < m->rank; i++) {
        const uint64_t stride_B = tma_layout_stride_B(m->map, i);
        if (tma_off_padded(stride_B, type)) {
            return TMA_JUDGE_STOP(TMA_RULE_STRIDE_ALIGN_PACKED, (int)i - 1, stride_B,
                                  TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_B, stride_B,
                                  TMA_VALUE(ALIGN_32B));
        }
    }
    if (tma_dim_off_granule(dim_el, type)) {
        return TMA_JUDGE_STOP(TMA_RULE_DIM_PACKED, 0, dim_el, TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_EL,
                              dim_el, type->granule_el);
    }
    if (tma_row_not_padded(m->inner_el, type)) {
        return TMA_JUDGE_STOP(TMA_RULE_INNER_PACKED, m->tiled ? 0 : -1, m->inner_el, TMA_MUST_BE,
                              TMA_UNIT_EL, m->inner_el, type->granule_el);
    }
    if (tma_swizzle_not_padded(&m->has, type, 0)) {
        return TMA_JUDGE_NOT(TMA_RULE_SWIZZLE_PACKED, m->swizzle);
    }
    return 0;
}

TMA_CONDITION int tma_judge_row(tma_judge_fault *out, const tma_judge_map *m) {
    const tma_type_traits *type = &m->taken;
    const uint32_t bits = m->type.bits;
    const uint32_t row_B = m->inner_el * bits / 8;
    const int index = m->tiled ? 0 : -1;
    if (bits % 8) {
        if (tma_judge_packed(out, m)) {
            return 1;
        }
        if ((type->traits & (TMA_TRAIT_PADDED | TMA_TRAIT_HALVES)) == TMA_TRAIT_PADDED) {
            return 0;
        }
    }
    if (!m->interleave && tma_row_off_16B(m->inner_el, bits)) {
        return TMA_JUDGE_STOP(TMA_RULE_TRAP_ROW_16B, index, m->inner_el, TMA_MUST_BE_MULTIPLE_OF,
                              TMA_UNIT_B, row_B, TMA_VALUE(ALIGN));
    }
    if (tma_row_over_span(row_B, m->has.span_B, m->interleave)) {
        return TMA_JUDGE_STOP(TMA_RULE_TRAP_ROW_SPAN, index, m->inner_el, TMA_MUST_BE_AT_MOST,
                              TMA_UNIT_B, row_B, m->has.span_B);
    }
    return 0;
}

/* Rows of shared memory: how wide, how far apart, how many. */
typedef struct tma_judge_rows {
    uint32_t row_B;
    uint32_t pitch_B;
    uint64_t rows;
} tma_judge_rows;

TMA_JUDGE_STAGE tma_judge_rows tma_judge_rows_of(const tma_judge_map *m) {
    tma_judge_rows r;
    r.row_B = r.pitch_B = TMA_VALUE(SLICE) * m->interleave;
    if (!m->interleave) {
        r.row_B = tma_padded_B((uint32_t)((uint64_t)m->inner_el * m->type.bits / 8), &m->type);
        r.pitch_B = m->swizzle ? m->has.span_B : r.row_B;
    }
    r.rows = m->tiled ? 1 : tma_layout_pixels(m->map);
    for (uint32_t i = m->interleave ? 0 : 1; m->tiled && i < m->rank; i++) {
        const int slice = m->interleave && i + 2 == m->rank;
        r.rows *=
            slice ? 1
                  : tma_visited(tma_layout_box_el(m->map, i), tma_layout_element_stride(m->map, i));
    }
    return r;
}

TMA_JUDGE_STAGE int tma_judge_the_map(tma_judge_fault *out, const tma_judge_map *m,
                                      const tma_judge_site *site, const tma_judge_rows *rows) {
    const uint64_t footprint_B = rows->rows * rows->pitch_B;
    if (tma_judge_tensor(out, m) || tma_judge_row(out, m)) {
        return 1;
    }
    if (tma_over_shared(footprint_B, TMA_VALUE(WINDOW))) {
        return TMA_JUDGE_STOP(TMA_RULE_COPY_ROWS, -1, footprint_B, TMA_MUST_BE_AT_MOST, TMA_UNIT_B,
                              footprint_B, TMA_VALUE(WINDOW));
    }
    if (site->op == TMA_OP_LOAD && tma_nan_integer(m->fill, &m->type)) {
        return TMA_JUDGE_NOT(TMA_RULE_TRAP_FILL_INTEGER, m->dtype);
    }
    if (site->op == TMA_OP_LOAD && m->odd & TMA_ODD_TF32_FLAG) {
        return TMA_JUDGE_NOT(TMA_RULE_TRAP_TF32_FLAG, m->dtype);
    }
    return 0;
}

/* --- map and instruction. What the assembler refuses is plan_mode.c's. --- */

TMA_CONDITION int tma_judge_kind(tma_judge_fault *out, const tma_judge_map *m,
                                 const tma_judge_site *site) {
    const uint32_t wants = tma_judge_is_rows4(site->mode) ? 2 : m->rank;
    const uint32_t status = site->mode <= TMA_MODE_IM2COL ? TMA_TRAP : TMA_UNKNOWN;
    if (tma_judge_is_im2col(site->mode) == m->tiled) {
        return TMA_JUDGE_NOT_AS(status, TMA_RULE_MODE_MAP, site->mode);
    }
    if (site->rank && site->rank != wants) {
        return tma_judge_as(out, status, TMA_RULE_RANK_MAP, -1, site->rank, TMA_MUST_BE,
                            TMA_UNIT_NONE, site->rank, wants);
    }
    return 0;
}

TMA_CONDITION int tma_judge_direction(tma_judge_fault *out, const tma_judge_site *site) {
    if (site->mode == TMA_MODE_SCATTER4 && site->op != TMA_OP_STORE) {
        return TMA_JUDGE_NOT_AS(TMA_UNKNOWN, TMA_RULE_MODE_DIRECTION, site->mode);
    }
    return 0;
}

TMA_CONDITION int tma_judge_takes(tma_judge_fault *out, const tma_judge_map *m,
                                  const tma_judge_site *site) {
    if (tma_judge_is_rows4(site->mode) && (m->rank != 2 || m->interleave)) {
        return TMA_JUDGE_NOT(TMA_RULE_GATHER_MAP, m->rank);
    }
    if (tma_judge_is_rows4(site->mode) && tma_layout_box_el(m->map, 1) != 1) {
        const uint32_t box_el = tma_layout_box_el(m->map, 1);
        return TMA_JUDGE_STOP(TMA_RULE_GATHER_BOX, 1, box_el, TMA_MUST_BE, TMA_UNIT_EL, box_el, 1);
    }
    if (site->mode >= TMA_MODE_IM2COL_W &&
        (m->interleave || !(m->has.traits & TMA_TRAIT_WIDE_READ) ||
         (m->swizzle == TMA_SWIZZLE_96B && site->mode == TMA_MODE_IM2COL_W128))) {
        return TMA_JUDGE_NOT(TMA_RULE_WIDE_MAP, m->swizzle);
    }
    return 0;
}

TMA_JUDGE_STAGE int tma_judge_mode(tma_judge_fault *out, const tma_judge_map *m,
                                   const tma_judge_site *site) {
    return tma_judge_kind(out, m, site) || tma_judge_direction(out, site) ||
           tma_judge_takes(out, m, site);
}

TMA_JUDGE_STAGE int tma_judge_types(tma_judge_fault *out, const tma_judge_map *m,
                                    const tma_judge_site *site) {
    const int packed = (m->type.traits & TMA_TRAIT_PACKED) != 0;
    const int is_6_bit = tma_is_6_bit(&m->type);
    const int load = tma_judge_is_load(site->op);
    if (packed && site->op >= TMA_OP_ADD && site->op <= TMA_OP_XOR) {
        return TMA_JUDGE_NOT(TMA_RULE_PACKED_REDUCE, site->op);
    }
    if (m->type.traits & TMA_TRAIT_PADDED && !is_6_bit && !load) {
        return TMA_JUDGE_NOT(TMA_RULE_PACKED_STORE, site->op);
    }
    if ((packed || m->has.traits & TMA_TRAIT_ATOM) && site->cluster && site->op == TMA_OP_LOAD &&
        !(site->features & TMA_FEATURE_PACKED_CLUSTER)) {
        return TMA_JUDGE_NOT(TMA_RULE_PACKED_SPACE, site->op);
    }
    if ((m->has.traits & TMA_TRAIT_LOADS_ONLY && !load) ||
        (is_6_bit && m->has.traits & TMA_TRAIT_TAKES_6_BIT && load)) {
        return TMA_JUDGE_NOT(TMA_RULE_SWIZZLE_DIRECTION, m->swizzle);
    }
    return 0;
}

#endif
