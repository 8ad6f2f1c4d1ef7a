/* SPDX-License-Identifier: Apache-2.0
 *
 * A map that stays as it is, judged once where the kernel begins: what its copies are compared with
 * (TMA_PASSES() of judge.h), 0 where none of them runs. Kernels of sm_90 alone, tiles and im2col
 * alone: every copy there runs or kills, and its shared address is a multiple of 128.
 *
 * The bodies go into kernels as they are (program/kernel/make_checker.py): with a call a kernel
 * would take more registers, and ptxas might ignore setmaxnreg.
 */
#include "checker.h"

#define ALL(X)                                                                                     \
    X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10), X(11), X(12), X(13), X(14), \
        X(15), X(16), X(17), X(18), X(19), X(20), X(21), X(22), X(23), X(24), X(25), X(26), X(27), \
        X(28), X(29), X(30), X(31)
#define PARAMETER(n) uint32_t w##n
#define WORD(n)      whole(w##n)

/* Keeps clang from reading bytes of a parameter, which is a register in the end. */
static inline __attribute__((always_inline)) uint32_t whole(uint32_t word) {
    __asm__("" : "+r"(word));
    return word;
}

/* Instructions in PTX name their rank. */
static inline __attribute__((always_inline)) uint32_t named(uint32_t rank) {
    if (!rank) {
        __builtin_unreachable();
    }
    return rank;
}

/* Of most maps, from their words, which lie in a kernel's parameters; 0: ask tma_pass_in_full(). */
uint32_t tma_pass_quick(ALL(PARAMETER), uint32_t op, uint32_t rank, uint32_t window_end) {
    const uint32_t map[] = {ALL(WORD)};
    const tma_judge_site site = {.op = op, .mode = TMA_MODE_TILE, .rank = named(rank)};
    return tma_judge_quick(map, &site, window_end);
}

uint32_t tma_pass_quick_im2col(ALL(PARAMETER), uint32_t op, uint32_t rank, uint32_t window_end) {
    const uint32_t map[] = {ALL(WORD)};
    const tma_judge_site site = {.op = op, .mode = TMA_MODE_IM2COL, .rank = named(rank)};
    return tma_judge_quick_im2col_map(map, &site, window_end);
}

/* Of an im2col copy's coordinates. */
typedef struct box {
    int32_t least[TMA_MAX_RANK - 1];
    int32_t most[TMA_MAX_RANK - 1];
} box;

box tma_pass_box(ALL(PARAMETER)) {
    const uint32_t map[] = {ALL(WORD)};
    return (box){
        {tma_quick_limit(map, 0, 0), tma_quick_limit(map, 1, 0), tma_quick_limit(map, 2, 0),
         tma_quick_limit(map, 3, 0)},
        {tma_quick_limit(map, 0, 1), tma_quick_limit(map, 1, 1), tma_quick_limit(map, 2, 1),
         tma_quick_limit(map, 3, 1)},
    };
}

/* Of any map; 0: no copy with it runs. */
uint32_t tma_pass_in_full(const void *map, uint32_t op, uint32_t rank, uint32_t window_end,
                          uint32_t types, uint32_t is_im2col) {
    const tma_judge_site site = {
        .op = op, .mode = is_im2col ? TMA_MODE_IM2COL : TMA_MODE_TILE, .rank = named(rank)};
    return tma_judge_whole(map, &site, types, window_end);
}

/* In kernels without im2col: half as many instructions. */
uint32_t tma_pass_in_full_tile(const void *map, uint32_t op, uint32_t rank, uint32_t window_end,
                               uint32_t types) {
    const tma_judge_site site = {.op = op, .mode = TMA_MODE_TILE, .rank = named(rank)};
    return tma_judge_whole(map, &site, types, window_end);
}
