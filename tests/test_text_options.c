/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said of the options of a spec and of a copy, good ones and wrong ones, and of case lines.
 */
#include "support/testing.h"

#include "support/said.h"
#include "tma/case.h"
#include "tma/grammar.h"

#define UNTOUCHED 77u /* what a failed read leaves */

/* " --name value" again and again. */
static int set_all(tma_spec_words *words, const char *text, tma_error *error) {
    char copy[512];
    assert_true(strlen(text) < sizeof(copy));
    strcpy(copy, text);
    tma_spec_words_begin(words);
    for (char *at = strtok(copy, "~"); at; at = strtok(NULL, "~")) {
        char *value = strchr(at, ' ');
        assert_non_null(value);
        *value = 0;
        if (tma_spec_words_set_named(words, at, value + 1, error)) {
            return -1;
        }
    }
    return tma_spec_words_finish(words, error);
}

static int read_spec(tma_out *out, const char *text, tma_error *error) {
    tma_spec_words words;
    if (set_all(&words, text, error)) {
        return -1;
    }
    tma_put_spec(out, &words.spec);
    return 0;
}

#define TILED "dtype bf16~dim 64,32~box 64,8"
#define CONV  "api im2col~dtype bf16~dim 64,9,9,2~channels 64~pixels 8"

