/* SPDX-License-Identifier: Apache-2.0
 *
 * Which loops this machine can run. The choice is made by the loader (ifunc) where there is one
 * that can, so that the library keeps no state; elsewhere by what the compiler was told.
 */
#include <string.h> /* says whether this is glibc */

#include "path_best.h"

#if defined(TMA_HAS_AVX)
#include <cpuid.h>

#define XCR0_AVX    0x06u      /* the system saves XMM and YMM */
#define XCR0_AVX512 0xE6u      /* and the mask and ZMM registers */
#define CPUID_FP16  (1u << 23) /* leaf 7, EDX */

/* The resolver runs before a sanitizer has set itself up; so it also calls nothing, not even
 * cpuid.h's functions. */
#if defined(__clang__)
#define UNCHECKED                                                                                  \
    __attribute__((disable_sanitizer_instrumentation, no_sanitize("address", "coverage")))
#else
#define UNCHECKED __attribute__((no_sanitize("address", "undefined", "thread")))
#endif

UNCHECKED static inline uint32_t widest(void) {
    uint32_t a = 0;
    uint32_t b = 0;
    uint32_t c = 0;
    uint32_t d = 0;
    uint32_t xcr0 = 0;
    __cpuid(0, a, b, c, d);
    if (a < 7) {
        return TMA_PATH_PORTABLE;
    }
    __cpuid(1, a, b, c, d);
    if (!(c & bit_OSXSAVE) || !(c & bit_F16C)) {
        return TMA_PATH_PORTABLE;
    }
    __asm__("xgetbv" : "=a"(xcr0), "=d"(d) : "c"(0));
    __cpuid_count(7, 0, a, b, c, d);
    if ((xcr0 & XCR0_AVX) != XCR0_AVX || !(b & bit_AVX2)) {
        return TMA_PATH_PORTABLE;
    }
    const uint32_t wanted = bit_AVX512F | bit_AVX512BW | bit_AVX512VL | bit_AVX512DQ;
    if ((xcr0 & XCR0_AVX512) != XCR0_AVX512 || (b & wanted) != wanted) {
        return TMA_PATH_AVX2;
    }
    return TMA_HAS_FP16 && d & CPUID_FP16 ? TMA_PATH_AVX512FP16 : TMA_PATH_AVX512;
}

#if defined(__GLIBC__)
static uint32_t best_is_portable(void) {
    return TMA_PATH_PORTABLE;
}

static uint32_t best_is_avx2(void) {
    return TMA_PATH_AVX2;
}

static uint32_t best_is_avx512(void) {
    return TMA_PATH_AVX512;
}

static uint32_t best_is_avx512fp16(void) {
    return TMA_PATH_AVX512FP16;
}

typedef uint32_t (*path_answer)(void);

UNCHECKED __attribute__((used)) static path_answer resolve_best(void) {
    switch (widest()) {
    case TMA_PATH_AVX512FP16:
        return best_is_avx512fp16;
    case TMA_PATH_AVX512:
        return best_is_avx512;
    case TMA_PATH_AVX2:
        return best_is_avx2;
    default:
        return best_is_portable;
    }
}

uint32_t tma_path_best(void) __attribute__((ifunc("resolve_best")));
#else
uint32_t tma_path_best(void) {
    return widest();
}
#endif

#else
uint32_t tma_path_best(void) {
    return TMA_PATH_PORTABLE;
}
#endif

bool tma_path_available(uint32_t path) {
    return path <= TMA_PATH_PORTABLE || (path < TMA_PATHS && path <= tma_path_best());
}

const char *tma_path_name(uint32_t path) {
    static const char *const names[TMA_PATHS] = {"reference", "portable", "avx2", "avx512",
                                                 "avx512fp16"};
    return path < TMA_PATHS ? names[path] : "?";
}
