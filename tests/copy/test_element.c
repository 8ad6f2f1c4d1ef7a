/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions and TF32 rounding against oracles of another kind: the host's arithmetic, doubles with
 * a rounding of their own, and tables of what an H200 was seen to do.
 */
#include "support/testing.h"

#include "support/gen/random.h"
#include "support/plain/plain_float.h"
#include <math.h>
#include <tma/element.h>

#define TYPES (TMA_DTYPE_TFLOAT32_FTZ + 1)

/* All 104 pairs were run (vectors/reduce): x went through, a point trapped. In the order of the
 * types' numbers: u8 u16 u32 s32 u64 s64 f16 f32 f64 bf16 f32_ftz tf32 tf32_ftz. */
static const struct {
    tma_op op;
    const char *types;
} legal[] = {
    {TMA_OP_ADD, "..xxx.xxxxxxx"}, {TMA_OP_MIN, "..xxxxx..x..."}, {TMA_OP_MAX, "..xxxxx..x..."},
    {TMA_OP_INC, "..x.........."}, {TMA_OP_DEC, "..x.........."}, {TMA_OP_AND, "..xxx........"},
    {TMA_OP_OR, "..xxx........"},  {TMA_OP_XOR, "..xxx........"},
};

static void which_pairs_exist(void **state) {
    (void)state;
    unsigned exist = 0;
    for (size_t i = 0; i < COUNT_OF(legal); i++) {
        assert_int_equal(strlen(legal[i].types), TYPES);
        for (uint32_t dtype = 0; dtype < TYPES; dtype++) {
            const int wanted = legal[i].types[dtype] == 'x';
            assert_int_equal(tma_reduction_exists(legal[i].op, dtype), wanted);
            exist += (unsigned)wanted;
        }
    }
    assert_int_equal(exist, 33);
    assert_int_equal(COUNT_OF(legal) * TYPES, 104);
}

static void packed_types_and_copies_have_none(void **state) {
    (void)state;
    for (uint32_t dtype = 0; dtype < 300; dtype++) {
        for (uint32_t op = 0; op < 300; op++) {
            if (dtype >= TYPES || op < TMA_OP_ADD || op > TMA_OP_XOR) {
                assert_int_equal(tma_reduction_exists(op, dtype), 0);
                assert_true(tma_reduce(op, dtype, 0x1234, 0x77) == 0x1234);
            }
        }
    }
}

static void table_has_one_row_a_pair(void **state) {
    (void)state;
    const size_t count = tma_reduction_count();
    unsigned seen[TMA_OPS][TYPES] = {{0}};
    for (size_t i = 0; i < count; i++) {
        assert_true(tma_reduction_at(i)->op < TMA_OPS && tma_reduction_at(i)->dtype < TYPES);
        assert_int_equal(seen[tma_reduction_at(i)->op][tma_reduction_at(i)->dtype]++, 0);
        assert_int_equal(tma_reduction_exists(tma_reduction_at(i)->op, tma_reduction_at(i)->dtype),
                         1);
        assert_true(*tma_reduction_at(i)->rule && *tma_reduction_at(i)->evidence);
    }
    assert_int_equal(count, 33);
    assert_null(tma_reduction_at(count));
}

static void same(uint32_t op, uint32_t dtype, uint64_t global, uint64_t shared, uint64_t wanted) {
    const uint64_t is = tma_reduce(op, dtype, global, shared);
    if (is != wanted) {
        fail_msg("%s, type %u: global 0x%llx, shared 0x%llx: 0x%llx, not 0x%llx", tma_op_name(op),
                 dtype, (unsigned long long)global, (unsigned long long)shared,
                 (unsigned long long)is, (unsigned long long)wanted);
    }
}

/* Numbers about the ends of the integers, and any. */
static uint64_t integer(struct random_source *r) {
    static const uint64_t ends[] = {0,
                                    1,
                                    2,
                                    0x7FFFFFFF,
                                    0x80000000,
                                    0x80000001,
                                    0xFFFFFFFE,
                                    0xFFFFFFFF,
                                    0x100000000,
                                    UINT64_C(0x7FFFFFFFFFFFFFFF),
                                    UINT64_C(0x8000000000000000),
                                    UINT64_C(0xFFFFFFFFFFFFFFFF)};
    return random_one_in(r, 2) ? ends[random_below(r, COUNT_OF(ends))] : random_length(r, 64);
}

