/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors in host memory.
 */
#include "tensor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tma/detail/assert.h"
#include "tma/grammar.h"

#define UNIT_B 16 /* what stores write */

/* Each type's descr; the first is the one that is written. numpy has no bfloat16: ml_dtypes saves
 * it as V2. A type of enums.def that has none here does not compile. */
#define DESCR_UINT8         "|u1", "|i1", "|V1", "<V1"
#define DESCR_UINT16        "<u2", "<i2"
#define DESCR_UINT32        "<u4"
#define DESCR_INT32         "<i4"
#define DESCR_UINT64        "<u8"
#define DESCR_INT64         "<i8"
#define DESCR_FLOAT16       "<f2"
#define DESCR_FLOAT32       "<f4"
#define DESCR_FLOAT64       "<f8"
#define DESCR_BFLOAT16      "<u2", "<V2", "|V2"
#define DESCR_FLOAT32_FTZ   "<f4"
#define DESCR_TFLOAT32      "<f4"
#define DESCR_TFLOAT32_FTZ  "<f4"
#define DESCR_16U4_ALIGN8B  "|u1"
#define DESCR_16U4_ALIGN16B "|u1"
#define DESCR_16U6_ALIGN16B "|u1"

static const char *const types[][5] = {
#define TMA_DTYPE_ROWS(id, ...) [TMA_DTYPE_##id] = {DESCR_##id},
#include "tma/enums.def"
};

const char *tensor_type(uint32_t dtype) {
    return dtype < sizeof(types) / sizeof(types[0]) ? types[dtype][0] : "|u1";
}

uint32_t tensor_item_B(uint32_t dtype) {
    return (uint32_t)npy_item_B(tensor_type(dtype));
}

/* Whether an array of such elements may stand for the type. */
static int type_fits(uint32_t dtype, const char *type) {
    for (size_t i = 0; dtype < sizeof(types) / sizeof(types[0]) && types[dtype][i]; i++) {
        if (!strcmp(type, types[dtype][i])) {
            return 1;
        }
    }
    return 0;
}

int tensor_type_check(uint32_t dtype, const char *type, const char *name, tma_error *error) {
    char word[32];
    tma_out out = tma_out_into(word, sizeof(word));
    if (type_fits(dtype, type)) {
        return 0;
    }
    tma_put_enum(&out, TMA_ENUM_DTYPE, dtype);
    tma_fail(error, "%s: descr '%s', but the map's %s is", name, type, word);
    for (size_t i = 0; dtype < sizeof(types) / sizeof(types[0]) && types[dtype][i]; i++) {
        tma_fail_more(error, "%s '%s'", i ? " or" : "", types[dtype][i]);
    }
    return -1;
}

static uint64_t unit_of(const tma_spec *spec) {
    return UINT64_C(16) * spec->interleave;
}

uint64_t tensor_row_B(const tma_spec *spec) {
    const uint64_t unit_B = unit_of(spec);
    return unit_B ? spec->dim_el[0] * unit_B
                  : (spec->dim_el[0] * tma_dtype_bits(spec->dtype) + 7) / 8;
}

npy_header tensor_array(const tma_spec *spec) {
    npy_header array;
    const uint32_t item_B = tensor_item_B(spec->dtype);
    TMA_ASSERT(item_B && spec->rank >= 1 && spec->rank <= TMA_MAX_RANK);
    memset(&array, 0, sizeof(array));
    snprintf(array.type, sizeof(array.type), "%s", tensor_type(spec->dtype));
    for (uint32_t i = spec->rank; i-- > 1;) {
        array.shape[array.rank++] = spec->dim_el[i];
    }
    if (spec->interleave) {
        array.shape[array.rank++] = spec->dim_el[0];
        array.shape[array.rank++] = unit_of(spec) / item_B;
    } else {
        array.shape[array.rank++] = tensor_row_B(spec) / item_B;
    }
    return array;
}

/* Bytes from the first element to the end of a last row of `length_B`; UINT64_MAX if 64 bits do not
 * hold them. */
static uint64_t extent_B(const tma_spec *spec, uint64_t length_B) {
    uint64_t extent = length_B;
    for (uint32_t i = 1; i < spec->rank; i++) {
        TMA_ASSERT(spec->dim_el[i]);
        const uint64_t steps = spec->dim_el[i] - 1;
        const uint64_t stride_B = spec->stride_B[i - 1];
        if (stride_B && steps > (UINT64_MAX - extent) / stride_B) {
            return UINT64_MAX;
        }
        extent += steps * stride_B;
    }
    return extent;
}

uint64_t tensor_end(const tma_spec *spec) {
    return spec->address + extent_B(spec, tensor_row_B(spec));
}

static int too_big(const char *what, uint64_t size_B, tma_error *error) {
    if (size_B <= NPY_MOST_B) {
        return 0;
    }
    return tma_fail(error, "%s would take %" PRIu64 " B of memory; at most %" PRIu64 " B (1 GiB)",
                    what, size_B, NPY_MOST_B);
}

/* Up to the 16-byte unit that the last row ends in. */
static uint64_t memory_B(const tma_spec *spec) {
    return extent_B(spec, (tensor_row_B(spec) + UNIT_B - 1) / UNIT_B * UNIT_B);
}

