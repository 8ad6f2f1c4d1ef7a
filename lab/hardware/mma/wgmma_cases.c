/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands of wgmma and random descriptors of them.
 */
#include "wgmma_cases.h"

#define M_OF_A 64

#define N_OF_A 8 /* columns where A is looked at */

static const struct {
    uint8_t type, major, sparse, matrix;
    uint16_t n;
} kinds[] = {
#define SIDES(id, major, sparse)                                                                   \
    {TMA_MMA_TYPE_##id, major, sparse, TMA_MMA_A, N_OF_A}, {                                       \
        TMA_MMA_TYPE_##id, major, sparse, TMA_MMA_B, DEVICE_MMA_N                                  \
    }
    SIDES(F16, 0, 0),  SIDES(F16, 1, 0),  SIDES(BF16, 0, 0), SIDES(BF16, 1, 0), SIDES(TF32, 0, 0),
    SIDES(E4M3, 0, 0), SIDES(E5M2, 0, 0), SIDES(S8, 0, 0),   SIDES(U8, 0, 0),   SIDES(B1, 0, 0),
    SIDES(F16, 0, 1),  SIDES(F16, 1, 1),  SIDES(TF32, 0, 1), SIDES(E4M3, 0, 1),
#undef SIDES
#define OTHER_N(id, major, matrix, n) {TMA_MMA_TYPE_##id, major, 0, TMA_MMA_##matrix, n},
#include "wgmma_other_n.def"
#undef OTHER_N
};

int wgmma_kind_at(struct wgmma_kind *kind, size_t index) {
    if (index >= sizeof(kinds) / sizeof(kinds[0])) {
        return 0;
    }
    const uint32_t k_el = tma_mma_type_at(kinds[index].type)->k_el;
    const int is_b = kinds[index].matrix == TMA_MMA_B;
    kind->sparse = kinds[index].sparse;
    kind->n = kinds[index].n;
    kind->operand = (tma_mma_operand){.matrix = kinds[index].matrix,
                                      .major = kinds[index].major,
                                      .type = kinds[index].type,
                                      .mn_el = is_b ? kind->n : M_OF_A,
                                      .k_el = is_b && kind->sparse ? 2 * k_el : k_el};
    return 1;
}

void wgmma_kind_name(char *out, size_t size, const struct wgmma_kind *kind) {
    const int is_b = kind->operand.matrix == TMA_MMA_B;
    snprintf(out, size, "%-4s %c %s-major n%u%s", tma_mma_type_at(kind->operand.type)->name,
             is_b ? 'B' : 'A', kind->operand.major ? is_b ? "N" : "M" : "K", kind->n,
             kind->sparse ? " sparse" : "");
}

/* Of both offsets, whichever steps between which: inside the memory that holds elements. */
static int stays_inside(const tma_mma_descriptor *d, const tma_mma_operand *o) {
    const uint64_t by_mn = (o->mn_el - 1) / 8;
    const uint64_t by_k = 7;
    const uint64_t most = d->leading_B > d->stride_B ? d->leading_B : d->stride_B;
    const uint64_t least = d->leading_B > d->stride_B ? d->stride_B : d->leading_B;
    return d->start_B >= DEVICE_MMA_FIRST_B &&
           d->start_B + by_mn * most + by_k * least + 2048 <= DEVICE_MMA_LAST_B;
}

tma_mma_descriptor wgmma_descriptor(struct random_source *r, const struct wgmma_kind *kind,
                                    uint32_t swizzle, int with_base) {
    tma_mma_descriptor d = {.family = TMA_MMA_WGMMA, .swizzle = swizzle};
    do {
        const uint32_t align[] = {1024, 128, 16};
        const uint32_t step = align[random_below(r, 3)];
        const int any = random_one_in(r, 3);
        const uint32_t room = random_one_in(r, 2) ? 8 : 64;
        d.start_B = DEVICE_MMA_FIRST_B + step * (uint32_t)random_below(r, room * 1024 / step);
        d.leading_B = any ? 16 * (uint32_t)random_below(r, 512) : 16u << random_below(r, 11);
        d.stride_B = any ? 16 * (uint32_t)random_below(r, 512) : 16u << random_below(r, 11);
    } while (!stays_inside(&d, &kind->operand));
    d.base_offset = with_base ? 1 + (uint32_t)random_below(r, 7) : 0;
    return d;
}

int wgmma_canonical(const tma_mma_descriptor *d, const struct wgmma_kind *kind) {
    const uint32_t span_B = d->swizzle ? tma_swizzle_span_B(d->swizzle) : 16;
    const uint32_t group_B = 8 * span_B;
    const int by_k = kind->operand.major == TMA_MMA_K_MAJOR;
    return !d->base_offset && d->start_B % group_B == 0 && d->stride_B &&
           d->stride_B % group_B == 0 &&
           ((by_k && d->swizzle) || (d->leading_B && d->leading_B % group_B == 0));
}
