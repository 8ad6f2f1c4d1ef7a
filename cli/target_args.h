/* SPDX-License-Identifier: Apache-2.0
 *
 * --arch and --driver: what a map is for. An argp child, shared by all verbs that judge.
 */
#ifndef CLI_TARGET_ARGS_H
#define CLI_TARGET_ARGS_H

#include <argp.h>

#include "cli_error.h"
#include "tma/spec.h"

typedef struct target_args {
    tma_target target; /* sm_90 and driver 13.0 where nothing is given */
    int has_arch;      /* whether the options were given */
    int has_driver;
} target_args;

/* Its input is a target_args. */
extern const struct argp target_argp;

/* "13.0", or 13000 as cuDriverGetVersion counts. */
int target_driver(const char *text, uint32_t *driver, cli_error *error);

/* "sm_90" and "13.0". */
const char *target_arch_text(const tma_target *target);
const char *target_driver_text(const tma_target *target, char buffer[16]);

#endif