static void integers_32(uint32_t g, uint32_t s) {
    const uint32_t u = TMA_DTYPE_UINT32;
    const uint32_t i = TMA_DTYPE_INT32;
    const int less = (int64_t)(int32_t)s < (int64_t)(int32_t)g;
    same(TMA_OP_ADD, u, g, s, (uint32_t)(g + s));
    same(TMA_OP_ADD, i, g, s, (uint32_t)(g + s));
    same(TMA_OP_MIN, u, g, s, g < s ? g : s);
    same(TMA_OP_MAX, u, g, s, g < s ? s : g);
    same(TMA_OP_MIN, i, g, s, less ? s : g);
    same(TMA_OP_MAX, i, g, s, less ? g : s);
    same(TMA_OP_INC, u, g, s, g >= s ? 0 : g + 1);
    same(TMA_OP_DEC, u, g, s, g == 0 || g > s ? s : g - 1);
    for (uint32_t dtype = u; dtype <= i; dtype++) {
        same(TMA_OP_AND, dtype, g, s, g & s);
        same(TMA_OP_OR, dtype, g, s, g | s);
        same(TMA_OP_XOR, dtype, g, s, g ^ s);
    }
}

static void integers_64(uint64_t g, uint64_t s) {
    const uint32_t u = TMA_DTYPE_UINT64;
    const uint32_t i = TMA_DTYPE_INT64;
    const int less = (int64_t)s < (int64_t)g;
    same(TMA_OP_ADD, u, g, s, g + s);
    same(TMA_OP_MIN, u, g, s, g < s ? g : s);
    same(TMA_OP_MAX, u, g, s, g < s ? s : g);
    same(TMA_OP_MIN, i, g, s, less ? s : g);
    same(TMA_OP_MAX, i, g, s, less ? g : s);
    same(TMA_OP_AND, u, g, s, g & s);
    same(TMA_OP_OR, u, g, s, g | s);
    same(TMA_OP_XOR, u, g, s, g ^ s);
}

static void integers(void **state) {
    (void)state;
    struct random_source r = {7};
    for (unsigned long n = spec_count(); n > 0; n--) {
        const uint64_t g = integer(&r);
        const uint64_t s = integer(&r);
        integers_32((uint32_t)g, (uint32_t)s);
        integers_64(g, s);
    }
}