int tensor_size_check(const tma_spec *spec, tma_error *error) {
    const npy_header array = tensor_array(spec);
    return too_big("the whole tensor", memory_B(spec), error) ||
           too_big("an array of the whole tensor", npy_size_B(&array), error);
}

int tensor_room(tensor *out, const tma_spec *spec, tma_error *error) {
    const uint64_t size_B = memory_B(spec);
    if (tensor_size_check(spec, error)) {
        return -1;
    }
    out->bytes = (file_bytes){file_room(size_B), (size_t)size_B};
    out->ranges = cli_got(malloc(sizeof(*out->ranges)));
    out->ranges[0] = (tma_range){.address = spec->address, .size_B = size_B, .host = out->bytes.at};
    out->count = 1;
    return 0;
}

void tensor_free(tensor *t) {
    free(t->ranges);
    free(t->bytes.at);
    *t = (tensor){NULL, 0, {NULL, 0}};
}

uint8_t *tensor_at(const tensor *t, uint64_t address, uint64_t size_B) {
    size_t first = 0;
    size_t end = t->count;
    while (end - first > 1) {
        const size_t middle = first + (end - first) / 2;
        if (t->ranges[middle].address <= address) {
            first = middle;
        } else {
            end = middle;
        }
    }
    const tma_range *r = &t->ranges[first];
    if (first == end || address < r->address || size_B > r->size_B ||
        address - r->address > r->size_B - size_B) {
        return NULL;
    }
    return (uint8_t *)r->host + (address - r->address);
}

/* Where the rows of the array lie in the tensor, one after another. */
typedef struct row_walk {
    const tma_spec *spec;
    uint64_t index[TMA_MAX_RANK];
    uint64_t at_B;
    int ended;
} row_walk;

static void next_row(row_walk *w) {
    uint32_t dim = 1;
    while (dim < w->spec->rank && ++w->index[dim] == w->spec->dim_el[dim]) {
        w->index[dim++] = 0;
    }
    w->ended = dim >= w->spec->rank;
    w->at_B = 0;
    for (uint32_t i = 1; i < w->spec->rank; i++) {
        w->at_B += w->index[i] * w->spec->stride_B[i - 1];
    }
}

void tensor_each_row(const tensor *whole, const tma_spec *spec,
                     void (*call)(void *context, uint64_t row, uint8_t *at), void *context) {
    uint64_t row = 0;
    for (row_walk w = {spec, {0}, 0, 0}; !w.ended; next_row(&w)) {
        TMA_ASSERT(w.at_B + tensor_row_B(spec) <= whole->bytes.size);
        call(context, row++, whole->bytes.at + w.at_B);
    }
}

typedef struct array_rows {
    const uint8_t *array;
    uint64_t row_B;
} array_rows;

static void lay_out_row(void *context, uint64_t row, uint8_t *at) {
    const array_rows *a = context;
    memcpy(at, a->array + row * a->row_B, (size_t)a->row_B);
}

static int check_shape(const npy_header *given, const npy_header *expected, const char *name,
                       tma_error *error) {
    char has[256];
    char wants[256];
    if (given->rank == expected->rank &&
        !memcmp(given->shape, expected->shape, given->rank * sizeof(given->shape[0]))) {
        return 0;
    }
    npy_shape_text(given, has, sizeof(has));
    npy_shape_text(expected, wants, sizeof(wants));
    return tma_fail(error, "%s: shape %s, but the map's tensor is %s (globalDim, outermost first)",
                    name, has, wants);
}

int tensor_read(tensor *out, const tma_spec *spec, const char *path, tma_error *error) {
    file_bytes file;
    npy_header given;
    size_t data_at = 0;
    const npy_header expected = tensor_array(spec);
    if (tensor_room(out, spec, error)) {
        return -1;
    }
    int failed = file_read(path, NPY_MOST_B + NPY_MOST_B / 1024, &file, error);
    if (!failed) {
        failed = npy_parse(file.at, file.size, path, &given, &data_at, error) ||
                 tensor_type_check(spec->dtype, given.type, path, error) ||
                 check_shape(&given, &expected, path, error);
    }
    if (failed) {
        tensor_free(out);
    } else {
        array_rows rows = {file.at + data_at, tensor_row_B(spec)};
        tensor_each_row(out, spec, lay_out_row, &rows);
    }
    free(file.at);
    return failed ? -1 : 0;
}

int tensor_overlaps(const tma_spec *spec) {
    uint64_t extent = tensor_row_B(spec);
    unsigned done = 0;
    for (uint32_t n = 1; n < spec->rank; n++) { /* the dimensions by their strides, upwards */
        uint32_t least = 0;
        for (uint32_t i = 1; i < spec->rank; i++) {
            if (!(done & 1u << i) &&
                (!least || spec->stride_B[i - 1] < spec->stride_B[least - 1])) {
                least = i;
            }
        }
        TMA_ASSERT(least); /* one is left for each turn */
        done |= 1u << least;
        if (spec->dim_el[least] > 1) {
            if (spec->stride_B[least - 1] < extent) {
                return 1;
            }
            extent += (spec->dim_el[least] - 1) * spec->stride_B[least - 1];
        }
    }
    return 0;
}
