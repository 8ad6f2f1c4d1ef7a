/* SPDX-License-Identifier: Apache-2.0
 *
 * Map and instruction to plan: all that does not depend on the coordinates.
 */
#include "check_internal.h"
#include "geometry.h"
#include "map_read.h"
#include "path_best.h"
#include "plan_internal.h"
#include "tma/detail/assert.h"
#include "tma/element.h"

#define CHUNK_B 16u

/* What of a map is known where it is a plain one (tma_is_plain_map()): no interleave, no groups.
 * What follows is made twice, once with that as constants. */
#define INLINE_TWICE static inline __attribute__((always_inline))

typedef struct known {
    uint32_t interleave;
    tma_type_traits type;
    int plain;
} known;

INLINE_TWICE known what_is_known(const tma_spec *s, const tma_type_traits *type, int plain) {
    if (!plain) {
        const known all = {s->interleave, *type, 0};
        return all;
    }
    const known some = {TMA_INTERLEAVE_NONE, {.bits = type->bits, .group_el = 1}, 1};
    return some;
}

/* ... which holds for the types whose elements are whole bytes. */
#define TMA_DTYPE_ROWS(id, name, cuda, ptx, imm, stored, evidence, bits, mantissa, traits,         \
                       granule, group, group_shared)                                               \
    _Static_assert((bits) % 8 || ((group) == 1 && (group_shared) == 0 &&                           \
                                  !((traits) & (TMA_TRAIT_PACKED | TMA_TRAIT_PADDED))),            \
                   "a type of whole bytes is in groups");
#include "tma/enums.def"

/* 4- and 6-bit types move in groups of 16: bytes in global memory, in shared memory, and of shared
 * memory that carry data. Stores of 6-bit elements read a byte an element (PTX 5.5.1.1). */
INLINE_TWICE void plan_groups(tma_plan *plan, const known *k) {
    const uint8_t unit_B = (uint8_t)tma_slice_B(k->interleave);
    const tma_type_traits *type = &k->type;
    plan->unit_B = unit_B;
    plan->group_el = unit_B ? 1 : type->group_el;
    plan->group_global_B = (uint8_t)(unit_B ? unit_B : type->group_el * type->bits / 8);
    plan->group_shared_B = plan->group_payload_B = plan->group_global_B;
    if (!unit_B && type->group_shared_B) {
        plan->group_shared_B = type->group_shared_B;
    }
    if (type->bits == 6 && plan->op == TMA_OP_STORE) {
        plan->group_payload_B = plan->group_shared_B;
    }
}

/* Rows of shared memory: their number, what each counts, and how far apart they are. */
INLINE_TWICE void plan_rows(tma_plan *plan, const tma_spec *s, const known *k) {
    const tma_layout row = tma_row_as(s, k->interleave, &k->type);
    const int tiled = s->api == TMA_API_TILED;
    uint64_t rows = tiled ? 1 : s->pixels_per_column;
    plan->row_el = row.row_el;
    plan->row_B = row.row_B;
    plan->row_shared_B = row.row_shared_B;
    plan->pitch_B = row.pitch_B;
    for (uint32_t i = plan->first; tiled && i < s->rank; i++) {
        rows *= plan->count[i];
    }
    if (tma_is_rows4(plan->mode)) {
        rows = 4;
    } else if (plan->mode == TMA_MODE_IM2COL_W128) {
        rows = TMA_VALUE(W128_PIXELS);
    }
    plan->rows = rows > UINT32_MAX ? UINT32_MAX : (uint32_t)rows; /* refused by any window */
    plan->tx_B = rows * plan->row_B;
    plan->pixels = tiled ? 0 : plan->rows;
}

/* Sizes, strides and counts; a decoded spec is 0 beyond its rank, and so is the plan. */
INLINE_TWICE void plan_dimensions(tma_plan *plan, const tma_spec *s, const known *k) {
    const uint32_t *const es = s->element_stride;
    memcpy(plan->dim_el, s->dim_el, sizeof(plan->dim_el));
    memcpy(plan->step_B + 1, s->stride_B, sizeof(s->stride_B));
    memcpy(plan->stride_el, s->element_stride, sizeof(plan->stride_el));
    memcpy(plan->lower_px, s->lower_px, sizeof(plan->lower_px));
    memcpy(plan->upper_px, s->upper_px, sizeof(plan->upper_px));
    plan->step_B[0] = k->interleave ? plan->unit_B : k->type.bits / 8;
    memcpy(plan->count, s->box_el, sizeof(plan->count)); /* what most boxes visit */
    if (s->api != TMA_API_TILED || k->interleave || (es[0] | es[1] | es[2] | es[3] | es[4]) != 1) {
        for (uint32_t i = 0; i < s->rank; i++) {
            plan->count[i] = s->api == TMA_API_TILED ? tma_tile_count(s, i) : 1;
        }
    }
}

