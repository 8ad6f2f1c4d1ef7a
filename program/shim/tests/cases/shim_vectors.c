/* SPDX-License-Identifier: Apache-2.0
 *
 * shim_vectors FILE...: the captured answers of an H200's driver, asked again through functions
 * that dlopen and dlsym find, in cuda.h's types. Ends with "N lines, N wrong".
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "call_cases.h"
#include "support/cases/case_reader.h"

static struct driver_calls calls;

static int find_calls(void) {
    static const char *const names[] = {"cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col",
                                        "cuTensorMapEncodeIm2colWide", "cuTensorMapReplaceAddress"};
    union {
        void *address[4];
        struct driver_calls calls;
    } as;
    void *handle = dlopen("libcuda.so.1", RTLD_NOW);
    for (int i = 0; i < 4; i++) {
        as.address[i] = handle ? dlsym(handle, names[i]) : NULL;
        if (!as.address[i]) {
            return -1;
        }
    }
    calls = as.calls;
    return 0;
}

static CUresult encode(CUtensorMap *map, const tma_spec *s) {
    const CUtensorMapDataType dtype = (CUtensorMapDataType)s->dtype;
    const CUtensorMapInterleave interleave = (CUtensorMapInterleave)s->interleave;
    const CUtensorMapSwizzle swizzle = (CUtensorMapSwizzle)s->swizzle;
    const CUtensorMapL2promotion l2 = (CUtensorMapL2promotion)s->l2;
    const CUtensorMapFloatOOBfill fill = (CUtensorMapFloatOOBfill)s->fill;
    void *address = (void *)(uintptr_t)s->address;
    cuuint64_t dim[TMA_MAX_RANK]; /* cuda.h's 64-bit type may be another than stdint.h's */
    cuuint64_t stride[TMA_MAX_STRIDES];
    for (int i = 0; i < TMA_MAX_RANK; i++) {
        dim[i] = s->dim_el[i];
        stride[i < TMA_MAX_STRIDES ? i : 0] = s->stride_B[i < TMA_MAX_STRIDES ? i : 0];
    }
    switch (s->api) {
    case TMA_API_TILED:
        return calls.tiled(map, dtype, s->rank, address, dim, stride, s->box_el, s->element_stride,
                           interleave, swizzle, l2, fill);
    case TMA_API_IM2COL:
        return calls.im2col(map, dtype, s->rank, address, dim, stride, s->lower_px, s->upper_px,
                            s->channels_per_pixel, s->pixels_per_column, s->element_stride,
                            interleave, swizzle, l2, fill);
    default:
        return calls.wide(map, dtype, s->rank, address, dim, stride, s->lower_px[0], s->upper_px[0],
                          s->channels_per_pixel, s->pixels_per_column, s->element_stride,
                          interleave, (CUtensorMapIm2ColWideMode)s->wide_mode, swizzle, l2, fill);
    }
}

static int agrees(const struct case_line *line) {
    CUtensorMap map;
    memset(&map, 0, sizeof(map));
    CUresult rc = encode(&map, &line->spec);
    if (line->kind == CASE_REP && rc == CUDA_SUCCESS) {
        rc = calls.replace(&map, (void *)(uintptr_t)line->naddr);
    } else if (line->kind != CASE_ENC) {
        return 0;
    }
    return (int)rc == line->rc && (!line->has_desc || !memcmp(&map, line->desc, TMA_MAP_BYTES));
}

int main(int argc, char **argv) {
    unsigned lines = 0;
    unsigned wrong = 0;
    if (find_calls()) {
        fprintf(stderr, "no libcuda.so.1 with tensor maps\n");
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        char text[8192];
        gzFile file = gzopen(argv[i], "rb");
        if (!file) {
            fprintf(stderr, "cannot open %s\n", argv[i]);
            return 2;
        }
        while (gzgets(file, text, sizeof(text))) {
            struct case_line line;
            const char *unread = case_read(text, &line);
            lines++;
            if (unread || !agrees(&line)) {
                printf("%s: %s: %s", argv[i], unread ? unread : "disagrees", text);
                wrong++;
            }
        }
        gzclose(file);
    }
    printf("%u lines, %u wrong\n", lines, wrong);
    return wrong != 0;
}
