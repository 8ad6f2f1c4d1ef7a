/* SPDX-License-Identifier: Apache-2.0
 *
 * Values in the forms in which people and programs write them, and lines that are missing; calls in
 * source text; the units and orders that some programs have of their own.
 */
#include "support/testing.h"

#include "support/paste_words.h"

static const char *const block[] = {"TMA Desc Addr:   0x7ffe10a2c340",
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

struct change {
    const char
        *lines[4]; /* in place of those that begin with the same word; a word alone: missing */
    const char *found;
};

/* The line of the block, or what stands for it; "" if it is missing. */
static const char *changed(const struct change *c, const char *line) {
    const size_t word = strcspn(line, " ");
    for (size_t i = 0; i < COUNT_OF(c->lines) && c->lines[i]; i++) {
        if (!strncmp(c->lines[i], line, word) && strchr(" [:", c->lines[i][word])) {
            return c->lines[i][word] ? c->lines[i] : "";
        }
    }
    return line;
}

static void expect_changes(const struct change *changes, size_t count) {
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        char text[2048];
        size_t length = 0;
        for (size_t k = 0; k < COUNT_OF(block); k++) {
            const char *line = changed(&changes[i], block[k]);
            length += (size_t)sprintf(text + length, *line ? "%s\n" : "%s", line);
        }
        wrong += !finds(&(struct small_log){text, changes[i].found});
    }
    assert_int_equal(wrong, 0);
}

