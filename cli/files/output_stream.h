/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that is written piece by piece, there as a whole or as it was before (output_file.h).
 */
#ifndef CLI_OUTPUT_STREAM_H
#define CLI_OUTPUT_STREAM_H

#include <stdio.h>

#include "cli_error.h"
#include "output_file.h"

typedef struct output_stream {
    output_file output;
    FILE *file;
    int is_stdout;
} output_stream;

/* - is standard output. */
int output_stream_begin(output_stream *stream, const char *path, tma_error *error);

/* With `failed` the file stays as it was, and *error too. */
int output_stream_end(output_stream *stream, int failed, tma_error *error);

#endif
