/* SPDX-License-Identifier: Apache-2.0
 *
 * What the readers of words say of good ones and of wrong ones: numbers, names and what is near to
 * them, targets.
 */
#include "support/testing.h"

#include "support/said.h"
#include "tma/case.h"
#include "tma/grammar.h"

#define UNTOUCHED 77u /* what a failed read leaves */

static int read_u64(tma_out *out, const char *text, tma_error *error) {
    uint64_t number = UNTOUCHED;
    if (tma_read_u64(&number, text, strlen(text), "--window", error)) {
        return -1;
    }
    tma_putf(out, "%" TMA_U64, number);
    return 0;
}

static int read_u32(tma_out *out, const char *text, tma_error *error) {
    uint32_t number = UNTOUCHED;
    if (tma_read_u32(&number, text, strlen(text), 1000, "--count", error)) {
        assert_int_equal(number, UNTOUCHED);
        return -1;
    }
    tma_putf(out, "%u", (unsigned)number);
    return 0;
}

static int read_i32(tma_out *out, const char *text, tma_error *error) {
    int32_t number = UNTOUCHED;
    if (tma_read_i32(&number, text, strlen(text), "--coord[1]", error)) {
        assert_int_equal(number, UNTOUCHED);
        return -1;
    }
    tma_putf(out, "%d", (int)number);
    return 0;
}

static int read_case_number(tma_out *out, const char *text, tma_error *error) {
    uint64_t number = UNTOUCHED;
    if (tma_case_number(&number, text, strlen(text))) {
        return tma_fail(error, "no number");
    }
    tma_putf(out, "%" TMA_U64, number);
    return 0;
}