static float single_of(uint32_t bits) {
    float value = 0;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint32_t bits_of(float value) {
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint32_t flushed(uint32_t bits) {
    return bits & 0x7F800000 ? bits : bits & 0x80000000;
}

/* Addition by the host's unit, in C's default environment; every NaN is 0x7FFFFFFF. */
static uint32_t host_sum(uint32_t a, uint32_t b) {
    const volatile float x = single_of(a);
    const volatile float y = single_of(b);
    const float sum = x + y;
    return isnan(sum) ? 0x7FFFFFFF : bits_of(sum);
}

static void sums_32(uint32_t g, uint32_t s) {
    const uint32_t kept = host_sum(g, s);
    const uint32_t ftz = flushed(host_sum(flushed(g), flushed(s)));
    same(TMA_OP_ADD, TMA_DTYPE_FLOAT32, g, s, kept);
    same(TMA_OP_ADD, TMA_DTYPE_TFLOAT32, g, s, kept); /* neither operand is rounded to TF32 */
    same(TMA_OP_ADD, TMA_DTYPE_FLOAT32_FTZ, g, s, ftz);
    same(TMA_OP_ADD, TMA_DTYPE_TFLOAT32_FTZ, g, s, ftz);
}

/* Zeros, subnormals, ties, the largest, infinities, NaNs. */
static const uint32_t special_32[] = {
    0x00000000, 0x00000001, 0x00000002, 0x00002000, 0x003fffff, 0x007fffff, 0x00800000, 0x00800001,
    0x01000000, 0x33800000, 0x33800001, 0x34000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3f801000,
    0x3f803000, 0x4b7fffff, 0x4b800000, 0x4b800001, 0x72ffffff, 0x73000000, 0x73000001, 0x7f7fe000,
    0x7f7ff000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fffffff};

static void sums_of_float32(void **state) {
    (void)state;
    struct random_source r = {8};
    for (size_t i = 0; i < 2 * COUNT_OF(special_32); i++) {
        for (size_t k = 0; k < 2 * COUNT_OF(special_32); k++) {
            sums_32(special_32[i / 2] | (uint32_t)(i % 2) << 31,
                    special_32[k / 2] | (uint32_t)(k % 2) << 31);
        }
    }
    for (unsigned long n = 2 * spec_count(); n > 0; n--) {
        const uint32_t g = (uint32_t)random_u64(&r);
        uint32_t s = (uint32_t)random_u64(&r);
        if (n % 4) { /* exponents so near that the mantissas meet */
            s = (s & 0x807FFFFF) | ((g + (random_in(&r, 0, 60) << 23)) & 0x7F800000);
        }
        sums_32(g, s);
    }
}

static double double_of(uint64_t bits) {
    double value = 0;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static int is_nan_64(uint64_t bits) {
    return (bits & INT64_MAX) > UINT64_C(0x7FF0000000000000);
}

static void sum_64(uint64_t g, uint64_t s) {
    const volatile double x = double_of(g);
    const volatile double y = double_of(s);
    const double sum = x + y;
    uint64_t bits = 0;
    memcpy(&bits, &sum, sizeof(bits));
    if (is_nan_64(g) || is_nan_64(s)) { /* that operand as it is; of two, the shared one */
        same(TMA_OP_ADD, TMA_DTYPE_FLOAT64, g, s, is_nan_64(s) ? s : g);
    } else if (isnan(sum)) { /* infinity less infinity: not captured, so any NaN */
        assert_true(is_nan_64(tma_reduce(TMA_OP_ADD, TMA_DTYPE_FLOAT64, g, s)));
    } else {
        same(TMA_OP_ADD, TMA_DTYPE_FLOAT64, g, s, bits);
    }
}

/* A 387 keeps 64 bits and would round the yardstick's sums twice: to 53 bits, as a double has. */
static void round_as_double(void) {
#if defined(__i386__) && !defined(__SSE2_MATH__)
    uint16_t control = 0;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    control = (uint16_t)((control & ~0x300u) | 0x200u);
    __asm__ volatile("fldcw %0" : : "m"(control));
#endif
}

static void sums_of_float64(void **state) {
    (void)state;
    round_as_double();
    struct random_source r = {9};
    static const uint64_t special[] = {
        0,
        1,
        UINT64_C(0x000fffffffffffff),
        UINT64_C(0x0010000000000000),
        UINT64_C(0x3ca0000000000000),
        UINT64_C(0x3ca0000000000001),
        UINT64_C(0x3ff0000000000000),
        UINT64_C(0x3ff0000000000001),
        UINT64_C(0x7c90000000000000),
        UINT64_C(0x7fefffffffffffff),
        UINT64_C(0x7ff0000000000000),
        UINT64_C(0x7ff0000000000001),
        UINT64_C(0x7ff8000000000000),
        UINT64_C(0x7fffffffffffffff),
    };
    for (size_t i = 0; i < 2 * COUNT_OF(special); i++) {
        for (size_t k = 0; k < 2 * COUNT_OF(special); k++) {
            sum_64(special[i / 2] | (uint64_t)(i % 2) << 63, special[k / 2] | (uint64_t)(k % 2)
                                                                                  << 63);
        }
    }
    for (unsigned long n = spec_count(); n > 0; n--) {
        const uint64_t g = random_u64(&r);
        uint64_t s = random_u64(&r);
        if (n % 4) {
            s = (s & UINT64_C(0x800FFFFFFFFFFFFF)) |
                ((g + ((uint64_t)random_in(&r, 0, 110) << 52)) & UINT64_C(0x7FF0000000000000));
        }
        sum_64(g, s);
    }
}

static uint32_t sum_16(const struct plain_format *f, uint32_t g, uint32_t s) {
    const double sum = plain_value(f, g) + plain_value(f, s);
    return isnan(sum) ? 0x7FFF : plain_bits(f, plain_round(f, sum));
}

/* -0 below +0; one NaN gives the other operand, two 0x7FFF. */
static uint32_t pick_16(const struct plain_format *f, int max, uint32_t g, uint32_t s) {
    const double x = plain_value(f, g);
    const double y = plain_value(f, s);
    if (isnan(x) || isnan(y)) {
        return !isnan(x) ? g : !isnan(y) ? s : 0x7FFF;
    }
    const int less = x < y || (x == y && signbit(x) && !signbit(y));
    return less == max ? s : g;
}

static void halves(uint32_t dtype, const struct plain_format *f, uint32_t s) {
    for (uint32_t g = 0; g < 65536; g++) {
        same(TMA_OP_ADD, dtype, g, s, sum_16(f, g, s));
        same(TMA_OP_MIN, dtype, g, s, pick_16(f, 0, g, s));
        same(TMA_OP_MAX, dtype, g, s, pick_16(f, 1, g, s));
    }
}

/* Every number of global memory with some of shared memory. */
static void all_halves(uint32_t dtype, const struct plain_format *f, const uint16_t *special,
                       size_t count) {
    struct random_source r = {dtype};
    const unsigned long more = spec_count() / 25000;
    for (size_t i = 0; i < count && i < more; i++) {
        halves(dtype, f, special[i]);
    }
    for (unsigned long i = 0; i < more; i++) {
        halves(dtype, f, (uint32_t)random_below(&r, 65536));
    }
}

static void sums_and_picks_of_float16(void **state) {
    (void)state;
    static const uint16_t special[] = {0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00, 0xbc01,
                                       0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0xffff};
    all_halves(TMA_DTYPE_FLOAT16, &plain_half, special, COUNT_OF(special));
}

static void sums_and_picks_of_bfloat16(void **state) {
    (void)state;
    static const uint16_t special[] = {0x0000, 0x8000, 0x0001, 0x807f, 0x0080, 0x3f80, 0xbf81,
                                       0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7f81, 0xffff};
    all_halves(TMA_DTYPE_BFLOAT16, &plain_bfloat16, special, COUNT_OF(special));
}

static const struct {
    uint8_t op;
    uint8_t dtype;
    uint64_t global;
    uint64_t shared;
    uint64_t result;
    const char *evidence;
} seen[] = {
#define SEEN(op, dtype, global, shared, result, evidence)                                          \
    {TMA_OP_##op,      TMA_DTYPE_##dtype, UINT64_C(global),                                        \
     UINT64_C(shared), UINT64_C(result),  evidence},
#include "support/cases/element_seen.def"
};

static void as_the_hardware_was_seen(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(seen); i++) {
        const uint64_t is = tma_reduce(seen[i].op, seen[i].dtype, seen[i].global, seen[i].shared);
        if (is != seen[i].result) {
            fail_msg("%s, type %u, %s: 0x%llx", tma_op_name(seen[i].op), seen[i].dtype,
                     seen[i].evidence, (unsigned long long)is);
        }
    }
}

/* Captured loads, and a GeForce RTX 5080's published ones. */
static void tf32_as_the_hardware_was_seen(void **state) {
    (void)state;
    static const uint32_t pairs[][2] = {
        {0x3f803000, 0x3f804000}, {0x3f805000, 0x3f804000}, {0x3f801001, 0x3f802000},
        {0x3f801000, 0x3f800000}, {0x3f802fff, 0x3f802000}, {0x00002000, 0x00002000},
        {0x007fffff, 0x00800000}, {0x00000001, 0x00000000}, {0x80000001, 0x80000000},
        {0x00001000, 0x00000000}, {0x7f800000, 0x7f800000}, {0xff800000, 0xff800000},
        {0x7f800001, 0x7fffe000}, {0xffc00000, 0x7fffe000}, {0xffffffff, 0x7fffe000},
        {0x00000000, 0x00000000}, {0x80000000, 0x80000000}, {0x7f7fe000, 0x7f7fe000},
    };
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        assert_int_equal(tma_round_tf32(pairs[i][0]), pairs[i][1]);
    }
}

/* Every value of the 19 bits that stay, with what decides the rounding in the 13 that go. */
static void tf32_against_doubles(void **state) {
    (void)state;
    static const uint32_t low[] = {0x0000, 0x0001, 0x0FFF, 0x1000, 0x1001, 0x1FFF};
    const uint32_t step = spec_count() < 1000000 ? 37 : 1;
    for (uint32_t high = 0; high < 1u << 19; high += step) {
        for (size_t i = 0; i < COUNT_OF(low); i++) {
            const uint32_t bits = high << 13 | low[i];
            const uint32_t wanted = plain_round_tf32(bits);
            if (tma_round_tf32(bits) != wanted) {
                fail_msg("0x%08x: 0x%08x, not 0x%08x", bits, tma_round_tf32(bits), wanted);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_pairs_exist),
        cmocka_unit_test(packed_types_and_copies_have_none),
        cmocka_unit_test(table_has_one_row_a_pair),
        cmocka_unit_test(integers),
        cmocka_unit_test(sums_of_float32),
        cmocka_unit_test(sums_of_float64),
        cmocka_unit_test(sums_and_picks_of_float16),
        cmocka_unit_test(sums_and_picks_of_bfloat16),
        cmocka_unit_test(as_the_hardware_was_seen),
        cmocka_unit_test(tf32_as_the_hardware_was_seen),
        cmocka_unit_test(tf32_against_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
