/* SPDX-License-Identifier: Apache-2.0
 *
 * A quick yes: a filter almost without branches that is true only for maps that no rule refuses.
 * What it leaves open goes through the rules, so it may be narrower than they are, never wider;
 * tests/rules/test_accept.c holds it against them.
 */
#include "check_internal.h"
#include "geometry.h"
#include "traits.h"

/* What the entries of a spec's arrays have in common: ored together, so that one look at the bits
 * beyond a limit sees whether any entry has them. "Less one" makes a 0 all bits. The functions
 * below leave in dims_el, boxes_el and corners_px only what is beyond. */
typedef struct gathered {
    uint64_t strides_B;
    uint64_t dims_el;         /* less one */
    uint32_t element_strides; /* less one */
    uint32_t boxes_el;        /* less one; channels and pixels too */
    uint32_t corners_px;      /* plus half their range, which makes them unsigned */
    uint32_t extents_px;      /* of bounding boxes, less one */
    uint64_t counted_el;      /* not ored: the elements that word 16 counts */
} gathered;

/* Dimension i of any map. These three are inlined with i a constant. */
static inline void gather_dimension(gathered *g, const tma_spec *s, uint32_t i) {
    g->dims_el |= s->dim_el[i] - 1;
    g->element_strides |= s->element_stride[i] - 1;
    if (i > 0) {
        g->strides_B |= s->stride_B[i - 1];
    }
}

static inline void gather_tile(gathered *g, const tma_spec *s, uint32_t i) {
    gather_dimension(g, s, i);
    g->boxes_el |= s->box_el[i] - 1;
    g->counted_el *= s->element_stride[i] == 1 ? s->box_el[i]
                                               : tma_box_steps(s->box_el[i], s->element_stride[i]);
}

static inline void gather_corner(gathered *g, const tma_spec *s, uint32_t i, uint32_t half) {
    const uint32_t dim_el = (uint32_t)s->dim_el[s->interleave ? i : i + 1];
    const uint32_t lower = (uint32_t)s->lower_px[i];
    const uint32_t upper = (uint32_t)s->upper_px[i];
    g->corners_px |= (lower + half) | (upper + half);
    g->extents_px |= dim_el + upper - lower - 1;
}

static inline void gather_tiled(gathered *g, const tma_spec *s) {
    g->counted_el = 1;
    switch (s->rank) {
    case 5:
        gather_tile(g, s, 4);
        /* fall through */
    case 4:
        gather_tile(g, s, 3);
        /* fall through */
    case 3:
        gather_tile(g, s, 2);
        /* fall through */
    case 2:
        gather_tile(g, s, 1);
        /* fall through */
    default:
        gather_tile(g, s, 0);
    }
    g->dims_el /= TMA_VALUE(DIM_TEXT);
    g->boxes_el /= TMA_VALUE(BOX);
}

/* Half the range of a corner. */
#define HALF(id) (1u << (TMA_VALUE(id) - 1))

static inline void gather_im2col(gathered *g, const tma_spec *s) {
    uint32_t width_bit = TMA_VALUE(CORNER_3D);
    gather_dimension(g, s, 0);
    gather_dimension(g, s, 1);
    gather_dimension(g, s, 2);
    /* a wide map's H and D corners are 0: nothing is beyond, as its sizes are not */
    if (s->rank == 3) {
        gather_corner(g, s, 0, HALF(CORNER_3D));
    } else if (s->rank == 4) {
        width_bit = TMA_VALUE(CORNER_4D);
        gather_dimension(g, s, 3);
        gather_corner(g, s, 0, HALF(CORNER_4D));
        if (s->api != TMA_API_WIDE) {
            gather_corner(g, s, 1, HALF(CORNER_4D));
        }
    } else {
        width_bit = TMA_VALUE(CORNER_5D);
        gather_dimension(g, s, 3);
        gather_dimension(g, s, 4);
        gather_corner(g, s, 0, HALF(CORNER_5D));
        if (s->api != TMA_API_WIDE) {
            gather_corner(g, s, 1, HALF(CORNER_5D));
            gather_corner(g, s, 2, HALF(CORNER_5D));
        }
    }
    g->corners_px >>= width_bit;
    g->dims_el /=
        TMA_VALUE(DIM) / 4; /* from there on sums with corners may wrap: left to the rules */
    g->boxes_el = (s->channels_per_pixel - 1) / TMA_VALUE(CHANNELS) |
                  (s->pixels_per_column - 1) / TMA_VALUE(PIXELS);
    g->counted_el = (uint64_t)s->channels_per_pixel * s->pixels_per_column;
}

