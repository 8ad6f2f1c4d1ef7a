/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of architectures, for those who cannot wait for a call.
 */
#ifndef TMA_ARCHS_H
#define TMA_ARCHS_H

#include "tma/spec.h"

extern const tma_arch_row tma_archs[]; /* the first is a null target's */

static inline const tma_arch_row *tma_arch_for(const tma_target *target) {
    return target ? tma_arch_of(target) : &tma_archs[0];
}

#endif
