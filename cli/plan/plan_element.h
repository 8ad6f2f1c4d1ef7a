/* SPDX-License-Identifier: Apache-2.0
 *
 * tma plan --element: where one element of the box lies in shared memory, before and after the
 * swizzle.
 */
#ifndef CLI_PLAN_ELEMENT_H
#define CLI_PLAN_ELEMENT_H

#include "cli_out.h"
#include "copy_args.h"

typedef struct plan_element {
    int32_t index[TMA_MAX_RANK]; /* in the box, innermost first */
    uint32_t entries;
    int64_t coord[TMA_MAX_RANK]; /* in the tensor */
    uint32_t rank;
    uint8_t kind;           /* tma_run_kind */
    uint64_t address;       /* global, if it is inside */
    uint32_t plain_address; /* shared, before the swizzle */
    uint32_t shared_address;
} plan_element;

/* Reads "5,3" and finds it in a copy that runs. 0, or -1 and why not. */
int plan_element_find(plan_element *out, const copy_args *args, const char *text, tma_error *error);

void plan_element_print(FILE *out, const plan_element *element, const copy_args *args);
void plan_element_json(tma_json *json, const plan_element *element, const copy_args *args);

#endif
