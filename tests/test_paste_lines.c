/* SPDX-License-Identifier: Apache-2.0
 *
 * Small logs and all that is found in each: who is given an error, whose line a line is, where
 * numbers and colours stand before lines, and what values look like.
 */
#include "support/testing.h"

#include "support/guard_page.h"
#include "support/paste_words.h"
#include "tma/paste.h"

/* TensorRT-LLM's error, which stands before its block, and that, each line behind `p`. */
#define ERROR(p, words) p "Error: Failed to initialize the TMA descriptor due to " words "\n"
#define BLOCK(p)                                                                                   \
    p "tmaFormat: 9 dim: 2 gmem: 0x7f2a40000000\n" p "Shape: 128 32 0 0 0\n" p                     \
      "Stride: 256 0 0 0\n" p "tileShapes: 64 32 0 0 0\n" p "tileStrides: 1 1 0 0 0\n" p           \
      "swizzleType: 3\n"
#define INVALID    "invalid argument"
#define MISALIGNED "misaligned address"
#define R0         "[rank0]: "
#define R1         "[rank1]: "
#define R2         "[rank2]: "
#define R3         "[rank3]: "
#define R4         "[rank4]: "

#define GEMM(size)                                                                                 \
    R0 "Making TMA desc: global memory: 64 32, shared memory: 64 8, outer stride: 64, swizzle: "   \
       "128 (base: 0)" size "\n"
#define GEMM_ERROR "Failed: CUDA driver error csrc/x.hpp:149 '1 (X, invalid argument)'\n"

/* Another writer's error goes to a block that is whole and stands right before it. */
static void errors_behind_blocks(void **state) {
    static const struct small_log logs[] = {
        {GEMM(", elem size: 2") R1 GEMM_ERROR,
         "map DeepGEMM 1-2 code 1 tiled t1 r2 a7f0000000000 d64,32 s128 b64,8 e1,1 i0 s3 l3 f0 "
         "-tensorDataType -tensorRank -globalAddress -elementStrides =interleave =l2Promotion "
         "=oobFill 16 bit"},
        {GEMM(", elem size: 2") R0 "loading\n" R1 GEMM_ERROR,
         "map DeepGEMM 1-1 tiled t1 r2 a7f0000000000 d64,32 s128 b64,8 e1,1 i0 s3 l3 f0 "
         "-tensorDataType -tensorRank -globalAddress -elementStrides =interleave =l2Promotion "
         "=oobFill 16 bit"},
        {GEMM("") R1 GEMM_ERROR,
         "map DeepGEMM 1-1 tiled t0 r2 a7f0000000000 d64,32 s64 b64,8 e1,1 i0 s3 l3 f0 "
         "-tensorDataType -tensorRank -globalAddress -elementStrides =interleave =l2Promotion "
         "=oobFill"},
    };
    (void)state;
    expect_found(logs, COUNT_OF(logs));
}

/* An error goes to the block that its own writer prints next, else to one of nobody or for
 * nobody's error; of two the later one; and only where that program prints it so. Four can wait. */
