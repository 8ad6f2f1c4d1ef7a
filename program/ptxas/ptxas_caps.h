/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of kernels with checks, where the file has no block size: as many as any block that
 * launches without checks can have. For that the file is assembled without checks too, unless every
 * block launches with what they have.
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
    cubin_use *checked; /* without a cap */
    uint32_t caps;
} ptxas_capped;

/* The kernels of a file with checks that need a cap, if any. */
void ptxas_caps_read(ptxas_capped *file, const char *path);
void ptxas_caps_free(ptxas_capped *file);

/* Whether ptxas's arguments bound the registers themselves. */
int ptxas_caps_bounded(char *const *argv);

/* The arguments with the output in another place. Free() the array. */
char **ptxas_caps_argv(char *const *argv, const char *output);

/* After a run with checks and without caps: whether that is known of all kernels of the output,
 * with a block size or not. The files need not be read for it. */
int ptxas_caps_all_fit(char *const *argv);

/* After a run with checks and without caps: whether every block launches that a device takes. */
int ptxas_caps_fit(ptxas_capped *file, char *const *argv);

/* After a run without checks too, whose output is there: whether a kernel with checks has more
 * registers than its cap. Then the caps are written into the file with checks, which stays as it is
 * where that fails. */
int ptxas_caps_bind(ptxas_capped *file, const char *output);
int ptxas_caps_write(const ptxas_capped *file, const char *path, tma_error *error);

/* After the run with checks: a line for each kernel that was capped. */
void ptxas_caps_note(const ptxas_capped *file, char *const *argv, FILE *notes);

#endif
