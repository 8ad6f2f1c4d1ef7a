/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma ptx found, for people.
 */
#ifndef CLI_PTX_VIEW_H
#define CLI_PTX_VIEW_H

#include <stdio.h>

#include "color.h"
#include "ptx_sites.h"

void ptx_print(FILE *out, const char *path, const ptx_report *report, int findings_only,
               const color_set *colors);
/* The operands of MMAs (--mma). */
void ptx_print_mma(FILE *out, const char *path, const ptx_report *report);

#endif
