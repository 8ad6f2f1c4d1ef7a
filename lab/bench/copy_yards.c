/* SPDX-License-Identifier: Apache-2.0
 *
 * The yardsticks: the same bytes, moved by hand with memcpy, one call for each contiguous run.
 */
#include <string.h>

#include "copy_cases.h"

static const yard_loops *loops = &yard_loops_native;

void yard_loops_for(uint32_t path) {
    loops = path == TMA_PATH_PORTABLE ? &yard_loops_portable
            : path == TMA_PATH_AVX2   ? &yard_loops_avx2
                                      : &yard_loops_native;
}

typedef struct rows_of {
    uint32_t count; /* along dimension 1 */
    uint64_t row_B;
    uint64_t step_B;
    const uint8_t *from; /* first row */
    uint8_t *tensor;
} rows_of;

/* The rows of a 2-D tile. Lengths are no constants to the compiler, as in a real program. */
static rows_of rows(const copy_bench *b, const tma_position *at) {
    const tma_spec *s = &b->spec;
    const uint32_t bits = tma_dtype_bits(s->dtype);
    const uint32_t step = s->element_stride[1];
    rows_of r;
    r.count = (s->box_el[1] + step - 1) / step;
    r.row_B = (uint64_t)s->box_el[0] * bits / 8;
    r.step_B = s->stride_B[0] * step;
    r.tensor = b->tensor + (int64_t)at->coord[0] * bits / 8 +
               (int64_t)at->coord[1] * (int64_t)s->stride_B[0];
    r.from = r.tensor;
    return r;
}

void yard_runs(const copy_bench *b, const tma_position *at) {
    const rows_of r = rows(b, at);
    const uint32_t step = b->spec.element_stride[1];
    uint8_t *to = b->packed;
    for (uint32_t i = 0; i < r.count; i++) {
        const int64_t row = (int64_t)at->coord[1] + (int64_t)i * step;
        if (row >= 0 && row < (int64_t)b->spec.dim_el[1]) {
            memcpy(to, r.from + i * r.step_B, r.row_B);
        } else {
            memset(to, b->spec.fill ? 0x7F : 0, r.row_B);
        }
        to += r.row_B;
    }
}

void yard_whole(const copy_bench *b, const tma_position *at) {
    memcpy(b->packed, rows(b, at).from, b->copy_B);
}

void yard_16(const copy_bench *b, const tma_position *at) {
    const rows_of r = rows(b, at);
    uint8_t *to = b->packed;
    for (uint32_t plane = 0; plane < b->spec.box_el[2]; plane++) {
        const uint8_t *const from = r.from + plane * b->spec.stride_B[1];
        for (uint32_t i = 0; i < r.count; i++) {
            memcpy(to, from + i * r.step_B, 16);
            to += 16;
        }
    }
}

void yard_tf32(const copy_bench *b, const tma_position *at) {
    const rows_of r = rows(b, at);
    for (uint32_t i = 0; i < r.count; i++) {
        loops->round_tf32((uint32_t *)(void *)(b->packed + i * r.row_B),
                          (const uint32_t *)(const void *)(r.from + i * r.step_B), r.row_B / 4);
    }
}

void yard_store(const copy_bench *b, const tma_position *at) {
    const rows_of r = rows(b, at);
    for (uint32_t i = 0; i < r.count; i++) {
        memcpy(r.tensor + i * r.step_B, b->packed + i * r.row_B, r.row_B);
    }
}

void yard_reduce(const copy_bench *b, const tma_position *at) {
    const rows_of r = rows(b, at);
    for (uint32_t i = 0; i < r.count; i++) {
        void *to = r.tensor + i * r.step_B;
        const void *from = b->packed + i * r.row_B;
        if (b->spec.dtype == TMA_DTYPE_FLOAT32) {
            loops->add_f32(to, from, r.row_B / 4);
        } else if (b->spec.dtype == TMA_DTYPE_FLOAT16) {
            loops->add_f16(to, from, r.row_B / 2);
        } else {
            loops->add_bf16(to, from, r.row_B / 2);
        }
    }
}

/* A box of any rank whose element strides are 1: a row for each index of the dimensions behind the
 * first; of all of them, 16 or 32 bytes each, if interleaved. */
void yard_box(const copy_bench *b, const tma_position *at) {
    const tma_spec *s = &b->spec;
    const uint32_t first = s->interleave ? 0 : 1;
    const uint32_t bits = tma_dtype_bits(s->dtype);
    const uint64_t row_B = s->interleave ? 16 * s->interleave : (uint64_t)s->box_el[0] * bits / 8;
    uint32_t count[TMA_MAX_RANK] = {1, 1, 1, 1, 1};
    uint64_t step_B[TMA_MAX_RANK] = {0};
    const uint8_t *from = b->tensor;
    uint8_t *to = b->packed;
    for (uint32_t i = 0; i < s->rank; i++) {
        step_B[i] = i ? s->stride_B[i - 1] : s->interleave ? row_B : bits / 8;
        from += (int64_t)at->coord[i] * (int64_t)step_B[i];
        count[i] = i < first ? 1 : s->interleave && i + 2 == s->rank ? 1 : s->box_el[i];
    }
    for (uint32_t l = 0; l < count[4]; l++) {
        for (uint32_t k = 0; k < count[3]; k++) {
            for (uint32_t j = 0; j < count[2]; j++) {
                const uint8_t *plane = from + l * step_B[4] + k * step_B[3] + j * step_B[2];
                for (uint32_t i = 0; i < count[1]; i++) {
                    const uint8_t *row = plane + i * step_B[1];
                    for (uint32_t n = 0; n < count[0]; n++) {
                        memcpy(to, row + n * step_B[0], row_B);
                        to += row_B;
                    }
                }
            }
        }
    }
}

