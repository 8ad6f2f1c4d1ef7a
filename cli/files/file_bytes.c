/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole files.
 */
#include "file_bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output_file.h"

#define PIECE_B ((size_t)1 << 20)

uint8_t *file_room(uint64_t size_B) {
    return cli_got(size_B < SIZE_MAX ? calloc((size_t)size_B + 1, 1) : NULL);
}

/* One piece more; 1 at the end. */
static int read_piece(FILE *file, file_bytes *out) {
    out->at = cli_got(realloc(out->at, out->size + PIECE_B));
    const size_t count = fread(out->at + out->size, 1, PIECE_B, file);
    out->size += count;
    return count < PIECE_B;
}

FILE *file_open(const char *path, tma_error *error) {
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    if (!file) {
        tma_fail(error, "cannot open '%.200s': %s", path, strerror(errno));
    }
    return file;
}

void file_close(FILE *file) {
    if (file != stdin) {
        fclose(file);
    }
}

int file_read(const char *path, uint64_t most_B, file_bytes *out, tma_error *error) {
    FILE *file = file_open(path, error);
    int failed = 0;
    *out = (file_bytes){NULL, 0};
    if (!file) {
        return -1;
    }
    while (out->size <= most_B && !read_piece(file, out)) {
    }
    if (ferror(file)) {
        failed = tma_fail(error, "cannot read '%.200s': %s", path, strerror(errno));
    } else if (out->size > most_B) {
        failed =
            tma_fail(error, "'%.200s' has more than the %" PRIu64 " B that are read", path, most_B);
    }
    file_close(file);
    if (failed) {
        free(out->at);
        *out = (file_bytes){NULL, 0};
    }
    return failed;
}

/* fwrite() of no bytes wants an address all the same. */
static int print_bytes(const file_bytes *bytes) {
    return bytes->size && fwrite(bytes->at, 1, bytes->size, stdout) != bytes->size;
}

static int write_stdout(const file_bytes *first, const file_bytes *second, tma_error *error) {
    errno = 0;
    const int failed = print_bytes(first) || print_bytes(second) || fflush(stdout) != 0;
    return failed ? tma_fail(error, "cannot write '-': %s", strerror(errno)) : 0;
}

int file_write(const char *path, const file_bytes *first, const file_bytes *second,
               tma_error *error) {
    output_file output;
    if (!strcmp(path, "-")) {
        return write_stdout(first, second, error);
    }
    if (output_begin(&output, path, error)) {
        return -1;
    }
    const int failed = output_put(output.fd, first->at, first->size) ||
                       output_put(output.fd, second->at, second->size);
    return output_end(&output, failed ? strerror(errno) : NULL, error);
}
