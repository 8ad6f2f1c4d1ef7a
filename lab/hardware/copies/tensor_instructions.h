/* SPDX-License-Identifier: Apache-2.0
 *
 * One tensor instruction with everything chosen at run time: a switch over all that this target's
 * assembler takes.
 *
 * Every form gets the same operands: %0 the map, %1 the shared address, %2 the barrier, %3 to %7
 * the coordinates, %8 to %10 the im2col offsets; each text picks its own.
 */
#ifndef HARDWARE_TENSOR_INSTRUCTIONS_H
#define HARDWARE_TENSOR_INSTRUCTIONS_H

#include <tma/instruction.h>

#include "device.h"

#define C1_ "{%3}"
#define C2_ "{%3, %4}"
#define C3_ "{%3, %4, %5}"
#define C4_ "{%3, %4, %5, %6}"
#define C5_ "{%3, %4, %5, %6, %7}"
#define O3_ "{%8}"
#define O4_ "{%8, %9}"
#define O5_ "{%8, %9, %10}"
#define OW_ "{%8, %9}" /* wHalo, wOffset at every rank */

#define TENSOR_(text)                                                                              \
    asm volatile(text ";" ::"l"(map), "r"(address), "r"(barrier), "r"(c.coord[0]),                 \
                 "r"(c.coord[1]), "r"(c.coord[2]), "r"(c.coord[3]), "r"(c.coord[4]),               \
                 "h"(c.offset[0]), "h"(c.offset[1]), "h"(c.offset[2])                              \
                 : "memory")