static void errors_find_their_blocks(void **state) {
    static const struct small_log logs[] = {
        {ERROR("", INVALID) BLOCK(""),
         "map TensorRT-LLM 1-7 code 1 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 "
         "f0 =interleave =l2Promotion =oobFill"},
        {ERROR(R0, INVALID) BLOCK(R0),
         "map TensorRT-LLM 1-7 code 1 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 "
         "f0 =interleave =l2Promotion =oobFill"},
        {ERROR(R0, INVALID) BLOCK(R1),
         "map TensorRT-LLM 2-7 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 f0 "
         "=interleave =l2Promotion =oobFill; error TensorRT-LLM 1-1 code 1 (its arguments are not "
         "in the text)"},
        {ERROR("", INVALID) BLOCK(R1),
         "map TensorRT-LLM 1-7 code 1 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 "
         "f0 =interleave =l2Promotion =oobFill"},
        {ERROR(R0, INVALID) BLOCK(""),
         "map TensorRT-LLM 1-7 code 1 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 "
         "f0 =interleave =l2Promotion =oobFill"},
        {ERROR("", INVALID) ERROR("", MISALIGNED) BLOCK(""),
         "map TensorRT-LLM 2-8 code 716 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 "
         "l2 f0 =interleave =l2Promotion =oobFill; error TensorRT-LLM 1-1 code 1 (its arguments "
         "are not in the text)"},
        {ERROR(R0, INVALID) ERROR(R1, MISALIGNED) BLOCK(R0),
         "map TensorRT-LLM 1-8 code 1 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 "
         "f0 =interleave =l2Promotion =oobFill; error TensorRT-LLM 2-2 code 716 (its arguments are "
         "not in the text)"},
        {ERROR(R0, INVALID) ERROR(R1, MISALIGNED) BLOCK(R1),
         "map TensorRT-LLM 2-8 code 716 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 "
         "l2 f0 =interleave =l2Promotion =oobFill; error TensorRT-LLM 1-1 code 1 (its arguments "
         "are not in the text)"},
        {ERROR(R0, INVALID) ERROR("", MISALIGNED) BLOCK(R0),
         "map TensorRT-LLM 1-8 code 1 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 "
         "f0 =interleave =l2Promotion =oobFill; error TensorRT-LLM 2-2 code 716 (its arguments are "
         "not in the text)"},
        {ERROR("", INVALID) ERROR(R0, MISALIGNED) BLOCK(""),
         "map TensorRT-LLM 1-8 code 1 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 "
         "f0 =interleave =l2Promotion =oobFill; error TensorRT-LLM 2-2 code 716 (its arguments are "
         "not in the text)"},
        {ERROR(R0, INVALID) ERROR(R1, MISALIGNED) BLOCK(""),
         "map TensorRT-LLM 2-8 code 716 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 "
         "l2 f0 =interleave =l2Promotion =oobFill; error TensorRT-LLM 1-1 code 1 (its arguments "
         "are not in the text)"},
        {ERROR(R0, INVALID) ERROR(R1, MISALIGNED) BLOCK(R2),
         "map TensorRT-LLM 3-8 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 f0 "
         "=interleave =l2Promotion =oobFill; error TensorRT-LLM 1-1 code 1 (its arguments are not "
         "in the text); error TensorRT-LLM 2-2 code 716 (its arguments are not in the text)"},
        {ERROR(R0, INVALID) ERROR(R0, MISALIGNED) ERROR(R1, INVALID) BLOCK(R0) BLOCK(R1),
         "map TensorRT-LLM 2-9 code 716 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 "
         "l2 f0 =interleave =l2Promotion =oobFill; map TensorRT-LLM 3-15 code 1 tiled t9 r2 "
         "a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 f0 =interleave =l2Promotion =oobFill; "
         "error TensorRT-LLM 1-1 code 1 (its arguments are not in the text)"},
        {ERROR(R0, INVALID) ERROR(R3, MISALIGNED) ERROR(R4, "unknown error") ERROR(R2, "700")
             BLOCK(R0),
         "map TensorRT-LLM 1-10 code 1 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 "
         "f0 =interleave =l2Promotion =oobFill; error TensorRT-LLM 2-2 code 716 (its arguments are "
         "not in the text); error TensorRT-LLM 3-3 code 999 (its arguments are not in the text); "
         "error TensorRT-LLM 4-4 code 700 (its arguments are not in the text)"},
        {ERROR(R0, INVALID) ERROR(R3, MISALIGNED) ERROR(R4, "unknown error") ERROR(R2, "700")
             ERROR(R1, "801") BLOCK(R0),
         "error TensorRT-LLM 1-1 code 1 (its arguments are not in the text); map TensorRT-LLM 6-11 "
         "tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 f0 =interleave =l2Promotion "
         "=oobFill; error TensorRT-LLM 5-5 code 801 (its arguments are not in the text); error "
         "TensorRT-LLM 2-2 code 716 (its arguments are not in the text); error TensorRT-LLM 3-3 "
         "code 999 (its arguments are not in the text); error TensorRT-LLM 4-4 code 700 (its "
         "arguments are not in the text)"},
        {ERROR(R0, INVALID) ERROR(R3, MISALIGNED) ERROR(R4, "unknown error") ERROR(R2, "700")
             ERROR(R1, "801") BLOCK(R1),
         "error TensorRT-LLM 1-1 code 1 (its arguments are not in the text); map TensorRT-LLM 5-11 "
         "code 801 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 f0 =interleave "
         "=l2Promotion =oobFill; error TensorRT-LLM 2-2 code 716 (its arguments are not in the "
         "text); error TensorRT-LLM 3-3 code 999 (its arguments are not in the text); error "
         "TensorRT-LLM 4-4 code 700 (its arguments are not in the text)"},
        {ERROR(R3, MISALIGNED) ERROR(R4, "700") ERROR(R2, "801") BLOCK(R2) ERROR(R1, "801")
             ERROR(R0, INVALID) BLOCK(R3),
         "map TensorRT-LLM 3-9 code 801 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 "
         "l2 f0 =interleave =l2Promotion =oobFill; map TensorRT-LLM 1-17 code 716 tiled t9 r2 "
         "a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 f0 =interleave =l2Promotion =oobFill; "
         "error TensorRT-LLM 2-2 code 700 (its arguments are not in the text); error TensorRT-LLM "
         "10-10 code 801 (its arguments are not in the text); error TensorRT-LLM 11-11 code 1 (its "
         "arguments are not in the text)"},
        {"Failed to create tensor map descriptor: invalid argument\n" BLOCK(""),
         "map TensorRT-LLM 2-7 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 f0 "
         "=interleave =l2Promotion =oobFill; error Triton 1-1 code 1 (its arguments are not in the "
         "text)"},
        {"Failed to encode tensor map: 700\n" BLOCK(""),
         "map TensorRT-LLM 1-7 code 700 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 "
         "l2 f0 =interleave =l2Promotion =oobFill"},
        {BLOCK("") ERROR("", INVALID),
         "map TensorRT-LLM 1-6 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 f0 "
         "=interleave =l2Promotion =oobFill; error TensorRT-LLM 7-7 code 1 (its arguments are not "
         "in the text)"},
        {BLOCK("") ERROR("", INVALID) BLOCK(""),
         "map TensorRT-LLM 1-6 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 f0 "
         "=interleave =l2Promotion =oobFill; map TensorRT-LLM 7-13 code 1 tiled t9 r2 "
         "a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 f0 =interleave =l2Promotion =oobFill"},
        {BLOCK(R0) ERROR(R1, INVALID) BLOCK(R1) ERROR(R0, MISALIGNED) BLOCK(R0),
         "map TensorRT-LLM 1-6 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 f0 "
         "=interleave =l2Promotion =oobFill; map TensorRT-LLM 7-13 code 1 tiled t9 r2 "
         "a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 l2 f0 =interleave =l2Promotion =oobFill; "
         "map TensorRT-LLM 14-20 code 716 tiled t9 r2 a7f2a40000000 d128,32 s256 b64,32 e1,1 i0 s3 "
         "l2 f0 =interleave =l2Promotion =oobFill"},
    };
    (void)state;
    expect_found(logs, COUNT_OF(logs));
}

