/* SPDX-License-Identifier: Apache-2.0
 *
 * A spec that is refused, made into a map all the same: what does not fit its bits is left 0.
 */
#include "check_internal.h"
#include "geometry.h"
#include "map_layout.h"
#include "map_write.h"

#define UNFIT(argument) (UINT64_C(1) << TMA_ARG_##argument)

static void keep(uint32_t *value, uint32_t least, uint32_t most, uint64_t argument,
                 uint64_t *unfit) {
    if (*value < least || *value > most) {
        *value = least;
        *unfit |= argument;
    }
}

static void keep_arrays(tma_spec *s, uint64_t *unfit) {
    for (uint32_t i = 0; i < s->rank; i++) {
        if ((s->dim_el[i] - 1) >> TMA_WIDTH_DIM) {
            s->dim_el[i] = 1;
            *unfit |= UNFIT(DIM);
        }
        keep(&s->element_stride[i], 1, TMA_ONES(ES) + 1, UNFIT(ELEMENT_STRIDE), unfit);
        if (s->api == TMA_API_TILED) {
            keep(&s->box_el[i], 1, TMA_ONES(BOX) + 1, UNFIT(BOX), unfit);
        }
    }
    for (uint32_t i = 0; i + 1 < s->rank; i++) {
        const uint64_t units = s->stride_B[i] >> TMA_STRIDE_SHIFT;
        if (units << TMA_STRIDE_SHIFT != s->stride_B[i] ||
            units >> (TMA_WIDTH_STRIDE + TMA_WIDTH_HIGH)) {
            s->stride_B[i] = 0;
            *unfit |= UNFIT(STRIDE);
        }
    }
}

static void keep_corner(int32_t *corner, uint32_t width_bit, uint64_t argument, uint64_t *unfit) {
    const int32_t half = 1 << (width_bit - 1);
    if (*corner < -half || *corner >= half) {
        *corner = 0;
        *unfit |= argument;
    }
}

static void keep_im2col(tma_spec *s, uint64_t *unfit) {
    const uint32_t width_bit = s->rank >= 5   ? TMA_WIDTH_LOWER_5D
                               : s->rank == 4 ? TMA_WIDTH_LOWER_4D
                                              : TMA_WIDTH_LOWER_3D;
    const uint32_t corners = s->api == TMA_API_WIDE ? 1 : s->rank - 2;
    keep(&s->channels_per_pixel, 1, TMA_ONES(CHANNELS) + 1, UNFIT(CHANNELS), unfit);
    keep(&s->pixels_per_column, 1, TMA_ONES(PIXELS) + 1, UNFIT(PIXELS), unfit);
    for (uint32_t i = 0; i < corners; i++) {
        keep_corner(&s->lower_px[i], width_bit, UNFIT(LOWER), unfit);
        keep_corner(&s->upper_px[i], width_bit, UNFIT(UPPER), unfit);
    }
}

static void keep_enumerations(tma_spec *s, uint64_t *unfit) {
    keep(&s->api, 0, TMA_API_WIDE, UNFIT(API), unfit);
    keep(&s->dtype, 0, TMA_DTYPES - 1, UNFIT(DTYPE), unfit);
    keep(&s->interleave, 0, TMA_ONES(INTERLEAVE), UNFIT(INTERLEAVE), unfit);
    keep(&s->l2, 0, TMA_L2_256B, UNFIT(L2), unfit);
    keep(&s->fill, 0, TMA_FILL_NAN, UNFIT(FILL), unfit);
    if (s->swizzle != TMA_SWIZZLE_96B) {
        keep(&s->swizzle, 0, TMA_SWIZZLE_128B_ATOM_64B, UNFIT(SWIZZLE), unfit);
    }
    keep(&s->rank, s->api == TMA_API_TILED ? 1 : 3, TMA_MAX_RANK, UNFIT(RANK), unfit);
}

tma_status tma_encode_forced(uint8_t *map, const tma_spec *spec, const tma_target *target,
                             uint64_t *unfit) {
    uint64_t dropped = 0;
    const tma_arch_row *arch = tma_arch_of(target);
    const uint32_t driver = target ? target->driver : TMA_VALUE(SEEN_DRIVER);
    if (!map || !spec || !tma_is_target(target, arch)) {
        return TMA_INVALID;
    }
    tma_spec kept = *spec;
    keep_enumerations(&kept, &dropped);
    keep_arrays(&kept, &dropped);
    if (kept.api != TMA_API_TILED) {
        keep_im2col(&kept, &dropped);
    }
    const uint64_t box_B = tma_box_bytes(&kept);
    if (box_B > UINT32_MAX) {
        dropped |= UNFIT(BOX); /* word 16 alone, cut to its 32 bits */
    }
    tma_write_map(map, &kept, arch, driver, (uint32_t)box_B, target ? target->readings : 0);
    if (unfit) {
        *unfit = dropped;
    }
    return TMA_OK;
}
