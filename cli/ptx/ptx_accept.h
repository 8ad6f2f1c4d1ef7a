/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings of PTX files that a project has accepted: lines of a rule and a function.
 */
#ifndef CLI_PTX_ACCEPT_H
#define CLI_PTX_ACCEPT_H

#include "ptx_sites.h"

typedef struct ptx_accepted {
    const char *text;
    size_t size;
    uint8_t *is_used; /* by byte: the line that begins there took a finding */
} ptx_accepted;

/* The lines of a text: "proxy-store kernel", # and blank ones aside. 0; -1 and *number: the line
 * that is none. The text has to stay. */
int ptx_accepted_of(ptx_accepted *a, const char *text, size_t size, uint32_t *number);

/* Takes findings out of a report, one for each line; how many. */
uint32_t ptx_accept(ptx_accepted *a, ptx_report *report);

/* How many lines took none. */
uint32_t ptx_accepted_left(const ptx_accepted *a);

#endif
