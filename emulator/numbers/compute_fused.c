/* SPDX-License-Identifier: Apache-2.0
 *
 * fma to nearest of f32 and f64 by the machine's own, where it has it: by what the compiler was
 * told, or on x86 by asking the processor.
 */
#include "compute_float.h"

#include "compute_rows.h"

#if COMPUTE_MACHINE_FLOATS && defined(__FP_FAST_FMAF) && defined(__FP_FAST_FMA)
#define HAS_FUSED 1
#define FUSED_TARGET
#elif COMPUTE_MACHINE_FLOATS && defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32) &&    \
    !defined(COMPUTE_PORTABLE)
#define HAS_FUSED    __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2")
#define FUSED_TARGET __attribute__((target("avx2,fma")))
#endif

#ifdef HAS_FUSED

#undef COMPUTE_LOOP
#undef COMPUTE_RUNS
#define COMPUTE_RUNS(name)                                                                         \
    { name, name }
#define COMPUTE_LOOP(name)                                                                         \
    FUSED_TARGET static emu_step name(emu_warp *w, const emu_instruction *in, uint32_t mask)

static inline float canonical(float x) {
    const uint32_t bits = compute_bits_of(x);
    return compute_float_of((bits & INT32_MAX) > 0x7f800000u ? COMPUTE_NAN_F32 : bits);
}

static inline double kept(double r, double a, double b, double c) {
    const uint64_t order[3] = {compute_bits_of_f64(b), compute_bits_of_f64(c),
                               compute_bits_of_f64(a)};
    const uint64_t z = compute_bits_of_f64(r);
    return compute_f64_of(!compute_is_nan_f64(z)         ? z
                          : compute_is_nan_f64(order[0]) ? order[0] | COMPUTE_QUIET
                          : compute_is_nan_f64(order[1]) ? order[1] | COMPUTE_QUIET
                          : compute_is_nan_f64(order[2]) ? order[2] | COMPUTE_QUIET
                                                         : COMPUTE_NAN_F64);
}

COMPUTE_3(fma_f32, f32, f32, canonical(__builtin_fmaf(a, b, c)))
COMPUTE_3(fma_f32x2, f32x2, f32x2, canonical(__builtin_fmaf(a, b, c)))
COMPUTE_3(fma_f64, f64, f64, kept(__builtin_fma(a, b, c), a, b, c))

static const compute_form FORMS[] = {
    COMPUTE_FORM(fma_f32, FMA, F32, PLAIN) COMPUTE_FORM(fma_f32, MAD, F32, PLAIN)
        COMPUTE_FORM(fma_f32x2, FMA, F32X2, PLAIN) COMPUTE_FORM(fma_f64, FMA, F64, PLAIN)
            COMPUTE_FORM(fma_f64, MAD, F64, PLAIN)};

emu_run compute_choose_fused(const emu_instruction *in) {
    return HAS_FUSED ? compute_find(FORMS, sizeof FORMS / sizeof FORMS[0], in) : NULL;
}

#else

emu_run compute_choose_fused(const emu_instruction *in) {
    (void)in;
    return NULL;
}

#endif
