/* SPDX-License-Identifier: Apache-2.0
 *
 * Spec to 128 bytes, as driver 13.0 was seen to write them.
 */
#include "check_internal.h"
#include "map_layout.h"
#include "map_write.h"
#include "shared.h"

/* Bits of word 2 for a data type, and those of an element. */
static const struct {
    uint32_t bits;
    uint32_t element_bit;
} elements[] = {
#define TMA_DTYPE_ROWS(name, cuda, ptx, driver, imm, stored, evidence, bits, nan)                  \
    {TMA_PUT(ELEMENT, stored) |                                                                    \
         TMA_PUT(TF32, (driver) == TMA_DTYPE_TFLOAT32 || (driver) == TMA_DTYPE_TFLOAT32_FTZ),      \
     bits},
#include "spec_enums.def"
#undef TMA_DTYPE_ROWS
};

/* Bits of word 2 for a swizzle, and word 18. */
static const struct {
    uint32_t bits;
    uint32_t repeat_B;
} swizzles[TMA_SWIZZLE_96B + 1] = {
#define TMA_SWIZZLE_ROWS(name, cuda, ptx, driver, imm, stored, evidence, atom, span, repeat)       \
    [driver] = {TMA_PUT(SWIZZLE, stored) | TMA_PUT(ATOMICITY, atom) |                              \
                    TMA_PUT(SWIZZLE_96B, (driver) == TMA_SWIZZLE_96B),                             \
                repeat},
#include "spec_enums.def"
#undef TMA_SWIZZLE_ROWS
};

/* Bit 21. Public sources say two things: drivers up to 13.1 look at the number of elements, later
 * ones at the memory that the tensor spans (release notes of driver 595.71.05: small tensors that
 * are not dense were marked large). Neither was seen by this project. */
#define LARGE_TENSOR_B   (UINT64_C(128) << 10)
#define DRIVER_BY_EXTENT 13020

static inline uint64_t at_most(uint64_t value, uint64_t limit) {
    return value < limit ? value : limit;
}

/* Sets bit 21 where it belongs. Sizes are cut to the limit on the way, so that no product leaves
 * 64 bits. Not inlined: most maps need none of it. */
static __attribute__((noinline)) void mark_large(uint8_t *map, const tma_spec *s, uint32_t driver) {
    uint64_t size_B = s->dim_el[0] * elements[s->dtype].element_bit / 8;
    for (uint32_t i = 1; i < s->rank; i++) {
        if (size_B >= LARGE_TENSOR_B) {
            break;
        }
        if (driver >= DRIVER_BY_EXTENT) {
            size_B += at_most(s->dim_el[i] - 1, LARGE_TENSOR_B) * s->stride_B[i - 1];
        } else {
            size_B *= s->dim_el[i];
        }
    }
    if (size_B >= LARGE_TENSOR_B) {
        tma_store32(map + 8, tma_word(map, 2) | TMA_MASK(BIT21));
    }
}

static inline uint32_t word_2(const tma_spec *s) {
    return (s->api == TMA_API_TILED ? TMA_KIND_TILED : TMA_KIND_IM2COL) |
           (s->rank - 1) << TMA_AT_BIT_RANK | s->interleave << TMA_AT_BIT_INTERLEAVE |
           s->fill << TMA_AT_BIT_FILL | s->l2 << TMA_AT_BIT_L2 | elements[s->dtype].bits |
           swizzles[s->swizzle].bits;
}

/* The words that hold something of every dimension. */
typedef struct packed_words {
    uint32_t steps; /* word 13 */
    uint32_t high;  /* word 7 */
    uint32_t boxes; /* word 14 */
} packed_words;

/* Dimension i of any map; inlined with i a constant, as the next two are. */
static inline void put_dimension(uint8_t *map, packed_words *w, const tma_spec *s, uint32_t i) {
    tma_store32(map + (size_t)4 * (TMA_AT_WORD_DIM_0 + i), (uint32_t)(s->dim_el[i] - 1));
    w->steps |= (s->element_stride[i] - 1) << (3 * i);
    if (i > 0) {
        const uint64_t units = s->stride_B[i - 1] >> 4;
        tma_store32(map + (size_t)4 * (TMA_AT_WORD_STRIDE_0 + i - 1), (uint32_t)units);
        w->high |= (uint32_t)(units >> 32) << (4 * (i - 1));
    }
}