#define TRITON "elemType=9 elemSize=2 swizzle=3\n"
#define LINES(p)                                                                                   \
    p "shape=[64, 32]\n" p "strides=[128]\n" p "blockSize=[64, 32] elementStrides=[1, 1]\n"

/* "rank" and a number in brackets, or before a colon or a bar, name who writes; else the number is
 * the map's rank. */
static void ranks_of_writers_and_of_maps(void **state) {
    static const struct small_log logs[] = {
        {TRITON LINES(""), "map Triton 1-4 tiled t9 r2 a7f0000000000 d64,32 s128 b64,32 e1,1 i0 s3 "
                           "l2 f0 -tensorRank -globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON LINES("[rank: 1] "),
         "map Triton 1-4 tiled t9 r2 a7f0000000000 d64,32 s128 b64,32 e1,1 i0 s3 l2 f0 -tensorRank "
         "-globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON LINES("[rank 12]"),
         "map Triton 1-4 tiled t9 r2 a7f0000000000 d64,32 s128 b64,32 e1,1 i0 s3 l2 f0 -tensorRank "
         "-globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON LINES("(rank=1) "),
         "map Triton 1-4 tiled t9 r2 a7f0000000000 d64,32 s128 b64,32 e1,1 i0 s3 l2 f0 -tensorRank "
         "-globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON LINES("(rank: 10 ) "),
         "map Triton 1-4 tiled t9 r2 a7f0000000000 d64,32 s128 b64,32 e1,1 i0 s3 l2 f0 -tensorRank "
         "-globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON LINES("<rank 1> "),
         "map Triton 1-4 tiled t9 r2 a7f0000000000 d64,32 s128 b64,32 e1,1 i0 s3 l2 f0 -tensorRank "
         "-globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON LINES("<rank = 1> "),
         "map Triton 1-4 tiled t9 r2 a7f0000000000 d64,32 s128 b64,32 e1,1 i0 s3 l2 f0 -tensorRank "
         "-globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON LINES("rank 1: "),
         "map Triton 1-4 tiled t9 r2 a7f0000000000 d64,32 s128 b64,32 e1,1 i0 s3 l2 f0 -tensorRank "
         "-globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON LINES("rank 1 | "),
         "map Triton 1-4 tiled t9 r2 a7f0000000000 d64,32 s128 b64,32 e1,1 i0 s3 l2 f0 -tensorRank "
         "-globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON LINES("rank 1) "),
         "map Triton 1-4 tiled t9 r2 a7f0000000000 d64,32 s128 b64,32 e1,1 i0 s3 l2 f0 -tensorRank "
         "-globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON "rank: 1 | " LINES(""), "map Triton 1-4 tiled t9 r1 a7f0000000000 d64 b64 e1 i0 s3 "
                                        "l2 f0 -globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON "{rank: 1} " LINES(""), "map Triton 1-4 tiled t9 r1 a7f0000000000 d64 b64 e1 i0 s3 "
                                        "l2 f0 -globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON "rank: 1 " LINES(""), "map Triton 1-4 tiled t9 r1 a7f0000000000 d64 b64 e1 i0 s3 "
                                      "l2 f0 -globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON "rank=1\n" LINES(""), "map Triton 1-5 tiled t9 r1 a7f0000000000 d64 b64 e1 i0 s3 "
                                      "l2 f0 -globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON "rank 1\n" LINES(""), "map Triton 1-5 tiled t9 r1 a7f0000000000 d64 b64 e1 i0 s3 "
                                      "l2 f0 -globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON "of rank 1\n" LINES(""),
         "map Triton 1-5 tiled t9 r2 a7f0000000000 d64,32 s128 b64,32 e1,1 i0 s3 l2 f0 -tensorRank "
         "-globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON "batch size 4 rank 1\n" LINES(""),
         "map Triton 1-5 tiled t9 r2 a7f0000000000 d64,32 s128 b64,32 e1,1 i0 s3 l2 f0 -tensorRank "
         "-globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON "N 4 rank 1\n" LINES(""),
         "map Triton 1-5 tiled t9 r2 a7f0000000000 d64,32 s128 b64,32 e1,1 i0 s3 l2 f0 -tensorRank "
         "-globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON "4 rank 1\n" LINES(""), "map Triton 1-5 tiled t9 r1 a7f0000000000 d64 b64 e1 i0 s3 "
                                        "l2 f0 -globalAddress =interleave =l2Promotion =oobFill"},
        {TRITON "batch: 4 rank 1\n" LINES(""),
         "map Triton 1-5 tiled t9 r1 a7f0000000000 d64 b64 e1 i0 s3 l2 f0 -globalAddress "
         "=interleave =l2Promotion =oobFill"},
        {TRITON "batch=4 rank 1\n" LINES(""),
         "map Triton 1-5 tiled t9 r1 a7f0000000000 d64 b64 e1 i0 s3 l2 f0 -globalAddress "
         "=interleave =l2Promotion =oobFill"},
        {TRITON "Rank rank 1\n" LINES(""),
         "map Triton 1-5 tiled t9 r2 a7f0000000000 d64,32 s128 b64,32 e1,1 i0 s3 l2 f0 -tensorRank "
         "-globalAddress =interleave =l2Promotion =oobFill"},
    };
    (void)state;
    expect_found(logs, COUNT_OF(logs));
}