/* Sets of element types and of swizzles, a bit for each driver's number. */
enum {
    PLAIN_TYPES = 0
#define TMA_DTYPE_ROWS(id, name, cuda, ptx, imm, stored, evidence, bits, mantissa, traits, ...)    \
    | ((traits)&TMA_TRAIT_PACKED ? 0 : 1 << TMA_DTYPE_##id)
#include "tma/enums.def"
    ,
    FLOAT_TYPES = 0
#define TMA_DTYPE_ROWS(id, name, cuda, ptx, imm, stored, evidence, bits, mantissa, traits, ...)    \
    | ((traits)&TMA_TRAIT_FLOAT ? 1 << TMA_DTYPE_##id : 0)
#include "tma/enums.def"
    ,
    PLAIN_SWIZZLES = 0
#define TMA_SWIZZLE_ROWS(id, name, cuda, ptx, imm, stored, evidence, atom, span, repeat, align,    \
                         traits, ...)                                                              \
    | ((traits) & (TMA_TRAIT_ATOM | TMA_TRAIT_NO_CALL) ? 0 : 1 << (TMA_SWIZZLE_##id & 31))
#include "tma/enums.def"
    ,
    CALLED_SWIZZLES = 0
#define TMA_SWIZZLE_ROWS(id, name, cuda, ptx, imm, stored, evidence, atom, span, repeat, align,    \
                         traits, ...)                                                              \
    | ((traits)&TMA_TRAIT_NO_CALL ? 0 : 1 << (TMA_SWIZZLE_##id & 31))
#include "tma/enums.def"
    ,
    NO_WIDE_SWIZZLES = 0
#define TMA_SWIZZLE_ROWS(id, name, cuda, ptx, imm, stored, evidence, atom, span, repeat, align,    \
                         traits, ...)                                                              \
    | (((traits) & (TMA_TRAIT_ATOM | TMA_TRAIT_WIDE_CALL)) == TMA_TRAIT_ATOM                       \
           ? 1 << (TMA_SWIZZLE_##id & 31)                                                          \
           : 0)
#include "tma/enums.def"
};

/* How many numbers from 0 on are in a set: one comparison for what is mostly asked. */
#define HAS_FIRST(set, n) ((((set) + 1) & ((2 << (n)) - 1)) == 0)
#define FIRST_OF(set)                                                                              \
    (HAS_FIRST(set, 0) + HAS_FIRST(set, 1) + HAS_FIRST(set, 2) + HAS_FIRST(set, 3) +               \
     HAS_FIRST(set, 4) + HAS_FIRST(set, 5) + HAS_FIRST(set, 6) + HAS_FIRST(set, 7) +               \
     HAS_FIRST(set, 8) + HAS_FIRST(set, 9) + HAS_FIRST(set, 10) + HAS_FIRST(set, 11) +             \
     HAS_FIRST(set, 12) + HAS_FIRST(set, 13) + HAS_FIRST(set, 14) + HAS_FIRST(set, 15))

_Static_assert((TMA_VALUE(ALIGN) & (TMA_VALUE(ALIGN) - 1)) == 0 &&
                   (TMA_VALUE(ALIGN_32B) & (TMA_VALUE(ALIGN_32B) - 1)) == 0,
               "limits.def: alignments are powers of two");

/* Enumerations and rank in their ranges. Packed types have rules of their own, 96B too. */
static inline int in_range(const tma_spec *s, const tma_arch_row *arch, uint32_t driver) {
    return s->api <= TMA_API_WIDE && s->rank - 1 < TMA_MAX_RANK &&
           (s->rank >= TMA_VALUE(RANK_SLICED) || (s->api == TMA_API_TILED && !s->interleave)) &&
           s->dtype < FIRST_OF(PLAIN_TYPES) && s->interleave <= TMA_INTERLEAVE_32B &&
           (s->swizzle < FIRST_OF(PLAIN_SWIZZLES) ||
            (s->swizzle < FIRST_OF(CALLED_SWIZZLES) && arch->features & TMA_FEATURE_PACKED)) &&
           s->l2 <= TMA_L2_256B &&
           (s->fill == TMA_FILL_NONE || (s->fill == TMA_FILL_NAN && FLOAT_TYPES >> s->dtype & 1)) &&
           (s->api != TMA_API_WIDE ||
            (s->wide_mode <= TMA_WIDE_W128 && driver >= TMA_VALUE(WIDE_DRIVER) &&
             !(NO_WIDE_SWIZZLES >> s->swizzle & 1)));
}

uint32_t tma_accepts_quickly(const tma_spec *s, const tma_arch_row *arch, uint32_t driver) {
    static const uint8_t size_B[TMA_DTYPES] = {
#define TMA_DTYPE_ROWS(id, name, cuda, ptx, imm, stored, evidence, bits, ...)                      \
    [TMA_DTYPE_##id] = (bits) / 8,
#include "tma/enums.def"
    };
    static const uint16_t span_B[TMA_SWIZZLE_NUMBERS] = {
#define TMA_SWIZZLE_ROWS(id, name, cuda, ptx, imm, stored, evidence, atom, span, ...)              \
    [TMA_SWIZZLE_##id] = (span) ? (span) : UINT16_MAX,
#include "tma/enums.def"
    };
    gathered g = {0};
    uint32_t inner_B = 0;
    if (!in_range(s, arch, driver)) {
        return TMA_NOT_QUICKLY;
    }
    if (s->api == TMA_API_TILED) {
        gather_tiled(&g, s);
        inner_B = s->box_el[0] * size_B[s->dtype];
    } else {
        gather_im2col(&g, s);
        inner_B = s->channels_per_pixel * size_B[s->dtype];
    }
    const uint64_t align =
        (s->interleave == TMA_INTERLEAVE_32B ? TMA_VALUE(ALIGN_32B) : TMA_VALUE(ALIGN)) - 1u;
    const uint64_t copy_B = g.counted_el * size_B[s->dtype];
    const uint64_t bad = tma_reserved_bits(s) | ((s->address | g.strides_B) & align) |
                         (inner_B & (TMA_VALUE(ALIGN) - 1u)) | s->address / TMA_VALUE(ADDRESS) |
                         g.strides_B / TMA_VALUE(STRIDE) | g.element_strides / TMA_VALUE(STEP) |
                         g.boxes_el | g.corners_px | g.extents_px >> 31;
    const int fits = s->interleave || inner_B <= span_B[s->swizzle];
    const int dims_fit = !g.dims_el || (s->api == TMA_API_TILED && driver < TMA_VALUE(DIM_DRIVER) &&
                                        g.dims_el < TMA_VALUE(DIM) / TMA_VALUE(DIM_TEXT));
    return !bad && dims_fit && fits && copy_B <= TMA_VALUE(BOX_BYTES) ? (uint32_t)copy_B
                                                                      : TMA_NOT_QUICKLY;
}
