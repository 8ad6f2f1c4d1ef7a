/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of tma emulate: a parameter's memory in, out, and compared.
 */
#ifndef CLI_EMULATE_FILES_H
#define CLI_EMULATE_FILES_H

#include "cli_error.h"
#include "launch_file.h"
#include "npy.h"
#include "run_session.h"

/* A file that was read; an array of numpy's with its header. */
typedef struct emulate_file {
    uint8_t *bytes; /* all of it */
    size_t size_B;
    const char *path, *opened;
    int is_held; /* the bytes are another's */
    npy_header header;
    uint32_t is_npy;
} emulate_file;

typedef struct emulate_files {
    ptx_memory *memory;
    emulate_file *file;
    uint32_t files;
    uint32_t last;      /* the one that was read last; UINT32_MAX: none */
    const char *folder; /* what is read now is beside this file; null: where its path says */
} emulate_files;

/* A path that another file has, which lies beside that file. */
const char *emulate_beside(ptx_memory *memory, const char *file, const char *path);

/* Bytes that are there already, of a launch file: emulate_read() finds them. */
void emulate_have(emulate_files *files, const launch_data *data);

/* A session_read: context is an emulate_files. */
int emulate_read(void *context, const char *path, const uint8_t **bytes, size_t *size_B,
                 tma_error *error);

/* "NAME=MAP" of --map: an array that --address names has the tensor's type and shape. */
int emulate_map(session *s, const char *text, emulate_files *files, tma_error *error);

/* "NAME=FILE" of --save and --expect; what differs becomes a finding. */
int emulate_save(session *s, const char *text, emulate_files *files, tma_error *error);
int emulate_expect(session *s, const char *text, emulate_files *files, tma_error *error);

void emulate_files_free(emulate_files *files);

#endif
