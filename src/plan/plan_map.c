/* SPDX-License-Identifier: Apache-2.0
 *
 * A map as the hardware of a target sees it.
 */
#include "map_layout.h"
#include "plan_internal.h"
#include "tma/map.h"

/* Of a global address; the form of the limit says how many. */
#define TMA_POWER_POW2(n)   n
#define POWER(form, n, ...) TMA_POWER_##form(n)
#define ADDRESS_BITS        TMA_LIMIT_ADDRESS(POWER)

/* What sm_90 does not look at: the address's bits from 57 on, and what is Blackwell's: atomicity,
 * large tensor and 96-byte swizzle. */
#define IGNORED(each)                                                                              \
    each(TMA_AT_ATOMICITY, TMA_WIDTH_ATOMICITY) each(TMA_AT_BIT21, TMA_WIDTH_BIT21)                \
        each(TMA_AT_SWIZZLE_96B, TMA_WIDTH_SWIZZLE_96B)                                            \
            each(TMA_AT_ADDRESS + ADDRESS_BITS, 64 - ADDRESS_BITS)

#define WORD_OF(at)     ((size_t)4 * ((at) / 32))
#define BITS(at, width) (((1u << (width)) - 1) << (at) % 32)
#define LOOK(at, width) set |= tma_load32(map + WORD_OF(at)) & BITS(at, width);
#define FORGET(at, width)                                                                          \
    tma_store32(copy->bytes + WORD_OF(at),                                                         \
                tma_load32(copy->bytes + WORD_OF(at)) & ~BITS(at, width));

const uint8_t *tma_as_hopper_reads(const uint8_t *map, tma_map *copy) {
    uint32_t set = 0;
    IGNORED(LOOK)
    if (!set) {
        return map;
    }
    memcpy(copy->bytes, map, TMA_MAP_BYTES);
    IGNORED(FORGET)
    return copy->bytes;
}