#define LOAD_TILE_(n, space)                                                                       \
    TENSOR_("cp.async.bulk.tensor." #n "d." space                                                  \
            ".global.tile.mbarrier::complete_tx::bytes [%1], [%0, " C##n##_ "], [%2]")
#define LOAD_IM2COL_(n, space)                                                                     \
    TENSOR_("cp.async.bulk.tensor." #n "d." space                                                  \
            ".global.im2col.mbarrier::complete_tx::bytes [%1], [%0, " C##n##_ "], [%2], " O##n##_)
#define LOAD_WIDE_(n, space_mode)                                                                  \
    TENSOR_("cp.async.bulk.tensor." #n "d." space_mode                                             \
            ".mbarrier::complete_tx::bytes [%1], [%0, " C##n##_ "], [%2], " OW_)
#define LOAD_ROWS_(space)                                                                          \
    TENSOR_("cp.async.bulk.tensor.2d." space                                                       \
            ".global.tile::gather4.mbarrier::complete_tx::bytes [%1], [%0, " C5_ "], [%2]")
#define STORE_(n, mode)                                                                            \
    TENSOR_("cp.async.bulk.tensor." #n "d.global.shared::cta." mode ".bulk_group [%0, " C##n##_    \
            "], [%1]")
#define REDUCE_(n, op_mode)                                                                        \
    TENSOR_("cp.reduce.async.bulk.tensor." #n "d.global.shared::cta." op_mode                      \
            ".bulk_group [%0, " C##n##_ "], [%1]")
#define PREFETCH_TILE_(n, unused)                                                                  \
    TENSOR_("cp.async.bulk.prefetch.tensor." #n "d.L2.global.tile [%0, " C##n##_ "]")
#define PREFETCH_IM2COL_(n, unused)                                                                \
    TENSOR_("cp.async.bulk.prefetch.tensor." #n "d.L2.global.im2col [%0, " C##n##_ "], " O##n##_)

#define PREFETCH_WIDE_(n, mode)                                                                    \
    TENSOR_("cp.async.bulk.prefetch.tensor." #n "d.L2.global." mode " [%0, " C##n##_ "], " OW_)

#define RANKS_1_TO_5_(form, x)                                                                     \
    switch (c.rank) {                                                                              \
    case 1:                                                                                        \
        form(1, x);                                                                                \
        return;                                                                                    \
    case 2:                                                                                        \
        form(2, x);                                                                                \
        return;                                                                                    \
    default:                                                                                       \
        RANKS_3_TO_5_(form, x)                                                                     \
    }
#define RANKS_3_TO_5_(form, x)                                                                     \
    switch (c.rank) {                                                                              \
    case 3:                                                                                        \
        form(3, x);                                                                                \
        return;                                                                                    \
    case 4:                                                                                        \
        form(4, x);                                                                                \
        return;                                                                                    \
    case 5:                                                                                        \
        form(5, x);                                                                                \
        return;                                                                                    \
    }                                                                                              \
    return;

#define OPERANDS_ const struct device_copy &c, const void *map, uint32_t address, uint32_t barrier

/* What Blackwell added; which of it each target has: ptxas 13.0, include/tma/spec_archs.def. */
#if __CUDA_ARCH__ >= 1000
#define HAS_GATHER4_CTA 1
#if (defined(__CUDA_ARCH_SPECIFIC__) || defined(__CUDA_ARCH_FAMILY_SPECIFIC__)) &&                 \
    __CUDA_ARCH__ < 1200
#define HAS_GATHER4 1
#endif
#endif

static __device__ void load_wide(OPERANDS_) {
#ifdef HAS_GATHER4
    if (c.mode == TMA_MODE_IM2COL_W128) {
        if (c.cluster) {
            RANKS_3_TO_5_(LOAD_WIDE_, "shared::cluster.global.im2col::w::128")
        }
        RANKS_3_TO_5_(LOAD_WIDE_, "shared::cta.global.im2col::w::128")
    }
    if (c.cluster) {
        RANKS_3_TO_5_(LOAD_WIDE_, "shared::cluster.global.im2col::w")
    }
#endif
#ifdef HAS_GATHER4_CTA
    RANKS_3_TO_5_(LOAD_WIDE_, "shared::cta.global.im2col::w")
#endif
}

static __device__ void load_rows(OPERANDS_) {
#ifdef HAS_GATHER4
    if (c.cluster) {
        LOAD_ROWS_("shared::cluster");
        return;
    }
#endif
#ifdef HAS_GATHER4_CTA
    LOAD_ROWS_("shared::cta");
#endif
}

static __device__ void issue_load(OPERANDS_) {
    switch (c.mode) {
    case TMA_MODE_TILE:
        if (c.cluster) {
            RANKS_1_TO_5_(LOAD_TILE_, "shared::cluster")
        }
        RANKS_1_TO_5_(LOAD_TILE_, "shared::cta")
    case TMA_MODE_IM2COL:
        if (c.cluster) {
            RANKS_3_TO_5_(LOAD_IM2COL_, "shared::cluster")
        }
        RANKS_3_TO_5_(LOAD_IM2COL_, "shared::cta")
    case TMA_MODE_GATHER4:
        load_rows(c, map, address, barrier);
        return;
    default:
        load_wide(c, map, address, barrier);
    }
}

static __device__ void issue_store(OPERANDS_) {
    switch (c.mode) {
    case TMA_MODE_TILE:
        RANKS_1_TO_5_(STORE_, "tile")
    case TMA_MODE_IM2COL:
        RANKS_3_TO_5_(STORE_, "im2col_no_offs")
#ifdef HAS_GATHER4
    case TMA_MODE_SCATTER4:
        TENSOR_("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%0, " C5_
                "], [%1]");
        return;
#endif
    }
}

/* Which no document has, and ptxas takes. */
#ifdef HAS_GATHER4
#define REDUCE_ROWS_(op)                                                                           \
    if (c.mode == TMA_MODE_SCATTER4) {                                                             \
        TENSOR_("cp.reduce.async.bulk.tensor.2d.global.shared::cta." op                            \
                ".tile::scatter4.bulk_group [%0, " C5_ "], [%1]");                                 \
        return;                                                                                    \
    }
#else
#define REDUCE_ROWS_(op)
#endif

#define REDUCTION_(op)                                                                             \
    {                                                                                              \
        if (c.mode == TMA_MODE_TILE) {                                                             \
            RANKS_1_TO_5_(REDUCE_, op ".tile")                                                     \
        }                                                                                          \
        REDUCE_ROWS_(op)                                                                           \
        RANKS_3_TO_5_(REDUCE_, op ".im2col_no_offs")                                               \
    }

static __device__ void issue_reduction(OPERANDS_) {
    switch (c.op) {
    case TMA_OP_ADD:
        REDUCTION_("add")
    case TMA_OP_MIN:
        REDUCTION_("min")
    case TMA_OP_MAX:
        REDUCTION_("max")
    case TMA_OP_INC:
        REDUCTION_("inc")
    case TMA_OP_DEC:
        REDUCTION_("dec")
    case TMA_OP_AND:
        REDUCTION_("and")
    case TMA_OP_OR:
        REDUCTION_("or")
    case TMA_OP_XOR:
        REDUCTION_("xor")
    }
}

static __device__ void issue_prefetch(OPERANDS_) {
    switch (c.mode) {
    case TMA_MODE_TILE:
        RANKS_1_TO_5_(PREFETCH_TILE_, 0)
    case TMA_MODE_IM2COL:
        RANKS_3_TO_5_(PREFETCH_IM2COL_, 0)
#ifdef HAS_GATHER4
    case TMA_MODE_GATHER4:
        TENSOR_("cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [%0, " C5_ "]");
        return;
    case TMA_MODE_IM2COL_W:
        RANKS_3_TO_5_(PREFETCH_WIDE_, "im2col::w")
    case TMA_MODE_IM2COL_W128:
        RANKS_3_TO_5_(PREFETCH_WIDE_, "im2col::w::128")
#endif
    }
}

#endif
