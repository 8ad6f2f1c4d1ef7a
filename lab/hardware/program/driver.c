/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's calls, by dlsym. CUresult and the enumerations are ints, cuuint32_t and cuuint64_t
 * what their names say (cuda.h).
 */
#include "driver.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef int (*encode_tiled)(void *map, int dtype, uint32_t rank, void *address, const uint64_t *dim,
                            const uint64_t *stride, const uint32_t *box,
                            const uint32_t *element_stride, int interleave, int swizzle, int l2,
                            int fill);
typedef int (*encode_im2col)(void *map, int dtype, uint32_t rank, void *address,
                             const uint64_t *dim, const uint64_t *stride, const int *lower,
                             const int *upper, uint32_t channels, uint32_t pixels,
                             const uint32_t *element_stride, int interleave, int swizzle, int l2,
                             int fill);
typedef int (*encode_wide)(void *map, int dtype, uint32_t rank, void *address, const uint64_t *dim,
                           const uint64_t *stride, int lower, int upper, uint32_t channels,
                           uint32_t pixels, const uint32_t *element_stride, int interleave,
                           int mode, int swizzle, int l2, int fill);
typedef int (*replace_address)(void *map, void *address);
typedef int (*driver_get_version)(int *version);

static struct {
    encode_tiled tiled;
    encode_im2col im2col;
    encode_wide wide;
    replace_address replace;
    uint32_t version;
} driver;

static void find(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof(symbol));
}

const char *driver_open(const char *path) {
    driver_get_version get_version = NULL;
    int version = 0;
    void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        return dlerror();
    }
    find(library, "cuTensorMapEncodeTiled", &driver.tiled);
    find(library, "cuTensorMapEncodeIm2col", &driver.im2col);
    find(library, "cuTensorMapEncodeIm2colWide", &driver.wide);
    find(library, "cuTensorMapReplaceAddress", &driver.replace);
    find(library, "cuDriverGetVersion", &get_version);
    if (get_version && get_version(&version) == 0) {
        driver.version = (uint32_t)version;
    }
    return driver.tiled && driver.im2col && driver.replace
               ? NULL
               : "the driver has no tensor maps: CUDA 12.0 or later is needed";
}

int driver_has_wide(void) {
    return driver.wide != NULL;
}

uint32_t driver_version(void) {
    return driver.version;
}

int driver_encode(tma_map *map, const tma_spec *s) {
    void *address = (void *)(uintptr_t)s->address;
    const int dtype = (int)s->dtype;
    const int interleave = (int)s->interleave;
    const int swizzle = (int)s->swizzle;
    switch (s->api) {
    case TMA_API_TILED:
        return driver.tiled(map, dtype, s->rank, address, s->dim_el, s->stride_B, s->box_el,
                            s->element_stride, interleave, swizzle, (int)s->l2, (int)s->fill);
    case TMA_API_IM2COL:
        return driver.im2col(map, dtype, s->rank, address, s->dim_el, s->stride_B, s->lower_px,
                             s->upper_px, s->channels_per_pixel, s->pixels_per_column,
                             s->element_stride, interleave, swizzle, (int)s->l2, (int)s->fill);
    default:
        return driver.wide(map, dtype, s->rank, address, s->dim_el, s->stride_B, s->lower_px[0],
                           s->upper_px[0], s->channels_per_pixel, s->pixels_per_column,
                           s->element_stride, interleave, (int)s->wide_mode, swizzle, (int)s->l2,
                           (int)s->fill);
    }
}

int driver_replace_address(tma_map *map, uint64_t address) {
    return driver.replace(map, (void *)(uintptr_t)address);
}
