/* SPDX-License-Identifier: Apache-2.0
 *
 * A copy as JSON: what plan, load and store have in common.
 */
#ifndef CLI_COPY_JSON_H
#define CLI_COPY_JSON_H

#include "cli_out.h"
#include "copy_args.h"
#include "copy_memory.h"

void copy_instruction_json(tma_json *json, const copy_args *args);
void copy_notes_json(tma_json *json, const copy_args *copy);

/* "read_as": how the disputed questions that the copy hangs on are read, or null. */
void copy_read_as_json(tma_json *json, const copy_args *copy);

/* A map that the driver refuses: there is no copy. */
void copy_refused_json(const char *verb, const copy_args *copy);

/* All of one object: the copy, what it counted, and shared memory as it is now; or why it did not
 * run. */
void copy_done_json(const char *verb, const copy_args *copy, const copy_memory *memory,
                    tma_status status, const tma_finding *why);

#endif
