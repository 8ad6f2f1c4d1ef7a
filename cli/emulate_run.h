/* SPDX-License-Identifier: Apache-2.0
 *
 * One run of tma emulate.
 */
#ifndef CLI_EMULATE_RUN_H
#define CLI_EMULATE_RUN_H

#include "emulate_args.h"

/* The exit status. */
int emulate_run(const emulate_args *args);

#endif
