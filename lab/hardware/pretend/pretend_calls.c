/* SPDX-License-Identifier: Apache-2.0
 *
 * A driver that is none: the calls that tma-conformance looks up, answered by the library. PRETEND
 * makes it lie: "bit", "rc" and "address" spoil one answer in a hundred, "words" word 16 of all,
 * "die" ends the process, "slow" takes its time, "instant" takes none; "asked" tells the truth, and
 * what it was asked wherever that differs from the last call's in more than the address's multiple
 * of 256. PRETEND_ARCH and PRETEND_READINGS are whose maps it makes (pretend_device.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tma/map.h>
#include <unistd.h>

#include "support/cases/spec_line.h"

#define SLOW 500 /* what "slow" hashes for each call: some microseconds */

static int lies(const char *how) {
    const char *lie = getenv("PRETEND");
    return lie && strncmp(lie, how, strlen(how)) == 0;
}

static int instant; /* looked up once: not even that shall take time */

__attribute__((constructor)) static void look_up(void) {
    instant = lies("instant");
}

static int is_odd(uint64_t address) {
    return address / 16 % 100 == 7;
}

/* For whom it makes maps. */
static tma_target target(void) {
    const char *arch = getenv("PRETEND_ARCH"), *readings = getenv("PRETEND_READINGS");
    const tma_arch_row *row = tma_arch_find(arch ? arch : "sm_90a");
    return (tma_target){.sm = row ? row->sm : 90,
                        .suffix = row ? row->suffix : 'a',
                        .driver = 13000,
                        .readings = readings ? (uint32_t)strtoul(readings, NULL, 0) : 0};
}

static void take_time(void) {
    static volatile uint32_t hash;
    for (int i = 0; i < SLOW; i++) {
        hash = hash * 16777619 + (uint32_t)i;
    }
}

static void say_asked(tma_spec spec) {
    static char last[SPEC_LINE_BYTES];
    char text[SPEC_LINE_BYTES];
    spec.address %= 256;
    if (strcmp(spec_line(&spec, NULL, text), last) != 0) {
        fprintf(stderr, "%s\n", text);
        memcpy(last, text, sizeof(last));
    }
}

static int answer(void *map, const tma_spec *spec) {
    tma_map made;
    const int odd = is_odd(spec->address);
    if (lies("die")) {
        _exit(5);
    }
    if (lies("slow")) {
        take_time();
    }
    if (lies("asked")) {
        say_asked(*spec);
    }
    const tma_target whose = target();
    if (tma_encode(made.bytes, spec, &whose) != TMA_OK || (odd && lies("rc"))) {
        return 1;
    }
    memcpy(map, made.bytes, sizeof(made.bytes));
    ((uint8_t *)map)[68] ^= (uint8_t)(odd && lies("bit"));
    ((uint8_t *)map)[64] ^= (uint8_t)lies("words");
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
    if (instant) {
        return 0;
    }
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
    if (instant) {
        return 0;
    }
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
    const uint64_t number = (uint64_t)(uintptr_t)address;
    if (is_odd(number) && lies("address")) {
        return 1;
    }
    return tma_replace_address(map, number, NULL) == TMA_OK ? 0 : 1;
}

__attribute__((visibility("default"))) int cuDriverGetVersion(int *version) {
    *version = 13000;
    return 0;
}