static inline void put_tile(uint8_t *map, packed_words *w, const tma_spec *s, uint32_t i) {
    put_dimension(map, w, s, i);
    if (i > 0) {
        w->boxes |= (s->box_el[i] - 1) << (8 * (i - 1));
    }
}

static inline void put_corner(packed_words *w, const tma_spec *s, uint32_t i, uint32_t width_bit) {
    if (i == 0 || s->api != TMA_API_WIDE) { /* a wide map's H and D corners are 0 */
        const uint32_t mask = (1u << width_bit) - 1;
        w->boxes |= ((uint32_t)s->lower_px[i] & mask) << (i * width_bit);
        w->boxes |= ((uint32_t)s->upper_px[i] & mask) << (16 + i * width_bit);
    }
}

static inline void put_tiled(uint8_t *map, packed_words *w, const tma_spec *s) {
    switch (s->rank) {
    case 5:
        put_tile(map, w, s, 4);
        /* fall through */
    case 4:
        put_tile(map, w, s, 3);
        /* fall through */
    case 3:
        put_tile(map, w, s, 2);
        /* fall through */
    case 2:
        put_tile(map, w, s, 1);
        /* fall through */
    default:
        put_tile(map, w, s, 0);
    }
    w->steps |= TMA_PUT(BOX_0, s->box_el[0] - 1);
}

static inline void put_im2col(uint8_t *map, packed_words *w, const tma_spec *s) {
    switch (s->rank) {
    case 5:
        put_dimension(map, w, s, 4);
        /* fall through */
    case 4:
        put_dimension(map, w, s, 3);
        /* fall through */
    default:
        put_dimension(map, w, s, 2);
        put_dimension(map, w, s, 1);
        put_dimension(map, w, s, 0);
    }
    if (s->rank == 5) {
        put_corner(w, s, 0, 5);
        put_corner(w, s, 1, 5);
        put_corner(w, s, 2, 5);
    } else if (s->rank == 4) {
        put_corner(w, s, 0, 8);
        put_corner(w, s, 1, 8);
    } else {
        put_corner(w, s, 0, 16);
    }
    w->steps |= TMA_PUT(CHANNELS, s->channels_per_pixel - 1);
    tma_store32(map + (size_t)4 * TMA_AT_WORD_PIXELS, s->pixels_per_column - 1);
}

void tma_write_map(uint8_t *map, const tma_spec *s, const tma_arch_row *arch, uint32_t driver,
                   uint32_t box_B) {
    packed_words w = {0, 0, 0};
    memset(map, 0, TMA_MAP_BYTES / 2); /* halves become moves, the whole a loop */
    memset(map + TMA_MAP_BYTES / 2, 0, TMA_MAP_BYTES / 2);
    tma_store64(map, s->address);
    tma_store32(map + 8, word_2(s));
    if (s->api == TMA_API_TILED) {
        put_tiled(map, &w, s);
    } else {
        put_im2col(map, &w, s);
    }
    tma_store32(map + (size_t)4 * TMA_AT_WORD_HIGH_0, w.high);
    tma_store32(map + (size_t)4 * TMA_AT_WORD_ES_0, w.steps);
    tma_store32(map + (size_t)4 * TMA_AT_WORD_BOX_1, w.boxes);
    tma_store32(map + (size_t)4 * TMA_AT_WORD_BOX_BYTES, box_B);
    tma_store32(map + (size_t)4 * TMA_AT_WORD_REPEAT, swizzles[s->swizzle].repeat_B);
    if (arch->features & TMA_FEATURE_BIT21) {
        mark_large(map, s, driver);
    }
}

tma_status tma_encode(tma_map *map, const tma_spec *spec, const tma_target *target) {
    const tma_arch_row *arch = tma_arch_of(target);
    const uint32_t driver = target ? target->driver : TMA_DEFAULT_DRIVER;
    if (!map || !spec || !arch) {
        return TMA_ARGUMENT;
    }
    uint32_t box_B = tma_accepts_quickly(spec, arch, driver);
    if (box_B == TMA_NOT_QUICKLY) {
        if (!tma_accepts_by_rules(spec, target)) {
            return TMA_REFUSED;
        }
        box_B = (uint32_t)tma_box_bytes(spec);
    }
    tma_write_map(map->bytes, spec, arch, driver, box_B);
    return TMA_OK;
}
