/* SPDX-License-Identifier: Apache-2.0
 *
 * Compilers: which CUDA release has what they changed, and edits that hang on it.
 */
#include "finding.h"
#include "tma/limits.def"
#include "tma/map.h"

static const tma_toolchain_row rows[TMA_TOOLCHAIN_CHANGES] = {
#define TMA_TOOLCHAIN(id, name, since, field, now, before, evidence)                               \
    [TMA_TOOLCHAIN_##                                                                              \
        id] = {name, TMA_VALUE_DRIVER(since), TMA_REPLACE_##field, now, before, evidence},
#include "tma/map_toolchains.def"
};

const tma_toolchain_row *tma_toolchain_at(size_t index) {
    return index < TMA_TOOLCHAIN_CHANGES ? &rows[index] : NULL;
}

bool tma_toolchain_has(uint32_t toolchain, uint32_t change) {
    const uint32_t taken = toolchain ? toolchain : TMA_VALUE(SEEN_TOOLCHAIN);
    return change < TMA_TOOLCHAIN_CHANGES && taken >= rows[change].since;
}

bool tma_replace_stays_large(const uint8_t *map, const tma_edit *edit, tma_finding *why) {
    if (!map || !edit || edit->field != TMA_REPLACE_GLOBAL_ADDRESS ||
        edit->flags &
            (TMA_REPLACE_ALLOC_SMALL | TMA_REPLACE_ALLOC_LARGE | TMA_REPLACE_ALLOC_SAME) ||
        tma_toolchain_has(edit->toolchain, TMA_TOOLCHAIN_ADDRESS_MAKES_SMALL) ||
        tma_allocation_class(map) != TMA_CLASS_LARGE) {
        return false;
    }
    tma_stop_as(TMA_OK, why, tma_arch_of(NULL)->sm, TMA_RULE_REPLACE_STAYS_LARGE, -1, edit->value,
                NOT(edit->value));
    return true;
}
