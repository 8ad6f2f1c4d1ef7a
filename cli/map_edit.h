/* SPDX-License-Identifier: Apache-2.0
 *
 * One edit of a map as the command line spells it.
 */
#ifndef CLI_MAP_EDIT_H
#define CLI_MAP_EDIT_H

#include "target_args.h"
#include "tma/map.h"

typedef struct map_edit {
    int is_address; /* cuTensorMapReplaceAddress, not tensormap.replace */
    tma_replace_field field;
    const char *ordinal; /* as written; null if not given */
    const char *value;
    uint32_t flags;
    uint32_t ordinal_number; /* these two after map_edit_read() */
    uint64_t number;
} map_edit;

/* "global_dim" */
int map_edit_field(const char *text, tma_replace_field *field, cli_error *error);

/* Reads ordinal and value: numbers, or PTX's words where the operand is an immediate. */
int map_edit_read(map_edit *edit, cli_error *error);

/* What ptxas has against the edit for this target, or null. */
const char *map_edit_refused(const map_edit *edit, const tma_target *target);

#endif
