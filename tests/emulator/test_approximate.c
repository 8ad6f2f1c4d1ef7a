/* SPDX-License-Identifier: Apache-2.0
 *
 * Approximate functions and f32, f16 and bf16 arithmetic in integers against sums (FNV-1a) over
 * every 4099th of 2^32 operands. Each function was found equal to an H200's on all operands (those
 * of more than one operand on drawn ones); the sums were taken of what was compared.
 */
#include "support/testing.h"

#include "compute_approximate.h"
#include "compute_float.h"

static uint32_t fma_of(uint32_t type, uint32_t a, uint32_t b, uint32_t c, int oob, int relu) {
    const compute_format *f = compute_format_of(type);
    const compute_rules r = {.format = f,
                             .operands = f,
                             .op = EMU_OP_FMA,
                             .rounding = EMU_RN,
                             .oob = (uint8_t)oob,
                             .relu = (uint8_t)relu};
    return (uint32_t)compute_arithmetic(&r, a, b, c);
}

static uint32_t halves_0(uint32_t x) {
    return compute_tanh_half(0, x & 65535) | compute_ex2_half(1, x >> 16) << 16;
}
static uint32_t halves_1(uint32_t x) {
    return compute_tanh_half(1, x & 65535) | compute_ex2_half(0, x >> 16) << 16;
}
static uint32_t fma_f32(uint32_t x) {
    return fma_of(EMU_F32, x, x * 2654435761u, x ^ 0x55555555u, 0, 0);
}
static uint32_t divisions(uint32_t x) {
    const uint32_t b = x * 2654435761u;
    return compute_div_approx(x, b, 0) ^ compute_div_full(x, b, 1);
}
static uint32_t fma_halves(uint32_t x) {
    return fma_of(EMU_F16, x & 65535, x >> 16, 0x3c00, 1, 0) |
           fma_of(EMU_BF16, x & 65535, x >> 16, 0x3f81, 0, 1) << 16;
}

static const struct sum {
    const char *name;
    uint32_t (*of)(uint32_t x);
    uint64_t fnv;
} SUMS[] = {
    {"ex2.approx.ftz", compute_ex2_ftz, 0xfc9e6c06e8030c7d},
    {"rcp.approx.ftz", compute_rcp_ftz, 0x8c6eb9716b75143c},
    {"rsqrt.approx.ftz", compute_rsqrt_ftz, 0x61d22d9f7d8fea78},
    {"sqrt.approx.ftz", compute_sqrt_ftz, 0x4d067970f6d18a89},
    {"lg2.approx.ftz", compute_lg2_ftz, 0x9fb059db2ec9c28f},
    {"ex2.approx", compute_ex2, 0x58d155f5c3b591e0},
    {"rcp.approx", compute_rcp, 0xeba95f6e5c2c091a},
    {"rsqrt.approx", compute_rsqrt, 0xb5e470c17ac39d7c},
    {"sqrt.approx", compute_sqrt, 0x5cc8f6731a9aefc3},
    {"lg2.approx", compute_lg2, 0x5c23684792457190},
    {"tanh.approx", compute_tanh, 0x04a837accc7c9afd},
    {"sin.approx", compute_sin, 0x1d263d6587b6b64a},
    {"cos.approx", compute_cos, 0x278626c6ebb77931},
    {"rcp.approx.ftz.f64", compute_rcp_upper, 0x4d68ea4c0e32ead9},
    {"rsqrt.approx.ftz.f64", compute_rsqrt_upper, 0xdfa61d315b337478},
    {"tanh.f16, ex2.bf16", halves_0, 0x70fa8e5d7672566c},
    {"tanh.bf16, ex2.f16", halves_1, 0x0a1f682c2208e514},
    {"fma.rn.f32", fma_f32, 0xab184889a1cc6370},
    {"div.approx, div.full.ftz", divisions, 0xb7d202e0a6cf3df0},
    {"fma.oob.f16, fma.relu.bf16", fma_halves, 0x377f141c46f2d2f4},
};

static void sums_are_what_was_compared(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(SUMS); i++) {
        uint64_t fnv = 0xcbf29ce484222325u;
        for (uint64_t x = 0; x >> 32 == 0; x += 4099) {
            fnv = (fnv ^ SUMS[i].of((uint32_t)x)) * 0x100000001b3u;
        }
        if (fnv != SUMS[i].fnv) {
            fail_msg("%s: %016llx", SUMS[i].name, (unsigned long long)fnv);
        }
    }
}

#if COMPUTE_MACHINE_FLOATS
/* What runs where the machine has no fma: in double, rounded to odd. */
static void fused_in_double_is_fused(void **state) {
    (void)state;
    uint32_t x = 1;
    for (uint32_t i = 0; i < 400000; i++) {
        uint32_t n[3];
        for (uint32_t k = 0; k < 3; k++) {
            x = x * 1664525u + 1013904223u;
            n[k] = x ^ x >> 15;
            n[k] = i & 1 ? n[k] : (n[k] & 0x807fffff) | (120 + (n[k] >> 23 & 7)) << 23;
        }
        if (i & 2) { /* c near - a b */
            const float product = compute_float_of(n[0]) * compute_float_of(n[1]);
            n[2] = (compute_bits_of(product) ^ 0x80000000u) + (n[2] & 7) - 3;
        }
        const float r = (float)compute_fused(compute_float_of(n[0]), compute_float_of(n[1]),
                                             compute_float_of(n[2]));
        const uint32_t want = fma_of(EMU_F32, n[0], n[1], n[2], 0, 0);
        if (r == r ? compute_bits_of(r) != want : want != COMPUTE_NAN_F32) {
            fail_msg("%08x %08x %08x: %08x, not %08x", n[0], n[1], n[2], compute_bits_of(r), want);
        }
    }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_what_was_compared),
#if COMPUTE_MACHINE_FLOATS
        cmocka_unit_test(fused_in_double_is_fused),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
