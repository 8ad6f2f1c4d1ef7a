/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit 21 of word 2, the allocation class: which maps are large, and
 * cuTensorMapSetAllocationClass.
 */
#include "archs.h"
#include "geometry.h"
#include "map_layout.h"
#include "map_read.h"
#include "map_write.h"

uint32_t tma_allocation_class(const uint8_t *map) {
    if (!map) {
        return TMA_CLASS_SMALL;
    }
    const uint32_t word = tma_load32(map + (size_t)4 * TMA_WORD(BIT21, 0));
    return word & TMA_MASK(BIT21, 0) ? TMA_CLASS_LARGE : TMA_CLASS_SMALL;
}

uint64_t tma_class_window_B(uint32_t allocation_class) {
    return allocation_class == TMA_CLASS_SMALL   ? TMA_VALUE(SMALL_WINDOW)
           : allocation_class == TMA_CLASS_LARGE ? TMA_VALUE(LARGE_TENSOR)
                                                 : 0;
}

/* A map beyond rank 5 is looked at as rank 5: nobody knows what the driver makes of it. */
static int geometry_is_large(const uint8_t *map, uint32_t driver) {
    tma_decoded decoded;
    tma_read_map(&decoded, map);
    decoded.spec.rank = decoded.spec.rank > TMA_MAX_RANK ? TMA_MAX_RANK : decoded.spec.rank;
    return tma_is_large(&decoded.spec, driver);
}

tma_status tma_set_allocation_class(uint8_t *map, uint32_t allocation_class, uint32_t *in_effect,
                                    const tma_target *target) {
    const tma_arch_row *arch = tma_arch_of(target);
    if (in_effect) {
        *in_effect = TMA_CLASS_SMALL;
    }
    if (!map || !arch) {
        return TMA_INVALID;
    }
    if (allocation_class > TMA_CLASS_LARGE) {
        return TMA_REFUSED;
    }
    if (!(arch->features & TMA_FEATURE_BIT21)) {
        return TMA_OK;
    }
    const uint32_t driver = target ? target->driver : TMA_VALUE(SEEN_DRIVER);
    tma_put_large(map, allocation_class == TMA_CLASS_AUTO ? geometry_is_large(map, driver)
                                                          : allocation_class == TMA_CLASS_LARGE);
    if (in_effect) {
        *in_effect = tma_allocation_class(map);
    }
    return TMA_OK;
}

tma_status tma_encode_cute_dsl(uint8_t *head, const tma_spec *spec) {
    static const tma_target newest = {.sm = 100, .suffix = 'a', .driver = TMA_VALUE(CLASS_DRIVER)};
    tma_map map;
    const tma_status status =
        head && spec ? tma_encode_forced(map.bytes, spec, &newest, NULL) : TMA_INVALID;
    if (status != TMA_OK) {
        return status;
    }
    uint8_t *word = map.bytes + (size_t)4 * TMA_WORD(KIND_HIGH, 0);
    tma_store32(word, tma_load32(word) | TMA_IN(KIND_HIGH, TMA_KIND_HIGH_CUTE_DSL));
    memcpy(head, map.bytes, TMA_CUTE_DSL_BYTES);
    return TMA_OK;
}
