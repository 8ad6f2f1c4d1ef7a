/* SPDX-License-Identifier: Apache-2.0
 *
 * A driver that is none: the calls that tma-conformance looks up, answered by the library. PRETEND
 * set to "bit" or "rc" makes one answer in a hundred wrong.
 */
#include <stdlib.h>
#include <string.h>
#include <tma/map.h>

static int lies(const char *how) {
    const char *lie = getenv("PRETEND");
    return lie && strcmp(lie, how) == 0;
}

static int answer(void *map, const tma_spec *spec) {
    tma_map made;
    const int odd = spec->address / 16 % 100 == 7;
    if (tma_encode(made.bytes, spec, NULL) != TMA_OK || (odd && lies("rc"))) {
        return 1;
    }
    memcpy(map, made.bytes, sizeof(made.bytes));
    ((uint8_t *)map)[68] ^= (uint8_t)(odd && lies("bit"));
    return 0;
}

static tma_spec common(uint32_t api, int dtype, uint32_t rank, void *address, const uint64_t *dim,
                       const uint64_t *stride, const uint32_t *element_stride) {
    tma_spec spec;
    memset(&spec, 0, sizeof(spec));
    spec.api = api;
    spec.dtype = (uint32_t)dtype;
    spec.rank = rank;
    spec.address = (uint64_t)(uintptr_t)address;
    memcpy(spec.dim_el, dim, sizeof(spec.dim_el));
    memcpy(spec.stride_B, stride, sizeof(spec.stride_B));
    memcpy(spec.element_stride, element_stride, sizeof(spec.element_stride));
    return spec;
}

static void modes(tma_spec *spec, int interleave, int swizzle, int l2, int fill) {
    spec->interleave = (uint32_t)interleave;
    spec->swizzle = (uint32_t)swizzle;
    spec->l2 = (uint32_t)l2;
    spec->fill = (uint32_t)fill;
}

__attribute__((visibility("default"))) int
cuTensorMapEncodeTiled(void *map, int dtype, uint32_t rank, void *address, const uint64_t *dim,
                       const uint64_t *stride, const uint32_t *box, const uint32_t *element_stride,
                       int interleave, int swizzle, int l2, int fill) {
    tma_spec spec = common(TMA_API_TILED, dtype, rank, address, dim, stride, element_stride);
    memcpy(spec.box_el, box, sizeof(spec.box_el));
    modes(&spec, interleave, swizzle, l2, fill);
    return answer(map, &spec);
}

__attribute__((visibility("default"))) int
cuTensorMapEncodeIm2col(void *map, int dtype, uint32_t rank, void *address, const uint64_t *dim,
                        const uint64_t *stride, const int *lower, const int *upper,
                        uint32_t channels, uint32_t pixels, const uint32_t *element_stride,
                        int interleave, int swizzle, int l2, int fill) {
    tma_spec spec = common(TMA_API_IM2COL, dtype, rank, address, dim, stride, element_stride);
    memcpy(spec.lower_px, lower, sizeof(spec.lower_px));
    memcpy(spec.upper_px, upper, sizeof(spec.upper_px));
    spec.channels_per_pixel = channels;
    spec.pixels_per_column = pixels;
    modes(&spec, interleave, swizzle, l2, fill);
    return answer(map, &spec);
}

__attribute__((visibility("default"))) int
cuTensorMapEncodeIm2colWide(void *map, int dtype, uint32_t rank, void *address, const uint64_t *dim,
                            const uint64_t *stride, int lower, int upper, uint32_t channels,
                            uint32_t pixels, const uint32_t *element_stride, int interleave,
                            int mode, int swizzle, int l2, int fill) {
    tma_spec spec = common(TMA_API_WIDE, dtype, rank, address, dim, stride, element_stride);
    spec.lower_px[0] = lower;
    spec.upper_px[0] = upper;
    spec.channels_per_pixel = channels;
    spec.pixels_per_column = pixels;
    spec.wide_mode = (uint32_t)mode;
    modes(&spec, interleave, swizzle, l2, fill);
    return answer(map, &spec);
}

__attribute__((visibility("default"))) int cuTensorMapReplaceAddress(void *map, void *address) {
    return tma_replace_address(map, (uint64_t)(uintptr_t)address) == TMA_OK ? 0 : 1;
}

__attribute__((visibility("default"))) int cuDriverGetVersion(int *version) {
    *version = 13000;
    return 0;
}
