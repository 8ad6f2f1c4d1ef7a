/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole files, in and out.
 */
#ifndef CLI_FILE_BYTES_H
#define CLI_FILE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli_error.h"

typedef struct file_bytes {
    uint8_t *at; /* free() it */
    size_t size;
} file_bytes;

/* Opens a file to read (- is standard input), and closes it. */
FILE *file_open(const char *path, tma_error *error);
void file_close(FILE *file);

/* Reads a file (- is standard input) of at most `most_B` bytes. */
int file_read(const char *path, uint64_t most_B, file_bytes *out, tma_error *error);

/* Writes `first`, then `second` (- is standard output). What was there before stays until all is
 * written (output_file.h). */
int file_write(const char *path, const file_bytes *first, const file_bytes *second,
               tma_error *error);

/* calloc() that ends the program when memory is out; at least a byte. */
uint8_t *file_room(uint64_t size_B);

#endif