/* The widest loops of this machine, for what they are made for: whole 16-byte chunks, rows that do
 * not overlap; of padded types whole groups, and where they are stored groups that end where a
 * 16-byte unit does. A driver makes no other maps; the reference runs them. */
INLINE_TWICE uint8_t path_for(const tma_plan *plan, const known *k) {
    const int padded = (k->type.traits & TMA_TRAIT_PADDED) != 0;
    const uint64_t whole_el = plan->op == TMA_OP_STORE ? 4u * plan->group_el : plan->group_el;
    const int plain =
        k->plain || (plan->row_B % CHUNK_B == 0 && plan->row_shared_B % CHUNK_B == 0 &&
                     plan->row_shared_B <= plan->pitch_B);
    const int usual = plain && plan->row_B <= TMA_ROW_LIMIT_B &&
                      (k->plain || !tma_reads_b4(plan)) && !(padded && plan->dim_el[0] % whole_el);
    return (uint8_t)(usual ? tma_path_best() : TMA_PATH_REFERENCE);
}

_Static_assert(sizeof(tma_plan) == TMA_PLAN_BYTES ||
                   (sizeof(void *) < 8 &&
                    sizeof(tma_plan) < TMA_PLAN_BYTES), /* i386 packs closer */
               "a plan's size is part of the interface");

const tma_plan_facts *tma_plan_info(const tma_plan *plan) {
    return plan;
}

tma_status tma_plan_set_path(tma_plan *plan, uint32_t path) {
    if (!plan || !tma_path_available(path)) {
        return TMA_INVALID;
    }
    if (plan->path != TMA_PATH_REFERENCE) {
        plan->path = (uint8_t)path;
    }
    return TMA_OK;
}

/* The tensor from its first byte to behind the last that a store may write. */
static void plan_extent(tma_plan *plan) {
    int fits = 1;
    uint64_t row_B = plan->unit_B ? plan->unit_B : (plan->dim_el[0] * plan->bits + 7) / 8;
    uint64_t end = tma_advance(plan->address, (row_B + CHUNK_B - 1) / CHUNK_B, CHUNK_B, &fits);
    for (uint32_t i = plan->first; i < plan->rank; i++) {
        end = tma_advance(end, plan->dim_el[i] - 1, plan->step_B[i], &fits);
    }
    plan->tensor_extent_B = fits ? end - plan->address : 0;
}

/* How far a box can start into the tensor and still be inside as a whole, so that such copies need
 * no edges. box_extent_B stays 0 where there is no such start. */
INLINE_TWICE void plan_whole_box(tma_plan *plan, const known *k) {
    uint64_t extent_B = plan->row_B;
    uint64_t reach_el = plan->row_el;
    uint64_t most = plan->address;
    int fits = 1;
    memset(plan->room_el, 0, sizeof(plan->room_el));
    plan->box_extent_B = 0;
    plan->coord0_mask = CHUNK_B * 8 / plan->bits - 1u;
    if (plan->mode != TMA_MODE_TILE || k->interleave || k->type.group_el > 1 ||
        plan->path == TMA_PATH_REFERENCE || plan->op == TMA_OP_PREFETCH) {
        return;
    }
    for (uint32_t i = 0; i < plan->rank; i++) {
        if (i) {
            reach_el = (plan->count[i] - 1) * (uint64_t)plan->stride_el[i] + 1;
            extent_B += (reach_el - 1) * plan->step_B[i]; /* below 2^11 * 2^40, four times */
        }
        if (plan->dim_el[i] < reach_el) {
            return; /* larger than the tensor: never inside */
        }
        plan->room_el[i] = plan->dim_el[i] - reach_el;
        most = tma_advance(most, plan->room_el[i], plan->step_B[i], &fits);
    }
    if (!fits || most + extent_B < most) {
        return; /* addresses beyond 64 bits */
    }
    plan->box_extent_B = extent_B;
}

/* What a copy of this kind stands on: gather4, scatter4, the wide modes, packed types, atomicities
 * and the 96-byte swizzle are mostly a document's words. */
INLINE_TWICE uint8_t standing_of(const tma_instruction *in, const tma_spec *s,
                                 const tma_arch_row *arch, const known *k) {
    const int packed = (k->type.traits & TMA_TRAIT_PACKED) != 0;
    if (in->mode > TMA_MODE_IM2COL || in->overrides || packed ||
        (!k->plain && tma_swizzle_has(s->swizzle, TMA_TRAIT_ATOM | TMA_TRAIT_NO_CALL))) {
        return TMA_STANDING_DOCUMENTED;
    }
    return (uint8_t)tma_standing_on(TMA_STANDING_HARDWARE, arch->sm, TMA_VALUE(SEEN_DRIVER));
}

