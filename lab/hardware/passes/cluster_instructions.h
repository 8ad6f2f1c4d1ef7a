/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads of a cluster: .multicast::cluster and .cta_group::2, in each mode that the target has. The
 * operands are those of tensor_instructions.h, and %11 the mask.
 */
#ifndef HARDWARE_CLUSTER_INSTRUCTIONS_H
#define HARDWARE_CLUSTER_INSTRUCTIONS_H

#include "tensor_instructions.h"

#define CLUSTER_(text)                                                                             \
    asm volatile(text ";" ::"l"(map), "r"(address), "r"(barrier), "r"(c.coord[0]),                 \
                 "r"(c.coord[1]), "r"(c.coord[2]), "r"(c.coord[3]), "r"(c.coord[4]),               \
                 "h"(c.offset[0]), "h"(c.offset[1]), "h"(c.offset[2]), "h"(mask)                   \
                 : "memory")
#define CLUSTER_HEAD_(n) "cp.async.bulk.tensor." #n "d.shared::cluster.global."
#define CLUSTER_DONE_    ".mbarrier::complete_tx::bytes"
#define CLUSTER_TILE_(n, form, last)                                                               \
    CLUSTER_(CLUSTER_HEAD_(n) "tile" CLUSTER_DONE_ form " [%1], [%0, " C##n##_ "], [%2]" last)
#define CLUSTER_IM2COL_(n, form, last)                                                             \
    CLUSTER_(CLUSTER_HEAD_(n) "im2col" CLUSTER_DONE_ form " [%1], [%0, " C##n##_                   \
             "], [%2], " O##n##_ last)
#define CLUSTER_W_(n, form, last)                                                                  \
    CLUSTER_(CLUSTER_HEAD_(n) "im2col::w" CLUSTER_DONE_ form " [%1], [%0, " C##n##_                \
             "], [%2], " OW_ last)
#define CLUSTER_W128_(n, form, last)                                                               \
    CLUSTER_(CLUSTER_HEAD_(n) "im2col::w::128" CLUSTER_DONE_ form " [%1], [%0, " C##n##_           \
             "], [%2], " OW_ last)

#define CLUSTER_RANKS_(from, name, form, last)                                                     \
    switch (c.rank) { CLUSTER_RANKS_##from##_(name, form, last) }                                  \
    return;
#define CLUSTER_RANK_(n, name, form, last)                                                         \
    case n:                                                                                        \
        name(n, form, last);                                                                       \
        return;
#define CLUSTER_RANKS_3_(name, form, last)                                                         \
    CLUSTER_RANK_(3, name, form, last)                                                             \
    CLUSTER_RANK_(4, name, form, last) CLUSTER_RANK_(5, name, form, last)
#define CLUSTER_RANKS_1_(name, form, last)                                                         \
    CLUSTER_RANK_(1, name, form, last)                                                             \
    CLUSTER_RANK_(2, name, form, last) CLUSTER_RANKS_3_(name, form, last)

#ifdef HAS_GATHER4
#define CLUSTER_NEW_(form, last)                                                                   \
    case TMA_MODE_GATHER4:                                                                         \
        CLUSTER_(CLUSTER_HEAD_(2) "tile::gather4" CLUSTER_DONE_ form " [%1], [%0, " C5_            \
                                  "], [%2]" last);                                                 \
        return;                                                                                    \
    case TMA_MODE_IM2COL_W:                                                                        \
        CLUSTER_RANKS_(3, CLUSTER_W_, form, last)                                                  \
    case TMA_MODE_IM2COL_W128:                                                                     \
        CLUSTER_RANKS_(3, CLUSTER_W128_, form, last)
#else
#define CLUSTER_NEW_(form, last)
#endif

#define CLUSTER_MODES_(form, last)                                                                 \
    switch (c.mode) {                                                                              \
    case TMA_MODE_TILE:                                                                            \
        CLUSTER_RANKS_(1, CLUSTER_TILE_, form, last)                                               \
    case TMA_MODE_IM2COL:                                                                          \
        CLUSTER_RANKS_(3, CLUSTER_IM2COL_, form, last)                                             \
        CLUSTER_NEW_(form, last)                                                                   \
    }

static __device__ void issue_multicast(OPERANDS_, uint16_t mask) {
    CLUSTER_MODES_(".multicast::cluster", ", %11")
}

#ifdef HAS_GATHER4
static __device__ void issue_group(OPERANDS_) {
    const uint16_t mask = 0;
    CLUSTER_MODES_(".cta_group::2", "")
}

static __device__ void issue_multicast_group(OPERANDS_, uint16_t mask) {
    CLUSTER_MODES_(".multicast::cluster.cta_group::2", ", %11")
}
#endif

#endif
