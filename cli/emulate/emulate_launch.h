/* SPDX-License-Identifier: Apache-2.0
 *
 * Launch files in and out: what the command line gives comes before what the file has.
 */
#ifndef CLI_EMULATE_LAUNCH_H
#define CLI_EMULATE_LAUNCH_H

#include "emulate_args.h"
#include "emulate_files.h"
#include "file_bytes.h"
#include "launch_file.h"
#include "trace.h"

/* What is run: args and launch file together. */
typedef struct emulate_input {
    launch_file from; /* the PTX, its kernel, arch; what the launch file gives */
    file_bytes ptx, launch;
    const char *name; /* of the PTX, for messages */
    session_how how;
    uint8_t
        *taken[2]; /* of --kernel='*': which of --param, and of --map, some kernel has; or null */
} emulate_input;

/* Reads the launch file, if there is one, and the PTX. -1 and *error; free it all the same. */
int emulate_input_read(emulate_input *in, const emulate_args *args, ptx_memory *memory,
                       emulate_files *files, tma_error *error);
void emulate_input_free(emulate_input *in);

/* The values of both, those of the command line in place of the file's. */
int emulate_input_values(session *s, const emulate_input *in, const emulate_args *args,
                         emulate_files *files, tma_error *error);

/* --save-launch, and --trace, which runs its pass again. */
int emulate_launch_save(const char *path, const session *s, const emulate_input *in,
                        const emulate_files *files, tma_error *error);
int emulate_trace_save(const char *path, session *s, const emulate_input *in,
                       const emulate_files *files, tma_error *error);

#endif