static const char *const cutlass[] = {"TMA Desc Addr:   0x7ffe10a2c340",
                                      "format         9",
                                      "dim            3",
                                      "gmem_address   0x7f2a40000000",
                                      "globalDim      (896,4608,6,1,1)",
                                      "globalStrides  (2,1800,8294400,0,0)",
                                      "boxDim         (64,96,1,1,1)",
                                      "elementStrides (1,1,1,1,1)",
                                      "interleave     0",
                                      "swizzle        3",
                                      "l2Promotion    2",
                                      "oobFill        0"};
#define NOISE                                                                                      \
    2 /* lines before the last: by its number alone that one still belongs to the others */

/* Numbers of lines are no part of them: those that count up by one. `last` is the last line's. */
static void numbers_of_lines(void **state) {
    static const struct {
        const char *before, *behind;
        unsigned first, step, last;
        const char *found;
    } cases[] = {
        {"", ": ", 1, 1, 14,
         "map CUTLASS 1-14 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"", ": ", 1, 1, 99,
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -oobFill"},
        {"", ": ", 1, 1, 13,
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -oobFill"},
        {"  ", " | ", 98, 1, 111,
         "map CUTLASS 1-14 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"", "\t", 1, 1, 14,
         "map CUTLASS 1-14 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"", ") ", 1, 1, 14,
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -oobFill"},
        {"", ": ", 14, 0, 14,
         "map CUTLASS 1-14 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"", ": ", 1, 2, 27,
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -oobFill"},
        {"", " ", 9999986, 1, 9999999,
         "map CUTLASS 1-14 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"", " ", 9999987, 1, 10000000,
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -oobFill"},
        {"\033[32m", "\033[0m ", 1, 0, 1,
         "map CUTLASS 1-14 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"", "| ", 0, 1, 13,
         "map CUTLASS 1-14 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
    };
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[2048];
        size_t length = 0;
        unsigned number = cases[i].first;
        for (size_t k = 0; k < COUNT_OF(cutlass) + NOISE; k++, number += cases[i].step) {
            const int is_last = k + 1 == COUNT_OF(cutlass) + NOISE;
            length += (size_t)sprintf(text + length, "%s%u%s%s\n", cases[i].before,
                                      is_last ? cases[i].last : number, cases[i].behind,
                                      is_last                     ? cutlass[k - NOISE]
                                      : k + 1 < COUNT_OF(cutlass) ? cutlass[k]
                                                                  : "loading");
        }
        wrong += !finds(&(struct small_log){text, cases[i].found});
    }
    assert_int_equal(wrong, 0);
}

/* The first line has none before it to count from: the one behind it says what its number is. Other
 * lines between them, so that nothing else joins them. */
static void number_of_the_first_line(void **state) {
    char text[2048];
    size_t length = 0;
    (void)state;
    for (unsigned k = 0; k < COUNT_OF(cutlass) + NOISE; k++) {
        const char *line = k == 0 ? cutlass[0] : k <= NOISE ? "loading" : cutlass[k - NOISE];
        length += (size_t)sprintf(text + length, "%u: %s\n", k + 1, line);
    }
    assert_true(finds(&(struct small_log){
        text, "map CUTLASS 1-14 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 "
              "s1800,8294400 b64,96,1 e1,1,1 i0 s3 l2 f0"}));
}

/* A call over several lines, each behind the same words, in colours and with other numbers, as they
 * are or escaped. */
static void calls_behind_words(void **state) {
    static const struct small_log logs[] = {
        {"\033[36m10:11:12 rank7\033[0m | cuTensorMapEncodeTiled(&map, 6, 2, (void "
         "*)0x7f2a40000000,\n"
         "\033[36m10:11:12 rank7\033[0m |     {64, 32}, {256}, {32, 8}, {1, 1},\n"
         "\033[1;33m10:11:13 rank7\033[0m |     0, 3, 2, 1);\n",
         "map a call in source text 1-1 tiled t6 r2 a7f2a40000000 d64,32 s256 b32,8 e1,1 i0 s3 l2 "
         "f1"},
        {"worker INFO cuTensorMapEncodeTiled(&map, 6, 2, (void *)0x7f2a40000000,\n"
         "worker INFO {64, 32}, {256}, {32, 8}, {1, 1},\n"
         "worker INFO 0, 3, 2, 1);\n",
         "map a call in source text 1-1 tiled t6 r2 a7f2a40000000 d64,32 s256 b32,8 e1,1 i0 s3 l2 "
         "f1"},
        {"\\tcuTensorMapEncodeTiled(&map, 6, 2, (void *)0x7f2a40000000,\n"
         "\\t{64, 32}, {256}, {32, 8}, {1, 1},\n"
         "\\t0, 3, 2, 1);\n",
         "map a call in source text 1-1 tiled t6 r2 a7f2a40000000 d64,32 s256 b32,8 e1,1 i0 s3 l2 "
         "f1"},
        {"INFO\\tcuTensorMapEncodeTiled(&map, 6, 2, (void *)0x7f2a40000000,\n"
         "INFO\\t{64, 32}, {256}, {32, 8}, {1, 1},\n"
         "INFO\\t0, 3, 2, 1);\n",
         "map a call in source text 1-1 tiled t6 r2 a7f2a40000000 d64,32 s256 b32,8 e1,1 i0 s3 l2 "
         "f1"},
        {"\\u001b[36mcuTensorMapEncodeTiled(&map, 6, 2, (void *)0x7f2a40000000,\n"
         "\\u001b[33m{64, 32}, {256}, {32, 8}, {1, 1},\n"
         "\\u001b[33m0, 3, 2, 1);\n",
         "map a call in source text 1-1 tiled t6 r2 a7f2a40000000 d64,32 s256 b32,8 e1,1 i0 s3 l2 "
         "f1"},
    };
    (void)state;
    expect_found(logs, COUNT_OF(logs));
}

/* Each beginning of a call with blanks as they are escaped and colours lies against a page that
 * nobody may touch; it is a map from the bracket on that closes it. */
static void calls_that_end_anywhere(void **state) {
    static const char text[] =
        "\\t\\e[1mcuTensorMapEncodeTiled(&map, 6,\\t2,\\n(void *)0x7f2a40000000,\xC2\xA0"
        "{64, 32}, \033[36m{256}\033[0m,\n\\t\\e[2m{32, 8}, {1, 1}, 0, 3, 2, 1)\\t\033[0m";
    const size_t end = (size_t)(strrchr(text, ')') - text);
    struct guard_arena arena;
    (void)state;
    guard_arena_make(&arena, sizeof(text));
    for (size_t size = 0; size < sizeof(text); size++) {
        char *placed = (char *)guard_arena_place(&arena, size, 1);
        memcpy(placed, text, size);
        assert_int_equal(tma_paste_read(placed, size, NULL, NULL), size > end);
    }
    guard_arena_free(&arena);
}

/* The whole block with something between its lines. */
static void ends_of_lines(void **state) {
    static const struct {
        const char *before, *between;
        const char *found;
    } cases[] = {
        {"", "\n",
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"", "\r\n",
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"", "\r",
         "map CUTLASS 1-1 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"", "\\n",
         "map CUTLASS 1-1 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"", "\\\\\\n",
         "map CUTLASS 1-1 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"> ", "\n",
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"\\t", "\n",
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"\xC2\xA0", "\n",
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"\033[1;32m", "\033[0m\n",
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"\\u001b[32m", "\\x1b[0m\n",
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"\\033[32m", "\\e[0m\n",
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"", "\n\n\n",
         "map CUTLASS 1-34 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"\\\"", "\\\"\n",
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"", "\v\n",
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"", "\x7F\n",
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
    };
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[2048];
        size_t length = 0;
        for (size_t k = 0; k < COUNT_OF(cutlass); k++) {
            length += (size_t)sprintf(text + length, "%s%s%s", cases[i].before, cutlass[k],
                                      cases[i].between);
        }
        wrong += !finds(&(struct small_log){text, cases[i].found});
    }
    assert_int_equal(wrong, 0);
}

/* What passes from line to line names nobody: times, dates, shares, places in sources; any other
 * word with digits does. Between two lines of the block stand others, so that nothing else joins
 * them. */
static void words_that_pass(void **state) {
    static const struct {
        const char *before; /* with the line's number, from 10 on */
        const char *found;
    } cases[] = {
        {"", "map CUTLASS 1-34 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
             "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"12:%02u ", "map CUTLASS 1-34 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 "
                     "s1800,8294400 b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"1:%02u ", ""},
        {"12:%02u: ", "map CUTLASS 1-34 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 "
                      "s1800,8294400 b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"03-04 10:11:%02u ", "map CUTLASS 1-34 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 "
                              "d896,4608,6 s1800,8294400 b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"2026-03-04T10:11:%02uZ ", "map CUTLASS 1-34 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 "
                                    "d896,4608,6 s1800,8294400 b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"2026-03-%02u ", "map CUTLASS 1-34 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 "
                          "s1800,8294400 b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"10.%02u ", "map CUTLASS 1-34 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 "
                     "s1800,8294400 b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"1.%02u ", ""},
        {"12,3%02u ", "map CUTLASS 1-34 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 "
                      "s1800,8294400 b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"%u%% ", "map CUTLASS 1-34 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 "
                  "s1800,8294400 b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"%u/99 ", "map CUTLASS 1-34 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 "
                   "s1800,8294400 b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"?%u ", "map CUTLASS 1-34 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 "
                 "s1800,8294400 b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"x.py:%u ", "map CUTLASS 1-34 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 "
                     "s1800,8294400 b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"x:%u ", ""},
        {"xy:%u ", "map CUTLASS 1-34 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 "
                   "s1800,8294400 b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"xy:z%u ", ""},
        {"12345678%02u ", "map CUTLASS 1-34 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 "
                          "s1800,8294400 b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {"1234567%02u ", ""},
        {"worker%u ", ""},
        {"[%u] ", ""},
        {"(%u) x ", ""},
        {"\"%u\" ", ""},
        {"pid=%u ", ""},
        {"a-%u ", ""},
        {"1-2-%02u ", "map CUTLASS 1-34 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 "
                      "s1800,8294400 b64,96,1 e1,1,1 i0 s3 l2 f0"},
    };
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[4096];
        size_t length = 0;
        for (unsigned k = 0; k < COUNT_OF(cutlass); k++) {
            length += (size_t)sprintf(text + length, cases[i].before, 10 + k);
            length += (size_t)sprintf(text + length, "%s\nloading\nloading\n", cutlass[k]);
        }
        wrong += !finds(&(struct small_log){text, cases[i].found});
    }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_behind_blocks),
        cmocka_unit_test(errors_find_their_blocks),
        cmocka_unit_test(ranks_of_writers_and_of_maps),
        cmocka_unit_test(numbers_of_lines),
        cmocka_unit_test(number_of_the_first_line),
        cmocka_unit_test(calls_behind_words),
        cmocka_unit_test(calls_that_end_anywhere),
        cmocka_unit_test(ends_of_lines),
        cmocka_unit_test(words_that_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
