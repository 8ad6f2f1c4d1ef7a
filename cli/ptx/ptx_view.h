/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma ptx found, for people.
 */
#ifndef CLI_PTX_VIEW_H
#define CLI_PTX_VIEW_H

#include <stdio.h>

#include "color.h"
#include "ptx_sites.h"

typedef struct ptx_print_how {
    int findings_only;
    int raw_names; /* as they are mangled */
    const color_set *colors;
} ptx_print_how;

void ptx_print(FILE *out, const char *path, const ptx_report *report, const ptx_print_how *how);
/* The operands of MMAs (--mma). */
void ptx_print_mma(FILE *out, const char *path, const ptx_report *report);

#endif
