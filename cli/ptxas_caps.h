/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of kernels with checks, where the file has no block size: as many as any block that
 * launches without checks can have. For that the file is assembled without checks first.
 */
#ifndef CLI_PTXAS_CAPS_H
#define CLI_PTXAS_CAPS_H

#include <stdio.h>

#include "cubin_use.h"
#include "file_bytes.h"
#include "ptx_cap.h"

/* One file of ptxas's arguments. */
typedef struct ptxas_capped {
    file_bytes text; /* with checks */
    ptx_cap *cap;
    tma_ptx_span *name;
    cubin_use *plain;
    uint32_t caps;
} ptxas_capped;

/* The kernels of a file with checks that need a cap, if any. */
void ptxas_caps_read(ptxas_capped *file, const char *path);
void ptxas_caps_free(ptxas_capped *file);

/* Whether ptxas's arguments bound the registers themselves. */
int ptxas_caps_bounded(char *const *argv);

/* The arguments with the output in another place. Free() the array. */
char **ptxas_caps_argv(char *const *argv, const char *output);

/* After a run without checks, whose output is there: writes the caps into the file with checks,
 * which stays as it is where that fails. */
int ptxas_caps_write(ptxas_capped *file, const char *path, const char *output, tma_error *error);

/* After the run with checks: a line for each kernel that was capped. */
void ptxas_caps_note(const ptxas_capped *file, char *const *argv, FILE *notes);

#endif