static void numbers(void **state) {
    static const struct asked wide[] = {
        {"0", "= 0"},
        {"18446744073709551615", "= 18446744073709551615"},
        {"18446744073709551616",
         "--window: '18446744073709551616' overflows the 64 bits of the argument"},
        {"184467440737095516150",
         "--window: '184467440737095516150' overflows the 64 bits of the argument"},
        {"0xffffffffffffffff", "= 18446744073709551615"},
        {"0X10", "= 16"},
        {"0x10000000000000000",
         "--window: '0x10000000000000000' overflows the 64 bits of the argument"},
        {"0x",
         "--window: '0x' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"x10",
         "--window: 'x10' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"0xg",
         "--window: '0xg' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"12a",
         "--window: '12a' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"", "--window: '' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {" 1",
         "--window: ' 1' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"1 ",
         "--window: '1 ' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"+1",
         "--window: '+1' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"-1", "--window: -1 is negative, the argument is unsigned"},
        {"-",
         "--window: '-' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"--1",
         "--window: '--1' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"-x",
         "--window: '-x' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"-0x10", "--window: -0x10 is negative, the argument is unsigned"},
        {"2^0", "= 1"},
        {"2^63", "= 9223372036854775808"},
        {"2^64", "--window: '2^64' overflows the 64 bits of the argument"},
        {"2^",
         "--window: '2^' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"2^x",
         "--window: '2^x' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"2^0x10", "= 65536"},
        {"3^2",
         "--window: '3^2' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"2^99999999999999999999",
         "--window: '2^99999999999999999999' overflows the 64 bits of the argument"},
        {"1_000",
         "--window: '1_000' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"1.5",
         "--window: '1.5' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"010", "= 10"},
    };
    static const struct asked narrow[] = {
        {"0", "= 0"},
        {"1000", "= 1000"},
        {"1001", "--count: 1001 is more than 1000"},
        {"2^9", "= 512"},
        {"2^10", "--count: 2^10 is more than 1000"},
        {"-5", "--count: -5 is negative, the argument is unsigned"},
        {"", "--count: '' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"}};
    static const struct asked sign[] = {
        {"2147483647", "= 2147483647"},
        {"2147483648",
         "--coord[1]: 2147483648 is outside the -2147483648 to 2147483647 of 32 bits"},
        {"-2147483648", "= -2147483648"},
        {"-2147483649",
         "--coord[1]: -2147483649 is outside the -2147483648 to 2147483647 of 32 bits"},
        {"-0", "= 0"},
        {"-",
         "--coord[1]: '-' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"2^31", "--coord[1]: 2^31 is outside the -2147483648 to 2147483647 of 32 bits"},
        {"-2^31", "= -2147483648"},
        {"-0x10", "= -16"},
        {"- 1",
         "--coord[1]: ' 1' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
    };
    static const struct asked lines[] = {
        {"-1", "= 18446744073709551615"},
        {"-9223372036854775808", "= 9223372036854775808"},
        {"-9223372036854775809", "no number"},
        {"-", "no number"},
        {"", "no number"},
        {"18446744073709551615", "= 18446744073709551615"},
        {"18446744073709551616", "= 18446744073709551615"},
        {"-18446744073709551616", "no number"},
        {"0x10", "= 16"},
        {"-0x10", "= 18446744073709551600"},
        {"2^3", "no number"},
    };
    (void)state;
    expect_said(read_u64, wide, COUNT_OF(wide));
    expect_said(read_u32, narrow, COUNT_OF(narrow));
    expect_said(read_i32, sign, COUNT_OF(sign));
    expect_said(read_case_number, lines, COUNT_OF(lines));
}

/* "swizzle 128B": the name of an enumeration, as an option has it, and a word. */
static int read_enum(tma_out *out, const char *text, tma_error *error) {
    static const char *const kinds[TMA_ENUM_KINDS] = {[TMA_ENUM_API] = "api",
                                                      [TMA_ENUM_DTYPE] = "dtype",
                                                      [TMA_ENUM_INTERLEAVE] = "interleave",
                                                      [TMA_ENUM_SWIZZLE] = "swizzle",
                                                      [TMA_ENUM_ATOMICITY] = "atomicity",
                                                      [TMA_ENUM_L2] = "l2",
                                                      [TMA_ENUM_FILL] = "fill",
                                                      [TMA_ENUM_WIDE_MODE] = "wide-mode",
                                                      [TMA_ENUM_CLASS] = "class"};
    const size_t word = strcspn(text, " ");
    uint32_t number = UNTOUCHED;
    size_t kind = 0;
    while (strlen(kinds[kind]) != word || strncmp(kinds[kind], text, word) != 0) {
        kind++;
        assert_true(kind < TMA_ENUM_KINDS);
    }
    if (tma_read_enum(&number, (tma_enum_kind)kind, text + word + 1, kinds[kind], error)) {
        assert_int_equal(number, UNTOUCHED);
        return -1;
    }
    tma_put_enum(out, (tma_enum_kind)kind, number);
    return 0;
}

static void names_and_what_is_near(void **state) {
    static const struct asked cases[] = {
        {"api tiled", "= tiled"},
        {"api im2col", "= im2col"},
        {"api 2", "= wide"},
        {"api 3", "unknown api '3': one of tiled, im2col, wide"},
        {"api tile", "= tiled"},
        {"api x", "unknown api 'x': one of tiled, im2col, wide"},
        {"dtype bfloat16", "= bfloat16"},
        {"dtype BF16", "= bfloat16"},
        {"dtype bf17", "unknown dtype 'bf17': bf16?"},
        {"dtype bfloat61", "unknown dtype 'bfloat61': bfloat16, float64 or float16?"},
        {"dtype bfloat", "unknown dtype 'bfloat': float, bfloat16 or float8?"},
        {"dtype float", "= float32"},
        {"dtype float61", "unknown dtype 'float61': float16, float64 or float32?"},
        {"dtype flaot32", "unknown dtype 'flaot32': float32 or tfloat32?"},
        {"dtype float3", "unknown dtype 'float3': float32, float or float8?"},
        {"dtype uint", "unknown dtype 'uint': uint8, int or uint4?"},
        {"dtype tf32_ftzz",
         "unknown dtype 'tf32_ftzz': one of uint8, uint16, uint32, int32, uint64, int64, float16, "
         "float32, float64, bfloat16, float32_ftz, tfloat32, tfloat32_ftz, 16u4_align8b, "
         "16u4_align16b, 16u6_align16b, or the driver's number"},
        {"dtype float32-ftz", "= float32_ftz"},
        {"dtype i", "unknown dtype 'i': i8?"},
        {"dtype i9", "unknown dtype 'i9': i8?"},
        {"dtype fp", "unknown dtype 'fp': fp8, fp4 or fp6?"},
        {"dtype fp9", "unknown dtype 'fp9': fp8, fp4 or fp6?"},
        {"dtype u88", "unknown dtype 'u88': one of uint8, uint16, uint32, int32, uint64, int64, "
                      "float16, float32, float64, bfloat16, float32_ftz, tfloat32, tfloat32_ftz, "
                      "16u4_align8b, 16u4_align16b, 16u6_align16b, or the driver's number"},
        {"dtype loat", "unknown dtype 'loat': float, float32 or float64?"},
        {"dtype in", "unknown dtype 'in': i8 or int?"},
        {"dtype int", "= int32"},
        {"dtype nit32", "unknown dtype 'nit32': int32?"},
        {"dtype unit8", "unknown dtype 'unit8': uint8?"},
        {"dtype uint88", "unknown dtype 'uint88': uint8, uint16 or uint32?"},
        {"dtype complex",
         "unknown dtype 'complex': one of uint8, uint16, uint32, int32, uint64, int64, float16, "
         "float32, float64, bfloat16, float32_ftz, tfloat32, tfloat32_ftz, 16u4_align8b, "
         "16u4_align16b, 16u6_align16b, or the driver's number"},
        {"dtype tfloat3", "unknown dtype 'tfloat3': tfloat32, float32 or float?"},
        {"dtype 12", "= tfloat32_ftz"},
        {"dtype 99", "= 99"},
        {"dtype 4294967295", "= 4294967295"},
        {"dtype 4294967296", "dtype: 4294967296 does not fit in 32 bits"},
        {"dtype 99999999999999999999", "dtype: 99999999999999999999 does not fit in 32 bits"},
        {"dtype ", "unknown dtype '': one of uint8, uint16, uint32, int32, uint64, int64, float16, "
                   "float32, float64, bfloat16, float32_ftz, tfloat32, tfloat32_ftz, 16u4_align8b, "
                   "16u4_align16b, 16u6_align16b, or the driver's number"},
        {"dtype \033[31m",
         "unknown dtype '\\x1b[31m': one of uint8, uint16, uint32, int32, uint64, int64, float16, "
         "float32, float64, bfloat16, float32_ftz, tfloat32, tfloat32_ftz, 16u4_align8b, "
         "16u4_align16b, 16u6_align16b, or the driver's number"},
        {"dtype "
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
         "aaaaaaaaa",
         "unknown dtype "
         "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': one "
         "of uint8, uint16, uint32, int32, uint64, int64, float16, float32, float64, bfloat16, "
         "float32_ftz, tfloat32, tfloat32_ftz, 16u4_align8b, 16u4_align16b, 16u6_align16b, or the "
         "driver's number"},
        {"swizzle none", "= none"},
        {"swizzle 128b", "= 128B"},
        {"swizzle 128", "= 128B"},
        {"swizzle 3", "= 128B"},
        {"swizzle 129B", "unknown swizzle '129B': 128B?"},
        {"swizzle 128B-atom-32B", "= 128B_ATOM_32B"},
        {"swizzle 128B_ATOM",
         "unknown swizzle '128B_ATOM': 128B_ATOM_32B, 128B_ATOM_32B_FLIP_8B or 128B_ATOM_64B?"},
        {"swizzle 18", "= 18"},
        {"swizzle 96B", "= 96B"},
        {"interleave 16B", "= 16B"},
        {"interleave 16", "= 16B"},
        {"interleave 2", "= 32B"},
        {"interleave 61B", "unknown interleave '61B': 16B?"},
        {"l2 256B", "= 256B"},
        {"l2 256", "= 256B"},
        {"l2 512B", "unknown l2 '512B': one of none, 64B, 128B, 256B, or the driver's number"},
        {"fill nan", "= nan"},
        {"fill nam", "unknown fill 'nam': nan?"},
        {"fill zero", "= none"},
        {"fill 1", "= nan"},
        {"wide-mode W128", "= W128"},
        {"wide-mode w", "= W"},
        {"wide-mode 1", "= W128"},
        {"wide-mode W12", "unknown wide-mode 'W12': W128?"},
        {"atomicity 32B_flip", "unknown atomicity '32B_flip': 32B_FLIP_8B?"},
        {"class large", "= large"},
        {"class larg", "unknown class 'larg': large?"},
        {"class huge", "unknown class 'huge': one of auto, small, large, or the driver's number"},
    };
    (void)state;
    expect_said(read_enum, cases, COUNT_OF(cases));
}

/* "arch sm_90a": an option of a target and its value. */
static int read_target(tma_out *out, const char *text, tma_error *error) {
    tma_target_words words;
    char name[32] = "";
    const size_t word = strcspn(text, " ");
    assert_true(word < sizeof(name));
    memcpy(name, text, word);
    tma_target_words_begin(&words);
    const tma_target before = words.target;
    if (tma_target_words_set(&words, name, text + word + 1, error)) {
        assert_memory_equal(&words.target, &before, sizeof(before));
        return -1;
    }
    tma_put_target_words(out, &words);
    return 0;
}

static void targets(void **state) {
    static const struct asked cases[] = {
        {"arch sm_90", "=  --arch sm_90"},
        {"arch sm_90a", "=  --arch sm_90a"},
        {"arch 90a", "=  --arch sm_90a"},
        {"arch SM_100f", "=  --arch sm_100f"},
        {"arch compute_90", "=  --arch sm_90"},
        {"arch cc9.0", "=  --arch sm_90"},
        {"arch 12.1", "=  --arch sm_121"},
        {"arch H100", "=  --arch sm_90a"},
        {"arch nvidia h200", "=  --arch sm_90a"},
        {"arch NVIDIA GeForce RTX 5090", "=  --arch sm_120a"},
        {"arch Jetson AGX Thor", "=  --arch sm_110a"},
        {"arch rtx_4090", "--arch: rtx_4090 (sm_89) has no TMA: tensor maps need compute "
                          "capability 9.0 or higher, from sm_90 on"},
        {"arch A100", "--arch: A100 (sm_80) has no TMA: tensor maps need compute capability 9.0 or "
                      "higher, from sm_90 on"},
        {"arch sm_89", "--arch: sm_89 has no TMA: tensor maps need compute capability 9.0 or "
                       "higher, from sm_90 on"},
        {"arch sm_86a", "--arch: sm_86a has no TMA: tensor maps need compute capability 9.0 or "
                        "higher, from sm_90 on"},
        {"arch sm_80f", "--arch: sm_80f has no TMA: tensor maps need compute capability 9.0 or "
                        "higher, from sm_90 on"},
        {"arch 7.5", "--arch: 7.5 has no TMA: tensor maps need compute capability 9.0 or higher, "
                     "from sm_90 on"},
        {"arch cc8.9f", "--arch: cc8.9f has no TMA: tensor maps need compute capability 9.0 or "
                        "higher, from sm_90 on"},
        {"arch sm_101a", "unknown --arch 'sm_101a': sm_100a, sm_103a or sm_107a?"},
        {"arch sm_9", "unknown --arch 'sm_9': sm_90 or sm_90a?"},
        {"arch 9", "unknown --arch '9': one of sm_90, sm_90a, sm_100, sm_100f, sm_100a, sm_103, "
                   "sm_103f, sm_103a, sm_107, sm_107f, sm_107a, sm_110, sm_110f, sm_110a, sm_120, "
                   "sm_120f, ... (20 in all), or a GPU such as H100, B200, RTX 5090"},
        {"arch sm_1000", "unknown --arch 'sm_1000': sm_100, sm_100f or sm_100a?"},
        {"arch sm_91", "unknown --arch 'sm_91': sm_90?"},
        {"arch sm_90b", "unknown --arch 'sm_90b': sm_90, sm_90a or sm_100?"},
        {"arch sm_90aa", "unknown --arch 'sm_90aa': sm_90a, sm_90 or sm_100a?"},
        {"arch a", "unknown --arch 'a': one of sm_90, sm_90a, sm_100, sm_100f, sm_100a, sm_103, "
                   "sm_103f, sm_103a, sm_107, sm_107f, sm_107a, sm_110, sm_110f, sm_110a, sm_120, "
                   "sm_120f, ... (20 in all), or a GPU such as H100, B200, RTX 5090"},
        {"arch ", "unknown --arch '': one of sm_90, sm_90a, sm_100, sm_100f, sm_100a, sm_103, "
                  "sm_103f, sm_103a, sm_107, sm_107f, sm_107a, sm_110, sm_110f, sm_110a, sm_120, "
                  "sm_120f, ... (20 in all), or a GPU such as H100, B200, RTX 5090"},
        {"arch sm_", "unknown --arch 'sm_': sm_90, sm_90a or sm_100?"},
        {"arch RTX 6000",
         "unknown --arch 'RTX 6000': one of sm_90, sm_90a, sm_100, sm_100f, sm_100a, sm_103, "
         "sm_103f, sm_103a, sm_107, sm_107f, sm_107a, sm_110, sm_110f, sm_110a, sm_120, sm_120f, "
         "... (20 in all), or a GPU such as H100, B200, RTX 5090"},
        {"arch nvidia h100 nvidia h100 nvidia h100 x",
         "unknown --arch 'nvidia h100 nvidia h100 nvidia h100 x': one of sm_90, sm_90a, sm_100, "
         "sm_100f, sm_100a, sm_103, sm_103f, sm_103a, sm_107, sm_107f, sm_107a, sm_110, sm_110f, "
         "sm_110a, sm_120, sm_120f, ... (20 in all), or a GPU such as H100, B200, RTX 5090"},
        {"arch sm_100x", "unknown --arch 'sm_100x': sm_100, sm_100f or sm_100a?"},
        {"arch sm_102", "unknown --arch 'sm_102': sm_100, sm_103 or sm_107?"},
        {"driver 13.0", "=  --driver 13.0"},
        {"driver 13000", "=  --driver 13.0"},
        {"driver 12.8", "=  --driver 12.8"},
        {"driver 999",
         "--driver: '999' is not a version such as 13.0, 13000 or the driver's own 580.95"},
        {"driver 1000", "=  --driver 1.0"},
        {"driver 999999", "=  --driver 999.99"},
        {"driver 1000000",
         "--driver: '1000000' is not a version such as 13.0, 13000 or the driver's own 580.95"},
        {"driver 580.95", "=  --driver 13.0"},
        {"driver r580", "=  --driver 13.0"},
        {"driver R525.60.13", "=  --driver 12.0"},
        {"driver 526",
         "--driver: '526' is not a version such as 13.0, 13000 or the driver's own 580.95"},
        {"driver 13.100",
         "--driver: '13.100' is not a version such as 13.0, 13000 or the driver's own 580.95"},
        {"driver 100.0",
         "--driver: '100.0' is not a version such as 13.0, 13000 or the driver's own 580.95"},
        {"driver 99.99", "=  --driver 99.99"},
        {"driver 13",
         "--driver: '13' is not a version such as 13.0, 13000 or the driver's own 580.95"},
        {"driver 13.",
         "--driver: '13.' is not a version such as 13.0, 13000 or the driver's own 580.95"},
        {"driver .0",
         "--driver: '.0' is not a version such as 13.0, 13000 or the driver's own 580.95"},
        {"driver x",
         "--driver: 'x' is not a version such as 13.0, 13000 or the driver's own 580.95"},
        {"driver ", "--driver: '' is not a version such as 13.0, 13000 or the driver's own 580.95"},
        {"driver 13.0.1",
         "--driver: '13.0.1' is not a version such as 13.0, 13000 or the driver's own 580.95"},
        {"ptx-version 8.6", "=  --ptx-version 8.6"},
        {"ptx-version 8.10", "--ptx-version: '8.10' is not a PTX version such as 8.6"},
        {"ptx-version 0.9", "--ptx-version: '0.9' is not a PTX version such as 8.6"},
        {"reading w128-halo=behind", "=  --reading w128-halo=behind"},
        {"reading w128-halo=nowhere",
         "--reading w128-halo='nowhere': one of chunks, behind, behind-chunks"},
        {"reading w128-hal=behind", "unknown --reading 'w128-hal': w128-halo?"},
        {"reading w128-halo", "--reading 'w128-halo' is no NAME=VALUE: see tma list readings"},
        {"reading =behind", "unknown --reading '': one of w128-halo, halo-pixels, w-images, "
                            "atom-64B-loads, b4-column, b4-store-edge, no-offs-w-end, "
                            "scatter4-negative, override-size, override-order"},
        {"aarch 90", "unknown option 'aarch': arch?"},
        {"target sm_90", "unknown option 'target': one of arch, driver, ptx-version, reading"},
    };
    (void)state;
    expect_said(read_target, cases, COUNT_OF(cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(names_and_what_is_near),
        cmocka_unit_test(targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
