/* SPDX-License-Identifier: Apache-2.0
 *
 * The array of a tensor, written row by row.
 */
#include "tensor_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output_file.h"
#include "progress.h"
#include "ramp.h"

#define AT_ONCE_B (1u << 20) /* written at once, or one row if that is longer */

/* Where the bytes go: a file, or standard output. */
typedef struct row_sink {
    output_file file;
    int piped;
} row_sink;

static int sink_put(const row_sink *sink, const void *bytes, size_t size) {
    if (!sink->piped) {
        return output_put(sink->file.fd, bytes, size);
    }
    return fwrite(bytes, 1, size, stdout) == size ? 0 : -1;
}

static int sink_end(row_sink *sink, const char *wrong, tma_error *error) {
    if (!sink->piped) {
        return output_end(&sink->file, wrong, error);
    }
    if (!wrong && fflush(stdout)) {
        wrong = strerror(errno);
    }
    return wrong ? tma_fail(error, "cannot write '-': %s", wrong) : 0;
}

/* What is held of [address, address + size_B) over what stands in `to`. */
static void lay_over(uint8_t *to, uint64_t address, uint64_t size_B, const tensor *held) {
    size_t first = 0;
    size_t end = held->count;
    while (first < end) { /* the first range that ends behind the address */
        const size_t middle = first + (end - first) / 2;
        if (held->ranges[middle].address + held->ranges[middle].size_B <= address) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    for (; first < held->count && held->ranges[first].address < address + size_B; first++) {
        const tma_range *const r = &held->ranges[first];
        const uint64_t from = r->address > address ? r->address : address;
        const uint64_t until =
            r->address + r->size_B < address + size_B ? r->address + r->size_B : address + size_B;
        memcpy(to + (from - address), (const uint8_t *)r->host + (from - r->address),
               (size_t)(until - from));
    }
}

/* All rows in the order of the array. */
static int put_rows(const row_sink *sink, const tensor *held, const tma_spec *spec, int ramp,
                    uint64_t size_B) {
    const uint64_t row_B = tensor_row_B(spec);
    const uint64_t rows_at_once = row_B < AT_ONCE_B ? AT_ONCE_B / row_B : 1;
    const file_bytes buffer = {file_room(rows_at_once * row_B), (size_t)(rows_at_once * row_B)};
    uint64_t index[TMA_MAX_RANK] = {0};
    progress progress;
    int failed = 0;
    progress_begin(&progress, "MiB");
    for (uint64_t row = 0, used_B = 0; !failed && row < size_B / row_B; row++) {
        uint8_t *const to = buffer.at + used_B;
        uint64_t address = spec->address;
        for (uint32_t i = 1; i < spec->rank; i++) {
            address += index[i] * spec->stride_B[i - 1];
        }
        if (ramp) {
            ramp_row(to, spec, row);
        } else {
            memset(to, 0, (size_t)row_B);
        }
        lay_over(to, address, row_B, held);
        used_B += row_B;
        if (used_B == buffer.size || row + 1 == size_B / row_B) {
            failed = sink_put(sink, buffer.at, (size_t)used_B);
            used_B = 0;
            progress_at(&progress, (row + 1) * row_B >> 20, size_B >> 20);
        }
        for (uint32_t i = 1; i < spec->rank && ++index[i] == spec->dim_el[i]; i++) {
            index[i] = 0;
        }
    }
    progress_end(&progress);
    free(buffer.at);
    return failed;
}

int tensor_write(const char *path, const tensor *held, const tma_spec *spec, int ramp,
                 tma_error *error) {
    uint8_t bytes[NPY_MOST_HEADER_B];
    const npy_header array = tensor_array(spec);
    row_sink sink = {.piped = !strcmp(path, "-")};
    if (!sink.piped && output_begin(&sink.file, path, error)) {
        return -1;
    }
    const int failed = sink_put(&sink, bytes, npy_header_bytes(&array, bytes)) ||
                       put_rows(&sink, held, spec, ramp, npy_size_B(&array));
    return sink_end(&sink, failed ? strerror(errno) : NULL, error);
}
