/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of numpy.save(): versions 1.0 and 2.0 of the format, one array in C order.
 * Format: numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 */
#ifndef CLI_NPY_H
#define CLI_NPY_H

#include <stddef.h>
#include <stdint.h>

#include "cli_error.h"

#define NPY_MOST_DIMS 8
#define NPY_MOST_B    (UINT64_C(1) << 30) /* of data: what this reads and writes */

typedef struct npy_header {
    char type[16]; /* the descr: "<f4", "|u1" */
    uint32_t rank;
    uint64_t shape[NPY_MOST_DIMS]; /* outermost first */
} npy_header;

/* Bytes of one element by its descr, 0 for what is none. */
uint64_t npy_item_B(const char *type);

/* Bytes of the data, UINT64_MAX if 64 bits do not hold them. */
uint64_t npy_size_B(const npy_header *header);

/* "(8192, 4096)" */
void npy_shape_text(const npy_header *header, char *text, size_t size);

/* Whether the bytes begin as such a file does. */
int npy_is(const uint8_t *bytes, size_t size);

/* Reads the header at the start of a whole file in memory; *data_at is where the data begin. The
 * file must end where they do. `name` is for messages. */
int npy_parse(const uint8_t *file, size_t size, const char *name, npy_header *header,
              size_t *data_at, tma_error *error);

/* The header's bytes, a multiple of 64, to be written before the data. Returns their count, at most
 * NPY_MOST_HEADER_B. */
#define NPY_MOST_HEADER_B 512
size_t npy_header_bytes(const npy_header *header, uint8_t out[NPY_MOST_HEADER_B]);

#endif