/* Rows of a tile whose memory is in pages: the page is looked up by number, and the next one for
 * what of a row is in it. */
void yard_paged(const copy_bench *b, const tma_position *at) {
    const rows_of r = rows(b, at);
    const uint64_t first = (uint64_t)(r.from - b->tensor);
    for (uint32_t i = 0; i < r.count; i++) {
        const uint64_t offset = first + i * r.step_B;
        const uint64_t page = offset / b->page_B;
        const uint64_t in_page = offset % b->page_B;
        const uint64_t left_B = b->page_B - in_page;
        const uint64_t here_B = left_B < r.row_B ? left_B : r.row_B;
        uint8_t *const to = b->packed + i * r.row_B;
        memcpy(to, b->pages[page] + in_page, here_B);
        if (here_B < r.row_B) {
            memcpy(to + here_B, b->pages[page + 1], r.row_B - here_B);
        }
    }
}

void yard_rows4(const copy_bench *b, const tma_position *at) {
    const uint64_t row_B = (uint64_t)b->spec.box_el[0] * tma_dtype_bits(b->spec.dtype) / 8;
    for (uint32_t i = 0; i < 4; i++) {
        memcpy(b->packed + i * row_B,
               b->tensor + (uint64_t)at->coord[1 + i] * b->spec.stride_B[0] +
                   (uint64_t)at->coord[0] * row_B / b->spec.box_el[0],
               row_B);
    }
}

void yard_padded_store(const copy_bench *b, const tma_position *at) {
    const rows_of r = rows(b, at);
    const size_t groups = b->spec.box_el[0] / 16;
    for (uint32_t i = 0; i < r.count; i++) {
        loops->pack_6_bit(r.tensor + i * r.step_B, b->packed + i * groups * 16, groups);
    }
}

/* im2col::w of a rank-4 NHWC tensor, corners 0: along W, image after image. */
void yard_wide(const copy_bench *b, const tma_position *at) {
    const tma_spec *s = &b->spec;
    const uint64_t pixel_B = (uint64_t)s->channels_per_pixel * tma_dtype_bits(s->dtype) / 8;
    uint8_t *to = b->packed;
    uint64_t w = (uint64_t)at->coord[1];
    uint64_t n = (uint64_t)at->coord[3];
    for (uint64_t left = s->pixels_per_column; left;) {
        const uint64_t run = s->dim_el[1] - w < left ? s->dim_el[1] - w : left;
        if (n < s->dim_el[3]) {
            memcpy(to,
                   b->tensor + w * s->stride_B[0] + (uint64_t)at->coord[2] * s->stride_B[1] +
                       n * s->stride_B[2],
                   run * pixel_B);
        } else {
            memset(to, 0, run * pixel_B);
        }
        to += run * pixel_B;
        left -= run;
        w = 0;
        n++;
    }
}

/* im2col of a rank-4 NHWC tensor whose channels are all taken: a run is a stretch along W. */
void yard_pixels(const copy_bench *b, const tma_position *at) {
    const tma_spec *s = &b->spec;
    const int64_t pixel_B = (int64_t)s->channels_per_pixel * tma_dtype_bits(s->dtype) / 8;
    const int64_t w_last = (int64_t)s->dim_el[1] - 1 + s->upper_px[0];
    const int64_t h_last = (int64_t)s->dim_el[2] - 1 + s->upper_px[1];
    int64_t w = at->coord[1];
    int64_t h = at->coord[2];
    int64_t n = at->coord[3];
    uint8_t *to = b->packed;
    int64_t left = s->pixels_per_column;
    while (left) {
        const int64_t run = w_last - w + 1 < left ? w_last - w + 1 : left;
        const int64_t from_w = w + at->offset[0];
        const int64_t row = h + at->offset[1];
        const int row_inside = row >= 0 && row < (int64_t)s->dim_el[2] && n < (int64_t)s->dim_el[3];
        int64_t before = from_w < 0 ? -from_w : 0;
        int64_t end = (int64_t)s->dim_el[1] - from_w;
        end = !row_inside ? 0 : end < run ? end : run;
        before = row_inside && before < end ? before : 0;
        memset(to, 0, (size_t)(before * pixel_B));
        if (end > before) {
            memcpy(to + before * pixel_B,
                   b->tensor + (from_w + before) * (int64_t)s->stride_B[0] +
                       row * (int64_t)s->stride_B[1] + n * (int64_t)s->stride_B[2],
                   (size_t)((end - before) * pixel_B));
        }
        memset(to + end * pixel_B, 0, (size_t)((run - end) * pixel_B));
        to += run * pixel_B;
        left -= run;
        w = s->lower_px[0];
        if (++h > h_last) {
            h = s->lower_px[1];
            n++;
        }
    }
}
