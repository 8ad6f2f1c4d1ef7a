/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma ptx found, for people and for programs.
 */
#ifndef CLI_PTX_VIEW_H
#define CLI_PTX_VIEW_H

#include <stdio.h>

#include "color.h"
#include "ptx_sites.h"

void ptx_print(FILE *out, const char *path, const ptx_report *report, int findings_only,
               const color_set *colors);
/* On standard output. */
void ptx_json(const char *path, const ptx_report *report, int findings_only);

/* Whether something is said of a site. */
int ptx_has_finding(const ptx_report *report, uint32_t site);

/* A value in words: "16", "smem+128", "parameter k_param_3"; "" where nothing is known. */
size_t ptx_known_text(const ptx_known *known, char *text, size_t size);

/* What the file could not tell: a sentence, or null where there is none. `i` from 0. */
const char *ptx_note(const ptx_report *report, int i, char *text, size_t size);

#endif