static void lines_that_are_missing(void **state) {
    static const struct change changes[] = {
        {{""},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"boxDim (64U,96u,1L,1l,1UL)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t1 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -tensorDataType 16 bit"},
        {{"dim"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -tensorRank"},
        {{"gmem_address"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r3 a7f0000000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -globalAddress"},
        {{"globalDim"}, "torn CUTLASS 1-11 (the sizes or the box are not in the text)"},
        {{"globalStrides"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1792,8257536 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -globalStrides"},
        {{"boxDim"}, "torn CUTLASS 1-11 (the sizes or the box are not in the text)"},
        {{"elementStrides"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -elementStrides"},
        {{"interleave"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -interleave"},
        {{"swizzle"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s0 l2 f0 -swizzle"},
        {{"l2Promotion"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l0 f0 -l2Promotion"},
        {{"oobFill"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -oobFill"},
        {{"format", "globalStrides", "oobFill 1"},
         "map CUTLASS 1-10 at 7ffe10a2c340 tiled t0 r3 a7f2a40000000 d896,4608,6 s896,4128768 "
         "b64,96,1 e1,1,1 i0 s3 l2 f1 -tensorDataType -globalStrides"},
        {{"format", "globalStrides (1,1800,8294400,0,0)", "oobFill 1"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t0 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f1 -tensorDataType 8 bit"},
        {{"format", "globalStrides (2,1800,8294400,0,0)", "oobFill 1"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f1 -tensorDataType 16 bit"},
        {{"format", "globalStrides (4,1800,8294400,0,0)", "oobFill 1"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t7 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f1 -tensorDataType 32 bit"},
        {{"format", "globalStrides (8,1800,8294400,0,0)", "oobFill 1"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t8 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f1 -tensorDataType 64 bit"},
        {{"format", "globalStrides (0,1800,8294400,0,0)", "oobFill 1"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t13 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f1 -tensorDataType 4 bit"},
        {{"format", "globalStrides (4,1800,8294400,0,0)"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t2 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -tensorDataType 32 bit"},
        {{"format", "globalStrides (8,1800,8294400,0,0)"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t4 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -tensorDataType 64 bit"},
        {{"globalStrides (4,1800,8294400,0,0)"},
         "torn CUTLASS 1-12 (its lines do not belong together)"},
        {{"dim", "globalDim (896,1,1,1,1)", "globalStrides (2,0,0,0,0)"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r1 a7f2a40000000 d896 b64 e1 i0 s3 l2 f0 "
         "-tensorRank"},
        {{"dim", "globalDim (896,7,1,1,1)", "globalStrides (2,1800,8294400,8294400,0)"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r4 a7f2a40000000 d896,7,1,1 "
         "s1800,8294400,8294400 b64,96,1,1 e1,1,1,1 i0 s3 l2 f0 -tensorRank"},
        {{"dim", "globalDim (896,7,6,4,2)", "globalStrides (2,1800,8294400,8294400,0)"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r5 a7f2a40000000 d896,7,6,4,2 "
         "s1800,8294400,8294400,0 b64,96,1,1,1 e1,1,1,1,1 i0 s3 l2 f0 -tensorRank"},
        {{"dim", "globalDim (896,4608,1)", "globalStrides (2,1800,0)", "boxDim (64,96,1)"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,1 s1800,0 b64,96,1 "
         "e1,1,1 i0 s3 l2 f0 -tensorRank"},
        {{"dim", "globalDim [896,7,1,1,1]", "globalStrides [2,1800,0,0,0]", "boxDim [64,7,1,1,1]"},
         "map TileLang 1-11 at 7ffe10a2c340 tiled t9 r5 a7f2a40000000 d896,7,1,1,1 s1800,0,0,0 "
         "b64,7,1,1,1 e1,1,1,1,1 i0 s3 l2 f0 -tensorRank"},
        {{"dim", "globalDim (1,1,1,1,1)", "globalStrides (2,0,0,0,0)"},
         "map CUTLASS 1-11 at 7ffe10a2c340 tiled t9 r1 a7f2a40000000 d1 b64 e1 i0 s3 l2 f0 "
         "-tensorRank"},
        {{"dim 4"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r4 a7f2a40000000 d896,4608,6,1 s1800,8294400,0 "
         "b64,96,1,1 e1,1,1,1 i0 s3 l2 f0"},
        {{"dim 5"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r5 a7f2a40000000 d896,4608,6,1,1 "
         "s1800,8294400,0,0 b64,96,1,1,1 e1,1,1,1,1 i0 s3 l2 f0"},
        {{"dim 6"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r6 a7f2a40000000 d896,4608,6,1,1 "
         "s1800,8294400,0,0 b64,96,1,1,1 e1,1,1,1,1 i0 s3 l2 f0"},
        {{"dim 0"}, "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r0 a7f2a40000000 i0 s3 l2 f0"},
        {{"globalDim (896,4608)"}, "torn CUTLASS 1-12 (fewer sizes than dimensions are printed)"},
        {{"boxDim (64,96)"}, "torn CUTLASS 1-12 (fewer sizes than dimensions are printed)"},
        {{"globalDim 0x7ffe10a2c300", "globalStrides 0x7ffe10a2c320", "boxDim 0x7ffe10a2c340"},
         "pointers CUTLASS 1-12 (the arrays are printed as pointers; the generated host source has "
         "the values)"},
        {{"globalDim 0x100000000", "globalStrides 0x7ffe10a2c320", "boxDim 0x100000000"},
         "pointers CUTLASS 1-12 (the arrays are printed as pointers; the generated host source has "
         "the values)"},
        {{"globalDim 0x7ffe10a2c300", "globalStrides 0x7ffe10a2c320", "boxDim 0xffffffff"},
         "torn CUTLASS 1-12 (fewer sizes than dimensions are printed)"},
        {{"globalDim 0xffffffff", "globalStrides 0x7ffe10a2c320", "boxDim 0x7ffe10a2c340"},
         "torn CUTLASS 1-12 (fewer sizes than dimensions are printed)"},
    };
    (void)state;
    expect_changes(changes, COUNT_OF(changes));
}

static void values_as_they_are_written(void **state) {
    static const struct change changes[] = {
        {{"gmem_address (nil)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a0 d896,4608,6 s1800,8294400 b64,96,1 "
         "e1,1,1 i0 s3 l2 f0"},
        {{"gmem_address nullptr"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a0 d896,4608,6 s1800,8294400 b64,96,1 "
         "e1,1,1 i0 s3 l2 f0"},
        {{"gmem_address ptr"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f0000000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -globalAddress"},
        {{"gmem_address A.data"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f0000000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -globalAddress"},
        {{"format CU_TENSOR_MAP_DATA_TYPE_FLOAT16"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format <CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT16: 6>"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format <6>"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t1 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -tensorDataType 16 bit"},
        {{"format static_cast<CUtensorMapDataType>(6)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format (CUtensorMapDataType)6"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format \"fp16\""},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format 'fp16'"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format torch.float16"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format 18446744073709551616"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t1 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -tensorDataType 16 bit"},
        {{"format 6.5"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t1 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -tensorDataType 16 bit"},
        {{"format 6."},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format 0x6"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format 0x"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t1 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -tensorDataType 16 bit"},
        {{"format 6ull"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format 6ulll"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t1 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -tensorDataType 16 bit"},
        {{"format: 6"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format = 6"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format -> 6"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t1 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -tensorDataType 16 bit"},
        {{"format -- 6"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format - 6"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t1 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -tensorDataType 16 bit"},
        {{"format --6"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format ---6"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format -6"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t4294967295 r3 a7f2a40000000 d896,4608,6 "
         "s1800,8294400 b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format static_cast<CUtensorMapDataType 6"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t1 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -tensorDataType 16 bit"},
        {{"format CU_TENSOR_MAP_DATA_TYPE_FLOAT16."},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format | 6"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format `6`"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"format **6**"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t6 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"swizzle 3 l2Promotion 1"},
         "torn CUTLASS 1-12 (lines of several writers got into one another)"},
        {{"swizzle 3 x"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s0 l2 f0 -swizzle"},
        {{"swizzle 3, x"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
    };
    (void)state;
    expect_changes(changes, COUNT_OF(changes));
}

static void lists_as_they_are_written(void **state) {
    static const struct change changes[] = {
        {{"globalDim [896,4608,6]", "globalStrides [2,1800,8294400]", "boxDim [64,96,1]",
          "elementStrides [1,1,1]"},
         "map TileLang 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"globalDim 896 4608 6", "globalStrides 1800 8294400", "boxDim 64 96 1",
          "elementStrides 1 1 1"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"globalDim 896,4608,6", "globalStrides 1800,8294400", "boxDim 64, 96, 1",
          "elementStrides 1,1,1"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"globalDim {896,4608,6}", "globalStrides {1800,8294400}", "boxDim <64,96,1>",
          "elementStrides {1,1,1}"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"globalDim[3] = {896, 4608, 6}", "boxDim[3]= {64, 96, 1}"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"boxDim[0] = 64, boxDim[1] = 96"},
         "torn CUTLASS 1-12 (lines of several writers got into one another)"},
        {{"boxDim 0x7ffe10 [64,96,1]"}, "torn CUTLASS 1-12 (its lines do not belong together)"},
        {{"boxDim (1<<6,(32)*3,8/8,2-1,((1)))"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"boxDim ((((((((((((64))))))))))),96,1,1,1)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"boxDim (((((((((((((64)))))))))))),96,1,1,1)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b1,96,1 e1,1,1 i0 s3 l2 f0 -boxDim"},
        {{"boxDim (1<<64,96,1,1,1)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b1,96,1 e1,1,1 i0 s3 l2 f0 -boxDim"},
        {{"boxDim (64/0,96,1,1,1)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b1,96,1 e1,1,1 i0 s3 l2 f0 -boxDim"},
        {{"boxDim (64//1,96,1,1,1)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"boxDim (sizeof(float)*16,96,uint32_t(1),1,1)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"boxDim (sizeof float,96,1,1,1)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b1,96,1 e1,1,1 i0 s3 l2 f0 -boxDim"},
        {{"boxDim (sizeof(fp4),96,1,1,1)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b1,96,1 e1,1,1 i0 s3 l2 f0 -boxDim"},
        {{"boxDim (static_cast<int>(64),96,1,1,1)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"boxDim ((uint32_t)64,(unsigned long long)96,1,1,1)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"boxDim (64,96,nullptr,None,NULL)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,0 e1,1,1 i0 s3 l2 f0"},
        {{"boxDim (64,96,n,f(1, 2),[3, 4])"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0 -boxDim"},
        {{"boxDim (64,,96,1,1,1)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"boxDim ()"}, "torn CUTLASS 1-12 (fewer sizes than dimensions are printed)"},
        {{"boxDim (64,96,1,1,1"},
         "torn CUTLASS 1-12 (lines of several writers got into one another)"},
        {{"boxDim (64,96,1,1,1)(2"},
         "torn CUTLASS 1-12 (lines of several writers got into one another)"},
        {{"boxDim (64,96,1,1,1)2"},
         "torn CUTLASS 1-12 (lines of several writers got into one another)"},
        {{"boxDim (64,96,1,1,1) x"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"boxDim (64 96,1,1,1)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
        {{"boxDim (64,96,1,1,1,1,1,1,1,1)"},
         "torn CUTLASS 1-12 (its lines do not belong together)"},
        {{"boxDim (64 - 1,96 + 1,1,1,1)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b63,97,1 e1,1,1 i0 s3 l2 f0"},
        {{"boxDim (64,-1,1,1,1)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,4294967295,1 e1,1,1 i0 s3 l2 f0"},
        {{"boxDim (static_cast<int>64,96,1,1,1)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b1,96,1 e1,1,1 i0 s3 l2 f0 -boxDim"},
        {{"boxDim (static_cast<int,96,1,1,1)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b1,96,1 e1,1,1 i0 s3 l2 f0 -boxDim"},
        {{"boxDim (sizeof(float,96,1,1,1)"},
         "torn CUTLASS 1-12 (lines of several writers got into one another)"},
        {{"boxDim (2^6,96,1,1,1)"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b1,96,1 e1,1,1 i0 s3 l2 f0 -boxDim"},
        {{"boxDim (64,96,1,(1,1)"},
         "torn CUTLASS 1-12 (lines of several writers got into one another)"},
        {{"boxDim (64,96"}, "torn CUTLASS 1-12 (lines of several writers got into one another)"},
        {{"boxDim (64,96,"}, "torn CUTLASS 1-12 (lines of several writers got into one another)"},
        {{"boxDim (64, 96 ,1 , 1,1 )"},
         "map CUTLASS 1-12 at 7ffe10a2c340 tiled t9 r3 a7f2a40000000 d896,4608,6 s1800,8294400 "
         "b64,96,1 e1,1,1 i0 s3 l2 f0"},
    };
    (void)state;
    expect_changes(changes, COUNT_OF(changes));
}

#define FIRST(dim)  "uint64_t dim[] = {" dim "}; uint64_t stride[1] = {128};\n"
#define SECOND      "uint32_t box[2] = {64, 8}; uint32_t es[] = {1, 2};\n"
#define ARRAYS(dim) FIRST(dim) SECOND
#define HALF        "CU_TENSOR_MAP_DATA_TYPE_FLOAT16, "
#define LAST                                                                                       \
    "CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, " \
    "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)"
#define CALL(rank)                                                                                 \
    "cuTensorMapEncodeTiled(&map, " HALF rank ", ptr, dim, stride, box, es, " LAST ";\n"
#define IM2COL                                                                                     \
    "cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, 0x7f2a40000000, [64, 32, "  \
    "16, 2], [256, 8192, 131072], "

static void calls_as_they_are_written(void **state) {
    static const struct small_log logs[] = {
        {ARRAYS("64, 32") CALL("2"), "map a call in source text 3-3 tiled t6 r2 a7f0000000000 "
                                     "d64,32 s128 b64,8 e1,2 i0 s3 l0 f0 -globalAddress"},
        {CALL("2"), ""},
        {ARRAYS("N, 32") CALL("2"), ""},
        {"const int N = 64;\n" ARRAYS("N, 2 * N") CALL("2"),
         "map a call in source text 4-4 tiled t6 r2 a7f0000000000 d64,128 s128 b64,8 e1,2 i0 s3 l0 "
         "f0 -globalAddress"},
        {"N = 64\n" ARRAYS("N, N / 2") CALL("2"),
         "map a call in source text 4-4 tiled t6 r2 a7f0000000000 d64,32 s128 b64,8 e1,2 i0 s3 l0 "
         "f0 -globalAddress"},
        {"N = 64\nN = 32\n" ARRAYS("2 * N, N") CALL("2"),
         "map a call in source text 5-5 tiled t6 r2 a7f0000000000 d64,32 s128 b64,8 e1,2 i0 s3 l0 "
         "f0 -globalAddress"},
        {ARRAYS("64, 32") "dim = {64, 16};\n" CALL("2"),
         "map a call in source text 4-4 tiled t6 r2 a7f0000000000 d64,16 s128 b64,8 e1,2 i0 s3 l0 "
         "f0 -globalAddress"},
        {ARRAYS("64, 32") "CUresult r = " CALL("2") "(<CUresult.CUDA_ERROR_INVALID_VALUE: 1>,)\n",
         "map a call in source text 3-4 code 1 tiled t6 r2 a7f0000000000 d64,32 s128 b64,8 e1,2 i0 "
         "s3 l0 f0 -globalAddress"},
        {ARRAYS("64, 32") CALL("2") CALL("2"),
         "map a call in source text 3-3 tiled t6 r2 a7f0000000000 d64,32 s128 b64,8 e1,2 i0 s3 l0 "
         "f0 -globalAddress; map a call in source text 4-4 tiled t6 r2 a7f0000000000 d64,32 s128 "
         "b64,8 e1,2 i0 s3 l0 f0 -globalAddress"},
        {ARRAYS("64, 32") CALL("1"), "map a call in source text 3-3 tiled t6 r1 a7f0000000000 d64 "
                                     "b64 e1 i0 s3 l0 f0 -globalAddress"},
        {ARRAYS("64, 32") CALL("3"), ""},
        {ARRAYS("64, 32") CALL("6"), ""},
        {ARRAYS("64, 32") CALL("0"),
         "map a call in source text 3-3 tiled t6 r0 a7f0000000000 i0 s3 l0 f0 -globalAddress"},
        {FIRST("64, 32") CALL("2"), ""},
        {"cuTensorMapEncodeTiled(&map, " HALF
         "2, (void *)0x7f2a40000000, {64, 32}, {256}, {32, 8}, {1, 1}, 0, 3, 2, 1)",
         "map a call in source text 1-1 tiled t6 r2 a7f2a40000000 d64,32 s256 b32,8 e1,1 i0 s3 l2 "
         "f1"},
        {"cuTensorMapEncodeTiled(&map, " HALF
         "2, (void *)0x7f2a40000000, {64, 32}, {256}, {32, 8}, {1, 1}, 0, 3, 2)",
         ""},
        {"cuTensorMapEncodeTiled(" HALF
         "2, 0x7f2a40000000, [64, 32], [256], [32, 8], [1, 1], 0, 3, 2, 1)",
         "map a call in source text 1-1 tiled t6 r2 a7f2a40000000 d64,32 s256 b32,8 e1,1 i0 s3 l2 "
         "f1"},
        {"cuTensorMapEncodeTiled(" HALF
         "2, 0x7f2a40000000, [64, 32], [256], [32, 8], [1, 1], 0, 3, 2, 1",
         ""},
        {"cuTensorMapEncodeTiled(" HALF "1, 0x7f2a40000000, [64], None, [32], [1], 0, 3, 2, 1)",
         "map a call in source text 1-1 tiled t6 r1 a7f2a40000000 d64 b32 e1 i0 s3 l2 f1"},
        {"cuTensorMapEncodeTiled(" HALF
         "2, tensor.data_ptr(), [64, 32], [256], [32, 8], [1, 1], 0, 3, 2, 1)",
         "map a call in source text 1-1 tiled t6 r2 a7f0000000000 d64,32 s256 b32,8 e1,1 i0 s3 l2 "
         "f1 -globalAddress"},
        {IM2COL "[-1, -2], [1, 2], 32, 128, [1, 1, 1, 1], 0, 3, 2, 1)",
         "map a call in source text 1-1 im2col t7 r4 a7f2a40000000 d64,32,16,2 s256,8192,131072 "
         "c32 p128 -1..1 -2..2 e1,1,1,1 i0 s3 l2 f1"},
        {IM2COL "[-1, -2], [1, 2], 32, [1, 1, 1, 1], 0, 3, 2, 1)", ""},
        {"tl.tensormap_encode_tiled(A_map, 6, 2, A.data, 64, 32, 128, 64, 8, 1, 2, 0, 3, 2, 1)",
         "map a call in TVM's IR 1-1 tiled t6 r2 a7f0000000000 d64,32 s128 b64,8 e1,2 i0 s3 l2 f1 "
         "-globalAddress"},
        {"tensormap_encode_tiled(A_map, 6, 1, 0x7f2a40000000, 64, 64, 1, 0, 3, 2, 0)",
         "map a call in TVM's IR 1-1 tiled t6 r1 a7f2a40000000 d64 b64 e1 i0 s3 l2 f0"},
        {"tensormap_encode_tiled(A_map, 6, 2, A.data, N, 32, 128, 64, 8, 1, 1, 0, 3, 2, 0)",
         "map a call in TVM's IR 1-1 tiled t6 r2 a7f0000000000 d64,32 s128 b64,8 e1,1 i0 s3 l2 f0 "
         "-globalAddress -globalDim"},
        {"tensormap_encode_tiled(A_map, 6, 3, A.data, 64, 32, 128, 64, 8, 1, 2, 0, 3, 2, 1)", ""},
        {"tensormap_encode_tiled(A_map, 6, 0, A.data, 64, 32, 128, 64, 8, 1, 2, 0, 3, 2, 1)", ""},
        {"tensormap_encode_tiled(A_map, 6, 6, A.data, 64, 32, 128, 64, 8, 1, 2, 0, 3, 2, 1)", ""},
        {"tensormap_encode_tiled(A_map, 6, 2, A.data, 64, 32, 128, 64, 8, 1, 2, 0, 3, 2)", ""},
        {"tensormap_encode_tiled(A_map, 6)", ""},
        {"__tvm_tensormap_create_tiled(A_map, 6, 2, A.data, 64, 32, 2, 128, 64, 8, 1, 1, 0, 3, 2, "
         "0)",
         "map a call in TVM's IR 1-1 tiled t6 r2 a7f0000000000 d64,32 s128 b64,8 e1,1 i0 s3 l2 f0 "
         "-globalAddress"},
        {"__tvm_tensormap_create_tiled(A_map, 6, 2, A.data, 64, 32, 128, 64, 8, 1, 1, 0, 3, 2, 0)",
         ""},
        {"TensorDescriptor(base=t, shape=[32, 64], strides=[64, 1], block_shape=[8, 64])",
         "map Triton's TensorDescriptor 1-1 tiled t0 r2 a7f0000000000 d64,32 s64 b64,8 e1,1 i0 s0 "
         "l2 f0 -tensorDataType -tensorRank -globalAddress -elementStrides =interleave -swizzle "
         "=l2Promotion =oobFill"},
        {"TensorDescriptor(base=t, shape=[32, 64], strides=[64, 1], block_shape=[8, 64], "
         "dtype=torch.float16, padding=\"nan\")",
         "map Triton's TensorDescriptor 1-1 tiled t6 r2 a7f0000000000 d64,32 s128 b64,8 e1,1 i0 s0 "
         "l2 f1 -tensorRank -globalAddress -elementStrides =interleave -swizzle =l2Promotion"},
        {"TensorDescriptor(base=t, shape=[32, 64], block_shape=[8, 64], padding=\"zero\")",
         "map Triton's TensorDescriptor 1-1 tiled t0 r2 a7f0000000000 d64,32 s64 b64,8 e1,1 i0 s0 "
         "l2 f0 -tensorDataType -tensorRank -globalAddress -globalStrides -elementStrides "
         "=interleave -swizzle =l2Promotion"},
        {"TensorDescriptor(base=t, shape=[32, 64], strides=[64, 1])", ""},
        {"TensorDescriptor(base=t, xshape=[32, 64], strides=[64, 1], block_shape=[8, 64])", ""},
        {"TensorDescriptor(base=t, shape=[32, 64], strides=[64, 1], block_shape=[8, 64", ""},
        {"TensorDescriptor", ""},
        {"TensorDescriptor(", ""},
    };
    (void)state;
    expect_found(logs, COUNT_OF(logs));
}

#define GEMM(swizzle, size)                                                                        \
    "Making TMA desc: global memory: 64 32, shared memory: 64 8, outer stride: 64, "               \
    "swizzle: " swizzle ", elem size: " size "\n"
#define DIALECT(layout, size)                                                                      \
    "global_shape = [32, 64], tile_shape = [8, 64], tile_strides = [2, 1], " layout                \
    "element_byte_size = " size ", swizzle_mode = \"128b\"\n"
#define XLA(front, size, box, fill)                                                                \
    "TmaDescriptor{" front "element_size: " size                                                   \
    ", global_dims: {64,32}, global_strides: {128}, " box                                          \
    "element_strides: {1,1}, interleave: 0, swizzle: 3, l2_promotion: 2, float_oob_fill: " fill    \
    "}"
#define BOX "box_dims: {64,8}, "

static void forms_with_their_own_units(void **state) {
    static const struct small_log logs[] = {
        {GEMM("128 (base: 0)", "2"), "map DeepGEMM 1-1 tiled t1 r2 a7f0000000000 d64,32 s128 b64,8 "
                                     "e1,1 i0 s3 l3 f0 -tensorDataType -tensorRank -globalAddress "
                                     "-elementStrides =interleave =l2Promotion =oobFill 16 bit"},
        {GEMM("0 (base: 0)", "2"), "map DeepGEMM 1-1 tiled t1 r2 a7f0000000000 d64,32 s128 b64,8 "
                                   "e1,1 i0 s0 l3 f0 -tensorDataType -tensorRank -globalAddress "
                                   "-elementStrides =interleave =l2Promotion =oobFill 16 bit"},
        {GEMM("16 (base: 0)", "2"), "map DeepGEMM 1-1 tiled t1 r2 a7f0000000000 d64,32 s128 b64,8 "
                                    "e1,1 i0 s0 l3 f0 -tensorDataType -tensorRank -globalAddress "
                                    "-elementStrides =interleave =l2Promotion =oobFill 16 bit"},
        {GEMM("32 (base: 0)", "2"), "map DeepGEMM 1-1 tiled t1 r2 a7f0000000000 d64,32 s128 b64,8 "
                                    "e1,1 i0 s1 l3 f0 -tensorDataType -tensorRank -globalAddress "
                                    "-elementStrides =interleave =l2Promotion =oobFill 16 bit"},
        {GEMM("64 (base: 0)", "2"), "map DeepGEMM 1-1 tiled t1 r2 a7f0000000000 d64,32 s128 b64,8 "
                                    "e1,1 i0 s2 l3 f0 -tensorDataType -tensorRank -globalAddress "
                                    "-elementStrides =interleave =l2Promotion =oobFill 16 bit"},
        {GEMM("96 (base: 0)", "2"), "map DeepGEMM 1-1 tiled t1 r2 a7f0000000000 d64,32 s128 b64,8 "
                                    "e1,1 i0 s96 l3 f0 -tensorDataType -tensorRank -globalAddress "
                                    "-elementStrides =interleave =l2Promotion =oobFill 16 bit"},
        {GEMM("128 (base: 32)", "2"),
         "map DeepGEMM 1-1 tiled t1 r2 a7f0000000000 d64,32 s128 b64,8 e1,1 i0 s4 l3 f0 "
         "-tensorDataType -tensorRank -globalAddress -elementStrides =interleave =l2Promotion "
         "=oobFill 16 bit"},
        {GEMM("128 (base: 0)", "1"), "map DeepGEMM 1-1 tiled t0 r2 a7f0000000000 d64,32 s64 b64,8 "
                                     "e1,1 i0 s3 l3 f0 -tensorDataType -tensorRank -globalAddress "
                                     "-elementStrides =interleave =l2Promotion =oobFill 8 bit"},
        {GEMM("128 (base: 0)", "4"), "map DeepGEMM 1-1 tiled t2 r2 a7f0000000000 d64,32 s256 b64,8 "
                                     "e1,1 i0 s3 l3 f0 -tensorDataType -tensorRank -globalAddress "
                                     "-elementStrides =interleave =l2Promotion =oobFill 32 bit"},
        {GEMM("128 (base: 0)", "8"), "map DeepGEMM 1-1 tiled t4 r2 a7f0000000000 d64,32 s512 b64,8 "
                                     "e1,1 i0 s3 l3 f0 -tensorDataType -tensorRank -globalAddress "
                                     "-elementStrides =interleave =l2Promotion =oobFill 64 bit"},
        {GEMM("128 (base: 0)",
              "2") "Failed: CUDA driver error csrc/x.hpp:149 '1 (X, invalid argument)'\n",
         "map DeepGEMM 1-2 code 1 tiled t1 r2 a7f0000000000 d64,32 s128 b64,8 e1,1 i0 s3 l3 f0 "
         "-tensorDataType -tensorRank -globalAddress -elementStrides =interleave =l2Promotion "
         "=oobFill 16 bit"},
        {"Making 2D TMA desc: global memory: 64 32, shared memory: 64 8, outer stride: 128, "
         "swizzle: 128 elem size: 2\n",
         "map DeepGEMM 1-1 tiled t1 r2 a7f0000000000 d64,32 s128 b64,8 e1,1 i0 s3 l3 f0 "
         "-tensorDataType -tensorRank -globalAddress -elementStrides =interleave =l2Promotion "
         "=oobFill 16 bit"},
        {"Making 3D TMA desc: global memory: 64 32 4, shared memory: 64 8 1, outer strides: 64 "
         "2048, swizzle: 0, elem size: 2\n",
         "map DeepGEMM 1-1 tiled t1 r3 a7f0000000000 d64,32,4 s128,4096 b64,8,1 e1,1,1 i0 s0 l3 f0 "
         "-tensorDataType -tensorRank -globalAddress -elementStrides =interleave =l2Promotion "
         "=oobFill 16 bit"},
        {DIALECT("layout = [1, 0], ", "2"),
         "map XLA's Triton dialect 1-1 tiled t1 r2 a7f0000000000 d64,32 s128 b64,8 e1,2 i0 s3 l2 "
         "f0 -tensorDataType -tensorRank -globalAddress -globalStrides =interleave =l2Promotion "
         "=oobFill 16 bit"},
        {DIALECT("layout = [0, 1], ", "2"),
         "map XLA's Triton dialect 1-1 tiled t1 r2 a7f0000000000 d32,64 s64 b8,64 e2,1 i0 s3 l2 f0 "
         "-tensorDataType -tensorRank -globalAddress -globalStrides =interleave =l2Promotion "
         "=oobFill 16 bit"},
        {DIALECT("layout = [1], ", "2"),
         "map XLA's Triton dialect 1-1 tiled t1 r2 a7f0000000000 d64,32 s128 b64,8 e1,2 i0 s3 l2 "
         "f0 -tensorDataType -tensorRank -globalAddress -globalStrides =interleave =l2Promotion "
         "=oobFill 16 bit"},
        {DIALECT("layout = [1, 2], ", "2"),
         "map XLA's Triton dialect 1-1 tiled t1 r2 a7f0000000000 d64,32 s128 b64,8 e1,2 i0 s3 l2 "
         "f0 -tensorDataType -tensorRank -globalAddress -globalStrides =interleave =l2Promotion "
         "=oobFill 16 bit"},
        {DIALECT("", "4"), "map XLA's Triton dialect 1-1 tiled t2 r2 a7f0000000000 d64,32 s256 "
                           "b64,8 e1,2 i0 s3 l2 f0 -tensorDataType -tensorRank -globalAddress "
                           "-globalStrides =interleave =l2Promotion =oobFill 32 bit"},
        {XLA("", "2", BOX, "0"), "map XLA 1-1 tiled t1 r2 a7f0000000000 d64,32 s128 b64,8 e1,1 i0 "
                                 "s3 l2 f0 -tensorDataType -tensorRank -globalAddress 16 bit"},
        {XLA("", "2", BOX, "0") XLA("", "4", BOX, "1"),
         "map XLA 1-1 tiled t1 r2 a7f0000000000 d64,32 s128 b64,8 e1,1 i0 s3 l2 f0 -tensorDataType "
         "-tensorRank -globalAddress 16 bit; map XLA 1-1 tiled t2 r2 a7f0000000000 d64,32 s128 "
         "b64,8 e1,1 i0 s3 l2 f1 -tensorDataType -tensorRank -globalAddress 32 bit"},
        {XLA("", "0", BOX, "1"), "map XLA 1-1 tiled t13 r2 a7f0000000000 d64,32 s128 b64,8 e1,1 i0 "
                                 "s3 l2 f1 -tensorDataType -tensorRank -globalAddress 4 bit"},
        {XLA("", "8", BOX, "1"), "map XLA 1-1 tiled t4 r2 a7f0000000000 d64,32 s128 b64,8 e1,1 i0 "
                                 "s3 l2 f1 -tensorDataType -tensorRank -globalAddress 64 bit"},
        {XLA("", "9", BOX, "0"), "map XLA 1-1 tiled t0 r2 a7f0000000000 d64,32 s128 b64,8 e1,1 i0 "
                                 "s3 l2 f0 -tensorDataType -tensorRank -globalAddress"},
        {XLA("rank: 1, ", "2", BOX, "0"), "map XLA 1-1 tiled t1 r1 a7f0000000000 d64 b64 e1 i0 s3 "
                                          "l2 f0 -tensorDataType -globalAddress 16 bit"},
        {XLA("", "2", "", "0"), "torn XLA 1-1 (the sizes or the box are not in the text)"},
    };
    (void)state;
    expect_found(logs, COUNT_OF(logs));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_are_missing),     cmocka_unit_test(values_as_they_are_written),
        cmocka_unit_test(lists_as_they_are_written),  cmocka_unit_test(calls_as_they_are_written),
        cmocka_unit_test(forms_with_their_own_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