INLINE_TWICE void plan_fill(tma_plan *plan, const tma_spec *s, const tma_type_traits *type,
                            const tma_instruction *in, const tma_arch_row *arch, int plain) {
    const known what = what_is_known(s, type, plain);
    TMA_ASSERT(s->rank >= 1 && s->rank <= TMA_MAX_RANK && type->bits && type->group_el);
    const known *const k = &what;
    plan->op = (uint8_t)in->op;
    plan->mode = (uint8_t)in->mode;
    plan->rank = (uint8_t)s->rank;
    plan->api = (uint8_t)s->api;
    plan->dtype = (uint8_t)s->dtype;
    plan->swizzle = (uint8_t)s->swizzle;
    plan->fill = (uint8_t)s->fill;
    plan->tf32 = (type->traits & TMA_TRAIT_TF32) != 0;
    plan->bits = type->bits;
    plan->first = k->interleave ? 0 : 1;
    plan->spatial = (uint8_t)(s->api == TMA_API_TILED ? 0 : s->rank - 2);
    plan->address = s->address;
    plan->swizzle_bits = tma_swizzle_of(s->swizzle)->bits;
    plan->sm = arch->sm;
    plan->cta_mask = (uint16_t)in->cta_mask;
    plan->cta_mask_high = (uint16_t)(in->cta_mask >> 16);
    plan->cta_group = (uint8_t)in->cta_group;
    plan->overrides = (uint8_t)in->overrides;
    plan->inspection = (uint8_t)in->inspection;
    plan->takes_negative =
        in->mode == TMA_MODE_SCATTER4 && (arch->features & TMA_FEATURE_PTX_94) != 0;
    plan->cluster = (uint8_t)in->cluster;
    plan->coord0_el = 0;
    if (k->type.traits & TMA_TRAIT_PADDED) {
        plan->coord0_el = (uint8_t)tma_coord_granule(
            tma_type_on(s->dtype, arch->features, in->op == TMA_OP_STORE), arch->features);
    }
    plan->standing = standing_of(in, s, arch, k);
    plan_groups(plan, k);
    plan_dimensions(plan, s, k);
    plan_rows(plan, s, k);
    plan->path = path_for(plan, k);
    plan->tensor_extent_B = 0;
    plan_whole_box(plan, k);
    if (plan->mode != TMA_MODE_TILE) {
        plan_extent(plan);
    }
}

/* Most copies of plain maps: no machine refuses them. The others are judged. */
static int certainly_runs(const tma_instruction *in, const tma_target *target, const tma_spec *s) {
    return !(target && target->ptx) && tma_is_plain_mode(in, s) &&
           (tma_is_load(in->op) ||
            (s->api == TMA_API_TILED &&
             (!tma_is_reduction(in->op) || tma_reduction_exists(in->op, s->dtype))));
}

tma_status tma_plan_make(tma_plan *plan, const uint8_t *map, const tma_instruction *instruction,
                         const tma_target *target, tma_finding *why) {
    const tma_arch_row *arch = tma_arch_of(target);
    tma_decoded decoded;
    tma_map seen;
    if (!plan || !map || !instruction) {
        return tma_null_fault(why, !plan ? TMA_ARG_PLAN : !map ? TMA_ARG_MAP : TMA_ARG_INSTRUCTION);
    }
    if (!tma_is_target(target, arch)) {
        return tma_target_fault(why, target);
    }
    tma_read_map(&decoded,
                 arch->features & TMA_FEATURE_PACKED ? map : tma_as_hopper_reads(map, &seen));
    const tma_spec *s = &decoded.spec;
    const tma_type_traits *const type = tma_type_of(s->dtype);
    const uint32_t bits = type->bits;
    const int plain = tma_is_plain_map(&decoded, bits);
    const tma_status status = plain && certainly_runs(instruction, target, s)
                                  ? TMA_OK
                                  : tma_plan_judge(map, instruction, target, arch, plain, why);
    if (status == TMA_OK) {
        plan->readings = target ? target->readings : 0;
        if (plain) {
            plan_fill(plan, s, type, instruction, arch, 1);
        } else {
            plan_fill(plan, s, type, instruction, arch, 0);
        }
        plan->lone_atomicity = (decoded.odd & TMA_ODD_ATOMICITY) != 0;
    }
    return status;
}
