/* SPDX-License-Identifier: Apache-2.0
 *
 * What load and store have in common: a copy is planned, run on its memory and told, in words or as
 * JSON.
 */
#ifndef CLI_COPY_RUN_H
#define CLI_COPY_RUN_H

#include "color.h"
#include "copy_args.h"
#include "copy_memory.h"

typedef struct copy_runner {
    const char *verb;
    copy_args *copy;
    copy_memory *memory;
    void *context;                 /* of what follows */
    void (*before)(void *context); /* with the memory made; may be null */
    /* What follows the copy's title and its memory. */
    void (*print)(const void *context, const color_set *colors);
    int (*write_files)(const void *context, tma_error *error);
} copy_runner;

/* Returns a cli_exit. What is wrong is said on standard error. */
int copy_run(const copy_runner *runner);

#endif
