/* SPDX-License-Identifier: Apache-2.0
 *
 * One run of tma emulate.
 */
#ifndef CLI_EMULATE_RUN_H
#define CLI_EMULATE_RUN_H

#include "emulate_args.h"

/* A tma_emulate_host's memory: malloc()'s. */
void *emulate_take_memory(void *context, size_t size_B);
void emulate_release_memory(void *context, void *memory);

/* The exit status. */
int emulate_run(const emulate_args *args);

#endif