static void options_of_a_spec(void **state) {
    static const struct asked cases[] = {
        {TILED,
         "=  --api tiled --dtype bfloat16 --address 0x7f0000000000 --dim 64,32 --stride 128 --box "
         "64,8 --element-stride 1,1 --interleave none --swizzle none --l2 none --fill none"},
        {"dtype bf16~dim 64, 32~box (64,8)",
         "=  --api tiled --dtype bfloat16 --address 0x7f0000000000 --dim 64,32 --stride 128 --box "
         "64,8 --element-stride 1,1 --interleave none --swizzle none --l2 none --fill none"},
        {"dtype bf16~dim [64,  32]~box {64,8}",
         "=  --api tiled --dtype bfloat16 --address 0x7f0000000000 --dim 64,32 --stride 128 --box "
         "64,8 --element-stride 1,1 --interleave none --swizzle none --l2 none --fill none"},
        {"dtype bf16~dim (64,32]~box 64,8",
         "--dim[0]: '(64' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"dtype bf16~dim ()~box 64,8",
         "--dim[0]: '' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"dtype bf16~dim (~box 64,8",
         "--dim[0]: '(' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"dtype bf16~dim 64~box 64",
         "=  --api tiled --dtype bfloat16 --address 0x7f0000000000 --dim 64 --box 64 "
         "--element-stride 1 --interleave none --swizzle none --l2 none --fill none"},
        {"dtype bf16~dim 64,32,~box 64,8",
         "--dim[2]: '' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"dtype bf16~dim ,64~box 64,8",
         "--dim[0]: '' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"dtype bf16~dim ~box 64,8",
         "--dim[0]: '' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {TILED "~stride 128",
         "=  --api tiled --dtype bfloat16 --address 0x7f0000000000 --dim 64,32 --stride 128 --box "
         "64,8 --element-stride 1,1 --interleave none --swizzle none --l2 none --fill none"},
        {TILED "~stride 128,256", "--stride has 2 entries, but --dim has 2: one less is needed, 1"},
        {TILED "~rank 2",
         "=  --api tiled --dtype bfloat16 --address 0x7f0000000000 --dim 64,32 --stride 128 --box "
         "64,8 --element-stride 1,1 --interleave none --swizzle none --l2 none --fill none"},
        {TILED "~rank 3", "--rank is 3, but --dim has 2 entries"},
        {TILED "~rank 6", "--rank is 6, but --dim has 2 entries; 5 will do"},
        {TILED "~rank 0", "=  --api tiled --dtype bfloat16 --rank 0 --address 0x7f0000000000 "
                          "--interleave none --swizzle none --l2 none --fill none"},
        {TILED "~element-stride 1,2",
         "=  --api tiled --dtype bfloat16 --address 0x7f0000000000 --dim 64,32 --stride 128 --box "
         "64,8 --element-stride 1,2 --interleave none --swizzle none --l2 none --fill none"},
        {TILED "~element-stride 1",
         "--element-stride has 1 entry, but --dim has 2: as many are needed, 2"},
        {TILED "~element-stride 4294967296,1",
         "--element-stride[0]: 4294967296 does not fit in the 32 bits that the call has for it"},
        {TILED "~address 0x10",
         "=  --api tiled --dtype bfloat16 --address 0x10 --dim 64,32 --stride 128 --box 64,8 "
         "--element-stride 1,1 --interleave none --swizzle none --l2 none --fill none"},
        {TILED "~address 18446744073709551616",
         "--address: '18446744073709551616' overflows the 64 bits of the argument"},
        {TILED "~lower 0,0", "--lower belongs to --api im2col and wide, but --api is tiled"},
        {TILED "~pixels 8", "--pixels belongs to --api im2col and wide, but --api is tiled"},
        {TILED "~wide-mode W128", "--wide-mode belongs to --api wide, but --api is tiled"},
        {TILED "~box 64,8", "--box is given twice"},
        {TILED "~arch sm_90a~arch sm_100", "--arch is given twice"},
        {TILED "~swizzle 128B~l2 128B~fill nan~interleave none",
         "=  --api tiled --dtype bfloat16 --address 0x7f0000000000 --dim 64,32 --stride 128 --box "
         "64,8 --element-stride 1,1 --interleave none --swizzle 128B --l2 128B --fill nan"},
        {TILED "~swizle 128B", "unknown option 'swizle': swizzle?"},
        {TILED "~swizzle 128BB", "unknown --swizzle '128BB': 128B?"},
        {"dtype bf16~dim 64,32", "--box is missing (--api is tiled)"},
        {"dtype bf16~box 64,32", "--dim is missing (--api is tiled)"},
        {"dim 64,32~box 64,8", "--dtype is missing (--api is tiled)"},
        {"dtype bf16~dim 64,32~box 64",
         "--box has 1 entry, but --dim has 2: as many are needed, 2"},
        {"dtype bf16~dim 64~box 64,8",
         "--box has 2 entries, but --dim has 1: as many are needed, 1"},
        {"dtype bf16~dim 4,4,4,4,4,4~box 4,4,4,4,4,4",
         "=  --api tiled --dtype bfloat16 --rank 6 --address 0x7f0000000000 --dim 4,4,4,4,4 "
         "--stride 8,32,128,512 --box 4,4,4,4,4 --element-stride 1,1,1,1,1 --interleave none "
         "--swizzle none --l2 none --fill none"},
        {"dtype bf16~dim 4,4,4,4,4,4~box 4,4,4,4,4,4~rank 6",
         "=  --api tiled --dtype bfloat16 --rank 6 --address 0x7f0000000000 --dim 4,4,4,4,4 "
         "--stride 8,32,128,512 --box 4,4,4,4,4 --element-stride 1,1,1,1,1 --interleave none "
         "--swizzle none --l2 none --fill none"},
        {"dtype bf16~dim 4,4,4,4,4~box 4,4,4,4,4~rank 6",
         "=  --api tiled --dtype bfloat16 --rank 6 --address 0x7f0000000000 --dim 4,4,4,4,4 "
         "--stride 8,32,128,512 --box 4,4,4,4,4 --element-stride 1,1,1,1,1 --interleave none "
         "--swizzle none --l2 none --fill none"},
        {"dtype bf16~dim 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16~box 1",
         "--box has 1 entry, but --dim has 16: as many are needed, 16"},
        {"dtype bf16~dim 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17~box 1",
         "--dim has more than 16 entries"},
        {"dtype 99~dim 64,32~box 64,8",
         "--stride is missing: --dtype 99 is no type, and has no packed strides"},
        {"dtype 99~dim 64,32~box 64,8~stride 128",
         "=  --api tiled --dtype 99 --address 0x7f0000000000 --dim 64,32 --stride 128 --box 64,8 "
         "--element-stride 1,1 --interleave none --swizzle none --l2 none --fill none"},
        {"dtype bf16~dim 2^62,2^62,4~box 64,8,1",
         "--stride is missing: the packed ones do not fit in 64 bits"},
        {CONV "~lower -1,-1~upper 1,1",
         "=  --api im2col --dtype bfloat16 --address 0x7f0000000000 --dim 64,9,9,2 --stride "
         "128,1152,10368 --lower -1,-1 --upper 1,1 --channels 64 --pixels 8 --element-stride "
         "1,1,1,1 --interleave none --swizzle none --l2 none --fill none"},
        {CONV "~lower -1~upper 1,1",
         "--lower has 1 entry, but --dim has 4: two less are needed, 2"},
        {CONV "~lower -1,-1,0~upper 1,1",
         "--lower has 3 entries, but --dim has 4: two less are needed, 2"},
        {CONV "~lower -1,-1", "--upper is missing (--api is im2col)"},
        {CONV "~lower -2147483648,2147483647~upper 1,1",
         "=  --api im2col --dtype bfloat16 --address 0x7f0000000000 --dim 64,9,9,2 --stride "
         "128,1152,10368 --lower -2147483648,2147483647 --upper 1,1 --channels 64 --pixels 8 "
         "--element-stride 1,1,1,1 --interleave none --swizzle none --l2 none --fill none"},
        {CONV "~lower -2147483649,0~upper 1,1",
         "--lower[0]: -2147483649 is outside the -2147483648 to 2147483647 of 32 bits"},
        {CONV "~lower -1,-1~upper 1,1~box 64,8",
         "--box belongs to --api tiled, but --api is im2col"},
        {"api im2col~dtype bf16~dim 64,9~channels 64~pixels 8",
         "=  --api im2col --dtype bfloat16 --address 0x7f0000000000 --dim 64,9 --stride 128 "
         "--channels 64 --pixels 8 --element-stride 1,1 --interleave none --swizzle none --l2 none "
         "--fill none"},
        {"api im2col~dtype bf16~dim 64,9~channels 64~pixels 8~lower 1,2,3",
         "=  --api im2col --dtype bfloat16 --address 0x7f0000000000 --dim 64,9 --stride 128 "
         "--channels 64 --pixels 8 --element-stride 1,1 --interleave none --swizzle none --l2 none "
         "--fill none"},
        {"api wide~dtype bf16~dim 64,9,9,2~channels 64~pixels 8~lower -1~upper 1~wide-mode W128",
         "=  --api wide --dtype bfloat16 --address 0x7f0000000000 --dim 64,9,9,2 --stride "
         "128,1152,10368 --lower -1 --upper 1 --channels 64 --pixels 8 --element-stride 1,1,1,1 "
         "--interleave none --swizzle none --l2 none --fill none --wide-mode W128"},
        {"api wide~dtype bf16~dim 64,9,9,2~channels 64~pixels 8~lower -1,0~upper 1",
         "--lower has 2 entries, but --dim has 4: W alone is needed, 1"},
        {"api im2col~dtype bf16~dim 64,9,9~channels 64~pixels 8~lower 0~upper 0~wide-mode W",
         "--wide-mode belongs to --api wide, but --api is im2col"},
        {"api im2col~dtype bf16~dim 64,9,9~pixels 8~lower 0~upper 0",
         "--channels is missing (--api is im2col)"},
        {"api im2col~dtype bf16~dim 64,9,9~channels 2^32~pixels 8~lower 0~upper 0",
         "--channels: 2^32 does not fit in the 32 bits that the call has for it"},
    };
    (void)state;
    expect_said(read_spec, cases, COUNT_OF(cases));
}

/* "3 op load~coord 1,2": the rank of a map, tiled or "i" im2col or "w" wide, and a copy's options.
 */
static int read_copy(tma_out *out, const char *text, tma_error *error) {
    const tma_spec spec = {.api = text[1] == 'i'   ? TMA_API_IM2COL
                                  : text[1] == 'w' ? TMA_API_WIDE
                                                   : TMA_API_TILED,
                           .wide_mode = text[0] == '5',
                           .rank = (uint32_t)(text[0] - '0')};
    tma_copy_words words;
    char copy[256];
    strcpy(copy, text + 3);
    tma_copy_words_begin(&words, TMA_OP_LOAD);
    for (char *at = strtok(copy, "~"); at; at = strtok(NULL, "~")) {
        uint32_t option = 0;
        char *value = strchr(at, ' ');
        *value = 0;
        while (tma_copy_option_name(option) && strcmp(tma_copy_option_name(option), at) != 0) {
            option++;
        }
        if (tma_copy_words_set(&words, (tma_copy_option)option, value + 1, error)) {
            return -1;
        }
    }
    tma_copy_words_default(&words, &spec);
    if (tma_copy_words_together(&words, error) || tma_copy_words_check(&words, &spec, error)) {
        return -1;
    }
    tma_put_copy_words(out, &words.in, spec.rank, &words.at);
    tma_put(out, " | ");
    tma_put_instruction(out, &words.in, spec.rank, &words.at);
    return 0;
}

static void options_of_a_copy(void **state) {
    static const struct asked cases[] = {
        {"2t op load", "=  --op load --mode tile --coord=0,0 --shared 0x400 | "
                       "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::"
                       "bytes [0x400], [map, {0, 0}], [mbar]"},
        {"2t op store~coord 1,-2",
         "=  --op store --mode tile --coord=1,-2 --shared 0x400 | "
         "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [map, {1, -2}], [0x400]"},
        {"2t op ad", "unknown --op 'ad': add or and?"},
        {"2t op ",
         "unknown --op '': one of load, store, add, min, max, inc, dec, and, or, xor, prefetch"},
        {"2t coord 1,2~coord 1", "--coord is given twice"},
        {"2t coord 1", "--coord has 1 entry; tile on a map of rank 2 takes 2"},
        {"2t coord 1,2,3", "--coord has 3 entries; tile on a map of rank 2 takes 2"},
        {"2t coord 1,2,3,4,5,6", "--coord has more than 5 entries"},
        {"2t coord 2147483648,0",
         "--coord[0]: 2147483648 is outside the -2147483648 to 2147483647 of 32 bits"},
        {"2t coord 1,,2",
         "--coord[1]: '' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"2t coord 1,2,",
         "--coord[2]: '' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"2t coord ",
         "--coord[0]: '' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"2t mode tile::gather4~coord 1,2,3,4,5",
         "=  --op load --mode tile::gather4 --coord=1,2,3,4,5 --shared 0x400 | "
         "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes "
         "[0x400], [map, {1, 2, 3, 4, 5}], [mbar]"},
        {"2t mode gather4",
         "--coord has 0 entries; tile::gather4 on a map of rank 2 takes 5: column, four rows"},
        {"2t mode gather4~coord 1,2",
         "--coord has 2 entries; tile::gather4 on a map of rank 2 takes 5: column, four rows"},
        {"2t op store~mode scatter4~coord 0,1,2,3,4",
         "=  --op store --mode tile::scatter4 --coord=0,1,2,3,4 --shared 0x400 | "
         "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [map, {0, 1, 2, 3, "
         "4}], [0x400]"},
        {"2t mode gather", "unknown --mode 'gather': gather4 or tile::gather4?"},
        {"2t mode tile4", "unknown --mode 'tile4': tile?"},
        {"4i coord 0,0,0,0~offset 1,2",
         "=  --op load --mode im2col --coord=0,0,0,0 --offset=1,2 --shared 0x400 | "
         "cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [0x400], "
         "[map, {0, 0, 0, 0}], [mbar], {1, 2}"},
        {"4i offset 1", "--offset has 1 entry; load im2col on a map of rank 4 takes 2"},
        {"4i offset 1,2,3", "--offset has 3 entries; load im2col on a map of rank 4 takes 2"},
        {"4i offset 1,2,3,4", "--offset has more than 3 entries"},
        {"4i offset 65535,0",
         "=  --op load --mode im2col --coord=0,0,0,0 --offset=65535,0 --shared 0x400 | "
         "cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [0x400], "
         "[map, {0, 0, 0, 0}], [mbar], {65535, 0}"},
        {"4i offset 65536,0", "--offset[0]: 65536 is more than 65535"},
        {"4i offset -1,0", "--offset[0]: -1 is negative, the argument is unsigned"},
        {"4i op store~offset 1,2",
         "--offset has 2 entries; store im2col on a map of rank 4 takes 0"},
        {"3i offset 7", "=  --op load --mode im2col --coord=0,0,0 --offset=7 --shared 0x400 | "
                        "cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::"
                        "bytes [0x400], [map, {0, 0, 0}], [mbar], {7}"},
        {"5i offset 1,2,3",
         "=  --op load --mode im2col --coord=0,0,0,0,0 --offset=1,2,3 --shared 0x400 | "
         "cp.async.bulk.tensor.5d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [0x400], "
         "[map, {0, 0, 0, 0, 0}], [mbar], {1, 2, 3}"},
        {"4i w-halo 1", "--w-halo and --w-offset belong to loads of im2col::w and im2col::w::128; "
                        "this is load im2col"},
        {"2i offset 1", "--offset has 1 entry; load im2col on a map of rank 2 takes 0"},
        {"4w offset 1,2",
         "=  --op load --mode im2col::w --coord=0,0,0,0 --offset=1,2 --shared 0x400 | "
         "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes "
         "[0x400], [map, {0, 0, 0, 0}], [mbar], {1, 2}"},
        {"4w w-halo 1~w-offset 2",
         "=  --op load --mode im2col::w --coord=0,0,0,0 --offset=1,2 --shared 0x400 | "
         "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes "
         "[0x400], [map, {0, 0, 0, 0}], [mbar], {1, 2}"},
        {"4w w-halo 65536", "--w-halo: 65536 is more than 65535"},
        {"4w w-offset 2~offset 1,2", "--offset and --w-halo, --w-offset exclude each other"},
        {"5w w-halo 3",
         "=  --op load --mode im2col::w::128 --coord=0,0,0,0,0 --offset=3,0 --shared 0x400 | "
         "cp.async.bulk.tensor.5d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes "
         "[0x400], [map, {0, 0, 0, 0, 0}], [mbar], {3, 0}"},
        {"4w op store~w-halo 1", "--w-halo and --w-offset belong to loads of im2col::w and "
                                 "im2col::w::128; this is store im2col::w"},
        {"4w mode im2col_w128",
         "=  --op load --mode im2col::w::128 --coord=0,0,0,0 --offset=0,0 --shared 0x400 | "
         "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes "
         "[0x400], [map, {0, 0, 0, 0}], [mbar], {0, 0}"},
        {"2t shared 0x80", "=  --op load --mode tile --coord=0,0 --shared 0x80 | "
                           "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::"
                           "bytes [0x80], [map, {0, 0}], [mbar]"},
        {"2t shared 4294967296", "--shared: 4294967296 is more than 4294967295"},
        {"2t cluster x", "=  --op load --mode tile --coord=0,0 --shared 0x400 --cluster | "
                         "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_"
                         "tx::bytes [0x400], [map, {0, 0}], [mbar]"},
        {"2t cta-group 2", "=  --op load --mode tile --coord=0,0 --shared 0x400 --cta-group 2 | "
                           "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::"
                           "bytes.cta_group::2 [0x400], [map, {0, 0}], [mbar]"},
        {"2t cta-group x",
         "--cta-group: 'x' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"2t multicast 0x3",
         "=  --op load --mode tile --coord=0,0 --shared 0x400 --multicast 0x3 | "
         "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
         "multicast::cluster [0x400], [map, {0, 0}], [mbar], 0x3"},
        {"2t multicast 0", "--multicast 0 names no CTA"},
        {"2t multicast 65536", "--multicast: 65536 is more than 65535"},
        {"2t multicast 65535~cta-group 1",
         "=  --op load --mode tile --coord=0,0 --shared 0x400 --multicast 0xffff --cta-group 1 | "
         "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
         "multicast::cluster.cta_group::1 [0x400], [map, {0, 0}], [mbar], 0xffff"},
        {"2t multicast-32b 0x10003",
         "=  --op load --mode tile --coord=0,0 --shared 0x400 --multicast-32b 0x10003 | "
         "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
         "multicast::cluster::32b [0x400], [map, {0, 0}], [mbar], 0x10003"},
        {"2t report validity::per_16bytes::80",
         "=  --op load --mode tile --coord=0,0 --shared 0x400 --report validity::per_16bytes::80 | "
         "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes."
         "mbarrier::report::validity::per_16bytes::80 [0x400], [map, {0, 0}], [mbar]"},
        {"2t override-dim 5,6~override-lower 4",
         "--override-dim goes with --override-address, as .override::global_dim with "
         ".override::global_address"},
        {"2t override-address 4096~override-dim 5,6",
         "--override-lower has 0 entries; a map of rank 2 takes 1: sizes and strides are "
         "overridden together"},
        {"2t override-address 4096~override-dim 5", "--override-dim has 1 entry; a map of rank 2 "
                                                    "takes 2"},
        {"2t override-address 4096~override-dim 5,256", "--override-dim: 256 is more than 255"},
        {"2t nothing 1", "option 16 is none of a copy"},
    };
    (void)state;
    expect_said(read_copy, cases, COUNT_OF(cases));
}

static int read_case(tma_out *out, const char *text, tma_error *error) {
    char copy[1024];
    tma_case line;
    tma_spec spec;
    tma_target target = {.sm = 90};
    uint64_t number = UNTOUCHED;
    strcpy(copy, text);
    const int status = tma_case_read(&line, copy, strlen(copy), error);
    if (status) {
        assert_true(status == 1 || status == -1);
        tma_put(out, status > 0 ? "no line" : "");
        return status < 0 ? -1 : 0;
    }
    if (tma_case_spec(&spec, &target, &line, "seed n", error)) {
        return -1;
    }
    if (tma_case_request(&line, "n") && tma_case_u64(&number, &line, "n", error)) {
        return -1;
    }
    tma_put_case(out, line.kind, &spec, &target);
    tma_putf(out, " (%zu of %zu, n %" TMA_U64 ", rc %s)", line.request, line.count, number,
             tma_case_answer(&line, "rc") ? tma_case_answer(&line, "rc") : "none");
    return 0;
}

#define LINE                                                                                       \
    "enc api=tiled dtype=9 rank=2 addr=0x1000 dim=64,32 stride=128 box=64,8 es=1,1 il=0 sw=3 "     \
    "l2=0 "                                                                                        \
    "oob=0"

static void case_lines(void **state) {
    static const struct asked cases[] = {
        {LINE, "= enc api=tiled dtype=9 rank=2 addr=0x1000 dim=64,32 stride=128 box=64,8 es=1,1 "
               "il=0 sw=3 l2=0 oob=0 (12 of 12, n 77, rc none)"},
        {LINE " rc=0", "= enc api=tiled dtype=9 rank=2 addr=0x1000 dim=64,32 stride=128 box=64,8 "
                       "es=1,1 il=0 sw=3 l2=0 oob=0 (12 of 13, n 77, rc 0)"},
        {LINE " rc=1 n=4", "= enc api=tiled dtype=9 rank=2 addr=0x1000 dim=64,32 stride=128 "
                           "box=64,8 es=1,1 il=0 sw=3 l2=0 oob=0 (12 of 14, n 77, rc 1)"},
        {LINE " n=4 rc=1 dim=7", "= enc api=tiled dtype=9 rank=2 addr=0x1000 dim=64,32 stride=128 "
                                 "box=64,8 es=1,1 il=0 sw=3 l2=0 oob=0 (13 of 15, n 4, rc 1)"},
        {LINE " rc=1 rc=2", "rc= is there twice"},
        {LINE " dim=7", "dim= is there twice"},
        {LINE " n=", "n='' is not a number: decimal or hexadecimal (0x10)"},
        {LINE " n=0x10 seed=2", "= enc api=tiled dtype=9 rank=2 addr=0x1000 dim=64,32 stride=128 "
                                "box=64,8 es=1,1 il=0 sw=3 l2=0 oob=0 (14 of 14, n 16, rc none)"},
        {LINE " n=-1", "= enc api=tiled dtype=9 rank=2 addr=0x1000 dim=64,32 stride=128 box=64,8 "
                       "es=1,1 il=0 sw=3 l2=0 oob=0 (13 of 13, n 18446744073709551615, rc none)"},
        {LINE " n=x", "n='x' is not a number: decimal or hexadecimal (0x10)"},
        {LINE " what=1", "unknown field 'what' in a line of kind enc"},
        {LINE " =1", "'=1' is not key=value"},
        {LINE " what", "'what' is not key=value"},
        {LINE " id=x", "= enc api=tiled dtype=9 rank=2 addr=0x1000 dim=64,32 stride=128 box=64,8 "
                       "es=1,1 il=0 sw=3 l2=0 oob=0 (13 of 13, n 77, rc none)"},
        {LINE " arch=sm_100a driver=12080",
         "= enc arch=sm_100a driver=12080 api=tiled dtype=9 rank=2 addr=0x1000 dim=64,32 "
         "stride=128 box=64,8 es=1,1 il=0 sw=3 l2=0 oob=0 (14 of 14, n 77, rc none)"},
        {LINE " arch=sm_1", "unknown arch 'sm_1': sm_100, sm_100f or sm_100a?"},
        {LINE " driver=x",
         "driver: 'x' is not a version such as 13.0, 13000 or the driver's own 580.95"},
        {LINE "\r\n", "= enc api=tiled dtype=9 rank=2 addr=0x1000 dim=64,32 stride=128 box=64,8 "
                      "es=1,1 il=0 sw=3 l2=0 oob=0 (12 of 12, n 77, rc none)"},
        {LINE " \t", "= enc api=tiled dtype=9 rank=2 addr=0x1000 dim=64,32 stride=128 box=64,8 "
                     "es=1,1 il=0 sw=3 l2=0 oob=0 (12 of 12, n 77, rc none)"},
        {LINE "   id=7", "= enc api=tiled dtype=9 rank=2 addr=0x1000 dim=64,32 stride=128 box=64,8 "
                         "es=1,1 il=0 sw=3 l2=0 oob=0 (13 of 13, n 77, rc none)"},
        {LINE " lo=0", "lo= does not belong to api=tiled"},
        {LINE " mode_w=1", "mode_w= does not belong to api=tiled"},
        {"", "= no line"},
        {"# enc", "= no line"},
        {" ", "= no line"},
        {"enc", "api= is missing"},
        {"enc api=tiled", "dtype= is missing"},
        {"enc api=x", "unknown api 'x': one of tiled, im2col, wide"},
        {"enc api=0", "dtype= is missing"},
        {"enc api=tiled dtype=9 rank=2 addr=0x1000 dim=64,32 stride=128 box=64,8 es=1,1 il=0 sw=3 "
         "l2=0",
         "oob= is missing"},
        {"enc api=tiled dtype=9 rank=1 addr=0 dim=64 stride= box=64 es=1 il=0 sw=0 l2=0 oob=0",
         "= enc api=tiled dtype=9 rank=1 addr=0x0 dim=64 stride= box=64 es=1 il=0 sw=0 l2=0 oob=0 "
         "(12 of 12, n 77, rc none)"},
        {"enc api=tiled dtype=-1 rank=4294967295 addr=-1 dim=-1,2 stride=-16 box=-1,8 es=1,1 il=0 "
         "sw=3 l2=0 oob=0",
         "= enc api=tiled dtype=4294967295 rank=4294967295 addr=0xffffffffffffffff "
         "dim=18446744073709551615,2,0,0,0 stride=18446744073709551600,0,0,0 "
         "box=4294967295,8,0,0,0 es=1,1,0,0,0 il=0 sw=3 l2=0 oob=0 (12 of 12, n 77, rc none)"},
        {"enc api=tiled dtype=4294967296 rank=2 addr=0 dim=64,32 stride=128 box=64,8 es=1,1 il=0 "
         "sw=3 l2=0 oob=0",
         "dtype=4294967296 does not fit in its 32 bits"},
        {"enc api=tiled dtype=-2147483649 rank=2 addr=0 dim=64,32 stride=128 box=64,8 es=1,1 il=0 "
         "sw=3 l2=0 oob=0",
         "dtype=-2147483649 does not fit in its 32 bits"},
        {"enc api=tiled dtype=9 rank=2 addr=0 dim=1,2,3,4,5,6,7,8 stride=128 box=64,8 es=1,1 il=0 "
         "sw=3 l2=0 oob=0",
         "= enc api=tiled dtype=9 rank=2 addr=0x0 dim=1,2 stride=128 box=64,8 es=1,1 il=0 sw=3 "
         "l2=0 oob=0 (12 of 12, n 77, rc none)"},
        {"enc api=tiled dtype=9 rank=2 addr=0 dim=1,2,3,4,5,6,7,8,9 stride=128 box=64,8 es=1,1 "
         "il=0 sw=3 l2=0 oob=0",
         "dim has more than 8 entries"},
        {"enc api=im2col dtype=9 rank=3 addr=0 dim=64,8,2 stride=128,1024 lo=-1 up=2147483648 "
         "cpp=64 ppc=8 es=1,1,1 il=0 sw=3 l2=0 oob=0",
         "up=2147483648 does not fit in its 32 bits"},
        {"enc api=im2col dtype=9 rank=3 addr=0 dim=64,8,2 stride=128,1024 lo=-1 up=2147483647 "
         "cpp=64 ppc=8 es=1,1,1 il=0 sw=3 l2=0 oob=0",
         "= enc api=im2col dtype=9 rank=3 addr=0x0 dim=64,8,2 stride=128,1024 lo=-1 up=2147483647 "
         "cpp=64 ppc=8 es=1,1,1 il=0 sw=3 l2=0 oob=0 (15 of 15, n 77, rc none)"},
        {"enc api=wide dtype=9 rank=3 addr=0 dim=64,8,2 stride=128,1024 lo=-1 up=1 cpp=64 ppc=8 "
         "es=1,1,1 il=0 sw=3 l2=0 oob=0 mode_w=1",
         "= enc api=wide dtype=9 rank=3 addr=0x0 dim=64,8,2 stride=128,1024 lo=-1 up=1 cpp=64 "
         "ppc=8 es=1,1,1 il=0 sw=3 l2=0 oob=0 mode_w=1 (16 of 16, n 77, rc none)"},
    };
    (void)state;
    expect_said(read_case, cases, COUNT_OF(cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_a_spec),
        cmocka_unit_test(options_of_a_copy),
        cmocka_unit_test(case_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
