/* SPDX-License-Identifier: Apache-2.0
 *
 * A GPU core dump as a file to read from anywhere: plain, or unpacked from gzip into a file that
 * has no name.
 */
#ifndef CLI_CORE_INPUT_H
#define CLI_CORE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli_error.h"

typedef struct core_input {
    int fd;
    uint64_t size;
    int error; /* errno of the first read that failed, 0 if none did */
    uint64_t error_at;
} core_input;

int core_input_open(core_input *input, const char *path, tma_error *error);
int core_input_of_stdin(core_input *input, tma_error *error);
void core_input_close(core_input *input);

/* A core_read_fn, whose context is the core_input. */
bool core_input_read(void *input, uint64_t at, void *to, size_t size);

#endif
