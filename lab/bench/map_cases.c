/* SPDX-License-Identifier: Apache-2.0
 *
 * The maps that encode and decode are timed and counted on.
 */
#include "map_cases.h"

#include "support/cases/spec_words.h"

const struct map_case map_cases[] = {
    {"tile 1-D", "--dtype float32 --dim 1000000 --box 256"},
    {"tile 2-D", "--dtype bfloat16 --dim 7168,4096 --stride 14336 --box 64,128 --swizzle 128B "
                 "--l2 256B"},
    {"tile 3-D", "--dtype uint8 --dim 128,16,4096 --stride 128,6144 --box 128,1,64 --swizzle 128B "
                 "--l2 128B"},
    {"tile 4-D", "--dtype float16 --dim 128,4000,32,2 --stride 8192,256,32768000 --box 64,128,1,1 "
                 "--swizzle 128B"},
    {"tile 5-D", "--dtype float32 --dim 32,1024,16,8,4 --stride 2048,128,2097152,16777216 "
                 "--box 32,32,2,2,2 --swizzle 128B --fill nan"},
    {"tile 5-D, element strides",
     "--dtype float32 --dim 64,1024,16,8,4 --stride 2048,256,2097152,16777216 "
     "--box 64,32,6,8,4 --element-stride 1,2,3,4,2"},
    {"tile 3-D, interleaved",
     "--dtype float16 --dim 512,16,8 --stride 8192,131072 --box 16,1,4 --interleave 16B"},
    {"im2col 3-D", "--api im2col --dtype float16 --dim 64,1024,32 --stride 128,131072 --lower -1 "
                   "--upper -1 --channels 64 --pixels 128 --element-stride 1,2,1 --swizzle 128B"},
    {"im2col 4-D",
     "--api im2col --dtype float16 --dim 64,56,56,32 --stride 128,7168,401408 "
     "--lower -1,-1 --upper -1,-1 --channels 64 --pixels 128 --element-stride 1,2,2,1 "
     "--swizzle 128B"},
    {"im2col 5-D",
     "--api im2col --dtype float16 --dim 64,56,56,16,8 --stride 128,7168,401408,6422528 "
     "--lower -1,-1,-1 --upper -1,-1,-1 --channels 64 --pixels 128 "
     "--element-stride 1,2,2,2,1 --swizzle 128B"},
    {"wide 4-D", "--api wide --dtype float16 --dim 64,56,56,32 --stride 128,7168,401408 --lower -1 "
                 "--upper -1 --channels 64 --pixels 128 --swizzle 128B --wide-mode W128"},
    {"tile 2-D, sm_90a",
     "--arch sm_90a --dtype bfloat16 --dim 7168,4096 --stride 14336 --box 64,128 "
     "--swizzle 128B"},
    {"tile 2-D, TF32, 32-byte atoms, sm_100a",
     "--arch sm_100a --dtype tfloat32 --dim 7168,4096 --stride 28672 --box 32,128 "
     "--swizzle 128B_ATOM_32B"},
    {"tile 5-D, sm_120a", "--arch sm_120a --driver 13.2 --dtype float16 --dim 64,1024,16,8,4 "
                          "--stride 2048,128,2097152,16777216 --box 64,32,2,2,2 --swizzle 128B"},
};

const unsigned map_case_count = sizeof(map_cases) / sizeof(map_cases[0]);

tma_spec map_case_spec(const struct map_case *c, tma_target *target) {
    return spec_of_words(c->words, target);
}
